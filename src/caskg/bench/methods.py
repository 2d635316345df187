"""Every method that is measured, by name: one table, and one way to build each.

All are given the same `Workbench`: the same library, vectors and, where they share
it, the same induced graph. A new method is a new line of `METHODS`.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from caskg.baselines.flat import FlatRetriever
from caskg.baselines.gos import GosRetriever, embedded_texts
from caskg.baselines.gos_graph import gos_graph, nobody
from caskg.baselines.prior import PriorRetriever, graph_prior
from caskg.baselines.vanilla import VanillaRetriever
from caskg.bench import controls
from caskg.bench.simulated_judge import SimulatedJudge, relation_judge
from caskg.bench.workbench import Kind, Method, Workbench, graph_method
from caskg.config import Fusion, RetrieveConfig, build_config, retrieve_config
from caskg.library.lexical import Bm25Index
from caskg.protocols import Retriever
from caskg.published import Build
from caskg.retrieval.seeds import NameIndex, SearchIndex
from caskg.schema import SkillGraph

PRIOR_SHARE = 0.5
"""Of the prior in ``hybrid+prior``."""

REFERENCE = "default"
"""The method that the others are compared with."""

_BUILD, _RETRIEVE = build_config(), retrieve_config()
_PUBLICATION = _BUILD.publication

Change = Callable[[Workbench, Build], SkillGraph]


def _search(fusion: Fusion = Fusion.ZSUM, *, whole_file: bool = False) -> RetrieveConfig:
    """Return the constants of plain search, which always answers."""
    seeds = replace(_RETRIEVE.seeds, fusion=fusion, whole_file=whole_file)
    return replace(_RETRIEVE, seeds=seeds, min_sufficiency=0.0)


def _flat(bench: Workbench, index: SearchIndex, config: RetrieveConfig) -> Retriever:
    skills = bench.library.skills
    return FlatRetriever(
        skills=skills,
        ids=[skill.id for skill in skills],
        index=index,
        encoder=bench.encoder,
        config=config,
    )


def _vanilla(bench: Workbench) -> Retriever:
    return VanillaRetriever(bench.library.skills)


def _bm25(bench: Workbench) -> Retriever:
    no_meanings = np.zeros_like(bench.index.vectors)
    return _flat(bench, replace(bench.index, names=NameIndex.fit([]), vectors=no_meanings), _search())


def _vector(bench: Workbench) -> Retriever:
    no_words = Bm25Index.fit([[] for _ in bench.library.skills])
    return _flat(bench, replace(bench.index, names=NameIndex.fit([]), short=no_words, full=None), _search())


def _hybrid(config: RetrieveConfig) -> Method:
    return Method(make=lambda bench: _flat(bench, bench.index, config), retrieval=config)


def _prior(bench: Workbench, *, share: float) -> Retriever:
    """Return a prior that is the same for every task; one that is all there is knows no names either."""
    skills, index = bench.library.skills, bench.index
    return PriorRetriever(
        skills=skills,
        ids=[skill.id for skill in skills],
        index=replace(index, names=NameIndex.fit([])) if share == 1.0 else index,
        encoder=bench.encoder,
        config=_search(whole_file=True),
        prior=share * graph_prior(bench.build(_BUILD).graph, _RETRIEVE.diffusion),
    )


def _gos(bench: Workbench) -> Retriever:
    """Return Graph-of-Skills over its own graph, whose judge, where there is one, is that of the others."""
    skills, judge = bench.library.skills, bench.judge
    vectors = bench.encoder.encode(embedded_texts(skills))
    asked = relation_judge(judge, skills) if isinstance(judge, SimulatedJudge) else nobody
    graph = gos_graph(skills, vectors, judge=asked)
    return GosRetriever(skills=skills, vectors=vectors, graph=graph, encoder=bench.encoder)


def _changed(change: Change, *, kind: Kind = Kind.CONTROL) -> Method:
    """Return ``default`` with another graph in place of the one that it published."""
    return Method(
        make=lambda bench: bench.over(change(bench, bench.build(_BUILD)), _RETRIEVE),
        kind=kind,
        config=_BUILD if kind is Kind.CONTROL else None,
        retrieval=_RETRIEVE,
        needs_edges=kind is Kind.CEILING,
    )


METHODS: Mapping[str, Method] = {
    "vanilla": Method(make=_vanilla, whole_library=True),
    "bm25": Method(make=_bm25, gated=True),
    "vector": Method(make=_vector, gated=True),
    "hybrid-rrf": _hybrid(_search(Fusion.RRF)),
    "hybrid-zsum": _hybrid(_search()),
    "hybrid-3way": _hybrid(_search(whole_file=True)),
    "prior": Method(make=partial(_prior, share=1.0), config=_BUILD),
    "hybrid+prior": Method(make=partial(_prior, share=PRIOR_SHARE), config=_BUILD),
    "gos": Method(make=_gos),
    "paper": graph_method(build_config("paper"), retrieve_config("paper")),
    "default": graph_method(_BUILD, _RETRIEVE),
    "semantic-only": graph_method(controls.semantic_only(_BUILD), _RETRIEVE, kind=Kind.CONTROL),
    "no-judge": graph_method(controls.without_judge(_BUILD), _RETRIEVE, kind=Kind.CONTROL, judged=False),
    "publish-all": _changed(lambda _bench, build: controls.every_candidate(build, config=_PUBLICATION)),
    "phase1": _changed(lambda _bench, build: controls.by_association(build.graph, config=_PUBLICATION)),
    "rewired": _changed(lambda bench, build: controls.rewired(build.graph, seed=bench.seed)),
    "shuffled": _changed(lambda bench, build: controls.shuffled(build, config=_PUBLICATION, seed=bench.seed)),
    "knn-graph": _changed(
        lambda bench, _build: controls.nearest_neighbours(bench.index.vectors, bench.index.tie_break)
    ),
    "ceiling": _changed(
        lambda bench, _build: controls.gold_graph(bench.gold_edges, n_skills=len(bench.library)),
        kind=Kind.CEILING,
    ),
}
"""In the order in which they are shown."""
