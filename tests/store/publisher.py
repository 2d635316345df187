"""A process that writes to a workspace, for tests that kill it, hold it up, or run two of them.

``python publisher.py COMMAND FOLDER [ARGUMENT]``; it says on standard output what it has done.
"""

import os
import resource
import select
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from caskg.errors import StoreError
from caskg.schema import ProbeAnswer, ProbeKey, ProbeKind, Skill, SkillFields
from caskg.store.arrays import Array
from caskg.store.snapshot import Snapshot
from caskg.store.workspace import Workspace

NOBODY = 65534


def make_library(tag: int) -> list[Skill]:
    """Return a library that shows by its size and its texts which *tag* it was made for."""
    return [
        Skill(
            id=f"skill-{place}",
            name="skill",
            description=str(tag),
            body="",
            sections=(),
            fields=SkillFields(),
            content_hash=f"{tag:016x}{place:016x}",
            path="SKILL.md",
        )
        for place in range(1 + tag % 7)
    ]


def make_key(tag: int) -> ProbeKey:
    """Return a question that is asked for *tag* only."""
    return ProbeKey(f"{tag:032x}", f"{tag + 1:032x}", "", ProbeKind.REMOVAL, "plain", "1", "text")


def publish(workspace: Workspace, tag: int, arrays: Mapping[str, Array] | None = None) -> int:
    """Record an answer, then publish a version in which everything shows *tag*."""
    workspace.ledger.record([(make_key(tag), ProbeAnswer(score=0.5, source_id="text"))])
    arrays = {name: np.full(1000, tag) for name in ("a", "b", "c")} if arrays is None else arrays
    return workspace.publish(skills=make_library(tag), arrays=arrays, meta={"tag": tag}).number


def tags(workspace: Workspace) -> list[int]:
    """Return the tag of every version, oldest first."""
    return [int(str(version.meta["tag"])) for version in workspace.versions()]


def is_whole(workspace: Workspace, snapshot: Snapshot) -> bool:
    """Return whether everything in a version shows one tag, and its answer is in the ledger."""
    tag = snapshot.meta["tag"]
    return (
        isinstance(tag, int)
        and list(snapshot.skills) == make_library(tag)
        and all((array == tag).all() for array in snapshot.arrays.values())
        and make_key(tag) in workspace.ledger.answers([make_key(tag)])
    )


class Watched(Mapping[str, Array]):
    """Three arrays that do something when one is fetched for the *n*-th time; the check fetches three."""

    def __init__(self, tag: int, n: int, act: Callable[[], object]) -> None:
        self._array, self._left, self._act = np.full(1000, tag), n, act

    def __getitem__(self, name: str) -> Array:
        self._left -= 1
        if self._left == 0:
            self._act()
        return self._array

    def __iter__(self) -> Iterator[str]:
        return iter("abc")

    def __len__(self) -> int:
        return 3


class Fatal(tuple[Skill, ...]):
    """Skills that kill the process when they are looked through a second time, to be stored."""

    seen = False

    def __iter__(self) -> Iterator[Skill]:
        if self.seen:
            die()
        self.seen = True
        return super().__iter__()


def die() -> None:
    """End as if the power went."""
    os.kill(os.getpid(), signal.SIGKILL)


def say(text: object) -> None:
    """Tell the test."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def many(folder: Path, argument: str) -> None:
    """Wait for a line of input, then publish twelve versions, the first with the tag *argument*."""
    input("ready\n")
    for tag in range(int(argument), int(argument) + 12):
        with Workspace.open(folder) as workspace:
            publish(workspace, tag)


def hold(folder: Path, argument: str) -> None:
    """Publish, but wait for a line of input between the first and the second array."""
    tag = int(argument)
    with Workspace.open(folder) as workspace:
        publish(workspace, tag, Watched(tag, 5, lambda: input("writing\n")))


def die_writing(folder: Path, argument: str) -> None:
    """Be killed between the first and the second array."""
    tag = int(argument)
    with Workspace.open(folder) as workspace:
        publish(workspace, tag, Watched(tag, 5, die))


def die_inserting(folder: Path, argument: str) -> None:
    """Be killed when the arrays are in place and the version is in the middle of its transaction."""
    with Workspace.open(folder) as workspace:
        workspace.publish(skills=Fatal(make_library(int(argument))), arrays={"a": np.zeros(9)}, meta={})


def be_killed(folder: Path, argument: str) -> None:
    """For each line of input, kill a child after that many seconds of creating and publishing.

    The child notes every published number in the file *argument*.
    """
    for tag, line in enumerate(sys.stdin):
        child = os.fork()
        if child == 0:
            publish_for_ever(folder, Path(argument), first=1000 * tag)
        select.select([], [], [], float(line))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        say("killed")


def publish_for_ever(folder: Path, notes: Path, *, first: int) -> None:
    """Publish one version after the other."""
    with Workspace.open_or_create(folder) as workspace, notes.open("a", encoding="utf-8") as file:
        for tag in range(first, sys.maxsize):
            file.write(f"{publish(workspace, tag)}\n")
            file.flush()


def fill(folder: Path, argument: str) -> None:
    """Publish large arrays or large rows on a disk that takes files of 400 kB at most."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
    noise = np.random.default_rng(0).integers(33, 127, 600_000, dtype=np.uint8)
    arrays: dict[str, Array] = {"noise": noise} if argument == "arrays" else {}
    skills = make_library(0)
    if argument == "rows":
        skills = [replace(skills[0], body=noise.tobytes().decode())]
    with Workspace.open(folder) as workspace:
        try:
            workspace.publish(skills=skills, arrays=arrays, meta={})
        except StoreError as error:
            say(error)


def no_room(folder: Path, _argument: str) -> None:
    """Read and try to write where no file may grow by a byte."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    try:
        with Workspace.open(folder) as workspace:
            say(is_whole(workspace, workspace.current()))
            publish(workspace, 9)
    except StoreError as error:
        say(error)


def read_for_a_while(folder: Path, _argument: str) -> None:
    """Read the current version, and one of those before it, until a line of input comes; say how often."""
    say("ready")
    times = 0
    while not select.select([sys.stdin], [], [], 0)[0]:
        with Workspace.open(folder) as workspace:
            current = workspace.current()
            for snapshot in (current, workspace.snapshot(1 + times % current.number)):
                if not is_whole(workspace, snapshot):
                    sys.exit(f"version {snapshot.number} is not whole")
        times += 1
    say(times)


def publish_for_a_while(folder: Path, argument: str) -> None:
    """Publish versions, the first with the tag *argument*, until a line of input comes; say the last tag."""
    say("ready")
    tag = int(argument)
    while not select.select([sys.stdin], [], [], 0)[0]:
        with Workspace.open(folder) as workspace:
            publish(workspace, tag)
        tag += 1
    say(tag)


def read_only(folder: Path, _argument: str) -> None:
    """Read and try to write as somebody who may not write."""
    with Workspace.open(folder) as workspace:
        is_whole(workspace, workspace.current())  # imports what root alone may be able to read
    if os.geteuid() == 0:
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    with Workspace.open(folder) as workspace:
        say(is_whole(workspace, workspace.current()))
        for write in (
            lambda: publish(workspace, 9),
            workspace.rollback,
            lambda: Workspace.create(folder / "x"),
        ):
            try:
                write()
            except StoreError as error:
                say(error)


if __name__ == "__main__":
    globals()[sys.argv[1]](Path(sys.argv[2]), sys.argv[3])
