"""When a transaction waits for the disk."""

import sqlite3
from pathlib import Path

import pytest

from caskg.errors import DamagedError
from caskg.store.database import create_database, number_hashes, open_database

NORMAL, FULL = 1, 2


def level(connection: sqlite3.Connection) -> int:
    """Return whether a commit will wait until the disk has it."""
    return int(connection.execute("PRAGMA synchronous").fetchone()[0])


def test_what_may_wait_is_written_through_with_what_may_not(tmp_path: Path) -> None:
    """The first always waits, then those that come too soon do not; another kind of write is not put off."""
    create_database(tmp_path, timeout_s=1)
    database = open_database(tmp_path, timeout_s=1)
    levels = []
    for wait_s in (60.0, 60.0, 60.0, 0.0, 60.0):
        with database.transaction(sync_every_s=wait_s) as connection:
            levels.append(level(connection))
    with database.transaction() as connection:
        levels.append(level(connection))
    database.close()
    assert levels == [FULL, NORMAL, NORMAL, FULL, NORMAL, FULL]


def test_a_transaction_that_failed_did_not_write_through(tmp_path: Path) -> None:
    """So the next one does."""
    create_database(tmp_path, timeout_s=1)
    database = open_database(tmp_path, timeout_s=1)
    with pytest.raises(DamagedError), database.transaction(sync_every_s=60.0) as connection:
        connection.execute("INSERT INTO nowhere VALUES (1)")
    with database.transaction(sync_every_s=60.0) as connection:
        assert level(connection) == FULL
    database.close()


def test_what_was_not_written_through_is_seen_by_others(tmp_path: Path) -> None:
    """It is committed: only a power cut could lose it."""
    create_database(tmp_path, timeout_s=1)
    first, second = (open_database(tmp_path, timeout_s=1) for _ in range(2))
    for value in ("a" * 32, "b" * 32):
        with first.transaction(sync_every_s=60.0) as connection:
            number_hashes(connection, [value])
    assert second.read("SELECT count(*) FROM hashes") == [(2,)]
    first.close()
    second.close()
