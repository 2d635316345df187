"""The online half in one object: seeds, gate, diffusion, ranking, order, reasons (method, Section 7).

library, index, published graph -> **GraphRetriever** -> bundle
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from itertools import islice

import numpy as np

from caskg.config import RetrieveConfig
from caskg.errors import UsageError
from caskg.library.embed import encode_checked
from caskg.protocols import BulkReader, Encoder
from caskg.retrieval.diffusion import (
    Transition,
    personalized_pagerank,
    step_weights,
    strongest_paths,
    transition,
)
from caskg.retrieval.explain import edge_step, edge_steps
from caskg.retrieval.seeds import SearchIndex, Seeds, check_query, find_seeds, sufficiency, top
from caskg.schema import (
    EDGE_STATES,
    EDGE_TYPES,
    BoolArray,
    EdgeState,
    EdgeStep,
    EdgeType,
    FloatArray,
    IntArray,
    RankedSkill,
    Ranking,
    Skill,
    SkillGraph,
)

_ALTERNATIVE = EDGE_TYPES.index(EdgeType.ALTERNATIVE)
_DEPENDENCY, _WORKFLOW = (EDGE_TYPES.index(kind) for kind in (EdgeType.DEPENDENCY, EdgeType.WORKFLOW))
_UNVALIDATED = EDGE_STATES.index(EdgeState.UNVALIDATED)
_HINTED = 3
_VIEWS = 8  # callers' views of the graph that are kept, each about as large as the graph
_KEPT = 256  # skills; to read and unpack eight takes a third of a query


class GraphRetriever:
    """Finds skills for a task over one published graph; a `Retriever`.

    Answers depend on nothing but the arguments, so one object serves any number of callers.
    """

    method = "caskg"

    def __init__(
        self,
        *,
        skills: Sequence[Skill],
        ids: Sequence[str],
        index: SearchIndex,
        graph: SkillGraph,
        encoder: Encoder,
        config: RetrieveConfig,
    ) -> None:
        """Join the parts of one published version.

        Args:
            skills: The skills by position; only those returned are looked at, and the last of them kept.
            ids: Their ids, by position.
            index: What a query is compared with.
            graph: The published graph.
            encoder: The encoder that made the vectors of *index*.
            config: Everything that decides what a query returns.

        Raises:
            ValueError: The parts are not about the same number of skills.
        """
        sizes = {
            "skills": len(skills),
            "ids": len(ids),
            "short": index.short.n_documents,
            "vectors": len(index.vectors),
            "tie_break": len(index.tie_break),
            "graph": graph.n_skills,
        }
        if len(set(sizes.values())) > 1:
            msg = f"The parts are about different numbers of skills: {sizes}."
            raise ValueError(msg)
        self._skills = skills
        self._kept: dict[int, Skill] = {}
        self._ids = ids
        self._index = index
        self._graph = graph
        self._encoder = encoder
        self._config = config
        self._view = lru_cache(maxsize=_VIEWS)(self._view_of)

    def retrieve(
        self, query: str, *, k: int = 8, have: Collection[str] = (), exclude: Collection[str] = ()
    ) -> Ranking:
        """Return at most *k* skills for a task, or none and a hint if nothing fits.

        A skill that the task calls by name is always chosen, before any other.

        Args:
            query: The task, as plain text.
            k: Most skills to return, at least 1.
            have: Ids of skills the caller has loaded. They are never returned, but relevance
                may start at them and flow through them.
            exclude: Ids the caller must not see: no seeds, no step of a path, in no hint, and
                no relevance flows through them.

        Ids that the library does not hold are ignored in both: a host may have other skills too.

        Raises:
            UsageError: *query* is blank or too long, *k* is below 1, or *have* or *exclude* is
                one string instead of a collection of ids.
        """
        check_query(query)
        if k < 1:
            msg = f"k must be at least 1, not {k}."
            raise UsageError(msg)
        visible = ~self._mask("exclude", exclude)
        wanted = visible & ~self._mask("have", have)
        vector = encode_checked([query], self._encoder)[0]
        seeds = find_seeds(query, vector, self._index, config=self._config.seeds, visible=visible)
        score = self._sufficiency(seeds)
        too_little = score < self._config.min_sufficiency and not len(seeds.exact)
        if too_little or not len(seeds.positions):
            return self._abstain(query, seeds, score, wanted)
        skills = self._rank(seeds, k, visible=visible, wanted=wanted)
        return Ranking(
            query=query,
            skills=skills,
            sufficiency=score,
            abstained=False,
            hint="" if skills else "Every skill that fits this task is loaded already.",
            method=self.method,
        )

    def _rank(
        self, seeds: Seeds, k: int, *, visible: BoolArray, wanted: BoolArray
    ) -> tuple[RankedSkill, ...]:
        """Diffuse, choose the best k, put prerequisites first, and say why each is there."""
        config, tie_break = self._config, self._index.tie_break
        view = self._view(visible.tobytes())
        start = np.zeros(len(visible))
        start[seeds.positions] = seeds.mass
        relevance = self._relevance(start, view.step)
        preference = relevance.copy()
        preference[seeds.exact] += 1.0  # relevance sums to 1: what is named comes before all else
        chosen = top(np.where(wanted, preference, 0.0), k, tie_break)
        if config.prerequisites_first:
            chosen = chosen[prerequisites_first(chosen, view.ordering)]
        paths = self._paths(chosen, start, view)
        supports = self._supports(chosen, view.ordering)
        return tuple(
            RankedSkill(
                skill=skill,
                score=float(relevance[at]),
                lexical_rank=seeds.lexical_rank.get(at),
                semantic_rank=seeds.semantic_rank.get(at),
                exact_name=at in seeds.exact,
                path=paths.get(at, ()),
                supports=supports[at],
            )
            for at, skill in self._read(chosen.tolist()).items()
        )

    def _relevance(self, start: FloatArray, step: Transition) -> FloatArray:
        """Return how relevant each skill is, shape ``(n_skills,)``; what a baseline does otherwise."""
        config = self._config.diffusion
        return personalized_pagerank(step, start, restart=config.restart, tolerance=config.tolerance)

    def _paths(self, chosen: IntArray, start: FloatArray, view: "_View") -> dict[int, tuple[EdgeStep, ...]]:
        """Return the path of each chosen skill that is no seed."""
        found = chosen[start[chosen] == 0].tolist()
        if not found:
            return {}
        restart, tie_break = self._config.diffusion.restart, self._index.tie_break
        paths = strongest_paths(view.step, start, found, restart=restart, tie_break=tie_break)
        return {
            at: edge_steps(path, graph=view.graph, weights=view.weights, ids=self._ids)
            for at, path in zip(found, paths, strict=True)
        }

    def _supports(self, chosen: IntArray, graph: SkillGraph) -> dict[int, tuple[EdgeStep, ...]]:
        """Return for each chosen skill the edges by which it comes before later ones.

        What orders the answer can be told as a reason.
        """
        place = {at: number for number, at in enumerate(chosen.tolist())}
        steps: dict[int, tuple[EdgeStep, ...]] = dict.fromkeys(place, ())
        for row in ordering_edges(chosen, graph).tolist():
            source, target = int(graph.source[row]), int(graph.target[row])
            if place[source] < place[target]:
                steps[source] += (edge_step(graph, row, self._ids),)
        return steps

    def _read(self, positions: Sequence[int]) -> dict[int, Skill]:
        """Return the skills at *positions*, in order; the last of them are kept."""
        kept = self._kept
        new = [at for at in positions if at not in kept]
        found = kept | dict(zip(new, _read(self._skills, new) if new else (), strict=True))
        chosen = {at: found[at] for at in positions}
        self._kept = dict(islice((chosen | kept).items(), _KEPT))  # set at once: callers may be threads
        return chosen

    def _abstain(self, query: str, seeds: Seeds, score: float, wanted: BoolArray) -> Ranking:
        """Return no skill, and what the caller can do about it."""
        nearest = [self._ids[at] for at in seeds.positions if wanted[at]][:_HINTED]
        hint = (
            f"No skill fits this task: sufficiency {score:.2f} of {self._config.min_sufficiency:.2f} needed."
        )
        hint += f" Nearest: {', '.join(nearest)}." if nearest else ""
        hint += " Try other words, or go on without a skill."
        return Ranking(
            query=query, skills=(), sufficiency=score, abstained=True, hint=hint, method=self.method
        )

    def _sufficiency(self, seeds: Seeds) -> float:
        config = self._config
        rare_words = config.rare_words if self._index.knows_meanings else config.rare_words_alone
        return sufficiency(seeds.evidence, rare_words=rare_words)

    def _mask(self, argument: str, ids: Collection[str]) -> BoolArray:
        """Return which skills *ids* names."""
        if isinstance(ids, str):
            msg = f"{argument} must be a collection of ids, not the single string {ids!r}: put it in a list."
            raise UsageError(msg)
        mask = np.zeros(len(self._ids), dtype=np.bool_)
        mask[[self._position[skill_id] for skill_id in ids if skill_id in self._position]] = True
        return mask

    @cached_property
    def _position(self) -> dict[str, int]:
        return {skill_id: position for position, skill_id in enumerate(self._ids)}

    def _view_of(self, mask: bytes) -> "_View":
        """Return what a caller sees to whom the skills of *mask* are visible."""
        visible = np.frombuffer(mask, dtype=np.bool_)
        graph = self._graph if visible.all() else _within(self._graph, visible)
        config = self._config.diffusion
        return _View(
            graph=graph,
            weights=step_weights(graph, config),
            step=transition(graph, config),
            ordering=ordering_graph(graph),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _View:
    """What one caller sees of the graph.

    Attributes:
        graph: Its edges.
        weights: What each carries along and against, see `step_weights`.
        step: How relevance walks on them.
        ordering: Those of them that order, see `ordering_graph`.
    """

    graph: SkillGraph
    weights: tuple[FloatArray, FloatArray]
    step: Transition
    ordering: SkillGraph


def _read(skills: Sequence[Skill], positions: Sequence[int]) -> Sequence[Skill]:
    return skills.read(positions) if isinstance(skills, BulkReader) else [skills[at] for at in positions]


def prerequisites_first(chosen: IntArray, graph: SkillGraph) -> IntArray:
    """Order a ranking so that what a skill needs stands before it.

    Along the edges between the chosen. Skills keep their rank
    as far as these allow, and a prerequisite moves up to just before the first skill that
    needs it. Where edges form a cycle, its weakest does not count.

    Args:
        chosen: Positions of the skills, best first.
        graph: The edges that order, see `ordering_graph`.

    Returns:
        Indices into *chosen*, a permutation.
    """
    needs = _acyclic_needs(chosen, graph)
    order: list[int] = []
    placed: set[int] = set()
    stack = list(range(len(chosen)))[::-1]
    while stack:
        waiting = sorted(need for need in needs[stack[-1]] if need not in placed)
        if waiting:
            stack.extend(reversed(waiting))
            continue
        rank = stack.pop()
        if rank not in placed:
            placed.add(rank)
            order.append(rank)
    return np.array(order, dtype=np.int64)


def ordering_graph(graph: SkillGraph) -> SkillGraph:
    """Return the published graph without the edges that are too little to put a skill before another.

    What orders is a dependency, or a workflow edge that some evidence stands behind: two roles alone
    are a guess. That two skills are alike says nothing about which comes first.
    """
    told = (graph.types == _WORKFLOW) & (graph.states != _UNVALIDATED)
    return _kept(graph, (graph.types == _DEPENDENCY) | told)


def ordering_edges(chosen: IntArray, graph: SkillGraph) -> IntArray:
    """Return the rows of the edges between the chosen, the strongest first."""
    rank = np.full(graph.n_skills, -1)
    rank[chosen] = np.arange(len(chosen))
    rows: IntArray = np.flatnonzero((rank[graph.source] >= 0) & (rank[graph.target] >= 0))
    ends = rank[graph.target[rows]], rank[graph.source[rows]]
    return rows[np.lexsort((*ends, -graph.weight[rows]))]


def _acyclic_needs(chosen: IntArray, graph: SkillGraph) -> list[set[int]]:
    """Return for each rank the ranks it needs, without edges that close a cycle of stronger ones."""
    rank = np.full(graph.n_skills, -1)
    rank[chosen] = np.arange(len(chosen))
    rows = ordering_edges(chosen, graph)
    source, target = rank[graph.source[rows]], rank[graph.target[rows]]
    needs: list[set[int]] = [set() for _ in chosen]
    for before, after in zip(source.tolist(), target.tolist(), strict=True):
        if not _needs(before, after, needs):
            needs[after].add(before)
    return needs


def _needs(rank: int, other: int, needs: Sequence[set[int]]) -> bool:
    """Return whether *rank* needs *other*, directly or through others."""
    seen, stack = {rank}, [rank]
    while stack:
        new = needs[stack.pop()] - seen
        seen |= new
        stack.extend(new)
    return other in seen


def _within(graph: SkillGraph, visible: BoolArray) -> SkillGraph:
    """Return the graph without the edges that touch a hidden skill."""
    return _kept(graph, visible[graph.source] & visible[graph.target])


def _kept(graph: SkillGraph, keep: BoolArray) -> SkillGraph:
    columns = [field.name for field in fields(graph) if field.name != "n_skills"]
    return replace(graph, **{name: getattr(graph, name)[keep] for name in columns})
