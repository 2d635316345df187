"""How good must a judge be, and what does a budget buy? Retrieval against budget, errors and policy.

One point of the study is a `JudgePlan`: how much is asked, in which order, and how the judge
errs. Every point is measured over the same tasks and several seeds, by `default`, cross-fitted,
and compared with the graph that no judge was asked about.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from caskg import __version__
from caskg.bench.asking import Asking, changed_states, labelled_pair_figures
from caskg.bench.edges import frontier_ap, reliability_figures
from caskg.bench.gold import number
from caskg.bench.judged import CountingJudge, JudgePlan, Survey, fold_topics, judge_for, judged_build, survey
from caskg.bench.kept import cache_folder, keep, kept
from caskg.bench.lines import named
from caskg.bench.metrics import recall
from caskg.bench.qrels import GoldSet, read_sets, set_names, without_library
from caskg.bench.runner import Progress, code_digest
from caskg.bench.runs import BUNDLE, specific_gold
from caskg.bench.simulated_judge import Errors
from caskg.bench.stats import cluster_bootstrap, cluster_numbers, holm, sign_flip_test
from caskg.bench.vectors import RememberingEncoder
from caskg.config import FrontierPolicy, build_config, retrieve_config
from caskg.errors import UsageError
from caskg.graph.adaptive import SHARE
from caskg.pipeline import paid_frontier
from caskg.published import Build
from caskg.retrieval.retriever import GraphRetriever
from caskg.schema import PROBE_KINDS, FloatArray, IntArray
from caskg.store.workspace import Workspace
from caskg.wiring import EncoderChoice, encoder_for

BUDGETS = (0, 100, 250, 500, 1000, 2000)
FLIPS = (0.0, 0.02, 0.05, 0.15)
MEASURES = (f"recall@{BUNDLE}", f"specific_recall@{BUNDLE}")
AXES = ("budget", "flips", "policy", "asking")
NOISY = Errors(false_positive=0.02, false_negative=0.02, wrong=0.10, absent=0.05)
"""A judge with two wrong minds in a hundred, which belies its mind in one answer of ten."""

LABELLED = "labelled pairs"
"""The name under which the pairs of the judge check stand beside the sets."""

UNASKED = JudgePlan(budget=0)
"""The point that all others are compared with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyPlan:
    """What is to be studied.

    Attributes:
        folder: Holds the gold sets.
        sets: Their names; none = all there are.
        cache: Folder that keeps vectors and finished points.
        encoder: Which encoder.
        axes: Which of `AXES`.
        budget: In edges, where it is not what varies.
        seeds: How many; each deals folds, errors and random frontiers anew.
        tasks: Most tasks of a set that are scored, drawn by seed 0; None = all.
        errors: How the judge errs on the axis ``asking``.
    """

    folder: Path
    sets: tuple[str, ...] = ()
    cache: Path
    encoder: str = EncoderChoice.AUTO
    axes: tuple[str, ...] = AXES
    budget: int = 500
    seeds: int = 5
    tasks: int | None = 300
    errors: Errors = NOISY


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """What was measured at one point, for one seed or as the mean over seeds.

    Attributes:
        calls: How many calls all folds took together.
        values: By measure, topic by topic; NaN where a topic does not ask for it.
        edges: Figures of states and of the verifier, means over folds.
    """

    calls: float
    values: Mapping[str, FloatArray]
    edges: Mapping[str, float]

    @classmethod
    def mean(cls, each: Sequence[Self]) -> Self:
        """Return the mean over seeds."""
        return cls(
            calls=float(np.mean([one.calls for one in each])),
            values={name: np.mean([one.values[name] for one in each], axis=0) for name in MEASURES},
            edges=_mean_figures([one.edges for one in each]),
        )


def points(plan: StudyPlan) -> dict[str, JudgePlan]:
    """Return the points of the study by name, `UNASKED` first; what is on two axes stands there once."""
    along = _along(plan)
    every = [UNASKED, *(point for axis in plan.axes for point in along[axis])]
    return {point_name(point): point for point in every}


