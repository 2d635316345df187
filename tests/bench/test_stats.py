"""Intervals against scipy's bootstrap, and what they promise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from caskg.bench.stats import Interval, cluster_bootstrap, holm, paired_bootstrap, sign_flip_test


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


# ---------------------------------------------------------------- clusters


def test_clusters_are_drawn_whole() -> None:
    """Two clusters of 3 and 1: drawn twice each, the means are 0, 1 and 1/4."""
    values = np.array([[0.0], [0.0], [0.0], [1.0]])
    clusters = np.array([0, 0, 0, 1])
    (interval,) = cluster_bootstrap(values, clusters)
    assert interval == Interval(mean=0.25, low=0.0, high=1.0)
    (middle,) = cluster_bootstrap(values, clusters, confidence=0.4)
    assert middle == Interval(mean=0.25, low=0.25, high=0.25)


def test_the_interval_of_clusters_is_that_of_scipy() -> None:
    """The mean over tasks is a ratio of two sums over clusters."""
    generator = np.random.default_rng(5)
    clusters = np.repeat(np.arange(30), generator.integers(1, 6, 30))
    values = generator.random(len(clusters)) + 0.3 * clusters / 30
    sums, counts = np.bincount(clusters, values), np.bincount(clusters)
    oracle = stats.bootstrap(
        (sums, counts),
        lambda s, n, axis: s.sum(axis=axis) / n.sum(axis=axis),
        paired=True,
        vectorized=True,
        method="percentile",
        n_resamples=10_000,
        rng=np.random.default_rng(9),
    ).confidence_interval
    (interval,) = cluster_bootstrap(values[:, None], clusters, seed=9)
    assert (interval.low, interval.high) == pytest.approx((oracle.low, oracle.high), abs=1e-12)
    assert interval.mean == pytest.approx(values.mean())


def test_what_a_task_does_not_ask_for_enters_no_mean() -> None:
    """NaN in one column leaves the other alone; a column of nothing has no interval."""
    values = np.array([[1.0, np.nan, np.nan], [0.0, 0.5, np.nan], [0.0, 0.5, np.nan]])
    one, other, nothing = cluster_bootstrap(values, np.arange(3))
    assert one.mean == pytest.approx(1 / 3)
    assert (other.mean, other.low, other.high) == (0.5, 0.5, 0.5)
    assert np.isnan([nothing.mean, nothing.low, nothing.high]).all()


@pytest.mark.parametrize("n_clusters", [2, 4, 9, 13])
def test_the_sign_flip_test_is_scipys_where_all_signs_can_be_tried(n_clusters: int) -> None:
    """2 ** 13 signs are fewer than 10,000."""
    differences = np.random.default_rng(n_clusters).normal(0.3, 1.0, n_clusters)
    oracle = stats.permutation_test(
        (differences,),
        lambda sample, axis: np.sum(sample, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=10_000,
    ).pvalue
    assert sign_flip_test(differences[:, None], np.arange(n_clusters)) == pytest.approx(oracle)


def test_drawn_signs_come_near_to_all_signs() -> None:
    """Of 14 clusters there are 16,384 signs: too many to try, and enough to know."""
    differences = np.random.default_rng(2).normal(0.4, 1.0, (14, 1))
    drawn = sign_flip_test(differences, np.arange(14))
    tried = sign_flip_test(differences, np.arange(14), resamples=2**14)
    assert drawn != tried
    assert drawn == pytest.approx(tried, abs=0.02)


def test_signs_are_flipped_by_cluster() -> None:
    """Six tasks of one cluster are one coin: the least p is 1."""
    differences = np.ones((6, 1))
    assert sign_flip_test(differences, np.zeros(6, dtype=np.int64)) == [1.0]
    assert sign_flip_test(differences, np.arange(6)) == [2 / 64]


def test_a_difference_of_nothing_has_no_p_below_one() -> None:
    """Zeros and NaN alike, however many there are."""
    nothing = np.stack([np.zeros(40), np.full(40, np.nan)], axis=1)
    assert sign_flip_test(nothing, np.arange(40)).tolist() == [1.0, 1.0]


def test_a_clear_difference_counts_itself_among_the_drawn() -> None:
    """So that no p is 0."""
    (p,) = sign_flip_test(np.ones((60, 1)), np.arange(60), resamples=99)
    assert p == 0.01


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_holm_is_the_step_down_of_its_definition(p_values: list[float]) -> None:
    """By brute force: the largest over all smaller ones of (m - rank) p, at most 1."""
    ranked = sorted(p_values)
    expected = [
        min(
            1.0, max((len(ranked) - rank) * ranked[rank] for rank in range(ranked.index(p) + ranked.count(p)))
        )
        for p in p_values
    ]
    found = holm(p_values)
    for p, got, most in zip(p_values, found, expected, strict=True):
        if p_values.count(p) == 1:
            assert got == pytest.approx(most)
        assert p <= got <= most + 1e-12


def test_no_table_is_adjusted_to_nothing() -> None:
    """An empty table has no p."""
    assert holm([]) == []
    assert holm([0.2, 0.2]) == [0.4, 0.4]
