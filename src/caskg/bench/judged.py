"""Builds whose frontier a simulated judge is asked about: how judges come into the benchmark.

Everything but the judge's own answers is found once for a library and shared by all folds and
all judges: candidates, and what the free prober says of them. What is asked, recorded and
calibrated goes the way of `caskg.pipeline.build`, with a ledger of its own for each judge.
"""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from caskg.bench.asking import Asking, asked_of, judge_rates
from caskg.bench.qrels import GoldSet
from caskg.bench.runner import Fold, Judging
from caskg.bench.simulated_judge import Errors, Knowledge, SimulatedJudge, deal_folds, knowledge_without
from caskg.config import BuildConfig, FrontierPolicy, Reading
from caskg.graph.sources import never_checked, one_voice, uses
from caskg.graph.text_prober import TextProber
from caskg.pipeline import Induced, ask_edges, build, calibrate, induce, paid_frontier
from caskg.protocols import Encoder
from caskg.published import Build
from caskg.retrieval.seeds import SearchIndex
from caskg.schema import IntArray, ProbeAnswer, ProbeKey, ProbeRequest, SkillLibrary
from caskg.store.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgePlan:
    """What a simulated judge is asked about, and how it errs.

    Attributes:
        budget: B, in edges, >= 0; None = that of the build's constants.
        policy: In which order the budget is spent; None = that of the build's constants.
        errors: How the judge errs.
        seed: Of the folds, of what the judge errs on, and of the policy ``random``.
        asking: How much it is asked about each edge.
    """

    budget: int | None = None
    policy: FrontierPolicy | None = None
    errors: Errors = field(default_factory=Errors)
    seed: int = 0
    asking: Asking = Asking.FIXED

    def applied(self, config: BuildConfig) -> BuildConfig:
        """Return *config* with this frontier, and answers read as they were asked."""
        frontier = config.frontier
        frontier = replace(
            frontier,
            budget=frontier.budget if self.budget is None else self.budget,
            policy=self.policy or frontier.policy,
            seed=self.seed,
        )
        reading = Reading.MODELLED if self.asking.is_modelled else config.evidence.reading
        return replace(config, frontier=frontier, evidence=replace(config.evidence, reading=reading))


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What is known of a library before a judge is asked.

    Attributes:
        induced: The candidates.
        free: What the free prober answers about it.
        index: What queries are compared with.
    """

    induced: Induced
    free: dict[ProbeKey, ProbeAnswer]
    index: SearchIndex


class CountingJudge(SimulatedJudge):
    """A simulated judge that knows how often it was asked."""

    def __init__(self, knowledge: Knowledge, *, errors: Errors, seed: int) -> None:
        """Appoint a judge; arguments as for `SimulatedJudge`."""
        super().__init__(knowledge, errors=errors, seed=seed)
        self.n_calls = 0

    def answer(self, requests: Sequence[ProbeRequest]) -> list[ProbeAnswer]:
        """Return one answer for each request, in order; each is one call."""
        answers = super().answer(requests)
        self.n_calls += len(answers)
        return answers


def survey(library: SkillLibrary, *, encoder: Encoder, config: BuildConfig) -> Survey:
    """Find the candidates, and ask the free prober about all of them, in a workspace of its own."""
    with _workspace() as workspace:
        found = induce(library, workspace=workspace, encoder=encoder, config=config)
        everything = np.arange(len(found.candidates))
        prober = TextProber(names=found.names)
        free = ask_edges(found, everything, prober=prober, ledger=workspace.ledger)
    return Survey(
        induced=found,
        free=free,
        index=SearchIndex.fit(found.skills, found.vectors, tie_break=found.inputs.tie_break),
    )


def judged_build(
    surveyed: Survey,
    judge: SimulatedJudge,
    *,
    config: BuildConfig,
    frontier: IntArray | None = None,
    asking: Asking = Asking.FIXED,
) -> Build:
    """Return what `caskg.pipeline.build` would, were *judge* its paid prober.

    Args:
        surveyed: Of the library, by the same constants up to the frontier.
        judge: Answers about F.
        config: The constants; the free prober answers all of C.
        frontier: F where it is known already, as `paid_frontier` returns it; no judge changes it.
        asking: How much is asked about each edge of F.
    """
    found = surveyed.induced
    if frontier is None:
        frontier = paid_frontier(found, surveyed.free, config=config)
    with _workspace() as workspace:
        said = asked_of(judge, found, frontier, asking=asking, ledger=workspace.ledger)
    answers = {**surveyed.free, **said}
    if not config.evidence.by_source:
        answers = one_voice(answers)
    sources = uses(answers, worth=never_checked)
    units = {name: use.units for name, use in sources.items()} if config.evidence.by_source else {}
    everything = np.arange(len(found.candidates))
    result = calibrate(found, answers, asked=everything, config=config, units=units, rates=judge_rates(judge))
    return Build(
        candidates=found.candidates,
        reliability=result.reliability,
        graph=result.graph,
        index=surveyed.index,
        duplicates=found.duplicates,
        orders=found.orders,
        n_frontier=len(frontier),
        verifier=result.verifier,
        sources=sources,
    )


def judging(judge_plan: JudgePlan) -> Judging:
    """Return how a judge comes in: topics in folds, and for each a judge that knows nothing of it alone."""

    def folds_of(gold: GoldSet) -> Sequence[Fold]:
        surveys: dict[BuildConfig, Survey] = {}
        return [
            _fold(gold, topics, judge_plan, surveys) for topics in fold_topics(gold, seed=judge_plan.seed)
        ]

    return folds_of


def fold_topics(gold: GoldSet, *, seed: int) -> list[tuple[int, ...]]:
    """Return the positions of the topics of each fold; whole clusters stay together."""
    fold = deal_folds([topic.cluster for topic in gold.topics], seed=seed)
    return [tuple(np.flatnonzero(fold == at).tolist()) for at in np.unique(fold)]


def judge_for(gold: GoldSet, topics: Sequence[int], judge_plan: JudgePlan) -> CountingJudge:
    """Return a judge that knows nothing that only *topics* could teach."""
    ids = [skill.id for skill in gold.library.skills]
    knowledge = knowledge_without(
        topics,
        edges=_named(gold.edges, ids),
        golds=[[ids[at] for at in topic.gold] for topic in gold.topics],
        masked=_named(gold.masked, ids),
    )
    return CountingJudge(knowledge, errors=judge_plan.errors, seed=judge_plan.seed)


def _fold(
    gold: GoldSet, topics: tuple[int, ...], judge_plan: JudgePlan, surveys: dict[BuildConfig, Survey]
) -> Fold:
    judge = judge_for(gold, topics, judge_plan)

    def induce_judged(library: SkillLibrary, *, encoder: Encoder, config: BuildConfig) -> Build:
        config = judge_plan.applied(config)
        if not config.frontier.probe_all:
            with _workspace() as workspace:
                return build(library, workspace=workspace, encoder=encoder, config=config, paid=judge)
        if config not in surveys:
            surveys[config] = survey(library, encoder=encoder, config=config)
        return judged_build(surveys[config], judge, config=config, asking=judge_plan.asking)

    return Fold(topics=topics, induce=induce_judged, judge=judge, n_calls=lambda: judge.n_calls)


@contextmanager
def _workspace() -> Iterator[Workspace]:
    """Open an empty workspace that is gone afterwards: no answer of another judge may have a say."""
    with (
        tempfile.TemporaryDirectory(prefix="caskg-bench-") as folder,
        Workspace.create(Path(folder) / "workspace") as workspace,
    ):
        yield workspace


def _named(pairs: IntArray, ids: Sequence[str]) -> list[tuple[str, str]]:
    return [(ids[source], ids[target]) for source, target in pairs.tolist()]
