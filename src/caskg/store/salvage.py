"""Mending a workspace whose database is damaged or gone: what can be read is carried into a new one.

What was paid for (answers, vectors) and what people said (labels, switches) is
taken over row by row, where its checksum fits; versions are built anew. The old
files are put aside and never removed:

    damaged-<number>/   the database and the arrays as they were found
"""

import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from caskg.errors import DamagedError
from caskg.schema import ProbeAnswer, ProbeKey, ProbeKind
from caskg.store.arrays import sync_folder
from caskg.store.database import (
    FILE_NAME,
    Database,
    create_database,
    explained,
    has_our_tables,
    open_database,
)
from caskg.store.ledger import Ledger
from caskg.store.rows import Row, checksum, unpack_answer, unpack_version
from caskg.store.workspace import Workspace

_ASIDE = "damaged-"
_WORK = "unfinished-repair"
_LOG = f"{FILE_NAME}-wal"
_PAGE = 4096  # bytes, what SQLite makes where it is not told otherwise
_UNREADABLE = (sqlite3.DatabaseError, UnicodeDecodeError)  # the latter from messages that quote damage
_KEYS = {
    "hashes": ("id",),
    "questions": ("id",),
    "voices": ("id",),
    "versions": ("number",),
    "labels": ("id",),
    "switches": ("id",),
    "vectors": ("fingerprint", "hash"),
    "answers": ("source", "target", "question", "substitute", "attempt"),
    "substitutes": ("source", "target", "arm"),
}
"""What is read, and in which order."""


class _Rows(NamedTuple):
    """The rows that could be read of a table, and whether these are all of them."""

    rows: list[Row]
    whole: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Salvage:
    """What `repair` did.

    Attributes:
        aside: Where the old files are.
        saved: How many rows were taken over, by table.
        lost: How many were read but are not what was written, by table.
        torn: Tables of which a part, or all, could not be read.
        meta: What the last version that is still known said of itself; empty where there is none.
    """

    aside: Path
    saved: Mapping[str, int]
    lost: Mapping[str, int]
    torn: tuple[str, ...]
    meta: Mapping[str, Any]


def repair(folder: Path, *, timeout_s: float = 30.0) -> Salvage | None:
    """Give the workspace in *folder* a new database with all that can be read of the old one.

    Returns:
        What was done; None if the records are sound, and nothing was.

    Raises:
        NoWorkspaceError: There is none.
        FormatError: A newer CaSKG wrote it.
        BusyError: Another process is writing to it.
        StoreError: There is no room, or the folder cannot be written; nothing was changed.
    """
    folder = folder.absolute()
    try:
        with Workspace.open(folder, timeout_s=timeout_s) as workspace:
            workspace.verify_records()
    except DamagedError:
        with explained(folder):
            return _mend(folder, timeout_s=timeout_s)
    return None


def _mend(folder: Path, *, timeout_s: float) -> Salvage:
    work, aside = folder / _WORK, _free_name(folder)
    shutil.rmtree(work, ignore_errors=True)
    aside.mkdir()
    try:
        _copy_database(folder, aside)
        (work / "old").mkdir(parents=True)
        _copy_database(folder, work / "old")
        create_database(work, timeout_s=timeout_s)
        with closing(open_database(work, timeout_s=timeout_s)) as new:
            tables = _read_tables(work / "old")
            saved = _carry_over(tables, new)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        shutil.rmtree(work, ignore_errors=True)
        raise
    _exchange(folder, aside=aside, work=work)
    return Salvage(
        aside=aside,
        saved=saved,
        lost={name: len(tables[name].rows) - count for name, count in saved.items()},
        torn=tuple(name for name, table in tables.items() if not table.whole),
        meta=_last_meta(tables["versions"].rows),
    )


def _free_name(folder: Path) -> Path:
    number = 1
    while (folder / f"{_ASIDE}{number}").exists():
        number += 1
    return folder / f"{_ASIDE}{number}"


def _copy_database(folder: Path, to: Path) -> None:
    for name in (FILE_NAME, _LOG):
        if (folder / name).is_file():
            shutil.copy2(folder / name, to / name)


def _exchange(folder: Path, *, aside: Path, work: Path) -> None:
    """Put the new database in the place of the old one; *aside* holds a copy of that."""
    if (folder / "versions").is_dir():
        (folder / "versions").rename(aside / "versions")
    for name in (_LOG, f"{FILE_NAME}-shm"):  # the log of the old file would be merged into the new one
        (folder / name).unlink(missing_ok=True)
    (work / FILE_NAME).replace(folder / FILE_NAME)
    sync_folder(folder)
    shutil.rmtree(work, ignore_errors=True)


# ---------------------------------------------------------------- out of the old file


