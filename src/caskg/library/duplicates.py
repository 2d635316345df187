"""Skills that say nearly the same: a share of their text in common, line by line or else word by word.

Neither case nor blanks nor punctuation count. A long line is compared by its pieces, so that
one word that differs in it makes it no other line.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from caskg.library.diagnostics import Code, diagnostic
from caskg.schema import Diagnostic, Skill

LEAST_SHARE = 0.6
"""Of the lines, each as heavy as it is long."""
LEAST_WORDS = 0.75
"""Of the words, where a word differs in every line. Texts after one template share up to .74 of them."""

_LONG = 300  # characters; above, a line is cut
_LONG_CLAUSE = 80
_CLAUSE_ENDS = re.compile("(?<=[.,;:!?)])\\s+|(?<=[\u3002\uff0c\u3001\uff1b\uff1a\uff01\uff1f])")
# Cut before words of three letters, which all languages with blanks have: where a cut lies depends on the
# words about it alone, so that a word more or less does not move the cuts of all that follows.
_CUT = re.compile(r"\s+(?=\S{3}\s)")
_IGNORED = bytes(code for code in range(128) if not chr(code).isalnum())
_AS_BLANKS = bytes.maketrans(_IGNORED, b" " * len(_IGNORED))
# A word that differs leaves the beginning or the end of its line as it is.
_END = 16  # bytes
_COMMON_END = 20  # what more skills hold says nothing of two of them
_LEAST_ENDS = 0.1


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
    """Yield each two skills that share `LEAST_SHARE` of their lines, or `LEAST_WORDS` of their words.

    A share is a weighted Jaccard index. That of lines and pieces is, each as heavy as it is long,
    ``sum of lengths in both / sum of lengths in either``; that of words, asked for where the
    lines do not suffice, counts each as often as it stands there. Copies of one text are left out. Two
    skills are compared if lines of theirs begin or end alike as few others do, so the time is
    that of reading the lines, not that of all pairs. The pairs come in order.
    """
    lines = [_lines(skill) for skill in skills]
    words: dict[int, Counter[bytes]] = {}
    for first, second in _pairs([_ends(each) for each in lines]):
        one, other = skills[first], skills[second]
        if one.content_hash == other.content_hash:
            continue
        share, least = _share_of_lines(lines[first], lines[second]), LEAST_SHARE
        shorter, longer = sorted((len(one.body), len(other.body)))
        if share < LEAST_SHARE and shorter >= LEAST_SHARE * longer:  # else they share no such part of words
            for at in (first, second):
                words[at] = words.get(at) or _words(skills[at])
            share, least = _share_of_words(words[first], words[second]), LEAST_WORDS
        if share >= least:
            yield NearDuplicates(first, second, share)


def _share_of_lines(one: frozenset[bytes], other: frozenset[bytes]) -> float:
    both = sum(map(len, one & other))
    return both / (sum(map(len, one)) + sum(map(len, other)) - both) if both else 0.0


def _share_of_words(one: Counter[bytes], other: Counter[bytes]) -> float:
    both = (one & other).total()
    return both / (one.total() + other.total() - both) if both else 0.0


def _text(skill: Skill) -> str:
    return f"{skill.description}\n{skill.body}".lower()


def _words(skill: Skill) -> Counter[bytes]:
    return Counter(_text(skill).encode().translate(_AS_BLANKS).split())


def _lines(skill: Skill) -> frozenset[bytes]:
    """Return the lines, and the pieces of long ones, without what does not count."""
    text = _text(skill)
    lines = text.split("\n")
    if max(map(len, lines)) > _LONG:
        text = "\n".join(
            chain.from_iterable(_pieces(line.strip()) if len(line) > _LONG else [line] for line in lines)
        )
    return frozenset(text.encode().translate(None, _IGNORED.replace(b"\n", b"")).split(b"\n")) - {b""}


def _pieces(line: str) -> Iterator[str]:
    """Cut a long line at the ends of its clauses, and what is still long between words.

    >>> list(_pieces("Boil it, " + "then pour it over the finely cut leaves and " * 2))[:4]
    ['Boil it,', 'then pour it over', 'the finely', 'cut leaves']
    """
    for clause in _CLAUSE_ENDS.split(line):
        yield from [clause] if len(clause) <= _LONG_CLAUSE else _CUT.split(clause)


def _ends(lines: Collection[bytes]) -> set[bytes]:
    return {line[:_END] for line in lines} | {line[-_END:] for line in lines}


def _pairs(ends: Sequence[Collection[bytes]]) -> list[tuple[int, int]]:
    """Return the pairs that share `_LEAST_ENDS` of the rare ends of one of them, in order.

    And perhaps one whose ends only hash alike.
    """
    holder = np.repeat(np.arange(len(ends)), [len(each) for each in ends])
    end = np.fromiter(map(hash, chain.from_iterable(ends)), dtype=np.int64, count=len(holder))
    order = np.lexsort((holder, end))
    holders = np.unique(end, return_counts=True)[1]
    order = order[np.repeat(holders <= _COMMON_END, holders)]
    holder, end = holder[order], end[order]
    codes = [
        (holder[:-apart] * len(ends) + holder[apart:])[end[:-apart] == end[apart:]]
        for apart in range(1, _COMMON_END)
    ]
    pairs, shared = np.unique(np.concatenate(codes), return_counts=True)
    first, second = np.divmod(pairs, len(ends))
    rare = np.bincount(holder, minlength=len(ends))
    enough = shared >= _LEAST_ENDS * np.minimum(rare[first], rare[second])
    return list(zip(first[enough].tolist(), second[enough].tolist(), strict=True))
