"""What all commands share: JSON, help, what they import, where they find the workspace; and the demo."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from caskg import __version__
from caskg.interfaces.cli import cli
from interfaces.kitchen import NO_TASK, TASK, Run, loaded

COMMANDS = {
    "build": ["build"],
    "query": ["query", TASK],
    "query, abstaining": ["query", NO_TASK],
    "query --bundle": ["query", TASK, "--bundle"],
    "query --bundle, abstaining": ["query", NO_TASK, "--bundle"],
    "query --tag --folder": ["query", TASK, "--tag", "kitchen", "--folder", "brew-*"],
    "explain": ["explain", "boil-water", "brew-tea"],
    "explain, no candidate": ["explain", "wash-dishes", "send-invoice"],
    "explain --task": ["explain", "brew-tea", "--task", TASK],
    "explain --task, abstaining": ["explain", "brew-tea", "--task", NO_TASK],
    "show": ["show", "brew-tea"],
    "show --body": ["show", "brew-tea", "--body"],
    "graph": ["graph"],
    "edge confirm": ["edge", "confirm", "boil-water", "wash-dishes"],
    "edge reject": ["edge", "reject", "boil-water", "wash-dishes"],
    "edge clear": ["edge", "clear", "boil-water", "wash-dishes"],
    "disable": ["disable", "brew-tea", "boil-water"],
    "enable": ["enable", "brew-tea"],
    "status": ["status"],
    "history": ["history"],
    "ledger list": ["ledger", "list"],
    "ledger totals": ["ledger", "totals"],
    "ledger prune --dry-run": ["ledger", "prune", "--dry-run"],
    "probe --plan": ["probe", "--plan", "--model", "m", "--base-url", "http://127.0.0.1:9/v1"],
    "judge-check": ["judge-check"],
    "judge-check --plan": ["judge-check", "--plan", "--model", "m", "--base-url", "http://127.0.0.1:9/v1"],
}
"""Every command that does without its own preparation."""


def leaves(command: click.Command, path: tuple[str, ...] = ()) -> list[str]:
    """Return the names of all commands that do something."""
    if not isinstance(command, click.Group):
        return [" ".join(path)]
    context = click.Context(command)
    names = command.list_commands(context)
    return [
        leaf for name in names for leaf in leaves(command.get_command(context, name) or cli, (*path, name))
    ]


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=list(COMMANDS))
def test_json_is_one_document_and_nothing_else(run: Run, workspace: Path, arguments: list[str]) -> None:
    """Programs read standard output to its end; a second document or a hint would break them."""
    assert loaded(run, *arguments, "-w", workspace)


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=list(COMMANDS))
def test_text_is_not_json(run: Run, workspace: Path, arguments: list[str]) -> None:
    """Without --json people are spoken to, and standard error stays empty where all went well."""
    result = run(*arguments, "-w", workspace)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("{") == (arguments == ["graph"])
    assert result.out.strip()


def test_every_command_is_tried() -> None:
    """A new command enters the table above; the others have tests of their own."""
    tried = {name.split(" --")[0].split(",")[0] for name in COMMANDS}
    others = {
        "bench gold",
        "bench judge",
        "demo",
        "eval",
        "ledger export",
        "ledger import",
        "lint",
        "repair",
        "rollback",
    }
    assert set(leaves(cli)) == tried | others


def test_help_and_version(run: Run) -> None:
    """Help is a result: on standard output, exit code 0, each command with its whole summary."""
    shown = run("--help")
    assert (shown.code, shown.err) == (0, "")
    assert "..." not in shown.out.split("Commands:")[1]
    assert run("-h") == shown
    assert run("--version").out == f"caskg, version {__version__}\n"


def test_sums_do_not_depend_on_the_number_of_cores(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """One thread for products, unless the user says otherwise; set before numpy is there to read it."""
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    run("--version")
    assert os.environ["OPENBLAS_NUM_THREADS"] == "1"
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "4")
    run("--version")
    assert os.environ["OPENBLAS_NUM_THREADS"] == "4"
    code = "import sys, caskg.interfaces.cli; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_help_lists_the_commands_that_there_are(run: Run) -> None:
    """The summaries stand apart from the commands, so that help imports none of them."""
    listed = re.findall(r"^  ([\w-]+)  ", run("--help").out.split("Commands:")[1], re.MULTILINE)
    context = click.Context(cli)
    assert listed == cli.list_commands(context)
    assert [command.name for name in listed if (command := cli.get_command(context, name))] == listed


def test_a_query_imports_nothing_of_the_build_and_help_imports_nothing(built: Path) -> None:
    """A cold query is what agents wait for."""
    code = (
        "import sys\n"
        "from caskg.interfaces.cli import cli\n"
        "cli.main(['--help'], standalone_mode=False)\n"
        "helped = sorted(sys.modules)\n"
        f"cli.main(['query', 'tea', '-w', {str(built)!r}], standalone_mode=False)\n"
        "print([helped, sorted(sys.modules)], file=sys.stderr)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    helped, queried = json.loads(found.stderr.replace("'", '"'))
    assert not {"numpy", "scipy", "sqlite3", "caskg.wiring", "caskg.schema"} & set(helped)
    heavy = (
        "caskg.graph",
        "caskg.pipeline",
        "caskg.library.parse",
        "caskg.library.scan",
        "caskg.interfaces.cli.build",
        "caskg.bench",
        "caskg.baselines",
    )
    unneeded = ("yaml", "markdown_it", "rich", "onnxruntime", "tokenizers", "scipy.sparse.linalg")
    assert not {*heavy, *unneeded} & set(queried)


def test_demo_answers_two_tasks_and_abstains_on_the_third(run: Run, tmp_path: Path) -> None:
    """With the encoder that every installation has; a workspace that is named is kept."""
    document = loaded(run, "demo", "--encoder", "builtin", "-w", tmp_path / "w")
    home, laboratory, neither = document["answers"]
    assert {"tidy-a-room", "clean-up-spill", "sweep-and-mop"} <= {skill["id"] for skill in home["skills"]}
    assert {"titrate-acid-against-base", "conclude-and-report"} <= {
        skill["id"] for skill in laboratory["skills"]
    }
    assert (neither["abstained"], neither["skills"]) == (True, [])
    assert document["build"]["skills"] >= 90
    text = run("demo", "--encoder", "builtin", "-w", tmp_path / "w").out
    assert text.count("\n> ") == 3
    assert "why: " in text
    assert text.endswith("Your own skills: caskg build PATH, then caskg query TASK.\n")
    assert loaded(run, "history", "-w", tmp_path / "w")["versions"][0]["version"] == 1
