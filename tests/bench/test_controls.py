"""Each control differs from the published graph in one thing, and in nothing else."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builds import built, world
from caskg.bench import controls
from caskg.config import build_config
from caskg.published import Build
from caskg.schema import EDGE_STATES, EDGE_TYPES, EdgeState, EdgeType, SkillGraph
from retrieval.worlds import Edge, make_graph

CONFIG = build_config()
PUBLICATION = CONFIG.publication


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    return built(world(), tmp_path_factory.mktemp("controls") / "workspace")


def edges(graph: SkillGraph) -> list[tuple[int, int]]:
    return list(zip(graph.source.tolist(), graph.target.tolist(), strict=True))


def degrees(graph: SkillGraph) -> tuple[Counter[tuple[int, int]], Counter[tuple[int, int]]]:
    kinds = graph.types.tolist()
    return (
        Counter(zip(graph.source.tolist(), kinds, strict=True)),
        Counter(zip(graph.target.tolist(), kinds, strict=True)),
    )


def test_all_candidates_are_published_by_their_association(build: Build) -> None:
    """No probe, no bound, no attenuation; the least weight keeps an edge an edge."""
    graph = controls.every_candidate(build, config=PUBLICATION)
    assert len(graph) == len(build.candidates) > len(build.graph)
    assert graph.weight == pytest.approx(np.maximum(build.candidates.association, 0.01))
    assert set(graph.states.tolist()) == {EDGE_STATES.index(EdgeState.UNVALIDATED)}
    assert (graph.types == build.candidates.types).all()


def test_phase_one_has_the_same_edges_by_association(build: Build) -> None:
    """Only the weights differ."""
    graph = controls.by_association(build.graph, config=PUBLICATION)
    assert edges(graph) == edges(build.graph)
    assert graph.weight == pytest.approx(np.maximum(build.graph.association, 0.01))
    assert not np.allclose(graph.weight, build.graph.weight)


@settings(max_examples=30)
@given(
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), unique=True, min_size=2, max_size=30),
    st.integers(0, 99),
)
def test_rewiring_keeps_degrees_within_types(pairs: list[tuple[int, int]], seed: int) -> None:
    """Every skill keeps its edges of each type, in and out; no loop, no second edge."""
    kinds = (EdgeType.DEPENDENCY, EdgeType.SEMANTIC)
    graph = make_graph(9, [Edge(u, v, 0.1 + (u + v) / 20, kinds[(u + v) % 2]) for u, v in pairs if u != v])
    other = controls.rewired(graph, seed=seed)
    assert degrees(other) == degrees(graph)
    assert len(set(edges(other))) == len(graph)
    assert edges(other) == sorted(edges(other))
    assert all(u != v for u, v in edges(other))
    weights = Counter(zip(graph.source.tolist(), graph.weight.tolist(), strict=True))
    assert Counter(zip(other.source.tolist(), other.weight.tolist(), strict=True)) == weights


def test_rewiring_leaves_few_edges_where_they_were(build: Build) -> None:
    """And is the same for the same seed."""
    graph = controls.rewired(build.graph, seed=1)
    assert len(set(edges(graph)) & set(edges(build.graph))) < len(build.graph) * 0.6
    assert edges(graph) == edges(controls.rewired(build.graph, seed=1))
    assert edges(graph) != edges(controls.rewired(build.graph, seed=2))


def test_shuffled_evidence_is_dealt_out_among_assessed_edges(build: Build) -> None:
    """The unassessed stay so; as many of each state as before."""
    graph = controls.shuffled(build, config=PUBLICATION, seed=3)
    assert edges(graph) != edges(build.graph) or not np.allclose(graph.weight, build.graph.weight)
    assert set(np.unique(graph.reliability)) <= set(np.unique(build.reliability.value))
    again = controls.shuffled(build, config=PUBLICATION, seed=3)
    assert graph.weight.tolist() == again.weight.tolist()


def test_nearest_neighbours_lead_into_each_skill() -> None:
    """By cosine, never a skill itself, none that points away; equals by content."""
    vectors = np.array([[1, 0], [0.8, 0.6], [0.6, 0.8], [-1, 0]], dtype=np.float32)
    graph = controls.nearest_neighbours(vectors, np.arange(4), k=2)
    assert edges(graph) == [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]
    assert graph.weight == pytest.approx([0.8, 0.6, 0.8, 0.96, 0.6, 0.96], abs=1e-6)
    same = np.ones((4, 1), dtype=np.float32)
    assert edges(controls.nearest_neighbours(same, np.array([3, 2, 1, 0]), k=1)) == [
        (2, 3), (3, 0), (3, 1), (3, 2),
    ]  # fmt: skip
    assert (graph.types == EDGE_TYPES.index(EdgeType.SEMANTIC)).all()
    assert controls.NEIGHBOURS == 8


def test_the_gold_graph_is_the_gold_edges() -> None:
    """Confirmed dependencies of weight 1."""
    graph = controls.gold_graph(np.array([[2, 0], [0, 1]]), n_skills=3)
    assert edges(graph) == [(0, 1), (2, 0)]
    assert graph.weight.tolist() == [1.0, 1.0]
    assert set(graph.types.tolist()) == {EDGE_TYPES.index(EdgeType.DEPENDENCY)}
    assert set(graph.states.tolist()) == {EDGE_STATES.index(EdgeState.CONFIRMED)}


def test_semantic_only_knows_one_signal_and_one_channel(tmp_path: Path) -> None:
    """What is likeness alone worth?"""
    config = controls.semantic_only(CONFIG)
    build = built(world(), tmp_path / "workspace", config=config)
    semantic = build.candidates.signals["semantic"]
    found = build.candidates.association[semantic.active]
    assert found == pytest.approx(semantic.value[semantic.active])
    assert config.recall.semantic == CONFIG.recall.semantic > 0
    assert (config.types, config.publication) == (CONFIG.types, CONFIG.publication)


def test_without_a_judge_nothing_but_the_judge_is_missing() -> None:
    """One weight."""
    config = controls.without_judge(CONFIG)
    assert config.signals.weights.judge == 0.0
    assert controls.without_judge(config) == config
    assert config != CONFIG
    assert (config.recall, config.evidence) == (CONFIG.recall, CONFIG.evidence)
