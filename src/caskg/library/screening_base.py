"""What a rule of screening is: a pattern, and the words that such sentences cannot do without."""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate, chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caskg.library.diagnostics import Code
from caskg.schema import BoolArray, IntArray

_LENGTH = 4  # bytes that are looked up together
_BITS = 16
_MIX = np.uint32(2_654_435_769)  # 2^32 over the golden ratio: the upper bits of a product are well mixed
_ALWAYS = 1 << _BITS  # the place of what every text holds


class Rule(NamedTuple):
    """A pattern on lower-case text, and the words of which each text it fits holds one of each group."""

    code: Code
    words: tuple[tuple[str, ...], ...]
    pattern: re.Pattern[str]


class Rules:
    """Rules, and which of them may fit a text.

    A text without a word mostly lacks four bytes in a row of it, and those of all words are looked up at
    once: that takes a third of the time that a search for each word does.
    """

    def __init__(self, *rules: Rule) -> None:
        """Take the rules in the order in which they are to be tried."""
        self._rules = rules

    def __iter__(self) -> Iterator[Rule]:
        """Yield all rules, in order."""
        return iter(self._rules)

    def fitting(self, view: "View") -> Iterator[Rule]:
        """Yield the rules of which a text holds the words.

        >>> rules = Rules(Rule(Code.OVERRIDE, (("ignore", "forget"), ("rules",)), re.compile("x")))
        >>> [len(list(rules.fitting(View(text)))) for text in ("forget the rules", "the rules")]
        [1, 0]
        """
        words, parts, members, of_group, of_rule = self._index
        held: BoolArray = np.all(view.parts[parts], axis=1)
        for at in np.flatnonzero(held).tolist():
            held[at] = words[at] in view.text
        groups = np.logical_or.reduceat(held[members], of_group)
        for at in np.flatnonzero(np.logical_and.reduceat(groups, of_rule)).tolist():
            yield self._rules[at]

    @cached_property
    def _index(self) -> tuple[list[str], IntArray, IntArray, IntArray, IntArray]:
        """The words and their parts, padded; the words of each group, and where groups and rules begin."""
        groups = [group for rule in self._rules for group in rule.words]
        place = {word: at for at, word in enumerate(dict.fromkeys(chain.from_iterable(groups)))}
        of_word = [_parts(word) for word in place]
        parts = np.full((len(place), max(map(len, of_word))), _ALWAYS)
        for row, each in zip(parts, of_word, strict=True):
            row[: len(each)] = each
        members = np.array([place[word] for word in chain.from_iterable(groups)])
        return list(place), parts, members, _begins(groups), _begins([rule.words for rule in self._rules])


class View:
    """A text in lower case, and which parts of four bytes it holds."""

    def __init__(self, text: str) -> None:
        """Take a text."""
        self.text = text

    @cached_property
    def parts(self) -> BoolArray:
        """Whether it holds a part with this place, shape ``(2^16 + 1,)``; several parts may share one."""
        held = np.zeros(_ALWAYS + 1, dtype=np.bool_)
        held[_parts(self.text)] = True
        held[_ALWAYS] = True
        return held


def _parts(text: str) -> NDArray[np.uint32]:
    """Return the place of each four bytes in a row of a text."""
    encoded = text.encode(errors="surrogatepass")
    n_parts = max(0, len(encoded) - _LENGTH + 1)
    row = np.ndarray((n_parts,), dtype="<u4", buffer=encoded if n_parts else bytes(_LENGTH), strides=(1,))
    return (row * _MIX) >> np.uint32(32 - _BITS)


def _begins(sequences: Sequence[Sequence[object]]) -> IntArray:
    """Return where each begins when they stand one after the other."""
    return np.array([0, *accumulate(map(len, sequences))][:-1])


def word_of(*words: str) -> str:
    """Return a pattern of words; to look back from each is faster than to look for a boundary first."""
    each = [rf"{word}(?<!\w{word})" for word in words]
    return f"(?:{'|'.join(each)})" if len(each) > 1 else each[0]
