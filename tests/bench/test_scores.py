"""Ranking and calibration of scores against scipy, ir-measures and tables worked out by hand."""

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from caskg.bench.scores import auroc, average_precision, brier, calibration_error

judged = st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=2, max_size=30)


def columns(values: list[tuple[int, bool]]) -> tuple[np.ndarray, np.ndarray]:
    scores, positive = zip(*values, strict=True)
    return np.array(scores) / 6, np.array(positive)


@given(judged)
def test_auroc_is_the_share_of_pairs_that_scipy_counts(values: list[tuple[int, bool]]) -> None:
    """U of Mann and Whitney over the number of pairs, ties included."""
    scores, positive = columns(values)
    found = auroc(scores, positive)
    if positive.all() or not positive.any():
        assert np.isnan(found)
        return
    u = mannwhitneyu(scores[positive], scores[~positive]).statistic
    assert found == pytest.approx(u / (positive.sum() * (~positive).sum()))


@given(st.permutations(range(12)), st.lists(st.booleans(), min_size=12, max_size=12))
def test_average_precision_is_that_of_ir_measures(order: list[int], gold: list[bool]) -> None:
    """Where no scores are equal, so that there is one order only."""
    positive = np.array(gold)
    found = average_precision(np.array(order, dtype=np.float64), positive)
    if not positive.any():
        assert np.isnan(found)
        return
    qrels = {"q": {str(at): int(is_gold) for at, is_gold in enumerate(gold)}}
    run = {"q": {str(at): float(score) for at, score in enumerate(order)}}
    oracle = ir_measures.calc_aggregate([ir_measures.AP], qrels, run)[ir_measures.AP]
    assert found == pytest.approx(oracle)


@given(judged)
def test_the_order_of_equals_does_not_matter(values: list[tuple[int, bool]]) -> None:
    """No luck of the sort."""
    scores, positive = columns(values)
    turned = average_precision(scores[::-1], positive[::-1]), auroc(scores[::-1], positive[::-1])
    assert (average_precision(scores, positive), auroc(scores, positive)) == pytest.approx(
        turned, nan_ok=True
    )


def test_equal_scores_are_one_step() -> None:
    """Two of four at once: precision 1/2 for both."""
    assert average_precision(np.full(4, 0.3), np.array([True, False, True, False])) == 0.5


def test_brier_is_the_mean_square() -> None:
    """(.25 ** 2 + .5 ** 2) / 2."""
    assert brier(np.array([0.75, 0.5]), np.array([True, False])) == pytest.approx(0.15625)
    assert np.isnan(brier(np.zeros(0), np.zeros(0, dtype=np.bool_)))


@pytest.mark.parametrize(
    ("said", "gold", "error"),
    [
        ([0.0, 1.0], [False, True], 0.0),
        ([0.05, 0.95], [True, True], (0.95 + 0.05) / 2),
        ([0.31, 0.39], [True, False], 0.15),  # one bin: .35 said, .5 so
        ([0.39, 0.41], [True, False], (0.61 + 0.41) / 2),  # two bins
        ([1.0], [False], 1.0),
    ],
)
def test_the_calibration_error_is_that_of_ten_bins(said: list[float], gold: list[bool], error: float) -> None:
    """1 belongs to the last bin."""
    assert calibration_error(np.array(said), np.array(gold)) == pytest.approx(error)


def test_nothing_said_has_no_calibration_error() -> None:
    """It is not 0, which would be perfect."""
    assert np.isnan(calibration_error(np.zeros(0), np.zeros(0, dtype=np.bool_)))
