"""How relevance walks from the seeds over the published graph (method, Section 7).

seeds -> **transition matrix, personalized PageRank, strongest paths** -> ranking

An edge ``i -> j`` says that i supports j. Walked along, a seed brings what it
enables; walked against, what it needs. A `Walk` says how much of each, through
a matrix M whose normalised rows are the transition matrix T.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from caskg.config import RELEASED_REVERSE, DiffusionConfig, Walk
from caskg.schema import (
    EDGE_STATES,
    EDGE_TYPES,
    CodeArray,
    EdgeState,
    EdgeType,
    FloatArray,
    IntArray,
    SkillGraph,
)

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_REVERSE = np.array([RELEASED_REVERSE[edge_type] for edge_type in EDGE_TYPES])
_NEARLY = 1.0 - 1e-12  # equal but for the order of additions
_ALTERNATIVE = EDGE_TYPES.index(EdgeType.ALTERNATIVE)
_CONFIRMED = EDGE_STATES.index(EdgeState.CONFIRMED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """Where one unit of relevance goes in one step.

    Attributes:
        matrix: T^T in CSR, shape ``(n_skills, n_skills)``; entry ``[v, u]`` is the share, in
            ``[0, 1]``, that u hands to v.
        leak: Shape ``(n_skills,)``, in ``[0, 1]``: what u hands to nobody and goes back to
            the seeds. ``matrix`` summed over u's column, plus ``leak[u]``, is 1.
    """

    matrix: "csr_array[np.float64]"
    leak: FloatArray


def step_weights(graph: SkillGraph, config: DiffusionConfig) -> tuple[FloatArray, FloatArray]:
    """Return what each edge adds to M when walked along it, and when walked against it.

    Returns:
        ``(along, against)``, each of shape ``(n_edges,)``, >= 0: edge ``i -> j`` adds
        ``along`` to M_ij and ``against`` to M_ji.

    Raises:
        ValueError: The sharpness is below 1, or a sure weight is not positive.
    """
    alternative = graph.types == _ALTERNATIVE
    weight = graph.weight * np.where(alternative, config.alternative_weight, 1.0)
    weight = sharpened(weight, _sure(graph.states, config), config.sharpness)
    nothing = np.zeros_like(weight)
    match config.walk:
        case Walk.FORWARD:
            return weight, nothing
        case Walk.BACKWARD:
            return nothing, weight
        case Walk.BOTH:
            confirmed = graph.states == _CONFIRMED
            return np.where(confirmed, config.forward_confirmed, config.forward_weight) * weight, weight
        case Walk.RELEASED:
            return weight, _REVERSE[graph.types] * weight


def sharpened(weight: FloatArray, sure: FloatArray, sharpness: float) -> FloatArray:
    """Return the weights with the weak ones made weaker: ``w min(w / m, 1)^(s - 1)``.

    Strong edges are right far more often than weak ones; a row that has only weak ones then leaks instead
    of spreading. How strong an edge is does not depend on the others: in a library that states little, the
    strongest is a guess too.

    Args:
        weight: w, shape ``(n_edges,)``, >= 0.
        sure: m of each, shape ``(n_edges,)``, > 0.
        sharpness: s, at least 1, where nothing changes.

    Returns:
        Shape ``(n_edges,)``, in ``[0, w]``.

    Raises:
        ValueError: *sharpness* is below 1.

    >>> sharpened(np.array([0.4, 0.2, 0.6]), np.full(3, 0.4), 2.0)
    array([0.4, 0.1, 0.6])
    """
    if not sharpness >= 1:
        msg = f"sharpness must be at least 1, not {sharpness}."
        raise ValueError(msg)
    return weight * np.minimum(weight / sure, 1.0) ** (sharpness - 1.0)


def _sure(states: CodeArray, config: DiffusionConfig) -> FloatArray:
    """Return m of each edge, by its state."""
    sure = np.array(config.sure_weight)
    if sure.shape != (len(EDGE_STATES),) or not np.all(sure > 0):
        msg = f"sure_weight must be {len(EDGE_STATES)} positive numbers, not {config.sure_weight}."
        raise ValueError(msg)
    return sure[states]


def transition(graph: SkillGraph, config: DiffusionConfig) -> Transition:
    """Normalise the rows of M (method, Section 7 and trap 2).

    ``T_uv = M_uv / max(sum_v M_uv, kappa) min(max_v M_uv / m, 1)^o`` with ``kappa = config.leak_below``,
    ``o = config.openness`` and m the weight of a sure edge of that state. A row whose weights
    sum to less than kappa loses the rest, so that no factor common to a row (such as rho) cancels; and a row
    hands on only as much as its strongest entry is worth: many weak edges do not make a sure one. Without
    kappa and with o = 0 every row that has an entry sums to 1. A row without entries loses everything.

    Raises:
        ValueError: kappa is not positive, or o is negative.
    """
    from scipy.sparse import csr_array

    kappa = config.leak_below
    if kappa is not None and not kappa > 0:
        msg = f"leak_below must be positive or None, not {kappa}."
        raise ValueError(msg)
    if not config.openness >= 0:
        msg = f"openness must be at least 0, not {config.openness}."
        raise ValueError(msg)
    weight = np.concatenate(step_weights(graph, config))
    relative = np.minimum(weight / np.tile(_sure(graph.states, config), 2), 1.0)
    origin = np.concatenate([graph.source, graph.target])
    destination = np.concatenate([graph.target, graph.source])
    total = np.bincount(origin, weight, minlength=graph.n_skills)
    best = np.zeros(graph.n_skills)
    np.maximum.at(best, origin, relative)
    open_to = best**config.openness / np.where(total > 0, total, 1.0)
    if kappa is not None:
        open_to *= np.minimum(total / kappa, 1.0)
    there = weight > 0
    share, shape = (weight * open_to[origin])[there], (graph.n_skills, graph.n_skills)
    return Transition(
        matrix=csr_array((share, (destination[there], origin[there])), shape=shape),
        leak=1.0 - total * open_to,
    )


def personalized_pagerank(
    step: Transition, seeds: FloatArray, *, restart: float, tolerance: float
) -> FloatArray:
    """Spread relevance from the seeds until it rests (paper, Section 3.5).

    ``p <- gamma pi + (1 - gamma) (T^T p + (leak . p) pi)``, from ``p = pi``, until one step
    changes p by at most *tolerance* in L1. The t-th step changes it by at most
    ``2 (1 - gamma)^t``, so the number of steps is bounded by that and never cut short.

    Args:
        step: T^T and what each row loses.
        seeds: pi, shape ``(n_skills,)``, >= 0, sum 1.
        restart: gamma, in ``(0, 1]``.
        tolerance: > 0; the result is within ``tolerance (1 - gamma) / gamma`` of the fixed point.

    Returns:
        p, shape ``(n_skills,)``, >= 0, sum 1.

    Raises:
        ValueError: An argument lies outside its range.

    >>> one_way = SkillGraph(
    ...     n_skills=2, source=np.array([0]), target=np.array([1]), weight=np.array([1.0]),
    ...     association=np.array([1.0]), reliability=np.array([0.8]),
    ...     types=np.array([0], dtype=np.int8), states=np.array([0], dtype=np.int8))
    >>> forward = transition(one_way, DiffusionConfig(walk=Walk.FORWARD))
    >>> personalized_pagerank(forward, np.array([1.0, 0.0]), restart=0.5, tolerance=1e-9).round(6)
    array([0.666667, 0.333333])
    """
    _check(step, seeds, restart, tolerance)
    keep = 1.0 - restart
    relevance = seeds
    for _ in range(_most_steps(restart, tolerance)):
        previous = relevance
        moved = step.matrix @ previous
        relevance = keep * moved + (restart + keep * (step.leak @ previous)) * seeds
        if np.abs(relevance - previous).sum() <= tolerance:
            break
    return relevance


def strongest_paths(
    step: Transition, seeds: FloatArray, ends: Sequence[int], *, restart: float, tie_break: IntArray
) -> list[list[int]]:
    """Return for each end the single walk from a seed that brings it the most relevance.

    A walk ``s -> a -> ... -> v`` brings ``pi_s prod (1 - gamma) T``; on its way it passes no
    other seed, as that one's own share is the better reason. Every factor is below 1, so
    the strongest walk visits no skill twice. Equal walks are told apart by *tie_break*.

    Args:
        step: T^T and what each row loses.
        seeds: pi, shape ``(n_skills,)``, >= 0.
        ends: The skills asked about.
        restart: gamma, in ``(0, 1]``.
        tie_break: Shape ``(n_skills,)``; the lower goes first.

    Returns:
        For each end its walk, seed first and end last; the end alone if it is a seed, and
        nothing if no walk reaches it.
    """
    strength = _strength(step, seeds, ends, keep=1.0 - restart)
    return [_trace(step, seeds, strength, end, tie_break) for end in ends]


def _strength(step: Transition, seeds: FloatArray, ends: Sequence[int], *, keep: float) -> FloatArray:
    """Return the largest product that reaches each skill: a fixed point of max, where PageRank sums.

    It ends as soon as no longer walk could reach an end, or a skill on the way to it, with more.
    """
    matrix = step.matrix
    reached = np.flatnonzero(np.diff(matrix.indptr))
    strength = seeds.copy()
    while len(reached):
        arriving = np.maximum.reduceat(matrix.data * strength[matrix.indices], matrix.indptr[reached])
        better = strength.copy()
        better[reached] = np.maximum(strength[reached], keep * arriving)
        better = np.where(seeds > 0, seeds, better)
        most = keep * better[better > strength].max(initial=0.0)
        strength = better
        if most == 0 or most < strength[list(ends)].min(initial=np.inf):
            break
    return strength


def _trace(
    step: Transition, seeds: FloatArray, strength: FloatArray, end: int, tie_break: IntArray
) -> list[int]:
    """Walk back from *end* to its seed; what is too faint for a float has no way back."""
    if strength[end] < np.finfo(np.float64).tiny:
        return []
    matrix, path = step.matrix, [end]
    while seeds[path[-1]] == 0:
        row = slice(matrix.indptr[path[-1]], matrix.indptr[path[-1] + 1])
        arriving = matrix.data[row] * strength[matrix.indices[row]]
        best = matrix.indices[row][arriving >= arriving.max() * _NEARLY]
        path.append(int(best[np.argmin(tie_break[best])]))
    return path[::-1]


def _most_steps(restart: float, tolerance: float) -> int:
    """Return the first t with ``2 (1 - gamma)^t <= tolerance``; not above 0 if that is so from the start."""
    return 0 if restart == 1.0 else math.ceil(math.log(tolerance / 2) / math.log1p(-restart))


def _check(step: Transition, seeds: FloatArray, restart: float, tolerance: float) -> None:
    if not 0 < restart <= 1:
        msg = f"restart must lie in (0, 1], not {restart}."
        raise ValueError(msg)
    if not tolerance > 0:
        msg = f"tolerance must be positive, not {tolerance}."
        raise ValueError(msg)
    if seeds.shape != step.leak.shape:
        msg = f"seeds must have shape {step.leak.shape}, not {seeds.shape}."
        raise ValueError(msg)
    if not (np.all(seeds >= 0) and math.isclose(seeds.sum(), 1.0, rel_tol=1e-9)):
        msg = f"seeds must be >= 0 and sum to 1, not to {seeds.sum()}."
        raise ValueError(msg)
