"""`caskg build`: what it counts, reads and tells."""

import gc
import subprocess
import sys
from pathlib import Path

from interfaces.kitchen import SKILLS, Run, loaded, write_skill


def test_build_counts_what_it_published(run: Run, library: Path, tmp_path: Path) -> None:
    """The document and the summary say the same numbers."""
    place = tmp_path / "new"
    document = loaded(run, "build", library, "-w", place, "--encoder", "builtin", "--profile", "paper")
    assert (document["version"], document["skills"], document["unchanged"]) == (1, len(SKILLS), False)
    assert (document["profile"], document["encoder"], document["prober"]) == ("paper", "builtin", "text")
    assert document["roots"] == [str(library)]
    assert document["diagnostics"] == []
    assert sum(document["edge_types"].values()) == document["edges"] > 0
    assert sum(document["candidate_states"].values()) == document["candidates"] >= document["probed"]
    again = run("build", "-w", place)  # profile and encoder are those of the last build
    assert again.out.startswith(f"Version 1 is up to date: {len(SKILLS)} skills, {document['edges']} edges (")
    assert again.out.endswith(f" of {document['candidates']} candidates.\nProfile paper, encoder builtin.\n")


def test_build_without_paths_reads_those_of_the_last_build(run: Run, workspace: Path, library: Path) -> None:
    """`caskg build` is what one types after editing a skill."""
    document = loaded(run, "build", "-w", workspace)
    assert (document["unchanged"], document["roots"]) == (True, [str(library)])


def test_build_leaves_the_collection_of_cycles_as_it_was(run: Run, library: Path, tmp_path: Path) -> None:
    """A host may run commands in its own process; also after a build that failed."""
    assert gc.isenabled()
    run("build", library, "-w", tmp_path / "w", "--encoder", "builtin")
    assert gc.isenabled()
    assert run("build", tmp_path / "nowhere", "-w", tmp_path / "w").code != 0
    assert gc.isenabled()
    gc.disable()
    try:
        run("build", library, "-w", tmp_path / "w")
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_build_names_files_that_it_left_out_and_counts_the_rest(run: Run, tmp_path: Path) -> None:
    """Nothing is dropped silently: each file has its line, one of a wrong name too."""
    write_skill(tmp_path / "skills", "good", "colour: red\ndescription: Paints a fence.\n---\n")
    for number in range(12):
        (tmp_path / "skills" / f"bad-{number:02d}").mkdir()
        (tmp_path / "skills" / f"bad-{number:02d}" / "SKILL.md").symlink_to("/nowhere")
    (tmp_path / "skills" / "tea").mkdir()
    (tmp_path / "skills" / "tea" / "SKILL.md.txt").write_text("Boil.")
    result = run("build", tmp_path / "skills", "-w", tmp_path / "w", "--encoder", "builtin")
    lines = result.err.splitlines()
    assert result.code == 0
    for number, line in enumerate(lines[:12]):
        assert line.startswith(f"Not indexed: {tmp_path}/skills/bad-{number:02d}/SKILL.md: ")
    assert lines[12].startswith(f"Not indexed: {tmp_path}/skills/tea/SKILL.md.txt: Is called 'SKILL.md.txt' ")
    assert lines[13:] == [
        "Other findings: 1 unknown-keys.",
        "`caskg lint` lists all findings, and so does `caskg build --json`.",
    ]
    quiet = run("build", "-w", tmp_path / "w", "--quiet")
    assert (quiet.code, quiet.err) == (0, "")
    assert len(loaded(run, "build", "-w", tmp_path / "w")["diagnostics"]) == 14


def test_the_workspace_is_found_upwards_or_in_the_environment(library: Path, tmp_path: Path) -> None:
    """$CASKG_WORKSPACE goes before the nearest .caskg above, and that before a new one here."""
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    (project / "deep").mkdir(parents=True)
    script = (
        "import os\n"
        "from caskg.interfaces.cli import cli\n"
        "def command(*words): cli.main(list(words), standalone_mode=False)\n"
        f"os.chdir({str(project)!r})\n"
        f"command('build', {str(library)!r}, '--encoder', 'builtin', '-q')\n"
        "os.chdir('deep')\n"
        "command('history')\n"
        f"os.environ['CASKG_WORKSPACE'] = {str(elsewhere)!r}\n"
        f"command('build', {str(library)!r}, '--encoder', 'builtin', '-q')\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)
    assert (project / ".caskg" / "caskg.sqlite").is_file()
    assert not (project / "deep" / ".caskg").exists()
    assert (elsewhere / "caskg.sqlite").is_file()
