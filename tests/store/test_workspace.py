"""A workspace keeps every published version, and readers keep the one they opened."""

import errno
import shutil
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

from caskg.errors import (
    BusyError,
    DamagedError,
    FormatError,
    NoVersionError,
    NoWorkspaceError,
    StoreError,
    UsageError,
)
from caskg.schema import Skill, SkillFields
from caskg.store.arrays import Array
from caskg.store.database import explained
from caskg.store.workspace import Workspace
from factories import make_skill

TEA, RICE, SOUP = (make_skill(f"kitchen/{name}", f"Make {name}.") for name in ("tea", "rice", "soup"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "workspace"


@pytest.fixture
def workspace(path: Path) -> Iterator[Workspace]:
    with Workspace.create(path) as workspace:
        yield workspace


def publish(workspace: Workspace, *skills: Skill, weight: float = 0.5) -> int:
    arrays = {"weight": np.full(3, weight)}
    return workspace.publish(skills=skills, arrays=arrays, meta={"n_edges": 3}).number


# ---------------------------------------------------------------- create and open


def test_a_draft_knows_all_and_keeps_nothing(workspace: Workspace, path: Path) -> None:
    """What is planned with it leaves no trace, not even for who has the workspace open."""
    publish(workspace, TEA)
    workspace.switches.disable(["kitchen/tea"])
    before = {file: file.read_bytes() for file in path.rglob("*") if file.suffix in (".npy", ".sqlite")}
    with workspace.draft() as draft:
        assert draft.current().ids == ("kitchen/tea",)
        assert draft.current().arrays["weight"].tolist() == [0.5] * 3
        draft.switches.enable(["kitchen/tea"])
        draft.vectors.put("e", {"0" * 32: np.ones(2, dtype=np.float32)})
        assert draft.switches.disabled() == frozenset()
        assert list(draft.vectors.get("e", ["0" * 32])) == ["0" * 32]
    assert workspace.switches.disabled() == {"kitchen/tea"}
    assert workspace.vectors.get("e", ["0" * 32]) == {}
    assert {file: file.read_bytes() for file in before} == before
    with pytest.raises(StoreError, match="has been closed"):
        draft.versions()


def test_nothing_at_the_path_is_said_with_a_remedy(path: Path) -> None:
    """The first thing that goes wrong for everybody."""
    with pytest.raises(NoWorkspaceError, match=r"no workspace at .*workspace: run `caskg build` first"):
        Workspace.open(path)
    assert not path.exists()


def test_an_empty_folder_becomes_a_workspace(path: Path) -> None:
    """A mounted volume is there before its content."""
    path.mkdir()
    with Workspace.create(path) as workspace:
        assert workspace.path == path
    with Workspace.open(str(path)) as workspace:
        assert workspace.versions() == ()


def test_the_folder_of_a_stranger_is_not_written_to(path: Path) -> None:
    """A slip in a path must not mix our files with someone's documents."""
    path.mkdir()
    (path / "thesis.txt").write_text("precious", encoding="utf-8")
    for make in (Workspace.create, Workspace.open_or_create):
        with pytest.raises(StoreError, match=r"holds other files, such as 'thesis\.txt'"):
            make(path)
    with pytest.raises(NoWorkspaceError):
        Workspace.open(path)
    assert [entry.name for entry in path.iterdir()] == ["thesis.txt"]


def test_a_file_is_no_folder(path: Path) -> None:
    """Also a slip in a path."""
    path.write_text("text", encoding="utf-8")
    for make in (Workspace.create, Workspace.open, Workspace.open_or_create):
        with pytest.raises(StoreError, match="is a file: choose a folder"):
            make(path)


def test_a_path_below_a_file_is_an_error_of_ours() -> None:
    """What the system refuses comes with our remedy, not with a traceback."""
    with pytest.raises(StoreError, match=r"Cannot use the workspace /dev/null/x \(Not a directory"):
        Workspace.create("/dev/null/x")


def test_create_refuses_an_existing_workspace_and_open_or_create_opens_it(path: Path) -> None:
    """Nobody loses a ledger by creating twice."""
    with Workspace.open_or_create(path) as workspace:
        publish(workspace, TEA)
    with pytest.raises(StoreError, match="holds a workspace already: open it"):
        Workspace.create(path)
    with Workspace.open_or_create(path) as workspace:
        assert workspace.current().ids == (TEA.id,)


def test_an_interrupted_creation_is_finished(path: Path) -> None:
    """A process killed while creating leaves a database without tables."""
    path.mkdir()
    (path / "caskg.sqlite").touch()
    with pytest.raises(NoWorkspaceError, match="was never finished"):
        Workspace.open(path)
    with Workspace.create(path) as workspace:
        assert publish(workspace, TEA) == 1


def test_a_newer_format_is_not_guessed_at(workspace: Workspace, path: Path) -> None:
    """An older program would drop what it does not know."""
    workspace.close()
    change(path, "PRAGMA user_version = 3")
    with pytest.raises(FormatError, match="has format 3, and this CaSKG reads up to 2: upgrade"):
        Workspace.open_or_create(path)


@pytest.mark.parametrize(
    "statement",
    [
        "PRAGMA application_id = 7",
        "PRAGMA user_version = 0",
        "PRAGMA user_version = 1",
        "PRAGMA user_version = -1",
        "DROP TABLE labels",
        "CREATE TRIGGER t AFTER INSERT ON labels BEGIN DELETE FROM answers; END",
    ],
)
def test_a_database_that_is_not_as_we_make_it_is_refused(
    workspace: Workspace, path: Path, statement: str
) -> None:
    """Another program's file, or one that was prepared to act on its own."""
    workspace.close()
    change(path, statement)
    with pytest.raises(DamagedError, match=r"caskg\.sqlite is damaged, or not a database of CaSKG"):
        Workspace.open(path)


def test_a_file_that_is_no_database_is_damaged(path: Path) -> None:
    """Never overwritten: it may be recoverable."""
    path.mkdir()
    (path / "caskg.sqlite").write_bytes(b"not a database at all" * 100)
    for make in (Workspace.create, Workspace.open, Workspace.open_or_create):
        with pytest.raises(DamagedError, match=r"file is not a database.*restore a copy"):
            make(path)


def test_a_database_that_another_program_locks_is_busy(workspace: Workspace, path: Path) -> None:
    """Reading past the lock, as on a read-only disk, would see half of a change."""
    workspace.close()
    other = sqlite3.connect(path / "caskg.sqlite", isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(BusyError, match=r"database is locked.*Another process"):
        Workspace.open(path, timeout_s=0.01)
    other.close()
    Workspace.open(path).close()


def test_a_closed_workspace_says_so(workspace: Workspace) -> None:
    """A snapshot may outlive its workspace by mistake."""
    publish(workspace, TEA)
    snapshot = workspace.current()
    weight = snapshot.arrays["weight"]
    workspace.close()
    workspace.close()
    with pytest.raises(StoreError, match="has been closed"):
        list(snapshot.skills)
    assert weight.tolist() == [0.5, 0.5, 0.5]


# ---------------------------------------------------------------- publish and read


def test_a_version_comes_back(workspace: Workspace) -> None:
    """Skills, arrays and meta data as they were published."""
    before = datetime.now(UTC)
    info = workspace.publish(
        skills=[TEA, RICE],
        arrays={"graph.weight": np.array([0.5]), "mask": np.array([True])},
        meta={"n_edges": 1, "encoder": "lsa", "nested": [1, None, {"x": 0.5}]},
    )
    snapshot = workspace.current()
    assert (info.number, info.n_skills, info.n_edges, info.current) == (1, 2, 1, True)
    assert timedelta(0) <= info.created - before + timedelta(seconds=1) <= timedelta(seconds=60)
    assert info.created.utcoffset() == timedelta(0)
    assert (snapshot.number, snapshot.created) == (1, info.created)
    assert snapshot.meta == {"n_edges": 1, "encoder": "lsa", "nested": [1, None, {"x": 0.5}]}
    assert snapshot.ids == (TEA.id, RICE.id)
    assert snapshot.content_hashes == (TEA.content_hash, RICE.content_hash)
    assert list(snapshot.skills) == [TEA, RICE]
    assert {name: array.tolist() for name, array in snapshot.arrays.items()} == {
        "graph.weight": [0.5],
        "mask": [True],
    }
    assert workspace.versions() == (info,)


@pytest.mark.parametrize("meta", [{}, {"n_edges": None}, {"n_edges": "many"}])
def test_no_count_of_edges_shows_as_none(workspace: Workspace, meta: dict[str, Any]) -> None:
    """The list of versions is a convenience; what it lacks must not stop a publish."""
    assert workspace.publish(skills=[], arrays={}, meta=meta).n_edges == 0


def test_the_published_skills_are_a_sequence(workspace: Workspace) -> None:
    """Steps index, slice and iterate them as they do a tuple; more than one bulk of them."""
    skills = tuple(make_skill(f"s/{number:03}", f"Do {number}.") for number in range(600))
    publish(workspace, *skills)
    stored = workspace.current().skills
    assert len(stored) == 600
    assert (stored[0], stored[-1], stored[255], stored[256]) == (
        skills[0],
        skills[-1],
        skills[255],
        skills[256],
    )
    assert stored[250:260] == skills[250:260]
    assert stored[::-200] == skills[::-200]
    assert tuple(stored) == skills
    assert skills[7] in stored
    assert stored.read([599, 3, 3]) == (skills[599], skills[3], skills[3])
    with pytest.raises(IndexError):
        stored[600]


def test_equal_contents_under_two_ids_are_two_skills(workspace: Workspace, path: Path) -> None:
    """Copies are common; each keeps its id and path, and the text is stored once."""
    copies = make_skill("a/tea", "Make tea.", name="tea"), make_skill("b/tea", "Make tea.", name="tea")
    publish(workspace, *copies)
    publish(workspace, *copies, RICE)
    assert tuple(workspace.snapshot(1).skills) == copies
    assert count(path, "contents") == 2


def test_what_is_read_out_of_the_same_words_may_change(workspace: Workspace) -> None:
    """A later CaSKG finds more fields under the same content hash: each version keeps its own."""
    better = replace(TEA, fields=SkillFields(effects=("tea is ready",)))
    publish(workspace, TEA)
    publish(workspace, better)
    assert tuple(workspace.snapshot(1).skills) == (TEA,)
    assert tuple(workspace.snapshot(2).skills) == (better,)


def test_no_version_yet_is_said_with_a_remedy(workspace: Workspace) -> None:
    """A build may have been killed before it published."""
    with pytest.raises(NoVersionError, match=r"Nothing has been published in .* yet: run `caskg build`"):
        workspace.current()
    with pytest.raises(NoVersionError, match="Nothing has been published"):
        workspace.rollback()


def test_an_unknown_version_is_answered_with_the_known_ones(workspace: Workspace) -> None:
    """So that the next try is right."""
    publish(workspace, TEA)
    publish(workspace, RICE)
    for get in (workspace.snapshot, workspace.rollback):
        for number in (3, 0, -1, 10**20):
            with pytest.raises(NoVersionError, match=rf"no version {number} in .*Known versions: 1, 2\."):
                get(number)


def test_rollback_moves_the_pointer_and_removes_nothing(workspace: Workspace) -> None:
    """One step back by default; forward again by number; new versions get new numbers."""
    for skill in (TEA, RICE, SOUP):
        publish(workspace, skill)
    assert workspace.rollback().number == 2
    assert workspace.current().ids == (RICE.id,)
    assert [version.current for version in workspace.versions()] == [False, True, False]
    assert workspace.rollback().number == 1
    with pytest.raises(NoVersionError, match="Version 1 is the first one"):
        workspace.rollback()
    assert workspace.rollback(3).number == 3
    assert workspace.current().ids == (SOUP.id,)
    workspace.rollback(1)
    assert publish(workspace, TEA, RICE) == 4
    assert workspace.current().number == 4


def test_readers_keep_the_version_they_opened(workspace: Workspace, path: Path) -> None:
    """A server answers from one version until it asks for another."""
    publish(workspace, TEA, weight=0.25)
    with Workspace.open(path) as reader:
        snapshot = reader.current()
        publish(workspace, RICE, SOUP, weight=0.75)
        assert snapshot.arrays["weight"].tolist() == [0.25, 0.25, 0.25]
        assert tuple(snapshot.skills) == (TEA,)
        workspace.rollback()
        publish(workspace, SOUP)
        assert (snapshot.number, tuple(snapshot.skills)) == (1, (TEA,))
        assert reader.current().number == 3


def test_a_version_can_be_read_from_another_thread(workspace: Workspace) -> None:
    """A server answers from a pool of threads."""
    publish(workspace, TEA)
    found: list[Skill] = []
    thread = Thread(target=lambda: found.extend(workspace.current().skills))
    thread.start()
    thread.join()
    assert found == [TEA]


@pytest.mark.parametrize(
    ("skills", "array", "meta", "message"),
    [
        ([TEA, RICE, TEA], np.zeros(1), {}, "2 skills have the id 'kitchen/tea': ids must differ"),
        ([replace(TEA, content_hash="abc")], np.zeros(1), {}, "'abc' is no content hash"),
        ([replace(TEA, id="\udc80")], np.zeros(1), {}, "holds bytes that are no text"),
        ([], np.array([None]), {}, "only numbers"),
        ([], np.zeros(1), {"x": {1}}, "must be JSON"),
    ],
)
def test_what_cannot_be_stored_is_refused_before_anything_is_written(
    workspace: Workspace, skills: list[Skill], array: Array, meta: dict[str, Any], message: str
) -> None:
    """The caller made a mistake; the workspace must not show it."""
    publish(workspace, TEA)
    with pytest.raises(UsageError, match=message):
        workspace.publish(skills=skills, arrays={"x": array}, meta=meta)
    assert workspace.current().number == 1
    assert folders(workspace.path) == {"1"}


class Interrupted(tuple[Skill, ...]):
    """Skills that can be looked through once, to be checked; then somebody presses Ctrl-C."""

    seen = False

    def __iter__(self) -> Iterator[Skill]:
        if self.seen:
            raise KeyboardInterrupt
        self.seen = True
        return super().__iter__()


def test_a_publish_that_is_interrupted_leaves_nothing(workspace: Workspace) -> None:
    """The arrays are on the disk by then; nothing of them may stay."""
    publish(workspace, TEA)
    with pytest.raises(KeyboardInterrupt):
        workspace.publish(skills=Interrupted([RICE]), arrays={"x": np.zeros(9)}, meta={})
    assert folders(workspace.path) == {"1"}
    assert workspace.current().number == 1
    assert publish(workspace, SOUP) == 2
    workspace.verify()


def test_nothing_is_published_where_the_caller_thinks_better_of_it(workspace: Workspace) -> None:
    """Asked within the transaction, so that nobody can come between the answer and the version."""
    assert workspace.publish(skills=[RICE], arrays={}, meta={}, unless=lambda: True) is None
    assert workspace.versions() == ()
    info = workspace.publish(skills=[RICE], arrays={}, meta={}, unless=lambda: workspace.versions() != ())
    assert info is not None
    assert workspace.publish(skills=[], arrays={}, meta={}, unless=lambda: workspace.versions() != ()) is None
    assert [version.number for version in workspace.versions()] == [info.number] == [1]


def test_a_full_disk_is_told_without_a_promise_that_a_first_build_breaks(path: Path) -> None:
    """The folder and an empty database are there by then: only what was stored before is as it was."""
    connection = sqlite3.connect(":memory:")
    connection.execute("PRAGMA max_page_count = 1")
    said = r"disk is full; what was stored before is untouched\."
    with pytest.raises(StoreError, match=said) as full, explained(path):
        connection.execute("CREATE TABLE t (x)")
    connection.close()
    said = r"What was stored before is untouched; check free"
    with pytest.raises(StoreError, match=said) as failed, explained(path):
        raise OSError(errno.ENOSPC, "No space left on device", "members")
    assert not any("was changed" in str(error.value) for error in (full, failed))


def test_orphans_are_removed_by_the_next_publish(workspace: Workspace, path: Path) -> None:
    """A killed publish leaves a folder; nothing may pile up."""
    publish(workspace, TEA)
    shutil.copytree(path / "versions" / "1", path / "versions" / "2")
    shutil.copytree(path / "versions" / "1", path / "versions" / "unfinished-3")
    assert publish(workspace, RICE, weight=0.75) == 2
    assert folders(path) == {"1", "2"}
    assert workspace.current().arrays["weight"].tolist() == [0.75, 0.75, 0.75]


# ---------------------------------------------------------------- damage


def test_a_cut_array_is_named_when_the_version_is_opened(workspace: Workspace, path: Path) -> None:
    """Other versions stay readable, and a rollback to the damaged one is refused."""
    publish(workspace, TEA)
    publish(workspace, RICE)
    publish(workspace, SOUP)
    file = path / "versions" / "2" / "weight.npy"
    file.write_bytes(file.read_bytes()[:-1])
    for read in (workspace.rollback, lambda: workspace.snapshot(2), workspace.verify):
        with pytest.raises(DamagedError, match=r"versions/2/weight\.npy is damaged: it has 151 bytes"):
            read()
    assert workspace.current().number == 3
    assert workspace.rollback(1).number == 1


def test_damaged_data_are_named_by_verify(workspace: Workspace, path: Path) -> None:
    """Opening is cheap and does not read them."""
    publish(workspace, TEA)
    workspace.verify()
    file = path / "versions" / "1" / "weight.npy"
    file.write_bytes(file.read_bytes()[:-1] + b"\x01")
    snapshot = workspace.current()
    for verify in (snapshot.verify, workspace.verify):
        with pytest.raises(DamagedError, match=r"versions/1/weight\.npy is damaged: its data"):
            verify()


def test_a_rollback_to_damaged_data_is_refused(workspace: Workspace, path: Path) -> None:
    """It would be current, and answer nothing; file or skill are named, and the current one stays."""
    publish(workspace, TEA)
    publish(workspace, RICE)
    file = path / "versions" / "1" / "weight.npy"
    content = file.read_bytes()
    file.write_bytes(content[:-1] + b"\x01")
    with pytest.raises(DamagedError, match=r"versions/1/weight\.npy is damaged: its data"):
        workspace.rollback()
    file.write_bytes(content)
    change(path, "UPDATE contents SET skill = zeroblob(8) WHERE digest = (SELECT min(digest) FROM contents)")
    with pytest.raises(DamagedError, match="the skill kitchen/tea is damaged"):
        workspace.rollback(1)
    assert workspace.current().number == 2


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("UPDATE pointer SET version = 1", "the number of the current version"),
        ("UPDATE versions SET meta = '{}'", "the entry of version 2"),
        ("UPDATE members SET skill_id = 'x' WHERE version = 2", "the list of skills of version 2"),
        ("UPDATE members SET hash = 1 WHERE version = 2", "the list of skills of version 2"),
        ("UPDATE members SET position = 2 - position WHERE version = 2", "the list of skills of version 2"),
        ("DELETE FROM members WHERE version = 2 AND position = 1", "the list of skills of version 2"),
        ("UPDATE members SET digest = (SELECT max(digest) FROM contents)", "the list of skills of version 2"),
        ("UPDATE hashes SET hash = hash || '0'", "the list of skills of version 2"),
        ("UPDATE contents SET skill = zeroblob(8)", "the skill kitchen/"),
        ("UPDATE contents SET skill = 7", "the skill kitchen/"),
        ("DELETE FROM contents", "the skill kitchen/"),
    ],
)
def test_a_damaged_row_is_named(workspace: Workspace, path: Path, statement: str, message: str) -> None:
    """SQLite itself does not notice: each row has its checksum."""
    publish(workspace, TEA)
    publish(workspace, RICE, SOUP)
    change(path, statement)
    with pytest.raises(DamagedError, match=f"In caskg.sqlite, {message}.* is damaged"):
        list(workspace.current().skills)
    with pytest.raises(DamagedError):
        workspace.verify()


def test_the_next_publish_heals_a_damaged_skill(workspace: Workspace, path: Path) -> None:
    """The remedy that the message names must work, for the older version too."""
    publish(workspace, TEA, RICE)
    change(path, "UPDATE contents SET skill = zeroblob(8)")
    publish(workspace, TEA, RICE)
    workspace.verify()
    assert tuple(workspace.snapshot(1).skills) == (TEA, RICE)


def test_damage_inside_the_file_is_found_by_verify(workspace: Workspace, path: Path) -> None:
    """An index that disagrees with its table hides rows without an error."""
    publish(workspace, TEA)
    workspace.close()
    file = path / "caskg.sqlite"
    content = file.read_bytes()
    place = content.index(TEA.content_hash.encode())
    file.write_bytes(content[:place] + b"x" + content[place + 1 :])
    with Workspace.open(path) as damaged, pytest.raises(DamagedError):
        damaged.verify()


def change(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path / "caskg.sqlite", isolation_level=None)
    connection.execute(statement)
    connection.close()


def count(path: Path, table: str) -> int:
    connection = sqlite3.connect(path / "caskg.sqlite")
    (number,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
    connection.close()
    return int(number)


def folders(path: Path) -> set[str]:
    return {entry.name for entry in (path / "versions").iterdir()}
