"""What docs/cli.md shows of the program, the program prints: commands, words and order, not each number."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
SHOWN = re.compile(r"^\$ (.*)\n((?:(?!\$ |```).*\n)*)", re.MULTILINE)
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[str]:
    return [text for name, text in BLOCK.findall(PAGE) if name == language]


def shape(text: str) -> list[str]:
    """Return the lines with `#` for each number, date and path, and one blank for several."""
    text = re.sub(r"/\S*/(\.caskg|examples)", r"\1", text)
    text = re.sub(r"\d[\d,.:T+-]*", "#", text)
    return [re.sub(r"  +", " ", line).rstrip() for line in text.splitlines() if line.strip()]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the examples and the tasks of the page."""
    place = tmp_path_factory.mktemp("project")
    (place / "examples").symlink_to(ROOT / "examples")
    (place / "tasks.jsonl").write_text(next(text for text in blocks("json") if "must_include" in text))
    return place


def test_the_samples_of_the_page(place: Path) -> None:
    """In order, for each builds on those before; a repair needs damage, and is tested elsewhere."""
    (place / "bin").mkdir()
    caskg = place / "bin" / "caskg"
    caskg.write_text(f'#!/bin/sh\nexec {sys.executable} -m caskg "$@"\n')
    caskg.chmod(0o755)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("CASKG_")}
    environment |= {"PATH": f"{caskg.parent}:{environment['PATH']}", "COLUMNS": "200"}
    samples = [each for text in blocks("console") for each in SHOWN.findall(text)]
    assert len(samples) > 15
    for command, shown in samples:
        if command == "caskg repair":
            continue
        done = subprocess.run(
            command, shell=True, cwd=place, env=environment, capture_output=True, text=True, check=False
        )
        assert (command, shape(done.stdout)) == (command, shape(shown)), done.stderr
