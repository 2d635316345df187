"""A judge of known errors, which knows nothing that only the scored tasks could teach."""

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builds import built, pairs, world
from caskg.bench.simulated_judge import (
    Errors,
    Knowledge,
    SimulatedJudge,
    deal_folds,
    knowledge_without,
    relation_judge,
)
from caskg.config import build_config
from caskg.errors import UsageError
from caskg.protocols import Prober
from caskg.schema import EDGE_STATES, PROBE_KINDS, EdgeState, EdgeType, ProbeKind, ProbeRequest
from caskg.store.workspace import Workspace
from factories import make_skill

SKILLS = {name: make_skill(name) for name in ("a", "b", "c", "d", "x")}
KNOWN = Knowledge(
    edges=frozenset({("a", "b"), ("b", "c"), ("a", "x")}),
    ends=frozenset("abcd"),
    masked=frozenset({("b", "c")}),
)


def request(
    source: str, target: str, kind: ProbeKind = ProbeKind.REMOVAL, arm: str = "plain"
) -> ProbeRequest:
    return ProbeRequest(
        source=SKILLS.get(source) or make_skill(source),
        target=SKILLS.get(target) or make_skill(target),
        kind=kind,
        arm=arm,
    )


def scores(judge: SimulatedJudge, *asked: ProbeRequest) -> list[float | None]:
    return [answer.score for answer in judge.answer(asked)]


def test_without_errors_it_says_what_is_so() -> None:
    """Yes to an edge, no to its reverse and to a pair that is none."""
    asked = [request("a", "b"), request("b", "a"), request("c", "d")]
    assert scores(SimulatedJudge(KNOWN), *asked) == [1.0, 0.0, 0.0]


def test_of_masked_pairs_and_unknown_ends_it_cannot_tell() -> None:
    """Missing with a reason, never 0 and never 0.5; the call is counted."""
    answers = SimulatedJudge(KNOWN).answer([request("b", "c"), request("a", "x"), request("x", "a")])
    assert [answer.score for answer in answers] == [None] * 3
    assert all(answer.missing_reason and answer.calls == 1 for answer in answers)
    assert scores(SimulatedJudge(KNOWN), request("c", "b")) == [0.0]  # a mask has a direction


MANY = [(f"s{at}", f"t{at}") for at in range(2000)]
PROBES = {pair: [request(*pair, kind) for kind in PROBE_KINDS] for pair in MANY}
ALL_ENDS = frozenset(name for pair in MANY for name in pair)


def rate(judge: SimulatedJudge) -> float:
    return float(np.mean([score or 0.0 for score in scores(judge, *(PROBES[pair][0] for pair in MANY))]))


def test_the_error_rates_are_those_asked_for_and_apart() -> None:
    """Of 2,000 pairs; three standard errors are .015 at 5 % and .031 at 30 %."""
    errors = Errors(false_positive=0.05, false_negative=0.3)
    edges = Knowledge(edges=frozenset(MANY), ends=ALL_ENDS)
    none = Knowledge(edges=frozenset(), ends=ALL_ENDS)
    assert rate(SimulatedJudge(edges, errors=errors)) == pytest.approx(0.7, abs=0.031)
    assert rate(SimulatedJudge(none, errors=errors)) == pytest.approx(0.05, abs=0.015)
    assert rate(SimulatedJudge(edges, errors=Errors(false_positive=1.0))) == 1.0
    assert rate(SimulatedJudge(edges, errors=Errors(false_negative=1.0))) == 0.0


def test_the_probes_of_an_edge_share_one_draw() -> None:
    """An edge is flipped whole; otherwise three answers would outvote the error."""
    judge = SimulatedJudge(Knowledge(edges=frozenset(MANY), ends=ALL_ENDS), errors=Errors(false_negative=0.5))
    for pair in MANY[:200]:
        asked = [request(*pair, kind, arm) for kind in PROBE_KINDS for arm in ("plain", "far")]
        assert len(set(scores(judge, *asked))) == 1


