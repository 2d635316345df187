"""Which question comes next, and when there is none."""

import numpy as np
import pytest

from caskg.config import VerifierConfig
from caskg.graph.adaptive import (
    LEAST_CHANGE,
    expected_change,
    expected_questions,
    rounds,
    telling,
    worth_asking,
)
from caskg.graph.answer_model import EDGE, NONE, SILENT, AnswerRates, Answers, minds
from caskg.schema import BoolArray, FloatArray, IntArray

NAN = np.nan
CONFIG = VerifierConfig()
GOOD = np.array([[[0.9, 0.01, 0.09]] * 5, [[0.09, 0.01, 0.9]] * 5])


def played(
    truth: FloatArray, *, most: int, available: BoolArray | None = None
) -> tuple[list[tuple[IntArray, IntArray]], FloatArray]:
    """Play the rounds against answers that are known, NaN = missing; return them, and what was asked."""
    there = np.ones(truth.shape, dtype=np.bool_) if available is None else available
    asking = rounds(there, GOOD[:, : truth.shape[1]], 0.05, most=most, config=CONFIG)
    history: list[tuple[IntArray, IntArray]] = []
    said = None
    asked = np.zeros(truth.shape)
    while True:
        try:
            edges, questions = asking.send(said)
        except StopIteration:
            return history, asked
        history.append((edges, questions))
        asked[edges, questions] += 1
        said = truth[edges, questions]


def test_every_edge_is_asked_one_question_first() -> None:
    """The first that it has; one without a question none."""
    available = np.array([[True, True], [False, True], [False, False]])
    history, asked = played(np.zeros((3, 2)), most=2, available=available)
    edges, questions = history[0]
    assert (edges.tolist(), questions.tolist(), len(history)) == ([0, 1], [0, 1], 1)
    assert asked.tolist() == [[1, 0], [0, 1], [0, 0]]


def test_what_is_settled_is_asked_no_more() -> None:
    """Nine noes in ten, and one yes: that one is asked again."""
    truth = np.zeros((40, 5))
    truth[:4] = 1.0
    _, asked = played(truth, most=100)
    assert asked[4:].sum(axis=1).tolist() == [1.0] * 36
    assert asked[:4].sum(axis=1).min() >= 2
    assert asked.max() == 1


def test_no_more_is_asked_than_that() -> None:
    """To the last question, whatever is open; a round takes a tenth of the edges, rounded up."""
    truth = np.random.default_rng(0).integers(0, 2, (25, 5)).astype(np.float64)
    for most in (25, 26, 31):
        history, asked = played(truth, most=most)
        assert asked.sum() == most
        assert all(len(edges) <= 3 for edges, _ in history[1:])
    assert played(truth, most=1000)[1].sum() < 125


def test_fewer_questions_than_edges_are_refused() -> None:
    """Nobody could say which edges to leave out."""
    asking = rounds(np.ones((3, 5), dtype=np.bool_), GOOD, 0.05, most=2, config=CONFIG)
    with pytest.raises(ValueError, match="At most 2 questions about 3 edges"):
        next(asking)


def test_rounds_end_when_told_so() -> None:
    """As where a limit has been reached."""
    asking = rounds(np.ones((3, 5), dtype=np.bool_), GOOD, 0.05, most=9, config=CONFIG)
    next(asking)
    with pytest.raises(StopIteration):
        asking.send(None)


def test_the_same_answers_give_the_same_rounds() -> None:
    """So a run that was killed repeats them."""
    truth = np.random.default_rng(3).integers(0, 2, (30, 5)).astype(np.float64)
    first, second = played(truth, most=60)[0], played(truth, most=60)[0]
    assert [(a.tolist(), b.tolist()) for a, b in first] == [(a.tolist(), b.tolist()) for a, b in second]


