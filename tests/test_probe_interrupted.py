"""A probing that is killed, stopped or interrupted: nothing is paid twice, and what was paid for is used."""

import hashlib
import json
import math
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from caskg.graph.llm_prober import LlmProber
from caskg.graph.prompts import Wording
from caskg.judging import check_paid
from caskg.providers.scripted import ScriptedChatModel
from caskg.store.workspace import Workspace
from caskg.wiring import build_workspace, example_skills
from graph.llm_cases import knowing
from providers.faulty_server import Answer, Call, FaultyServer, says

CONCURRENCY = 4
EDGES = 50


def opinion(call: Call) -> Answer:
    """Answer by what was asked, after a moment in which other calls are out."""
    digest = hashlib.sha256(json.dumps(call.body["messages"]).encode()).digest()
    return says(f'{{"score": "{digest[0] % 11 / 10:g}"}}', after_s=0.005)


class Watched:
    """A server that does something at a chosen call; a context manager."""

    def __init__(self, then: Callable[[Call], Answer] = opinion) -> None:
        self._then = then
        self.at = -1
        self.act: Callable[[], object] = lambda: None
        self.server = FaultyServer(self._answer)

    def _answer(self, call: Call) -> Answer:
        if call.number == self.at:
            self.act()
        return self._then(call)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace of thirty example skills. Not to be written to."""
    library = tmp_path_factory.mktemp("library")
    for folder in sorted(example_skills().iterdir())[:30]:
        shutil.copytree(folder, library / folder.name)
    path = tmp_path_factory.mktemp("built") / "ws"
    with Workspace.create(path) as workspace:
        build_workspace(workspace, [library], encoder="builtin")
    return path


@pytest.fixture
def folder(built: Path, tmp_path: Path) -> Path:
    return shutil.copytree(built, tmp_path / "ws")


def start(
    folder: Path, url: str, *more: str, edges: int = EDGES, prefix: Sequence[str] = ()
) -> "subprocess.Popen[str]":
    options = [
        "--model",
        "m",
        "--base-url",
        url,
        "--wording",
        "control",
        "--budget",
        str(edges),
        "--json",
        *more,
    ]
    words = ["probe", "-w", str(folder), "--concurrency", str(CONCURRENCY), *options]
    environment = {**os.environ, "CASKG_CONFIG": os.devnull}
    call = [*prefix, sys.executable, "-m", "caskg", *words]
    pipe = subprocess.PIPE
    return subprocess.Popen(call, env=environment, stdout=pipe, stderr=pipe, text=True)


def recorded(folder: Path) -> int:
    """Return how many answers of the model are in the ledger that took a call."""
    with Workspace.open(folder) as workspace:
        answers = [answer for key, answer in workspace.ledger.entries() if key.prober_id.startswith("llm:")]
        return sum(answer.calls > 0 for answer in answers)


def published(folder: Path) -> dict[str, object]:
    """Return all that a version consists of, but its number and age."""
    with Workspace.open(folder) as workspace:
        version = workspace.current()
        arrays = {name: np.asarray(version.arrays[name]).tolist() for name in sorted(version.arrays)}
        return {**arrays, "models": version.meta["sources"], "types": version.meta["types"]}


def probed(folder: Path, *more: str, edges: int = EDGES) -> tuple[dict[str, object], list[Call]]:
    """Return what an undisturbed run publishes, and the calls that it takes."""
    with FaultyServer(opinion) as server:
        out, err = start(folder, server.url, *more, edges=edges).communicate(timeout=120)
        assert json.loads(out)["unasked"] == 0, err
        return published(folder), server.calls


def asked(calls: list[Call]) -> set[str]:
    """Return what was asked."""
    return {json.dumps(call.body["messages"]) for call in calls}


def killed_and_resumed(folder: Path, kills: int, *more: str, edges: int = EDGES, plan: int) -> list[Call]:
    """Kill a run again and again, let the last one end, and return every call that was sent.

    Raises:
        AssertionError: A kill lost more answers than could be out, or a call beside those was sent twice.
    """
    moments, lost, before = random.Random(5), 0, recorded(folder)
    watched = Watched()
    with watched.server as server:
        for left in range(kills, 0, -1):
            process = start(folder, server.url, *more, edges=edges)
            watched.act = process.kill
            ahead = plan + lost - len(server.calls)
            watched.at = len(server.calls) + moments.randrange(max(1, 2 * ahead // (left + 1)))
            process.communicate(timeout=120)
            assert process.returncode in (-signal.SIGKILL, 0)
            cut_off = len(server.calls) - lost - recorded(folder) + before
            assert 0 <= cut_off <= CONCURRENCY
            lost += cut_off
        watched.at = -1
        out, err = start(folder, server.url, *more, edges=edges).communicate(timeout=120)
        assert json.loads(out)["unasked"] == 0, err
        assert len(server.calls) == plan + lost
        assert recorded(folder) == plan + before
        return server.calls


def test_a_run_that_is_killed_goes_on_where_it_was(folder: Path, tmp_path: Path) -> None:
    """Only what was out at the kill is sent twice, and the graph is that of an undisturbed run."""
    whole, plan = probed(shutil.copytree(folder, tmp_path / "whole"), edges=12)
    calls = killed_and_resumed(folder, 2, edges=12, plan=len(plan))
    assert asked(calls) == asked(plan)
    assert published(folder) == whole


def checked(folder: Path) -> Path:
    """Let the judge check be made in a workspace: of a model that knows."""
    model = "chat-m-temperature=0-seed=0-schema=auto-logprobs=0-extra=none"
    prober = LlmProber(ScriptedChatModel(knowing, fingerprint=model), wording=Wording.PAPER)
    with Workspace.open(folder) as workspace:
        assert check_paid(prober, ledger=workspace.ledger).units == 3
    return folder


def test_rounds_that_are_killed_are_repeated(folder: Path, tmp_path: Path) -> None:
    """Adaptive: the same questions are asked, none twice but what was out, and the graph is the same."""
    asking = ("--adaptive", "--wording", "paper")
    whole, plan = probed(shutil.copytree(checked(folder), tmp_path / "whole"), *asking, edges=20)
    assert 20 < len(plan) <= 30
    calls = killed_and_resumed(folder, 3, *asking, edges=20, plan=len(plan))
    assert asked(calls) == asked(plan)
    assert published(folder) == whole


@pytest.mark.full
def test_twenty_kills_cost_no_more_than_what_was_out(folder: Path, tmp_path: Path) -> None:
    """A plan of fifty edges, killed at twenty random moments."""
    whole, plan = probed(shutil.copytree(folder, tmp_path / "whole"))
    calls = killed_and_resumed(folder, 20, plan=len(plan))
    assert asked(calls) == asked(plan)
    assert published(folder) == whole


@pytest.mark.full
def test_a_kill_at_any_other_time_loses_nothing(folder: Path, tmp_path: Path) -> None:
    """While it reads, while it plans, while it publishes."""
    whole, plan = probed(shutil.copytree(folder, tmp_path / "whole"), edges=12)
    moments = random.Random(6)
    with FaultyServer(opinion) as server:
        for _ in range(20):
            process = start(folder, server.url, edges=12)
            with pytest.raises(subprocess.TimeoutExpired):
                process.communicate(timeout=moments.uniform(0.05, 1.0))
            process.kill()
            process.communicate()
        out, err = start(folder, server.url, edges=12).communicate(timeout=120)
        assert json.loads(out)["unasked"] == 0, err
        assert len(plan) <= len(server.calls) <= len(plan) + 20 * CONCURRENCY
    assert recorded(folder) == len(plan)
    assert published(folder) == whole


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_with_what_is_out_and_publishes_it(folder: Path, stop: signal.Signals) -> None:
    """Ctrl-C, a kind kill, a closed terminal: nothing more is sent; what was paid for is used."""
    watched = Watched()
    with watched.server as server:
        process = start(folder, server.url)
        watched.act = partial(process.send_signal, stop)
        watched.at = 12
        out, err = process.communicate(timeout=120)
        done = json.loads(out)
        assert 13 <= len(server.calls) <= 13 + 2 * CONCURRENCY
    assert (process.returncode, done["stopped"], done["version"]) == (0, "it was interrupted", 2)
    assert done["scored"] == len(server.calls) == recorded(folder)
    assert done["unasked"] == done["open"] - done["scored"]
    assert err.startswith("caskg: stopping when the ")
    assert [path.name for path in folder.glob("*.sqlite-*")] == []  # the ledger was closed


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_ends_at_once(folder: Path, stop: signal.Signals) -> None:
    """What came is kept; nothing is published."""
    watched = Watched(lambda call: opinion(call) if call.number < 8 else says(after_s=math.inf))
    with watched.server as server, start(folder, server.url) as process:

        def interrupt() -> None:
            process.send_signal(stop)
            assert process.stderr is not None
            process.stderr.readline()  # the first was understood
            time.sleep(0.0 if stop is signal.SIGINT else 1.1)  # the same second is the same stop
            process.send_signal(stop)

        watched.act, watched.at = interrupt, 9
        assert process.wait(timeout=120) == 130
        assert process.stdout is not None
        assert process.stdout.read() == ""
    assert 1 <= recorded(folder) <= 8
    with Workspace.open(folder) as workspace:
        assert workspace.current().number == 1


def test_who_ends_a_process_and_its_group_stops_it_once(folder: Path) -> None:
    """As `timeout` does: two signals at once are one, and what was paid for is published."""
    watched = Watched()
    with watched.server as server, start(folder, server.url) as process:

        def end() -> None:
            process.send_signal(signal.SIGTERM)
            assert process.stderr is not None
            process.stderr.readline()
            process.send_signal(signal.SIGTERM)

        watched.act, watched.at = end, 9
        assert process.wait(timeout=120) == 0
        assert process.stdout is not None
        assert json.loads(process.stdout.read())["stopped"] == "it was interrupted"


def test_a_signal_that_is_ignored_stays_so(folder: Path) -> None:
    """As under nohup; and a second closing of the terminal is no order to hurry."""
    watched = Watched()
    with watched.server as server:
        process = start(folder, server.url, edges=12, prefix=["nohup"])
        watched.act, watched.at = partial(process.send_signal, signal.SIGHUP), 5
        out, _ = process.communicate(timeout=120)
        assert (process.returncode, json.loads(out)["stopped"]) == (0, None)
    again = Watched(lambda call: opinion(call) if call.number < 8 else says('{"score": "1"}', after_s=0.2))
    with again.server as server, start(folder, server.url) as process:

        def hang_up() -> None:
            process.send_signal(signal.SIGHUP)
            assert process.stderr is not None
            process.stderr.readline()
            process.send_signal(signal.SIGHUP)

        again.act, again.at = hang_up, 9
        assert process.wait(timeout=60) == 0
        assert process.stdout is not None
        assert json.loads(process.stdout.read())["scored"] == len(server.calls)
