"""Logistic regression against answers by hand, the optimality condition, and another optimiser."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from caskg.graph.logistic import Logistic, fit_logistic, sigmoid
from caskg.schema import FloatArray


def rows_and_targets(seed: int, n: int = 60, d: int = 3) -> tuple[FloatArray, FloatArray]:
    generator = np.random.default_rng(seed)
    features = generator.normal(size=(n, d)) * [1.0, 5.0, 0.1][:d] + 2.0
    chance = sigmoid(features[:, 0] - 0.5 * features[:, -1] - 1.0)
    return features, (generator.random(n) < chance).astype(np.float64)


def standardised(features: FloatArray) -> FloatArray:
    return np.column_stack(
        [(features - features.mean(axis=0)) / features.std(axis=0), np.ones(len(features))]
    )


def test_two_groups_get_their_own_odds() -> None:
    """One of four and three of four: log odds of -log 3 and log 3."""
    features = np.repeat([[2.0], [7.0]], 4, axis=0)
    targets = np.array([1, 0, 0, 0, 1, 1, 1, 0], dtype=np.float64)
    model = fit_logistic(features, targets, ridge=1e-9)
    assert model.logits(np.array([[2.0], [7.0]])) == pytest.approx([-np.log(3), np.log(3)], abs=1e-6)


def test_the_deviation_of_two_groups_is_that_of_their_counts() -> None:
    """The log odds of k of n have the variance 1 / (n p (1 - p)) = 4 / 3 for one of four."""
    features = np.repeat([[2.0], [7.0]], 4, axis=0)
    targets = np.array([1, 0, 0, 0, 1, 1, 1, 0], dtype=np.float64)
    model = fit_logistic(features, targets, ridge=1e-9)
    assert model.deviations(np.array([[2.0], [7.0]])) == pytest.approx(np.sqrt([4 / 3, 4 / 3]), abs=1e-6)
    assert model.deviations(np.array([[4.5]]))[0] < 1.0  # between both groups it knows most


@pytest.mark.parametrize("ridge", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("seed", range(3))
def test_another_optimiser_finds_the_same_minimum(seed: int, ridge: float) -> None:
    """The loss as the module states it, minimised by BFGS."""
    features, targets = rows_and_targets(seed)
    rows = standardised(features)

    def loss(coefficients: FloatArray) -> float:
        logits = rows @ coefficients
        penalty = 0.5 * ridge * float(coefficients[:-1] @ coefficients[:-1])
        return float(np.sum(np.log1p(np.exp(logits)) - targets * logits)) + penalty

    found = minimize(loss, np.zeros(rows.shape[1]), method="BFGS", options={"gtol": 1e-9})
    model = fit_logistic(features, targets, ridge=ridge)
    assert model.coefficients == pytest.approx(found.x, abs=1e-4)
    assert loss(model.coefficients) <= loss(found.x) + 1e-9


@settings(deadline=None)
@given(st.integers(0, 1000), st.floats(1e-4, 100.0), st.booleans())
def test_at_the_minimum_the_slope_is_zero(seed: int, ridge: float, soft: bool) -> None:  # noqa: FBT001 - drawn
    """Also with targets between 0 and 1, and for data that a line parts."""
    features, targets = rows_and_targets(seed, n=12)
    if soft:
        targets = 0.1 + 0.8 * targets
    rows, model = standardised(features), fit_logistic(features, targets, ridge=ridge)
    slope = rows.T @ (sigmoid(rows @ model.coefficients) - targets)
    slope[:-1] += ridge * model.coefficients[:-1]
    assert np.abs(slope).max() < 1e-6


@given(st.integers(0, 100), st.floats(0.01, 100.0), st.floats(-50.0, 50.0))
def test_the_unit_of_a_feature_does_not_matter(seed: int, scale: float, shift: float) -> None:
    """Features are standardised, so that one ridge fits all."""
    features, targets = rows_and_targets(seed)
    plain = fit_logistic(features, targets, ridge=1.0)
    moved = fit_logistic(features * scale + shift, targets, ridge=1.0)
    assert moved.logits(features * scale + shift) == pytest.approx(plain.logits(features), abs=1e-6)
    assert moved.deviations(features * scale + shift) == pytest.approx(plain.deviations(features), abs=1e-6)


def test_a_feature_that_never_varies_says_nothing() -> None:
    """Nor does it divide by zero."""
    features, targets = rows_and_targets(0)
    more = np.column_stack([features, np.full(len(features), 3.0)])
    assert fit_logistic(more, targets, ridge=1.0).scale[-1] == 1.0
    assert fit_logistic(more, targets, ridge=1.0).logits(more) == pytest.approx(
        fit_logistic(features, targets, ridge=1.0).logits(features), abs=1e-8
    )


def test_more_ridge_means_smaller_coefficients_and_less_doubt() -> None:
    """But the mean chance stays the base rate: the intercept is free."""
    features, targets = rows_and_targets(1)
    models = [fit_logistic(features, targets, ridge=ridge) for ridge in (0.1, 1.0, 10.0)]

    def size(model: Logistic) -> float:
        return float(np.linalg.norm(model.coefficients[:-1]))

    assert size(models[0]) > size(models[1]) > size(models[2])
    for model in models:
        assert sigmoid(model.logits(features)).mean() == pytest.approx(targets.mean(), abs=1e-8)
    doubts = [float(model.deviations(features).max()) for model in models]
    assert doubts[0] > doubts[1] > doubts[2]


@pytest.mark.parametrize("target", [0.0, 1.0])
def test_equal_targets_give_a_sure_but_finite_answer(target: float) -> None:
    """There the intercept has no minimum."""
    features, _ = rows_and_targets(2)
    model = fit_logistic(features, np.full(len(features), target), ridge=1.0)
    assert np.isfinite(model.logits(features)).all()
    assert sigmoid(model.logits(features)) == pytest.approx(target, abs=1e-3)


def test_the_sigmoid_does_not_overflow() -> None:
    """And is symmetric."""
    logits = np.array([-1e6, -2.0, 0.0, 2.0, 1e6])
    assert sigmoid(logits) == pytest.approx([0.0, 1 / (1 + np.exp(2)), 0.5, 1 / (1 + np.exp(-2)), 1.0])
    assert sigmoid(logits) + sigmoid(-logits) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("features", "targets", "ridge", "message"),
    [
        (np.zeros((2, 1)), np.zeros(2), 0.0, "ridge is 0.0"),
        (np.zeros((2, 1)), np.zeros(2), float("nan"), "ridge is nan"),
        (np.zeros((2, 1)), np.zeros(3), 1.0, "one target a row"),
        (np.zeros(2), np.zeros(2), 1.0, "one target a row"),
        (np.zeros((0, 1)), np.zeros(0), 1.0, "one target a row"),
        (np.zeros((2, 1)), np.array([0.0, 1.1]), 1.0, "range from 0.0 to 1.1"),
        (np.zeros((2, 1)), np.array([-0.1, 1.0]), 1.0, "range from -0.1 to 1.0"),
    ],
)
def test_bad_arguments_are_refused(
    features: FloatArray, targets: FloatArray, ridge: float, message: str
) -> None:
    """Never clipped."""
    with pytest.raises(ValueError, match=message):
        fit_logistic(features, targets, ridge=ridge)
