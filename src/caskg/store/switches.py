"""The journal of switches: skills that a person disabled, and enabled again. It is only ever added to.

A switch belongs to an id and not to a text or a version: it holds at once for
every version, and when the skill is edited, removed and added again.
"""

from collections.abc import Iterable
from datetime import UTC, datetime

from caskg.store.database import Database, upgrade
from caskg.store.rows import checksum, raise_damaged, require_text

_THERE = "SELECT 1 FROM sqlite_master WHERE name = 'switches'"


class Switches:
    """Which skills of a workspace are disabled."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def disabled(self) -> frozenset[str]:
        """Return the ids that are switched off.

        Raises:
            DamagedError: A row is not what was written.
        """
        if not self._database.read(_THERE):  # a workspace of format 1
            return frozenset()
        rows = self._database.read("SELECT skill_id, enabled, created, checksum FROM switches ORDER BY id")
        for *values, stored in rows:
            if stored != checksum(*values):
                raise_damaged(f"the switch of {values[0]}")
        last = {skill_id: enabled for skill_id, enabled, *_ in rows}
        return frozenset(skill_id for skill_id, enabled in last.items() if not enabled)

    def disable(self, ids: Iterable[str]) -> frozenset[str]:
        """Switch *ids* off, and return those that were on.

        Raises:
            UsageError: An id cannot be stored.
            StoreError: The workspace cannot be written.
        """
        return self._switch(ids, enabled=False)

    def enable(self, ids: Iterable[str]) -> frozenset[str]:
        """Switch *ids* on, and return those that were off. Raises as `disable` does."""
        return self._switch(ids, enabled=True)

    def _switch(self, ids: Iterable[str], *, enabled: bool) -> frozenset[str]:
        named = frozenset(map(require_text, ids))
        created = datetime.now(UTC).isoformat(timespec="seconds")
        with self._database.transaction() as connection:
            upgrade(connection)
            off = self.disabled()
            changed = named & off if enabled else named - off
            rows = [(skill_id, int(enabled), created) for skill_id in sorted(changed)]
            connection.executemany(
                "INSERT INTO switches VALUES (NULL, ?, ?, ?, ?)", [(*row, checksum(*row)) for row in rows]
            )
        return changed
