"""Skills that say nearly the same: a share of their text in common, line by line.

A long line is compared by its pieces, so that one word that differs in it makes it no other line.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from caskg.library.diagnostics import Code, diagnostic
from caskg.schema import Diagnostic, Skill

LEAST_SHARE = 0.6
_LONG = 300  # characters; above, a line is cut
_LONG_CLAUSE = 80
_CLAUSE_ENDS = re.compile("(?<=[.,;:!?)])\\s+|(?<=[\u3002\uff0c\u3001\uff1b\uff1a\uff01\uff1f])")
# Cut before words of three letters, which all languages with blanks have: where a cut lies depends on the
# words about it alone, so that a word more or less does not move the cuts of all that follows.
_CUT = re.compile(r"\s+(?=\S{3}\s)")
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

    The share is the weighted Jaccard index of their lines and pieces, each as heavy as it is
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
    whole = (line for each in text.split("\n") if (line := each.strip()))
    return frozenset(chain.from_iterable([line] if len(line) <= _LONG else _pieces(line) for line in whole))


def _pieces(line: str) -> Iterator[str]:
    """Cut a long line at the ends of its clauses, and what is still long between words.

    >>> list(_pieces("Boil it, " + "then pour it over the finely cut leaves and " * 2))[:4]
    ['Boil it,', 'then pour it over', 'the finely', 'cut leaves']
    """
    for clause in _CLAUSE_ENDS.split(line):
        yield from [clause] if len(clause) <= _LONG_CLAUSE else _CUT.split(clause)


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
