"""Quoted values of YAML as they are read, each in its place: quotes hide nothing from a search."""

import re
from collections.abc import Iterable
from typing import NamedTuple

_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(\n[ \t]*)|(.))")
_NAMED = {"a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"} | dict.fromkeys("nrtN_LP", " ") | {"0": ""}


class Quoted(NamedTuple):
    """Where a quoted value stands in its text, and the mark that it is in."""

    start: int
    end: int
    mark: str


def unquote_all(text: str, quoted: Iterable[Quoted]) -> str:
    r"""Return a text with each quoted value as it is read; the number of lines stays what it is.

    Args:
        text: YAML.
        quoted: In order; a tag may stand before the mark.

    >>> unquote_all(r'a: "one\x20two"', [Quoted(3, 15, '"')]), unquote_all("a: 'it''s'", [Quoted(3, 10, "'")])
    ('a: one two', "a: it's")
    """
    parts, done = [], 0
    for start, end, mark in quoted:
        opening = text.index(mark, start, end)
        within = text[opening + 1 : end - 1]
        parts += [text[done:opening], _unescaped(within) if mark == '"' else within.replace("''", "'")]
        done = end
    return "".join([*parts, text[done:]])


def without_outer(entry: str) -> str:
    r"""Return an entry that is no YAML without the marks around its value.

    >>> without_outer('a: "one "two" three"\n')
    'a: one "two" three\n'
    """
    value = entry.partition(":")[2].strip()
    if not value.startswith(("'", '"')):
        return entry
    return entry.replace(value, value[1:].removesuffix(value[0]), 1)


def _unescaped(within: str) -> str:
    """Return the text of a double-quoted value; the line ends that an escape takes out come after it."""
    if "\\" not in within:
        return within
    text = _ESCAPE.sub(_character, within)
    return text + "\n" * (within.count("\n") - text.count("\n"))


def _character(escape: re.Match[str]) -> str:
    if number := escape[1] or escape[2] or escape[3]:
        character = chr(int(number, 16))
        return " " if character in "\0\r\n" or "\ud800" <= character <= "\udfff" else character
    return "" if escape[4] else _NAMED.get(escape[5], escape[5])
