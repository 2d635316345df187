"""What bad input gets: one sentence, a documented exit code, and nothing is lost."""

import json
import os
import pty
import re
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from xml.etree import ElementTree

import click
import numpy as np
import pytest

from caskg.interfaces.cli import cli
from caskg.store.database import FORMAT
from caskg.store.workspace import Workspace
from interfaces.kitchen import TASK, Result, Run, write_skill

CASKG = [sys.executable, "-c", "from caskg.interfaces.cli import main; main()"]
USAGE, LIBRARY, ENCODER, STORE, INTERRUPTED = 2, 3, 4, 6, 130


def refused(result: Result, code: int, *words: str) -> None:
    """Check that a command said in one line what is wrong, and no more."""
    assert result.code == code, result
    assert result.out == ""
    assert result.err.startswith("caskg: ")
    assert result.err.count("\n") == 1
    assert result.err.endswith((".\n", "?\n"))
    for word in words:
        assert word in result.err


def answers(run: Run, workspace: Path, *, version: int = 1) -> None:
    """Check that a version of the workspace is current and answers."""
    result = run("query", TASK, "-w", workspace, "--json")
    assert (result.code, result.err) == (0, "")
    document = json.loads(result.out)
    assert document["version"] == version
    assert "brew-tea" in [skill["id"] for skill in document["skills"]]


