"""What was said of other edges out of the same source: an enabler is rarely one for a single skill.

Part of the `verifier`. Whether *source* supports *target* is likelier where it was confirmed to
support others, most of all others like *target*. The numbers are shares, so they mean the same
in every library, and nothing is told of an edge by itself or by an edge into the same target.
"""

import numpy as np

from caskg.schema import CodeArray, FloatArray, IntArray, VectorArray

_PRIOR = 1.0
"""How many precedents the share of all assessed edges counts as."""


def precedents(source: IntArray, target: IntArray, known: CodeArray, *, vectors: VectorArray) -> FloatArray:
    """Return what assessed edges out of the same source say of each edge.

    Of an edge (i, j), over assessed edges (i, j') with j' other than j, weighed by kappa, with r
    the share of confirmed among all assessed edges::

        excess = (sum of kappa over confirmed + r) / (sum of kappa + 1) - r
        weight = sum of kappa / (sum of kappa + 1)

    once with kappa = max(0, cosine of j and j')^2, once with kappa = 1.

    Args:
        source: Shape ``(n_edges,)``.
        target: Shape ``(n_edges,)``.
        known: 1 confirmed, -1 rejected, 0 not assessed, shape ``(n_edges,)``.
        vectors: Unit rows or zeros, shape ``(n_skills, d)``.

    Returns:
        Shape ``(n_edges, 4)``: excess and weight by likeness, then excess and weight by number; all 0
        without a precedent. An excess lies in ``(-1, 1)``, a weight in ``[0, 1)``.

    >>> source, target = np.array([0, 0, 0]), np.array([1, 2, 3])
    >>> known, vectors = np.array([1, 1, 0], dtype=np.int8), np.ones((4, 1), dtype=np.float32)
    >>> precedents(source, target, known, vectors=vectors)[:, 3].round(2).tolist()
    [0.5, 0.5, 0.67]
    """
    told = np.zeros((len(source), 4))
    assessed = np.flatnonzero(known)
    if not len(assessed):
        return told
    rate = float(np.mean(known[assessed] > 0))
    rows_of, cases_of = _grouped(source), _grouped(source[assessed])
    for i, cases in cases_of.items():
        rows, precedent = rows_of[i], assessed[cases]
        others = target[rows][:, None] != target[precedent][None, :]
        cosine = vectors[target[rows]].astype(np.float64) @ vectors[target[precedent]].astype(np.float64).T
        confirmed = (known[precedent] > 0).astype(np.float64)
        likeness = np.maximum(cosine, 0.0) ** 2
        told[rows, :2] = _share(likeness * others, confirmed, rate=rate)
        told[rows, 2:] = _share(others.astype(np.float64), confirmed, rate=rate)
    return told


def _share(kappa: FloatArray, confirmed: FloatArray, *, rate: float) -> FloatArray:
    total = kappa.sum(axis=1)
    excess = (kappa @ confirmed + _PRIOR * rate) / (total + _PRIOR) - rate
    return np.column_stack([excess, total / (total + _PRIOR)])


def _grouped(keys: IntArray) -> dict[int, IntArray]:
    """Return the positions of each key."""
    order = np.argsort(keys, kind="stable")
    distinct, starts = np.unique(keys[order], return_index=True)
    return dict(zip(distinct.tolist(), np.split(order, starts[1:]), strict=True))
