"""The workspace: a folder that holds every published version, and what was learnt on the way.

    caskg.sqlite         skills, versions, vectors, the ledger of answers and labels
    versions/<number>/   the arrays of a version, as .npy files

Publishing is one transaction that ends by moving a pointer. A process killed
at any moment leaves the version that was current; what it had begun is removed
by the next publish. Writers wait for one another, readers for nobody.

>>> import tempfile
>>> import numpy as np
>>> with tempfile.TemporaryDirectory() as folder, Workspace.create(f"{folder}/kitchen") as workspace:
...     first = workspace.publish(skills=[], arrays={"weight": np.array([0.5, 0.25])}, meta={"n_edges": 2})
...     second = workspace.publish(skills=[], arrays={}, meta={})
...     weight = workspace.snapshot(1).arrays["weight"].tolist()
...     weight, workspace.rollback().number, workspace.current().number
([0.5, 0.25], 1, 1)
"""

import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Self, overload

from caskg.errors import NoVersionError, NoWorkspaceError, StoreError, UsageError
from caskg.schema import Skill
from caskg.store.arrays import Array, check_arrays, remove_orphans, write_arrays
from caskg.store.database import (
    FILE_NAME,
    Database,
    check_for_loss,
    create_database,
    explained,
    json_list,
    number_hashes,
    open_database,
)
from caskg.store.ledger import Ledger
from caskg.store.rows import (
    Member,
    VersionInfo,
    checksum,
    content_row,
    count_edges,
    is_sound,
    members_checksum,
    pack_arrays,
    pack_meta,
    pack_skill,
    raise_damaged,
    require_hashes,
    require_text,
    unpack_version,
    version_row,
)
from caskg.store.snapshot import CONTENTS, Snapshot, open_snapshot, version_folder
from caskg.store.switches import Switches
from caskg.store.vectors import StoredVectors

_BULK = 256  # skills that are stored at once


