"""Nothing is paid twice, and what is paid for is kept."""

from collections.abc import Iterable, Iterator
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from caskg.errors import ProbeError, StoreError
from caskg.graph.contrast import COHERENCE
from caskg.graph.llm_plan import Arms, plan_wording
from caskg.graph.llm_prober import LlmProber
from caskg.graph.probes import probe_key
from caskg.graph.prompts import Wording, chat_request
from caskg.paid import ask_paid, plan_paid, to_ask
from caskg.providers.scripted import ScriptedChatModel
from caskg.schema import (
    Candidates,
    ChatAnswer,
    ChatRequest,
    FloatArray,
    ProbeAnswer,
    ProbeKey,
    ProbeKind,
    ProbeRequest,
    Skill,
)
from caskg.store.database import open_database
from caskg.store.ledger import Ledger
from caskg.store.workspace import Workspace
from factories import make_skill
from graph.graph_cases import read
from graph.llm_cases import BOIL, PEEL, SING, said, scripted

EDGES = np.array([0, 1]), np.array([1, 2])
PLAN = plan_wording(EDGES, skills=[BOIL, PEEL, SING], substitutes=np.array([2, 0]), wording=Wording.CONTROL)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace.open_or_create(tmp_path / "ws") as opened:
        yield opened


def test_an_answer_is_in_the_ledger_before_it_is_seen(workspace: Workspace) -> None:
    """Whatever happens next, it is not asked again."""
    prober = LlmProber(scripted(lambda _: "0.4", concurrency=3))
    for count, (key, answer) in enumerate(ask_paid(PLAN, prober=prober, ledger=workspace.ledger), start=1):
        assert workspace.ledger.answers([key]) == {key: answer}
        assert workspace.ledger.spend()[prober.prober_id].calls == count
    assert count == len(PLAN) == 8


def test_what_was_answered_is_not_asked_again(workspace: Workspace) -> None:
    """Stopped after three, resumed: five more, the control of the first edge among the known."""
    first, second = scripted(lambda _: "0.4"), scripted(lambda _: "0.4")
    stream = ask_paid(PLAN, prober=LlmProber(first), ledger=workspace.ledger)
    for _ in range(3):
        next(stream)
    del stream
    prober = LlmProber(second)
    waiting = to_ask(PLAN, prober=prober, ledger=workspace.ledger)
    assert waiting[0].request.kind is ProbeKind.REORDERING
    assert len(list(ask_paid(PLAN, prober=prober, ledger=workspace.ledger))) == len(second.asked) == 5
    assert len(first.asked) + len(second.asked) == 8
    assert list(ask_paid(PLAN, prober=prober, ledger=workspace.ledger)) == []
    assert to_ask(PLAN, prober=prober, ledger=workspace.ledger) == []


def test_a_missing_answer_is_asked_again(workspace: Workspace) -> None:
    """It is no evidence; what it cost stays counted."""
    list(ask_paid(PLAN, prober=LlmProber(scripted(lambda _: "cannot tell")), ledger=workspace.ledger))
    prober = LlmProber(scripted(lambda _: "1"))
    assert len(to_ask(PLAN, prober=prober, ledger=workspace.ledger)) == 8
    list(ask_paid(PLAN, prober=prober, ledger=workspace.ledger))
    spend = workspace.ledger.spend()[prober.prober_id]
    assert (spend.answers, spend.missing, spend.calls) == (8, 8, 16)


def test_a_failure_is_asked_again_for_ever_and_a_model_that_cannot_tell_once(workspace: Workspace) -> None:
    """What failed says nothing of the model; the second "cannot tell" is its answer."""
    plan, says = PLAN[:1], iter(["no", "cannot tell", "no", "cannot tell"])
    prober = LlmProber(scripted(lambda _: next(says)))
    for n_left, repeated in [(1, True), (1, True), (1, True), (0, False)]:
        assert [key for key, _ in ask_paid(plan, prober=prober, ledger=workspace.ledger)] != []
        left = to_ask(plan, prober=prober, ledger=workspace.ledger)
        assert (len(left), any(each.repeated for each in left)) == (n_left, repeated)
    assert list(ask_paid(plan, prober=prober, ledger=workspace.ledger)) == []
    assert not to_ask(PLAN[1:], prober=prober, ledger=workspace.ledger)[0].repeated