def shell(script: str, workspace: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a shell script in which ``caskg`` is this command line and ``$W`` the workspace."""
    function = f"caskg() {{ {sys.executable} -c 'from caskg.interfaces.cli import main; main()' \"$@\"; }}\n"
    return subprocess.run(
        ["bash", "-c", function + script],
        env={**os.environ, "W": str(workspace), **environment},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


# ---------------------------------------------------------------- arguments


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["no-such-command"], ["No such command 'no-such-command'", "`caskg --help`"]),
        (["edge", "no-such-command", "a", "b"], ["No such command", "`caskg edge --help`"]),
        (["query", TASK, "--no-such-option"], ["No such option '--no-such-option'", "`caskg query --help`"]),
        (["build", "--profile", "fast"], ["'fast' is not one of 'paper', 'default'"]),
        (["build", "--encoder", "big"], ["'big' is not one of 'auto', 'local', 'builtin'"]),
        (["demo", "--encoder", "big"], ["'big' is not one of 'auto', 'local', 'builtin'"]),
        (["graph", "--format", "svg"], ["'svg' is not one of 'json', 'graphml', 'dot'"]),
        (["graph", "--format", "dot", "--json"], ["--json prints JSON, not dot", "--output"]),
        (["query"], ["Missing argument 'TASK...'"]),
        (["query", ""], ["task text is empty"]),
        (["query", " \n"], ["task text is empty"]),
        (["query", "rice " * 200_000], ["1,000,000 characters"]),
        (["query", TASK, "-k", "0"], ["'-k': 0 is not in the range x>=1"]),
        (["query", TASK, "-k", "-3"], ["-3 is not in the range x>=1"]),
        (["query", TASK, "-k", "many"], ["'many' is not a valid integer"]),
        (["query", TASK, "--max-chars", "199"], ["199 is not in the range x>=200"]),
        (["explain", "brew-tea"], ["Give either TARGET or --task"]),
        (["explain", "brew-tea", "boil-water", "--task", TASK], ["Give either TARGET or --task"]),
        (["explain", "brew-te", "boil-water"], ["no skill 'brew-te'", "Did you mean brew-tea?"]),
        (["explain", "brew-tea", "send-invoce"], ["Did you mean office/send-invoice?"]),
        (["show", "xyz"], ["no skill 'xyz' in version 1", "`caskg query` finds"]),
        (["show", ""], ["no skill ''"]),
        (["show", "two\nlines\x1b[2J"], [r"no skill 'two\nlines\x1b[2J'"]),
        (["edge", "confirm", "brew-tee", "boil-water"], ["Did you mean brew-tea?"]),
        (["edge", "reject", "boil-water", "nothing"], ["no skill 'nothing'"]),
        (["edge", "confirm", "brew-tea", "brew-tea"], ["joins 'brew-tea' to itself"]),
        (["rollback", "first"], ["'first' is not a valid integer"]),
        (["rollback", "0"], ["0 is not in the range"]),
        (["rollback", "99999999999999999999"], ["is not in the range"]),
    ],
)
def test_a_wrong_argument_is_refused(
    run: Run, built: Path, arguments: list[str], words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 2, the value, and what to do; the same sentence with --json."""
    monkeypatch.setenv("CASKG_WORKSPACE", str(built))
    refused(run(*arguments), USAGE, *words)
    refused(run(*arguments, "--json"), USAGE)


@pytest.mark.parametrize("arguments", [[], ["edge"]])
def test_no_command_gets_the_help(run: Run, arguments: list[str]) -> None:
    """On standard error, since nothing was done."""
    result = run(*arguments)
    assert (result.code, result.out) == (USAGE, "")
    assert result.err.startswith("Usage: caskg ")
    assert "Commands:" in result.err


def test_a_name_that_several_skills_bear_is_asked_back(run: Run, tmp_path: Path) -> None:
    """No guess: the ids that it may mean are listed."""
    for folder in ("red", "blue"):
        write_skill(tmp_path / "skills", f"{folder}/paint", f"description: Paints {folder}.\n---\n")
    run("build", tmp_path / "skills", "-w", tmp_path / "w", "--encoder", "builtin")
    result = run("show", "paint", "-w", tmp_path / "w")
    refused(result, USAGE, "'paint' may be any of blue/paint, red/paint: give the whole id")
    refused(run("edge", "confirm", "paint", "red/paint", "-w", tmp_path / "w"), USAGE, "give the whole id")


def test_an_output_that_cannot_be_written_is_named(run: Run, built: Path, tmp_path: Path) -> None:
    """A folder, or below nothing."""
    for path in (tmp_path, tmp_path / "nothing" / "graph.dot"):
        refused(run("graph", "-o", path, "-w", built), USAGE, f"Cannot write {path} (", "choose another file")


# ---------------------------------------------------------------- libraries


def test_a_folder_without_skills_is_refused_and_leaves_nothing_behind(run: Run, tmp_path: Path) -> None:
    """An empty workspace would hide the one further up."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "file.txt").write_text("no skill")
    (tmp_path / "folder" / "SKILL.md").mkdir(parents=True)
    for name, word in (
        ("nothing", "There is nothing at"),
        ("empty", "There is no SKILL.md in"),
        ("file.txt", "neither a folder nor a SKILL.md"),
        ("folder", "There is no SKILL.md in"),
    ):
        refused(run("build", tmp_path / name, "-w", tmp_path / "w"), LIBRARY, word, str(tmp_path / name))
    assert not (tmp_path / "w").exists()


def test_a_library_that_became_unreadable_leaves_the_published_version(
    run: Run, workspace: Path, tmp_path: Path
) -> None:
    """Every way in which a file cannot be read: none of them costs what was there."""
    for name in ("link", "big"):
        (tmp_path / name / "skill").mkdir(parents=True)
    (tmp_path / "link" / "skill" / "SKILL.md").symlink_to("/nowhere")
    (tmp_path / "big" / "skill" / "SKILL.md").write_bytes(b"a" * (2**20 + 1))
    for name, word in (("link", "leads nowhere"), ("big", "1048577 bytes"), ("none", "nothing at")):
        refused(run("build", tmp_path / name, "-w", workspace), LIBRARY, word)
        answers(run, workspace)


def test_no_folder_at_all_is_asked_for(tmp_path: Path) -> None:
    """Without PATHS, a last build, or a folder of a host."""
    environment = {"HOME": str(tmp_path)}
    result = shell('cd "$HOME" && caskg build', tmp_path / "w", **environment)
    assert (result.returncode, result.stdout) == (LIBRARY, "")
    assert result.stderr.startswith("caskg: No folder of skills was named")
    assert not (tmp_path / ".caskg").exists()


# ---------------------------------------------------------------- workspaces


ON_A_WORKSPACE = [
    ["query", TASK],
    ["eval", "tasks.jsonl"],
    ["explain", "a", "b"],
    ["show", "a"],
    ["graph"],
    ["edge", "confirm", "a", "b"],
    ["edge", "reject", "a", "b"],
    ["edge", "clear", "a", "b"],
    ["probe", "--model", "m"],
    ["ledger", "list"],
    ["ledger", "totals"],
    ["ledger", "export"],
    ["ledger", "prune"],
    ["ledger", "import", __file__],
    ["disable", "a"],
    ["enable", "a"],
    ["status"],
    ["history"],
    ["rollback"],
]


def test_every_command_on_a_workspace_is_tested_below() -> None:
    """A new one must be added there."""
    tested = {arguments[0] for arguments in ON_A_WORKSPACE} | {"build", "repair"}
    assert set(cli.list_commands(click.Context(cli))) == tested | {"bench", "demo", "judge-check", "lint"}


@pytest.mark.parametrize("arguments", ON_A_WORKSPACE, ids=" ".join)
def test_no_workspace_is_said_by_every_command(run: Run, tmp_path: Path, arguments: list[str]) -> None:
    """And none makes one, or takes a damaged one for an empty one."""
    refused(run(*arguments, "-w", tmp_path / "w"), STORE, "There is no workspace at", "caskg build")
    assert not (tmp_path / "w").exists()
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "caskg.sqlite").write_bytes(bytes(range(256)) * 32)
    refused(run(*arguments, "-w", tmp_path / "w"), STORE, "damaged")
    refused(run(*arguments, "-w", tmp_path / "w" / "caskg.sqlite"), STORE, "is a file")


@pytest.mark.parametrize("arguments", [*ON_A_WORKSPACE, ["build"], ["repair"]], ids=" ".join)
def test_a_newer_format_is_refused_by_every_command(run: Run, workspace: Path, arguments: list[str]) -> None:
    """And left as it is: an older program would drop what it does not know."""
    file = workspace / "caskg.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(f"PRAGMA user_version = {FORMAT + 1}")
    before = file.read_bytes()
    words = f"has format {FORMAT + 1}, and this CaSKG reads up to {FORMAT}: upgrade CaSKG"
    refused(run(*arguments, "-w", workspace), STORE, words)
    assert file.read_bytes() == before


def test_build_takes_no_folder_of_other_files_for_a_workspace(
    run: Run, library: Path, tmp_path: Path
) -> None:
    """Not a skill folder, not a file, not a damaged database."""
    refused(run("build", library, "-w", library), STORE, "holds other files")
    (tmp_path / "file").write_text("text")
    refused(run("build", library, "-w", tmp_path / "file"), STORE, "is a file")
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "caskg.sqlite").write_bytes(b"no database at all" * 100)
    refused(run("build", library, "-w", tmp_path / "w"), STORE, "damaged")
    refused(run("build", library, "-w", "/proc/w"), STORE, "/proc/w")


def test_a_damaged_version_is_found_and_mended_by_building_again(run: Run, workspace: Path) -> None:
    """Although the library did not change; the way back to the damaged one is refused."""
    path = workspace / "versions" / "1" / "vectors.npy"
    path.write_bytes(path.read_bytes()[:-8])
    for arguments in (["query", TASK], ["graph"], ["show", "brew-tea"], ["status"]):
        refused(run(*arguments, "-w", workspace), STORE, "vectors.npy is damaged", "Build again")
    assert run("history", "-w", workspace).code == 0
    assert run("build", "-w", workspace).out.startswith("Version 2 published: 7 skills")
    answers(run, workspace, version=2)
    refused(run("rollback", "-w", workspace), STORE, "damaged")
    answers(run, workspace, version=2)


@pytest.mark.parametrize("name", ["graph.target", "graph.weight", "short.weights", "names"])
def test_damaged_data_are_named_and_mended_by_building_again(run: Run, workspace: Path, name: str) -> None:
    """A byte in the middle of an array must neither end in a traceback nor change an answer unseen."""
    (path,) = (workspace / "versions" / "1").glob(f"{name}*.npy")
    whole = bytearray(path.read_bytes())
    whole[-2] ^= 0xFF
    path.write_bytes(whole)
    refused(run("query", TASK, "-w", workspace), STORE, "are not what was written", "Build again")
    assert run("build", "-w", workspace).out.startswith("Version 2 published: 7 skills")
    answers(run, workspace, version=2)


@pytest.mark.parametrize(
    "said", [{"encoder": "local"}, {"encoder_fingerprint": "lsa-0"}, {"encoder": "other"}], ids=str
)
def test_a_version_of_another_encoder_is_not_compared_with_this_one(
    run: Run, workspace: Path, library: Path, said: dict[str, str]
) -> None:
    """Distances between vectors of two encoders mean nothing; what needs no vector still answers."""
    with Workspace.open(workspace) as opened:
        version = opened.current()
        arrays = {name: np.array(array) for name, array in version.arrays.items()}
        meta = {**version.meta, "state": "", **said}
        opened.publish(skills=list(version.skills), arrays=arrays, meta=meta)
    refused(run("query", TASK, "-w", workspace), ENCODER, "built with the", "build")
    refused(run("explain", "brew-tea", "--task", TASK, "-w", workspace), ENCODER, "built with the")
    assert run("show", "brew-tea", "-w", workspace).code == 0
    assert run("build", library, "--encoder", "builtin", "-w", workspace).code == 0
    answers(run, workspace, version=3)


def test_rollback_needs_an_earlier_version(run: Run, workspace: Path) -> None:
    """The first has none, and a number must be known."""
    refused(run("rollback", "-w", workspace), STORE, "Version 1 is the first one", "none to go back to")
    refused(run("rollback", "7", "-w", workspace), STORE, "no version 7", "Known versions: 1")
    answers(run, workspace)


def test_a_full_disk_loses_nothing(run: Run, workspace: Path, tmp_path: Path) -> None:
    """Files that may not grow stand for the disk: the build fails, what was published stays."""
    for number in range(60):
        write_skill(
            tmp_path / "skills", f"skill-{number}", f"description: Turns wheel {number}.\n---\n{'turn ' * 99}"
        )
    code = (
        "import resource\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))\n"
        "from caskg.interfaces.cli import main\n"
        f"main(['build', {str(tmp_path / 'skills')!r}, '-w', {str(workspace)!r}])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    refused(Result(result.returncode, result.stdout, result.stderr), STORE, str(workspace), "space")
    answers(run, workspace)


def test_a_disk_without_a_free_byte_still_answers(built: Path) -> None:
    """Reading needs no room; what needs some says so."""
    asks = shell('ulimit -f 0; caskg query -w "$W" brew a pot of green tea', built)
    assert (asks.returncode, asks.stderr) == (0, "")
    assert "brew-tea" in asks.stdout
    writes = shell('ulimit -f 0; caskg disable brew-tea -w "$W"', built)
    refused(Result(writes.returncode, writes.stdout, writes.stderr), STORE, "the disk is full")


def test_a_rollback_to_damaged_data_is_refused(run: Run, workspace: Path) -> None:
    """The file is named, and the version that was current answers."""
    run("edge", "confirm", "wash-dishes", "brew-tea", "-w", workspace)
    run("build", "-w", workspace)
    path = workspace / "versions" / "1" / "graph.weight.npy"
    path.write_bytes(path.read_bytes()[:-1] + b"\x7f")
    refused(run("rollback", "-w", workspace), STORE, "versions/1/graph.weight.npy is damaged")
    answers(run, workspace, version=2)


def test_an_interrupted_build_keeps_the_old_version(run: Run, workspace: Path, tmp_path: Path) -> None:
    """Ctrl-C at a terminal: exit code 130, the progress is wiped away, the old version answers."""
    write_skill(tmp_path / "skills", "new", "description: Paints a fence.\n---\n")
    terminal, end = pty.openpty()
    lock = sqlite3.connect(workspace / "caskg.sqlite", isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")  # the build must wait for us before it can record anything
    arguments = ["build", str(tmp_path / "skills"), "-w", str(workspace)]
    build = subprocess.Popen([*CASKG, *arguments], stderr=end, stdout=subprocess.PIPE, start_new_session=True)
    os.close(end)
    seen = b""
    while b"parse" not in seen:
        seen += os.read(terminal, 4096)
    build.send_signal(signal.SIGINT)
    lock.execute("ROLLBACK")
    lock.close()
    out, _ = build.communicate()
    seen += rest_of(terminal)
    assert (build.returncode, out) == (INTERRUPTED, b"")
    assert b"caskg: interrupted; what was published before is untouched." in seen
    assert b"Traceback" not in seen
    answers(run, workspace)
    assert run("build", tmp_path / "skills", "-w", workspace).out.startswith("Version 2 published: 1 skills")


def rest_of(terminal: int) -> bytes:
    """Return what is left to read; Linux reports a terminal whose other end is closed as an error."""
    seen = b""
    try:
        while data := os.read(terminal, 4096):
            seen += data
    except OSError:
        pass
    os.close(terminal)
    return seen


# ---------------------------------------------------------------- standard output


def test_a_reader_that_goes_away_is_no_error(built: Path) -> None:
    """`caskg graph | head -1`, and a reader that never reads."""
    status = 'echo "${PIPESTATUS[0]}"'
    result = shell(
        f'caskg graph -w "$W" | head -1; {status}; caskg query tea -w "$W" | true; {status}', built
    )
    assert (result.stdout, result.stderr) == ("{\n0\n0\n", "")


def test_a_full_or_closed_standard_output_ends_in_a_sentence(built: Path) -> None:
    """Nothing is printed twice, and nothing breaks when Python ends."""
    full = shell('caskg graph -w "$W" > /dev/full', built)
    assert (full.returncode, full.stderr.count("\n")) == (1, 1)
    assert full.stderr.startswith("caskg: Cannot write to standard output (No space left on device)")
    closed = shell('caskg query tea -w "$W" >&-', built)
    assert (closed.returncode, closed.stderr) == (0, "")
    silent = shell("caskg no-such-command 2>&-", built)
    assert (silent.returncode, silent.stdout) == (2, "")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_locale_without_the_letters_breaks_nothing(built: Path, encoding: str) -> None:
    """What it cannot show is escaped; JSON is UTF-8 in any case."""
    script = 'caskg show 泡茶 -w "$W" && caskg show 泡茶 --json -w "$W"'
    result = shell(script, built, LC_ALL="C", PYTHONIOENCODING=encoding)
    assert (result.returncode, result.stderr) == (0, "")
    text, document = re.split(r"^(?=\{)", result.stdout, maxsplit=1, flags=re.MULTILINE)
    assert "office/" in text
    assert json.loads(document)["id"] == "office/泡茶"


# ---------------------------------------------------------------- strangers' text

HOSTILE = '"\\e[31m\\e]0;owned\\a \\x9b31m \\u202etxt.exe\\u2028 \\x7f"'


@pytest.fixture
def hostile(tmp_path: Path, run: Run) -> Path:
    """A workspace whose ids, names, descriptions and bodies hold what a terminal obeys."""
    for number in range(3):
        folder = tmp_path / "skills" / f"esc\x1b[2J\n9. forged-{number}\u202e"
        folder.mkdir(parents=True)
        text = f"name: {HOSTILE}\ndescription: {HOSTILE}\n---\nPaints the fence {number} \x1b[2J\x9b\u202e\n"
        (folder / "SKILL.md").write_text(f"---\n{text}", encoding="utf-8")
    place = tmp_path / "hostile\x1b[31m"
    result = run("build", tmp_path / "skills", "-w", place, "--encoder", "builtin")
    assert result.code == 0
    return place


def test_strangers_text_cannot_drive_the_terminal(run: Run, hostile: Path, tmp_path: Path) -> None:
    """On both streams, in every command, with and without --json; no line is feigned."""
    with Workspace.open(hostile) as opened:
        skill, other, _ = opened.current().ids
    commands: list[list[str | Path]] = [
        ["build", tmp_path / "skills"],
        ["query", "paint the fence", "--exclude", "x\x1b[31m"],
        ["query", "paint the fence", "--bundle"],
        ["explain", skill, other],
        ["explain", skill, "--task", "paint the fence"],
        ["show", skill, "--body"],
        ["show", "x\x1b[2J"],
        ["graph", "--format", "dot"],
        ["graph", "--format", "graphml"],
        ["edge", "confirm", skill, other, "--note", "\x1b[31m"],
        ["status"],
        ["history"],
        ["rollback", "x\x1b"],
    ]
    for arguments in commands:
        for extra in ([], ["--json"]):
            result = run(*arguments, *extra, "-w", hostile)
            assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u202a-\u202e]", result.out + result.err)
            assert not re.search(r"^9\. forged", result.out + result.err, re.MULTILINE)


def test_json_and_graphml_hold_strangers_text_as_it_is(run: Run, hostile: Path) -> None:
    """Escapes are for the eye: a program gets the very text."""
    with Workspace.open(hostile) as opened:
        skill = opened.current().skills[0]
    document = json.loads(run("show", skill.id, "--body", "--json", "-w", hostile).out)
    assert (document["id"], document["name"], document["body"]) == (skill.id, skill.name, skill.body)
    assert "\x1b[2J" in document["id"]
    root = ElementTree.fromstring(run("graph", "--format", "graphml", "-w", hostile).out.encode())
    ids = [node.get("id") for node in root.iterfind(".//{*}node")]
    assert skill.id.replace("\x1b", r"\x1b") in ids
