"""Runs are kept, go on where they stopped, and count what fails."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from caskg.bench.judged import JudgePlan, judging
from caskg.bench.methods import METHODS, REFERENCE
from caskg.bench.qrels import GoldSet
from caskg.bench.runner import Fold, Plan, SetRuns, induced, run_sets, unjudged
from caskg.bench.workbench import Kind, graph_method
from caskg.config import build_config, retrieve_config
from caskg.errors import UsageError
from caskg.protocols import Encoder
from caskg.published import Build
from gold_sets import OFFICE_TASKS, write, write_both, write_kitchen

SOME = ("bm25", "default", "rewired", "ceiling")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_both(tmp_path_factory.mktemp("gold"))


@pytest.fixture(scope="module")
def plan(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Plan:
    cache = tmp_path_factory.mktemp("cache")
    return Plan(folder=data, sets=("kitchen",), methods=SOME, cache=cache, encoder="builtin")


@pytest.fixture(scope="module")
def kitchen(plan: Plan) -> SetRuns:
    return run_sets(plan)[0]


def answers(runs: SetRuns) -> str:
    """Return everything that was found, as text: a figure that does not exist is equal to itself."""
    return repr({name: (run.answers, run.foreign, run.edges) for name, run in runs.runs.items()})


def test_every_method_answers_every_topic(data: Path, tmp_path: Path) -> None:
    """All lines of the table, also on a set without edges, which has no ceiling."""
    everything = run_sets(Plan(folder=data, cache=tmp_path, encoder="builtin"))
    assert [each.gold.name for each in everything] == ["kitchen", "office"]
    for each, missing in zip(everything, ({"no-judge"}, {"no-judge", "ceiling"}), strict=True):
        assert list(each.runs) == [name for name in METHODS if name not in missing]
        assert {skipped["method"] for skipped in each.skipped} == missing
        for run in each.runs.values():
            assert len(run.answers) == len(each.gold.topics)
            assert not any(answer.failure for answer in run.answers)
    assert [name for name, method in METHODS.items() if method.kind is Kind.CEILING] == ["ceiling"]
    assert REFERENCE in METHODS


def test_what_is_done_is_not_done_again(plan: Plan, kitchen: SetRuns) -> None:
    """A second run reads the first one's files, and finds the same."""
    said: list[str] = []
    again = run_sets(plan, progress=said.append)[0]
    assert said == [f"kitchen {name}: from the cache" for name in SOME]
    assert answers(again) == answers(kitchen)
    assert {name: run.cost for name, run in again.runs.items()} == {
        name: run.cost for name, run in kitchen.runs.items()
    }


def test_a_run_goes_on_where_it_stopped(plan: Plan, kitchen: SetRuns) -> None:
    """One file is missing: one run is made anew, and is the same."""
    (path,) = (plan.cache / "runs").glob("kitchen-default-*.json")
    path.unlink()
    said: list[str] = []
    again = run_sets(plan, progress=said.append)[0]
    assert [line for line in said if "cache" not in line] == [said[1]]
    assert said[1].startswith("kitchen default: make_cpu_s")
    assert answers(again) == answers(kitchen)


@pytest.mark.parametrize("damage", ["", "{", "[]", "few answers"])
def test_a_damaged_run_is_made_anew(plan: Plan, tmp_path: Path, damage: str) -> None:
    """A run that was cut short must not end the benchmark, nor count as whole."""
    plan = replace(plan, methods=("bm25",), cache=tmp_path)
    before = answers(run_sets(plan)[0])
    (path,) = (tmp_path / "runs").iterdir()
    whole = json.loads(path.read_text())
    few = json.dumps(whole | {"answers": whole["answers"][1:]})
    path.write_text(few if damage == "few answers" else damage)
    said: list[str] = []
    assert answers(run_sets(plan, progress=said.append)[0]) == before
    assert said[0].startswith("kitchen bm25: make_cpu_s")
    run_sets(plan, progress=said.append)
    assert said[1] == "kitchen bm25: from the cache"


