"""What a graph says without the task."""

import numpy as np
import pytest

from caskg.baselines.prior import TELEPORT, PriorRetriever, graph_prior
from caskg.config import DiffusionConfig, RetrieveConfig, Walk
from caskg.protocols import Retriever
from caskg.retrieval.seeds import SearchIndex
from caskg.schema import FloatArray
from factories import make_skill
from retrieval.worlds import ConceptEncoder, Edge, content_ranks, make_graph

ENCODER = ConceptEncoder("egg", "pan", "salt")
SKILLS = [make_skill("a", "egg"), make_skill("b", "pan egg"), make_skill("c", "salt")]


def make_prior(prior: FloatArray) -> PriorRetriever:
    vectors = ENCODER.encode([f"{skill.name}: {skill.description}" for skill in SKILLS])
    return PriorRetriever(
        skills=SKILLS,
        ids=[skill.id for skill in SKILLS],
        index=SearchIndex.fit(SKILLS, vectors, tie_break=content_ranks(SKILLS)),
        encoder=ENCODER,
        config=RetrieveConfig(min_sufficiency=0.0),
        prior=prior,
    )


def ids(retriever: Retriever, query: str, *, k: int = 8) -> list[str]:
    return [ranked.skill.id for ranked in retriever.retrieve(query, k=k).skills]


def test_the_prior_is_the_stationary_share_of_a_surfer_who_starts_anywhere() -> None:
    """A dense solve: p = gamma u + (1 - gamma) T^T p; a row without edges goes back to u."""
    graph = make_graph(3, [Edge(0, 1), Edge(1, 2)])
    moves = np.array([[0, 1, 0], [0, 0, 1], [1 / 3, 1 / 3, 1 / 3]])
    expected = np.linalg.solve(np.eye(3) - (1 - TELEPORT) * moves.T, np.full(3, TELEPORT / 3))
    found = graph_prior(graph, DiffusionConfig(walk=Walk.FORWARD, tolerance=1e-12))
    assert found == pytest.approx(expected)
    assert TELEPORT == 0.15


def test_a_prior_of_one_is_the_same_for_every_task() -> None:
    """The list that any method must beat."""
    prior = make_prior(np.array([0.2, 0.3, 0.5]))
    assert ids(prior, "egg") == ids(prior, "pan") == ["c", "b", "a"]
    assert ids(prior, "salt", k=1) == ["c"]


def test_without_a_prior_it_is_the_flat_hybrid() -> None:
    """The seeds alone: nothing that no ranking holds."""
    assert ids(make_prior(np.zeros(3)), "salt") == ["c"]


def test_what_is_missing_to_one_is_the_tasks() -> None:
    """Half and half: the only seed has .5 and its share of the prior, the others their share."""
    ranking = make_prior(np.array([0.3, 0.15, 0.05])).retrieve("salt")
    assert [ranked.skill.id for ranked in ranking.skills] == ["c", "a", "b"]
    assert [ranked.score for ranked in ranking.skills] == pytest.approx([0.55, 0.3, 0.15])
    assert ranking.method == "prior"


@pytest.mark.parametrize("prior", [[-0.1, 0.5, 0.5], [0.5, 0.5, 0.1]])
def test_a_prior_that_is_no_share_is_refused(prior: list[float]) -> None:
    """It would drown the task or turn it around."""
    with pytest.raises(ValueError, match="sum to at most 1"):
        make_prior(np.array(prior))


def test_a_hidden_skill_has_no_share() -> None:
    """However popular."""
    found = make_prior(np.array([0.2, 0.3, 0.5])).retrieve("egg", exclude=["c"], have=["b"])
    assert [ranked.skill.id for ranked in found.skills] == ["a"]
