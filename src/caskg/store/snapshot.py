"""One published version as its readers see it.

Nothing that a snapshot reads is changed or removed by a later publish or
rollback, so a reader keeps the version it opened. Skills and arrays are read
when they are asked for.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, overload

from caskg.schema import Skill
from caskg.store.arrays import StoredArrays
from caskg.store.database import Database, explained, json_list
from caskg.store.rows import Member, Row, VersionInfo, members_checksum, raise_damaged, unpack_skill
from caskg.store.switches import Switches

_BULK = 256  # skills that an iteration reads at once
_LOST: Row = (b"", None)

CONTENTS = (
    "SELECT hash, skill, checksum FROM contents JOIN hashes ON id = digest "
    "WHERE hash IN (SELECT value FROM json_each(?))"
)
"""The stored contents of a list of digests: digest, content, checksum."""


class StoredSkills(Sequence[Skill]):
    """The skills of a version by position; each is read when asked for, an iteration reads in bulk.

    Reading raises `DamagedError` where the content of a skill is missing or not what was written.
    """

    def __init__(self, database: Database, members: Sequence[Member]) -> None:
        self._database = database
        self._members = members

    def __len__(self) -> int:
        return len(self._members)

    @overload
    def __getitem__(self, index: int) -> Skill: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Skill, ...]: ...
    def __getitem__(self, index: int | slice) -> Skill | tuple[Skill, ...]:
        if isinstance(index, slice):
            return self._read(self._members[index])
        return self._read([self._members[index]])[0]

    def read(self, positions: Sequence[int]) -> tuple[Skill, ...]:
        """Return the skills at *positions*, in order, read at once."""
        return self._read([self._members[at] for at in positions])

    def __iter__(self) -> Iterator[Skill]:
        for start in range(0, len(self), _BULK):
            yield from self._read(self._members[start : start + _BULK])

    def _read(self, members: Sequence[Member]) -> tuple[Skill, ...]:
        rows = self._database.read(CONTENTS, (json_list(member.digest for member in members),))
        contents = {digest: row for digest, *row in rows}
        return tuple(unpack_skill(contents.get(member.digest, _LOST), member) for member in members)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Snapshot:
    """A published version.

    Attributes:
        number: Its number.
        created: When it was published, UTC.
        meta: What the publisher wrote beside it, as JSON.
        ids: Ids of its skills, by position.
        content_hashes: Their content hashes, by position.
        skills: The skills, read when asked for, as long as the workspace is open.
        arrays: The arrays by name, mapped into memory when asked for.
        folder: The folder of the workspace.
        switches: Which skills a person disabled, as of the moment when they are asked.
    """

    number: int
    created: datetime
    meta: Mapping[str, Any]
    ids: tuple[str, ...]
    content_hashes: tuple[str, ...]
    skills: StoredSkills
    arrays: StoredArrays
    folder: Path
    switches: Switches

    def verify(self) -> None:
        """Read everything and compare it with its checksums.

        Raises:
            DamagedError: A file or a skill is not what was written; the message names it.
        """
        with explained(self.folder):
            self.arrays.verify()
        for _ in self.skills:
            pass


def open_snapshot(database: Database, version: VersionInfo) -> Snapshot:
    """Return *version* after a cheap check of what it needs: its list of skills and its files.

    Raises:
        DamagedError: The list is not what was written, or a file is missing or was cut.
    """
    rows = database.read(
        "SELECT skill_id, path, h.hash, d.hash FROM members LEFT JOIN hashes h ON h.id = members.hash "
        "LEFT JOIN hashes d ON d.id = members.digest WHERE version = ? ORDER BY position",
        (version.number,),
    )
    members = [Member(*row) for row in rows]
    if members_checksum(members) != version.members_checksum:
        raise_damaged(f"the list of skills of version {version.number}")
    with explained(database.folder):
        arrays = StoredArrays(version_folder(database.folder, version.number), version.arrays)
    return Snapshot(
        number=version.number,
        created=version.created,
        meta=version.meta,
        ids=tuple(member.skill_id for member in members),
        content_hashes=tuple(member.content_hash for member in members),
        skills=StoredSkills(database, members),
        arrays=arrays,
        folder=database.folder,
        switches=Switches(database),
    )


def version_folder(folder: Path, number: int) -> Path:
    """Return where the arrays of version *number* are."""
    return folder / "versions" / str(number)
