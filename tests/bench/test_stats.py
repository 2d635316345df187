"""Intervals against scipy's bootstrap, and what they promise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from caskg.bench.stats import Interval, paired_bootstrap


def pairs(n_pairs: int, seed: int = 1) -> tuple[list[float], list[float]]:
    generator = np.random.default_rng(seed)
    hard = generator.random(n_pairs)
    return (hard + 0.1 * generator.random(n_pairs)).tolist(), hard.tolist()


@pytest.mark.parametrize("confidence", [0.8, 0.95])
@pytest.mark.parametrize("n_pairs", [2, 7, 40, 400])
def test_the_interval_is_that_of_scipys_paired_percentile_bootstrap(n_pairs: int, confidence: float) -> None:
    """Drawn from the same generator, to the last bit but the order of additions."""
    first, second = pairs(n_pairs)
    interval = paired_bootstrap(first, second, confidence=confidence, seed=3)
    oracle = stats.bootstrap(
        (first, second),
        lambda one, other, axis: np.mean(one, axis=axis) - np.mean(other, axis=axis),
        paired=True,
        vectorized=True,
        method="percentile",
        n_resamples=10_000,
        confidence_level=confidence,
        rng=np.random.default_rng(3),
    ).confidence_interval
    assert (interval.low, interval.high) == pytest.approx((oracle.low, oracle.high), abs=1e-12)
    assert interval.mean == pytest.approx(np.mean(first) - np.mean(second))


def test_what_is_hard_for_both_cancels() -> None:
    """Paired, a constant gain is certain, however much tasks differ."""
    first = [0.1, 0.5, 0.9, 0.2]
    interval = paired_bootstrap(first, [value - 0.1 for value in first])
    assert (interval.mean, interval.low, interval.high) == pytest.approx((0.1, 0.1, 0.1))


def test_the_interval_of_two_pairs_is_known() -> None:
    """Means of 0 and 1 drawn twice: 0, 1/2, 1/2, 1; the tails of 2.5 % lie in the extremes."""
    assert paired_bootstrap([1, 0], [0, 0]) == Interval(mean=0.5, low=0.0, high=1.0)
    assert paired_bootstrap([1, 0], [0, 0], confidence=0.4) == Interval(mean=0.5, low=0.5, high=0.5)


def test_equal_seeds_give_equal_intervals_and_others_do_not() -> None:
    """A table can be made again."""
    values = pairs(30)
    assert paired_bootstrap(*values) == paired_bootstrap(*values) == paired_bootstrap(*values, seed=0)
    assert paired_bootstrap(*values) != paired_bootstrap(*values, seed=1)


@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(-5, 5)), min_size=2, max_size=9))
def test_the_interval_lies_within_the_differences_and_turns_with_them(
    values: list[tuple[float, float]],
) -> None:
    """And swapping the two sides turns its sign."""
    first, second = zip(*values, strict=True)
    interval = paired_bootstrap(first, second, resamples=200)
    back = paired_bootstrap(second, first, resamples=200)
    differences = [one - other for one, other in values]
    assert min(differences) - 1e-9 <= interval.low <= interval.high <= max(differences) + 1e-9
    assert (interval.mean, interval.low, interval.high) == pytest.approx((-back.mean, -back.high, -back.low))


def test_95_percent_of_intervals_hold_the_truth() -> None:
    """Or nearly: the percentile interval of 30 normal differences is a little short."""
    generator = np.random.default_rng(5)
    held = 0
    for _ in range(300):
        interval = paired_bootstrap(generator.normal(0.2, 1, 30).tolist(), [0.0] * 30, resamples=500)
        held += interval.low <= 0.2 <= interval.high
    assert 0.90 < held / 300 < 0.98


@pytest.mark.parametrize(
    ("first", "second", "options"),
    [
        ([1.0], [1.0], {}),
        ([], [], {}),
        ([1.0, 2.0], [1.0], {}),
        ([1.0, 2.0], [1.0, 2.0], {"resamples": 0}),
        ([1.0, 2.0], [1.0, 2.0], {"confidence": 1.0}),
        ([1.0, 2.0], [1.0, 2.0], {"confidence": 0.0}),
    ],
)
def test_what_has_no_interval_is_refused(
    first: list[float], second: list[float], options: dict[str, int]
) -> None:
    """One pair would give an interval of no width, which looks like certainty."""
    with pytest.raises(ValueError, match=r"Cannot pair|must be at least 1 and confidence"):
        paired_bootstrap(first, second, **options)