def test_single_answers_can_be_wrong_or_missing_by_themselves() -> None:
    """Independently of one another: 10 % wrong, 5 % missing, of 6,000 answers."""
    judge = SimulatedJudge(
        Knowledge(edges=frozenset(MANY), ends=ALL_ENDS), errors=Errors(wrong=0.1, absent=0.05)
    )
    said = scores(judge, *(each for pair in MANY for each in PROBES[pair]))
    assert said.count(None) / len(said) == pytest.approx(0.05, abs=0.009)
    assert said.count(0.0) / len(said) == pytest.approx(0.095, abs=0.012)
    by_edge = np.array([np.nan if score is None else score for score in said]).reshape(-1, 3)
    assert (np.sum(by_edge == 0.0, axis=1) == 3).mean() < 0.01  # shared, it would be .1
    arms = [scores(judge, request(*MANY[at], arm=arm))[0] for at in range(300) for arm in ("plain", "far")]
    assert arms[::2] != arms[1::2]


@settings(max_examples=20, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(0, 3))
def test_an_answer_depends_on_the_seed_and_the_pair_alone(order: random.Random, seed: int) -> None:
    """Not on what else is asked, nor when."""
    errors = Errors(false_positive=0.5, false_negative=0.5)
    judge = SimulatedJudge(Knowledge(edges=frozenset(MANY[:20]), ends=ALL_ENDS), errors=errors, seed=seed)
    asked = [PROBES[pair][0] for pair in MANY[:40]]
    alone = {each.source.id: scores(judge, each)[0] for each in asked}
    order.shuffle(asked)
    assert scores(judge, *asked) == [alone[each.source.id] for each in asked]


def test_another_seed_is_another_judge() -> None:
    """With other errors, and another name in the ledger."""
    errors = Errors(false_negative=0.5)
    known = Knowledge(edges=frozenset(MANY), ends=ALL_ENDS)
    one, other = (SimulatedJudge(known, errors=errors, seed=seed) for seed in (0, 1))
    asked = [request(*pair) for pair in MANY[:100]]
    assert scores(one, *asked) != scores(other, *asked)
    assert one.prober_id != other.prober_id
    names = {
        SimulatedJudge(KNOWN).prober_id,
        SimulatedJudge(KNOWN, errors=errors).prober_id,
        SimulatedJudge(replace(KNOWN, edges=frozenset())).prober_id,
        SimulatedJudge(replace(KNOWN, ends=frozenset("a"))).prober_id,
        SimulatedJudge(replace(KNOWN, masked=frozenset())).prober_id,
    }
    assert len(names) == 5
    assert SimulatedJudge(KNOWN).prober_id == SimulatedJudge(replace(KNOWN, ends=frozenset("dcba"))).prober_id


@pytest.mark.parametrize("name", ["false_positive", "false_negative", "wrong", "absent"])
@pytest.mark.parametrize("rate", [-0.1, 1.1, float("nan")])
def test_a_rate_outside_its_range_is_refused(name: str, rate: float) -> None:
    """Whichever it is."""
    with pytest.raises(UsageError, match=name):
        SimulatedJudge(KNOWN, errors=Errors(**{name: rate}))


# ---------------------------------------------------------------- folds


def test_a_cluster_stays_whole_and_folds_are_of_like_size() -> None:
    """Eleven clusters in five folds: two each, and one of three."""
    clusters = [f"c{at % 11}" for at in range(50)]
    folds = deal_folds(clusters)
    assert all(
        len({fold for fold, name in zip(folds.tolist(), clusters, strict=True) if name == c}) == 1
        for c in clusters
    )
    per_fold = [
        len({name for at, name in zip(folds.tolist(), clusters, strict=True) if at == fold})
        for fold in range(5)
    ]
    assert sorted(per_fold) == [2, 2, 2, 2, 3]


def test_the_order_of_the_tasks_does_not_decide_the_folds() -> None:
    """The seed does."""
    clusters = [f"c{at}" for at in range(20)]
    forward, backward = deal_folds(clusters), deal_folds(clusters[::-1])
    assert forward.tolist() == backward[::-1].tolist()
    assert forward.tolist() != deal_folds(clusters, seed=1).tolist()


def test_fewer_than_two_folds_are_refused() -> None:
    """There would be nothing to learn from."""
    with pytest.raises(UsageError, match="at least 2"):
        deal_folds(["a"], n_folds=1)