class Workspace:
    """An open workspace; close it, or use it in a ``with`` statement.

    Attributes:
        path: Its folder, absolute.
        ledger: The record of probe answers and labels.
        switches: Which skills a person switched off.
        vectors: The cache of text vectors.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.path = database.folder
        self.ledger = Ledger(database)
        self.switches = Switches(database)
        self.vectors = StoredVectors(database)

    @classmethod
    def create(cls, path: str | Path, *, timeout_s: float = 30.0) -> Self:
        """Make a workspace in a new or empty folder.

        Raises:
            StoreError: There is a workspace already, or other files, or the folder cannot be written.
        """
        try:
            cls.open(path, timeout_s=timeout_s).close()
        except NoWorkspaceError:
            return cls.open_or_create(path, timeout_s=timeout_s)
        msg = f"{path} holds a workspace already: open it, or choose another folder."
        raise StoreError(msg)

    @classmethod
    def open(cls, path: str | Path, *, timeout_s: float = 30.0) -> Self:
        """Open the workspace at *path*, for reading only where its disk is read-only.

        Args:
            path: Its folder.
            timeout_s: Seconds that a write waits for another process that is writing.

        Raises:
            NoWorkspaceError: There is none.
            FormatError: A newer CaSKG wrote it.
            DamagedError: Its database is not what was written.
            StoreError: It cannot be read.
        """
        folder = _folder(path)
        with explained(folder):
            if not (folder / FILE_NAME).is_file():
                check_for_loss(folder)
                msg = f"There is no workspace at {folder}: run `caskg build` first, or name another folder."
                raise NoWorkspaceError(msg)
        return cls(open_database(folder, timeout_s=timeout_s))

    @classmethod
    def open_or_create(cls, path: str | Path, *, timeout_s: float = 30.0) -> Self:
        """Open the workspace at *path*, and make it first where there is none. Raises as both do."""
        try:
            return cls.open(path, timeout_s=timeout_s)
        except NoWorkspaceError:
            folder = _folder(path)
        with explained(folder):
            folder.mkdir(parents=True, exist_ok=True)
            names = {entry.name for entry in folder.iterdir()}
        if names and FILE_NAME not in names:  # with that file there, a process was killed while creating it
            msg = f"{folder} holds other files, such as {min(names)!r}: choose a new or empty folder."
            raise StoreError(msg)
        create_database(folder, timeout_s=timeout_s)
        return cls.open(folder, timeout_s=timeout_s)

    def draft(self) -> Self:
        """Return a copy to plan with: what is written to it is gone when it is closed.

        Publish nothing from it: arrays would go where those of the workspace are.
        """
        return type(self)(self._database.in_memory())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the workspace. Arrays that were read stay mapped; skills can no longer be read."""
        self._database.close()

    @overload
    def publish(
        self, *, skills: Sequence[Skill], arrays: Mapping[str, Array], meta: Mapping[str, Any]
    ) -> VersionInfo: ...

    @overload
    def publish(
        self,
        *,
        skills: Sequence[Skill],
        arrays: Mapping[str, Array],
        meta: Mapping[str, Any],
        unless: Callable[[], bool],
    ) -> VersionInfo | None: ...

    def publish(
        self,
        *,
        skills: Sequence[Skill],
        arrays: Mapping[str, Array],
        meta: Mapping[str, Any],
        unless: Callable[[], bool] = lambda: False,
    ) -> VersionInfo | None:
        """Store a new version and make it the current one: all of it, or nothing.

        Args:
            skills: The library, in the order that the arrays count.
            arrays: Numbers or fixed-width text, by a name of ``a-z``, ``0-9``, ``_``, ``-`` and dots.
            meta: Anything else that JSON can express; ``n_edges`` is shown in the list of versions.
            unless: Asked when no other process can publish any more; where it is true, nothing is stored.

        Returns:
            The new version; None where nothing was stored.

        Raises:
            UsageError: Two skills have one id, or something cannot be stored.
            BusyError: Another process kept writing for longer than the time-out.
            StoreError: The disk is full or read-only; everything is as it was.
        """
        check_arrays(arrays)
        _check_skills(skills)
        packed_meta = pack_meta(meta)
        with self._database.transaction() as connection:
            if unless():
                return None
            known = self._numbers()
            number = max(known, default=0) + 1
            folder = version_folder(self.path, number)
            remove_orphans(folder.parent, known=known)
            try:
                files = pack_arrays(write_arrays(folder, arrays))
                members = _insert_contents(connection, skills)
                created = datetime.now(UTC).isoformat(timespec="seconds")
                facts = (len(members), count_edges(meta), files, packed_meta, members_checksum(members))
                row = version_row((number, created, *facts))
                connection.execute("INSERT INTO versions VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
                _insert_members(connection, number, members)
                _point_to(connection, number)
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise
        return unpack_version(row, current=True)

    def versions(self) -> tuple[VersionInfo, ...]:
        """Return every published version, oldest first."""
        current = self._current_number()
        rows = self._database.read("SELECT * FROM versions ORDER BY number")
        return tuple(unpack_version(row, current=row[0] == current) for row in rows)

    def current(self) -> Snapshot:
        """Return the current version. Raises as `snapshot` does."""
        return self.snapshot(self._published_number())

    def snapshot(self, number: int) -> Snapshot:
        """Return version *number*.

        Raises:
            NoVersionError: There is no such version.
            DamagedError: A part of it is missing, was cut, or is not what was written.
        """
        numbers = self._numbers()
        if number not in numbers:  # asked here, since SQLite takes no number beyond 64 bits
            known = ", ".join(map(str, numbers)) or "none yet"
            msg = f"There is no version {number} in {self.path}. Known versions: {known}."
            raise NoVersionError(msg)
        (row,) = self._database.read("SELECT * FROM versions WHERE number = ?", (number,))
        return open_snapshot(self._database, unpack_version(row, current=False))

    def rollback(self, number: int | None = None) -> Snapshot:
        """Make version *number* the current one, by default the one published before the current.

        Nothing is removed: a later version can be made current again in the same way.

        Raises:
            NoVersionError: There is no such version.
            DamagedError: That version is damaged, which the message names; the current one stays.
        """
        with self._database.transaction() as connection:
            snapshot = self.snapshot(self._previous_number() if number is None else number)
            snapshot.verify()
            _point_to(connection, snapshot.number)
        return snapshot

    def verify(self) -> None:
        """Read everything there is and compare it with its checksums.

        Raises:
            DamagedError: Something is not what was written; the message names it.
        """
        self.verify_records()
        for version in self.versions():
            open_snapshot(self._database, version).verify()

    def verify_records(self) -> None:
        """Check what a build cannot make anew: the file itself, versions, answers, labels, switches.

        Raises:
            DamagedError: Something is not what was written; the message names it.
        """
        for check in ("PRAGMA integrity_check(1)", "PRAGMA foreign_key_check"):
            findings = self._database.read(check)
            if findings not in ([], [("ok",)]):
                raise_damaged(f"the file itself ({findings[0][0]})")
        self.versions()
        self.ledger.verify()
        self.switches.disabled()

    def _numbers(self) -> list[int]:
        return [number for (number,) in self._database.read("SELECT number FROM versions ORDER BY number")]

    def _current_number(self) -> int | None:
        rows = self._database.read("SELECT version, checksum FROM pointer")
        if not rows:
            return None
        number, stored = rows[0]
        if stored != checksum(number):
            raise_damaged("the number of the current version")
        return int(number)

    def _published_number(self) -> int:
        number = self._current_number()
        if number is None:
            msg = f"Nothing has been published in {self.path} yet: run `caskg build`."
            raise NoVersionError(msg)
        return number

    def _previous_number(self) -> int:
        current = self._published_number()
        earlier = [number for number in self._numbers() if number < current]
        if not earlier:
            msg = f"Version {current} is the first one in {self.path}: there is none to go back to."
            raise NoVersionError(msg)
        return earlier[-1]


def _folder(path: str | Path) -> Path:
    folder = Path(path).absolute()
    with explained(folder):
        if folder.exists() and not folder.is_dir():
            msg = f"{folder} is a file: choose a folder for the workspace."
            raise StoreError(msg)
    return folder


def _check_skills(skills: Iterable[Skill]) -> None:
    named = [(require_text(skill.id), skill.content_hash) for skill in skills]
    for skill_id, count in Counter(skill_id for skill_id, _ in named).items():
        if count > 1:
            msg = f"{count} skills have the id {skill_id!r}: ids must differ."
            raise UsageError(msg)
    require_hashes({content_hash for _, content_hash in named})


def _insert_contents(connection: sqlite3.Connection, skills: Iterable[Skill]) -> list[Member]:
    """Store what is not stored yet, or is damaged, and return the members in order."""
    members: list[Member] = []
    rest = iter(skills)
    while chunk := [pack_skill(skill) for skill in islice(rest, _BULK)]:
        contents = {member.digest: content for member, content in chunk}
        stored = connection.execute(CONTENTS, (json_list(contents),))
        sound = {digest for digest, *row in stored if is_sound(digest, row)}
        numbers = number_hashes(connection, contents)
        connection.executemany(
            "INSERT INTO contents VALUES (?, ?, ?) "
            "ON CONFLICT (digest) DO UPDATE SET skill = excluded.skill, checksum = excluded.checksum",
            [
                (numbers[digest], *content_row(digest, content))
                for digest, content in contents.items()
                if digest not in sound
            ],
        )
        members += [member for member, _ in chunk]
    return members


def _insert_members(connection: sqlite3.Connection, version: int, members: Sequence[Member]) -> None:
    numbers = number_hashes(connection, {value for member in members for value in member[2:]})
    connection.executemany(
        "INSERT INTO members VALUES (?, ?, ?, ?, ?, ?)",
        (
            (version, position, *member[:2], numbers[member.content_hash], numbers[member.digest])
            for position, member in enumerate(members)
        ),
    )


def _point_to(connection: sqlite3.Connection, number: int) -> None:
    connection.execute("INSERT OR REPLACE INTO pointer VALUES (1, ?, ?)", (number, checksum(number)))
