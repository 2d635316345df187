"""Which questions are open, in which order they are asked, and what a build makes of the answers."""

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from builds import by_content, fitted, pairs, world
from caskg.config import BuildConfig, EvidenceConfig, FrontierPolicy, Reading, build_config
from caskg.errors import ProviderError, UsageError
from caskg.graph.answer_model import AnswerRates
from caskg.graph.llm_prober import LlmProber
from caskg.graph.prompts import Wording
from caskg.pipeline import build, induce, refined
from caskg.probing import Poll, ask_all, frontier, open_questions, with_budget
from caskg.providers.scripted import ScriptedChatModel
from caskg.published import Build
from caskg.schema import (
    EDGE_STATES,
    ChatAnswer,
    ChatRequest,
    EdgeState,
    Label,
    LabelSource,
    ProbeAnswer,
    ProbeKey,
    ProbeKind,
    Verdict,
)
from caskg.store.workspace import Workspace
from graph.llm_cases import said, scripted

LIBRARY = world(30)
CONFIRMED, REJECTED = EDGE_STATES.index(EdgeState.CONFIRMED), EDGE_STATES.index(EdgeState.REJECTED)
CHANCES = np.array([[[0.9, 0.01, 0.09]] * 3, [[0.09, 0.01, 0.9]] * 3])
RATES = AnswerRates(chances=CHANCES, missing=0.05)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace.create(tmp_path / "ws") as opened:
        yield opened


def poll(
    workspace: Workspace,
    model: ScriptedChatModel,
    *,
    budget: int = 7,
    profile: str = "default",
    judge: bool = False,
    wording: Wording = Wording.CONTROL,
    policy: str | None = None,
) -> Poll:
    config = build_config(profile)
    return Poll(
        induced=induce(LIBRARY, workspace=workspace, encoder=fitted(LIBRARY, config), config=config),
        config=with_budget(config, n_skills=len(LIBRARY), budget=budget, policy=policy),
        ledger=workspace.ledger,
        prober=LlmProber(model, wording=wording),
        judge=LlmProber(model, wording=Wording.JUDGE) if judge else None,
    )


def best_first(asked: Poll) -> list[tuple[int, int]]:
    candidates = asked.induced.candidates
    order = np.lexsort(
        (
            asked.induced.inputs.tie_break[candidates.target],
            asked.induced.inputs.tie_break[candidates.source],
            -candidates.association,
        )
    )
    return [pairs(candidates)[row] for row in order]


def test_the_best_edges_are_asked_about_edge_by_edge(workspace: Workspace) -> None:
    """So what a limit cuts off is the end of F, and no edge but one is half asked."""
    asked = poll(workspace, scripted(lambda _: "1"))
    todo = open_questions(asked)
    edges = [(each.request.source.id, each.request.target.id) for each in todo.probes]
    ids = [skill.id for skill in LIBRARY.skills]
    best = [(ids[i], ids[j]) for i, j in best_first(asked)[:7]]
    assert list(dict.fromkeys(edges)) == best
    assert [each.key.kind for each in todo.probes[:2]] == [ProbeKind.INTACT, ProbeKind.REMOVAL]
    assert (todo.opinions, todo.n_edges, len(todo)) == ((), 7, len(todo.probes))
    assert edges == sorted(edges, key=best.index)


def test_every_question_is_told_and_counted(workspace: Workspace) -> None:
    """Those without a score by their reason."""
    answers = iter(["cannot tell", "cannot tell", *["0.4"] * 100])
    told: list[tuple[int, int]] = []
    asked = poll(workspace, scripted(lambda _: next(answers)))
    tally = ask_all(asked, told=lambda done, of: told.append((done, of)))
    n = tally.n_open
    assert told == [(done, n) for done in range(1, n + 1)]
    assert (tally.scored, tally.missing, tally.n_edges) == (n - 2, {"The model cannot tell.": 2}, 7)
    assert tally.n_answered == n
    again = ask_all(asked)
    assert (again.n_open, again.scored, again.n_answered) == (2, 2, 2)
    assert ask_all(asked).n_open == 0


