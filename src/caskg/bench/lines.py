"""Files of JSON lines that people write: what is wrong is named, with its file, line and field.

A reader takes a JSON value and returns what it means, or says what it must be. `field` names the field.
"""

import json
import lzma
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from caskg.errors import UsageError

Row = Mapping[str, Any]
Read = Callable[[Any], "T"]

T = TypeVar("T")

_IDENT = 'a text or a whole number, such as "boil-water" or 7'
_SHOWN = 60  # characters of a value that is refused


@contextmanager
def named(place: str) -> Iterator[None]:
    """Say where a mistake is."""
    try:
        yield
    except UsageError as error:
        msg = f"{place}: {error}"
        raise UsageError(msg) from error


def read_lines(path: Path) -> tuple[bytes, list[str]]:
    """Return what a file holds, unpacked where it ends in ``.xz``, and its lines.

    Raises:
        UsageError: It cannot be read, is damaged or no UTF-8.
    """
    try:
        data = path.read_bytes()
        data = _unpacked(data) if path.suffix == ".xz" else data
        return data, data.decode("utf-8-sig").split("\n")  # not at U+2028, which JSON allows within a text
    except OSError as error:
        msg = f"it cannot be read ({error.strerror}): name a file of JSON lines."
        raise UsageError(msg) from error
    except lzma.LZMAError as error:
        msg = f"it cannot be read ({error}): get the file anew."
        raise UsageError(msg) from error
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        msg = f"line {line}: byte {data[error.start]:#04x} is not UTF-8: save the file as UTF-8."
        raise UsageError(msg) from error


def _unpacked(data: bytes) -> bytes:
    """Unpack all streams; `lzma.decompress` would pass over what follows the last one."""
    parts = []
    while data:
        stream = lzma.LZMADecompressor()
        parts.append(stream.decompress(data))
        if not stream.eof:
            msg = "it ends in the middle"
            raise lzma.LZMAError(msg)
        data = stream.unused_data.lstrip(b"\0")  # padding
    return b"".join(parts)


def object_of(line: str) -> Row:
    """Return the object that a line holds.

    Raises:
        UsageError: It holds none, or one with a field twice, of which JSON would drop the first.
    """
    try:
        found = json.loads(line, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        msg = f"it is not JSON ({error}): write one object on one line."
        raise UsageError(msg) from error
    return mapping(found)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name, value in pairs:
        if name in fields:
            msg = f"the field {name!r} stands there twice: join the two."
            raise UsageError(msg)
        fields[name] = value
    return fields


def field(row: Row, name: str, read: Callable[[Any], T]) -> T:
    """Return what a field of a line means; one that is absent reads as null.

    Raises:
        UsageError: It is not what *read* takes; the field is named.
    """
    with named(name):
        return read(row.get(name))


def text(value: object) -> str:
    """Read a text; what stands in it for half a character, which JSON can hold, becomes a question mark."""
    return value.encode(errors="replace").decode() if isinstance(value, str) else refuse(value, "a text")


def some_text(value: object) -> str:
    """Read a text; null is an empty one."""
    return "" if value is None else text(value)


def ident(value: object) -> str:
    """Read an id or a name: a text, or a whole number, which is the same as its digits.

    >>> ident("7"), ident(7)
    ('7', '7')
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return text(value) if isinstance(value, str) and value else refuse(value, _IDENT)


def mapping(value: object) -> Row:
    """Read an object."""
    return value if isinstance(value, dict) else refuse(value, "an object")


def list_of(read: Callable[[Any], T], *, what: str) -> Callable[[Any], list[T]]:
    """Return a reader of lists; *what* says what one looks like."""

    def read_list(value: object) -> list[T]:
        entries = value if isinstance(value, list) else refuse(value, what)
        found = []
        for number, entry in enumerate(entries, start=1):
            with named(f"entry {number}"):
                found.append(read(entry))
        return found

    return read_list


def refuse(value: object, wanted: str) -> NoReturn:
    """Say what a value must be."""
    said = json.dumps(value)
    shown = said if len(said) <= _SHOWN else f"{said[:_SHOWN]}..."
    msg = f"it is missing: write {wanted}." if value is None else f"it must be {wanted}, not {shown}."
    raise UsageError(msg)
