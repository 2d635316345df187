"""Which question is asked next, and when to stop (method, Section 5: adaptive probing).

After `answer_model`, which says what the answers so far mean. All edges of F are asked one question
first. Then round by round the questions are asked from which most is expected to change, until of no
edge the chance is 5 % or more that the judge takes it for something else than it seems, or half of what
the fixed plan would ask was asked. A round is decided by the answers of all rounds before it, never by
the order in which they came: a run that was killed repeats the same rounds, and asks what is left.
"""

from collections.abc import Generator

import numpy as np

from caskg.config import VerifierConfig
from caskg.graph.answer_model import EDGE, NONE, SILENT, AnswerRates, Answers, Clues, minds
from caskg.schema import BoolArray, FloatArray, IntArray

LEAST_CHANGE = 0.05
"""An edge is asked about no more when the chance that its state still changes is below this."""

SHARE = 0.5
"""Most that is asked, as a share of the fixed plan's questions."""

ROUNDS = 10
"""A round after the first takes the n_edges / ROUNDS questions that promise most."""

Round = tuple[IntArray, IntArray]
"""Edges, and the question asked of each."""


def rounds(
    available: BoolArray,
    chances: FloatArray,
    missing: float,
    *,
    most: int,
    known: Clues | None = None,
    config: VerifierConfig,
) -> Generator[Round, FloatArray | None]:
    """Yield what to ask, round by round, and be sent the effects, NaN where missing; None ends it.

    Args:
        available: Which questions there are for each edge, in the order in which they are asked; shape
            ``(n_edges, n_questions)``.
        chances: Of the outcomes of each question, shape ``(2, n_questions, 3)``.
        missing: Chance that an answer is missing although the judge can tell.
        most: Questions in all, at least one for each edge.
        known: What tells of the edges beside the answers; None = nothing.
        config: How the prior is learnt.

    Raises:
        ValueError: *most* does not reach for one question an edge.
    """
    asked = np.zeros_like(available)
    effects = np.full(available.shape, np.nan)
    answers = Answers(effects=effects, asked=asked, chances=chances, missing=missing)
    edges = np.flatnonzero(available.any(axis=1))
    if most < len(edges):
        msg = f"At most {most} questions about {len(edges)} edges: each is asked one."
        raise ValueError(msg)
    while len(edges):
        questions = (available & ~asked)[edges].argmax(axis=1)
        said = yield edges, questions
        if said is None:
            return
        effects[edges, questions], asked[edges, questions] = said, True
        left = min(most - int(asked.sum()), -(-len(available) // ROUNDS))
        edges = worth_asking(answers, available & ~asked, minds(answers, known=known, config=config))[:left]


def worth_asking(answers: Answers, waiting: BoolArray, mind: FloatArray) -> IntArray:
    """Return the edges about which more is to be asked, those first from which most change is expected.

    Args:
        answers: What was said.
        waiting: Questions that can still be asked, shape ``(n_edges, n_questions)``.
        mind: As `minds` returns it.
    """
    is_open = waiting.any(axis=1) & (1.0 - mind.max(axis=1) >= LEAST_CHANGE)
    edges = np.flatnonzero(is_open)
    following = waiting[edges].argmax(axis=1)
    change = expected_change(mind[edges], answers.chances[:, following], answers.missing)
    return edges[np.argsort(-change, kind="stable")]


def expected_change(mind: FloatArray, chances: FloatArray, missing: float) -> FloatArray:
    """Return by how much one more answer is expected to move the chance that a pair is taken for an edge.

    Args:
        mind: Chance of each mind, shape ``(n, 3)``.
        chances: Of the outcomes of the question asked next, shape ``(2, n, 3)``.
        missing: Chance that an answer is missing although the judge can tell.

    Returns:
        Shape ``(n,)``, in ``[0, 1]``.

    >>> sure, torn = [0.02, 0.98, 0.0], [0.5, 0.5, 0.0]
    >>> chances = np.array([[[0.9, 0.0, 0.1]] * 2, [[0.1, 0.0, 0.9]] * 2])
    >>> expected_change(np.array([sure, torn]), chances, 0.0).round(2).tolist()
    [0.03, 0.4]
    """
    told = 1.0 - missing
    spoken = [mind[:, [each]] * chances[each] * told for each in (NONE, EDGE)]
    unspoken = [mind[:, [each]] * (1.0 if each == SILENT else missing) for each in (NONE, EDGE, SILENT)]
    joint = np.concatenate([spoken[EDGE], unspoken[EDGE]], axis=1)  # with the mind "edge"
    total = np.concatenate([sum(spoken), sum(unspoken)], axis=1)  # of each outcome
    moved: FloatArray = np.abs(joint - mind[:, [EDGE]] * total).sum(axis=1)
    return moved


def telling(rates: AnswerRates) -> FloatArray:
    """Return how well each probe tells the minds apart, shape ``(3,)``, >= 0: the symmetric divergence.

    >>> even, sharp = [1 / 3, 1 / 3, 1 / 3], [0.8, 0.1, 0.1]
    >>> rates = AnswerRates(chances=np.array([[even, sharp, even], [even, even, even]]), missing=0.1)
    >>> telling(rates).round(2).tolist()
    [0.0, 0.97, 0.0]
    """
    none, edge = rates.chances
    divergence: FloatArray = ((edge - none) * np.log(edge / none)).sum(axis=1)
    return divergence


def expected_questions(
    available: BoolArray,
    chances: FloatArray,
    missing: float,
    *,
    most: int,
    config: VerifierConfig,
    seed: int = 0,
) -> int:
    """Return how many questions the rounds take where a judge answers as its rates say.

    For a judge that takes two edges in ten for edges and cannot tell of one; without clues.
    """
    rng = np.random.default_rng(seed)
    mind = rng.choice(3, size=len(available), p=[0.7, 0.2, 0.1])
    asking = rounds(available, chances, missing, most=most, config=config)
    said: FloatArray | None = None
    n_asked = 0
    while True:
        try:
            edges, questions = asking.send(said)
        except StopIteration:
            return n_asked
        n_asked += len(edges)
        of = chances[np.minimum(mind[edges], EDGE), questions]
        outcome = (rng.random((len(edges), 1)) > of.cumsum(axis=1)).sum(axis=1)
        silent = (mind[edges] == SILENT) | (rng.random(len(edges)) < missing)
        said = np.where(silent, np.nan, outcome / 2.0)