def test_a_run_without_one_score_is_no_run(workspace: Workspace) -> None:
    """What failed, how often, and how much came back."""
    with pytest.raises(ProviderError) as failed:
        ask_all(poll(workspace, scripted(lambda _: "cannot tell"), budget=2))
    n = workspace.ledger.spend()["llm:m"].missing
    assert str(failed.value) == (
        f"No answer has a score; of {n} it is said: The model cannot tell. {n} of {n} questions came back, "
        "0 with a score; that is kept, and no graph was made of it."
    )


def test_a_run_is_broken_off_by_its_first_answers_whatever_its_parts(workspace: Workspace) -> None:
    """Twenty in the first round and four in the second: none could be read, and it is said what helps."""
    model = ScriptedChatModel(lambda _: ChatAnswer(text="Hm.", cut_off=True, calls=1))
    asked = replace(
        poll(workspace, model, wording=Wording.PAPER, budget=20), rates=replace(RATES, missing=0.6)
    )
    assert open_questions(asked).most > 24
    told = "^Of the first 24 answers none could be read; of 24 it is said: .* --answer-tokens 1000, "
    with pytest.raises(ProviderError, match=told):
        ask_all(asked)
    assert len(model.asked) == 24


@pytest.mark.parametrize("readable", [False, True])
def test_opinions_are_first_answers_too(workspace: Workspace, readable: bool) -> None:  # noqa: FBT001 - a case
    """Unless they could be read: of other questions that says nothing."""

    def script(request: ChatRequest) -> str:
        is_opinion = "This is a plan" not in request.messages[-1][1]
        return said("1") if is_opinion and readable else "no"

    model = ScriptedChatModel(script, fingerprint="m")
    asked = poll(workspace, model, judge=True, budget=20)
    signals = replace(asked.config.signals, judge_threshold=0.6)
    asked = replace(asked, config=replace(asked.config, signals=signals))
    n_opinions = len(open_questions(asked).opinions)
    assert 0 < n_opinions < 24
    with pytest.raises(ProviderError, match="first 24 answers"):
        ask_all(asked)
    assert len(model.asked) == 24 + readable * n_opinions


def test_nothing_to_ask_is_no_failure(workspace: Workspace) -> None:
    """A budget of 0 edges."""
    tally = ask_all(poll(workspace, scripted(lambda _: "1"), budget=0))
    assert (tally.n_open, tally.scored, tally.n_edges) == (0, 0, 0)


def test_an_edge_with_a_label_is_not_asked_about(workspace: Workspace) -> None:
    """An answer would change nothing; the next best is asked about in its place."""
    first = poll(workspace, scripted(lambda _: "1"), budget=8)
    before = [pairs(first.induced.candidates)[row] for row in frontier(first)]
    i, j = before[0]
    source, target = LIBRARY.skills[i], LIBRARY.skills[j]
    workspace.ledger.set_label(
        Label(
            source=source.id,
            target=target.id,
            verdict=Verdict.REJECT,
            given_by=LabelSource.PERSON,
            source_hash=source.content_hash,
            target_hash=target.content_hash,
        )
    )
    asked = poll(workspace, scripted(lambda _: "1"))
    chosen = [pairs(asked.induced.candidates)[row] for row in frontier(asked)]
    assert chosen == before[1:]


@pytest.mark.parametrize("profile", ["default", "paper"])
def test_nobody_is_asked_about_a_hidden_skill(workspace: Workspace, profile: str) -> None:
    """Neither for an answer nor for an opinion; in ``paper`` no other edge takes its place."""
    asked = poll(workspace, scripted(lambda _: "1"), profile=profile, judge=True)
    edges = best_first(asked)
    out = edges[0][0]
    hiding = replace(asked, hidden=frozenset({LIBRARY.skills[out].id}))
    chosen = [pairs(asked.induced.candidates)[row] for row in frontier(hiding)]
    seen = [edge for edge in edges if out not in edge]
    assert chosen == (seen[:7] if profile == "default" else [edge for edge in edges[:7] if out not in edge])
    todo = open_questions(hiding)
    assert len(todo.opinions) < len(open_questions(asked).opinions)
    for each in (asked.request for asked in (*todo.opinions, *todo.probes)):
        assert LIBRARY.skills[out].id not in (each.source.id, each.target.id)


