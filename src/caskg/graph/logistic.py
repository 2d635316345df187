"""Logistic regression on plain arrays, with what it is unsure of.

A numerical tool of `verifier`. The loss is convex and has one minimum::

    sum_i [log(1 + exp(x_i w + b)) - y_i (x_i w + b)] + ridge / 2 |w|^2
"""

from dataclasses import dataclass

import numpy as np

from caskg.schema import FloatArray

TOLERANCE = 1e-10
"""Newton's method ends when no coefficient moves by more."""

_MOST_STEPS = 100
_SHORTEST = 2.0**-20  # of a Newton step; below it rounding decides whether the loss falls


@dataclass(frozen=True, slots=True, kw_only=True)
class Logistic:
    """A fitted model.

    Attributes:
        center: Mean of each feature in training, shape ``(d,)``.
        scale: Its standard deviation, 1 where that is 0, shape ``(d,)``.
        coefficients: Of the standardised features, then the intercept, shape ``(d + 1,)``.
        covariance: Of the coefficients, by the curvature at the minimum, shape ``(d + 1, d + 1)``.
    """

    center: FloatArray
    scale: FloatArray
    coefficients: FloatArray
    covariance: FloatArray

    def logits(self, features: FloatArray) -> FloatArray:
        """Return the log odds of each row, shape ``(n,)``."""
        logits: FloatArray = _with_ones((features - self.center) / self.scale) @ self.coefficients
        return logits

    def deviations(self, features: FloatArray) -> FloatArray:
        """Return the standard deviation of each row's log odds, shape ``(n,)``, >= 0."""
        rows = _with_ones((features - self.center) / self.scale)
        variance: FloatArray = np.einsum("ij,jk,ik->i", rows, self.covariance, rows, optimize=True)
        return np.sqrt(variance)


def sigmoid(logits: FloatArray) -> FloatArray:
    """Return 1 / (1 + exp(-x)), without overflow.

    >>> sigmoid(np.array([-800.0, 0.0, np.log(3.0)])).round(6)
    array([0.  , 0.5 , 0.75])
    """
    half: FloatArray = 0.5 + 0.5 * np.tanh(0.5 * logits)
    return half


def fit_logistic(features: FloatArray, targets: FloatArray, *, ridge: float) -> Logistic:
    """Fit a model by Newton's method.

    Args:
        features: Shape ``(n, d)``, n at least 1; standardised here.
        targets: Shape ``(n,)``, each in ``[0, 1]``.
        ridge: Weight of the squared coefficients of the standardised features, > 0; the
            intercept is free.

    Raises:
        ValueError: *ridge* is not positive, the shapes differ, or a target lies outside ``[0, 1]``.

    >>> rows = np.array([[0.0], [0.0], [1.0], [1.0]])
    >>> model = fit_logistic(rows, np.array([0.0, 0.5, 0.5, 1.0]), ridge=1e-9)
    >>> sigmoid(model.logits(rows[1:3])).round(4)
    array([0.25, 0.75])
    """
    _check(features, targets, ridge)
    center, scale = features.mean(axis=0), features.std(axis=0)
    scale = np.where(scale > 0.0, scale, 1.0)
    rows = _with_ones((features - center) / scale)
    penalty = np.full(rows.shape[1], ridge)
    penalty[-1] = 0.0
    coefficients = np.zeros(rows.shape[1])
    for _ in range(_MOST_STEPS):
        move = _newton_step(rows, targets, coefficients, penalty)
        coefficients = coefficients + move
        if np.abs(move).max() <= TOLERANCE:
            break
    return Logistic(
        center=center,
        scale=scale,
        coefficients=coefficients,
        covariance=np.linalg.inv(_curvature(rows, coefficients, penalty)).astype(np.float64),
    )


def _newton_step(
    rows: FloatArray, targets: FloatArray, coefficients: FloatArray, penalty: FloatArray
) -> FloatArray:
    """Return Newton's step, halved until the loss no longer rises."""
    slope = rows.T @ (sigmoid(rows @ coefficients) - targets) + penalty * coefficients
    step = -np.linalg.solve(_curvature(rows, coefficients, penalty), slope).astype(np.float64)
    before, length = _loss(rows, targets, coefficients, penalty), 1.0
    while length > _SHORTEST and _loss(rows, targets, coefficients + length * step, penalty) > before:
        length /= 2.0
    return length * step


def _curvature(rows: FloatArray, coefficients: FloatArray, penalty: FloatArray) -> FloatArray:
    chance = sigmoid(rows @ coefficients)
    # Where all targets are equal the intercept runs off and its curvature goes to 0: keep it solvable.
    weight = np.maximum(chance * (1.0 - chance), np.finfo(np.float64).tiny ** 0.25)
    curvature: FloatArray = (rows * weight[:, None]).T @ rows + np.diag(penalty)
    return curvature


def _loss(rows: FloatArray, targets: FloatArray, coefficients: FloatArray, penalty: FloatArray) -> float:
    logits = rows @ coefficients
    return float(np.sum(np.logaddexp(0.0, logits) - targets * logits) + 0.5 * penalty @ coefficients**2)


def _with_ones(rows: FloatArray) -> FloatArray:
    return np.column_stack([rows, np.ones(len(rows))])


def _check(features: FloatArray, targets: FloatArray, ridge: float) -> None:
    if not ridge > 0.0:
        msg = f"ridge is {ridge}: choose a number above 0."
        raise ValueError(msg)
    if features.ndim != 2 or targets.shape != features.shape[:1] or not len(targets):  # noqa: PLR2004 - rows and columns
        msg = f"Features of the shape {features.shape} and targets of {targets.shape}: give one target a row."
        raise ValueError(msg)
    if not np.all((targets >= 0.0) & (targets <= 1.0)):
        msg = f"Targets range from {targets.min()} to {targets.max()}: each must lie in [0, 1]."
        raise ValueError(msg)
