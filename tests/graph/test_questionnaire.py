"""Requests as questions, rounds as requests."""

from collections.abc import Callable, Iterable, Mapping

import numpy as np
import pytest

from caskg.config import VerifierConfig
from caskg.errors import UsageError
from caskg.graph.answer_model import EDGE, AnswerRates
from caskg.graph.llm_plan import plan_wording
from caskg.graph.probes import key_of
from caskg.graph.prompts import Wording
from caskg.graph.questionnaire import Questionnaire, expected_calls, in_rounds, questionnaire
from caskg.schema import ProbeAnswer, ProbeKey, ProbeKind, ProbeRequest
from factories import make_skill

SKILLS = [make_skill(f"skill-{at}") for at in range(12)]
CHANCES = np.array([[[0.9, 0.01, 0.09]] * 3, [[0.09, 0.01, 0.9]] * 3])
CHANCES[EDGE, 0] = [0.49, 0.01, 0.5]  # the removal tells less than the others
RATES = AnswerRates(chances=CHANCES, missing=0.05)
CONFIG = VerifierConfig()


def planned(
    wording: Wording, *, n_edges: int = 10, far: int = 11, repeats: bool = True
) -> list[ProbeRequest]:
    sources = np.arange(n_edges)
    return plan_wording(
        (sources, np.full(n_edges, 10)),
        skills=SKILLS,
        substitutes=np.full(n_edges, far),
        wording=wording,
        near=np.full(n_edges, 11) if repeats else None,
        both_orders=repeats,
    )


def key(request: ProbeRequest) -> ProbeKey:
    return key_of(request, prober_id="llm:m", prompt_version="1")


def score(request: ProbeRequest) -> float:
    """Say that the first two edges are edges."""
    return float(request.source in SKILLS[:2])


class Ledger:
    """Keeps answers, and up to a number of them."""

    def __init__(self, *, most: int = 10_000, gone: Callable[[ProbeRequest], bool] = lambda _: False) -> None:
        self.kept: dict[ProbeKey, ProbeAnswer] = {}
        self.most = most
        self.gone = gone

    def ask(self, batch: Iterable[ProbeRequest]) -> None:
        for request in batch:
            if len(self.kept) < self.most:
                gone = self.gone(request)
                said = None if gone else score(request)
                reason = "cannot tell" if gone else None
                self.kept[key(request)] = ProbeAnswer(score=said, source_id="llm:m", missing_reason=reason)

    def answers(self, keys: Iterable[ProbeKey]) -> Mapping[ProbeKey, ProbeAnswer]:
        return {each: self.kept[each] for each in keys if each in self.kept}


def played(asking: Questionnaire, ledger: Ledger) -> list[list[ProbeRequest]]:
    found = []
    for batch in in_rounds(asking, RATES, key_of=key, answers_to=ledger.answers, known=None, config=CONFIG):
        ledger.ask(batch)
        found.append(batch)
    return found


def test_what_tells_most_is_asked_first_and_repetitions_last() -> None:
    """Of equals the order of the probes decides; half of three questions an edge may be asked."""
    asking = questionnaire(planned(Wording.PAPER), RATES)
    order = [(asking.requests[0, at].kind.value, asking.requests[0, at].arm) for at in range(5)]
    assert order == [
        ("substitution", "plain"),
        ("reordering", "plain"),
        ("removal", "plain"),
        ("substitution", "near"),
        ("reordering", "swapped"),
    ]
    assert asking.probe.tolist() == [1, 2, 0, 1, 2]
    assert asking.most == 15
    assert asking.available.all()


def test_every_edge_is_asked_once_and_then_those_that_promise_most() -> None:
    """The two that look like edges."""
    batches = played(questionnaire(planned(Wording.PAPER), RATES), Ledger())
    assert [request.source.name for request in batches[0]] == [f"skill-{at}" for at in range(10)]
    later = [request for batch in batches[1:] for request in batch]
    assert [request.source.name for request in later[:2]] == ["skill-0", "skill-1"]


def test_without_a_substitute_there_are_fewer_questions() -> None:
    """Each edge its own; one that has two can still be chosen from."""
    requests = planned(Wording.PAPER, repeats=False)
    fewer = [each for each in requests if each.kind is not ProbeKind.SUBSTITUTION or each.source == SKILLS[0]]
    asking = questionnaire(fewer, RATES)
    assert asking.available.sum(axis=1).tolist() == [3, *[2] * 9]
    assert asking.most == 10  # half of 21
    assert len(played(asking, Ledger())[0]) == 10


@pytest.mark.parametrize("wording", [Wording.NEED, Wording.CONTROL])
def test_one_question_is_none_to_choose_from_and_a_control_is_shared(wording: Wording) -> None:
    """Only the wording paper has several that stand for themselves."""
    with pytest.raises(UsageError, match="choose the wording paper"):
        questionnaire(planned(wording), RATES)


def test_nothing_is_asked_twice_and_a_stop_is_noticed() -> None:
    """What was cut off is the beginning of what a run without a limit asks; resumed, it asks the rest."""
    asking = questionnaire(planned(Wording.PAPER), RATES)
    whole = Ledger()
    everything = [key(each) for batch in played(asking, whole) for each in batch]
    assert len(everything) == len(set(everything)) == len(whole.kept)
    for most in (1, 9, 10, 11):
        cut = Ledger(most=most)
        batches = played(asking, cut)
        assert [key(each) for batch in batches for each in batch] == everything[: sum(map(len, batches))]
        assert len(cut.kept) == most
        cut.most = 10_000
        played(asking, cut)
        assert cut.kept == whole.kept


def test_a_missing_answer_is_an_answer() -> None:
    """The rounds go on, and the next question of that edge is asked: a judge that spoke of nine may of it."""
    asking = questionnaire(planned(Wording.PAPER), RATES)
    batches = played(asking, Ledger(gone=lambda each: (each.source, each.arm) == (SKILLS[3], "plain")))
    asked = [each.kind for batch in batches for each in batch if each.source == SKILLS[3]]
    assert asked[:2] == [ProbeKind.SUBSTITUTION, ProbeKind.REORDERING]


def test_the_expected_calls_lie_between_one_an_edge_and_the_most() -> None:
    """Ten edges, fifteen questions at most."""
    assert 10 <= expected_calls(questionnaire(planned(Wording.PAPER), RATES), RATES, config=CONFIG) <= 15
