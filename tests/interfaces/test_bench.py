"""`caskg bench gold`: the document, the tables, progress, and what is refused."""

from pathlib import Path

import pytest

from gold_sets import OFFICE_TASKS, write, write_both
from interfaces.kitchen import Run, loaded


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_both(tmp_path_factory.mktemp("gold"))


def test_programs_get_one_document_and_progress_goes_elsewhere(run: Run, data: Path, tmp_path: Path) -> None:
    """Only the sets and methods that were named."""
    options = ("bench", "gold", "--data", data, "--cache", tmp_path, "--encoder", "builtin", "--seed", "3")
    named = (*options, "--sets", "kitchen", "--methods", "bm25, default")
    document = loaded(run, *named, "--quiet")
    assert {(row["set"], row["method"]) for row in document["rows"]} == {
        ("kitchen", "bm25"),
        ("kitchen", "default"),
    }
    assert document["config"]["seed"] == 3
    again = run(*named)
    assert "kitchen bm25: from the cache" in again.err
    lines = again.out.splitlines()
    assert lines[0] == "kitchen: 6 skills, 3 gold edges, 4 tasks in 3 clusters. Retrieval"
    assert any(line.split()[:1] == ["default"] for line in lines)


def test_what_is_skipped_is_said(run: Run, data: Path, tmp_path: Path) -> None:
    """No edges, no ceiling."""
    options = ("--sets", "office", "--methods", "bm25,ceiling", "--encoder", "builtin", "--cache", tmp_path)
    out = run("bench", "gold", "--data", data, *options).out
    assert "Skipped on office: ceiling: the set has no gold edges." in out.splitlines()


def test_failed_tasks_are_said(run: Run, tmp_path: Path) -> None:
    """A recall that counts them as nothing found must not stand there without a word."""
    write_both(tmp_path)
    write(tmp_path, "office_tasks", [*OFFICE_TASKS, {"id": 7, "query": " ", "gold": ["book-train"]}])
    options = ("--sets", "office", "--methods", "bm25", "--encoder", "builtin", "--cache", tmp_path / "c")
    last = run("bench", "gold", "--data", tmp_path, *options).out.splitlines()[-1]
    failed = (
        "Failed on office: bm25: 1 of 3 tasks failed, the first of them '7': UsageError: The task text is"
    )
    assert last.startswith(failed)


def test_a_cache_that_cannot_be_made_is_named(run: Run, data: Path, tmp_path: Path) -> None:
    """And no other encoders are offered than work here."""
    (tmp_path / "file").touch()
    where = tmp_path / "file" / "cache"
    for command in ("gold", "judge"):
        result = run("bench", command, "--data", data, "--cache", where, "--encoder", "builtin")
        assert result.code == 6
        assert result.err.startswith(f"caskg: The cache {where}/")
        assert run("bench", command, "--data", data, "--encoder", "remote").code == 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--sets", "garage"), "There is no set 'garage'"),
        (("--methods", "oracle"), "There is no method 'oracle'"),
        (("--sets", " ,,"), "' ,,' holds no name"),
    ],
)
def test_unknown_names_are_a_mistake_of_the_user(
    run: Run, data: Path, tmp_path: Path, options: tuple[str, str], said: str
) -> None:
    """Before anything runs."""
    result = run("bench", "gold", "--data", data, "--cache", tmp_path, *options)
    assert (result.code, result.out) == (2, "")
    assert said in result.err


def test_a_folder_without_sets_is_refused(run: Run, tmp_path: Path) -> None:
    """As is one that is not there."""
    assert run("bench", "gold", "--data", tmp_path).code == 2
    assert run("bench", "gold", "--data", tmp_path / "nowhere").code == 2


def test_a_simulated_judge_can_be_asked(run: Run, data: Path, tmp_path: Path) -> None:
    """Its options reach it, and without it they are refused."""
    ask = ("bench", "gold", "--data", data, "--sets", "kitchen", "--methods", "default", "--quiet")
    here = ("--encoder", "builtin", "--cache", tmp_path)
    rates = ("--false-positive", "0.5", "--wrong", "0.25", "--absent", "0.125")
    document = loaded(run, *ask, *here, "--judge", "--budget", "5", "--policy", "random", *rates)
    for part in (
        "budget=5",
        "'random'",
        "false_positive=0.5",
        "false_negative=0.0",
        "wrong=0.25",
        "absent=0.125",
    ):
        assert part in document["config"]["judging"]
    assert document["cost"][0]["calls"] > 0
    for option in (("--budget", "5"), ("--policy", "random"), ("--absent", "0.5")):
        refused = run(*ask, *here, *option)
        assert refused.code == 2
        assert "--judge" in refused.err


def test_a_judge_can_be_studied(run: Run, data: Path, tmp_path: Path) -> None:
    """A table for each measure, and one of the edges."""
    result = run(
        "bench", "judge", "--data", data, "--sets", "kitchen", "--axes", "flips", "--budget", "9",
        "--seeds", "1", "--encoder", "builtin", "--cache", tmp_path,
    )  # fmt: skip
    assert result.code == 0, result.err
    assert "kitchen 9 coverage 15%: recall@10" in result.err
    for line in ("kitchen: recall@10", "kitchen: edges"):
        assert line in result.out.splitlines()
    assert "9 coverage 2%" in result.out
