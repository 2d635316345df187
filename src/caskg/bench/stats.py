"""How sure a difference is: intervals for paired comparisons."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

RESAMPLES = 10_000
CONFIDENCE = 0.95
LEAST = 2
"""Fewest pairs that have an interval: one alone says nothing of how others would differ."""

_BLOCK = 2**20  # drawn indices that are held at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A mean difference and its confidence interval, in the unit of the values."""

    mean: float
    low: float
    high: float


def paired_bootstrap(
    first: Sequence[float],
    second: Sequence[float],
    *,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
    seed: int = 0,
) -> Interval:
    """Return the mean of ``first - second`` and its percentile bootstrap interval.

    Pairs are drawn with replacement, so that what makes a task hard for both cancels.

    Args:
        first: One value for each task.
        second: Likewise, for the same tasks in the same order.
        resamples: How many times as many pairs as there are are drawn, at least 1.
        confidence: In ``(0, 1)``.
        seed: Of the draws; equal seeds, equal intervals.

    Raises:
        ValueError: There are fewer than `LEAST` pairs, or not as many values of both; *resamples*
            or *confidence* is out of range.

    >>> paired_bootstrap([1.0, 1.0, 1.0], [0.5, 0.5, 0.5])
    Interval(mean=0.5, low=0.5, high=0.5)
    """
    if len(first) != len(second) or len(first) < LEAST:
        msg = f"Cannot pair {len(first)} values with {len(second)}: give at least {LEAST} of each."
        raise ValueError(msg)
    if resamples < 1 or not 0 < confidence < 1:
        msg = f"resamples must be at least 1 and confidence in (0, 1), not {resamples} and {confidence}."
        raise ValueError(msg)
    differences = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    generator = np.random.default_rng(seed)
    rows = max(1, _BLOCK // len(differences))
    means = np.concatenate(
        [
            differences[
                generator.integers(0, len(differences), (min(rows, resamples - done), len(differences)))
            ].mean(axis=1)
            for done in range(0, resamples, rows)
        ]
    )
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(mean=float(differences.mean()), low=float(low), high=float(high))
