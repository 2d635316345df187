"""Can this prober judge? Its answers on labelled pairs, measured, and what they are worth.

After `labelled_set`, which holds the pairs, and before `calibrate`, which takes
the units from here (method, Section 5: U). The score of a pair is the mean of
its effects e; a pair without an answer has 1/2 and counts like that.

**What an answer is worth.** With U units of evidence an edge is confirmed or
rejected as the build does it, here on pairs whose truth is known:

* 0, do not use: it does not separate prerequisites from other pairs, or not from
  their reverse, better than chance does in 19 of 20 cases;
* 3, else 2: at so many units it confirms at least ten pairs, and of what it confirms
  and of what it rejects at least four in five are so;
* 1: otherwise. It may rank edges; alone it confirms and rejects none.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from caskg.config import EvidenceConfig
from caskg.graph.calibrate import STATE_TOLERANCE, answer_masses, beta_mean
from caskg.graph.contrast import contrasted
from caskg.graph.labelled_set import LabelledSet, PairKind
from caskg.graph.probes import collect_scores
from caskg.schema import BoolArray, FloatArray, ProbeAnswer, ProbeKey

FULL_UNITS = 3
"""The most that the answers of one source are worth."""

LEAST_RIGHT = 0.80
"""Share of its verdicts that must be right, for confirmed and for rejected pairs each."""

LEAST_CONFIRMED = 10
"""Fewest confirmed pairs that say something of their precision."""

BEYOND_CHANCE = 1.645
"""Standard errors above chance: one-sided, 5 %."""

_HALF = 0.5
_BINS = 10
_DECIMALS = 9  # of a score: which of two pairs is higher must not hang on the rounding of a mean


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """*right* out of *of*. The value is None where there was nothing to count."""

    right: int
    of: int

    @property
    def value(self) -> float | None:
        """The share, in ``[0, 1]``."""
        return self.right / self.of if self.of else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Direction:
    """How prerequisites score against their reverse: higher, lower, or the same, as where all is missing."""

    right: int
    wrong: int
    tied: int

    @property
    def accuracy(self) -> float:
        """Share of the right ones, in ``[0, 1]``; ties count half."""
        return (self.right + self.tied / 2.0) / (self.right + self.wrong + self.tied)

    @property
    def beyond_chance(self) -> float:
        """Standard errors above chance, by the sign test: ties say nothing."""
        return float((self.right - self.wrong) / np.sqrt(max(self.right + self.wrong, 1)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """What a prober decides with so many units of evidence.

    Attributes:
        units: U.
        confirmed: Prerequisites among the confirmed pairs.
        rejected: Others among the rejected pairs.
    """

    units: int
    confirmed: Share
    rejected: Share


@dataclass(frozen=True, slots=True, kw_only=True)
class KindRow:
    """What a prober says of the pairs of one kind, decided with `FULL_UNITS`.

    Attributes:
        kind: Which pairs.
        n_pairs: How many there are.
        n_answered: How many have a score.
        mean: Mean score of these, in ``[0, 1]``; None where there are none.
        n_confirmed: How many are confirmed.
        n_rejected: How many are rejected.
    """

    kind: PairKind
    n_pairs: int
    n_answered: int
    mean: float | None
    n_confirmed: int
    n_rejected: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What the answers took: calls and tokens of all of them, and how many were missing."""

    answers: int
    missing: int
    calls: int
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeReport:
    """Whether a prober can judge.

    Attributes:
        units: What its answers are worth, U: 0, 1, 2 or 3.
        auc: Chance that a prerequisite scores higher than another pair, in ``[0, 1]``.
        auc_declared: The same where source and target declare outputs and inputs.
        auc_undeclared: The same on the other pairs.
        direction: Prerequisites that score higher than their reverse.
        ece: Expected calibration error of the scores, in ``[0, 1]``; None without an answer.
        brier: Mean squared error of the scores, in ``[0, 1]``; 1/2 everywhere has .25.
        verdicts: With 1, 2 and 3 units.
        kinds: One row for each kind.
        cost: What it took.
        unasked: Questions that have no answer yet, not even a missing one: while there are any, this is
            no result.
    """

    units: int
    auc: float
    auc_declared: float
    auc_undeclared: float
    direction: Direction
    ece: float | None
    brier: float | None
    verdicts: tuple[Verdicts, ...]
    kinds: tuple[KindRow, ...]
    cost: Cost
    unasked: int = 0


