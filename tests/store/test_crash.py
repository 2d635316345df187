"""A workspace survives kill -9, a second writer, a full disk and a read-only one.

Real processes, real signals, real limits of the system.
"""

import random
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from caskg.errors import BusyError
from caskg.store.workspace import Workspace
from store import publisher


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "workspace"
    with Workspace.create(path) as workspace:
        publisher.publish(workspace, 1)
    return path


@contextmanager
def started(command: str, path: Path, argument: object = "") -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, publisher.__file__, command, path, str(argument)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process


def run(command: str, path: Path, argument: object = "") -> tuple[int, str]:
    with started(command, path, argument) as process:
        output, _ = process.communicate()
        return process.returncode, output


def folders(path: Path) -> set[str]:
    return {entry.name for entry in (path / "versions").iterdir()}


def check_after_crash(path: Path, *, tag: int, at_least: int) -> int:
    """Check that the last version is whole, that a next one can be published, and that no orphan stays."""
    with Workspace.open_or_create(path) as workspace:
        assert len(workspace.versions()) >= at_least
        if workspace.versions():
            snapshot = workspace.current()
            assert at_least <= snapshot.number <= at_least + 1
            assert publisher.is_whole(workspace, snapshot)
            snapshot.verify()
        number = publisher.publish(workspace, tag)
        assert folders(path) == {str(version.number) for version in workspace.versions()}
    return number


# ---------------------------------------------------------------- kill -9


@pytest.mark.parametrize(("command", "orphan"), [("die_writing", "unfinished-2"), ("die_inserting", "2")])
def test_a_publish_killed_on_the_way_changes_nothing(path: Path, command: str, orphan: str) -> None:
    """Half-written arrays, or a half-written transaction: the version before stays current."""
    assert run(command, path, 5)[0] == -signal.SIGKILL
    assert folders(path) == {"1", orphan}
    assert check_after_crash(path, tag=7, at_least=1) == 2


def kill_at_random_moments(path: Path, notes: Path, *, times: int) -> None:
    notes.touch()
    chance = random.Random(0)
    last = 0
    with started("be_killed", path, notes) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for turn in range(times):
            process.stdin.write(f"{chance.uniform(0, 0.1)}\n")
            process.stdin.flush()
            assert process.stdout.readline() == "killed\n"
            last = max([last, *map(int, notes.read_text(encoding="utf-8").split())])
            last = check_after_crash(path, tag=turn, at_least=last)
        process.stdin.close()
    with Workspace.open(path) as workspace:
        assert len(workspace.versions()) == last
        workspace.verify()


def test_kill_9_at_a_random_moment_loses_nothing_that_was_published(tmp_path: Path) -> None:
    """From the creation of the workspace on; what ``publish`` returned is there afterwards."""
    kill_at_random_moments(tmp_path / "workspace", tmp_path / "notes", times=20)


@pytest.mark.full
def test_300_kills_lose_nothing(tmp_path: Path) -> None:
    """The same, for long."""
    kill_at_random_moments(tmp_path / "workspace", tmp_path / "notes", times=300)


# ---------------------------------------------------------------- several processes


def test_a_second_writer_waits_or_says_that_it_is_busy(path: Path) -> None:
    """Two builders must not interleave; a reader waits for nobody."""
    with started("hold", path, 2) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "writing\n"
        with Workspace.open(path, timeout_s=0.05) as hasty:
            assert publisher.is_whole(hasty, hasty.current())
            for write in (lambda: publisher.publish(hasty, 3), hasty.rollback):
                with pytest.raises(BusyError, match="Another process is writing to it; wait for it to end"):
                    write()
        assert process.stdin is not None
        process.stdin.write("go on\n")
        process.stdin.flush()
        with Workspace.open(path, timeout_s=30) as patient:
            number = publisher.publish(patient, 4)
    with Workspace.open(path) as workspace:
        assert sorted(publisher.tags(workspace)) == [1, 2, 4]
        assert number in {2, 3}  # whoever came first


def test_a_killed_writer_holds_nobody_up(path: Path) -> None:
    """A lock that outlives its process would need a person to remove it."""
    with started("hold", path, 2) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.kill()
        process.wait()
        with Workspace.open(path, timeout_s=0.05) as workspace:
            assert publisher.publish(workspace, 3) == 2


