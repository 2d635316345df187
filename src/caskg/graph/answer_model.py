"""What a judge takes an edge for, by the answers it gave: the answer model of its judge check.

Between `judge_check`, whose answers say how a judge answers, and `adaptive`, which asks as
long as that matters. A judge takes a pair for an edge or for none, or cannot tell; every answer
shows its mind, and errs. With x the outcome of an answer (against, neither, for)::

    P(mind | answers) ~ P(mind) prod_m P(x_m | mind)

The chances of the outcomes come from the judge check, the prior of each edge from the answers on
the others. It is the judge's mind that is found so, not the truth: how often that mind is right
no further answer tells, and the units of the judge check bound what it is worth.
"""

from dataclasses import dataclass

import numpy as np

from caskg.config import BuildConfig, VerifierConfig
from caskg.graph.inputs import GraphInputs
from caskg.graph.logistic import fit_logistic, sigmoid
from caskg.graph.precedents import precedents
from caskg.graph.signals import pair_signals
from caskg.graph.verifier import deal, verifier_features
from caskg.schema import BoolArray, Candidates, CodeArray, FloatArray, IntArray, VectorArray

NONE, EDGE, SILENT = range(3)
"""The minds: takes it for none, takes it for an edge, cannot tell."""

AGAINST, NEITHER, FOR = range(3)
"""The outcomes of an answer: e below, at and above 1/2."""

_HALF = 0.5
_RIDGE = 3.0  # of the prior: some forty numbers an edge, and a few hundred answers to learn from
_STEPS = 50  # of expectation and maximisation; the shares move by less than 1e-3 long before
_ONE_EACH = 1.0  # what every outcome and every mind was seen before: no chance is 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRates:
    """How a judge answers.

    Attributes:
        chances: Of each outcome, for a pair taken for none and for an edge, by probe; shape
            ``(2, 3, 3)``, in ``(0, 1)``, the last axis sums to 1.
        missing: Chance that an answer is missing although the judge can tell, in ``(0, 1)``.
    """

    chances: FloatArray
    missing: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """What a judge said of some edges.

    Attributes:
        effects: e, shape ``(n_edges, n_questions)``, in ``[0, 1]``; NaN = missing or not asked.
        asked: Which were asked, of the same shape.
        chances: Of the outcomes of each question, shape ``(2, n_questions, 3)``.
        missing: As in `AnswerRates`.
    """

    effects: FloatArray
    asked: BoolArray
    chances: FloatArray
    missing: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Clues:
    """What tells of an edge beside its own answers.

    Attributes:
        features: Shape ``(n_edges, n_features)``.
        source: Shape ``(n_edges,)``.
        target: Shape ``(n_edges,)``.
        vectors: Unit rows or zeros, shape ``(n_skills, d)``.
        fold: Edges of one fold share no target with others, shape ``(n_edges,)``.
    """

    features: FloatArray
    source: IntArray
    target: IntArray
    vectors: VectorArray
    fold: IntArray


def clues(candidates: Candidates, inputs: GraphInputs, rows: IntArray, *, config: BuildConfig) -> Clues:
    """Return what signals tell of the edges *rows* of C."""
    source, target = candidates.source, candidates.target
    reverse = pair_signals(inputs, target, source, config=config.signals)
    return Clues(
        features=verifier_features(candidates, reverse)[rows],
        source=source[rows],
        target=target[rows],
        vectors=inputs.vectors,
        fold=deal(inputs.tie_break[target[rows]], n_folds=config.verifier.folds),
    )


def outcomes(effects: FloatArray) -> CodeArray:
    """Return the outcome of each answer, -1 where it is missing.

    >>> outcomes(np.array([0.2, 0.5, 0.9, np.nan])).tolist()
    [0, 1, 2, -1]
    """
    return np.where(np.isnan(effects), -1, 1 + np.sign(np.nan_to_num(effects) - _HALF)).astype(np.int8)