def judge_report(
    answers: Mapping[ProbeKey, ProbeAnswer],
    labelled: LabelledSet,
    *,
    opinions: int = FULL_UNITS,
    n_questions: int = 0,
    config: EvidenceConfig | None = None,
) -> JudgeReport:
    """Measure the answers of one prober to its questions about *labelled*.

    Args:
        answers: What it said, as the ledger keeps it.
        labelled: The pairs.
        opinions: How many its answers on an edge are at most, 1 to 3: one scorer read three
            times is one opinion. They are never worth more.
        n_questions: How many there are; 0 = as many as were answered.
        config: The constants by which a build would decide.
    """
    config = config or EvidenceConfig()
    effects = pair_effects(answers, labelled)
    answered = ~np.isnan(effects).all(axis=1)
    scores = np.full(len(labelled), _HALF)
    scores[answered] = np.nanmean(effects[answered], axis=1).round(_DECIMALS)
    truth, declared = labelled.is_edge, labelled.declared
    verdicts = tuple(
        _verdicts(reliability_at(effects, units=units, config=config), truth, units=units, config=config)
        for units in range(1, FULL_UNITS + 1)
    )
    direction = direction_of(scores, labelled)
    said = scores[answered], truth[answered]
    return JudgeReport(
        units=min(worth(standard_errors(scores, truth), direction, verdicts), opinions),
        auc=auc(scores, truth),
        auc_declared=auc(scores[declared], truth[declared]),
        auc_undeclared=auc(scores[~declared], truth[~declared]),
        direction=direction,
        ece=calibration_error(*said) if answered.any() else None,
        brier=float(np.mean((said[0] - said[1]) ** 2)) if answered.any() else None,
        verdicts=verdicts,
        kinds=_kind_rows(effects, labelled, config=config),
        cost=_cost(answers),
        unasked=max(n_questions - len(answers), 0),
    )


def worth(auc_beyond_chance: float, direction: Direction, verdicts: Sequence[Verdicts]) -> int:
    """Return U by the rule at the top of this module.

    Args:
        auc_beyond_chance: As `standard_errors` returns it.
        direction: Prerequisites against their reverse.
        verdicts: With 1, 2 and 3 units.

    >>> fine, poor = Share(right=9, of=10), Share(right=7, of=10)
    >>> def at(units, confirmed): return Verdicts(units=units, confirmed=confirmed, rejected=fine)
    >>> worth(3.0, Direction(right=30, wrong=10, tied=0), [at(1, poor), at(2, fine), at(3, poor)])
    2
    >>> worth(3.0, Direction(right=20, wrong=20, tied=0), [at(1, poor), at(2, fine), at(3, fine)])
    0
    """
    if min(auc_beyond_chance, direction.beyond_chance) <= BEYOND_CHANCE:
        return 0
    return max((each.units for each in verdicts if each.units > 1 and _is_right(each)), default=1)


def _is_right(verdicts: Verdicts) -> bool:
    confirmed, rejected = verdicts.confirmed, verdicts.rejected
    if confirmed.of < LEAST_CONFIRMED:
        return False
    return all((share.value or 0.0) >= LEAST_RIGHT for share in (confirmed, rejected) if share.of)


# ---------------------------------------------------------------- measures


def pair_effects(answers: Mapping[ProbeKey, ProbeAnswer], labelled: LabelledSet) -> FloatArray:
    """Return e of each pair and probe, shape ``(n_pairs, 3)``, in ``[0, 1]``; NaN = missing."""
    hashes = [skill.content_hash for skill in labelled.skills]
    found = collect_scores(contrasted(answers), source=labelled.source, target=labelled.target, hashes=hashes)
    return next(iter(found.values())) if found else np.full((len(labelled), 3), np.nan)


