"""From questions to a chat model and back."""

import math
from collections.abc import Iterator

import numpy as np
import pytest

from caskg.config import EvidenceConfig
from caskg.graph.calibrate import assess
from caskg.graph.contrast import COHERENCE, contrasted
from caskg.graph.llm_plan import plan_wording
from caskg.graph.llm_prober import LlmProber
from caskg.graph.probes import collect_scores, probe_key
from caskg.graph.prompts import Wording
from caskg.graph.readings import UNTOLD, cut_off
from caskg.protocols import ChatModel, Prober, StreamingProber
from caskg.providers.scripted import ScriptedChatModel
from caskg.schema import PROBE_KINDS, ChatAnswer, ChatRequest, ProbeAnswer, ProbeKind, ProbeRequest
from graph.llm_cases import BOIL, PEEL, SING, said, scripted

EDGE = np.array([0]), np.array([1])
SKILLS = [BOIL, PEEL, SING]


def asked(wording: Wording = Wording.CONTROL) -> list[ProbeRequest]:
    return plan_wording(EDGE, skills=SKILLS, substitutes=np.array([2]), wording=wording)


def test_it_is_a_streaming_prober() -> None:
    """And its model a chat model."""
    model = scripted(lambda _: "1")
    assert isinstance(model, ChatModel)
    prober = LlmProber(model)
    assert isinstance(prober, Prober)
    assert isinstance(prober, StreamingProber)
    assert (prober.prober_id, prober.prompt_version, prober.wording) == ("llm:m", "control-1", "control")


@pytest.mark.parametrize(
    ("wording", "prober_id"),
    [("paper", "llm:m"), ("control", "llm:m"), ("need", "llm:m/need"), ("judge", "llm:m/judge")],
)
def test_paper_and_control_are_one_source_and_need_another(wording: str, prober_id: str) -> None:
    """One model asked twice about the same probes is no second opinion."""
    prober = LlmProber(scripted(lambda _: "1"), wording=Wording(wording))
    assert prober.prober_id == prober_id
    assert {answer.source_id for answer in prober.answer(asked(prober.wording))} == {prober_id}


def test_an_answer_keeps_what_was_said_and_what_it_cost() -> None:
    """The score, the call, tokens in and out, and the transcript."""
    reply = ChatAnswer(text=said("0.3"), calls=2, prompt_tokens=50, completion_tokens=7)
    (answer,) = LlmProber(ScriptedChatModel(lambda _: reply)).answer(asked()[:1])
    assert answer == ProbeAnswer(
        score=0.3, source_id="llm:scripted", calls=2, tokens=57, transcript=said("0.3")
    )


def test_an_answer_keeps_what_the_server_would_not_be_told() -> None:
    """Below what was said, which may be no score."""
    left_out = ("seed", "temperature")
    replies = iter([ChatAnswer(text=text, left_out=left_out) for text in (said("0.3"), "Hm.")])
    found = LlmProber(ScriptedChatModel(lambda _: next(replies))).answer(asked()[:2])
    note = "\n[asked without seed, temperature, which the server refuses]"
    assert [answer.transcript for answer in found] == [said("0.3") + note, "Hm." + note]
    assert [answer.score for answer in found] == [0.3, None]
    lost = ChatAnswer(text=None, error="gone", left_out=left_out)
    assert LlmProber(ScriptedChatModel(lambda _: lost)).answer(asked()[:1])[0].transcript is None


def test_of_an_answer_that_was_cut_off_it_is_said_what_helps() -> None:
    """Whatever of it came; a score, and that the model cannot tell, stand all the same."""
    texts = ['{"sco', "<think>hm", None, said("0.3"), said("cannot tell")]
    replies = iter([ChatAnswer(text=text, error=None if text else "used up", cut_off=True) for text in texts])
    prober = LlmProber(ScriptedChatModel(lambda _: next(replies)), max_tokens=500)
    found = [prober.answer(asked()[:1])[0] for _ in texts]
    assert [answer.score for answer in found] == [None, None, None, 0.3, None]
    assert {answer.missing_reason for answer in found[:3]} == {cut_off(500)}
    assert "at most 500 tokens: allow more, such as --answer-tokens 2000, or turn" in cut_off(500)
    assert [answer.missing_reason for answer in found[3:]] == [None, UNTOLD]


def test_a_call_that_failed_an_unreadable_and_a_helpless_answer_are_three_things() -> None:
    """All missing, each with its reason; what was paid is counted."""
    replies = iter(
        [
            ChatAnswer(text=None, error="The server is away.", calls=3, prompt_tokens=9),
            ChatAnswer(text="1", calls=1),
            ChatAnswer(text=said("cannot tell"), calls=1),
        ]
    )
    answers = LlmProber(ScriptedChatModel(lambda _: next(replies))).answer(asked()[:3])
    assert [answer.score for answer in answers] == [None] * 3
    assert [answer.missing_reason for answer in answers] == [
        "The server is away.",
        "The answer is no object with a score alone: 1.",
        "The model cannot tell.",
    ]
    assert [answer.calls for answer in answers] == [3, 1, 1]
    assert [answer.tokens for answer in answers] == [9, 0, 0]
    assert [answer.transcript for answer in answers] == [None, "1", said("cannot tell")]