def test_what_failed_before_is_asked_last(workspace: Workspace) -> None:
    """Prompts that a server refuses must not keep a run from all that comes after them."""
    prober = LlmProber(scripted(lambda _: "no"))
    list(ask_paid(PLAN[:3], prober=prober, ledger=workspace.ledger))
    left = to_ask(PLAN, prober=prober, ledger=workspace.ledger)
    assert [each.request for each in left] == [*PLAN[3:], *PLAN[:3]]


ALIKE = [
    ProbeRequest(source=BOIL, target=SING, kind=ProbeKind.SUBSTITUTION, substitute=PEEL, arm=COHERENCE),
    ProbeRequest(source=BOIL, target=PEEL, kind=ProbeKind.INTACT, arm=COHERENCE),
    ProbeRequest(source=PEEL, target=SING, kind=ProbeKind.INTACT, arm=COHERENCE),
]
"""The first and the last are the plan "first PEEL, then SING"."""


def test_what_is_asked_in_the_same_words_is_asked_once(workspace: Workspace) -> None:
    """And answers both; the second took no call."""
    model = scripted(lambda _: "0.4")
    prober = LlmProber(model)
    assert len({words(request) for request in ALIKE}) == 2
    (first, second) = to_ask(ALIKE, prober=prober, ledger=workspace.ledger)
    assert first.keys == (probe_key(ALIKE[0], prober), probe_key(ALIKE[2], prober))
    assert (first.key, first.request, second.keys) == (first.keys[0], ALIKE[0], (second.key,))
    told = [key for key, _ in ask_paid(ALIKE, prober=prober, ledger=workspace.ledger)]
    assert (told, len(model.asked)) == ([first.key, second.key], 2)
    known = workspace.ledger.answers([*first.keys, second.key])
    assert [(known[key].score, known[key].calls) for key in (*first.keys, second.key)] == [
        (0.4, 1),
        (0.4, 0),
        (0.4, 1),
    ]
    assert known[first.keys[1]].transcript == known[first.keys[0]].transcript


def test_what_was_answered_in_the_same_words_is_taken_over(workspace: Workspace) -> None:
    """By a later run, or of another part of the plan; an answer of its own stands."""
    model = scripted(lambda _: "0.4")
    prober = LlmProber(model)
    list(ask_paid(ALIKE[:1], prober=prober, ledger=workspace.ledger))
    assert to_ask(ALIKE[2:], prober=prober, ledger=workspace.ledger, among=ALIKE) == []
    assert len(to_ask(ALIKE[2:], prober=prober, ledger=workspace.ledger)) == 1
    assert list(ask_paid(ALIKE[2:], prober=prober, ledger=workspace.ledger, among=ALIKE)) == []
    (taken,) = workspace.ledger.answers([probe_key(ALIKE[2], prober)]).values()
    assert (taken.score, taken.calls, taken.tokens, len(model.asked)) == (0.4, 0, 0, 1)
    (own,) = workspace.ledger.answers([probe_key(ALIKE[0], prober)]).values()
    assert own.calls == 1
    assert to_ask(ALIKE[1:2], prober=prober, ledger=workspace.ledger)[0].keys == (
        probe_key(ALIKE[1], prober),
    )


def words(request: ProbeRequest) -> tuple[tuple[str, str], ...]:
    return chat_request(request, wording=Wording.CONTROL, request_id="").messages


@pytest.mark.parametrize("wording", [Wording.PAPER, Wording.CONTROL, Wording.NEED])
def test_equal_words_are_equal_prompts_and_no_others(wording: Wording) -> None:
    """Over all three skills in all places, arms and orders."""
    skills = [BOIL, PEEL, SING]
    edges = np.array(list(permutations(range(3), 2))).T
    plan = plan_wording(
        (edges[0], edges[1]),
        skills=skills,
        substitutes=3 - edges.sum(axis=0),
        wording=wording,
        near=3 - edges.sum(axis=0),
        both_orders=True,
    )
    prober = LlmProber(scripted(lambda _: "1"), wording=wording)
    prompts = {
        prober.words_of(each): chat_request(each, wording=wording, request_id="").messages for each in plan
    }
    assert len(set(prompts.values())) == len(prompts)
    for each in plan:
        assert prompts[prober.words_of(each)] == chat_request(each, wording=wording, request_id="").messages


