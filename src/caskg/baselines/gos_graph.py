"""How Graph-of-Skills links a library: what feeds what, and what a judge says of the likeliest rest.

As published, a pair whose outputs and inputs match is a dependency by itself; of the other
candidates of a skill the first few are shown to a judge. The store is undirected: an edge
comes back from the earlier skill to the later, whichever way it was put in.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from caskg.baselines.gos_text import Field, FieldIndex, GosSkill, read_skill, signature, whole
from caskg.schema import (
    EDGE_STATES,
    EDGE_TYPES,
    BoolArray,
    CodeArray,
    EdgeState,
    EdgeType,
    FloatArray,
    IntArray,
    Skill,
    SkillGraph,
    VectorArray,
)

TYPE_WEIGHTS = {
    EdgeType.DEPENDENCY: 1.0,
    EdgeType.WORKFLOW: 0.7,
    EdgeType.SEMANTIC: 0.4,
    EdgeType.ALTERNATIVE: 0.3,
}
"""What an edge weighs, times its confidence."""

LINK_WEIGHTS = {
    Field.NAME: 1.05,
    Field.TAGS: 1.0,
    Field.TOOLS: 0.85,
    Field.ABOUT: 0.8,
    Field.EXAMPLES: 0.7,
    Field.IO: 0.55,
}
"""What the share of a skill's words that a field of another holds is worth."""

SHARED_WEIGHTS = {Field.TAGS: 1.0, Field.TOOLS: 0.75, Field.EXAMPLES: 0.6, Field.IO: 0.4}
"""What two like fields are worth; only these, and matching parameters, are evidence for a pair."""

DEPENDENCY_MATCH = 0.6
CANDIDATES = 32
JUDGED = 8
_MATCH_WEIGHT = 0.85
_LEAST_SHARED = 0.5
_BY_RANK = 1.2
_LEAST_CONFIDENCE = 0.1
_CONTAINED, _SOME_WORDS = 0.85, 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """What a judge says of two skills. *confidence* lies in ``[0, 1]``."""

    source: int
    target: int
    type: EdgeType
    confidence: float = 1.0


RelationJudge = Callable[[int, Sequence[int]], Iterable[Relation]]
"""Shown a skill and at most `JUDGED` candidates, says which are related to it, and how."""


def nobody(_skill: int, _candidates: Sequence[int]) -> Iterable[Relation]:
    """Say nothing: the judge of a graph without a language model."""
    return ()


class _Rows(NamedTuple):
    """Some edges of the store, as columns."""

    source: IntArray
    target: IntArray
    types: CodeArray
    confidence: FloatArray

    @classmethod
    def of(cls, source: int, target: IntArray, kind: EdgeType, confidence: FloatArray) -> "_Rows":
        codes = np.full(len(target), EDGE_TYPES.index(kind), dtype=np.int8)
        return cls(np.full(len(target), source), target, codes, confidence)


def gos_graph(skills: Sequence[Skill], vectors: VectorArray, *, judge: RelationJudge = nobody) -> SkillGraph:
    """Build the graph of a library.

    Args:
        skills: The skills; the source of an edge is the earlier of the two.
        vectors: What the encoder made of `gos.embedded_texts`, shape ``(n_skills, d)``.
        judge: Says what the candidates without matching parameters are to a skill.

    Returns:
        Edges sorted by (source, target); a pair has one for each type and direction that it
        was put in with. All are unvalidated, and their association is their confidence.
    """
    linker = _Linker(list(map(read_skill, skills)), vectors)
    rows = [
        _Rows.of(0, np.zeros(0, dtype=np.int64), EdgeType.DEPENDENCY, np.zeros(0))
    ]  # a library may be empty
    judged: dict[tuple[int, int, EdgeType], float] = {}
    for at in range(len(skills)):
        later, match, likely = linker.candidates(at)
        rows.append(_Rows.of(at, later, EdgeType.DEPENDENCY, match))
        for each in judge(at, likely):
            key = each.source, each.target, each.type
            judged[key] = max(judged.get(key, _LEAST_CONFIDENCE), each.confidence)
    rows += [
        _Rows.of(min(one, other), np.array([max(one, other)]), kind, np.array([confidence]))
        for (one, other, kind), confidence in judged.items()
    ]
    return _graph(rows, n_skills=len(skills))


def parameter_match(output: str, wanted: str) -> float:
    """Return how well an output serves as an input, in ``[0, 1]``: as published, the same both ways.

    >>> parameter_match("Sales table", "sales_table"), parameter_match("text", "context")
    (1.0, 0.85)
    >>> parameter_match("monthly sales", "sales of each week"), parameter_match("sales", "map")
    (0.5, 0.0)
    """
    one, other = whole(output), whole(wanted)
    if not (one and other):
        return 0.0
    if one == other:
        return 1.0
    if one in other or other in one:
        return _CONTAINED
    tokens, needed = signature([output]), signature([wanted])
    shared = len(tokens & needed)
    return max(_SOME_WORDS, shared / len(tokens | needed)) if shared else 0.0