def test_a_broken_set_stops_only_those_who_ask_for_it(tmp_path: Path) -> None:
    """Of another one the tasks cannot be asked, and that is said."""
    write_both(tmp_path)
    (tmp_path / "office_tasks.jsonl").write_text("{")
    plan = Plan(folder=tmp_path, methods=("bm25",), cache=tmp_path / "cache", encoder="builtin")
    with pytest.raises(UsageError, match=r"Set 'office': .*office_tasks\.jsonl, line 1: it is not JSON"):
        run_sets(plan)
    assert not plan.cache.exists()
    (kitchen,) = run_sets(replace(plan, sets=("kitchen",)))
    assert kitchen.runs["bm25"].foreign == ()
    reasons = [each["reason"] for each in kitchen.skipped]
    assert reasons[0].startswith(
        f"the tasks of set 'office' cannot be asked: {tmp_path}/office_tasks.jsonl, "
    )
    assert reasons[1] == "the folder holds no other set whose tasks could be asked"
    assert {each["measure"] for each in kitchen.skipped} == {"auroc_wrong_library"}


def test_what_all_methods_share_costs_none_of_them(plan: Plan, tmp_path: Path) -> None:
    """The index is made with the first build, whoever comes first; plain search asks for no build."""
    cost = run_sets(replace(plan, methods=("hybrid-rrf", "default"), cache=tmp_path))[0].runs
    assert cost["hybrid-rrf"].cost["make_cpu_s"] < cost["default"].cost["build_cpu_s"] / 2


def test_a_figure_that_one_fold_lacks_is_the_mean_of_the_others(plan: Plan, tmp_path: Path) -> None:
    """A graph that nobody was asked about confirms nothing."""

    def folds_of(gold: GoldSet) -> Sequence[Fold]:
        asked = judging(JudgePlan(budget=30))(gold)[0]
        return [replace(asked, topics=(0, 1)), Fold(topics=(2, 3), induce=induced)]

    both = replace(plan, methods=("default",), cache=tmp_path, judging=folds_of, judging_id="both")
    assert run_sets(both)[0].runs["default"].edges["precision_confirmed"].value == 1.0
    unasked = replace(both, judging=unjudged, judging_id="none")
    assert np.isnan(run_sets(unasked)[0].runs["default"].edges["precision_confirmed"].value)


def test_another_cache_gives_the_same_answers(plan: Plan, kitchen: SetRuns, tmp_path: Path) -> None:
    """Nothing but the data, the methods and the seed decides."""
    assert answers(run_sets(replace(plan, cache=tmp_path))[0]) == answers(kitchen)


@pytest.mark.parametrize("change", [{"seed": 1}, {"judging_id": "other"}])
def test_what_decides_a_run_makes_another_run_of_it(
    plan: Plan, kitchen: SetRuns, change: dict[str, object]
) -> None:
    """A seed or a judge."""
    assert kitchen.runs
    said: list[str] = []
    other = replace(plan, methods=("rewired",), **change)  # type: ignore[arg-type]  # fields by name
    run_sets(other, progress=said.append)
    assert "from the cache" not in said[0]


def test_tasks_of_other_sets_are_asked_of_gated_methods(kitchen: SetRuns) -> None:
    """The office has two."""
    assert {name: len(run.foreign) for name, run in kitchen.runs.items()} == {
        "bm25": 2, "default": 2, "rewired": 0, "ceiling": 0,
    }  # fmt: skip
    assert all(answer.near_miss is not None for answer in kitchen.runs["default"].answers)
    assert all(answer.near_miss is None for answer in kitchen.runs["ceiling"].answers)


def test_costs_are_those_of_the_build_that_is_used(kitchen: SetRuns) -> None:
    """A method without a graph has none to pay for; the free prober is not paid."""
    cost = {name: run.cost for name, run in kitchen.runs.items()}
    assert set(cost["bm25"]) == {"make_cpu_s", "query_cpu_ms", "peak_mb"}
    assert cost["rewired"]["build_cpu_s"] == cost["default"]["build_cpu_s"] > 0
    assert cost["default"]["calls"] == 0
    assert cost["default"]["build_characters"] > 0
    assert cost["default"]["candidates"] >= cost["default"]["edges"] > 0
    assert kitchen.runs["default"].edges
    assert not kitchen.runs["rewired"].edges