def test_two_builders_beside_a_reader_lose_nothing(path: Path) -> None:
    """Every version that any of them published is there and whole, and the reader never sees half of one."""
    with started("many", path, 100) as one, started("many", path, 200) as two, Workspace.open(path) as reader:
        for process in (one, two):
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in (one, two):
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        while one.poll() is None or two.poll() is None:
            assert publisher.is_whole(reader, reader.current())
        assert (one.returncode, two.returncode) == (0, 0)
        tags = publisher.tags(reader)
        assert sorted(tags) == [1, *range(100, 112), *range(200, 212)]
        assert all(publisher.is_whole(reader, reader.snapshot(n)) for n in range(1, 26))
        reader.verify()


def crowd(path: Path, *, readers: int, seconds: float) -> None:
    """Let two builders and some readers do what they can for so long, and check all of it."""
    with ExitStack() as stack:
        watching = [stack.enter_context(started("read_for_a_while", path)) for _ in range(readers)]
        firsts = (1_000, 1_000_000)
        builders = [stack.enter_context(started("publish_for_a_while", path, first)) for first in firsts]
        everybody = [*watching, *builders]
        for process in everybody:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        with suppress(subprocess.TimeoutExpired):
            builders[0].wait(seconds)  # ends early only where something is wrong
        told = [int(process.communicate("stop\n")[0]) for process in everybody]
        assert {process.returncode for process in everybody} == {0}
    assert min(told) > 0
    made = [tag for first, last in zip(firsts, told[readers:], strict=True) for tag in range(first, last)]
    with Workspace.open(path) as workspace:
        assert sorted(publisher.tags(workspace)) == [1, *made]
        assert len(made) > 2
        workspace.verify()


def test_two_builders_and_three_readers_get_on(path: Path) -> None:
    """No error, no lost skill; for a moment."""
    crowd(path, readers=3, seconds=1)


@pytest.mark.full
def test_two_builders_and_ten_readers_get_on_for_a_minute(path: Path) -> None:
    """The same, for long."""
    crowd(path, readers=10, seconds=60)


# ---------------------------------------------------------------- disks


def test_a_disk_without_a_free_byte_can_be_read(path: Path) -> None:
    """A full disk must not take the answers away; a write says what is wrong."""
    code, output = run("no_room", path)
    whole, error = output.splitlines()
    assert (code, whole) == (0, "True")
    assert "or the disk is full" in error
    assert check_after_crash(path, tag=3, at_least=1) == 2


def test_on_a_full_disk_no_commit_is_overlooked(path: Path) -> None:
    """What a killed process left in the log cannot be merged there: said, and nothing older is read."""
    copy = path.parent / "killed"
    with Workspace.open(path) as workspace:
        publisher.publish(workspace, 2)
        shutil.copytree(path, copy, ignore=shutil.ignore_patterns("*-shm"))
    code, output = run("no_room", copy)
    assert code == 0
    assert "The disk did not take or give the data (full" in output
    assert check_after_crash(copy, tag=3, at_least=2) == 3


@pytest.mark.parametrize("what", ["arrays", "rows"])
def test_a_full_disk_changes_nothing(path: Path, what: str) -> None:
    """Whether the arrays or the database does not fit: cause and remedy, and the version before stays."""
    code, output = run("fill", path, what)
    assert code == 0
    assert "Cannot use the workspace" in output
    assert "untouched" in output
    assert check_after_crash(path, tag=3, at_least=1) == 2
    with Workspace.open(path) as workspace:
        workspace.verify()


def test_a_read_only_folder_can_be_read_and_says_why_it_cannot_be_written() -> None:
    """An image of a container, a disk that was remounted after an error, somebody else's folder."""
    with tempfile.TemporaryDirectory() as name:  # pytest's own folders are closed to other users
        folder = Path(name)
        with Workspace.create(folder / "workspace") as workspace:
            publisher.publish(workspace, 1)
            publisher.publish(workspace, 2)
        entries = [folder, *folder.rglob("*")]
        for entry in entries:
            entry.chmod(0o555 if entry.is_dir() else 0o444)
        code, output = run("read_only", folder / "workspace")
        for entry in entries:
            entry.chmod(0o755)
    whole, *errors = output.splitlines()
    assert (code, whole, len(errors)) == (0, "True", 3)
    assert all("read-only" in error for error in errors)
