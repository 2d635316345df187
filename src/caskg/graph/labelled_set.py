"""Our own labelled pairs of skills, on which a prober shows whether it can judge.

Read by `judge_check`. 96 short skills of twelve fields of work and 168 ordered
pairs, each with its kind and the reason for it: see ``data/judge_check``. About
half of the skills declare what they take or give; the others tell it in a
sentence, or not at all.
"""

import json
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

import numpy as np

from caskg.library.parse import load_library
from caskg.schema import BoolArray, IntArray, Skill

_FOLDER = Path(__file__).parent / "data" / "judge_check"


class PairKind(StrEnum):
    """How the source of a pair stands to its target. Only a prerequisite is an edge."""

    PREREQUISITE = "prerequisite"  # the target needs what the source makes
    REVERSED = "reversed"  # the other way round
    INTERCHANGEABLE = "interchangeable"  # two ways to the same thing
    INDEPENDENT = "independent"  # the same field, and neither needs the other
    UNRELATED = "unrelated"  # different fields


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledSet:
    """Pairs with the truth about them.

    Attributes:
        skills: All skills, sorted by id.
        source: Positions in *skills*, shape ``(n_pairs,)``.
        target: Likewise.
        substitutes: A skill of another field than both, to put in the place of the source.
        kinds: The kind of each pair.
        reasons: Why it is of that kind: the need of a prerequisite.
    """

    skills: tuple[Skill, ...]
    source: IntArray
    target: IntArray
    substitutes: IntArray
    kinds: tuple[PairKind, ...]
    reasons: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.kinds)

    @property
    def is_edge(self) -> BoolArray:
        """True for prerequisites, shape ``(n_pairs,)``."""
        return self.are(PairKind.PREREQUISITE)

    @property
    def declared(self) -> BoolArray:
        """True where the source declares outputs and the target inputs, shape ``(n_pairs,)``."""
        fields = [skill.fields for skill in self.skills]
        ends = zip(self.source.tolist(), self.target.tolist(), strict=True)
        return np.array([bool(fields[i].outputs and fields[j].inputs) for i, j in ends], dtype=np.bool_)

    def are(self, kind: PairKind) -> BoolArray:
        """Return which pairs are of a kind, shape ``(n_pairs,)``."""
        return np.array([each is kind for each in self.kinds], dtype=np.bool_)

    def reverse_of(self) -> IntArray:
        """Return for each pair the position of the pair the other way round; -1 = it is not in the set."""
        ends = list(zip(self.source.tolist(), self.target.tolist(), strict=True))
        at = {pair: number for number, pair in enumerate(ends)}
        return np.array([at.get((j, i), -1) for i, j in ends], dtype=np.int64)


@cache
def labelled_set() -> LabelledSet:
    """Read the pairs that come with the package."""
    skills = load_library([_FOLDER / "skills"]).skills
    at = {skill.id: number for number, skill in enumerate(skills)}
    lines = (_FOLDER / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    source = np.array([at[row["source"]] for row in rows], dtype=np.int64)
    target = np.array([at[row["target"]] for row in rows], dtype=np.int64)
    fields = [skill.id.split("/")[0] for skill in skills]
    return LabelledSet(
        skills=skills,
        source=source,
        target=target,
        substitutes=_from_another_field(source, target, fields),
        kinds=tuple(PairKind(row["kind"]) for row in rows),
        reasons=tuple(str(row["why"]) for row in rows),
    )


def _from_another_field(source: IntArray, target: IntArray, fields: list[str]) -> IntArray:
    """Return for each pair the skill half way round the set from its source, or the next of a third field."""
    chosen = []
    for i, j in zip(source.tolist(), target.tolist(), strict=True):
        start = i + len(fields) // 2
        around = ((start + step) % len(fields) for step in range(len(fields)))
        chosen.append(next(x for x in around if fields[x] not in (fields[i], fields[j])))
    return np.array(chosen, dtype=np.int64)
