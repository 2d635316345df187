"""The SQLite file of a workspace: its tables, how it is opened, and what its errors mean.

Everything that the store keeps, but for the large arrays, is in these tables:

    hashes                      every hash and digest once, numbered; the other tables hold the number
    contents, members, versions the skills of each published version
    pointer                     which version is current
    vectors                     the cache of text vectors
    questions, voices, answers  the ledger of probe answers
    substitutes, labels         what was put in a skill's place; verdicts of people and authors
    switches                    which skills a person switched off, and on again (since format 2)

SQLite does not notice a flipped bit in a row, so each row that decides
anything carries a checksum (`rows.checksum`), compared whenever it is read.
"""

import json
import math
import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from caskg.errors import BusyError, DamagedError, FormatError, NoWorkspaceError, StoreError

FILE_NAME = "caskg.sqlite"
FORMAT = 2
_OURS = (FILE_NAME, "versions", "damaged-", "unfinished-")  # how names in a workspace begin
APPLICATION_ID = 0x43614B47  # "CaKG", in the header of the file

_SINCE_2 = """
CREATE TABLE switches (
    id INTEGER PRIMARY KEY, skill_id TEXT NOT NULL, enabled INTEGER NOT NULL, created TEXT NOT NULL,
    checksum INTEGER NOT NULL
)
"""
_SINCE_1 = """
CREATE TABLE hashes (id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE);
CREATE TABLE contents (
    digest INTEGER PRIMARY KEY REFERENCES hashes, skill BLOB NOT NULL, checksum INTEGER NOT NULL
);
CREATE TABLE versions (
    number INTEGER PRIMARY KEY, created TEXT NOT NULL, n_skills INTEGER NOT NULL, n_edges INTEGER NOT NULL,
    arrays TEXT NOT NULL, meta TEXT NOT NULL, members INTEGER NOT NULL, checksum INTEGER NOT NULL
);
CREATE TABLE members (
    version INTEGER NOT NULL REFERENCES versions, position INTEGER NOT NULL, skill_id TEXT NOT NULL,
    path TEXT NOT NULL, hash INTEGER NOT NULL REFERENCES hashes,
    digest INTEGER NOT NULL REFERENCES contents, PRIMARY KEY (version, position)
) WITHOUT ROWID;
CREATE TABLE pointer (
    id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL REFERENCES versions,
    checksum INTEGER NOT NULL
);
CREATE TABLE vectors (
    fingerprint TEXT NOT NULL, hash TEXT NOT NULL, vector BLOB NOT NULL, checksum INTEGER NOT NULL,
    PRIMARY KEY (fingerprint, hash)
);
CREATE TABLE questions (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, arm TEXT NOT NULL, prompt_version TEXT NOT NULL,
    prober_id TEXT NOT NULL, UNIQUE (kind, arm, prompt_version, prober_id)
);
CREATE TABLE voices (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE answers (
    source INTEGER NOT NULL REFERENCES hashes, target INTEGER NOT NULL REFERENCES hashes,
    question INTEGER NOT NULL REFERENCES questions, substitute INTEGER NOT NULL REFERENCES hashes,
    attempt INTEGER NOT NULL, voice INTEGER NOT NULL REFERENCES voices, score REAL, missing_reason TEXT,
    calls INTEGER NOT NULL, tokens INTEGER NOT NULL, transcript TEXT, checksum INTEGER NOT NULL,
    PRIMARY KEY (source, target, question, substitute, attempt)
) WITHOUT ROWID;
CREATE TABLE substitutes (
    source INTEGER NOT NULL REFERENCES hashes, target INTEGER NOT NULL REFERENCES hashes, arm TEXT NOT NULL,
    substitute INTEGER NOT NULL REFERENCES hashes, checksum INTEGER NOT NULL,
    PRIMARY KEY (source, target, arm)
) WITHOUT ROWID;
CREATE TABLE labels (
    id INTEGER PRIMARY KEY, source TEXT NOT NULL, target TEXT NOT NULL, given_by TEXT NOT NULL,
    verdict TEXT, source_hash TEXT NOT NULL, target_hash TEXT NOT NULL, note TEXT NOT NULL,
    created TEXT NOT NULL, checksum INTEGER NOT NULL
)
"""
SCHEMAS = {1: _SINCE_1, 2: f"{_SINCE_1};{_SINCE_2}"}
"""The tables of each format, newest last. An older one is read as it stands; `upgrade` adds to it."""

Values = Sequence[str | int | float | bytes | None]