class _Linker:
    """Finds the candidates of each skill."""

    def __init__(self, skills: Sequence[GosSkill], vectors: VectorArray) -> None:
        self._skills = skills
        self._vectors = vectors
        self._index = FieldIndex(skills)
        self._outputs = _Parameters([skill.outputs for skill in skills])
        self._inputs = _Parameters([skill.inputs for skill in skills])

    def candidates(self, at: int) -> tuple[IntArray, FloatArray, list[int]]:
        """Return what a skill is to the later ones: a pair is looked at once, from its earlier skill.

        Returns:
            The later skills that match it, one entry for each direction; how well; and whom of
            the others the judge is asked about, best first.
        """
        outputs, inputs = self._skills[at].outputs, self._skills[at].inputs
        feeds, fed_by = self._inputs.matches(outputs), self._outputs.matches(inputs)
        ranked = self._ranked(at, np.maximum(feeds, fed_by))
        looked_at = self._inputs.share(outputs) | self._outputs.share(inputs)
        looked_at[ranked] = True
        looked_at[: at + 1] = False
        forward = np.flatnonzero(looked_at & (feeds >= DEPENDENCY_MATCH))
        backward = np.flatnonzero(looked_at & (fed_by >= DEPENDENCY_MATCH))
        matched = np.concatenate([forward, backward])
        likely = ranked[(ranked > at) & ~np.isin(ranked, matched)]
        return matched, np.concatenate([feeds[forward], fed_by[backward]]), likely[:JUDGED].tolist()

    def _ranked(self, at: int, match: FloatArray) -> IntArray:
        """Return the best `CANDIDATES` by words and by meanings, of those with any evidence."""
        shared = self._shared(at)
        pair = sum(weight * shared[field] for field, weight in SHARED_WEIGHTS.items()) + _MATCH_WEIGHT * match
        evidence = (pair > 0.0) & (np.arange(len(self._skills)) != at)
        tokens = self._index.signatures[at][Field.ANY]
        shares = self._index.counts(tokens) / max(len(tokens), 1)
        by_words: FloatArray = pair + sum(weight * shares[:, f] for f, weight in LINK_WEIGHTS.items())
        cosine = self._vectors @ self._vectors[at]
        near = np.argsort(-cosine, kind="stable")[:CANDIDATES]
        by_meaning = np.zeros(len(self._skills))
        by_meaning[near] = _BY_RANK / np.arange(1, len(near) + 1)
        best_by_words = _best(by_words, evidence)
        union = np.union1d(best_by_words, near[evidence[near]])
        return union[np.argsort(-(by_words + by_meaning)[union], kind="stable")][:CANDIDATES]

    def _shared(self, at: int) -> dict[Field, FloatArray]:
        """Return for each field what share of the smaller signature is shared, where it is at least half."""
        shares: dict[Field, FloatArray] = {}
        for field in SHARED_WEIGHTS:
            tokens = self._index.signatures[at][field]
            smaller = np.minimum(self._index.sizes[:, field], len(tokens))
            share = self._index.counts(tokens)[:, field] / np.maximum(smaller, 1)
            shares[field] = np.where(share >= _LEAST_SHARED, share, 0.0)
        return shares


class _Parameters:
    """The distinct inputs (or outputs) of a library, and who has which."""

    def __init__(self, by_skill: Sequence[Sequence[str]]) -> None:
        self._texts = list(dict.fromkeys(text for texts in by_skill for text in texts))
        self._wholes = list(map(whole, self._texts))
        number = {text: at for at, text in enumerate(self._texts)}
        self._column = np.array([number[text] for texts in by_skill for text in texts], dtype=np.int64)
        self._row = np.repeat(np.arange(len(by_skill)), [len(texts) for texts in by_skill])
        self._n_skills = len(by_skill)
        self._holding: dict[str, set[int]] = {}
        for at, text in enumerate(self._texts):
            for token in signature([text]):
                self._holding.setdefault(token, set()).add(at)
        self._matching = cache(self._matching_anew)

    def matches(self, texts: Iterable[str]) -> FloatArray:
        """Return for each skill how well its best parameter matches one of *texts*, in ``[0, 1]``."""
        best = np.zeros(len(self._texts))
        for text in texts:
            at, match = self._matching(text)
            best[at] = np.maximum(best[at], match)
        found = np.zeros(self._n_skills)
        np.maximum.at(found, self._row, best[self._column])
        return found

    def share(self, texts: Iterable[str]) -> BoolArray:
        """Return which skills have a parameter that shares a token with one of *texts*."""
        sharing = np.zeros(len(self._texts), dtype=np.bool_)
        sharing[list(self._with(texts))] = True
        found = np.zeros(self._n_skills, dtype=np.bool_)
        found[self._row[sharing[self._column]]] = True
        return found

    def _with(self, texts: Iterable[str]) -> set[int]:
        return set().union(*(self._holding.get(token, ()) for token in signature(texts)))

    def _matching_anew(self, text: str) -> tuple[IntArray, FloatArray]:
        """Return the parameters that match *text* at all, and how well."""
        one = whole(text)
        contained = {at for at, other in enumerate(self._wholes) if one in other or other in one}
        likely = sorted(contained | self._with([text]))
        matches = [parameter_match(text, self._texts[at]) for at in likely]
        return np.array(likely, dtype=np.int64), np.array(matches, dtype=np.float64)


def _best(score: FloatArray, among: BoolArray) -> IntArray:
    positions = np.flatnonzero(among)
    return positions[np.argsort(-score[positions], kind="stable")][:CANDIDATES]


def _graph(rows: Sequence[_Rows], *, n_skills: int) -> SkillGraph:
    """Return the graph of all rows, sorted."""
    source, target, types, confidence = (np.concatenate(columns) for columns in zip(*rows, strict=True))
    order = np.lexsort((types, target, source))
    weights = np.array([TYPE_WEIGHTS[kind] for kind in EDGE_TYPES])
    return SkillGraph(
        n_skills=n_skills,
        source=source[order],
        target=target[order],
        weight=(weights[types] * confidence)[order],
        association=confidence[order],
        reliability=np.full(len(order), 0.5),
        types=types[order],
        states=np.full(len(order), EDGE_STATES.index(EdgeState.UNVALIDATED), dtype=np.int8),
    )
