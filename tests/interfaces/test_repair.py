"""`caskg repair`: a damaged or lost database costs no answer and no label that can still be read."""

import shlex
from pathlib import Path

from interfaces.kitchen import TASK, Run, loaded


def test_a_damaged_database_is_repaired_and_built_again(run: Run, workspace: Path, library: Path) -> None:
    """Every command says what to do; the last line of the repair says what to build."""
    run("edge", "confirm", "wash-dishes", "brew-tea", "-w", workspace)
    before = loaded(run, "status", "-w", workspace)
    file = workspace / "caskg.sqlite"
    file.write_bytes(b"\xff" * 100 + file.read_bytes()[100:])
    for command in (["query", TASK], ["status"], ["build"]):
        result = run(*command, "-w", workspace)
        assert (result.code, result.out) == (6, "")
        assert "`caskg repair`" in result.err
    lines = run("repair", "-w", workspace).out.splitlines()
    assert lines[0] == f"The old files are in {workspace / 'damaged-1'}."
    assert lines[1].startswith("Saved: labels 2, vectors 9, answers ")
    assert lines[2:] == [
        "Damaged and lost: nothing.",
        f"Run `caskg build --profile default --encoder builtin {shlex.quote(str(library))}` "
        "to publish a version anew.",
    ]
    assert run("build", library, "-w", workspace, "--encoder", "builtin").out.startswith(
        "Version 1 published"
    )
    after = loaded(run, "status", "-w", workspace)
    assert (after["labels"], after["labels_to_check"]) == (2, [])
    assert after["answers"]["text"]["answers"] == before["answers"]["text"]["answers"] > 0


def test_a_lost_database_is_no_folder_of_other_files(run: Run, workspace: Path, library: Path) -> None:
    """A build says what happened and touches nothing; a repair goes on without, and says what that costs."""
    (workspace / "caskg.sqlite").unlink()
    result = run("build", library, "-w", workspace)
    assert result.code == 6
    assert "has lost its database" in result.err
    assert list((workspace / "versions" / "1").iterdir())
    document = loaded(run, "repair", "-w", workspace)
    assert document["repaired"]
    assert {"answers", "labels"} <= set(document["torn"])
    assert document["last_build"] == {"roots": None, "profile": None, "encoder": None}
    assert run("build", library, "-w", workspace).out.startswith("Version 1 published: 7 skills")


def test_what_was_lost_is_told(run: Run, workspace: Path) -> None:
    """A repair that keeps quiet about a gap would be the loss we promised not to have."""
    file = workspace / "caskg.sqlite"
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])
    out = run("repair", "-w", workspace).out
    assert "Could not be read to the end, so that more may be lost: " in out


def test_a_sound_workspace_is_left_alone(run: Run, workspace: Path) -> None:
    """Its versions would be lost for nothing."""
    assert loaded(run, "repair", "-w", workspace) == {"repaired": False}
    assert run("repair", "-w", workspace).out.startswith("The records are sound; nothing was changed.")
    assert run("query", TASK, "-w", workspace).code == 0