def _read_tables(old: Path) -> dict[str, _Rows]:
    """Return what can be read of each table."""
    file = old / FILE_NAME
    if not file.is_file() or not file.stat().st_size:
        return dict.fromkeys(_KEYS, _Rows([], whole=False))
    _mend_first_page(file)
    with closing(sqlite3.connect(file)) as connection:
        connection.text_factory = lambda data: data.decode(errors="replace")  # the checksum tells
        return {name: _read_table(connection, name, key) for name, key in _KEYS.items()}


def _mend_first_page(file: Path) -> None:
    """Put the first page of a new database in the place of one that lists other tables, or none.

    It holds the header and the list of tables. SQLite gives equal tables equal places, so the new
    page fits; where it does not, no checksum will.
    """
    try:
        with closing(sqlite3.connect(file)) as connection:
            if has_our_tables(connection):
                return
    except _UNREADABLE:
        pass
    empty = (file.parent.parent / FILE_NAME).read_bytes()
    size = max(len(empty), file.stat().st_size // _PAGE * _PAGE)
    with file.open("r+b") as stream:
        stream.write(empty[:28] + (size // _PAGE).to_bytes(4, "big") + empty[32:_PAGE])  # the number of pages
        stream.truncate(size)  # where the file was cut, the tables that are gone read as damaged


def _read_table(connection: sqlite3.Connection, name: str, key: Sequence[str]) -> _Rows:
    """Read a table from both ends, so that a damaged page in its middle costs no more than that page."""
    upwards, whole = _read_until_damage(connection, name, ", ".join(key))
    if whole:
        return _Rows(upwards, whole=True)
    downwards, _ = _read_until_damage(connection, name, ", ".join(f"{column} DESC" for column in key))
    return _Rows(list(dict.fromkeys([*upwards, *reversed(downwards)])), whole=False)


def _read_until_damage(connection: sqlite3.Connection, name: str, order: str) -> tuple[list[Row], bool]:
    rows: list[Row] = []
    try:
        for row in connection.execute(f"SELECT * FROM {name} ORDER BY {order}"):
            rows.append(row)  # what came before an error counts
    except _UNREADABLE:
        return rows, False
    return rows, True


# ---------------------------------------------------------------- into the new one


def _carry_over(tables: Mapping[str, _Rows], new: Database) -> dict[str, int]:
    """Write what is sound, and return how many rows of each table that is."""
    saved = {}
    for name in ("labels", "switches", "vectors"):
        sound = [row for row in tables[name].rows if _is_sound(name, row)]
        with new.transaction() as connection:
            for row in sound:
                connection.execute(f"INSERT INTO {name} VALUES ({', '.join('?' * len(row))})", row)
        saved[name] = len(sound)
    hashes = _named(tables["hashes"].rows)
    ledger = Ledger(new)
    saved["answers"] = ledger.record(_answers(tables, hashes))
    chosen = dict(_substitutes(tables["substitutes"].rows, hashes))
    ledger.record_substitutes(chosen)
    saved["substitutes"] = len(chosen)
    return saved


def _is_sound(name: str, row: Row) -> bool:
    if name == "vectors":
        fingerprint, text, vector, stored = row
        return bool(stored == checksum(fingerprint, text, data=vector))
    return bool(row[-1] == checksum(*row[1:-1]))  # without the number of the entry


def _answers(
    tables: Mapping[str, _Rows], hashes: Mapping[int, str]
) -> Iterator[tuple[ProbeKey, ProbeAnswer]]:
    kinds = {kind.value: kind for kind in ProbeKind}
    questions: dict[int, tuple[Any, ...]] = {
        number: (kinds.get(kind), *map(str, rest)) for number, kind, *rest in tables["questions"].rows
    }
    voices = _named(tables["voices"].rows)
    for source, target, question, substitute, _attempt, voice, *row in tables["answers"].rows:
        asked = questions.get(question, (None,))
        key: tuple[Any, ...] = hashes.get(source), hashes.get(target), hashes.get(substitute), *asked
        if None not in key and voice in voices:
            with suppress(DamagedError):
                yield ProbeKey(*key), unpack_answer(ProbeKey(*key), voices[voice], row)


def _substitutes(
    rows: Sequence[Row], hashes: Mapping[int, str]
) -> Iterator[tuple[tuple[str, str, str], str]]:
    for source, target, arm, substitute, stored in rows:
        named = hashes.get(source, ""), hashes.get(target, ""), str(arm), hashes.get(substitute, "")
        if stored == checksum(*named):
            yield named[:3], named[3]


def _named(rows: Sequence[Row]) -> dict[int, str]:
    return {number: str(name) for number, name in rows}


def _last_meta(versions: Sequence[Row]) -> Mapping[str, Any]:
    for row in reversed(versions):
        with suppress(DamagedError):
            return unpack_version(row, current=False).meta
    return {}