# ---------------------------------------------------------------- the judge


def test_opinions_are_asked_first_and_decide_what_is_asked_about(workspace: Workspace) -> None:
    """Only above the threshold of A, and once; F is that of the refined A."""
    model = scripted(lambda text: str(zlib.crc32(text.encode()) % 2))
    asked = poll(workspace, model, judge=True, budget=7)
    todo = open_questions(asked)
    assert {each.key.kind for each in todo.opinions} == {ProbeKind.OPINION}
    tally = ask_all(asked)
    assert tally.n_answered == len(model.asked) == tally.n_open
    kinds = [spend.calls for _, spend in sorted(workspace.ledger.spend().items()) if spend.calls]
    assert kinds == [tally.n_open - len(todo.opinions), len(todo.opinions)]
    after = refined(asked.induced, ledger=workspace.ledger, config=asked.config)
    judged = after.candidates.signals["judge"]
    assert int(judged.active.sum()) == len(todo.opinions)
    lowered = after.candidates.association < asked.induced.candidates.association
    assert lowered.any()
    assert not lowered[~judged.active].any()
    rows = frontier(replace(asked, induced=after))
    assert set(rows.tolist()) != set(frontier(asked).tolist())
    hashes = [skill.content_hash for skill in LIBRARY.skills]
    edges = {
        (hashes[after.candidates.source[row]], hashes[after.candidates.target[row]]) for row in rows.tolist()
    }
    assert {key[:2] for key, _ in workspace.ledger.entries() if key.prober_id == "llm:m"} == edges
    assert len(open_questions(poll(workspace, model, judge=True, budget=7))) == 0


def test_without_a_judge_in_the_ledger_nothing_is_refined(workspace: Workspace) -> None:
    """Not even by a signal that is nowhere active."""
    asked = poll(workspace, scripted(lambda _: "1"))
    assert refined(asked.induced, ledger=workspace.ledger, config=asked.config) is asked.induced
    assert "judge" not in asked.induced.candidates.signals


# ---------------------------------------------------------------- no longer than it matters


def decided(text: str) -> str:
    """Take one edge in four for an edge; of one answer in ten say the contrary."""
    pair = text.split("To what degree")[0].split('label="')[1:3]
    edge = zlib.crc32("".join(part[20:] for part in pair).encode()) % 4 == 0
    return str(int(edge != (zlib.crc32(text.encode()) % 10 == 0)))


