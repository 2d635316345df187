"""`caskg bench gold`: the document, the tables, progress, and what is refused."""

from pathlib import Path

import pytest

from gold_sets import write_both
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


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--sets", "garage"), "There is no set 'garage'"),
        (("--methods", "oracle"), "There is no method 'oracle'"),
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
