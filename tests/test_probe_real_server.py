"""A probing against llama.cpp's server with a small model: the count and the resume; not what it says."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from caskg.store.workspace import Workspace
from caskg.wiring import build_workspace
from interfaces.kitchen import SKILLS, write_skill
from providers.test_real_server import KEY, serve

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    server = serve(embedding=False)
    yield f"{server.listening_address}/v1"
    del server


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for skill_id, text in SKILLS.items():
        write_skill(tmp_path / "library", skill_id, text)
    with Workspace.create(tmp_path / "ws") as workspace:
        build_workspace(workspace, [tmp_path / "library"], encoder="builtin")
    return tmp_path / "ws"


def start(folder: Path, url: str, *more: str) -> "subprocess.Popen[str]":
    options = [
        "--model",
        "smollm2",
        "--base-url",
        url,
        "--wording",
        "control",
        "--budget",
        "2",
        "--json",
        *more,
    ]
    call = [sys.executable, "-m", "caskg", "probe", "-w", str(folder), "--concurrency", "2", *options]
    environment = {**os.environ, "CASKG_CONFIG": os.devnull, "CASKG_LLM_API_KEY": KEY}
    pipe = subprocess.PIPE
    return subprocess.Popen(call, env=environment, stdout=pipe, stderr=pipe, text=True)


def counts(folder: Path) -> tuple[int, int]:
    """Return how many answers with and without a score are in the ledger."""
    with Workspace.open(folder) as workspace:
        said = [
            answer.score for key, answer in workspace.ledger.entries() if key.prober_id.startswith("llm:")
        ]
    return sum(score is not None for score in said), said.count(None)


def test_a_plan_is_asked_once_over_a_limit_and_a_kill(folder: Path, url: str) -> None:
    """What has a score is never open again; the calls that are counted are those of the plan."""
    plan = json.loads(start(folder, url, "--plan").communicate(timeout=300)[0])["total"]["calls"]
    assert 6 <= plan <= 8
    out, err = start(folder, url, "--max-calls", "3").communicate(timeout=300)
    first = json.loads(out)
    assert (first["open"], first["spent"]["calls"], first["unasked"]) == (plan, 3, plan - 3), err
    scored, missing = counts(folder)
    assert (scored, missing) == (first["scored"], first["missing"])

    process = start(folder, url)
    while process.poll() is None and sum(counts(folder)) < scored + missing + 1:
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.5)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=300)
    before = counts(folder)
    last = json.loads(start(folder, url).communicate(timeout=300)[0])
    assert last["open"] == plan - before[0]
    assert last["spent"]["calls"] == last["open"]
    assert last["unasked"] == 0
    assert counts(folder)[0] == before[0] + last["scored"]
    use = next(iter(last["models"].values()))
    assert 0 < use["n_answers"] <= plan


def test_the_key_is_in_no_file(folder: Path, url: str) -> None:
    """Of the workspace, nor in what is printed."""
    out, err = start(folder, url, "--max-calls", "1").communicate(timeout=300)
    assert KEY not in out + err
    assert all(KEY.encode() not in path.read_bytes() for path in folder.rglob("*") if path.is_file())