def test_half_of_the_plan_is_asked_at_most(workspace: Workspace) -> None:
    """One question of each edge, and more where answers do not agree; the plan says how many."""
    asked = replace(poll(workspace, scripted(decided), wording=Wording.PAPER, budget=30), rates=RATES)
    todo = open_questions(asked)
    fixed = len(open_questions(replace(asked, rates=None)))
    assert (todo.n_edges, todo.most, len(todo)) == (30, fixed // 2, fixed // 2)
    assert len(todo.probes) > fixed
    assert 30 <= todo.expected <= todo.most
    tally = ask_all(asked)
    assert 30 < tally.scored <= todo.most
    assert (tally.n_open, tally.n_answered, tally.n_edges) == (tally.scored, tally.scored, 30)
    answers = [key for key, _ in workspace.ledger.entries() if key.prober_id == "llm:m"]
    assert len({key[:2] for key in answers}) == 30
    assert ask_all(asked).n_open == 0


def test_a_stop_anywhere_changes_nothing(tmp_path: Path) -> None:
    """Whatever was out and in whichever order answers came: the same questions, the same scores."""

    class Stopped(ScriptedChatModel):
        left = 10_000

        def complete_many(self, requests: Iterable[ChatRequest]) -> Iterator[tuple[ChatRequest, ChatAnswer]]:
            for pair in super().complete_many(requests):
                if not self.left:
                    return
                self.left -= 1
                yield pair

    def run(path: Path, concurrency: int, stops: list[int]) -> tuple[dict[ProbeKey, ProbeAnswer], Build]:
        model = Stopped(
            lambda request: said(decided(request.messages[-1][1])), fingerprint="m", concurrency=concurrency
        )
        config = replace(build_config(), evidence=EvidenceConfig(reading=Reading.MODELLED))
        with Workspace.create(path) as workspace:
            asked = replace(poll(workspace, model, wording=Wording.PAPER, budget=30), rates=RATES)
            for left in [*stops, 10_000]:
                model.left = left
                ask_all(asked)
            built = graph_of(workspace, config, units=3, rates=RATES)
            entries = [entry for entry in workspace.ledger.entries() if entry[0].prober_id == "llm:m"]
        assert len(dict(entries)) == len(entries)
        return dict(entries), built

    whole, graph = run(tmp_path / "whole", 1, [])
    parts, again = run(tmp_path / "parts", 7, [1, 3, 11, 6])
    assert parts == whole
    assert by_content(again.graph, LIBRARY) == by_content(graph.graph, LIBRARY)
    assert np.array_equal(again.reliability.value, graph.reliability.value)


def test_what_the_model_makes_of_few_answers_can_decide(workspace: Workspace) -> None:
    """Counted, one answer decides nothing; read by the model it does, if the judge answers well."""
    asked = replace(poll(workspace, scripted(decided), wording=Wording.PAPER, budget=45), rates=RATES)
    ask_all(asked)
    decisions = {}
    for reading in Reading:
        config = replace(build_config(), evidence=EvidenceConfig(reading=reading))
        states = graph_of(workspace, config, units=3, rates=RATES).reliability.states
        decisions[reading] = int(np.isin(states, [CONFIRMED, REJECTED]).sum())
    assert decisions[Reading.MODELLED] > decisions[Reading.COUNTED] + 10
    config = replace(build_config(), evidence=EvidenceConfig(reading=Reading.MODELLED))
    unmeasured = graph_of(workspace, config, units=3).reliability.states
    assert int(np.isin(unmeasured, [CONFIRMED, REJECTED]).sum()) == decisions[Reading.COUNTED]


# ---------------------------------------------------------------- budget, policy, profile


def test_the_paper_asks_about_the_top_b(workspace: Workspace) -> None:
    """Whatever is labelled: so anyone can check it."""
    asked = poll(workspace, scripted(lambda _: "1"), profile="paper", wording=Wording.PAPER)
    chosen = [pairs(asked.induced.candidates)[row] for row in frontier(asked)]
    assert chosen == best_first(asked)[:7]
    assert {each.key.kind for each in open_questions(asked).probes[:3]} == {
        ProbeKind.REMOVAL,
        ProbeKind.SUBSTITUTION,
        ProbeKind.REORDERING,
    }


def test_another_policy_asks_about_others(workspace: Workspace) -> None:
    """By the graph that the free prober would publish."""
    first, other = (
        frontier(poll(workspace, scripted(lambda _: "1"), policy=policy)).tolist()
        for policy in (None, "random")
    )
    assert len(first) == len(other) == 7
    assert set(first) != set(other)


@pytest.mark.parametrize(
    ("profile", "budget", "policy"), [("paper", 501, None), ("paper", None, "association")]
)
def test_what_the_paper_does_not_do_is_refused(profile: str, budget: int | None, policy: str | None) -> None:
    """Its B is a part of it, and so is its order."""
    with pytest.raises(UsageError, match="the 500 edges of highest A"):
        with_budget(build_config(profile), n_skills=30, budget=budget, policy=policy)


def test_a_budget_changes_nothing_else() -> None:
    """None keeps B and the policy of the profile."""
    for profile in ("paper", "default"):
        config = build_config(profile)
        assert with_budget(config, n_skills=30, budget=None, policy=None) == config
        assert with_budget(config, n_skills=30, budget=500, policy=None).frontier.budget == 500
    changed = with_budget(build_config(), n_skills=30, budget=900, policy="change")
    assert changed == replace(
        build_config(), frontier=replace(build_config().frontier, budget=900, policy=FrontierPolicy.CHANGE)
    )


# ---------------------------------------------------------------- what a build makes of it


def graph_of(
    workspace: Workspace, config: BuildConfig, *, units: int | None, rates: AnswerRates | None = None
) -> Build:
    return build(
        LIBRARY,
        workspace=workspace,
        encoder=fitted(LIBRARY, config),
        config=config,
        worth=lambda _name, _prompt: units,
        rates=lambda _name, _prompt: rates,
    )


def test_a_build_uses_what_the_ledger_holds_as_the_check_says(workspace: Workspace) -> None:
    """Nothing at 0 units, one opinion where nothing is known, three where the check says so."""
    config = build_config()
    plain = graph_of(workspace, config, units=None)
    assert plain.sources == {}
    ask_all(poll(workspace, scripted(lambda _: "1"), wording=Wording.NEED, budget=5))
    mass = {}
    for units in (None, 0, 1, 3):
        found = graph_of(workspace, config, units=units)
        mass[units] = (found.reliability.support + found.reliability.against).sum()
        use = found.sources["llm:m/need"]
        assert (use.units, use.checked, use.n_edges) == (1 if units is None else units, units is not None, 5)
    before = (plain.reliability.support + plain.reliability.against).sum()
    assert mass[0] == pytest.approx(before)
    assert mass[1] == mass[None] == mass[3] == pytest.approx(before + 5)  # one answer an edge
    assert by_content(graph_of(workspace, config, units=0).graph, LIBRARY) == by_content(plain.graph, LIBRARY)


def test_answers_in_separate_prompts_count_as_often_as_the_check_allows(workspace: Workspace) -> None:
    """Three times an edge, or once; with all three an edge is confirmed whatever the texts say."""
    tally = ask_all(poll(workspace, scripted(_paper), wording=Wording.PAPER, budget=5))
    config = build_config()
    full, single = (graph_of(workspace, config, units=units).reliability for units in (3, 1))
    assert full.support.sum() - single.support.sum() == pytest.approx(tally.scored - 5)
    assert int((full.states == CONFIRMED).sum()) == 5


def _paper(_question: object) -> str:
    return "1"


def test_the_paper_counts_each_answer_and_no_other_beside_it(workspace: Workspace) -> None:
    """Whatever the judge check says: 3 answers an edge, and those of the free prober elsewhere in F."""
    config = build_config("paper")
    graph_of(workspace, config, units=None)  # the free prober is in the ledger now
    tally = ask_all(poll(workspace, scripted(_paper), profile="paper", wording=Wording.PAPER, budget=5))
    for units in (None, 0, 3):
        found = graph_of(workspace, config, units=units)
        rows = frontier(poll(workspace, scripted(_paper), profile="paper", budget=5))
        assert found.reliability.support[rows].sum() == tally.scored
        assert found.reliability.against[rows].sum() == 0.0
        assert not found.reliability.text_only[rows].any()


def test_a_coherence_counts_by_its_control(workspace: Workspace) -> None:
    """A plan that is fully coherent, and changed in any way not at all, speaks for the edge."""
    model = ScriptedChatModel(
        lambda request: said("1" if "first A, then B" in request.messages[-1][1] else "0"), fingerprint="m"
    )
    ask_all(poll(workspace, model, budget=5))
    found = graph_of(workspace, build_config(), units=3)
    rows = frontier(poll(workspace, model, budget=5))
    assert (found.reliability.support[rows] >= 2.0).all()
