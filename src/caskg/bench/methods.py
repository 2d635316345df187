"""Every method that is measured, by name: one table, and one way to build each.

All are given the same `Workbench`: the same library, vectors and, where they share
it, the same induced graph. A new method is a new line of `METHODS`.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np

from caskg.baselines.flat import FlatRetriever
from caskg.baselines.prior import PriorRetriever, graph_prior
from caskg.baselines.vanilla import VanillaRetriever
from caskg.bench import controls
from caskg.bench.vectors import RememberingEncoder
from caskg.config import BuildConfig, Fusion, RetrieveConfig, build_config, retrieve_config
from caskg.library.lexical import Bm25Index
from caskg.protocols import Encoder, Prober, Retriever
from caskg.published import Build
from caskg.retrieval.retriever import GraphRetriever
from caskg.retrieval.seeds import NameIndex, SearchIndex
from caskg.schema import IntArray, SkillGraph, SkillLibrary

PRIOR_SHARE = 0.5
"""Of the prior in ``hybrid+prior``."""


class Induce(Protocol):
    """Builds a graph from a library; where a judge is at hand, it asks it."""

    def __call__(self, library: SkillLibrary, *, encoder: Encoder, config: BuildConfig) -> Build:
        """Return the build; arguments as for `caskg.pipeline.build`."""
        ...


class Kind(StrEnum):
    """What a method is there for."""

    METHOD = "method"
    CONTROL = "control"
    CEILING = "ceiling"


class BuildCost(NamedTuple):
    """What a build took: CPU seconds, and characters of text that the encoder was given."""

    cpu_s: float
    characters: int


@dataclass(slots=True, kw_only=True)
class Workbench:
    """What all methods are made of, for one library.

    Attributes:
        library: The skills.
        encoder: Makes, or remembers, the vectors.
        knows_meanings: Whether it was trained on more than this library.
        induce: How a graph comes about.
        induce_unjudged: The same without any paid answer, for the control ``no-judge``.
        gold_edges: Only the ceiling reads them.
        judge: For a method that asks one itself; None = there is none.
        seed: Of what is left to chance in controls.
    """

    library: SkillLibrary
    encoder: RememberingEncoder
    knows_meanings: bool
    induce: Induce
    induce_unjudged: Induce
    gold_edges: IntArray
    judge: Prober | None = None
    seed: int = 0
    _builds: dict[tuple[BuildConfig, Induce], tuple[Build, BuildCost]] = field(default_factory=dict)

    def build(self, config: BuildConfig, *, judged: bool = True) -> Build:
        """Return the build under these constants, made once."""
        return self._built(config, judged=judged)[0]

    def prepare(self, method: "Method") -> None:
        """Build what a method shares with others, so that its own time can be told from that."""
        for config in (build_config(), method.config):
            if config is not None:
                self._built(config, judged=method.judged or config != method.config)

    def build_cost(self, config: BuildConfig, *, judged: bool = True) -> BuildCost:
        """Return what it took."""
        return self._built(config, judged=judged)[1]

    def _built(self, config: BuildConfig, *, judged: bool) -> tuple[Build, BuildCost]:
        induce = self.induce if judged else self.induce_unjudged
        if (config, induce) not in self._builds:
            start, before = time.process_time(), self.encoder.n_characters
            build = induce(self.library, encoder=self.encoder, config=config)
            cost = BuildCost(time.process_time() - start, self.encoder.n_characters - before)
            index = replace(build.index, knows_meanings=self.knows_meanings)
            self._builds[config, induce] = replace(build, index=index), cost
        return self._builds[config, induce]


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One line of the table.

    Attributes:
        kind: What it is there for.
        make: Makes its retriever.
        config: Of the build whose graph it uses; None = it uses none.
        judged: Whether that build may ask a judge.
        gated: It can say that nothing fits, and its sufficiency is measured.
        edges: The edges of its build are measured.
        needs_edges: It reads the gold edges.
        whole_library: It shows everything, and no budget of characters cuts it.
    """

    kind: Kind
    make: Callable[[Workbench], Retriever]
    config: BuildConfig | None = None
    judged: bool = True
    gated: bool = False
    edges: bool = False
    needs_edges: bool = False
    whole_library: bool = False


def _index(bench: Workbench) -> SearchIndex:
    return bench.build(build_config()).index


def _ungated(config: RetrieveConfig) -> RetrieveConfig:
    """Return the constants of a retriever that always answers, as plain search does."""
    return replace(config, min_sufficiency=0.0)


def _flat(bench: Workbench, index: SearchIndex, *, fusion: Fusion, whole_file: bool) -> FlatRetriever:
    config = _ungated(retrieve_config())
    skills = bench.library.skills
    return FlatRetriever(
        skills=skills,
        ids=[skill.id for skill in skills],
        index=index,
        encoder=bench.encoder,
        config=replace(config, seeds=replace(config.seeds, fusion=fusion, whole_file=whole_file)),
    )


def _over(bench: Workbench, graph: SkillGraph, config: RetrieveConfig) -> GraphRetriever:
    skills = bench.library.skills
    return GraphRetriever(
        skills=skills,
        ids=[skill.id for skill in skills],
        index=_index(bench),
        graph=graph,
        encoder=bench.encoder,
        config=config,
    )


