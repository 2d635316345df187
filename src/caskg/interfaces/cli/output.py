"""How results leave a command: one JSON document for programs, or lines for people.

Names, descriptions, ids and paths are strangers' texts. What could drive a terminal, turn
text around or feign a line of ours is written as an escape: here, and nowhere else.
"""

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import click

from caskg.errors import CaskgError

UNSEEN = r"\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f"
"""As in a regular expression: C1 controls, bidi controls, line separators, surrogates, invisible tags."""

_IN_LINE = re.compile(rf"[\x00-\x08\n-\x1f{UNSEEN}]")
_IN_JSON = re.compile(rf"[{UNSEEN}]")  # the others JSON escapes by itself


def emit(document: dict[str, Any], *, as_json: bool, lines: Iterable[str]) -> None:
    """Print the result: the document as JSON, or the *lines* that say the same to people."""
    if as_json:
        write(json_text(document))
        return
    text = "\n".join(map(printable, lines))
    with _stdout():
        click.echo(text)


def write(text: str) -> None:
    """Print a document in a format of programs; these are UTF-8 whatever the terminal."""
    with _stdout():
        click.echo(text.encode())


def say(line: str) -> None:
    """Print a line on standard error; where nobody reads that, nothing is lost."""
    with suppress(OSError):
        click.echo(printable(line), err=True)


def json_text(document: dict[str, Any]) -> str:
    r"""Return the document as JSON in which nothing invisible is left unescaped.

    >>> print(json_text({"name": "\x1b[2J 木 \u202e"}))
    {
      "name": "\u001b[2J 木 \u202e"
    }
    """
    text = json.dumps(document, ensure_ascii=False, indent=2)
    return _IN_JSON.sub(lambda found: json.dumps(found[0])[1:-1], text)


def printable(line: str) -> str:
    r"""Return *line* with everything that a terminal would obey, or not show, as an escape.

    >>> print(printable("\x1b[31mred\n2. forged \u202etxt"))
    \x1b[31mred\n2. forged \u202etxt
    """
    return _IN_LINE.sub(lambda found: ascii(found[0])[1:-1], line)


def one_line(text: str, *, limit: int = 100) -> str:
    r"""Return *text* on one line, cut at *limit* characters.

    >>> one_line("two\nlines", limit=6)
    'two l…'
    """
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"


def columns(rows: Sequence[Sequence[str]], *, indent: str = "") -> list[str]:
    """Return *rows* as lines, each column as wide as its longest cell.

    >>> columns([("a", "1"), ("long", "2")])
    ['a     1', 'long  2']
    """
    shown = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    return [
        indent + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in shown
    ]


@contextmanager
def _stdout() -> Iterator[None]:
    """Stop quietly where the reader went away (``caskg graph | head``); say so where writing fails."""
    try:
        yield
    except OSError as error:
        # What is still in the buffer must not be tried again when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            raise click.exceptions.Exit(0) from error
        msg = f"Cannot write to standard output ({error.strerror}): free some space, or write elsewhere."
        raise CaskgError(msg) from error
