"""Small worlds for the tests of retrieval: graphs, an encoder of our own making, retrievers."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from caskg.config import RetrieveConfig
from caskg.library.lexical import tokenize
from caskg.retrieval.retriever import GraphRetriever
from caskg.retrieval.seeds import SearchIndex
from caskg.schema import (
    EDGE_STATES,
    EDGE_TYPES,
    EdgeState,
    EdgeType,
    FloatArray,
    IntArray,
    Skill,
    SkillGraph,
    VectorArray,
)
from factories import make_skill


class Edge(NamedTuple):
    """An edge by positions."""

    source: int
    target: int
    weight: float = 1.0
    type: EdgeType = EdgeType.DEPENDENCY
    state: EdgeState = EdgeState.CONFIRMED


def make_graph(n_skills: int, edges: Sequence[Edge] = ()) -> SkillGraph:
    """Return a published graph of these edges, sorted as published graphs are."""
    edges = sorted(edges)
    weight = np.array([edge.weight for edge in edges], dtype=np.float64)
    return SkillGraph(
        n_skills=n_skills,
        source=np.array([edge.source for edge in edges], dtype=np.int64),
        target=np.array([edge.target for edge in edges], dtype=np.int64),
        weight=weight,
        association=weight,
        reliability=np.full(len(edges), 0.5),
        types=np.array([EDGE_TYPES.index(edge.type) for edge in edges], dtype=np.int8),
        states=np.array([EDGE_STATES.index(edge.state) for edge in edges], dtype=np.int8),
    )


def content_ranks(skills: Sequence[Skill]) -> IntArray:
    """Return each skill's rank by the hash of its content."""
    hashes = np.array([skill.content_hash for skill in skills], dtype=np.str_)
    return np.argsort(np.argsort(hashes, kind="stable"), kind="stable")


def seeds_at(n_skills: int, *positions: int) -> FloatArray:
    """Return equal mass at *positions*."""
    seeds = np.zeros(n_skills)
    seeds[list(positions)] = 1 / len(positions)
    return seeds


class ConceptEncoder:
    """Gives the words of each concept the same axis; a text without any has the zero vector."""

    def __init__(self, *concepts: str) -> None:
        self._axis = {token: axis for axis, words in enumerate(concepts) for token in tokenize(words)}
        self._dimension = max(1, len(concepts))

    @property
    def fingerprint(self) -> str:
        return f"concepts-{sorted(self._axis.items())}"

    def encode(self, texts: Sequence[str]) -> VectorArray:
        vectors = np.zeros((len(texts), self._dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            for token in tokenize(text):
                if token in self._axis:
                    vectors[row, self._axis[token]] += 1.0
        length = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.where(length > 0, length, 1.0), dtype=np.float32)


def make_retriever(
    skills: Sequence[Skill],
    edges: Sequence[Edge] = (),
    *,
    encoder: ConceptEncoder | None = None,
    config: RetrieveConfig | None = None,
    knows_meanings: bool = True,
) -> GraphRetriever:
    """Return a retriever over *skills*; by default one that never abstains."""
    encoder = encoder or ConceptEncoder()
    vectors = encoder.encode([f"{skill.name}: {skill.description}" for skill in skills])
    return GraphRetriever(
        skills=skills,
        ids=[skill.id for skill in skills],
        index=SearchIndex.fit(
            skills, vectors, tie_break=content_ranks(skills), knows_meanings=knows_meanings
        ),
        graph=make_graph(len(skills), edges),
        encoder=encoder,
        config=config or RetrieveConfig(min_sufficiency=0.0),
    )


@st.composite
def worlds(draw: st.DrawFn) -> tuple[list[Skill], list[Edge]]:
    """Draw at most seven skills of few words, and edges between them."""
    words = st.sampled_from(["egg", "pan", "salt", "egg pan", "pan salt", ""])
    skills = [
        make_skill(f"id{at}-{at}", draw(words), name=f"name {at}") for at in range(draw(st.integers(1, 7)))
    ]
    pairs = [(u, v) for u in range(len(skills)) for v in range(len(skills)) if u != v]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=12)) if pairs else []
    weight = st.sampled_from([0.1, 0.5, 1.0])
    return skills, [Edge(u, v, draw(weight), draw(st.sampled_from(list(EdgeType)))) for u, v in chosen]
