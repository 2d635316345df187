"""The budget buys the best edges, and ties are decided by content."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from caskg.config import (
    BuildConfig,
    EvidenceConfig,
    FrontierConfig,
    FrontierPolicy,
    PublicationConfig,
    build_config,
)
from caskg.errors import UsageError
from caskg.graph.frontier import (
    at_random,
    by_association,
    by_coverage,
    enablers_first,
    expected_change,
    frontier_budget,
    order_frontier,
    select_frontier,
)
from caskg.schema import Candidates, FloatArray, IntArray, Reliability, Signal, SkillGraph

RANKS = np.array([2, 0, 1])


def candidates(association: list[float]) -> Candidates:
    """Return the edges 0 -> 1, 0 -> 2, 1 -> 0, 1 -> 2, 2 -> 0, 2 -> 1."""
    source, target = np.array([0, 0, 1, 1, 2, 2]), np.array([1, 2, 0, 2, 0, 1])
    return Candidates(
        n_skills=3,
        source=source,
        target=target,
        association=np.array(association),
        types=np.zeros(6, dtype=np.int8),
        channels=np.ones(6, dtype=np.int64),
    )


def selected(association: list[float], budget: int, ranks: IntArray = RANKS) -> list[int]:
    return [int(at) for at in select_frontier(candidates(association), budget=budget, tie_break=ranks)]


def test_the_edges_of_highest_association_are_selected_best_first() -> None:
    """Paper: the top B by A."""
    association = [0.1, 0.9, 0.3, 0.8, 0.2, 0.7]
    assert selected(association, 3) == [1, 3, 5]
    assert selected(association, 6) == [1, 3, 5, 2, 4, 0]


def test_a_smaller_budget_is_a_beginning_of_a_larger_one() -> None:
    """Raising the budget must not waste what was spent."""
    association = [0.5, 0.5, 0.1, 0.5, 0.9, 0.5]
    whole = selected(association, 6)
    assert all(selected(association, budget) == whole[:budget] for budget in range(7))


def test_equal_edges_stand_in_the_order_of_their_content() -> None:
    """By rank of the source, then of the target: skill 1 goes first, then 2, then 0."""
    assert selected([0.5] * 6, 6) == [3, 2, 5, 4, 0, 1]
    assert selected([0.5] * 6, 6, np.array([0, 1, 2])) == [0, 1, 2, 3, 4, 5]


def test_a_budget_of_zero_selects_nothing_and_a_large_one_everything() -> None:
    """Both are usual: no prober, or a free one."""
    assert selected([0.5] * 6, 0) == []
    assert sorted(selected([0.5] * 6, 1000)) == [0, 1, 2, 3, 4, 5]


def test_a_negative_budget_is_refused() -> None:
    """A slice would take it for "all but the last"."""
    with pytest.raises(UsageError, match="budget is -1"):
        selected([0.5] * 6, -1)
    with pytest.raises(UsageError, match="budget is -3"):
        frontier_budget(10, config=FrontierConfig(budget=-3))


@pytest.mark.parametrize(("n_skills", "budget"), [(0, 500), (1000, 500), (1001, 1001), (3139, 3139)])
def test_the_budget_is_500_up_to_1000_skills_and_one_a_skill_above(n_skills: int, budget: int) -> None:
    """Method, Section 8; in both profiles."""
    for profile in ("paper", "default"):
        assert frontier_budget(n_skills, config=build_config(profile).frontier) == budget


def test_a_configured_budget_holds_whatever_the_library() -> None:
    """Also 0: it is a number, not an absence."""
    assert frontier_budget(5000, config=FrontierConfig(budget=7)) == 7
    assert frontier_budget(5000, config=FrontierConfig(budget=0)) == 0
    assert frontier_budget(3, config=FrontierConfig(small_budget=9, small_library=3)) == 9
    assert frontier_budget(4, config=FrontierConfig(small_budget=9, small_library=3)) == 4


# ---------------------------------------------------------------- policies

CONTENT = np.array([0, 1, 2])


def unasked(support: float = 0.0, against: float = 0.0) -> Reliability:
    """Return the same evidence on each of the six edges."""
    return Reliability(
        support=np.full(6, support),
        against=np.full(6, against),
        value=np.full(6, (1 + support) / (2 + support + against)),
        states=np.full(6, 3, dtype=np.int8),
        text_only=np.zeros(6, dtype=np.bool_),
    )


def published(weights: dict[int, float], *, of: Candidates) -> SkillGraph:
    """Return a graph of some of the candidates."""
    rows = np.array(sorted(weights), dtype=np.int64)
    return SkillGraph(
        n_skills=3,
        source=of.source[rows],
        target=of.target[rows],
        weight=np.array([weights[row] for row in rows.tolist()], dtype=np.float64),
        association=of.association[rows],
        reliability=np.full(len(rows), 0.5),
        types=of.types[rows],
        states=np.full(len(rows), 3, dtype=np.int8),
    )


def change(
    association: float, weights: dict[int, float], evidence: Reliability, *, blend_mass: float | None = 2.0
) -> FloatArray:
    edges = candidates([association] * 6)
    return expected_change(
        edges,
        evidence,
        published(weights, of=edges),
        evidence=EvidenceConfig(),
        publication=PublicationConfig(blend_mass=blend_mass),
    )


def test_an_unpublished_edge_is_worth_its_chance_of_being_confirmed() -> None:
    """A = .5 confirmed by three units: .4 * .5 + .6 * .8 = .68, with chance .5, over the least row."""
    assert change(0.5, {}, unasked()) == pytest.approx(0.5 * 0.68 / 0.5)
    assert change(0.5, {}, unasked(), blend_mass=None) == pytest.approx(0.5 * 0.8 / 0.5)  # max(A, c)


def test_a_published_edge_is_worth_its_rise_and_its_fall() -> None:
    """Edge 0 -> 1 of weight .2; row of skill 1 below the least."""
    found = change(0.5, {0: 0.2}, unasked())
    assert found[0] == pytest.approx((0.5 * 0.48 + 0.5 * 0.2) / 0.5)


def test_an_edge_into_a_skill_with_many_moves_little() -> None:
    """Row of skill 1: .8, which no confirmation raises; the edge 2 -> 1 shares it, the others do not."""
    found = change(0.5, {0: 0.8}, unasked())
    assert found[[0, 5]] == pytest.approx([0.5 * 0.8 / 0.8, 0.34 / 0.8])
    assert found[[1, 2, 3, 4]] == pytest.approx(0.68)


def test_each_weight_belongs_to_its_own_edge() -> None:
    """Of all that are published, in whatever place of C: the edge 2 -> 1 weighs .8, 1 -> 2 weighs .6."""
    found = change(0.5, {3: 0.6, 5: 0.8}, unasked())
    assert found[[5, 0]] == pytest.approx([0.5 * 0.8 / 0.8, 0.34 / 0.8])
    assert found[[3, 1]] == pytest.approx([(0.5 * 0.08 + 0.5 * 0.6) / 0.6, 0.34 / 0.6])
    assert found[[2, 4]] == pytest.approx(0.68)


def test_evidence_against_an_edge_lowers_what_asking_may_change() -> None:
    """Mass 2 against: c = .25, b = .5 A + .5 c; three units for it make c = 4/7 of mass 5."""
    chance, confirmed = 0.5 * 0.5 + 0.5 * 0.25, (2 * 0.5 + 5 * 4 / 7) / 7
    assert change(0.5, {}, unasked(against=2.0)) == pytest.approx(chance * confirmed / 0.5)
    surer, raised = 0.5 * 0.5 + 0.5 * 0.75, (2 * 0.5 + 5 * 6 / 7) / 7
    assert change(0.5, {}, unasked(support=2.0)) == pytest.approx(surer * raised / 0.5)


def test_coverage_asks_about_the_best_edge_into_each_skill_first() -> None:
    """Edges into 1: 0 and 5; into 2: 1 and 3; into 0: 2 and 4."""
    edges = candidates([0.9, 0.2, 0.3, 0.1, 0.6, 0.8])
    assert by_coverage(edges, tie_break=CONTENT).tolist() == [0, 4, 1, 5, 2, 3]
    assert by_coverage(candidates([0.5] * 6), tie_break=RANKS).tolist() == [3, 2, 5, 4, 0, 1]


def with_enabler(values: Sequence[float | None]) -> Candidates:
    signal = Signal(
        value=np.array([0.99 if value is None else value for value in values]),
        active=np.array([value is not None for value in values]),
    )
    return replace(candidates([0.1, 0.2, 0.3, 0.3, 0.5, 0.6]), signals={"enabler": signal})


def test_enablers_are_asked_about_first_and_then_the_rest_by_association() -> None:
    """A signal that is not active says nothing, whatever number stands there."""
    edges = with_enabler([0.7, 0.8, None, None, 0.7, None])
    assert enablers_first(edges, tie_break=CONTENT).tolist() == [1, 4, 0, 5, 2, 3]
    assert enablers_first(edges, tie_break=RANKS).tolist() == [1, 4, 0, 5, 3, 2]
    without = replace(edges, signals={})
    assert enablers_first(without, tie_break=CONTENT).tolist() == [5, 4, 2, 3, 1, 0]


def test_coverage_asks_last_what_is_as_good_as_known() -> None:
    """Edge 0, the best into 1, is sure; edge 4 has just the share that is not, and of edge 1 none is told."""
    edges = candidates([0.9, 0.2, 0.3, 0.1, 0.6, 0.8])
    known = [True, False, True, True, True, True]
    share = Signal(value=np.array([0.81, 0.99, 0.0, 0.0, 0.8, 0.0]), active=np.array(known))
    told = replace(edges, signals={"provider": share})
    assert by_coverage(told, tie_break=CONTENT).tolist() == [0, 4, 1, 5, 2, 3]
    config = BuildConfig()
    assert config.frontier.sure == 0.8
    order = order_frontier(told, unasked(), published({}, of=told), config=config, tie_break=CONTENT)
    assert order.tolist() == [5, 4, 1, 2, 3, 0]


def test_chance_is_the_same_for_the_same_contents() -> None:
    """Another place in the library changes nothing, another seed does."""
    edges = candidates([0.1, 0.9, 0.3, 0.8, 0.2, 0.7])
    order = at_random(edges, tie_break=RANKS, seed=3)
    ends = list(zip(RANKS[edges.source[order]].tolist(), RANKS[edges.target[order]].tolist(), strict=True))
    moved = at_random(edges, tie_break=CONTENT, seed=3)
    assert ends == list(zip(edges.source[moved].tolist(), edges.target[moved].tolist(), strict=True))
    others = {tuple(at_random(edges, tie_break=RANKS, seed=seed).tolist()) for seed in range(20)}
    assert len(others) > 10
    assert all(sorted(other) == list(range(6)) for other in others)


def test_the_configured_policy_orders_the_frontier() -> None:
    """Five policies, five orders; by default every skill gets its best edge asked first."""
    edges = with_enabler([None, 0.9, None, None, None, None])
    graph = published({5: 0.9, 4: 0.9}, of=edges)
    config = BuildConfig()
    assert config.frontier.policy is FrontierPolicy.COVERAGE

    def ordered(policy: FrontierPolicy, seed: int = 0) -> list[int]:
        chosen = replace(config, frontier=FrontierConfig(policy=policy, seed=seed))
        order = order_frontier(edges, unasked(), graph, config=chosen, tie_break=RANKS)
        return [int(at) for at in order]

    assert ordered(FrontierPolicy.ASSOCIATION) == by_association(edges, tie_break=RANKS).tolist()
    assert ordered(FrontierPolicy.RANDOM, 7) == at_random(edges, tie_break=RANKS, seed=7).tolist()
    assert ordered(FrontierPolicy.ENABLERS) == enablers_first(edges, tie_break=RANKS).tolist()
    assert ordered(FrontierPolicy.COVERAGE) == by_coverage(edges, tie_break=RANKS).tolist()
    moves = expected_change(edges, unasked(), graph, evidence=config.evidence, publication=config.publication)
    by_change = ordered(FrontierPolicy.CHANGE)
    assert by_change == sorted(range(6), key=lambda at: (-moves[at], at))
    assert by_change not in [ordered(policy) for policy in FrontierPolicy if policy != "change"]


def test_equal_changes_stand_in_the_order_of_their_content() -> None:
    """As everywhere."""
    edges = candidates([0.5] * 6)
    chosen = BuildConfig(frontier=FrontierConfig(policy=FrontierPolicy.CHANGE))
    nothing = published({}, of=edges)
    order = order_frontier(edges, unasked(), nothing, config=chosen, tie_break=RANKS)
    assert order.tolist() == [3, 2, 5, 4, 0, 1]
