"""A switch outlives versions, and workspaces of the older format get theirs when one is first set."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from caskg.errors import DamagedError, StoreError, UsageError
from caskg.store.workspace import Workspace
from factories import make_skill

TEA = make_skill("kitchen/tea", "Make tea.")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A workspace of today's format with one version; closed."""
    with Workspace.create(tmp_path / "workspace") as workspace:
        workspace.publish(skills=[TEA], arrays={}, meta={})
    return tmp_path / "workspace"


def change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path / "caskg.sqlite")) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()


def older(path: Path) -> Path:
    """Make it what a CaSKG without switches wrote."""
    change(path, "DROP TABLE switches", "PRAGMA user_version = 1")
    return path


def test_what_is_disabled_stays_so_until_it_is_enabled(path: Path) -> None:
    """By id, whatever is published in between, and in the next process."""
    with Workspace.open(path) as workspace:
        assert workspace.switches.disabled() == frozenset()
        assert workspace.switches.disable(["kitchen/tea", "gone", "odd"]) == {"kitchen/tea", "gone", "odd"}
        workspace.publish(skills=[], arrays={}, meta={})
        assert workspace.switches.enable(["odd"]) == {"odd"}
    with Workspace.open(path) as workspace:
        assert workspace.switches.disabled() == {"kitchen/tea", "gone"}
        assert workspace.switches.enable(["kitchen/tea", "gone"]) == {"kitchen/tea", "gone"}
        assert workspace.switches.disabled() == frozenset()


def test_only_changes_are_returned_and_written(path: Path) -> None:
    """The journal grows with what people do, not with how often they say it."""
    with Workspace.open(path) as workspace:
        assert workspace.switches.enable(["a"]) == frozenset()
        assert workspace.switches.disable(["a", "b"]) == {"a", "b"}
        assert workspace.switches.disable(iter(["a", "c"])) == {"c"}
        assert workspace.switches.enable(["a", "d"]) == {"a"}
    with closing(sqlite3.connect(path / "caskg.sqlite")) as database:
        rows = list(database.execute("SELECT skill_id, enabled FROM switches ORDER BY id"))
    assert rows == [("a", 0), ("b", 0), ("c", 0), ("a", 1)]


def test_an_older_workspace_is_read_as_it_stands(path: Path) -> None:
    """Reading must not write: the disk may be read-only, and the older program still in use."""
    with Workspace.open(older(path)) as workspace:
        assert workspace.switches.disabled() == frozenset()
        assert workspace.current().ids == ("kitchen/tea",)
        workspace.publish(skills=[], arrays={}, meta={})
        workspace.verify()
    with closing(sqlite3.connect(path / "caskg.sqlite")) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (1,)


def test_the_first_switch_makes_an_older_workspace_one_of_today(path: Path) -> None:
    """While another that is open goes on reading; the result is what a new workspace would be."""
    with Workspace.open(older(path)) as workspace, Workspace.open(path) as reader:
        assert workspace.switches.disable(["kitchen/tea"]) == {"kitchen/tea"}
        assert reader.switches.disabled() == {"kitchen/tea"}
        assert reader.switches.disable(["other"]) == {"other"}
    with Workspace.open(path) as workspace:
        assert workspace.switches.disabled() == {"kitchen/tea", "other"}
        assert workspace.current().ids == ("kitchen/tea",)


def test_a_changed_row_is_damage(path: Path) -> None:
    """A skill must not come back because a bit flipped."""
    with Workspace.open(path) as workspace:
        workspace.switches.disable(["kitchen/tea"])
    change(path, "UPDATE switches SET enabled = 1")
    with Workspace.open(path) as workspace:
        for read in (workspace.switches.disabled, workspace.verify):
            with pytest.raises(DamagedError, match="the switch of kitchen/tea"):
                read()


def test_half_a_character_is_no_id_and_a_closed_workspace_says_so(path: Path) -> None:
    """Nothing is switched where one of several cannot be."""
    with Workspace.open(path) as workspace:
        with pytest.raises(UsageError, match="no text"):
            workspace.switches.disable(["kitchen/tea", "\udcff"])
        assert workspace.switches.disabled() == frozenset()
    with pytest.raises(StoreError, match="has been closed"):
        workspace.switches.disabled()
