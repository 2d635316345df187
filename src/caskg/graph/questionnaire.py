"""Adaptive probing as questions: which request a round stands for, and what its answer says.

Between `llm_plan`, which makes the requests, and `adaptive`, which chooses among them by numbers.
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
from caskg.graph.contrast import REPEATS, contrasted, control_key
from caskg.schema import (
    PROBE_KINDS,
    BoolArray,
    FloatArray,
    IntArray,
    ProbeAnswer,
    ProbeKey,
    ProbeKind,
    ProbeRequest,
)

Cell = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Questionnaire:
    """What can be asked about the edges of F.

    Attributes:
        controls: The request for the intact context of each edge, where its wording has one.
        requests: The others, by edge and question.
        available: Which there are, shape ``(n_edges, n_questions)``, in the order in which they are
            asked: those that tell most first, repetitions last.
        probe: The probe that each question belongs to, shape ``(n_questions,)``.
        most: Most questions that are asked, controls not counted.
    """

    controls: Mapping[int, ProbeRequest]
    requests: Mapping[Cell, ProbeRequest]
    available: BoolArray
    probe: IntArray
    most: int

    @property
    def most_calls(self) -> int:
        """Most calls: the questions, and one control an edge."""
        return self.most + len(self.controls)


def questionnaire(requests: Sequence[ProbeRequest], rates: AnswerRates) -> Questionnaire:
    """Sort what `plan_wording` asks, edge by edge, into questions.

    Raises:
        UsageError: An edge has but one question, so there is nothing to choose.
    """
    tells = telling(rates)
    order = sorted(
        {_question(each) for each in requests if each.kind is not ProbeKind.INTACT},
        key=lambda question: (question[1], -tells[question[0]], question[0]),
    )
    place = {question: column for column, question in enumerate(order)}
    edges = [list(group) for _, group in groupby(requests, key=lambda each: (each.source.id, each.target.id))]
    controls = {
        row: each for row, asked in enumerate(edges) for each in asked if each.kind is ProbeKind.INTACT
    }
    cells = {
        (row, place[_question(each)]): each
        for row, asked in enumerate(edges)
        for each in asked
        if each.kind is not ProbeKind.INTACT
    }
    available = np.zeros((len(edges), len(order)), dtype=np.bool_)
    available[tuple(np.array(list(cells), dtype=np.int64).reshape(-1, 2).T)] = True
    once = available[:, [not repeated for _, repeated in order]].sum(axis=1)
    if np.any(once < 2):  # noqa: PLR2004 - one to begin with, one to go on with
        msg = "Adaptive probing needs a wording of several questions an edge: choose paper or control."
        raise UsageError(msg)
    return Questionnaire(
        controls=controls,
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
    begun: set[int] = set()
    said: FloatArray | None = None
    with suppress(StopIteration):
        while True:
            edges, questions = choosing.send(said)
            cells = list(zip(edges.tolist(), questions.tolist(), strict=True))
            controls = [
                asking.controls[row] for row, _ in cells if row in asking.controls and row not in begun
            ]
            begun |= {row for row, _ in cells}
            asked = [asking.requests[cell] for cell in cells]
            yield [*controls, *asked]
            keys = list(map(key_of, asked))
            answers = answers_to({*keys, *map(control_key, keys)})
            if not answers.keys() >= {*keys, *map(key_of, controls)}:
                return
            effects = contrasted(answers)
            said = np.array([effects[key].score for key in keys], dtype=np.float64)  # None becomes NaN


def expected_calls(asking: Questionnaire, rates: AnswerRates, *, config: VerifierConfig) -> int:
    """Return how many calls the rounds take where a judge answers as its rates say."""
    chances = rates.chances[:, asking.probe]
    questions = expected_questions(asking.available, chances, rates.missing, most=asking.most, config=config)
    return questions + len(asking.controls)


def _question(request: ProbeRequest) -> tuple[int, bool]:
    return PROBE_KINDS.index(request.kind), request.arm in REPEATS
