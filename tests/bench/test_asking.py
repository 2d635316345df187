"""How a simulated judge is asked: how often, and what is made of it."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from caskg.bench.asking import (
    Asking,
    changed_states,
    judge_rates,
    labelled_pair_figures,
    measured_rates,
)
from caskg.bench.judged import JudgePlan, judge_for, judged_build, survey
from caskg.bench.qrels import read_set
from caskg.bench.simulated_judge import Errors
from caskg.bench.study import NOISY
from caskg.config import Reading, build_config
from caskg.graph.answer_model import EDGE, FOR, NONE
from gold_sets import write_kitchen
from retrieval.worlds import ConceptEncoder


def test_how_a_judge_answers_is_measured_on_the_labelled_pairs() -> None:
    """One answer in ten belies its mind, on either side; wrong minds are no part of it."""
    rates = [measured_rates(NOISY, seed) for seed in range(8)]
    for mind, said in ((NONE, 0.1), (EDGE, 0.9)):
        assert np.mean([each.chances[mind, :, FOR] for each in rates]) == pytest.approx(said, abs=0.03)
    assert np.mean([each.missing for each in rates]) == pytest.approx(0.05, abs=0.01)


def test_on_the_labelled_pairs_half_the_calls_rank_as_well() -> None:
    """And better than one probe an edge; hardly a verdict becomes its opposite."""
    figures = {
        asking: [labelled_pair_figures(asking, NOISY, seed=seed) for seed in range(3)] for asking in Asking
    }
    mean = {
        asking: {name: float(np.mean([one[name] for one in each])) for name in each[0]}
        for asking, each in figures.items()
    }
    calls = {asking: each["calls"] for asking, each in mean.items()}
    assert calls[Asking.FIXED] == calls[Asking.MODELLED] == 504
    assert calls[Asking.ONE] == 168
    assert 168 < calls[Asking.ADAPTIVE] <= 252
    assert mean[Asking.ADAPTIVE]["ap"] > mean[Asking.FIXED]["ap"] - 0.02
    assert mean[Asking.ADAPTIVE]["ap"] > mean[Asking.ONE]["ap"] + 0.05
    assert mean[Asking.ADAPTIVE]["states_reversed"] < 0.02
    assert mean[Asking.FIXED]["states_changed"] == 0.0


def test_states_are_compared_with_those_of_the_fixed_plan() -> None:
    """Confirmed, uncertain, rejected, unvalidated: only confirmed and rejected are opposites."""
    now, fixed = np.array([0, 2, 1, 3, 0]), np.array([2, 0, 0, 2, 0])
    assert changed_states(now, fixed) == {"states_changed": 0.8, "states_reversed": 0.4}


@pytest.mark.parametrize("asking", list(Asking))
def test_a_build_asks_and_reads_as_it_is_told(tmp_path: Path, asking: Asking) -> None:
    """Three questions an edge, one, or as many as matter, at most half."""
    kitchen = read_set(write_kitchen(tmp_path), "kitchen")
    plan = JudgePlan(budget=30, asking=asking)
    config = plan.applied(build_config())
    assert config.evidence.reading is (Reading.MODELLED if asking.is_modelled else Reading.COUNTED)
    encoder = ConceptEncoder("boils kettle water heat", "tea leaves drink", "pasta", "plates pots crockery")
    surveyed = survey(kitchen.library, encoder=encoder, config=config)
    fixed, judge = judge_for(kitchen, [], plan), judge_for(kitchen, [], plan)
    whole = judged_build(surveyed, fixed, config=replace(plan, asking=Asking.FIXED).applied(build_config()))
    built = judged_build(surveyed, judge, config=config, asking=asking)
    assert built.n_frontier == whole.n_frontier
    if asking in (Asking.FIXED, Asking.MODELLED):
        assert judge.n_calls == fixed.n_calls
    elif asking is Asking.ONE:
        assert judge.n_calls == built.n_frontier
    else:
        assert built.n_frontier <= judge.n_calls <= fixed.n_calls // 2
    assert judge_rates(judge)("any", "1") == measured_rates(Errors(), 0)
