"""Graph-of-Skills, the closest published method, so that both are compared on equal terms.

Our implementation of its published algorithm (benchmarks: GoS): words and meanings give the
seeds, relevance walks over an undirected graph (`gos_graph`), and the result is sorted by
words once more. Its recorded answers are the test.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache

import numpy as np
from scipy.sparse import diags_array

from caskg.baselines.gos_text import Field, FieldIndex, GosQuery, plain_name, read_skill
from caskg.config import DiffusionConfig, Walk
from caskg.errors import UsageError
from caskg.library.embed import encode_checked
from caskg.protocols import Encoder
from caskg.retrieval.diffusion import Transition, personalized_pagerank, transition
from caskg.retrieval.seeds import check_query
from caskg.schema import BoolArray, FloatArray, IntArray, RankedSkill, Ranking, Skill, SkillGraph, VectorArray

FIELD_WEIGHTS = {
    Field.NAME: 1.25,
    Field.TAGS: 1.15,
    Field.TOOLS: 0.95,
    Field.ABOUT: 0.9,
    Field.EXAMPLES: 0.8,
    Field.IO: 0.75,
}
"""What the share of the task that a field holds is worth in the sort by words."""

CANDIDATES = 20
SEEDS = 5
RESTART = 0.2
TOLERANCE = 1e-6
_NAMED = 1.2
_BY_RANK = 0.2
_BY_LEXICAL_RANK = 0.15
_BY_BOTH = 0.1

_WALK = DiffusionConfig(
    walk=Walk.RELEASED,
    restart=RESTART,
    alternative_weight=1.0,
    sharpness=1.0,
    leak_below=None,
    openness=0.0,
    tolerance=TOLERANCE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seeds:
    """The seeds, best first, and the ranks (from 1; 0 = none) that made them."""

    positions: IntArray
    lexical_rank: IntArray
    semantic_rank: IntArray


class GosRetriever:
    """Finds skills as Graph-of-Skills does; a `Retriever`.

    It always fills up to k, with the last skills of the library where nothing else is left.
    It has no sense of a task that nothing fits; the best cosine stands in as `sufficiency`.
    """

    method = "gos"

    def __init__(
        self,
        *,
        skills: Sequence[Skill],
        vectors: VectorArray,
        graph: SkillGraph,
        encoder: Encoder,
    ) -> None:
        """Index *skills*.

        Args:
            skills: The skills; their order decides between equals, the later first.
            vectors: What *encoder* made of `embedded_texts`, shape ``(n_skills, d)``.
            graph: Its undirected graph: the source of an edge is the earlier skill.
            encoder: Encodes queries.

        Raises:
            ValueError: The parts are about different numbers of skills.
        """
        if not len(skills) == len(vectors) == graph.n_skills:
            msg = f"{len(skills)} skills, {len(vectors)} vectors and a graph of {graph.n_skills} do not fit."
            raise ValueError(msg)
        self._skills = skills
        self._index = FieldIndex(list(map(read_skill, skills)))
        self._plain_names = [plain_name(skill.name) for skill in skills]
        self._vectors = vectors
        self._graph = graph
        self._encoder = encoder
        self._step = lru_cache(maxsize=2)(self._step_anew)

    def retrieve(
        self, query: str, *, k: int = 8, have: Collection[str] = (), exclude: Collection[str] = ()
    ) -> Ranking:
        """Return *k* skills for a task, fewer only where no more are left.

        Arguments and errors are those of `GraphRetriever.retrieve`.
        """
        check_query(query)
        if k < 1:
            msg = f"k must be at least 1, not {k}."
            raise UsageError(msg)
        visible = ~self._named("exclude", exclude)
        wanted = visible & ~self._named("have", have)
        task = GosQuery.of(query)
        cosine = self._vectors @ encode_checked([task.embedded], self._encoder)[0]
        named = self._called_by_name(task)
        shares = self._index.counts(task.tokens) / max(len(task.tokens), 1)
        by_words = self._by_words(shares, named)
        seeds = _find_seeds(by_words, shares[:, Field.ANY], cosine, visible)
        relevance = self._walk(seeds, visible)
        chosen = _last_first(relevance, np.flatnonzero(wanted))[:k]
        final = by_words + relevance
        final[seeds.positions] += _BY_RANK / np.arange(1, len(seeds.positions) + 1)
        order = np.lexsort((-relevance[chosen], -final[chosen]))
        return Ranking(
            query=query,
            skills=tuple(
                self._ranked(at, relevance[at], seeds, exact=bool(named[at])) for at in chosen[order].tolist()
            ),
            sufficiency=float(np.clip(cosine[visible].max(initial=0.0), 0.0, 1.0)),
            abstained=False,
            method=self.method,
        )

    def _by_words(self, shares: FloatArray, named: BoolArray) -> FloatArray:
        """Return what the words of a task make of each skill, >= 0."""
        columns, weights = list(FIELD_WEIGHTS), np.array(list(FIELD_WEIGHTS.values()))
        by_words: FloatArray = shares[:, columns] @ weights + _NAMED * named
        return by_words

    def _called_by_name(self, task: GosQuery) -> BoolArray:
        """Return whose name stands somewhere in a task, be it inside a word."""
        text = task.embedded.lower()
        return np.array([bool(name) and name in text for name in self._plain_names], dtype=np.bool_)

    def _walk(self, seeds: _Seeds, visible: BoolArray) -> FloatArray:
        """Return how much relevance comes to each skill."""
        mass = np.zeros(len(self._skills))
        if not len(seeds.positions):
            return mass
        mass[seeds.positions] = 1.0 / np.arange(1, len(seeds.positions) + 1)
        return personalized_pagerank(
            self._step(visible.tobytes()), mass / mass.sum(), restart=RESTART, tolerance=TOLERANCE
        )

    def _step_anew(self, mask: bytes) -> Transition:
        """Return how relevance walks among those whom *mask* makes visible."""
        return _with_loops(transition(_within(self._graph, np.frombuffer(mask, dtype=np.bool_)), _WALK))

    def _ranked(self, at: int, score: float, seeds: _Seeds, *, exact: bool) -> RankedSkill:
        return RankedSkill(
            skill=self._skills[at],
            score=float(score),
            lexical_rank=int(seeds.lexical_rank[at]) or None,
            semantic_rank=int(seeds.semantic_rank[at]) or None,
            exact_name=exact,
        )

    def _named(self, argument: str, ids: Collection[str]) -> BoolArray:
        if isinstance(ids, str):
            msg = f"{argument} must be a collection of ids, not the single string {ids!r}: put it in a list."
            raise UsageError(msg)
        asked = set(ids)
        return np.array([skill.id in asked for skill in self._skills], dtype=np.bool_)


def embedded_texts(skills: Sequence[Skill]) -> list[str]:
    """Return the text of each skill that its vector is made of."""
    return [read_skill(skill).embedded for skill in skills]


def _find_seeds(
    by_words: FloatArray, any_share: FloatArray, cosine: VectorArray, visible: BoolArray
) -> _Seeds:
    """Sort the union of both lists of candidates by words and ranks, and keep the first."""
    lexical = _ranks(any_share + by_words, visible & (any_share > 0.0))
    semantic = _ranks(cosine, visible)
    score = by_words + _per_rank(semantic, 1.0 + _BY_RANK) + _per_rank(lexical, _BY_LEXICAL_RANK)
    score += _BY_BOTH * ((lexical > 0) & (semantic > 0))
    union = np.flatnonzero((lexical > 0) | (semantic > 0))
    first = np.lexsort((semantic[union], semantic[union] == 0, -score[union]))[:SEEDS]
    return _Seeds(positions=union[first], lexical_rank=lexical, semantic_rank=semantic)


def _per_rank(rank: IntArray, worth: float) -> FloatArray:
    return np.where(rank > 0, worth / np.maximum(rank, 1), 0.0)


def _ranks(score: FloatArray | VectorArray, among: BoolArray) -> IntArray:
    """Return the rank of the best `CANDIDATES` of *among*, from 1; 0 for all others."""
    positions = np.flatnonzero(among)
    best = positions[np.argsort(-score[positions], kind="stable")][:CANDIDATES]
    ranks = np.zeros(len(score), dtype=np.int64)
    ranks[best] = np.arange(1, len(best) + 1)
    return ranks


def _last_first(score: FloatArray, positions: IntArray) -> IntArray:
    """Return *positions*, best first; of equals the later."""
    return positions[np.argsort(score[positions], kind="stable")][::-1]


def _with_loops(step: Transition) -> Transition:
    """Let a skill without edges keep its relevance, where ours gives it back to the seeds."""
    return Transition(matrix=(step.matrix + diags_array(step.leak)).tocsr(), leak=np.zeros_like(step.leak))


def _within(graph: SkillGraph, visible: BoolArray) -> SkillGraph:
    """Return the graph without the edges that touch a hidden skill."""
    keep = visible[graph.source] & visible[graph.target]
    columns = [field.name for field in fields(graph) if field.name != "n_skills"]
    return replace(graph, **{name: getattr(graph, name)[keep] for name in columns})
