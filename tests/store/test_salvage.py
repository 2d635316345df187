"""What was paid for and said survives a damaged database; nothing is removed, nothing is lost silently."""

import random
import shutil
import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from caskg.errors import DamagedError, FormatError, NoWorkspaceError, StoreError
from caskg.store.database import FILE_NAME
from caskg.store.salvage import Salvage, repair
from caskg.store.workspace import Workspace
from store.test_damage import HASHES, KEYS, SKILLS, build

EVERYTHING = {"labels": 1, "switches": 10, "vectors": 20, "answers": len(KEYS), "substitutes": 1}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    build(tmp_path / "workspace")
    return tmp_path / "workspace"


def mended(path: Path) -> Salvage:
    found = repair(path)
    assert found is not None
    return found


def publish(path: Path) -> int:
    with Workspace.open_or_create(path) as workspace:
        number = workspace.publish(skills=SKILLS, arrays={}, meta={}).number
        workspace.verify()
    return number


def test_a_sound_workspace_is_not_touched(path: Path) -> None:
    """Damaged arrays are no reason: a build writes these anew."""
    before = (path / FILE_NAME).read_bytes()
    shutil.rmtree(path / "versions")
    assert repair(path) is None
    assert (path / FILE_NAME).read_bytes() == before
    assert {entry.name for entry in path.iterdir()} == {FILE_NAME}


def test_there_must_be_a_workspace_that_this_caskg_knows(tmp_path: Path, path: Path) -> None:
    """A newer format is no damage."""
    with pytest.raises(NoWorkspaceError, match="There is no workspace"):
        repair(tmp_path / "nowhere")
    change(path, "PRAGMA user_version = 9")
    with pytest.raises(FormatError, match="has format 9"):
        repair(path)


def test_a_lost_database_is_named_and_not_replaced_unseen(path: Path) -> None:
    """With the arrays still there, a build would begin a new ledger and nobody would miss the old one."""
    (path / FILE_NAME).rename(path.parent / "backup")
    for opens in (Workspace.open, Workspace.open_or_create, Workspace.create):
        with pytest.raises(DamagedError, match=r"has lost its database, caskg\.sqlite.*`caskg repair`"):
            opens(path)
    (path / FILE_NAME).touch()  # cut to nothing
    with pytest.raises(DamagedError, match="has lost its database"):
        Workspace.open_or_create(path)
    shutil.copy(path.parent / "backup", path / FILE_NAME)
    with Workspace.open(path) as workspace:
        workspace.verify()


def test_a_lost_database_can_be_gone_on_without(path: Path) -> None:
    """The arrays are put aside, where a copy that turns up later finds them."""
    (path / FILE_NAME).unlink()
    found = mended(path)
    assert set(found.saved.values()) == set(found.lost.values()) == {0}
    assert "answers" in found.torn
    assert (found.aside / "versions" / "2" / "weight.npy").is_file()
    assert publish(path) == 1


def test_an_interrupted_repair_is_done_again(path: Path) -> None:
    """Killed at the worst moment: the old files are aside, and the new database is not yet in its place."""
    (path / "damaged-1").mkdir()
    (path / "unfinished-repair").mkdir()
    for name in (FILE_NAME, "versions"):
        (path / name).rename(path / "damaged-1" / name)
    with pytest.raises(DamagedError, match="has lost its database"):
        Workspace.open_or_create(path)
    assert mended(path).aside == path / "damaged-2"
    assert not (path / "unfinished-repair").exists()
    assert (path / "damaged-1" / FILE_NAME).is_file()