def test_answers_are_matched_in_whatever_order_they_come() -> None:
    """The last of three is answered first."""
    requests = asked()
    scores = {"only B": "0.1", "first B": "0.2"}
    model = scripted(
        lambda text: next((score for plan, score in scores.items() if plan in text), "0.9"), concurrency=3
    )
    assert [answer.score for answer in LlmProber(model).answer(requests)] == [0.9, 0.1, 0.9, 0.2]
    order = [request.kind.value for request, _ in LlmProber(model).stream(requests)]
    assert order == ["substitution", "reordering", "removal", "intact"]


def test_the_same_request_twice_is_refused() -> None:
    """It could be answered twice only by paying twice."""
    (request, *_) = asked()
    with pytest.raises(ValueError, match="given twice"):
        LlmProber(scripted(lambda _: "1")).answer([request, request])


def test_requests_are_pulled_lazily() -> None:
    """An answer is there before the next question is made: the caller may stop between."""
    pulled: list[ProbeKind] = []

    def watched() -> Iterator[ProbeRequest]:
        for request in asked():
            pulled.append(request.kind)
            yield request

    stream = LlmProber(scripted(lambda _: "1")).stream(watched())
    assert pulled == []
    next(stream)
    assert pulled == [ProbeKind.INTACT]


def test_what_a_model_may_write_is_passed_on() -> None:
    """A model that thinks first needs more."""
    model = scripted(lambda _: "1")
    LlmProber(model).answer(asked()[:1])
    LlmProber(model, max_tokens=2000).answer(asked()[:1])
    assert [request.max_tokens for request in model.asked] == [64, 2000]


def test_the_expected_score_is_another_prober() -> None:
    """The same answers read otherwise are other answers."""
    halves = (("0.8", math.log(0.5)), ("0.2", math.log(0.5)))
    places = ((('{"score": "', 0.0),), halves, (('"}', 0.0),))
    model = ScriptedChatModel(lambda _: ChatAnswer(text=said("0.8"), token_logprobs=places))
    plain, expected = LlmProber(model), LlmProber(model, expected=True)
    assert expected.prober_id == "llm:scripted/expected"
    assert LlmProber(model, expected=True, wording=Wording.NEED).prober_id == "llm:scripted/expected/need"
    assert [prober.answer(asked()[:1])[0].score for prober in (plain, expected)] == [0.8, 0.5]


def coherent(request: ChatRequest) -> str:
    """Find a context coherent only where boiling comes before peeling."""
    text = request.messages[-1][1]
    return said("1" if "name: boil" in text and "first A, then B" in text else "0")


def test_a_prerequisite_is_confirmed_by_three_probes_against_one_control() -> None:
    """E = 1 three times: mass 3, c = .8; worth one unit it stays uncertain, worth none unvalidated."""
    prober = LlmProber(ScriptedChatModel(coherent))
    requests = asked()
    answers = dict(zip((probe_key(each, prober) for each in requests), prober.answer(requests), strict=True))
    assert len(answers) == 4
    hashes = [skill.content_hash for skill in SKILLS]
    scores = collect_scores(contrasted(answers), source=EDGE[0], target=EDGE[1], hashes=hashes)
    assert scores["llm:scripted"].tolist() == [[1.0, 1.0, 1.0]]
    label = np.zeros(1, dtype=np.int8)

    def value(units: dict[str, float] | None) -> float:
        return float(assess(scores, labels=label, config=EvidenceConfig(), units=units).value[0])

    assert value(None) == value({}) == value({"other": 1}) == pytest.approx(0.8)
    assert value({"llm:scripted": 2}) == pytest.approx(0.75)
    assert value({"llm:scripted": 1}) == pytest.approx(2 / 3)
    unused = assess(scores, labels=label, config=EvidenceConfig(), units={"llm:scripted": 0})
    assert (unused.support[0], unused.against[0], unused.text_only[0]) == (0.0, 0.0, False)


def test_the_wording_need_is_one_opinion_however_sure() -> None:
    """One answer: c = 2/3 at most."""
    prober = LlmProber(scripted(lambda _: "1"), wording=Wording.NEED)
    (request,) = asked(Wording.NEED)
    assert (request.kind, request.arm) == (PROBE_KINDS[0], "need")
    answers = {probe_key(request, prober): prober.answer([request])[0]}
    hashes = [skill.content_hash for skill in SKILLS]
    scores = collect_scores(contrasted(answers), source=EDGE[0], target=EDGE[1], hashes=hashes)
    found = assess(scores, labels=np.zeros(1, dtype=np.int8), config=EvidenceConfig())
    assert found.value == pytest.approx([2 / 3])


def test_the_control_is_kept_under_a_key_of_its_own() -> None:
    """So that it is paid once an edge, also after an interruption."""
    prober = LlmProber(scripted(lambda _: "1"))
    keys = [probe_key(request, prober) for request in asked()]
    assert len(set(keys)) == 4
    assert keys[0].kind is ProbeKind.INTACT
    assert {key.arm for key in keys} == {COHERENCE}