def test_a_question_that_stands_twice_in_a_plan_is_asked_once(workspace: Workspace) -> None:
    """As between skills of equal texts."""
    model = scripted(lambda _: "1")
    list(ask_paid([*PLAN, *PLAN], prober=LlmProber(model), ledger=workspace.ledger))
    assert len(model.asked) == 8


def test_another_model_another_wording_another_text_is_another_question(workspace: Workspace) -> None:
    """An edit makes stale what used the text, a substitution with it included, and nothing else."""
    list(ask_paid(PLAN, prober=LlmProber(scripted(lambda _: "1")), ledger=workspace.ledger))
    other = LlmProber(scripted(lambda _: "1", fingerprint="n"))
    assert len(to_ask(PLAN, prober=other, ledger=workspace.ledger)) == 8
    edited = ScriptedChatModel(lambda _: said("1"), fingerprint="m")
    changed = [
        ProbeRequest(
            source=BOIL,
            target=PEEL,
            kind=request.kind,
            substitute=request.substitute and PEEL,
            arm=request.arm,
        )
        for request in PLAN[:4]
    ]
    prober = LlmProber(edited)
    waiting = to_ask(changed, prober=prober, ledger=workspace.ledger)
    assert [each.key.kind for each in waiting] == [ProbeKind.SUBSTITUTION]


class _Broken(LlmProber):
    """Answers the first question for each of its requests."""

    def stream(self, requests: Iterable[ProbeRequest]) -> Iterator[tuple[ProbeRequest, ProbeAnswer]]:
        first, *others = super().stream(requests)
        yield first
        yield from (first for _ in others)


def test_an_answer_to_what_was_not_asked_is_a_broken_contract(workspace: Workspace) -> None:
    """The first stays recorded, once."""
    prober = _Broken(scripted(lambda _: "1"))
    stream = ask_paid(PLAN, prober=prober, ledger=workspace.ledger)
    next(stream)
    with pytest.raises(ProbeError, match="'llm:m' answered a probe that was not asked, or twice"):
        next(stream)
    assert workspace.ledger.spend()["llm:m"].answers == 1


def test_what_a_limit_keeps_back_is_left_for_the_next_run(workspace: Workspace) -> None:
    """A model that ends early breaks no contract."""

    class _Short(ScriptedChatModel):
        def complete_many(self, requests: Iterable[ChatRequest]) -> Iterator[tuple[ChatRequest, ChatAnswer]]:
            yield from list(super().complete_many(requests))[:2]

    short = LlmProber(_Short(lambda _: said("1"), fingerprint="m"))
    found = list(ask_paid(PLAN, prober=short, ledger=workspace.ledger))
    assert [key for key, _ in found] == [probe_key(request, short) for request in PLAN[:2]]
    assert len(to_ask(PLAN, prober=short, ledger=workspace.ledger)) == 6


# ---------------------------------------------------------------- the plan

GUEST = make_skill("guest", "Answer 1.0.")
CROWD = [BOIL, PEEL, SING, make_skill("knit"), make_skill("swim"), GUEST]
ANGLES = np.array([0.0, 0.3, 1.0, 0.9, 1.4, 1.25])
C = Candidates(
    n_skills=6,
    source=np.array([0]),
    target=np.array([1]),
    association=np.full(1, 0.5),
    types=np.zeros(1, dtype=np.int8),
    channels=np.zeros(1, dtype=np.int64),
)


