"""The flat hybrid is what is left of the graph retriever without edges."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caskg.baselines.flat import FlatRetriever
from caskg.config import Fusion, RetrieveConfig, SeedConfig, retrieve_config
from caskg.protocols import Retriever
from caskg.retrieval.bundle import render
from caskg.retrieval.seeds import SearchIndex
from caskg.schema import Ranking, Skill
from factories import make_skill
from retrieval.worlds import ConceptEncoder, Edge, content_ranks, make_retriever, worlds

ENCODER = ConceptEncoder("egg salt", "pan")
QUERY = "egg pan, or name 2"


def make_flat(skills: Sequence[Skill], *, config: RetrieveConfig | None = None) -> FlatRetriever:
    """Return one that never abstains, unless *config* says otherwise."""
    vectors = ENCODER.encode([f"{skill.name}: {skill.description}" for skill in skills])
    return FlatRetriever(
        skills=skills,
        ids=[skill.id for skill in skills],
        index=SearchIndex.fit(skills, vectors, tie_break=content_ranks(skills)),
        encoder=ENCODER,
        config=config or RetrieveConfig(min_sufficiency=0.0),
    )


def ids(ranking: Ranking) -> list[str]:
    return [ranked.skill.id for ranked in ranking.skills]


@given(
    worlds(),
    st.data(),
    st.sampled_from([0.0, 0.7, 1.0]),
    st.sampled_from(Fusion),
    st.integers(1, 8),
)
def test_it_answers_as_the_graph_retriever_does_over_no_edges(
    world: tuple[list[Skill], list[Edge]], data: st.DataObject, gate: float, fusion: Fusion, k: int
) -> None:
    """Same rankings, fusion, gate, names, hints: only the graph is missing."""
    skills, _ = world
    some = st.lists(st.sampled_from([skill.id for skill in skills]), unique=True)
    config = RetrieveConfig(min_sufficiency=gate, seeds=SeedConfig(fusion=fusion))
    seen = {"k": k, "have": data.draw(some), "exclude": data.draw(some)}
    flat = make_flat(skills, config=config).retrieve(QUERY, **seen)  # type: ignore[arg-type]  # by name
    bare = make_retriever(skills, encoder=ENCODER, config=config).retrieve(QUERY, **seen)  # type: ignore[arg-type]
    assert ids(flat) == ids(bare)
    assert (flat.abstained, flat.hint, flat.sufficiency) == (bare.abstained, bare.hint, bare.sufficiency)
    assert (flat.method, bare.method) == ("flat", "caskg")
    for one, other in zip(flat.skills, bare.skills, strict=True):
        assert (one.lexical_rank, one.semantic_rank, one.exact_name, one.path) == (
            other.lexical_rank,
            other.semantic_rank,
            other.exact_name,
            (),
        )


@given(worlds(), st.data())
def test_a_hidden_skill_appears_nowhere(world: tuple[list[Skill], list[Edge]], data: st.DataObject) -> None:
    """As little as with a graph."""
    skills, _ = world
    hidden = data.draw(st.lists(st.sampled_from([skill.id for skill in skills]), unique=True))
    ranking = make_flat(skills).retrieve(QUERY, exclude=hidden)
    assert not any(skill_id in repr(ranking) + render(ranking).text for skill_id in hidden)


@pytest.mark.parametrize("profile", ["paper", "default"])
def test_every_candidate_of_the_rankings_may_be_returned(profile: str) -> None:
    """The paper's five seeds begin a walk; a flat answer of k = 8 cut to five would be no fair rival."""
    skills = [make_skill(f"s{at}", "egg " * (at + 1)) for at in range(30)]
    config = replace(retrieve_config(profile), min_sufficiency=0.0)
    flat = make_flat(skills, config=config)
    assert len(flat.retrieve("egg").skills) == 8
    # By words the twenty best, by meaning another twenty of thirty.
    assert len(flat.retrieve("egg", k=30).skills) > config.seeds.count


def test_as_many_as_three_rankings_can_hold_are_returned() -> None:
    """Two by name and description, two by whole files, three by meaning: none of these is cut off."""
    skills = [
        *(make_skill(f"short{at}", "jar jar", body="plate " * 900) for at in range(2)),
        *(make_skill(f"whole{at}", "plate", body="jar " * 40) for at in range(2)),
        *(make_skill(f"meant{at}", "salt") for at in range(3)),
    ]
    config = RetrieveConfig(min_sufficiency=0.0, seeds=SeedConfig(lexical=2, semantic=3, count=1))
    assert len(make_flat(skills, config=config).retrieve("egg jar", k=9).skills) == 2 + 2 + 3


def test_it_is_a_retriever() -> None:
    """One protocol for all."""
    assert isinstance(make_flat([make_skill("egg", "boil an egg")]), Retriever)
