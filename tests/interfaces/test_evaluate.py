"""`caskg eval`: the table, the document, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from interfaces.kitchen import NO_TASK, TASK, Run, loaded

TASKS: list[dict[str, Any]] = [
    {"query": TASK, "must_include": ["boil-water", "brew-tea"], "order": ["boil-water", "brew-tea"]},
    {"query": NO_TASK, "must_not_include": ["office/send-invoice"]},
    {"query": "wash the dishes by hand", "must_include": "wash-dishes", "must_not_include": "wash-clothes"},
]


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    path = tmp_path / "tasks.jsonl"
    path.write_text("\n".join(map(json.dumps, TASKS)), encoding="utf-8")
    return path


def test_the_document_holds_means_differences_and_every_answer(run: Run, built: Path, tasks: Path) -> None:
    """Enough to make any other table of it."""
    document = loaded(run, "eval", tasks, "-w", built, "-k", "2")
    assert set(document) == {"measures", "intervals", "comparisons", "tasks", "k", "max_chars", "disabled"}
    assert document["intervals"] == {"confidence": 0.95, "resamples": 10_000}
    assert (document["k"], document["max_chars"]) == (2, None)
    assert document["measures"]["graph v1"]["recall"]["n_tasks"] == 2
    assert document["measures"]["graph v1"]["abstained"] == {"value": 1 / 3, "n_tasks": 3}
    first = document["tasks"][0]
    assert (first["line"], first["query"], first["order"]) == (1, TASK, ["boil-water", "brew-tea"])
    assert first["answers"]["graph v1"]["found"] == ["boil-water", "brew-tea"]
    assert (first["answers"]["graph v1"]["success"], first["answers"]["graph v1"]["violations"]) == (
        1.0,
        None,
    )
    (comparison,) = document["comparisons"]
    assert (comparison["system"], comparison["against"]) == ("graph v1", "flat v1")
    assert comparison["won"] + comparison["lost"] + comparison["even"] == 3
    assert set(comparison["differences"]["recall"]) == {"mean", "low", "high"}
    (change,) = (each for each in comparison["changes"] if each["line"] == 1)
    assert (change["outcome"], change["query"]) == ("won", TASK)
    assert change["measures"] == {"order": [0.0, 1.0], "success": [0.0, 1.0]}


def test_people_get_a_table_and_what_changed(run: Run, built: Path, tasks: Path) -> None:
    """The same figures in lines."""
    lines = run("eval", tasks, "-w", built, "-k", "2").out.splitlines()
    document = loaded(run, "eval", tasks, "-w", built, "-k", "2")
    assert lines[0] == "Tasks: 3. Surface: k = 2."
    assert lines[1].split() == ["tasks", "graph", "v1", "flat", "v1"]
    recall = [document["measures"][name]["recall"]["value"] for name in ("graph v1", "flat v1")]
    assert lines[2].split() == ["recall", "2", *(f"{value:.3f}" for value in recall)]
    (comparison,) = document["comparisons"]
    counts = f"won {comparison['won']}, lost {comparison['lost']}, even {comparison['even']}."
    assert f"graph v1 against flat v1: {counts}" in lines
    interval = comparison["differences"]["recall"]
    shown = f"{interval['mean']:+.3f}  [{interval['low']:+.3f}, {interval['high']:+.3f}]"
    assert any(line.split() == ["recall", *shown.split()] for line in lines)
    assert lines[lines.index(f"  won line 1: {TASK}") + 1] == "    order 0 -> 1, success 0 -> 1"
    bounded = run("eval", tasks, "-w", built, "--max-chars", "2000").out
    assert bounded.startswith("Tasks: 3. Surface: k = 8, 2,000 characters.\n")


def test_a_skill_that_made_the_difference_is_shown_with_its_reason(
    run: Run, workspace: Path, library: Path, tmp_path: Path
) -> None:
    """Wanted or forbidden, and how it was found; version 2 has the office alone."""
    run("build", library / "office", "-w", workspace)
    path = tmp_path / "harm.jsonl"
    task = {"query": "wash plates by hand", "must_not_include": ["wash-dishes"]}
    path.write_text(json.dumps(task), encoding="utf-8")
    for versions, outcome, moved in (("2,1", "lost", "came in"), ("1,2", "won", "went out")):
        call = ("eval", path, "-w", workspace, "-k", "1", "--versions", versions)
        comparison = loaded(run, *call)["comparisons"][-1]
        (change,) = comparison["changes"]
        assert (comparison["won"], comparison["lost"]) == (int(outcome == "won"), int(outcome == "lost"))
        (skill,) = change[moved.replace(" ", "_")]
        assert (skill["id"], skill["wanted"]) == ("wash-dishes", "must_not_include")
        assert skill["reason"].startswith("lexical rank 1")
        lines = run(*call).out.splitlines()
        assert f"  {outcome} line 1: wash plates by hand" in lines
        assert f"    {moved}: wash-dishes (must_not_include): {skill['reason']}" in lines


def test_a_single_task_has_means_but_no_interval(run: Run, built: Path, tmp_path: Path) -> None:
    """One task says nothing of how the next would go."""
    path = tmp_path / "one.jsonl"
    path.write_text(json.dumps(TASKS[0]), encoding="utf-8")
    assert loaded(run, "eval", path, "-w", built)["comparisons"][0]["differences"] == {}
    assert "[" not in run("eval", path, "-w", built).out.split("went out")[0].split("came in")[0]


def test_versions_are_named_in_two_ways(run: Run, workspace: Path, tasks: Path) -> None:
    """A list, or the one that the current is compared with."""
    run("edge", "reject", "boil-water", "brew-tea", "-w", workspace)
    run("build", "-w", workspace)
    listed = loaded(run, "eval", tasks, "--versions", "1, 2", "-w", workspace)
    assert listed == loaded(run, "eval", tasks, "--against", "1", "-w", workspace)
    assert [(each["system"], each["against"]) for each in listed["comparisons"]] == [
        ("graph v1", "flat v2"),
        ("graph v2", "flat v2"),
        ("graph v2", "graph v1"),
    ]
    assert list(loaded(run, "eval", tasks, "-w", workspace)["measures"]) == ["graph v2", "flat v2"]


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--versions", "1,x"], 2, "--versions takes numbers of versions, such as 3,5, not '1,x'"),
        (["--versions", "0"], 2, "not '0'"),
        (["--versions", "9" * 5000], 2, "--versions takes numbers"),
        (["--versions", "1", "--against", "1"], 2, "Give either --versions or --against."),
        (["--against", "0"], 2, "0 is not in the range"),
        (["--versions", "7"], 6, "no version 7"),
        (["--versions", "1, 1"], 2, "Version 1 would be compared with itself"),
        (["--against", "1"], 2, "Version 1 would be compared with itself"),
        (["-k", "0"], 2, "0 is not in the range"),
        (["--max-chars", "199"], 2, "199 is not in the range"),
    ],
)
def test_a_value_that_cannot_be_used_is_named(
    run: Run, built: Path, tasks: Path, options: list[str], code: int, message: str
) -> None:
    """In one sentence, with nothing on standard output."""
    result = run("eval", tasks, *options, "-w", built)
    assert (result.code, result.out, result.err.count("\n")) == (code, "", 1)
    assert message in result.err


def test_a_mistake_in_the_file_is_named_before_anything_runs(run: Run, built: Path, tasks: Path) -> None:
    """With file, line and field, and what may have been meant."""
    tasks.write_text('{"query": "tea"}\n{"query": "tea", "must_include": ["brew-te"]}', encoding="utf-8")
    result = run("eval", tasks, "-w", built)
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        f"caskg: {tasks}: line 2: must_include: There is no skill 'brew-te' in version 1. "
        "Did you mean brew-tea?\n"
    )
    assert run("eval", tasks.parent / "none", "-w", built).code == 2


def test_a_disabled_skill_that_a_task_asks_for_is_named(run: Run, workspace: Path, tasks: Path) -> None:
    """A recall of 0 has another reason then."""
    said = "Asked for, but disabled, so that no system can find it: wash-dishes.\n"
    assert said not in run("eval", tasks, "-w", workspace).out
    run("disable", "wash-dishes", "wash-clothes", "-w", workspace)
    assert said in run("eval", tasks, "-w", workspace).out
    assert loaded(run, "eval", tasks, "-w", workspace)["disabled"] == ["wash-dishes"]
