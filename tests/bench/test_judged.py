"""A judge in the benchmark goes the way of a build, and knows nothing that the scored tasks alone prove."""

from dataclasses import replace
from pathlib import Path

import pytest

from caskg.bench.judged import (
    JudgePlan,
    fold_topics,
    judge_for,
    judged_build,
    judging,
    survey,
)
from caskg.bench.qrels import GoldSet, read_set
from caskg.bench.runner import Plan, run_sets
from caskg.bench.simulated_judge import Errors
from caskg.config import FrontierPolicy, build_config
from caskg.pipeline import build
from caskg.schema import EDGE_STATES, EdgeState
from caskg.store.workspace import Workspace
from gold_sets import write_kitchen
from retrieval.worlds import ConceptEncoder

ENCODER = ConceptEncoder("boils kettle water heat", "tea leaves drink", "pasta", "plates pots crockery")
SURE = JudgePlan(budget=30)


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> GoldSet:
    return read_set(write_kitchen(tmp_path_factory.mktemp("gold")), "kitchen")


@pytest.mark.parametrize("budget", [0, 3, 30])
def test_what_it_builds_is_what_a_build_builds(kitchen: GoldSet, tmp_path: Path, budget: int) -> None:
    """The survey is shared, the rest is the same, to the last bit."""
    config = replace(SURE, budget=budget).applied(build_config())
    surveyed = survey(kitchen.library, encoder=ENCODER, config=config)
    ours = judged_build(surveyed, judge_for(kitchen, [0, 1], SURE), config=config)
    with Workspace.create(tmp_path / "workspace") as workspace:
        theirs = build(
            kitchen.library,
            workspace=workspace,
            encoder=ENCODER,
            config=config,
            paid=judge_for(kitchen, [0, 1], SURE),
        )
    assert ours.reliability.states.tolist() == theirs.reliability.states.tolist()
    assert ours.graph.weight.tolist() == theirs.graph.weight.tolist()
    assert ours.graph.target.tolist() == theirs.graph.target.tolist()
    assert ours.n_frontier == theirs.n_frontier == min(budget, len(ours.candidates))


def test_a_judge_is_asked_three_times_an_edge_and_confirms_gold(kitchen: GoldSet) -> None:
    """Only edges of gold are confirmed by a judge that never errs."""
    config = SURE.applied(build_config())
    judge = judge_for(kitchen, [], SURE)
    built = judged_build(survey(kitchen.library, encoder=ENCODER, config=config), judge, config=config)
    assert judge.n_calls == pytest.approx(3 * built.n_frontier, abs=built.n_frontier)
    confirmed = built.reliability.states == EDGE_STATES.index(EdgeState.CONFIRMED)
    edges = built.candidates.source[confirmed], built.candidates.target[confirmed]
    found = set(zip(*(end.tolist() for end in edges), strict=True))
    assert found
    assert found <= set(map(tuple, kitchen.edges.tolist()))


def test_a_plan_decides_the_frontier_and_nothing_else() -> None:
    """What it leaves open stays as the build has it; the seed is the plan's."""
    config = build_config()
    plan = JudgePlan(budget=7, policy=FrontierPolicy.RANDOM, seed=3)
    frontier = plan.applied(config).frontier
    assert (frontier.budget, frontier.policy, frontier.seed) == (7, FrontierPolicy.RANDOM, 3)
    assert replace(plan.applied(config), frontier=config.frontier) == config
    assert JudgePlan().applied(config) == config


def test_every_topic_is_in_one_fold_with_its_cluster(kitchen: GoldSet) -> None:
    """Both tasks of brew-tea stay together; another seed may deal otherwise."""
    folds = fold_topics(kitchen, seed=0)
    assert sorted(at for topics in folds for at in topics) == [0, 1, 2, 3]
    assert any({0, 1} <= set(topics) for topics in folds)
    assert len({tuple(map(tuple, fold_topics(kitchen, seed=seed))) for seed in range(9)}) > 1


def test_a_judge_knows_no_edge_that_the_scored_tasks_alone_prove(kitchen: GoldSet) -> None:
    """Without the tasks of tea nobody knows tea; without those of pasta tea needs water still."""
    assert judge_for(kitchen, [0, 1], SURE).opinion("boil-water", "brew-tea") is None
    assert judge_for(kitchen, [2], SURE).opinion("boil-water", "brew-tea") is True
    assert judge_for(kitchen, [2], SURE).opinion("brew-tea", "boil-water") is False
    wrong = replace(SURE, errors=Errors(false_positive=1.0))
    assert judge_for(kitchen, [2], wrong).opinion("brew-tea", "boil-water") is True


def test_the_benchmark_asks_the_judge(tmp_path: Path) -> None:
    """Each fold its own; `no-judge` builds without, `paper` asks it in place of the free prober."""
    data = write_kitchen(tmp_path / "gold")
    plan = Plan(
        folder=data,
        methods=("paper", "default", "no-judge"),
        cache=tmp_path / "cache",
        encoder="builtin",
        judging=judging(SURE),
        judging_id="sure",
    )
    (runs,) = run_sets(plan)
    calls = {name: run.cost["calls"] for name, run in runs.runs.items()}
    assert calls["no-judge"] == 0
    assert calls["default"] > 0 < calls["paper"]
    assert runs.runs["default"].edges["precision_confirmed"].n > 0
    assert runs.runs["no-judge"].edges["precision_confirmed"].n == 0
