"""The order in which a document calls for two other skills: "Phase 1: use `x`", then "Phase 2: use `y`".

What follows `references`: there a document speaks of itself and another skill, here of
two others. A stage is a section with a numbered heading, and what stands below it; a
stage that calls for many skills is a catalogue and ends the sequence.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from caskg.library.mentions import NamesFound, passages
from caskg.library.references import SkillIndex
from caskg.schema import ReferenceKind, ReferenceRole, Skill, SkillLibrary

MOST_OF_A_STAGE = 4
"""Most skills that a stage may call for."""

_MOST_EVIDENCE = 300  # characters
_STAGE = re.compile(
    r"\W*(?:(?:phase|step|stage|part)\s*)?#?\d+\b|(?:phase|step|stage|part) [A-Z]\b", re.IGNORECASE
)
_CALLED = (ReferenceRole.USE, ReferenceRole.NEED)


class StatedOrder(NamedTuple):
    """Two skills by position, of which a third document calls for the first and then for the second."""

    source: int
    target: int
    evidence: str


class _Stage(NamedTuple):
    title: str
    skills: frozenset[int]


def stated_orders(library: SkillLibrary, *, names: NamesFound) -> tuple[StatedOrder, ...]:
    """Return the pairs that stand in consecutive stages of some document, sorted, each pair once.

    A pair that documents put in both orders has none.

    Args:
        library: The skills.
        names: The `library_names`.
    """
    index = SkillIndex(library)
    found: dict[tuple[int, int], str] = {}
    for number, skill in enumerate(library.skills):
        called = {key for key, reference in names.get(skill.content_hash, ()) if reference.role in _CALLED}
        if len(called) > 1:
            for first, second in pairwise(_stages(number, skill, index)):
                for source, target in _pairs(first, second):
                    said = f"{order_begins(skill.name)}{first.title}, then {second.title}"
                    found.setdefault((source, target), said)
    return tuple(
        StatedOrder(*pair, evidence[:_MOST_EVIDENCE])
        for pair, evidence in sorted(found.items())
        if pair[::-1] not in found
    )


def order_begins(name: str) -> str:
    """Return how the evidence of each order begins that the skill of this name states."""
    return f"{' '.join(name.split())}: "[:_MOST_EVIDENCE]


def _pairs(first: _Stage, second: _Stage) -> Iterator[tuple[int, int]]:
    if max(len(first.skills), len(second.skills)) <= MOST_OF_A_STAGE:
        yield from ((i, j) for i in first.skills - second.skills for j in second.skills - first.skills)


def _stages(number: int, skill: Skill, index: SkillIndex) -> Iterator[_Stage]:
    """Yield the stages of a document that call for other skills."""
    title, level = "", 0
    called: set[int] = set()
    for section, passage in zip(skill.sections, passages(skill)[1:], strict=True):
        is_stage = section.level > 0 and _STAGE.match(section.title) is not None
        if is_stage or 0 < section.level <= level:
            if called:
                yield _Stage(title, frozenset(called))
            title, level, called = (section.title, section.level, set()) if is_stage else ("", 0, set())
        if level:
            named = (
                index.by_name(key, number)
                for key, reference in passage.names(index)
                if reference.role in _CALLED and reference.kind is not ReferenceKind.CONTRAST
            )
            called |= {other for other in named if other is not None and other != number}
    if called:
        yield _Stage(title, frozenset(called))
