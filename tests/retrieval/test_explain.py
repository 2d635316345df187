"""One line for people, and an edge as data."""

import numpy as np
import pytest

from caskg.config import DiffusionConfig, Walk
from caskg.retrieval.diffusion import step_weights
from caskg.retrieval.explain import edge_steps, explain_edge, reasons
from caskg.schema import (
    Candidates,
    EdgeState,
    EdgeStep,
    EdgeType,
    ProbeAnswer,
    ProbeKey,
    ProbeKind,
    RankedSkill,
    Reliability,
    Signal,
)
from factories import make_skill
from retrieval.worlds import Edge, make_graph

IDS = ["a", "b", "c"]


def step(source: str, target: str, weight: float) -> EdgeStep:
    return EdgeStep(
        source=source, target=target, type=EdgeType.DEPENDENCY, state=EdgeState.UNCERTAIN, weight=weight
    )


def ranked(
    *,
    lexical_rank: int | None = None,
    semantic_rank: int | None = None,
    exact_name: bool = False,
    path: tuple[EdgeStep, ...] = (),
) -> RankedSkill:
    return RankedSkill(
        skill=make_skill("a"),
        score=0.1,
        lexical_rank=lexical_rank,
        semantic_rank=semantic_rank,
        exact_name=exact_name,
        path=path,
    )


@pytest.mark.parametrize(
    ("skill", "line"),
    [
        (ranked(lexical_rank=2), "lexical rank 2"),
        (ranked(semantic_rank=1), "semantic rank 1"),
        (ranked(lexical_rank=2, semantic_rank=1), "lexical rank 2, semantic rank 1"),
        (ranked(exact_name=True), "named in the task"),
        (ranked(exact_name=True, lexical_rank=3), "named in the task; lexical rank 3"),
        (ranked(path=(step("a", "b", 0.4),)), "via a -> b (dependency, uncertain, weight 0.40)"),
        (
            ranked(semantic_rank=9, path=(step("a", "b", 0.406), step("c", "b", 1.0))),
            "semantic rank 9; via a -> b (dependency, uncertain, weight 0.41), "
            "then c -> b (dependency, uncertain, weight 1.00)",
        ),
        (ranked(), "no reason recorded"),
    ],
)
def test_the_reason_is_one_line(skill: RankedSkill, line: str) -> None:
    """Everything that brought it in, and nothing else."""
    assert reasons(skill) == line


def test_steps_are_edges_as_they_point_whichever_way_relevance_walked() -> None:
    """From b back to what it needs (a), and on from a to what it enables (c)."""
    graph = make_graph(3, [Edge(0, 1, 0.4), Edge(0, 2, 0.9, EdgeType.WORKFLOW, EdgeState.UNVALIDATED)])
    steps = edge_steps([1, 0, 2], graph=graph, weights=step_weights(graph, DiffusionConfig()), ids=IDS)
    assert steps == (
        EdgeStep(source="a", target="b", type=EdgeType.DEPENDENCY, state=EdgeState.CONFIRMED, weight=0.4),
        EdgeStep(source="a", target="c", type=EdgeType.WORKFLOW, state=EdgeState.UNVALIDATED, weight=0.9),
    )
    assert edge_steps([1], graph=graph, weights=step_weights(graph, DiffusionConfig()), ids=IDS) == ()


@pytest.mark.parametrize(
    ("along", "against", "source"), [(0.9, 0.2, "a"), (0.9, 0.5, "b"), (0.8, 0.4, "a"), (0.2, 0.9, "b")]
)
def test_of_two_edges_between_two_skills_the_one_that_carried_more_is_shown(
    along: float, against: float, source: str
) -> None:
    """Walked from a to b: a -> b carries half its weight, b -> a all of it; of equals, the one along."""
    graph = make_graph(2, [Edge(0, 1, along), Edge(1, 0, against)])
    config = DiffusionConfig(walk=Walk.BOTH, forward_confirmed=0.5, sharpness=1.0)
    assert edge_steps([0, 1], graph=graph, weights=step_weights(graph, config), ids=IDS)[0].source == source


CANDIDATES = Candidates(
    n_skills=3,
    source=np.array([0, 0, 1]),
    target=np.array([1, 2, 2]),
    association=np.array([0.5, 0.6, 0.7]),
    types=np.array([0, 1, 2], dtype=np.int8),
    channels=np.zeros(3, dtype=np.int64),
    signals={
        "io": Signal(value=np.array([0.1, 0.2, 0.3]), active=np.array([True, True, False])),
        "semantic": Signal(value=np.array([0.4, 0.5, 0.6]), active=np.array([True, False, True])),
    },
)
RELIABILITY = Reliability(
    support=np.zeros(3),
    against=np.zeros(3),
    value=np.array([0.8, 0.5, 0.2]),
    states=np.array([0, 3, 2], dtype=np.int8),
    text_only=np.zeros(3, dtype=np.bool_),
)
GRAPH = make_graph(3, [Edge(0, 1, 0.45), Edge(0, 2, 0.09, EdgeType.WORKFLOW)])


def test_an_edge_is_explained_by_its_own_row() -> None:
    """Inactive signals are absent, not zero; answers are passed on as the ledger has them."""
    key = ProbeKey("a", "c", "", ProbeKind.REMOVAL, "plain", "1", "text")
    answers = ((key, ProbeAnswer(score=0.9, source_id="text")),)
    found = explain_edge(
        (0, 2), candidates=CANDIDATES, reliability=RELIABILITY, graph=GRAPH, ids=IDS, answers=answers
    )
    assert found is not None
    assert (found.source, found.target) == ("a", "c")
    assert (found.type, found.state) == (EdgeType.WORKFLOW, EdgeState.UNVALIDATED)
    assert (found.association, found.reliability, found.weight) == (0.6, 0.5, 0.09)
    assert found.signals == {"io": 0.2}
    assert found.answers == answers


def test_a_candidate_that_is_not_published_weighs_0() -> None:
    """A rejected edge is still explained: that it is not there is what people ask about."""
    found = explain_edge((1, 2), candidates=CANDIDATES, reliability=RELIABILITY, graph=GRAPH, ids=IDS)
    assert found is not None
    assert (found.state, found.weight, found.answers) == (EdgeState.REJECTED, 0.0, ())
    assert found.signals == {"semantic": 0.6}


@pytest.mark.parametrize("edge", [(1, 0), (2, 0), (0, 0), (2, 1), (1, 1)])
def test_what_is_no_candidate_is_not_explained(edge: tuple[int, int]) -> None:
    """The reverse of a candidate, and skills at either end of the numbering."""
    assert explain_edge(edge, candidates=CANDIDATES, reliability=RELIABILITY, graph=GRAPH, ids=IDS) is None
