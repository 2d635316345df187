"""A small library on disk, built once by the command line itself, and a way to run commands."""

import shutil
from pathlib import Path

import pytest

from caskg.interfaces.cli import cli, main
from interfaces.kitchen import SKILLS, Result, Run, write_skill


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command line as the shell would, in this process."""

    def command(*arguments: str | Path) -> Result:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        code = ended.value.code
        return Result(code if isinstance(code, int) else 0, *capsys.readouterr())

    return command


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of `SKILLS`."""
    folder = tmp_path_factory.mktemp("library")
    for skill_id, text in SKILLS.items():
        write_skill(folder, skill_id, text)
    return folder


@pytest.fixture(scope="session")
def built(library: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with `SKILLS`, built with the encoder that needs nothing. Not to be written to."""
    folder = tmp_path_factory.mktemp("built") / "workspace"
    cli.main(["build", str(library), "-w", str(folder), "--encoder", "builtin"], standalone_mode=False)
    return folder


@pytest.fixture
def workspace(built: Path, tmp_path: Path) -> Path:
    """A copy of it, to be written to."""
    return shutil.copytree(built, tmp_path / "workspace")
