"""A study: its points, that it goes on where it stopped, and what it says."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from caskg.bench.judged import JudgePlan
from caskg.bench.qrels import read_set
from caskg.bench.report import study_tables
from caskg.bench.simulated_judge import Errors
from caskg.bench.study import (
    BUDGETS,
    FLIPS,
    LABELLED,
    MEASURES,
    StudyPlan,
    point_name,
    points,
    scored_topics,
    study,
)
from caskg.config import FrontierPolicy
from caskg.errors import UsageError
from gold_sets import KITCHEN_TASKS, write, write_both


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> StudyPlan:
    return StudyPlan(
        folder=write_both(tmp_path_factory.mktemp("gold")),
        cache=tmp_path_factory.mktemp("cache"),
        encoder="builtin",
        axes=("flips",),
        budget=20,
        seeds=2,
    )


def test_points_lie_on_the_axes_asked_for(plan: StudyPlan) -> None:
    """What two axes share stands there once, and the unasked is always there, first."""
    names = list(points(replace(plan, axes=("budget", "flips", "policy"), budget=500)))
    assert names[0] == "unasked"
    assert len(names) == 1 + (len(BUDGETS) - 1) + (len(FLIPS) - 1) + (len(FrontierPolicy) - 1)
    assert list(points(plan)) == ["unasked", *(f"20 coverage {100 * rate:g}%" for rate in FLIPS)]
    errors = points(plan)["20 coverage 15%"].errors
    assert errors == Errors(false_positive=0.15, false_negative=0.15)


def test_a_point_without_a_budget_is_the_unasked_one() -> None:
    """Whatever else it says."""
    assert point_name(JudgePlan(budget=0, policy=FrontierPolicy.RANDOM)) == "unasked"


def test_the_document_has_every_point_and_compares_it_with_the_unasked(plan: StudyPlan) -> None:
    """A set without edges is skipped, with the reason."""
    document = study(plan)
    assert [skipped["set"] for skipped in document["skipped"]] == ["office"]
    names = list(points(plan))
    for measure in MEASURES:
        rows = {row["method"]: row for row in document["rows"] if row["measure"] == measure}
        assert list(rows) == names
        contrasts = [each for each in document["contrasts"] if each["measure"] == measure]
        assert [each["a"] for each in contrasts] == names[1:]
        for each in contrasts:
            if rows["unasked"]["mean"] is not None:  # nothing in so small a set is specific
                gain = rows[each["a"]]["mean"] - rows["unasked"]["mean"]
                assert each["diff"] == pytest.approx(gain, abs=1e-9)
    wanted = "edges.precision_confirmed"
    precision = {row["method"]: row["mean"] for row in document["rows"] if row["measure"] == wanted}
    assert precision["20 coverage 0%"] == 1.0
    calls = {each["method"]: each["calls"] for each in document["cost"]}
    assert calls["unasked"] == 0 < calls["20 coverage 0%"]
    titles = [title for title, _rows in study_tables(document)]
    assert titles == ["kitchen: recall@10", "kitchen: specific_recall@10", "kitchen: edges"]
    assert all(len({len(row) for row in rows}) == 1 for _title, rows in study_tables(document))


def test_ways_of_asking_are_compared_with_the_fixed_plan(plan: StudyPlan, tmp_path: Path) -> None:
    """On the set and on the labelled pairs: calls, ranking, and how many states are others."""
    plan = replace(plan, axes=("asking",), budget=8, cache=tmp_path)
    document = study(plan)
    fixed = "8 coverage 2%/10%/5%"
    names = [fixed, f"{fixed} adaptive", f"{fixed} modelled", "12 coverage 2%/10%/5% one"]
    assert list(points(plan)) == ["unasked", *names]
    calls = {each["method"]: each["calls"] for each in document["cost"]}
    assert calls[names[1]] <= calls[fixed] / 2
    assert calls[names[2]] == calls[fixed]
    over = {(each["a"], each["b"]) for each in document["contrasts"]}
    assert over == {(name, "unasked") for name in names} | {(name, fixed) for name in names[1:]}
    for name in ("kitchen", LABELLED):
        found = {
            (row["method"], row["measure"]): row["mean"] for row in document["rows"] if row["set"] == name
        }
        assert found[names[1], "edges.states_changed"] >= found[names[1], "edges.states_reversed"] >= 0.0
    ranked = {row["method"] for row in document["rows"] if row["measure"] == "edges.frontier_ap"}
    assert ranked == set(names)
    titles = [title for title, _rows in study_tables(document)]
    assert titles[-1] == f"{LABELLED}: edges"


def test_what_is_done_is_not_done_again(plan: StudyPlan) -> None:
    """The second run reads the points of the first: a changed file shows."""
    first = study(plan)
    assert study(plan) == first
    files = sorted((plan.cache / "points").iterdir())
    assert len(files) == 1 + 2 * len(FLIPS)
    for path in files:
        known = json.loads(path.read_text())
        path.write_text(json.dumps(known | {"calls": 7}))
    assert {each["calls"] for each in study(plan)["cost"]} == {7}


def test_a_damaged_point_is_made_anew(plan: StudyPlan, tmp_path: Path) -> None:
    """Cut short, empty, or of other tasks."""
    plan = replace(plan, seeds=1, cache=tmp_path)
    first = study(plan)
    files = sorted((tmp_path / "points").iterdir())
    for path, damaged in zip(files, ("", "{", "[]", "{}", '{"values": {"recall@10": 1}}'), strict=True):
        path.write_text(damaged)
    assert study(plan) == first
    few = json.loads(files[0].read_text())
    files[0].write_text(json.dumps(few | {"values": {name: [1.0] for name in MEASURES}}))
    assert study(plan) == first


def test_what_no_set_is_and_what_is_broken_is_said(plan: StudyPlan, tmp_path: Path) -> None:
    """Before anything runs; of a set that nobody asked for nothing is read."""
    folder = write_both(tmp_path / "data")
    (folder / "attic_tasks.jsonl").write_text("{")
    plan = replace(plan, folder=folder, cache=tmp_path / "cache", seeds=1)
    assert [each["set"] for each in study(plan)["skipped"]] == ["attic", "office"]
    (folder / "office_tasks.jsonl").write_text("{")
    with pytest.raises(UsageError, match=r"Set 'office': .*office_tasks\.jsonl, line 1: it is not JSON"):
        study(replace(plan, cache=tmp_path / "other"))
    assert not (tmp_path / "other").exists()
    assert study(replace(plan, sets=("kitchen",)))["skipped"] == []


def test_a_task_that_cannot_be_asked_is_named(plan: StudyPlan, tmp_path: Path) -> None:
    """A study has no place for failures."""
    folder = write_both(tmp_path / "data")
    write(folder, "kitchen_tasks", [*KITCHEN_TASKS, {"id": "t5", "query": " ", "gold": []}], packed=True)
    with pytest.raises(UsageError, match="Set 'kitchen', task 't5': The task text is empty"):
        study(replace(plan, folder=folder, sets=("kitchen",), cache=tmp_path / "cache"))


def test_few_tasks_are_drawn_from_all(plan: StudyPlan) -> None:
    """The same for every point, in the order of the file."""
    gold = read_set(plan.folder, "kitchen")
    assert scored_topics(gold, None) == [0, 1, 2, 3]
    few = scored_topics(gold, 2)
    assert len(few) == 2
    assert few == sorted(few)
    rows = study(replace(plan, tasks=2))["rows"]
    assert {row["n"] for row in rows if row["measure"] == MEASURES[0]} == {2}


@pytest.mark.parametrize(("field", "value"), [("sets", ("attic",)), ("axes", ("colour",))])
def test_unknown_names_are_refused(plan: StudyPlan, field: str, value: tuple[str, ...]) -> None:
    """With what there is instead."""
    with pytest.raises(UsageError, match=f"{value[0]}.*choose from"):
        study(replace(plan, **{field: value}))  # type: ignore[arg-type]  # by name