def test_each_fold_is_asked_of_its_own_graph(plan: Plan, tmp_path: Path) -> None:
    """What a judge learnt from a topic must not answer it."""
    asked: list[int] = []

    def folds_of(gold: GoldSet) -> Sequence[Fold]:
        def counted(number: int) -> Fold:
            calls = [7]  # what was asked before the build does not count

            def induce(*arguments: object, encoder: Encoder, **options: object) -> Build:
                asked.append(number)
                calls[0] += 10 + number
                return induced(*arguments, encoder=encoder, **options)  # type: ignore[arg-type]  # passed on

            topics = tuple(range(number, len(gold.topics), 2))
            return Fold(topics=topics, induce=induce, n_calls=lambda: calls[0])

        return [counted(0), counted(1)]

    folds = replace(plan, methods=("default", "no-judge"), cache=tmp_path, judging=folds_of, judging_id="two")
    (runs,) = run_sets(folds)
    assert asked == [0, 1]
    assert list(runs.runs) == ["default", "no-judge"]
    assert len(runs.runs["default"].answers) == 4
    assert runs.runs["default"].cost["calls"] == 21
    assert runs.runs["no-judge"].cost["calls"] == 0
    found = [[answer.found for answer in run.answers] for run in runs.runs.values()]
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"sets": ("garage",)}, "no set 'garage': choose from kitchen, office"),
        ({"methods": ("oracle",)}, "no method 'oracle': choose from vanilla"),
    ],
)
def test_unknown_names_are_refused(plan: Plan, change: dict[str, object], said: str) -> None:
    """With the names there are."""
    with pytest.raises(UsageError, match=said):
        run_sets(replace(plan, **change))  # type: ignore[arg-type]  # fields by name


def test_what_a_set_lacks_is_named(tmp_path: Path) -> None:
    """A skipped measure is a line in the report."""
    alone = Plan(folder=write_kitchen(tmp_path), methods=("bm25", "no-judge"), cache=tmp_path / "c")
    (runs,) = run_sets(replace(alone, encoder="builtin"))
    assert [each.get("measure") for each in runs.skipped] == [None, "auroc_wrong_library"]
    assert "holds no other set" in runs.skipped[1]["reason"]


def test_a_variant_is_a_method_like_any_other(plan: Plan, kitchen: SetRuns) -> None:
    """By constants of its own; under the same name and other constants it is another run."""
    few = graph_method(build_config(), replace(retrieve_config(), prerequisites_first=False))
    said: list[str] = []
    variants = replace(plan, methods=("few", "default"), table={**METHODS, "few": few})
    (runs,) = run_sets(variants, progress=said.append)
    assert said[0] == "kitchen default: from the cache"
    assert repr(runs.runs["default"].answers) == repr(kitchen.runs["default"].answers)
    for one, other in zip(runs.runs["few"].answers, runs.runs["default"].answers, strict=True):
        assert one.best_first == other.best_first == one.found[10]
    same_name = replace(variants, methods=("few",), table={"few": METHODS["default"]})
    (renamed,) = run_sets(same_name)
    assert repr(renamed.runs["few"].answers) == repr(kitchen.runs["default"].answers)


def test_a_task_that_cannot_be_asked_is_a_failure_and_no_stranger(tmp_path: Path) -> None:
    """Its own set counts it; no other set is asked it."""
    write_both(tmp_path)
    blank = {"id": "o3", "query": " ", "gold": ["book-train"]}
    write(tmp_path, "office_tasks", [*OFFICE_TASKS, blank])
    plan = Plan(folder=tmp_path, methods=("bm25",), cache=tmp_path / "cache", encoder="builtin")
    kitchen, office = run_sets(plan)
    assert len(kitchen.runs["bm25"].foreign) == 2
    *_, last = office.runs["bm25"].answers
    assert last.failure.startswith("UsageError: The task text is empty")
