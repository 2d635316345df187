"""The budget buys the best edges, and ties are decided by content."""

import numpy as np
import pytest

from caskg.config import FrontierConfig, build_config
from caskg.errors import UsageError
from caskg.graph.frontier import frontier_budget, select_frontier
from caskg.schema import Candidates, IntArray

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
