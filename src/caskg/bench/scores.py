"""How well scores tell what is so from what is not: ranking, and calibration."""

import numpy as np

from caskg.schema import BoolArray, FloatArray

BINS = 10
"""Of equal width, in which the expected calibration error compares what was said with what was so."""


def auroc(scores: FloatArray, positive: BoolArray) -> float:
    """Return the chance that a positive scores above a negative, equal scores counting half.

    Args:
        scores: Shape ``(n,)``.
        positive: Shape ``(n,)``.

    Returns:
        In ``[0, 1]``; NaN where there is no positive or no negative.

    >>> auroc(np.array([0.9, 0.4, 0.4, 0.1]), np.array([True, True, False, False]))
    0.875
    """
    n_positive = int(positive.sum())
    n_pairs = n_positive * (len(scores) - n_positive)
    if not n_pairs:
        return float("nan")
    _, inverse, counts = np.unique(scores, return_inverse=True, return_counts=True)
    rank = (np.cumsum(counts) - (counts - 1) / 2)[inverse]  # from 1; equal scores share their mean rank
    return float((rank[positive].sum() - n_positive * (n_positive + 1) / 2) / n_pairs)


def average_precision(scores: FloatArray, positive: BoolArray) -> float:
    """Return the mean, over the positives, of the precision at their score.

    Equal scores are one step, so that their order does not matter.

    Returns:
        In ``(0, 1]``; NaN where there is no positive.

    >>> round(average_precision(np.array([0.9, 0.5, 0.1]), np.array([True, False, True])), 4)
    0.8333
    """
    if not positive.any():
        return float("nan")
    levels, at = np.unique(-scores, return_inverse=True)
    hits = np.bincount(at, positive, minlength=len(levels))
    precision = np.cumsum(hits) / np.cumsum(np.bincount(at, minlength=len(levels)))
    return float((precision * hits).sum() / hits.sum())


def brier(probability: FloatArray, positive: BoolArray) -> float:
    """Return the mean squared difference of what was said and what was so, in ``[0, 1]``; NaN for none.

    >>> brier(np.array([0.5, 1.0]), np.array([False, True]))
    0.125
    """
    return float(np.mean((probability - positive) ** 2)) if len(probability) else float("nan")


def calibration_error(probability: FloatArray, positive: BoolArray) -> float:
    """Return the expected calibration error over `BINS` bins of equal width (ECE).

    The mean, over all, of the distance between what a bin said on average and how often it was so.

    Args:
        probability: Shape ``(n,)``, in ``[0, 1]``.
        positive: Shape ``(n,)``.

    Returns:
        In ``[0, 1]``; NaN for none.

    >>> calibration_error(np.array([0.75, 0.75]), np.array([True, False]))
    0.25
    """
    if not len(probability):
        return float("nan")
    bins = np.minimum((probability * BINS).astype(np.int64), BINS - 1)
    gaps = np.bincount(bins, probability - positive, minlength=BINS)
    return float(np.abs(gaps).sum() / len(probability))
