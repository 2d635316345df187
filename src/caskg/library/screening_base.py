"""What a rule of screening is: a pattern, and the words that such sentences cannot do without."""

import re
from typing import NamedTuple

from caskg.library.diagnostics import Code


class Rule(NamedTuple):
    """A pattern on lower-case text, and the words of which each text it fits holds one of each group."""

    code: Code
    words: tuple[tuple[str, ...], ...]
    pattern: re.Pattern[str]


def word_of(*words: str) -> str:
    """Return a pattern of words; to look back from each is faster than to look for a boundary first."""
    return "(?:" + "|".join(rf"{word}(?<!\w{word})" for word in words) + ")"
