"""How sure a difference is: intervals for paired comparisons."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from caskg.schema import FloatArray, IntArray

RESAMPLES = 10_000
CONFIDENCE = 0.95
LEAST = 2
"""Fewest pairs that have an interval: one alone says nothing of how others would differ."""

_BLOCK = 2**20  # drawn indices that are held at once
_EQUAL = 1e-12  # sums that differ by less are equal: the order of additions must not decide


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
    differences = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    alone = np.arange(len(differences))
    return cluster_bootstrap(
        differences[:, None], alone, resamples=resamples, confidence=confidence, seed=seed
    )[0]


def cluster_numbers(names: Sequence[Hashable]) -> IntArray:
    """Number clusters from 0 in the order in which they first appear.

    >>> cluster_numbers(["b", "a", "b"]).tolist()
    [0, 1, 0]
    """
    number = {name: at for at, name in enumerate(dict.fromkeys(names))}
    return np.array([number[name] for name in names], dtype=np.int64)


def cluster_bootstrap(
    values: FloatArray,
    clusters: IntArray,
    *,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
    seed: int = 0,
) -> list[Interval]:
    """Return the mean of each column and its percentile bootstrap interval over clusters.

    Whole clusters are drawn with replacement, as many as there are: tasks that share a main
    skill or a repository are one piece of evidence. The same draws serve all columns, so that a
    column of differences is a paired comparison.

    Args:
        values: Shape ``(n_tasks, n_columns)``; NaN where a task does not ask for the measure. A
            resample without a value in a column says nothing of that column.
        clusters: The cluster of each task, numbered from 0 without gaps, shape ``(n_tasks,)``.
        resamples: How many times clusters are drawn, at least 1.
        confidence: In ``(0, 1)``.
        seed: Of the draws; equal seeds, equal intervals.

    Returns:
        One interval a column; NaN throughout for a column without a value.

    Raises:
        ValueError: *resamples* or *confidence* is out of range.

    >>> cluster_bootstrap(np.array([[0.5], [1.0], [0.0]]), np.array([0, 1, 1]))
    [Interval(mean=0.5, low=0.5, high=0.5)]
    """
    if resamples < 1 or not 0 < confidence < 1:
        msg = f"resamples must be at least 1 and confidence in (0, 1), not {resamples} and {confidence}."
        raise ValueError(msg)
    sums, counts = _per_cluster(values, clusters)
    means = np.concatenate(
        [_ratio(drawn @ sums, drawn @ counts) for drawn in _draws(len(sums), resamples, seed)]
    )
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    found = []
    for column, mean in zip(means.T, _ratio(sums.sum(axis=0), counts.sum(axis=0)), strict=True):
        known = column[~np.isnan(column)]
        low, high = np.quantile(known, tails) if len(known) else (np.nan, np.nan)
        found.append(Interval(mean=float(mean), low=float(low), high=float(high)))
    return found


def sign_flip_test(
    differences: FloatArray, clusters: IntArray, *, resamples: int = RESAMPLES, seed: int = 0
) -> FloatArray:
    """Return the two-sided p of each column's sum under random signs of whole clusters.

    If the two methods were alike, the difference of a cluster were as likely to have the other
    sign. All signs are tried where they are at most *resamples*; else as many are drawn, and the
    one at hand is counted among them.

    Args:
        differences: Shape ``(n_tasks, n_columns)``; NaN where a task does not ask for the measure.
        clusters: As for `cluster_bootstrap`.
        resamples: How many signs are drawn, at least 1.
        seed: Of the draws.

    Returns:
        Shape ``(n_columns,)``, in ``(0, 1]``; 1 for a column without a value.

    >>> sign_flip_test(np.array([[1.0], [1.0], [1.0]]), np.array([0, 1, 2])).tolist()
    [0.25]
    """
    sums, _ = _per_cluster(differences, clusters)
    seen = np.abs(sums.sum(axis=0))
    least = seen - _EQUAL * np.maximum(seen, 1.0)
    n_as_large, n_tried = np.zeros(sums.shape[1]), 0
    for signs in _signs(len(sums), resamples, seed):
        n_as_large += (np.abs(signs @ sums) >= least).sum(axis=0)
        n_tried += len(signs)
    itself = 0 if n_tried == _n_signs(len(sums)) else 1  # already among them where all are tried
    found: FloatArray = (n_as_large + itself) / (n_tried + itself)
    return found


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust the p-values of one table, so that the chance of any false finding in it stays bounded.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, at in enumerate(sorted(range(len(p_values)), key=lambda at: p_values[at])):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[at]))
        adjusted[at] = highest
    return adjusted


def _per_cluster(values: FloatArray, clusters: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the sum of each column over each cluster, and of how many values."""
    known = ~np.isnan(values)
    shape = (int(clusters.max(initial=-1)) + 1, values.shape[1])
    sums, counts = np.zeros(shape), np.zeros(shape)
    np.add.at(sums, clusters, np.where(known, values, 0.0))
    np.add.at(counts, clusters, known)
    return sums, counts


def _ratio(sums: FloatArray, counts: FloatArray) -> FloatArray:
    found: FloatArray = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    return found


def _draws(n_clusters: int, resamples: int, seed: int) -> Iterator[FloatArray]:
    """Yield blocks of resamples: how often each cluster was drawn, one row a resample."""
    generator = np.random.default_rng(seed)
    rows = max(1, _BLOCK // n_clusters)
    for done in range(0, resamples, rows):
        n_rows = min(rows, resamples - done)
        drawn = generator.integers(0, n_clusters, (n_rows, n_clusters))
        drawn += n_clusters * np.arange(n_rows)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=n_rows * n_clusters)
        yield counts.reshape(n_rows, n_clusters).astype(np.float64)


def _signs(n_clusters: int, resamples: int, seed: int) -> Iterator[FloatArray]:
    """Yield blocks of signs, one row a trial: all there are, or as many as *resamples*."""
    if _n_signs(n_clusters) <= resamples:
        yield np.array(list(product((1.0, -1.0), repeat=n_clusters)), dtype=np.float64)
        return
    generator = np.random.default_rng(seed)
    rows = max(1, _BLOCK // n_clusters)
    for done in range(0, resamples, rows):
        n_rows = min(rows, resamples - done)
        yield 2.0 * generator.integers(0, 2, (n_rows, n_clusters)).astype(np.float64) - 1.0


def _n_signs(n_clusters: int) -> int:
    return int(2**n_clusters)
