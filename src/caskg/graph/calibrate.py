"""Probe scores -> one reliability per edge, and its state (method, Section 5).

Step six of the pipeline, after `probes` and before `publish`. A score speaks
for an edge when it lies above 1/2, against it otherwise, and the louder the
farther it is from 1/2. These masses are added to a Beta(1, 1) prior:

    z = [e > 1/2] ;  d = max(2 |e - 1/2|, eps) ;  missing: d = 0
    alpha = 1 + sum z d ;  beta = 1 + sum (1 - z) d ;  c = alpha / (alpha + beta)

The paper counts every answer as 1. Ours counts opinions: all answers of one
source are worth at most its units, so that one scorer read three times stays
one opinion. A label overrides both.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from caskg.config import EvidenceConfig
from caskg.schema import (
    EDGE_STATES,
    BoolArray,
    CodeArray,
    EdgeState,
    FloatArray,
    IntArray,
    Label,
    LabelSource,
    Reliability,
    Verdict,
)

STATE_TOLERANCE = 1e-9
"""A reliability must pass a threshold by more than this: rounding decides no state."""

_HALF = 0.5  # where a score says nothing

_CONFIRMED, _UNCERTAIN, _REJECTED, _UNVALIDATED = (
    EDGE_STATES.index(state)
    for state in (EdgeState.CONFIRMED, EdgeState.UNCERTAIN, EdgeState.REJECTED, EdgeState.UNVALIDATED)
)


def reliability(scores: FloatArray, *, mass_floor: float = 0.1) -> FloatArray:
    """Smooth probe scores into one reliability per edge, as the paper does (Section 3.4).

    A score's side of 0.5 says whether it speaks for the edge, its distance
    from 0.5 how loudly: ``mass = max(mass_floor, 2 * |score - 0.5|)``. Masses
    for and against are added to a Beta(1, 1) prior; its mean is returned. A
    score of exactly 0.5 speaks against the edge with the least mass.

    Args:
        scores: Shape ``(n_edges, n_probes)``, each in ``[0, 1]``. NaN marks a
            probe that did not run; it adds no evidence.
        mass_floor: eps, least mass of a probe that ran, in ``(0, 1]``.

    Returns:
        Shape ``(n_edges,)``, in ``[1 / (n_probes + 2), (n_probes + 1) / (n_probes + 2)]``:
        three probes can never move an edge outside ``[0.2, 0.8]``.

    Raises:
        ValueError: A score lies outside ``[0, 1]``, or *mass_floor* outside ``(0, 1]``.

    >>> reliability(np.array([[1.0, 1.0, 1.0], [0.0, 0.0, 0.0], [0.75, 0.5, np.nan]]))
    array([0.8       , 0.2       , 0.57692308])
    """
    support, against = answer_masses(scores, mass_floor=mass_floor)
    return beta_mean(support.sum(axis=1), against.sum(axis=1))


def beta_mean(support: FloatArray, against: FloatArray) -> FloatArray:
    """Return the mean of Beta(1 + support, 1 + against), in ``(0, 1)``; 0.5 where there is no mass.

    >>> beta_mean(np.array([3.0, 0.0]), np.array([0.0, 0.0]))
    array([0.8, 0.5])
    """
    return (1.0 + support) / (2.0 + support + against)


def answer_masses(
    scores: FloatArray, *, mass_floor: float = 0.1, half_share: float = 0.0
) -> tuple[FloatArray, FloatArray]:
    """Return the mass for and against the edge of every single answer: z d and (1 - z) d.

    Args:
        scores: Shape ``(n_edges, n_probes)``, each in ``[0, 1]``; NaN = missing.
        mass_floor: eps, least mass of an answer, in ``(0, 1]``.
        half_share: z at exactly 1/2, in ``[0, 1]``: 0 as in the paper, 0.5 splits the mass.

    Returns:
        Two arrays like *scores*, in ``[0, 1]``; their sum is 0 where an answer
        is missing, else in ``[mass_floor, 1]``.

    Raises:
        ValueError: A score lies outside ``[0, 1]``, or *mass_floor* outside ``(0, 1]``.

    >>> support, against = answer_masses(np.array([[0.9, 0.5, 0.25]]), half_share=0.5)
    >>> support.round(2).tolist(), against.round(2).tolist()
    ([[0.8, 0.05, 0.0]], [[0.0, 0.05, 0.5]])
    """
    if not 0.0 < mass_floor <= 1.0:
        msg = f"mass_floor is {mass_floor}: choose a number above 0 and at most 1."
        raise ValueError(msg)
    if np.any((scores < 0.0) | (scores > 1.0)):
        msg = f"Probe scores range from {np.nanmin(scores)} to {np.nanmax(scores)}: each must lie in [0, 1]."
        raise ValueError(msg)
    mass = np.where(np.isnan(scores), 0.0, np.maximum(2.0 * np.abs(scores - _HALF), mass_floor))
    share = np.where(scores == _HALF, half_share, scores > _HALF)
    return share * mass, (1.0 - share) * mass


def source_masses(
    scores: FloatArray, *, units: float, mass_floor: float = 0.1
) -> tuple[FloatArray, FloatArray]:
    """Return the mass for and against each edge that one source is worth.

    With n present answers: the means of their masses, times ``min(n, units)``.
    The least mass of an answer at exactly 1/2 is split half and half.

    Args:
        scores: Answers of one source, shape ``(n_edges, n_probes)``, in ``[0, 1]``; NaN = missing.
        units: U, how many independent opinions the source is worth at most, > 0.
        mass_floor: eps, least mass of an answer, in ``(0, 1]``.

    Returns:
        Two arrays of shape ``(n_edges,)``; their sum is at most ``min(n, units)``.

    Raises:
        ValueError: *units* is not positive, or as for `answer_masses`.

    >>> source_masses(np.array([[1.0, 0.75, np.nan]]), units=1.0)
    (array([0.75]), array([0.]))
    """
    if not units > 0.0:
        msg = f"A source is worth {units} units: choose a number above 0."
        raise ValueError(msg)
    support, against = answer_masses(scores, mass_floor=mass_floor, half_share=0.5)
    present = np.sum(~np.isnan(scores), axis=1)
    scale = np.minimum(present, units) / np.maximum(present, 1)
    return support.sum(axis=1) * scale, against.sum(axis=1) * scale


def mean_score(scores: FloatArray | None, *, n_edges: int) -> FloatArray:
    """Return the mean of one source's present answers on each edge, NaN where there is none.

    Args:
        scores: Shape ``(n_edges, n_probes)``, in ``[0, 1]``; NaN = missing; None = it said nothing.
        n_edges: How many edges there are.

    >>> mean_score(np.array([[1.0, 0.5, np.nan], [np.nan] * 3]), n_edges=2)
    array([0.75,  nan])
    """
    if scores is None:
        return np.full(n_edges, np.nan)
    present = np.sum(~np.isnan(scores), axis=1)
    mean: FloatArray = np.full(n_edges, np.nan)
    np.divide(np.nansum(scores, axis=1), present, out=mean, where=present > 0)
    return mean


def label_edges(
    labels: Sequence[Label], *, ids: Sequence[str], source: IntArray, target: IntArray
) -> CodeArray:
    """Say of each edge what its label says; a person's goes before an author's.

    Of two labels by the same kind of giver the later in *labels* counts. A
    label on an edge that is not listed is passed over.

    Args:
        labels: The labels in force, oldest first.
        ids: The id of each skill.
        source: Shape ``(n_edges,)``.
        target: Shape ``(n_edges,)``.

    Returns:
        Shape ``(n_edges,)``: 1 confirmed, -1 rejected, 0 no label.
    """
    persons_last = sorted(labels, key=lambda label: label.given_by is LabelSource.PERSON)
    codes = {
        (label.source, label.target): 1 if label.verdict is Verdict.CONFIRM else -1 for label in persons_last
    }
    edges = zip(source.tolist(), target.tolist(), strict=True)
    return np.array([codes.get((ids[i], ids[j]), 0) for i, j in edges], dtype=np.int8)


def assess(
    scores_by_source: Mapping[str, FloatArray],
    *,
    labels: CodeArray,
    config: EvidenceConfig,
    frontier: BoolArray | None = None,
    text_source: str = "text",
    units: Mapping[str, float] | None = None,
) -> Reliability:
    """Turn the answers of all sources, and the labels, into reliabilities and states.

    Args:
        scores_by_source: For each source id the scores, shape ``(n_edges, n_probes)``,
            in ``[0, 1]``; NaN = missing.
        labels: As `label_edges` returns them, shape ``(n_edges,)``.
        config: The constants of Section 5.
        frontier: Which edges' answers count, shape ``(n_edges,)``: F in ``paper``.
            None = all, as where the text prober answers the whole of C. A label
            counts on any edge.
        text_source: The source id of the text prober.
        units: U of single sources, by id, in [0, 3], as their judge check found; 0 = do not use.
            Sources that are left out have those of *config*.

    Returns:
        The reliabilities. An edge without a counted answer or label is unvalidated.

    Raises:
        ValueError: Shapes differ, a score lies outside ``[0, 1]``, or a constant
            outside the range that `EvidenceConfig` states.

    >>> scores = {"text": np.array([[1.0, 1.0, 1.0]])}
    >>> none = np.zeros(1, dtype=np.int8)
    >>> assess(scores, labels=none, config=EvidenceConfig()).value.round(3)
    array([0.667])
    >>> assess(scores, labels=none, config=EvidenceConfig(by_source=False)).value
    array([0.8])
    """
    worth = dict.fromkeys(scores_by_source, config.llm_units) | {text_source: config.text_units}
    worth |= units or {}
    counted = {
        name: _within(frontier, scores, len(labels))
        for name, scores in scores_by_source.items()
        if worth[name] != 0
    }
    support, against = np.zeros(len(labels)), np.zeros(len(labels))
    for name, scores in counted.items():
        more_support, more_against = _masses(scores, units=worth[name], config=config)
        support, against = support + more_support, against + more_against
    answered = {name: ~np.isnan(scores).all(axis=1) for name, scores in counted.items()}
    by_text = answered.pop(text_source, np.zeros(len(labels), dtype=np.bool_))
    by_others = np.any(list(answered.values()), axis=0)
    support, against = _labelled(support, against, labels=labels, config=config)
    value = beta_mean(support, against)
    return Reliability(
        support=support,
        against=against,
        value=value,
        states=_states(value, has_mass=support + against > 0.0, threshold=config.threshold),
        text_only=by_text & ~by_others & (labels == 0),
    )


def _within(frontier: BoolArray | None, scores: FloatArray, n_edges: int) -> FloatArray:
    """Return *scores* with everything outside the frontier missing."""
    if scores.shape[:-1] != (n_edges,):
        msg = f"Scores of the shape {scores.shape} for {n_edges} edges: one row for each edge is needed."
        raise ValueError(msg)
    if frontier is None:
        return scores
    if frontier.shape != (n_edges,):
        msg = f"A frontier of the shape {frontier.shape} for {n_edges} edges: one value an edge is needed."
        raise ValueError(msg)
    return np.where(frontier[:, None], scores, np.nan)


def _masses(scores: FloatArray, *, units: float, config: EvidenceConfig) -> tuple[FloatArray, FloatArray]:
    if config.by_source:
        return source_masses(scores, units=units, mass_floor=config.mass_floor)
    support, against = answer_masses(scores, mass_floor=config.mass_floor)
    return support.sum(axis=1), against.sum(axis=1)


def _labelled(
    support: FloatArray, against: FloatArray, *, labels: CodeArray, config: EvidenceConfig
) -> tuple[FloatArray, FloatArray]:
    """Replace the masses of labelled edges by those that give a label's reliability and mass."""
    for_verdict = config.label_reliability * (config.label_mass + 2.0) - 1.0
    to_verdict = config.label_mass - for_verdict
    if for_verdict < 0.0 or to_verdict < 0.0:
        msg = (
            f"A label of mass {config.label_mass} cannot set a reliability of {config.label_reliability}: "
            "raise label_mass or bring label_reliability nearer to 0.5."
        )
        raise ValueError(msg)
    confirmed, rejected = labels > 0, labels < 0
    return (
        np.select([confirmed, rejected], [for_verdict, to_verdict], default=support),
        np.select([confirmed, rejected], [to_verdict, for_verdict], default=against),
    )


def _states(value: FloatArray, *, has_mass: BoolArray, threshold: float) -> CodeArray:
    if not _HALF < threshold <= 1.0:  # at or below 1/2 an edge could be both confirmed and rejected
        msg = f"The threshold is {threshold}: choose a number above 0.5 and at most 1."
        raise ValueError(msg)
    states = np.full(value.shape, _UNCERTAIN, dtype=np.int8)
    states[value > threshold + STATE_TOLERANCE] = _CONFIRMED
    states[value < 1.0 - threshold - STATE_TOLERANCE] = _REJECTED
    states[~has_mass] = _UNVALIDATED
    return states
