"""A disabled skill is in no output of any command but those that switch it."""

import json
from pathlib import Path

import pytest

from interfaces.kitchen import TASK, Run

HIDDEN = "wash-dishes"
OUTPUTS = [
    ["query", "wash plates, pots and cutlery by hand"],
    ["query", "wash plates, pots and cutlery by hand", "--bundle"],
    ["query", TASK, "--bundle"],
    ["explain", "boil-water", "brew-tea"],
    ["explain", "brew-tea", "--task", "wash plates, pots and a pot of tea"],
    ["show", "brew-tea", "--body"],
    ["show", "wash-clothes"],
    ["graph"],
]


@pytest.fixture
def hidden(run: Run, workspace: Path) -> Path:
    """A workspace in which one skill, which no other one names, is disabled."""
    assert HIDDEN in run("show", "wash-clothes", "-w", workspace).out
    assert HIDDEN in run("graph", "-w", workspace).out
    assert run("disable", HIDDEN, "-w", workspace).code == 0
    return workspace


@pytest.mark.parametrize("arguments", OUTPUTS, ids=" ".join)
def test_a_disabled_skill_is_in_no_answer(run: Run, hidden: Path, arguments: list[str]) -> None:
    """Neither for people nor for programs: no result, reason, path, hint, neighbour or node."""
    for form in ([], ["--json"]):
        result = run(*arguments, *form, "-w", hidden)
        assert result.code == 0
        assert HIDDEN not in result.out + result.err


@pytest.mark.parametrize("kind", ["json", "graphml", "dot"])
def test_the_graph_for_other_programs_is_that_of_the_others(run: Run, hidden: Path, kind: str) -> None:
    """They know of no switch."""
    out = run("graph", "--format", kind, "-w", hidden).out
    assert HIDDEN not in out
    assert out.count("send-invoice") > 0


def test_an_evaluation_does_not_tell_of_it(run: Run, hidden: Path, tmp_path: Path) -> None:
    """Nor do its reasons."""
    tasks = tmp_path / "tasks.jsonl"
    queries = (TASK, "wash plates, pots and cutlery by hand")
    tasks.write_text("\n".join(json.dumps({"query": query, "must_include": "brew-tea"}) for query in queries))
    for form in ([], ["--json"]):
        result = run("eval", tasks, *form, "-w", hidden)
        assert result.code == 0
        assert HIDDEN not in result.out + result.err


@pytest.mark.parametrize("arguments", [["show", "wash-dishs"], ["query", TASK, "--exclude", "wash-dishs"]])
def test_a_slip_in_a_name_does_not_bring_it_up(
    run: Run, workspace: Path, hidden: Path, arguments: list[str]
) -> None:
    """Names are proposed for those that are not there, and a disabled one is not there."""
    assert HIDDEN not in run(*arguments, "-w", hidden).err
    assert run("enable", HIDDEN, "-w", workspace).code == 0
    assert f"Did you mean {HIDDEN}" in run(*arguments, "-w", workspace).err


def test_its_owner_may_look_at_it(run: Run, hidden: Path) -> None:
    """By its name, to decide whether to enable it."""
    assert run("show", HIDDEN, "-w", hidden).out.startswith(f"{HIDDEN} (disabled)\n")