def _along(plan: StudyPlan) -> dict[str, list[JudgePlan]]:
    at = JudgePlan(budget=plan.budget, policy=build_config().frontier.policy)
    noisy = replace(at, errors=plan.errors)
    # One probe an edge spends on more edges what the adaptive one may spend at most.
    more = replace(noisy, budget=int(SHARE * len(PROBE_KINDS) * plan.budget), asking=Asking.ONE)
    return {
        "budget": [replace(at, budget=budget) for budget in BUDGETS if budget],
        "flips": [replace(at, errors=Errors(false_positive=rate, false_negative=rate)) for rate in FLIPS],
        "policy": [replace(at, policy=policy) for policy in FrontierPolicy],
        "asking": [
            noisy,
            *(replace(noisy, asking=asking) for asking in (Asking.ADAPTIVE, Asking.MODELLED)),
            more,
        ],
    }


def point_name(point: JudgePlan) -> str:
    """Return a name that says what sets a point apart.

    >>> point_name(JudgePlan(budget=500, policy=FrontierPolicy.COVERAGE))
    '500 coverage 0%'
    """
    if not point.budget:
        return "unasked"
    rates = point.errors.false_positive, point.errors.wrong, point.errors.absent
    errors = "/".join(f"{100 * rate:g}%" for rate in (rates if any(rates[1:]) else rates[:1]))
    how = "" if point.asking is Asking.FIXED else f" {point.asking}"
    return f"{point.budget} {point.policy} {errors}{how}"


def study(plan: StudyPlan, *, progress: Progress = lambda _line: None) -> dict[str, Any]:
    """Measure all points on all sets.

    Returns:
        ``rows``, ``contrasts`` (each point against the unasked), ``cost``, ``config`` and ``skipped``.

    Raises:
        UsageError: There is no such set or axis, or a set cannot be read.
        EncoderError: The encoder is not installed.
        StoreError: The cache cannot be written.
    """
    _check(plan)
    golds = read_sets(plan.folder, plan.sets or set_names(plan.folder))
    cache_folder(plan.cache / "points")
    rows: list[dict[str, Any]] = []
    contrasts: list[dict[str, Any]] = []
    cost: list[dict[str, Any]] = []
    skipped = [] if plan.sets else without_library(plan.folder)
    with Workspace.open_or_create(plan.cache / "vectors") as vectors:
        for name, gold in golds.items():
            if not len(gold.edges):
                skipped.append({"set": name, "measure": "all", "reason": "the set has no gold edges"})
                continue
            found = _Desk(plan, gold, vectors).run(progress)
            clusters = cluster_numbers([gold.topics[at].cluster for at in scored_topics(gold, plan.tasks)])
            rows += list(_rows(name, found, clusters))
            contrasts += list(_contrasts(name, found, clusters, reference=point_name(UNASKED)))
            if "asking" in plan.axes:
                asking = {key: found[key] for key in map(point_name, _along(plan)["asking"])}
                contrasts += list(_contrasts(name, asking, clusters, reference=next(iter(asking))))
            cost += [{"set": name, "method": point, "calls": each.calls} for point, each in found.items()]
    if "asking" in plan.axes:
        rows += list(_labelled_rows(plan))
    config = {
        "caskg": __version__,
        "code": code_digest(),
        "reference": point_name(UNASKED),
        **{key: value for key, value in asdict(plan).items() if key not in ("folder", "cache")},
    }
    return {"rows": rows, "contrasts": contrasts, "cost": cost, "config": config, "skipped": skipped}


def scored_topics(gold: GoldSet, most: int | None) -> list[int]:
    """Return the positions of the topics that are scored."""
    order = np.random.default_rng(0).permutation(len(gold.topics))[:most]
    return sorted(order.tolist())