_BUSY = (BusyError, "Another process is writing to it; wait for it to end, then run this again.")
_READ_ONLY = (
    StoreError,
    "The folder or its disk is read-only, or the disk is full; make it writable, free some space, or choose "
    "another folder.",
)
_DAMAGED = (
    DamagedError,
    "Its database is damaged; restore a copy of it, or run `caskg repair`, which saves what can be read.",
)
_MEANING: dict[int, tuple[type[StoreError], str]] = {
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    sqlite3.SQLITE_PERM: _READ_ONLY,
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_CANTOPEN: _READ_ONLY,
    sqlite3.SQLITE_FULL: (
        StoreError,
        "The disk is full; what was stored before is untouched. Free some space and try again.",
    ),
    sqlite3.SQLITE_IOERR: (
        StoreError,
        "The disk did not take or give the data (full, over a quota, or failing); what was stored before is "
        "untouched. Free some space and try again.",
    ),
}


class Database:
    """One connection to the SQLite file of a workspace; may be used from several threads.

    Attributes:
        folder: The folder of the workspace.
    """

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        self.folder = folder
        self._open_connection: sqlite3.Connection | None = connection
        self._lock = threading.RLock()  # a thread must not read what another has not committed
        self._synced_s = -math.inf

    def read(self, query: str, values: Values = ()) -> list[tuple[Any, ...]]:
        """Return the rows that *query* finds."""
        with self._lock, explained(self.folder):
            return self._connection.execute(query, values).fetchall()

    @contextmanager
    def transaction(self, *, sync_every_s: float = 0.0) -> Iterator[sqlite3.Connection]:
        """Do all of the block or nothing of it, while no other process writes.

        Args:
            sync_every_s: How much a power cut may cost, in seconds: what is committed sooner after what
                was last written through to the disk waits for the next that is. No more than that:
                a process that is killed loses nothing.

        Raises:
            BusyError: Another process kept writing for longer than the time-out.
        """
        with self._lock, explained(self.folder):
            began_s = time.monotonic()
            synced = began_s - self._synced_s >= sync_every_s
            self._connection.execute(f"PRAGMA synchronous = {'FULL' if synced else 'NORMAL'}")
            self._connection.execute("BEGIN IMMEDIATE")
            with self._connection:  # commits, or rolls back on any exception
                yield self._connection
            if synced:
                self._synced_s = began_s

    def in_memory(self) -> "Database":
        """Return a copy that lives in memory: what is written to it goes with it."""
        copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        try:
            with self._lock, explained(self.folder):
                self._connection.backup(copy)
        except BaseException:
            copy.close()
            raise
        return Database(self.folder, copy)

    def close(self) -> None:
        """Close the connection; a second time does nothing."""
        if self._open_connection is not None:
            self._open_connection.close()
            self._open_connection = None

    @property
    def _connection(self) -> sqlite3.Connection:
        if self._open_connection is None:
            msg = f"The workspace {self.folder} has been closed: open it again to read from it."
            raise StoreError(msg)
        return self._open_connection


def create_database(folder: Path, *, timeout_s: float) -> None:
    """Write the empty tables into *folder*; do nothing where they are.

    May be killed at any moment and run by several processes at once.
    """
    with explained(folder):
        connection = _connect(folder, "mode=rwc", timeout_s=timeout_s)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("BEGIN IMMEDIATE")
            with connection:
                if _number(connection, "application_id") == 0:
                    for statement in SCHEMAS[FORMAT].split(";"):
                        connection.execute(statement)
                    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                    connection.execute(f"PRAGMA user_version = {FORMAT}")
        finally:
            connection.close()


def open_database(folder: Path, *, timeout_s: float) -> Database:
    """Connect to the file in *folder* after a cheap check: header, format number and table definitions.

    Raises:
        NoWorkspaceError: Its creation was interrupted.
        FormatError: A newer CaSKG wrote it.
        DamagedError: It is no database, or not one of ours.
        BusyError: Another process kept it locked for longer than *timeout_s*.
        StoreError: It cannot be read.
    """
    with explained(folder):
        connection = _connect_to_existing(folder, timeout_s=timeout_s)
        try:
            _check_header(folder, connection)
        except BaseException:
            connection.close()
            raise
    return Database(folder, connection)


@contextmanager
def explained(folder: Path) -> Iterator[None]:
    """Turn the errors of SQLite and of the file system into our own, with cause and remedy."""
    try:
        yield
    except (sqlite3.ProgrammingError, sqlite3.InterfaceError):
        raise  # a mistake in this program: its traceback is wanted
    except (sqlite3.Error, UnicodeDecodeError) as error:
        # Extended codes keep the kind of error in their low byte. An error without
        # a code is the sqlite3 module's own: text, or a message, that is no longer UTF-8.
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
        kind, remedy = _MEANING.get(code, _DAMAGED)
        msg = f"Cannot use the workspace {folder} ({error}). {remedy}"
        raise kind(msg) from error
    except OSError as error:
        msg = (
            f"Cannot use the workspace {folder} ({error.strerror or error}: {error.filename or 'disk'}). "
            "What was stored before is untouched; check free space, permissions and whether the disk is "
            "read-only."
        )
        raise StoreError(msg) from error


