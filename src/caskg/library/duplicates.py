"""Skills that say nearly the same: a share of their text in common, line by line."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from caskg.library.diagnostics import Code, diagnostic
from caskg.schema import Diagnostic, Skill

LEAST_SHARE = 0.6
_COMMON_LINE = 20  # a line that more skills hold says nothing of two of them


class NearDuplicates(NamedTuple):
    """Two skills by position, the first before the second, and the share of their text that is the same."""

    first: int
    second: int
    share: float


def near_duplicates(skills: Sequence[Skill]) -> Iterator[Diagnostic]:
    """Yield a finding for each skill that shares most of its text with one before it, the nearest."""
    best: dict[int, NearDuplicates] = {}
    for pair in duplicate_pairs(skills):
        if pair.second not in best or pair.share > best[pair.second].share:
            best[pair.second] = pair
    for number, pair in sorted(best.items()):
        other = skills[pair.first].id
        yield diagnostic(Code.NEAR_DUPLICATE, skills[number].path, share=pair.share, other=other)


def duplicate_pairs(skills: Sequence[Skill]) -> Iterator[NearDuplicates]:
    """Yield each two skills that share at least `LEAST_SHARE` of their text, in order.

    The share is the weighted Jaccard index of their lines, a line as heavy as it is
    long: ``sum of lengths in both / sum of lengths in either``. Copies of one text are
    left out. Two skills are compared if they share a line that few others hold, so the
    time is that of reading the lines, not that of all pairs.
    """
    lines = [_lines(skill) for skill in skills]
    sizes = [sum(map(len, each)) for each in lines]
    for first, second in _pairs(lines):
        smaller, larger = sorted((sizes[first], sizes[second]))
        if smaller < LEAST_SHARE * larger or skills[first].content_hash == skills[second].content_hash:
            continue  # the share is at most smaller / larger
        both = sum(map(len, lines[first] & lines[second]))
        share = both / (smaller + larger - both)
        if share >= LEAST_SHARE:
            yield NearDuplicates(first, second, share)


def _lines(skill: Skill) -> frozenset[str]:
    text = f"{skill.description}\n{skill.body}"
    return frozenset(line for each in text.split("\n") if (line := each.strip()))


def _pairs(lines: Sequence[frozenset[str]]) -> list[tuple[int, int]]:
    """Return the pairs that share a line, in order; and perhaps one whose lines only hash alike."""
    holder = np.repeat(np.arange(len(lines)), [len(each) for each in lines])
    line = np.fromiter((hash(each) for each in chain.from_iterable(lines)), dtype=np.int64, count=len(holder))
    order = np.lexsort((holder, line))
    holders = np.unique(line, return_counts=True)[1]
    order = order[np.repeat(holders <= _COMMON_LINE, holders)]
    holder, line = holder[order], line[order]
    codes = [
        (holder[:-apart] * len(lines) + holder[apart:])[line[:-apart] == line[apart:]]
        for apart in range(1, _COMMON_LINE)
    ]
    first, second = np.divmod(np.unique(np.concatenate(codes)), len(lines))
    return list(zip(first.tolist(), second.tolist(), strict=True))
