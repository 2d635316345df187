"""A wheel installed alone into an empty environment runs the whole walk."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.full
def test_a_wheel_alone_runs_the_demo_with_the_builtin_encoder(tmp_path: Path) -> None:
    """No checkout, no extra: the example library comes in the wheel, and the encoder needs nothing."""
    python = tmp_path / "venv" / "bin" / "python"
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(tmp_path), str(ROOT))
    run(sys.executable, "-m", "venv", str(python.parents[1]))
    (wheel,) = tmp_path.glob("caskg-*.whl")
    run(str(python), "-m", "pip", "install", "-q", "-c", str(ROOT / "constraints.txt"), str(wheel))
    found = run(str(python.with_name("caskg")), "demo", "--json", cwd=tmp_path)
    document = json.loads(found)
    assert document["build"]["encoder"] == "builtin"
    assert [answer["abstained"] for answer in document["answers"]] == [False, False, True]
    assert all(skill["reason"] for answer in document["answers"] for skill in answer["skills"])


def run(*command: str, cwd: Path | None = None) -> str:
    """Run *command* to its end, without a look at this checkout; return what it printed."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    return subprocess.run(
        command, check=True, cwd=cwd, env=environment, stdout=subprocess.PIPE, text=True
    ).stdout