def test_open_is_what_may_change_with_a_chance_of_five_per_cent() -> None:
    """In the order of expected change; a silent judge is likely silent again."""
    mind = np.array(
        [[0.96, 0.04, 0.0], [0.5, 0.5, 0.0], [0.94, 0.06, 0.0], [0.0, 0.0, 1.0], [0.05, 0.05, 0.9]]
    )
    answers = Answers(
        effects=np.full((5, 5), NAN), asked=np.zeros((5, 5), dtype=np.bool_), chances=GOOD, missing=0.05
    )
    waiting = np.ones((5, 5), dtype=np.bool_)
    assert worth_asking(answers, waiting, mind).tolist() == [1, 2, 4]
    waiting[1] = False
    assert worth_asking(answers, waiting, mind).tolist() == [2, 4]
    edge = np.array([[1.0 - LEAST_CHANGE, LEAST_CHANGE, 0.0]])
    alone = Answers(effects=answers.effects[:1], asked=answers.asked[:1], chances=GOOD, missing=0.05)
    assert worth_asking(alone, waiting[:1], edge).tolist() == [0]


def test_equal_ones_keep_their_order() -> None:
    """F is in order already."""
    mind = np.array([[0.5, 0.5, 0.0]] * 4)
    answers = Answers(
        effects=np.full((4, 5), NAN), asked=np.zeros((4, 5), dtype=np.bool_), chances=GOOD, missing=0.05
    )
    assert worth_asking(answers, np.ones((4, 5), dtype=np.bool_), mind).tolist() == [0, 1, 2, 3]


def test_expected_change_is_the_mean_over_all_outcomes() -> None:
    """Against a sum by hand over against, neither, for, and missing."""
    mind, missing = np.array([[0.6, 0.3, 0.1]]), 0.2
    chances = np.array([[[0.7, 0.1, 0.2]], [[0.2, 0.2, 0.6]]])
    total = 0.0
    for outcome in range(3):
        joint = (
            np.array([mind[0, NONE] * chances[0, 0, outcome], mind[0, EDGE] * chances[1, 0, outcome]]) * 0.8
        )
        total += joint.sum() * abs(joint[1] / joint.sum() - 0.3)
    nothing = np.array([0.6 * missing, 0.3 * missing, 0.1])
    total += nothing.sum() * abs(nothing[1] / nothing.sum() - 0.3)
    assert expected_change(mind, chances, missing)[0] == pytest.approx(total)
    assert mind[0, SILENT] == 0.1


def test_the_probe_that_parts_the_minds_tells_most() -> None:
    """A symmetric divergence, by hand."""
    chances = np.full((2, 3, 3), 1 / 3)
    chances[EDGE, 2] = [0.1, 0.1, 0.8]
    found = telling(AnswerRates(chances=chances, missing=0.1))
    by_hand = 2 * (0.1 - 1 / 3) * np.log(0.3) + (0.8 - 1 / 3) * np.log(2.4)
    assert found == pytest.approx([0.0, 0.0, by_hand])


def test_the_expected_number_lies_between_one_an_edge_and_the_most() -> None:
    """A better judge is asked less; the same seed gives the same number."""
    there = np.ones((200, 5), dtype=np.bool_)
    poor = np.array([[[0.7, 0.01, 0.29]] * 5, [[0.29, 0.01, 0.7]] * 5])
    few = expected_questions(there, GOOD, 0.05, most=900, config=CONFIG)
    many = expected_questions(there, poor, 0.05, most=900, config=CONFIG)
    assert 200 < few < many <= 900
    assert few == expected_questions(there, GOOD, 0.05, most=900, config=CONFIG)
    assert expected_questions(there, poor, 0.05, most=300, config=CONFIG) == 300


def test_fewer_calls_decide_as_the_whole_plan_does() -> None:
    """Simulated: one answer in ten wrong, two edges in ten; half the calls, and hardly another verdict."""
    rng = np.random.default_rng(7)
    mind = rng.random(400) < 0.2
    answers = (mind[:, None] ^ (rng.random((400, 5)) < 0.1)).astype(np.float64)
    _, asked = played(answers, most=600)
    effects = np.where(asked > 0, answers, NAN)
    said = Answers(effects=effects, asked=asked > 0, chances=GOOD, missing=0.05)
    verdict = minds(said, known=None, config=CONFIG)[:, EDGE] > 0.5
    majority = answers[:, :3].sum(axis=1) > 1.5
    assert asked.sum() <= 600
    assert np.mean(verdict != mind) <= np.mean(majority != mind) + 0.01
    one = answers[:, 0] > 0.5
    assert np.mean(verdict != mind) < 0.5 * np.mean(one != mind)