class _Desk:
    """One set: its survey, made when first needed, and its points."""

    def __init__(self, plan: StudyPlan, gold: GoldSet, vectors: Workspace) -> None:
        kind, behind = encoder_for(plan.encoder, gold.library)
        self._plan = plan
        self._gold = gold
        self._encoder = RememberingEncoder(behind, vectors.vectors)
        self._knows_meanings = kind == EncoderChoice.LOCAL
        self._topics = scored_topics(gold, plan.tasks)
        self._specific = specific_gold(gold.topics)
        self._surveyed: Survey | None = None

    def run(self, progress: Progress) -> dict[str, Point]:
        """Return each point by its name, as means over seeds."""
        found = {}
        for name, point in points(self._plan).items():
            n_seeds = self._plan.seeds if point.budget else 1
            found[name] = Point.mean([self._point(replace(point, seed=seed)) for seed in range(n_seeds)])
            means = "  ".join(f"{key} {_mean(found[name].values[key]):.4f}" for key in MEASURES)
            progress(f"{self._gold.name} {name}: {means}")
        return found

    def _point(self, point: JudgePlan) -> Point:
        """Return one seed of one point, from the cache where it is there."""
        path = self._plan.cache / "points" / f"{self._key(point)}.json"
        if (known := kept(path, self._read)) is None:
            fresh = self._fresh(point)
            keep(path, fresh)
            known = self._read(fresh)
        return known

    def _read(self, document: Mapping[str, Any]) -> Point:
        values = {measure: _floats(document["values"][measure]) for measure in MEASURES}
        if any(len(each) != len(self._topics) for each in values.values()):
            msg = "a point has one value a topic"
            raise ValueError(msg)
        return Point(calls=document["calls"], values=values, edges=document["edges"])

    def _fresh(self, point: JudgePlan) -> dict[str, Any]:
        config = point.applied(build_config())
        frontier = paid_frontier(self._survey.induced, self._survey.free, config=config)
        values: dict[str, dict[int, float | None]] = {measure: {} for measure in MEASURES}
        figures, calls = [], 0
        for topics in fold_topics(self._gold, seed=point.seed):
            judge = judge_for(self._gold, topics, point)
            built = judged_build(self._survey, judge, config=config, frontier=frontier, asking=point.asking)
            calls += judge.n_calls
            of_frontier = self._frontier_figures(judge, built, frontier, point)
            figures.append(_figures(self._gold, built) | of_frontier)
            for measure, found in self._asked(built, sorted(set(topics) & set(self._topics))).items():
                values[measure] |= found
        return {
            "calls": calls,
            "values": {measure: [found[at] for at in self._topics] for measure, found in values.items()},
            "edges": _mean_figures(figures),
        }

    def _frontier_figures(
        self, judge: CountingJudge, built: Build, frontier: IntArray, point: JudgePlan
    ) -> dict[str, float]:
        """Return how well F is ranked, and what of it has another state than by the fixed plan."""
        common = frontier[: self._plan.budget]
        found = {"frontier_ap": frontier_ap(self._gold, built, common)}
        if point.asking is Asking.FIXED:
            return found
        again = CountingJudge(judge.knowledge, errors=judge.errors, seed=judge.seed)
        config = replace(point, asking=Asking.FIXED).applied(build_config())
        fixed = judged_build(self._survey, again, config=config, frontier=common)
        return found | changed_states(built.reliability.states[common], fixed.reliability.states[common])

    def _asked(self, built: Build, topics: Sequence[int]) -> dict[str, dict[int, float | None]]:
        skills = self._gold.library.skills
        retriever = GraphRetriever(
            skills=skills,
            ids=[skill.id for skill in skills],
            index=built.index,
            graph=built.graph,
            encoder=self._encoder,
            config=retrieve_config(),
        )
        values: dict[str, dict[int, float | None]] = {measure: {} for measure in MEASURES}
        for at in topics:
            topic = self._gold.topics[at]
            with named(f"Set {self._gold.name!r}, task {topic.id!r}"):
                ranking = retriever.retrieve(topic.query, k=BUNDLE)
            found = [self._gold.position[ranked.skill.id] for ranked in ranking.skills]
            rare = [skill for skill in topic.gold if skill in self._specific]
            for measure, wanted in zip(MEASURES, (topic.gold, rare), strict=True):
                values[measure][at] = recall(found, wanted)
        return values

    @property
    def _survey(self) -> Survey:
        if self._surveyed is None:
            made = survey(self._gold.library, encoder=self._encoder, config=build_config())
            self._encoder.encode([self._gold.topics[at].query for at in self._topics])
            self._surveyed = replace(made, index=replace(made.index, knows_meanings=self._knows_meanings))
        return self._surveyed

    def _key(self, point: JudgePlan) -> str:
        everything = code_digest(), self._gold.digest, self._encoder.fingerprint, self._topics, point
        return f"{self._gold.name}-" + hashlib.blake2b(repr(everything).encode(), digest_size=12).hexdigest()