def test_a_strangers_folder_is_not_taken_for_a_damaged_workspace(path: Path) -> None:
    """Its files stay, whatever they are called."""
    (path / FILE_NAME).unlink()
    (path / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(NoWorkspaceError):
        repair(path)
    with pytest.raises(StoreError, match=r"holds other files, such as 'thesis\.txt'"):
        Workspace.open_or_create(path)
    assert (path / "versions" / "1" / "weight.npy").is_file()


@pytest.mark.parametrize(
    ("statement", "table"),
    [
        (
            "UPDATE answers SET tokens = 7 WHERE source = (SELECT max(source) FROM answers) AND question = 1",
            "answers",
        ),
        ("UPDATE labels SET verdict = 'confirm'", "labels"),
        ("UPDATE switches SET enabled = 1 WHERE id = 1", "switches"),
        ("UPDATE substitutes SET arm = 'x'", "substitutes"),
    ],
)
def test_one_damaged_row_costs_that_row(path: Path, statement: str, table: str) -> None:
    """It is counted; everything else comes over, and the old files are still there."""
    change(path, statement)
    before = (path / FILE_NAME).read_bytes()
    found = mended(path)
    assert found.saved == EVERYTHING | {table: EVERYTHING[table] - 1}
    assert {name: count for name, count in found.lost.items() if count} == {table: 1}
    assert found.torn == ()
    assert (found.aside / FILE_NAME).read_bytes() == before
    assert {entry.name for entry in path.iterdir()} == {FILE_NAME, "damaged-1"}
    assert publish(path) == 1
    assert repair(path) is None


def test_one_letter_in_the_list_of_tables_is_no_loss(path: Path) -> None:
    """SQLite reads it as a table with other columns, or not as text at all."""
    content = (path / FILE_NAME).read_bytes()
    place = content.index(b"CREATE TABLE switches") + 7
    for letter in (b"x", b"\xff"):
        (path / FILE_NAME).write_bytes(content[:place] + letter + content[place + 1 :])
        assert mended(path).saved == EVERYTHING


@pytest.mark.parametrize("start", [0, 16, 100, 2000], ids=["magic", "header", "tree", "schema"])
def test_the_first_page_is_no_loss(path: Path, start: int) -> None:
    """Header and list of tables are the same in every workspace."""
    overwrite(path, start, 1900)
    with pytest.raises(DamagedError, match="`caskg repair`"):
        Workspace.open(path).verify()
    found = mended(path)
    assert (found.saved, set(found.lost.values()), found.torn) == (EVERYTHING, {0}, ())
    with Workspace.open(path) as workspace:
        assert len(workspace.ledger.answers(KEYS)) == len(KEYS)
        assert [label.verdict for label in workspace.ledger.labels()] == ["reject"]
        assert len(workspace.switches.disabled()) == 8
        assert len(workspace.vectors.get("lsa", HASHES)) == 20


def test_a_file_that_was_cut_gives_what_is_left(path: Path) -> None:
    """A copy that ran out of space."""
    content = (path / FILE_NAME).read_bytes()
    (path / FILE_NAME).write_bytes(content[: len(content) * 3 // 4])
    found = mended(path)
    assert found.torn
    assert sum(found.saved.values()) > 0
    assert publish(path) == 1


def test_what_waits_in_the_log_is_saved(path: Path) -> None:
    """A killed process leaves its last words there, and not in the file."""
    aside = path.parent / "killed"
    with Workspace.open(path) as workspace:
        workspace.ledger.clear_label(SKILLS[0].id, SKILLS[1].id)
        shutil.copytree(path, aside)
    assert (aside / f"{FILE_NAME}-wal").stat().st_size
    overwrite(aside, 0, 16)
    assert mended(aside).saved == EVERYTHING | {"labels": 2}
    with Workspace.open(aside) as workspace:
        assert workspace.ledger.labels() == ()


def test_a_second_repair_keeps_what_the_first_put_aside(path: Path) -> None:
    """Nothing is overwritten."""
    for number in (1, 2):
        overwrite(path, 0, 16)
        assert mended(path).aside == path / f"damaged-{number}"
    assert (path / "damaged-1" / FILE_NAME).is_file()


def test_what_the_last_build_said_of_itself_is_told(path: Path) -> None:
    """So that one knows what to build again."""
    with Workspace.open(path) as workspace:
        workspace.publish(skills=SKILLS, arrays={}, meta={"roots": ["/skills"]})
    overwrite(path, 0, 16)
    assert mended(path).meta == {"roots": ["/skills"]}


def test_a_damaged_page_anywhere_loses_no_more_than_its_rows(path: Path) -> None:
    """Whatever is saved is what was written; the next build works."""
    content = (path / FILE_NAME).read_bytes()
    chance = random.Random(0)
    outcomes: Counter[bool] = Counter()
    for page in range(len(content) // 4096):
        noise = chance.randbytes(4096)
        (path / FILE_NAME).write_bytes(content[: page * 4096] + noise + content[(page + 1) * 4096 :])
        found = repair(path)
        outcomes[found is not None] += 1
        with Workspace.open(path) as workspace:
            assert all(answer.score == 0.25 for answer in workspace.ledger.answers(KEYS).values())
            workspace.verify_records()
        for name, count in (found.saved if found else {}).items():
            assert 0 <= count <= EVERYTHING[name]
        if found:
            assert sum(found.saved.values()) >= 20
    assert outcomes[True] > 0


def change(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path / FILE_NAME, isolation_level=None)
    connection.execute(statement)
    connection.close()


def overwrite(path: Path, start: int, length: int) -> None:
    content = bytearray((path / FILE_NAME).read_bytes())
    content[start : start + length] = random.Random(start).randbytes(length)
    (path / FILE_NAME).write_bytes(content)
