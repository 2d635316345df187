"""Labels and the skills they speak of: what authors declare, and which pairs have a label.

Before `candidates`, which takes labelled pairs in, and `calibrate`, which lets labels decide.
"""

from collections.abc import Sequence

import numpy as np

from caskg.schema import IntArray, Label, LabelSource, ReferenceKind, ResolvedReference, Skill, Verdict


def author_labels(skills: Sequence[Skill], references: Sequence[ResolvedReference]) -> tuple[Label, ...]:
    """Return what authors declare (``metadata: caskg-requires``) as confirming labels."""
    return tuple(
        Label(
            source=skills[each.source].id,
            target=skills[each.target].id,
            verdict=Verdict.CONFIRM,
            given_by=LabelSource.AUTHOR,
            source_hash=skills[each.source].content_hash,
            target_hash=skills[each.target].content_hash,
            note=each.evidence,
        )
        for each in references
        if each.kind is ReferenceKind.DECLARED
    )


def labelled_pairs(skills: Sequence[Skill], labels: Sequence[Label]) -> IntArray:
    """Return source and target of each label whose skills are there, shape ``(n_labels, 2)``."""
    position = {skill.id: at for at, skill in enumerate(skills)}
    pairs = [
        (position[label.source], position[label.target])
        for label in labels
        if label.source in position and label.target in position
    ]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)
