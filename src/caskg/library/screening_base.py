"""What a rule of screening is: a pattern, and the words that such sentences cannot do without."""

import re
from typing import NamedTuple

from caskg.library.diagnostics import Code


class Rule(NamedTuple):
    """A pattern on lower-case text, and the words of which each text it fits holds one of each group."""

    code: Code
    words: tuple[tuple[str, ...], ...]
    pattern: re.Pattern[str]

    def may_fit(self, lowered: str) -> bool:
        """Whether a text holds the words. Asked of each rule and file, so without generators.

        >>> rule = Rule(Code.OVERRIDE, (("ignore", "forget"), ("rules",)), re.compile("x"))
        >>> rule.may_fit("forget the rules"), rule.may_fit("the rules")
        (True, False)
        """
        for group in self.words:
            for word in group:
                if word in lowered:
                    break
            else:
                return False
        return True


def word_of(*words: str) -> str:
    """Return a pattern of words; to look back from each is faster than to look for a boundary first."""
    return "(?:" + "|".join(rf"{word}(?<!\w{word})" for word in words) + ")"
