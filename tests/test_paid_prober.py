"""A second, paid prober: asked about the frontier after the free one was asked about all of C."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from builds import ScriptedProber, built, by_content, fitted, pairs, world
from caskg.config import BuildConfig, FrontierPolicy, build_config
from caskg.graph.frontier import order_frontier, select_frontier
from caskg.graph.text_prober import TextProber
from caskg.graph.verifier import assessed
from caskg.pipeline import ask, asked_edges, calibrate, induce, paid_frontier, plan
from caskg.schema import EDGE_STATES, EdgeState, ProbeRequest, Skill, SkillGraph
from caskg.store.workspace import Workspace

LIBRARY = world(12)
UNCERTAIN, UNVALIDATED = (EDGE_STATES.index(state) for state in (EdgeState.UNCERTAIN, EdgeState.UNVALIDATED))


def with_budget(budget: int, *, profile: str = "default", policy: str = "association") -> BuildConfig:
    config = build_config(profile)
    chosen = replace(config.frontier, budget=budget, policy=FrontierPolicy(policy))
    return replace(config, frontier=chosen)


def yes(_request: ProbeRequest) -> float:
    return 1.0


def asked_pairs(prober: ScriptedProber) -> set[tuple[str, str]]:
    return {(each.source.id, each.target.id) for each in prober.asked}


def test_in_default_both_are_asked_and_both_count(tmp_path: Path) -> None:
    """The free one about C, the paid one about B edges: one unit of mass, and one an answer.

    Two answers: in so small a library no skill is left to be a substitute.
    """
    free, paid = ScriptedProber(yes, prober_id="text"), ScriptedProber(yes, prober_id="paid")
    result = built(LIBRARY, tmp_path, config=with_budget(7), prober=free, paid=paid)
    ids = [skill.id for skill in LIBRARY.skills]
    in_c = [(ids[i], ids[j]) for i, j in pairs(result.candidates)]
    assert asked_pairs(free) == set(in_c)
    best = select_frontier(result.candidates, budget=7, tie_break=result.index.tie_break).tolist()
    assert asked_pairs(paid) == {in_c[row] for row in best}
    assert result.n_frontier == 7
    expected = np.ones(len(in_c))
    expected[best] += 2.0
    assert result.reliability.support == pytest.approx(expected)
    assert np.flatnonzero(~result.reliability.text_only).tolist() == sorted(best)


def test_in_paper_only_the_paid_one_is_asked(tmp_path: Path) -> None:
    """There F is all that is asked at all, and every answer counts as 1."""
    free, paid = ScriptedProber(yes, prober_id="text"), ScriptedProber(yes, prober_id="paid")
    config = with_budget(7, profile="paper", policy="coverage")  # `paper` takes the top B by A
    result = built(LIBRARY, tmp_path, config=config, prober=free, paid=paid)
    assert (free.asked, len(asked_pairs(paid)), result.n_frontier) == ([], 7, 7)
    best = select_frontier(result.candidates, budget=7, tie_break=result.index.tie_break).tolist()
    assert np.flatnonzero(result.reliability.states != UNVALIDATED).tolist() == sorted(best)


def test_without_a_paid_prober_nothing_changes(tmp_path: Path) -> None:
    """Nor with one that answers nothing: missing is no evidence."""
    alone = built(LIBRARY, tmp_path / "alone")
    silent = built(LIBRARY, tmp_path / "silent", paid=ScriptedProber(lambda _: None, prober_id="paid"))
    assert by_content(alone.graph, LIBRARY) == by_content(silent.graph, LIBRARY)
    assert alone.n_frontier == len(alone.candidates)


def test_what_was_paid_for_does_not_move_the_frontier(tmp_path: Path) -> None:
    """A second build asks nothing again and nothing new, whatever the first answers said."""
    config = with_budget(7, policy="change")
    first = ScriptedProber(lambda asked: float(asked.source.id < asked.target.id), prober_id="paid")
    before = built(LIBRARY, tmp_path, config=config, paid=first)
    again = ScriptedProber(yes, prober_id="paid")
    after = built(LIBRARY, tmp_path, config=config, paid=again)
    assert (len(asked_pairs(first)), again.asked) == (7, [])
    assert by_content(before.graph, LIBRARY) == by_content(after.graph, LIBRARY)


def test_answers_outside_a_smaller_frontier_still_count(tmp_path: Path) -> None:
    """They were paid for."""
    paid = ScriptedProber(yes, prober_id="paid")
    larger = built(LIBRARY, tmp_path, config=with_budget(9), paid=paid)
    smaller = built(LIBRARY, tmp_path, config=with_budget(4), paid=paid)
    assert (larger.n_frontier, smaller.n_frontier) == (9, 4)
    assert larger.reliability.support.tolist() == smaller.reliability.support.tolist()


def test_answers_to_other_prompts_of_the_paid_prober_are_stale(tmp_path: Path) -> None:
    """Inside and outside the new frontier."""
    built(LIBRARY, tmp_path, config=with_budget(9), paid=ScriptedProber(yes, prober_id="paid"))
    anew = ScriptedProber(lambda _: 0.0, prober_id="paid", prompt_version="2")
    result = built(LIBRARY, tmp_path, config=with_budget(4), paid=anew)
    assert np.sum(~result.reliability.text_only & (result.reliability.states != UNVALIDATED)) == 4
    assert len(asked_pairs(anew)) == 4


def test_the_policy_chooses_the_frontier(tmp_path: Path) -> None:
    """By the graph that the free prober alone would publish."""
    for policy in FrontierPolicy:
        config = with_budget(5, policy=policy)
        paid = ScriptedProber(yes, prober_id="paid")
        result = built(LIBRARY, tmp_path / policy, config=config, paid=paid)
        free = built(LIBRARY, tmp_path / f"{policy}-free", config=config)
        order = order_frontier(
            free.candidates,
            free.reliability,
            free.graph,
            config=config,
            tie_break=free.index.tie_break,
        )
        rows = np.flatnonzero(~result.reliability.text_only & (result.reliability.states != UNVALIDATED))
        assert set(rows.tolist()) == set(order[:5].tolist())


def test_the_steps_of_a_build_give_the_same_graph(tmp_path: Path) -> None:
    """For studies that induce once and probe often, each time with a ledger of its own."""
    config, paid = with_budget(6), ScriptedProber(yes, prober_id="paid")
    whole = built(LIBRARY, tmp_path / "whole", config=config, paid=paid)
    with (
        Workspace.create(tmp_path / "free") as workspace,
        Workspace.create(tmp_path / "paid") as other,
    ):
        induced = induce(LIBRARY, workspace=workspace, encoder=fitted(LIBRARY, config), config=config)
        asked = asked_edges(induced.candidates, induced.inputs, config=config)
        free = ask(
            plan(induced, asked, ledger=workspace.ledger), prober=TextProber(), ledger=workspace.ledger
        )
        frontier = paid_frontier(induced, free, config=config)
        said = ask(plan(induced, frontier, ledger=other.ledger), prober=paid, ledger=other.ledger)
        assert len(said) == 2 * 6
        found = calibrate(induced, {**free, **said}, asked=asked, config=config)
    assert by_content(found.graph, LIBRARY) == by_content(whole.graph, LIBRARY)
    assert found.reliability.value.tolist() == whole.reliability.value.tolist()


# ---------------------------------------------------------------- what is learnt from its answers


def test_enough_answers_teach_a_verifier_that_weighs_the_rest(tmp_path: Path) -> None:
    """A judge says yes where both are about one thing: what it was not asked about is told by that."""
    library = world(42)

    def thing(skill: Skill) -> str:
        return skill.description.split(" the ")[1].split(" of ")[0]

    def alike(asked: ProbeRequest) -> float:
        return float(thing(asked.source) == thing(asked.target))

    config = with_budget(250, policy="random")
    judged = built(library, tmp_path, config=config, paid=ScriptedProber(alike, prober_id="paid"))
    assert judged.verifier is not None
    assert judged.verifier.used, judged.verifier.reason
    known = assessed(judged.reliability) != 0
    asked = {pair for pair, told in zip(pairs(judged.candidates), known.tolist(), strict=True) if told}
    off = replace(config, verifier=replace(config.verifier, enabled=False))
    alone = built(library, tmp_path, config=off, paid=ScriptedProber(alike, prober_id="paid"))
    assert alone.verifier is None

    def total(graph: SkillGraph, *, of_one_thing: bool) -> float:
        edges = zip(pairs(graph), graph.weight.tolist(), strict=True)
        new = [(i, j, weight) for (i, j), weight in edges if (i, j) not in asked]
        skills = library.skills
        return float(np.sum([x for i, j, x in new if (thing(skills[i]) == thing(skills[j])) is of_one_thing]))

    assert total(judged.graph, of_one_thing=True) > 1.5 * total(alone.graph, of_one_thing=True)
    assert total(judged.graph, of_one_thing=False) < 0.2 * total(alone.graph, of_one_thing=False)