def _vanilla(bench: Workbench) -> Retriever:
    return VanillaRetriever(bench.library.skills)


def _bm25(bench: Workbench) -> Retriever:
    index = _index(bench)
    words = replace(index, names=NameIndex.fit([]), vectors=np.zeros_like(index.vectors))
    return _flat(bench, words, fusion=Fusion.ZSUM, whole_file=False)


def _vector(bench: Workbench) -> Retriever:
    index = _index(bench)
    nothing = Bm25Index.fit([[] for _ in bench.library.skills])
    meanings = replace(index, names=NameIndex.fit([]), short=nothing, full=None)
    return _flat(bench, meanings, fusion=Fusion.ZSUM, whole_file=False)


def _hybrid(bench: Workbench, *, fusion: Fusion, whole_file: bool) -> Retriever:
    return _flat(bench, _index(bench), fusion=fusion, whole_file=whole_file)


def _prior(bench: Workbench, *, share: float) -> Retriever:
    build = bench.build(build_config())
    config = _ungated(retrieve_config())
    alone = share == 1.0
    skills = bench.library.skills
    return PriorRetriever(
        skills=skills,
        ids=[skill.id for skill in skills],
        index=replace(build.index, names=NameIndex.fit([])) if alone else build.index,
        encoder=bench.encoder,
        config=config,
        prior=share * graph_prior(build.graph, config.diffusion),
    )


def _profile(bench: Workbench, *, profile: str) -> Retriever:
    build = bench.build(build_config(profile))
    return _over(bench, build.graph, retrieve_config(profile))


def _variant(bench: Workbench, *, config: BuildConfig, judged: bool = True) -> Retriever:
    build = bench.build(config, judged=judged)
    return _over(bench, build.graph, retrieve_config())


def _changed(bench: Workbench, *, change: Callable[[Workbench, Build, BuildConfig], SkillGraph]) -> Retriever:
    config = build_config()
    build = bench.build(config)
    return _over(bench, change(bench, build, config), retrieve_config())


def _control(change: Callable[[Workbench, Build, BuildConfig], SkillGraph]) -> Method:
    return Method(kind=Kind.CONTROL, make=partial(_changed, change=change), config=build_config())


def _baseline(make: Callable[[Workbench], Retriever], *, prior: bool = False, gated: bool = False) -> Method:
    return Method(kind=Kind.METHOD, make=make, config=build_config() if prior else None, gated=gated)


_SEMANTIC = controls.semantic_only(build_config())
_UNJUDGED = controls.without_judge(build_config())

METHODS: Mapping[str, Method] = {
    "vanilla": Method(kind=Kind.METHOD, make=_vanilla, whole_library=True),
    "bm25": _baseline(_bm25, gated=True),
    "vector": _baseline(_vector, gated=True),
    "hybrid-rrf": _baseline(partial(_hybrid, fusion=Fusion.RRF, whole_file=False)),
    "hybrid-zsum": _baseline(partial(_hybrid, fusion=Fusion.ZSUM, whole_file=False)),
    "hybrid-3way": _baseline(partial(_hybrid, fusion=Fusion.ZSUM, whole_file=True)),
    "prior": _baseline(partial(_prior, share=1.0), prior=True),
    "hybrid+prior": _baseline(partial(_prior, share=PRIOR_SHARE), prior=True),
    "paper": Method(
        kind=Kind.METHOD,
        make=partial(_profile, profile="paper"),
        config=build_config("paper"),
        gated=True,
        edges=True,
    ),
    "default": Method(
        kind=Kind.METHOD,
        make=partial(_profile, profile="default"),
        config=build_config(),
        gated=True,
        edges=True,
    ),
    "semantic-only": Method(
        kind=Kind.CONTROL, make=partial(_variant, config=_SEMANTIC), config=_SEMANTIC, edges=True
    ),
    "no-judge": Method(
        kind=Kind.CONTROL,
        make=partial(_variant, config=_UNJUDGED, judged=False),
        config=_UNJUDGED,
        judged=False,
    ),
    "publish-all": _control(
        lambda _bench, build, config: controls.every_candidate(build, config=config.publication)
    ),
    "phase1": _control(
        lambda _bench, build, config: controls.by_association(build.graph, config=config.publication)
    ),
    "rewired": _control(lambda bench, build, _config: controls.rewired(build.graph, seed=bench.seed)),
    "shuffled": _control(
        lambda bench, build, config: controls.shuffled(build, config=config.publication, seed=bench.seed)
    ),
    "knn-graph": _control(
        lambda _bench, build, _config: controls.nearest_neighbours(build.index.vectors, build.index.tie_break)
    ),
    "ceiling": Method(
        kind=Kind.CEILING,
        needs_edges=True,
        make=partial(
            _changed,
            change=lambda bench, _build, _config: controls.gold_graph(
                bench.gold_edges, n_skills=len(bench.library)
            ),
        ),
    ),
}
"""In the order in which they are shown."""

REFERENCE = "default"
"""The method that the others are compared with."""