def _figures(gold: GoldSet, built: Build) -> dict[str, float]:
    """Return how far states are so, and what was learnt from them."""
    figures = {name: each.value for name, each in reliability_figures(gold, built).items()}
    learnt = built.verifier
    if learnt is None or learnt.model is None:
        return figures
    counts = {"labels": float(learnt.n_confirmed + learnt.n_rejected), "verifier_used": float(learnt.used)}
    return figures | counts | {"verifier_error": learnt.error, "verifier_skill": learnt.skill}


def _mean_figures(figures: Sequence[Mapping[str, float]]) -> dict[str, float]:
    names = {name for each in figures for name in each}
    known = {name: [each[name] for each in figures if not np.isnan(each.get(name, np.nan))] for name in names}
    return {name: float(np.mean(values)) for name, values in sorted(known.items()) if values}


def _mean(values: FloatArray) -> float:
    """Return the mean over the topics that ask for a measure, NaN where none does."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else np.nan


def _floats(values: Sequence[float | None]) -> FloatArray:
    return np.array([np.nan if value is None else value for value in values])


def _rows(name: str, found: Mapping[str, Point], clusters: IntArray) -> Iterator[dict[str, Any]]:
    columns = [(point, measure) for point in found for measure in MEASURES]
    values = np.stack([found[point].values[measure] for point, measure in columns], axis=1)
    for (point, measure), each, known in zip(
        columns, cluster_bootstrap(values, clusters, seed=0), ~np.isnan(values.T), strict=True
    ):
        yield {
            "set": name,
            "method": point,
            "measure": measure,
            "mean": number(each.mean),
            "lo": number(each.low),
            "hi": number(each.high),
            "n": int(known.sum()),
            "clusters": len(np.unique(clusters[known])),
        }
    for point, measured in found.items():
        for figure, value in measured.edges.items():
            row = {"set": name, "method": point, "measure": f"edges.{figure}", "mean": number(value)}
            yield row | {"lo": None, "hi": None, "n": None, "clusters": None}


def _labelled_rows(plan: StudyPlan) -> Iterator[dict[str, Any]]:
    """Yield the figures of the axis ``asking`` on the pairs of the judge check, means over seeds."""
    for point in _along(plan)["asking"]:
        seeds = range(plan.seeds)
        each = [labelled_pair_figures(point.asking, point.errors, seed=seed) for seed in seeds]
        for figure, value in _mean_figures(each).items():
            row = {"set": LABELLED, "method": point_name(point), "measure": f"edges.{figure}"}
            yield row | {"mean": number(value), "lo": None, "hi": None, "n": None, "clusters": None}


def _contrasts(
    name: str, found: Mapping[str, Point], clusters: IntArray, *, reference: str
) -> Iterator[dict[str, Any]]:
    others = [point for point in found if point != reference]
    for measure in MEASURES if others else ():
        base = found[reference].values[measure]
        gains = np.stack([found[point].values[measure] - base for point in others], axis=1)
        p_values = sign_flip_test(gains, clusters, seed=0).tolist()
        intervals = cluster_bootstrap(gains, clusters, seed=0)
        for point, each, p, adjusted in zip(others, intervals, p_values, holm(p_values), strict=True):
            yield {
                "set": name,
                "a": point,
                "b": reference,
                "measure": measure,
                "diff": number(each.mean),
                "lo": number(each.low),
                "hi": number(each.high),
                "p": p,
                "p_holm": adjusted,
            }


def _check(plan: StudyPlan) -> None:
    known = set_names(plan.folder)
    for kind, names, there in (("set", plan.sets, known), ("axis", plan.axes, list(AXES))):
        for name in names:
            if name not in there:
                msg = f"There is no {kind} {name!r}: choose from {', '.join(there)}."
                raise UsageError(msg)
