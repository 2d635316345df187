"""What all measured methods are made of, and what a method is."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple, Protocol

from caskg.bench.vectors import RememberingEncoder
from caskg.config import BuildConfig, RetrieveConfig, build_config
from caskg.protocols import Encoder, Prober, Retriever
from caskg.published import Build
from caskg.retrieval.retriever import GraphRetriever
from caskg.retrieval.seeds import SearchIndex
from caskg.schema import IntArray, SkillGraph, SkillLibrary


class Induce(Protocol):
    """Builds a graph from a library; where a judge is at hand, it asks it."""

    def __call__(self, library: SkillLibrary, *, encoder: Encoder, config: BuildConfig) -> Build:
        """Return the build; arguments as for `caskg.pipeline.build`."""
        ...


class BuildCost(NamedTuple):
    """What a build took: CPU seconds, characters of text that the encoder was given, paid calls."""

    cpu_s: float
    characters: int
    calls: int


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
        n_calls: Returns how many calls the judge has answered so far.
        seed: Of what is left to chance in controls.
    """

    library: SkillLibrary
    encoder: RememberingEncoder
    knows_meanings: bool
    induce: Induce
    induce_unjudged: Induce
    gold_edges: IntArray
    judge: Prober | None = None
    n_calls: Callable[[], int] = lambda: 0
    seed: int = 0
    _builds: dict[tuple[BuildConfig, Induce], tuple[Build, BuildCost]] = field(default_factory=dict)

    def build(self, config: BuildConfig, *, judged: bool = True) -> Build:
        """Return the build under these constants, made once."""
        return self._built(config, judged=judged)[0]

    def build_cost(self, config: BuildConfig, *, judged: bool = True) -> BuildCost:
        """Return what it took."""
        return self._built(config, judged=judged)[1]

    @property
    def index(self) -> SearchIndex:
        """What queries are compared with; it is the same whatever the constants of a build."""
        first = next(iter(self._builds.values()), None)
        return first[0].index if first else self.build(build_config()).index

    def over(self, graph: SkillGraph, config: RetrieveConfig) -> GraphRetriever:
        """Return the retriever over a graph of this library."""
        skills = self.library.skills
        return GraphRetriever(
            skills=skills,
            ids=[skill.id for skill in skills],
            index=self.index,
            graph=graph,
            encoder=self.encoder,
            config=config,
        )

    def _built(self, config: BuildConfig, *, judged: bool) -> tuple[Build, BuildCost]:
        induce = self.induce if judged else self.induce_unjudged
        if (config, induce) not in self._builds:
            start, before, asked = time.process_time(), self.encoder.n_characters, self.n_calls()
            build = induce(self.library, encoder=self.encoder, config=config)
            cost = BuildCost(
                cpu_s=time.process_time() - start,
                characters=self.encoder.n_characters - before,
                calls=self.n_calls() - asked,
            )
            index = replace(build.index, knows_meanings=self.knows_meanings)
            self._builds[config, induce] = replace(build, index=index), cost
        return self._builds[config, induce]


class Kind(StrEnum):
    """What a method is there for."""

    METHOD = "method"
    CONTROL = "control"
    CEILING = "ceiling"


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A method that can be measured.

    Attributes:
        make: Makes its retriever.
        kind: What it is there for.
        config: Of the build whose graph it uses; None = it uses none.
        retrieval: Of its queries, where they decide what it is.
        judged: Whether its build may ask a judge.
        gated: It can say that nothing fits, and its sufficiency is measured.
        edges: The edges of its build are measured.
        needs_edges: It reads the gold edges.
        whole_library: It shows everything, and no budget of characters cuts it.
    """

    make: Callable[[Workbench], Retriever]
    kind: Kind = Kind.METHOD
    config: BuildConfig | None = None
    retrieval: RetrieveConfig | None = None
    judged: bool = True
    gated: bool = False
    edges: bool = False
    needs_edges: bool = False
    whole_library: bool = False


def graph_method(
    config: BuildConfig, retrieval: RetrieveConfig, *, kind: Kind = Kind.METHOD, judged: bool = True
) -> Method:
    """Return the method that builds and retrieves under these constants: a profile, or a variant of one."""
    return Method(
        make=lambda bench: bench.over(bench.build(config, judged=judged).graph, retrieval),
        kind=kind,
        config=config,
        retrieval=retrieval,
        judged=judged,
        gated=kind is Kind.METHOD,
        edges=True,
    )
