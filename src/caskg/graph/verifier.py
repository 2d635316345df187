"""A small model that learns from assessed edges, and scores those that nobody assessed.

Stands between `calibrate` and `publish`. Labels and paid answers are few; what they say of the
signals holds for other edges too. The model is cross-fitted: an edge it is judged by was
in no part of its training, and neither was any other edge into the same skill. It is used only
where what it says of such edges can be trusted; nine in ten are no edges, so a model that says
"no" is nearly always right and worth nothing: it must beat the base rate.

Features carry over to other libraries: signals of the pair, of the reverse pair, their
difference, how a value compares with the best into the same skill, and which share of the assessed
edges out of the same source was confirmed (`precedents`). No id, name, domain, or count of neighbours.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from caskg.config import BuildConfig, VerifierConfig
from caskg.graph.inputs import GraphInputs
from caskg.graph.logistic import Logistic, fit_logistic, sigmoid
from caskg.graph.precedents import precedents
from caskg.graph.signals import pair_signals
from caskg.schema import (
    EDGE_STATES,
    BoolArray,
    Candidates,
    CodeArray,
    EdgeState,
    FloatArray,
    IntArray,
    Reliability,
    Signal,
)

SIGNALS = (
    *("semantic", "lexical", "io", "meaning", "provider"),
    *("structural", "reference", "enabler", "ready", "repair"),
)
"""The signals that features are made of, where a library has them."""

DIRECTED = ("io", "meaning", "provider", "structural", "reference", "enabler", "ready")
"""Those that may differ from the reverse pair."""

BINS = 10
"""Of equal width, in which the calibration error compares what was said with what was so."""

_CONFIRMED, _REJECTED = EDGE_STATES.index(EdgeState.CONFIRMED), EDGE_STATES.index(EdgeState.REJECTED)
_LOOSE = 1e-6  # ridge of the two numbers of a calibration


Told = Callable[[CodeArray], FloatArray]
"""Returns what assessed edges, given as by `assessed`, tell of every edge: further features."""


def nothing_told(known: CodeArray) -> FloatArray:
    """Return no further feature."""
    return np.zeros((len(known), 0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Verifier:
    """A fitted model, and how far it can be trusted.

    Attributes:
        model: The model; None where too few edges were assessed.
        calibration: From its log odds to calibrated ones; None likewise.
        n_confirmed: Confirmed edges it learnt from.
        n_rejected: Rejected ones.
        error: Its held-out calibration error, in ``[0, 1]``; 1 where there is no model.
        skill: Its held-out skill over the base rate, at most 1; 0 where there is no model.
        reason: Why it is not used; empty where it is.
    """

    model: Logistic | None
    calibration: Logistic | None
    n_confirmed: int
    n_rejected: int
    error: float = 1.0
    skill: float = 0.0
    reason: str = ""

    @property
    def trust(self) -> float:
        """How far its bound decides on an edge that nobody assessed: the square of its skill, in ``[0, 1]``.

        The edges that were assessed are no fair sample of the others, so its skill on them promises too much.
        """
        return max(self.skill, 0.0) ** 2

    @property
    def used(self) -> bool:
        """Whether it is good enough."""
        return not self.reason

    def probability(self, features: FloatArray, *, deviations: float = 0.0) -> FloatArray:
        """Return the chance that each edge is one.

        Args:
            features: As `verifier_features` returns them, and then what all assessed edges tell, shape
                ``(n_edges, n_features)``.
            deviations: How many standard deviations of the log odds below the expected chance.

        Returns:
            Shape ``(n_edges,)``, in ``[0, 1]``.

        Raises:
            ValueError: There is no model.
        """
        if self.model is None or self.calibration is None:
            msg = f"There is no model to ask: {self.reason}"
            raise ValueError(msg)
        logits = self.model.logits(features) - deviations * self.model.deviations(features)
        return sigmoid(self.calibration.logits(logits[:, None]))


def verify(
    candidates: Candidates,
    reliability: Reliability,
    inputs: GraphInputs,
    *,
    text_score: FloatArray | None,
    config: BuildConfig,
) -> tuple[Verifier, FloatArray | None]:
    """Learn from what is assessed, and bound the rest.

    Args:
        candidates: C with its signals.
        reliability: What is known of C.
        inputs: The library, for the signals of the reverse pairs.
        text_score: As for `verifier_features`.
        config: The constants.

    Returns:
        The verifier, and the lower credible bound of each edge that is not assessed, NaN for the
        others, shape ``(n_edges,)``; None where the verifier is not used.
    """
    known, source, target = assessed(reliability), candidates.source, candidates.target
    features = np.zeros((len(candidates), 1))  # not worth making where there is nothing to learn from
    if min(np.sum(known > 0), np.sum(known < 0)) >= config.verifier.min_each:
        reverse = pair_signals(inputs, target, source, config=config.signals)
        features = verifier_features(candidates, reverse, text_score=text_score)
    told: Told = partial(precedents, source, target, vectors=inputs.vectors)
    verifier = fit_verifier(
        features, known, target=target, tie_break=inputs.tie_break, config=config.verifier, told=told
    )
    if not verifier.used:
        return verifier, None
    everything = np.column_stack([features, told(known)])
    bound = verifier.probability(everything, deviations=config.verifier.deviations)
    return verifier, np.where(known == 0, bound, np.nan)


def assessed(reliability: Reliability) -> CodeArray:
    """Return what is known of each edge: 1 confirmed, -1 rejected, 0 neither, shape ``(n_edges,)``.

    Where evidence counts by source, only labels, paid answers and several sources can do either.
    """
    return np.where(
        reliability.states == _CONFIRMED, 1, np.where(reliability.states == _REJECTED, -1, 0)
    ).astype(np.int8)


def verifier_features(
    candidates: Candidates, reverse: Mapping[str, Signal], *, text_score: FloatArray | None = None
) -> FloatArray:
    """Describe each candidate by numbers that mean the same in every library.

    Args:
        candidates: C with its signals.
        reverse: The signals of the reverse pairs, row for row.
        text_score: The mean answer of the free prober, shape ``(n_edges,)``, in ``[0, 1]``; NaN
            where it said nothing.

    Returns:
        Shape ``(n_edges, n_features)``, each in ``[-1, 1]``. For each of `SIGNALS`: value (0
        where not active), whether active, and share of the best value into the same target; for
        each of `DIRECTED` also the difference to the reverse; the association, and its share of
        the best; the free prober's score as its distance from 1/2, and whether it spoke.
    """
    n_edges = len(candidates)
    columns = []
    for name in SIGNALS:
        value, active = _filled(candidates.signals.get(name), n_edges)
        columns += [value, active, share_of_best(value, candidates.target)]
        if name in DIRECTED:
            columns.append(value - _filled(reverse.get(name), n_edges)[0])
    columns += [candidates.association, share_of_best(candidates.association, candidates.target)]
    score = np.full(n_edges, np.nan) if text_score is None else text_score
    spoke = ~np.isnan(score)
    columns += [np.where(spoke, 2.0 * score - 1.0, 0.0), spoke.astype(np.float64)]
    return np.column_stack(columns)


def share_of_best(value: FloatArray, target: IntArray) -> FloatArray:
    """Return each value as a share of the largest with the same target, 0 where that is 0.

    >>> share_of_best(np.array([0.2, 0.4, 0.0]), np.array([1, 1, 0]))
    array([0.5, 1. , 0. ])
    """
    best = np.zeros(target.max(initial=-1) + 1)
    np.maximum.at(best, target, value)
    return np.divide(value, best[target], out=np.zeros(len(value)), where=best[target] > 0.0)


def fit_verifier(
    features: FloatArray,
    known: CodeArray,
    *,
    target: IntArray,
    tie_break: IntArray,
    config: VerifierConfig,
    told: Told = nothing_told,
) -> Verifier:
    """Learn from the assessed edges, and say whether the result can be used.

    Args:
        features: As `verifier_features` returns them, shape ``(n_edges, n_features)``.
        known: As `assessed` returns it, shape ``(n_edges,)``.
        target: Shape ``(n_edges,)``: edges into one skill stay in one fold.
        tie_break: Rank of each skill by content: deals the targets into folds.
        config: The constants.
        told: What assessed edges tell of others; of held-out edges only what the rest tells is seen.

    Raises:
        ValueError: A constant lies outside the range that `VerifierConfig` states.
    """
    _check(config)
    rows = np.flatnonzero(known)
    positive = known[rows] > 0
    counts = {"n_confirmed": int(positive.sum()), "n_rejected": int((~positive).sum())}
    fold = deal(tie_break[target[rows]], n_folds=config.folds)
    enough = min(counts.values()) >= config.min_each and len(np.unique(fold)) == config.folds
    if not enough:
        reason = (
            f"{counts['n_confirmed']} confirmed and {counts['n_rejected']} rejected edges: at least "
            f"{config.min_each} of each are needed, into at least {config.folds} skills."
        )
        return Verifier(model=None, calibration=None, **counts, reason=reason)
    held_out = _held_out_logits(features, known, fold, told=told, ridge=config.ridge)
    chance = _held_out_chance(held_out, positive, fold)
    error, skill = calibration_error(chance, positive), skill_over_base_rate(chance, positive)
    calibration = _calibrate(held_out, positive)
    return Verifier(
        model=_fit(np.column_stack([features, told(known)])[rows], positive, ridge=config.ridge),
        calibration=calibration,
        **counts,
        error=error,
        skill=skill,
        reason=_objection(error, skill, rises=bool(calibration.coefficients[0] > 0.0), config=config),
    )


def deal(ranks: IntArray, *, n_folds: int) -> IntArray:
    """Deal groups into folds in the order of their ranks; equal ranks are one group.

    >>> deal(np.array([7, 3, 7, 5]), n_folds=2).tolist()
    [0, 0, 0, 1]
    """
    _, group = np.unique(ranks, return_inverse=True)
    return np.asarray(group % n_folds, dtype=np.int64)


def calibration_error(chance: FloatArray, positive: BoolArray) -> float:
    """Return the expected calibration error over `BINS` bins of equal width, in ``[0, 1]``.

    >>> calibration_error(np.array([0.75, 0.75]), np.array([True, False]))
    0.25
    """
    bins = np.minimum((chance * BINS).astype(np.int64), BINS - 1)
    return float(np.abs(np.bincount(bins, chance - positive, minlength=BINS)).sum() / len(chance))


def skill_over_base_rate(chance: FloatArray, positive: BoolArray) -> float:
    """Return 1 minus the squared error as a share of that of always saying the base rate.

    Args:
        chance: Shape ``(n,)``, in ``[0, 1]``.
        positive: Shape ``(n,)``; some are and some are not.

    Returns:
        At most 1; 0 for the base rate, negative for worse.

    >>> skill_over_base_rate(np.array([0.5, 0.5, 1.0, 0.0]), np.array([True, False, True, False]))
    0.5
    """
    base = positive.mean()
    return float(1.0 - np.mean((chance - positive) ** 2) / (base * (1.0 - base)))


def _held_out_logits(
    features: FloatArray, known: CodeArray, fold: IntArray, *, told: Told, ridge: float
) -> FloatArray:
    """Return the log odds of each assessed edge by a model that learnt, and was told, by the other folds."""
    rows = np.flatnonzero(known)
    positive, logits = known[rows] > 0, np.zeros(len(rows))
    for out in np.unique(fold):
        kept = known.copy()
        kept[rows[fold == out]] = 0
        everything = np.column_stack([features[rows], told(kept)[rows]])
        model = _fit(everything[fold != out], positive[fold != out], ridge=ridge)
        logits[fold == out] = model.logits(everything[fold == out])
    return logits


def _fit(features: FloatArray, positive: BoolArray, *, ridge: float) -> Logistic:
    return fit_logistic(features, positive.astype(np.float64), ridge=ridge)


def _held_out_chance(logits: FloatArray, positive: BoolArray, fold: IntArray) -> FloatArray:
    """Return the calibrated chance of each edge; the calibration too learnt from the other folds."""
    chance = np.zeros(len(positive))
    for out in np.unique(fold):
        calibration = _calibrate(logits[fold != out], positive[fold != out])
        chance[fold == out] = sigmoid(calibration.logits(logits[fold == out][:, None]))
    return chance


def _calibrate(logits: FloatArray, positive: BoolArray) -> Logistic:
    """Fit a slope and an offset (Platt's scaling, with his smoothed targets)."""
    n_positive, n_negative = int(positive.sum()), int((~positive).sum())
    yes, no = (n_positive + 1.0) / (n_positive + 2.0), 1.0 / (n_negative + 2.0)
    return fit_logistic(logits[:, None], np.where(positive, yes, no), ridge=_LOOSE)


def _objection(error: float, skill: float, *, rises: bool, config: VerifierConfig) -> str:
    if not rises:
        return "What it scores higher was not confirmed more often."
    if error > config.max_error:
        return f"Its held-out calibration error is {error:.3f}, above {config.max_error:g}."
    if skill < config.min_skill:
        return f"Its held-out skill over the base rate is {skill:.3f}, below {config.min_skill:g}."
    return ""


def _filled(signal: Signal | None, n_edges: int) -> tuple[FloatArray, FloatArray]:
    """Return the value, 0 where not active, and whether active, as numbers."""
    if signal is None:
        return np.zeros(n_edges), np.zeros(n_edges)
    return np.where(signal.active, signal.value, 0.0), signal.active.astype(np.float64)


def _check(config: VerifierConfig) -> None:
    in_range = {
        "folds": config.folds >= 2,  # noqa: PLR2004 - one to learn from, one to be judged by
        "min_each": config.min_each >= 1,
        "max_error": 0.0 <= config.max_error <= 1.0,
        "deviations": config.deviations >= 0.0,
    }
    for name, fits in in_range.items():
        if not fits:
            msg = f"{name} is {getattr(config, name)}: VerifierConfig states the range it may have."
            raise ValueError(msg)
