"""Graphs that differ from the published one in one thing, so that it can be told what that is worth."""

from dataclasses import replace

import numpy as np

from caskg.config import BuildConfig, PublicationConfig, SignalWeights
from caskg.graph.publish import publish
from caskg.published import Build
from caskg.schema import (
    EDGE_STATES,
    EDGE_TYPES,
    EdgeState,
    EdgeType,
    FloatArray,
    IntArray,
    Reliability,
    SkillGraph,
    VectorArray,
)

NEIGHBOURS = 8
"""Nearest neighbours that a kNN graph leads into each skill, as many as the scaffold."""

_BLOCK = 512  # rows of the cosine matrix that are held at once
_SWAPS = 10  # tries per edge; after these a graph of this degree has forgotten its edges
_CONFIRMED = EDGE_STATES.index(EdgeState.CONFIRMED)
_UNVALIDATED = EDGE_STATES.index(EdgeState.UNVALIDATED)


def semantic_only(config: BuildConfig) -> BuildConfig:
    """Return the constants of a build that knows nothing but likeness of meaning."""
    weights = SignalWeights(
        lexical=0.0,
        io=0.0,
        structural=0.0,
        judge=0.0,
        repair=0.0,
        reference=0.0,
        enabler=0.0,
        meaning=0.0,
        provider=0.0,
        ready=0.0,
    )
    return replace(
        config,
        signals=replace(config.signals, weights=weights),
        recall=replace(
            config.recall,
            lexical=0,
            io=0,
            structural=0,
            verification=0,
            enabler=0,
            meaning=0,
            provider=0,
            ready=0,
        ),
    )


def without_judge(config: BuildConfig) -> BuildConfig:
    """Return the constants of a build in which no judge's opinion counts."""
    weights = replace(config.signals.weights, judge=0.0)
    return replace(config, signals=replace(config.signals, weights=weights))


def every_candidate(build: Build, *, config: PublicationConfig) -> SkillGraph:
    """Publish all of C, each edge by its association, without probes or bounds."""
    candidates = build.candidates
    return SkillGraph(
        n_skills=candidates.n_skills,
        source=candidates.source,
        target=candidates.target,
        weight=np.maximum(config.min_weight, candidates.association),
        association=candidates.association,
        reliability=np.full(len(candidates), 0.5),
        types=candidates.types,
        states=np.full(len(candidates), _UNVALIDATED, dtype=np.int8),
    )


def by_association(graph: SkillGraph, *, config: PublicationConfig) -> SkillGraph:
    """Return the same edges, each weighed by its association: what calibration adds is gone."""
    return replace(graph, weight=np.maximum(config.min_weight, graph.association))


def rewired(graph: SkillGraph, *, seed: int) -> SkillGraph:
    """Exchange the targets of random pairs of edges of one type.

    Every skill keeps how many edges of each type come in and go out, every edge its weight and
    its source; who is joined to whom is left to chance. No loop and no second edge arises.
    """
    generator = np.random.default_rng(seed)
    source, target = graph.source.tolist(), graph.target.tolist()
    joined = set(zip(source, target, strict=True))
    for kind in range(len(EDGE_TYPES)):
        edges = np.flatnonzero(graph.types == kind)
        for one, other in generator.choice(edges, (_SWAPS * len(edges), 2)).tolist() if len(edges) else ():
            new = (source[one], target[other]), (source[other], target[one])
            if any(pair in joined or pair[0] == pair[1] for pair in new) or new[0] == new[1]:
                continue
            joined -= {(source[one], target[one]), (source[other], target[other])}
            joined |= set(new)
            target[one], target[other] = target[other], target[one]
    return _sorted(replace(graph, target=np.array(target, dtype=np.int64)))


def shuffled(build: Build, *, config: PublicationConfig, seed: int) -> SkillGraph:
    """Publish with the evidence of the assessed edges dealt out among them at random."""
    reliability = build.reliability
    assessed = np.flatnonzero(reliability.states != _UNVALIDATED)
    order = np.arange(len(reliability.states))
    order[assessed] = np.random.default_rng(seed).permutation(assessed)
    dealt = Reliability(
        support=reliability.support[order],
        against=reliability.against[order],
        value=reliability.value[order],
        states=reliability.states[order],
        text_only=reliability.text_only[order],
    )
    return publish(build.candidates, dealt, config=config, tie_break=build.index.tie_break)


def nearest_neighbours(vectors: VectorArray, tie_break: IntArray, *, k: int = NEIGHBOURS) -> SkillGraph:
    """Return the graph in which the k most alike skills lead to each skill, weighed by their cosine."""
    sources, weights = [], []
    for start in range(0, len(vectors), _BLOCK):
        cosine = np.asarray(vectors[start : start + _BLOCK] @ vectors.T, dtype=np.float64)
        cosine[np.arange(len(cosine)), start + np.arange(len(cosine))] = -np.inf
        best = np.lexsort((np.broadcast_to(tie_break, cosine.shape), -cosine))[:, :k]
        sources.append(best)
        weights.append(np.take_along_axis(cosine, best, axis=1))
    source = np.concatenate(sources)
    target = np.repeat(np.arange(len(vectors)), source.shape[1])
    weight = np.minimum(np.concatenate(weights).ravel(), 1.0)
    kept = weight > 0
    return _sorted(_plain(source.ravel()[kept], target[kept], weight[kept], EdgeType.SEMANTIC, len(vectors)))


def gold_graph(edges: IntArray, *, n_skills: int) -> SkillGraph:
    """Return the graph of the gold edges, each of weight 1: no method can know it."""
    return _sorted(_plain(edges[:, 0], edges[:, 1], np.ones(len(edges)), EdgeType.DEPENDENCY, n_skills))


def _plain(
    source: IntArray, target: IntArray, weight: FloatArray, kind: EdgeType, n_skills: int
) -> SkillGraph:
    return SkillGraph(
        n_skills=n_skills,
        source=source,
        target=target,
        weight=weight,
        association=weight,
        reliability=np.full(len(weight), 0.5),
        types=np.full(len(weight), EDGE_TYPES.index(kind), dtype=np.int8),
        states=np.full(len(weight), _CONFIRMED, dtype=np.int8),
    )


def _sorted(graph: SkillGraph) -> SkillGraph:
    order = np.lexsort((graph.target, graph.source))
    return replace(
        graph,
        source=graph.source[order],
        target=graph.target[order],
        weight=graph.weight[order],
        association=graph.association[order],
        reliability=graph.reliability[order],
        types=graph.types[order],
        states=graph.states[order],
    )