GOLDS = [{"a", "b"}, {"a", "b", "c"}, {"c", "d"}]
EDGES = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")]


def test_what_only_the_scored_tasks_prove_is_not_known() -> None:
    """Task 1 alone proves b -> c; task 0 proves a -> b as well; no task proves d -> a."""
    known = knowledge_without([1], edges=EDGES, golds=GOLDS, masked=[("a", "b")])
    assert known.edges == {("a", "b"), ("c", "d"), ("d", "a")}
    assert known.ends == frozenset("abcd")
    assert known.masked == {("a", "b")}
    judge = SimulatedJudge(replace(known, masked=frozenset()))
    assert [judge.opinion(*pair) for pair in EDGES] == [True, False, True, True]


def test_a_skill_of_the_scored_tasks_alone_is_not_known() -> None:
    """d: neither an edge with it nor that another pair with it is none."""
    known = knowledge_without([2], edges=EDGES, golds=GOLDS)
    assert (set(known.edges), known.ends) == ({("a", "b"), ("b", "c"), ("d", "a")}, frozenset("abc"))
    judge = SimulatedJudge(known)
    assert [judge.opinion(*pair) for pair in EDGES] == [True, True, None, None]
    assert judge.opinion("b", "d") is None


@given(st.lists(st.sets(st.sampled_from("abcd"), min_size=1), min_size=2, max_size=6), st.data())
def test_nothing_it_says_depends_on_the_gold_of_the_scored_tasks(
    golds: list[set[str]], data: st.DataObject
) -> None:
    """But for edges that no task proves at all, which are known from elsewhere."""
    every = [(i, j) for i in "abcd" for j in "abcd" if i != j]
    edges = [pair for pair in every if any(set(pair) <= gold for gold in golds)]
    scored = data.draw(st.integers(0, len(golds) - 1))
    other = [*golds]
    other[scored] = data.draw(st.sets(st.sampled_from("abcd"), min_size=1))
    proved = [
        pair for pair in every if any(set(pair) <= gold for at, gold in enumerate(golds) if at != scored)
    ]
    known = knowledge_without([scored], edges=edges, golds=golds)
    theirs = knowledge_without([scored], edges=proved, golds=other)
    assert (known.edges, known.ends) == (theirs.edges, theirs.ends)


# ---------------------------------------------------------------- the way of a real one


def test_it_confirms_and_rejects_through_the_ledger(tmp_path: Path) -> None:
    """Three probes in separate prompts are three units: .8 and .2; its calls are on record."""
    library = world(42)
    free = built(library, tmp_path / "free")
    ids = [skill.id for skill in library.skills]
    config = build_config()
    config = replace(config, frontier=replace(config.frontier, budget=30))
    gold = frozenset((ids[i], ids[j]) for i, j in pairs(free.candidates) if i < j)
    judge = SimulatedJudge(Knowledge(edges=gold, ends=frozenset(ids)))
    result = built(library, tmp_path / "judged", config=config, paid=judge)
    states = np.array(EDGE_STATES, dtype=object)[result.reliability.states]
    for (i, j), state, only_text in zip(
        pairs(result.candidates), states, result.reliability.text_only, strict=True
    ):
        if state in (EdgeState.CONFIRMED, EdgeState.REJECTED):
            assert not only_text
            assert (state == EdgeState.CONFIRMED) == (i < j)
    assert sum(state in (EdgeState.CONFIRMED, EdgeState.REJECTED) for state in states) >= 25
    with Workspace.open(tmp_path / "judged") as workspace:
        spend = workspace.ledger.spend()[judge.prober_id]
        assert 60 < spend.calls == spend.answers <= 90  # a few have no substitute


def test_graph_of_skills_can_ask_the_same_judge() -> None:
    """In both directions of each pair; what it cannot tell is no relation."""
    skills = [SKILLS[name] for name in "abcdx"]
    found = list(relation_judge(SimulatedJudge(KNOWN), skills)(1, [0, 2, 3, 4]))
    assert [(each.source, each.target, each.type, each.confidence) for each in found] == [
        (0, 1, EdgeType.DEPENDENCY, 1.0)
    ]


def test_it_is_a_prober() -> None:
    """One port for all."""
    assert isinstance(SimulatedJudge(KNOWN), Prober)
