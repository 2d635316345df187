"""Where a text only speaks of a phrase: in quotation marks, in code, or as what must not be done."""

import re
from bisect import bisect_right
from collections.abc import Iterator

_LOOK_BACK = 100  # characters before a phrase in which what takes it back may stand
_LONGEST_ROW = 500
_ON = r"\n(?![ \t]*\n)"  # a quotation ends with its paragraph


def _pair(opening: str, closing: str) -> str:
    return rf"{opening}(?:[^{opening}{closing}\n]++|{_ON})*+{closing}"


# A mark opens where no word stands before it and one begins after it: `5" pipe` and a stray backtick do not.
_OPENS = r"(?<![\w.!?)\]}\"`])(?=[\"`]{1,2}[^\s.,;:!?)\]}\"`])"
_MARKED = re.compile(
    rf"{_OPENS}(?:\"(?:[^\"\n]++|{_ON})*+(?<!\s)\"|`{{1,2}}(?:[^`\n]++|{_ON})*+(?<!\s)`)"
    + "".join(f"|{_pair(*marks)}" for marks in ("\u201c\u201d", "\u00ab\u00bb", "\u300c\u300d"))
)
# Apostrophes look the same, so these must stand right before a phrase, and not within a word.
_SINGLE = {
    mark: re.compile(rf"(?:[^{mark}\n]|(?<=\w){mark}(?=\w)|{_ON}){{0,300}}+{mark}(?!\w)")
    for mark in ("'", "\u2019")
}
_CLOSED_BY = {"'": "'", "\u2018": "\u2019"}
# At most nine marks are told apart: each number of them may cost a search to the end.
_FENCED = re.compile(r"^[ \t]*+(`{3,9}+|~{3,9}+)[^\n]*+(?:\n(?![ \t]*\1)[^\n]*+)*+\n[ \t]*\1", re.MULTILINE)
_NOT = r"(?:never|not|cannot|\w{2,8}n['\u2019]t|avoid)"
# Words that carry a negation on to a phrase; "do not hesitate to" and "if anyone asks:" do not.
_CARRIES = (
    r"(?:to|ever|just|simply|blindly|silently|be|try|attempt|let|allow|follow|obey|execute|accept|comply|with|any|an?|the"
    r"|pages?|texts?|files?|users?|anyone|someone|others|you|it|them|into|that|who|which|requests?|instructions?|commands?"
    r"|attempts?|asks?|asking|tells?|telling|says?|saying|tricked|made|and|or|run|running|use|using|execute|paste|type|write"
    r"|writing|put|add|copy|pipe)"
)
_ALTOGETHER = r",?\s+under\s+(?:any|no)\s+circumstances?,?"
_SO_ON = rf"(?:{_ALTOGETHER}|\s+{_CARRIES}\b){{0,9}}\s*[\"'`\u2018\u201c]{{0,2}}\Z"
_NEGATED = re.compile(rf"\b{_NOT}{_SO_ON}")
_SPOKEN_OF = re.compile(
    rf"\b(?:{_NOT}|(?<!never )(?<!not )(?<!n['\u2019]t )(?:refuse|reject|attempts?|asks?|tries)){_SO_ON}"
)


class Quotations:
    """The places of a text that are in quotation marks or code.

    >>> text = 'A 5" pipe. Beware of "obey me".'
    >>> Quotations(text).hold(22, 29), Quotations(text).hold(2, 4)
    (True, False)
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._spans = [_spans(pattern, text) for pattern in (_MARKED, _FENCED)]

    def hold(self, start: int, end: int) -> bool:
        """Whether the text from *start* to *end* is only spoken of."""
        return (
            any(starts and _within(starts, ends, start, end) for starts, ends in self._spans)
            or self._is_single(start, end)
            or bool(_SPOKEN_OF.search(_before(self._text, start)))
        )

    def _is_single(self, start: int, end: int) -> bool:
        closing = _CLOSED_BY.get(self._text[start - 1 : start])
        return closing is not None and bool(_SINGLE[closing].match(self._text, end))


def is_negated(text: str, start: int) -> bool:
    """Whether what begins at *start* is what must not be done.

    >>> [is_negated(text, len(text)) for text in ("Do not run `", "Do not hesitate to ", "Do not. ")]
    [True, False, False]
    """
    return bool(_NEGATED.search(_before(text, start)))


def in_table(text: str, start: int, end: int) -> bool:
    r"""Whether the bars between *start* and *end* part the cells of a row.

    >>> in_table("| wget x | sh |", 2, 13), in_table("| `wget x | sh` |", 3, 14)
    (True, False)
    """
    before = _before(text, start, _LONGEST_ROW)
    is_row = before.lstrip().startswith("|") and text[end : end + _LONGEST_ROW].partition("\n")[
        0
    ].rstrip().endswith("|")
    return is_row and before.count("`") % 2 == 0 and "\\|" not in text[start:end]


def _before(text: str, start: int, most: int = _LOOK_BACK) -> str:
    """Return what stands before a place on its line, at most so much: a line may be as long as the file."""
    first = max(start - most, 0)
    return text[max(text.rfind("\n", first, start) + 1, first) : start]


def _spans(pattern: re.Pattern[str], text: str) -> tuple[list[int], list[int]]:
    found: Iterator[re.Match[str]] = pattern.finditer(text)
    spans = [each.span() for each in found]
    return [start for start, _ in spans], [end for _, end in spans]


def _within(starts: list[int], ends: list[int], start: int, end: int) -> bool:
    at = bisect_right(starts, start) - 1
    return at >= 0 and ends[at] >= end
