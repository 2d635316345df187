"""The document of the gold benchmark: rows, contrasts, costs, and the tables that people read."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from caskg.bench.gold import COMPARED, bench_gold
from caskg.bench.report import figure, tables
from caskg.bench.runner import Plan
from gold_sets import OFFICE_TASKS, write, write_both

METHODS = ("bm25", "hybrid-3way", "default", "ceiling")


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    folder = tmp_path_factory.mktemp("gold")
    return Plan(
        folder=write_both(folder / "data"), methods=METHODS, cache=folder / "cache", encoder="builtin"
    )


@pytest.fixture(scope="module")
def document(plan: Plan) -> dict[str, Any]:
    return bench_gold(plan)


def value(document: dict[str, Any], method: str, measure: str, name: str = "kitchen") -> dict[str, Any]:
    row: dict[str, Any]
    (row,) = (
        row
        for row in document["rows"]
        if (row["set"], row["method"], row["measure"]) == (name, method, measure)
    )
    return row


def test_the_document_has_the_agreed_form(document: dict[str, Any]) -> None:
    """As every bench command writes it, and as JSON has it: no NaN."""
    assert set(document) == {"rows", "contrasts", "cost", "config", "skipped"}
    row_fields = {"set", "method", "measure", "mean", "lo", "hi", "n", "clusters"}
    assert all(set(row) == row_fields for row in document["rows"])
    contrast_fields = {"set", "a", "b", "measure", "diff", "lo", "hi", "p", "p_holm"}
    assert all(set(each) == contrast_fields for each in document["contrasts"])
    assert json.loads(json.dumps(document, allow_nan=False)) == document


def test_a_mean_has_its_interval_its_tasks_and_its_clusters(document: dict[str, Any]) -> None:
    """Four tasks, three clusters; where only some tasks ask, these are counted."""
    row = value(document, "ceiling", "recall@10")
    assert row["lo"] <= row["mean"] <= row["hi"]
    assert (row["n"], row["clusters"]) == (4, 3)
    assert value(document, "ceiling", "specific_recall@10")["n"] == 0
    assert value(document, "ceiling", "specific_recall@10")["mean"] is None
    assert value(document, "default", "recall@10", "office")["n"] == 2


def test_measures_that_are_one_number_have_no_interval(document: dict[str, Any]) -> None:
    """Over all topics at once."""
    row = value(document, "default", "concentration@10")
    assert (row["mean"], row["lo"], row["clusters"], row["n"]) == (1.0, None, None, 4)
    assert 0 <= value(document, "default", "auroc_near_miss")["mean"] <= 1
    assert value(document, "default", "auroc_wrong_library")["n"] == 6
    assert value(document, "default", "edges.candidate_recall")["n"] == 3
    assert value(document, "bm25", "failures")["mean"] == 0


def test_default_is_compared_with_all_others(document: dict[str, Any]) -> None:
    """In each measure, a table of its own for Holm; the difference is that of the means."""
    chosen = [each for each in document["contrasts"] if each["set"] == "kitchen"]
    assert [(each["b"], each["measure"]) for each in chosen] == [
        (other, measure) for measure in COMPARED for other in METHODS if other != "default"
    ]
    for each in chosen:
        means = [value(document, each[side], each["measure"])["mean"] for side in "ab"]
        if None not in means:
            assert each["diff"] == pytest.approx(means[0] - means[1])
        assert each["p"] <= each["p_holm"] <= 1


def test_the_configuration_names_what_was_run(document: dict[str, Any], plan: Plan) -> None:
    """Enough to run it again, and a kernel that says how fast the machine was."""
    config = document["config"]
    assert config["sets"]["kitchen"] | {"digest": ""} == {
        "digest": "", "skills": 6, "tasks": 4, "clusters": 3, "edges": 3, "masked": 1, "specific_skills": 0,
    }  # fmt: skip
    assert config["methods"] == {
        "bm25": "method", "hybrid-3way": "method", "default": "method", "ceiling": "ceiling",
    }  # fmt: skip
    assert (config["encoder"], config["seed"], config["judging"]) == ("builtin", 0, "none")
    assert set(config["kernel"]) == {"matmul_500_ms", "sqlite_50k_inserts_ms", "json_5k_ms"}
    assert document["skipped"] == [
        {"set": "office", "method": "ceiling", "reason": "the set has no gold edges"}
    ]
    assert {each["method"] for each in document["cost"]} == set(METHODS)
    assert plan.methods == METHODS


def test_a_second_run_says_the_same(document: dict[str, Any], plan: Plan) -> None:
    """All but the time of the kernel."""
    again = bench_gold(plan)
    again["config"]["kernel"] = document["config"]["kernel"]
    assert again == document


def test_tables_show_the_document(document: dict[str, Any]) -> None:
    """One line a method, the ceiling marked as such."""
    found = dict(tables(document))
    title = next(title for title in found if title.startswith("kitchen: 6 skills"))
    assert title == "kitchen: 6 skills, 3 gold edges, 4 tasks in 3 clusters. Retrieval"
    head, *lines = found[title]
    assert [line[0] for line in lines] == ["bm25", "hybrid-3way", "default", "ceiling (ceiling)"]
    recall = figure(value(document, "default", "recall@10")["mean"])
    assert lines[2][head.index("R@10")] == recall
    edges = found["kitchen: edges"]
    assert edges[0] == ["", "default", "pairs"]
    assert edges[1][:2] == [
        "candidate_recall",
        figure(value(document, "default", "edges.candidate_recall")["mean"]),
    ]
    contrasts = found["kitchen: default against others, recall@10"]
    assert [line[0] for line in contrasts] == ["against", "bm25", "hybrid-3way", "ceiling"]
    assert found["office: edges"] == []
    assert [line[0] for line in found["office: cost"]] == ["", "bm25", "hybrid-3way", "default"]


def test_failed_tasks_and_files_of_no_set_are_said(tmp_path: Path) -> None:
    """By method, with the first reason; only where all sets were asked for is a file of none a loss."""
    folder = write_both(tmp_path / "data")
    blank = [{"id": each, "query": " ", "gold": ["book-train"]} for each in ("o3", "o4")]
    write(folder, "office_tasks", [*OFFICE_TASKS, *blank])
    write(folder, "attic_tasks", [])
    plan = Plan(folder=folder, methods=("bm25",), cache=tmp_path / "cache", encoder="builtin")
    document = bench_gold(plan)
    assert value(document, "bm25", "failures", "office")["mean"] == 2
    lost, failed = document["skipped"]
    assert lost == {
        "set": "attic", "measure": "all", "reason": "there is no attic_library.jsonl or .jsonl.xz",
    }  # fmt: skip
    assert failed.pop("reason").startswith(
        "2 of 4 tasks failed, the first of them 'o3': UsageError: The task text is empty"
    )
    assert failed == {"set": "office", "method": "bm25", "measure": "failures"}
    assert bench_gold(replace(plan, sets=("kitchen",)))["skipped"] == []


@pytest.mark.parametrize(
    ("number", "sign", "shown"),
    [
        (0.0, "", ".000"), (0.5, "", ".500"), (1.0, "", "1.00"), (-0.25, "+", "-.250"),
        (0.0004, "+", "+.000"), (9.994, "", "9.99"), (10.0, "", "10"), (12345.6, "", "12,346"),
        (None, "+", "-"),
    ],
)  # fmt: skip
def test_figures_are_short(number: float | None, sign: str, shown: str) -> None:
    """Three digits of a share, no more."""
    assert figure(number, sign=sign) == shown
