"""Adaptive probing as questions: which request a round stands for, and what its answer says.

Between `llm_plan`, which makes the requests, and `adaptive`, which chooses among them by numbers. For
questions without a control: those that share one, as in the wording ``control``, share its errors.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from caskg.config import VerifierConfig
from caskg.errors import UsageError
from caskg.graph.adaptive import SHARE, expected_questions, rounds, telling
from caskg.graph.answer_model import AnswerRates, Clues
from caskg.graph.contrast import REPEATS
from caskg.schema import (
    PROBE_KINDS,
    BoolArray,
    FloatArray,
    IntArray,
    ProbeAnswer,
    ProbeKey,
    ProbeRequest,
)

Cell = tuple[int, int]

_UNFIT = "Adaptive probing needs several questions an edge that share no control: choose the wording paper."


@dataclass(frozen=True, slots=True, kw_only=True)
class Questionnaire:
    """What can be asked about the edges of F.

    Attributes:
        requests: By edge and question.
        available: Which there are, shape ``(n_edges, n_questions)``, in the order in which they are
            asked: those that tell most first, repetitions last.
        probe: The probe that each question belongs to, shape ``(n_questions,)``.
        most: Most questions that are asked.
    """

    requests: Mapping[Cell, ProbeRequest]
    available: BoolArray
    probe: IntArray
    most: int


def questionnaire(requests: Sequence[ProbeRequest], rates: AnswerRates) -> Questionnaire:
    """Sort what `plan_wording` asks, edge by edge, into questions.

    Raises:
        UsageError: An edge has but one question, so there is nothing to choose, or a control, which
            all its questions would share.
    """
    if any(request.kind not in PROBE_KINDS for request in requests):
        raise UsageError(_UNFIT)
    tells = telling(rates)
    order = sorted(
        {_question(each) for each in requests},
        key=lambda question: (question[1], -tells[question[0]], question[0]),
    )
    place = {question: column for column, question in enumerate(order)}
    edges = [list(group) for _, group in groupby(requests, key=lambda each: (each.source.id, each.target.id))]
    cells = {(row, place[_question(each)]): each for row, asked in enumerate(edges) for each in asked}
    available = np.zeros((len(edges), len(order)), dtype=np.bool_)
    available[tuple(np.array(list(cells), dtype=np.int64).reshape(-1, 2).T)] = True
    once = available[:, [not repeated for _, repeated in order]].sum(axis=1)
    if np.any(once < 2):  # noqa: PLR2004 - one to begin with, one to go on with
        raise UsageError(_UNFIT)
    return Questionnaire(
        requests=cells,
        available=available,
        probe=np.array([probe for probe, _ in order], dtype=np.int64),
        most=int(SHARE * once.sum()),
    )


def in_rounds(
    asking: Questionnaire,
    rates: AnswerRates,
    *,
    key_of: Callable[[ProbeRequest], ProbeKey],
    answers_to: Callable[[Iterable[ProbeKey]], Mapping[ProbeKey, ProbeAnswer]],
    known: Clues | None,
    config: VerifierConfig,
) -> Iterator[list[ProbeRequest]]:
    """Yield what to ask, round by round; all of a round must be answered before the next is taken.

    Where something of a round has no answer then, not even a missing one, this was the last.

    Args:
        asking: What can be asked.
        rates: How the judge answers.
        key_of: Under what an answer is kept.
        answers_to: Looks answers up.
        known: What tells of the edges besides; None = nothing.
        config: How the prior is learnt.
    """
    choosing = rounds(
        asking.available,
        rates.chances[:, asking.probe],
        rates.missing,
        most=asking.most,
        known=known,
        config=config,
    )
    said: FloatArray | None = None
    with suppress(StopIteration):
        while True:
            edges, questions = choosing.send(said)
            asked = [asking.requests[cell] for cell in zip(edges.tolist(), questions.tolist(), strict=True)]
            yield asked
            keys = list(map(key_of, asked))
            answers = answers_to(keys)
            if not answers.keys() >= set(keys):
                return
            said = np.array([answers[key].score for key in keys], dtype=np.float64)  # None becomes NaN


def expected_calls(asking: Questionnaire, rates: AnswerRates, *, config: VerifierConfig) -> int:
    """Return how many calls the rounds take where a judge answers as its rates say."""
    chances = rates.chances[:, asking.probe]
    return expected_questions(asking.available, chances, rates.missing, most=asking.most, config=config)


def _question(request: ProbeRequest) -> tuple[int, bool]:
    return PROBE_KINDS.index(request.kind), request.arm in REPEATS