def fit_rates(effects: FloatArray, is_edge: BoolArray) -> AnswerRates:
    """Learn from labelled pairs how a judge answers.

    What it takes a pair for is not seen; the search begins at the truth, and what its answers to a pair
    have in common moves it (latent classes, by expectation and maximisation).

    Args:
        effects: e of each pair and probe, shape ``(n_pairs, 3)``, in ``[0, 1]``; NaN = missing.
        is_edge: The truth, shape ``(n_pairs,)``.

    >>> effects = np.repeat([[1.0, 1.0, 1.0], [0.0, 0.0, 1.0]], 17, axis=0)
    >>> fit_rates(effects, effects[:, 0] == 1.0).chances[EDGE, 0].round(2).tolist()
    [0.05, 0.05, 0.9]
    """
    said, told = outcomes(effects), ~np.isnan(effects).all(axis=1)
    seen = np.stack([said == outcome for outcome in range(3)], axis=2).astype(np.float64)
    mind = np.column_stack([~is_edge, is_edge]).astype(np.float64)
    for _ in range(_STEPS):
        counts = np.einsum("pm,pqo->mqo", mind[told], seen[told]) + _ONE_EACH
        chances = counts / counts.sum(axis=2, keepdims=True)
        share = (mind[told].sum(axis=0) + _ONE_EACH) / (told.sum() + 2.0 * _ONE_EACH)
        mind = _normal(share * np.exp(np.einsum("pqo,mqo->pm", seen, np.log(chances))))
    missing = np.isnan(effects[told])
    return AnswerRates(
        chances=chances, missing=float((missing.sum() + _ONE_EACH) / (missing.size + 2.0 * _ONE_EACH))
    )


def likelihood(answers: Answers) -> FloatArray:
    """Return the chance of the answers on each edge under each mind, shape ``(n_edges, 3)``.

    A judge that cannot tell gives no score at all.
    """
    said = outcomes(answers.effects)
    chance = np.concatenate(
        [answers.chances * (1.0 - answers.missing), np.full_like(answers.chances[:, :, :1], answers.missing)],
        axis=2,
    )
    each = np.stack([chance[mind][np.arange(said.shape[1]), said] for mind in (NONE, EDGE)], axis=2)
    either = np.where(answers.asked[:, :, None], each, 1.0).prod(axis=1)
    return np.column_stack([either, (said < 0).all(axis=1)])


def shares(likely: FloatArray) -> FloatArray:
    """Return which share of the edges is taken for what, shape ``(3,)``; with one more of each.

    Args:
        likely: As `likelihood` returns it.

    >>> shares(np.array([[0.0, 1.0, 0.0]] * 7)).round(6).tolist()
    [0.1, 0.8, 0.1]
    """
    share = np.full(3, 1.0 / 3.0)
    for _ in range(_STEPS):
        share = (_normal(likely * share).sum(axis=0) + _ONE_EACH) / (len(likely) + 3.0 * _ONE_EACH)
    return share


def minds(answers: Answers, *, known: Clues | None, config: VerifierConfig) -> FloatArray:
    """Return the chance of each mind about each edge, shape ``(n_edges, 3)``; rows sum to 1.

    The prior of an edge is learnt from the answers on edges into other skills: from their signals, and
    from what was said of edges out of the same source and of the reverse edge. Without clues, or with
    too few edges of either kind, it is the share of all edges.

    Args:
        answers: What was said.
        known: What tells of the edges besides; None = nothing.
        config: The fewest edges of each kind to learn from.
    """
    likely = likelihood(answers)
    share = shares(likely[answers.asked.any(axis=1)])
    chance = np.full(len(likely), share[EDGE] / (share[NONE] + share[EDGE]))
    if known is not None:
        chance = _learnt(likely, chance, known, config)
    speaks = 1.0 - share[SILENT]
    prior = np.column_stack([(1.0 - chance) * speaks, chance * speaks, np.full(len(likely), share[SILENT])])
    return _normal(likely * prior)


def _learnt(likely: FloatArray, base: FloatArray, known: Clues, config: VerifierConfig) -> FloatArray:
    """Return the chance of an edge by what was said of edges into other skills."""
    leaning = np.sign(likely[:, EDGE] - likely[:, NONE]).astype(np.int8)
    if min(np.sum(leaning > 0), np.sum(leaning < 0)) < config.min_each:
        return base
    weighed = likely[:, :SILENT] * np.column_stack([1.0 - base, base])
    chance, target = base.copy(), _normal(weighed)[:, EDGE]
    back = _of_reverse(leaning, known)
    for out in np.unique(known.fold):
        here = known.fold == out
        kept = np.where(here, 0, leaning).astype(np.int8)
        told = precedents(known.source, known.target, kept, vectors=known.vectors)
        rows = np.column_stack([known.features, told, back, np.abs(back)])
        learn = ~here & (leaning != 0)
        if learn.any():
            chance[here] = sigmoid(fit_logistic(rows[learn], target[learn], ridge=_RIDGE).logits(rows[here]))
    return chance


def _of_reverse(leaning: CodeArray, known: Clues) -> FloatArray:
    """Return what was said of the reverse of each edge, 0 where that is nothing."""
    ends = list(zip(known.source.tolist(), known.target.tolist(), strict=True))
    said = dict(zip(ends, leaning.tolist(), strict=True))
    return np.array([said.get((j, i), 0) for i, j in ends], dtype=np.float64)


def _normal(weights: FloatArray) -> FloatArray:
    normal: FloatArray = weights / weights.sum(axis=1, keepdims=True)
    return normal