def check_for_loss(folder: Path) -> None:
    """Refuse a folder that had a database: one without is made anew, and nobody would miss the old one.

    Raises:
        DamagedError: There are arrays of versions, or what a repair put aside, and nothing that is not ours.
    """
    if not folder.is_dir():
        return
    left = any(folder.glob("versions/[0-9]*/*.npy")) or any(folder.glob(f"damaged-[0-9]*/{FILE_NAME}"))
    if left and all(entry.name.startswith(_OURS) for entry in folder.iterdir()):
        msg = (
            f"The workspace {folder} has lost its database, {FILE_NAME}, with all answers and labels; only "
            "other files are left. Restore a copy of that file, or run `caskg repair` to go on without it."
        )
        raise DamagedError(msg)


def number_hashes(connection: sqlite3.Connection, hashes: Iterable[str]) -> dict[str, int]:
    """Return the number of each hash, giving numbers to new ones."""
    wanted = json_list(sorted(hashes))  # sorted: equal input, equal file
    connection.execute("INSERT OR IGNORE INTO hashes (hash) SELECT value FROM json_each(?)", (wanted,))
    found = "SELECT hash, id FROM hashes WHERE hash IN (SELECT value FROM json_each(?))"
    return dict(connection.execute(found, (wanted,)))


def upgrade(connection: sqlite3.Connection) -> None:
    """Add the tables that an older format lacks, within the transaction of the caller."""
    if _number(connection, "user_version") < FORMAT:
        connection.execute(_SINCE_2)
        connection.execute(f"PRAGMA user_version = {FORMAT}")


def json_list(values: Iterable[str]) -> str:
    """Return *values* as one parameter for ``IN (SELECT value FROM json_each(?))``."""
    return json.dumps(list(values))


def _connect(folder: Path, mode: str, *, timeout_s: float) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{(folder / FILE_NAME).as_uri()}?{mode}",
        uri=True,
        timeout=timeout_s,
        isolation_level=None,  # transactions begin where we say so
        check_same_thread=False,
    )
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = FULL")  # a commit survives a power cut
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()  # the first access to the file
    except BaseException:
        connection.close()
        raise
    return connection


def _connect_to_existing(folder: Path, *, timeout_s: float) -> sqlite3.Connection:
    try:
        return _connect(folder, "mode=rw", timeout_s=timeout_s)
    except sqlite3.OperationalError as error:
        # WAL needs to write beside the file even to read it. On a disk that is read-only or full nobody
        # can change the file, so it may be read as it stands, unless a log waits to be merged.
        log = folder / f"{FILE_NAME}-wal"
        full = error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL)
        if (os.access(folder, os.W_OK) and not full) or (log.exists() and log.stat().st_size):
            raise
    return _connect(folder, "mode=ro&immutable=1", timeout_s=timeout_s)


def _check_header(folder: Path, connection: sqlite3.Connection) -> None:
    with connection:
        connection.execute("BEGIN")  # all three as of one moment, though another process may be upgrading
        application_id = _number(connection, "application_id")
        written_format = _number(connection, "user_version")
        tables = _tables(connection)
    if application_id == 0 and not tables:
        check_for_loss(folder)
        msg = f"The workspace {folder} was never finished: run `caskg build` to make it anew."
        raise NoWorkspaceError(msg)
    if application_id == APPLICATION_ID and written_format > FORMAT:
        msg = (
            f"The workspace {folder} has format {written_format}, and this CaSKG reads up to {FORMAT}: "
            "upgrade CaSKG, or choose another folder."
        )
        raise FormatError(msg)
    if application_id != APPLICATION_ID or tables != _expected_tables(written_format):
        msg = (
            f"{folder / FILE_NAME} is damaged, or not a database of CaSKG: "
            "restore a copy of it, run `caskg repair` to save what can be read, or choose another folder."
        )
        raise DamagedError(msg)


def has_our_tables(connection: sqlite3.Connection) -> bool:
    """Return whether the tables are, to the letter, those of a format that this CaSKG knows."""
    tables = _tables(connection)
    return any(tables == _expected_tables(known) for known in SCHEMAS)


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])


def _tables(connection: sqlite3.Connection) -> set[tuple[Any, ...]]:
    return set(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"))


def _expected_tables(written_format: int) -> set[tuple[Any, ...]]:
    """Return the tables of a format; none for a number that is no format."""
    empty = sqlite3.connect(":memory:")
    try:
        empty.executescript(SCHEMAS.get(written_format, ""))
        return _tables(empty)
    finally:
        empty.close()