def reliability_at(effects: FloatArray, *, units: float, config: EvidenceConfig) -> FloatArray:
    """Return c as if the answers to a pair, however many, were worth *units*; 1/2 without an answer.

    >>> reliability_at(np.array([[1.0, np.nan, np.nan]]), units=3, config=EvidenceConfig())
    array([0.8])
    """
    support, against = answer_masses(effects, mass_floor=config.mass_floor, half_share=_HALF)
    scale = units / np.maximum(np.sum(~np.isnan(effects), axis=1), 1)
    return beta_mean(support.sum(axis=1) * scale, against.sum(axis=1) * scale)


def auc(scores: FloatArray, truth: BoolArray) -> float:
    """Return the chance that a true pair scores higher than another one; ties count half.

    >>> auc(np.array([0.9, 0.5, 0.5, 0.1]), np.array([True, True, False, False]))
    0.875
    """
    difference = scores[truth][:, None] - scores[~truth]
    if difference.size == 0:
        return _HALF
    return float(np.mean((difference > 0) + 0.5 * (difference == 0)))


def standard_errors(scores: FloatArray, truth: BoolArray) -> float:
    """Return how many standard errors the AUC lies above 1/2, by the rank sum of equal distributions."""
    true, other = int(truth.sum()), int((~truth).sum())
    error = np.sqrt((true + other + 1) / (12.0 * max(true * other, 1)))
    return float((auc(scores, truth) - _HALF) / error)


def direction_of(scores: FloatArray, labelled: LabelledSet) -> Direction:
    """Compare the scores of prerequisites with those of their reverse."""
    reverse = labelled.reverse_of()
    pairs = np.flatnonzero(labelled.is_edge & (reverse >= 0))
    signs = np.sign(scores[pairs] - scores[reverse[pairs]])
    right, wrong, tied = (int((signs == sign).sum()) for sign in (1, -1, 0))
    return Direction(right=right, wrong=wrong, tied=tied)


def calibration_error(scores: FloatArray, truth: BoolArray) -> float:
    """Return the ECE: how far mean score and share of true pairs lie apart, over ten equal bins.

    >>> calibration_error(np.array([0.9, 0.9, 0.1, 0.1]), np.array([True, True, True, False]))
    0.25
    """
    bins = np.minimum((scores * _BINS).astype(np.int64), _BINS - 1)
    gaps = np.bincount(bins, weights=scores - truth, minlength=_BINS)
    return float(np.abs(gaps).sum() / len(scores))


def _verdicts(reliability: FloatArray, truth: BoolArray, *, units: int, config: EvidenceConfig) -> Verdicts:
    confirmed, rejected = _decided(reliability, config=config)
    return Verdicts(
        units=units,
        confirmed=Share(right=int(truth[confirmed].sum()), of=int(confirmed.sum())),
        rejected=Share(right=int((~truth)[rejected].sum()), of=int(rejected.sum())),
    )


def _decided(reliability: FloatArray, *, config: EvidenceConfig) -> tuple[BoolArray, BoolArray]:
    bound = config.threshold
    return reliability > bound + STATE_TOLERANCE, reliability < 1.0 - bound - STATE_TOLERANCE


def _kind_rows(effects: FloatArray, labelled: LabelledSet, *, config: EvidenceConfig) -> tuple[KindRow, ...]:
    confirmed, rejected = _decided(reliability_at(effects, units=FULL_UNITS, config=config), config=config)
    rows = []
    for kind in PairKind:
        these = labelled.are(kind)
        answered = these & ~np.isnan(effects).all(axis=1)
        mean = float(np.nanmean(effects[answered], axis=1).mean()) if answered.any() else None
        rows.append(
            KindRow(
                kind=kind,
                n_pairs=int(these.sum()),
                n_answered=int(answered.sum()),
                mean=mean,
                n_confirmed=int((these & confirmed).sum()),
                n_rejected=int((these & rejected).sum()),
            )
        )
    return tuple(rows)


def _cost(answers: Mapping[ProbeKey, ProbeAnswer]) -> Cost:
    missing = sum(answer.score is None for answer in answers.values())
    return Cost(
        answers=len(answers) - missing,
        missing=missing,
        calls=sum(answer.calls for answer in answers.values()),
        tokens=sum(answer.tokens for answer in answers.values()),
    )