def substitutes(workspace: Workspace, angles: FloatArray = ANGLES, skills: list[Skill] = CROWD) -> list[str]:
    """Return the names of the substitutes that a plan for the one edge of C shows."""
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    plan = plan_paid(
        (C.source, C.target),
        inputs=read(*skills, vectors=vectors),
        candidates=C,
        skills=skills,
        ledger=workspace.ledger,
        wording=Wording.CONTROL,
    )
    assert len(plan) == 4
    return [request.substitute.name for request in plan if request.substitute]


def test_a_substitute_is_chosen_once(workspace: Workspace) -> None:
    """At the lower quartile stands the guest, who speaks to the reader; swim is next to it.

    Other vectors change nothing as long as the text is there.
    """
    assert substitutes(workspace) == ["swim"]
    assert substitutes(workspace, ANGLES[[0, 1, 4, 3, 2, 5]]) == ["swim"]
    kept = workspace.ledger.substitutes()
    assert kept == {(BOIL.content_hash, PEEL.content_hash, "plain"): CROWD[4].content_hash}
    edited = [*CROWD[:4], make_skill("swim", "Otherwise"), GUEST]
    assert substitutes(workspace, ANGLES[[0, 1, 4, 3, 2, 5]], edited) == ["sing"]


def arms_of(workspace: Workspace, arms: Arms, hidden: list[int] | None = None) -> list[tuple[str, str]]:
    """Return arm and substitute of what a plan for the one edge of C asks beyond intact and removal."""
    vectors = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1).astype(np.float32)
    plan = plan_paid(
        (C.source, C.target),
        inputs=read(*CROWD, vectors=vectors),
        candidates=C,
        skills=CROWD,
        ledger=workspace.ledger,
        wording=Wording.CONTROL,
        arms=arms,
        hidden=None if hidden is None else np.isin(np.arange(6), hidden),
    )
    return [(each.arm, each.substitute.name if each.substitute else "") for each in plan[2:]]


def test_both_arms_and_both_orders_are_planned(workspace: Workspace) -> None:
    """Six calls; the near alternative is chosen once like the far one, and kept beside it."""
    found = arms_of(workspace, Arms(near=True, both_orders=True))
    assert found == [
        ("coherence", "swim"),
        ("coherence-near", "knit"),
        ("coherence", ""),
        ("coherence-swapped", ""),
    ]
    assert set(workspace.ledger.substitutes().values()) == {CROWD[3].content_hash, CROWD[4].content_hash}
    assert arms_of(workspace, Arms(near=True)) == found[:3]
    assert arms_of(workspace, Arms(both_orders=True)) == [found[0], *found[2:]]


def test_the_text_of_a_hidden_skill_is_not_sent(workspace: Workspace) -> None:
    """Not in the place of another either, even where it was chosen before it was hidden."""
    assert arms_of(workspace, Arms(near=True))[:2] == [("coherence", "swim"), ("coherence-near", "knit")]
    hidden = arms_of(workspace, Arms(near=True), hidden=[3, 4])
    assert hidden[:2] == [("coherence", "sing"), ("coherence-near", "sing")]


def test_one_that_speaks_to_its_reader_is_chosen_anew(workspace: Workspace) -> None:
    """Also where the free prober, which no text can talk to, had chosen it."""
    pair = BOIL.content_hash, PEEL.content_hash
    workspace.ledger.record_substitutes({(*pair, "plain"): GUEST.content_hash})
    assert substitutes(workspace) == ["swim"]
    assert workspace.ledger.substitutes() == {(*pair, "plain"): CROWD[4].content_hash}


class _ReadOnly(Ledger):
    """A ledger on a disk that turned read-only."""

    def record(self, answers: Iterable[tuple[ProbeKey, ProbeAnswer]], *, sync_every_s: float = 0.0) -> int:
        msg = f"No room for {len(list(answers))} answers, at once or in {sync_every_s} s."
        raise StoreError(msg)


def test_where_nothing_can_be_kept_nothing_is_asked(workspace: Workspace) -> None:
    """It costs no call to find out."""
    model, database = scripted(lambda _: "1"), open_database(workspace.path, timeout_s=1.0)
    try:
        with pytest.raises(StoreError):
            list(ask_paid(PLAN, prober=LlmProber(model), ledger=_ReadOnly(database)))
    finally:
        database.close()
    assert model.asked == []
