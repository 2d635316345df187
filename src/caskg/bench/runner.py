"""Runs methods on gold sets: what is done already is not done again, and what fails is counted.

A run of one method on one set is kept under everything that decides it: the set's bytes, the
method, the encoder, the constants, the seed and the code. Another run with the same cache
goes on where the first one stopped.
"""

import hashlib
import resource
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np

from caskg import __version__
from caskg.bench.edges import Figure, edge_figures, judged_pairs
from caskg.bench.kept import cache_folder, keep, kept
from caskg.bench.methods import METHODS
from caskg.bench.pair_scores import score_pairs
from caskg.bench.qrels import GoldSet, read_set, read_sets, set_names
from caskg.bench.runs import Answer, answer_topic
from caskg.bench.vectors import RememberingEncoder
from caskg.bench.workbench import Induce, Method, Workbench
from caskg.config import BuildConfig
from caskg.errors import UsageError
from caskg.graph.text_prober import TextProber
from caskg.pipeline import build
from caskg.protocols import Encoder, Prober
from caskg.published import Build
from caskg.retrieval.seeds import MAX_QUERY_CHARS
from caskg.schema import SkillLibrary
from caskg.store.workspace import Workspace
from caskg.wiring import EncoderChoice, encoder_for

FOREIGN = 200
"""How many tasks of each other set are asked, to see whether a method notices that nothing fits."""

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """Some topics of a set, and how the graph comes about that they are asked of.

    Attributes:
        topics: Positions of the topics.
        induce: Builds the graph; a judge it asks must not know what only these topics prove.
        judge: That judge, for a method that asks one itself; None = there is none.
        n_calls: Returns how many calls it has answered so far.
    """

    topics: tuple[int, ...]
    induce: Induce
    judge: Prober | None = None
    n_calls: Callable[[], int] = lambda: 0


Judging = Callable[[GoldSet], Sequence[Fold]]
"""Parts the topics of a set into folds; where nothing is learnt from gold, one is enough."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be run.

    Attributes:
        folder: Holds the gold sets.
        sets: Their names; none = all there are.
        methods: Names of *table*; none = all.
        cache: Folder that keeps vectors and runs.
        encoder: Which encoder.
        seed: Of everything that is left to chance.
        judging: How judges come in; by default none does.
        judging_id: Names everything that changes what they say.
        table: The methods by name. Variants that differ in more than their constants need names
            of their own: a name and its constants say which kept run is theirs.
    """

    folder: Path
    sets: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    cache: Path
    encoder: str = EncoderChoice.AUTO
    seed: int = 0
    judging: "Judging" = field(default_factory=lambda: unjudged)
    judging_id: str = ""
    table: Mapping[str, Method] = field(default_factory=lambda: METHODS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One method on one set.

    Attributes:
        answers: One for each topic.
        foreign: Sufficiency of tasks of other sets; empty where not asked.
        edges: Measures of the graph's edges, by name; empty for a method without one of its own.
        cost: CPU seconds, calls, memory.
    """

    answers: tuple[Answer, ...]
    foreign: tuple[float, ...] = ()
    edges: Mapping[str, Figure] = field(default_factory=dict)
    cost: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Self:
        """Return what `dataclasses.asdict` and JSON made of a run."""
        return cls(
            answers=tuple(map(Answer.from_json, fields["answers"])),
            foreign=tuple(fields["foreign"]),
            edges={name: Figure(**figure) for name, figure in fields["edges"].items()},
            cost=fields["cost"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SetRuns:
    """All methods on one set.

    Attributes:
        gold: The set.
        encoder: Which encoder was used.
        runs: By method, in the order in which they are shown.
        skipped: What was left out, and why.
    """

    gold: GoldSet
    encoder: str
    runs: Mapping[str, Run]
    skipped: tuple[Mapping[str, str], ...]


def induced(library: SkillLibrary, *, encoder: Encoder, config: BuildConfig) -> Build:
    """Build a graph in a workspace of its own, so that no earlier answer has a say in it."""
    with (
        tempfile.TemporaryDirectory(prefix="caskg-bench-") as folder,
        Workspace.create(Path(folder) / "workspace") as workspace,
    ):
        return build(library, workspace=workspace, encoder=encoder, prober=TextProber(), config=config)


def unjudged(gold: GoldSet) -> Sequence[Fold]:
    """Return all topics as one fold, whose graph no judge was asked about."""
    return [Fold(topics=tuple(range(len(gold.topics))), induce=induced)]


def run_sets(plan: Plan, *, progress: Progress = lambda _line: None) -> list[SetRuns]:
    """Run everything that a plan names, or read what an earlier run has left.

    Raises:
        UsageError: There is no such set or method, or a set cannot be read.
        EncoderError: The encoder is not installed.
        StoreError: The cache cannot be written.
    """
    known = set_names(plan.folder)
    for kind, names, there in (("set", plan.sets, known), ("method", plan.methods, list(plan.table))):
        for name in names:
            if name not in there:
                msg = f"There is no {kind} {name!r}: choose from {', '.join(there)}."
                raise UsageError(msg)
    asked = read_sets(plan.folder, plan.sets or known)
    others, unread = _others(plan.folder, [name for name in known if name not in asked])
    every = {name: (asked | others)[name] for name in known if name not in unread}
    cache_folder(plan.cache / "runs")
    with Workspace.open_or_create(plan.cache / "vectors") as vectors:
        return [
            _run_set(
                plan, gold, _foreign(every, name, seed=plan.seed), list(unread.values()), vectors, progress
            )
            for name, gold in asked.items()
        ]


def _others(folder: Path, names: Sequence[str]) -> tuple[dict[str, GoldSet], dict[str, str]]:
    """Read the sets of which only tasks are asked, and say of the others why they cannot be."""
    found, unread = {}, {}
    for name in names:
        try:
            found[name] = read_set(folder, name)
        except UsageError as error:
            unread[name] = f"the tasks of set {name!r} cannot be asked: {error}".rstrip(".")
    return found, unread


def _run_set(
    plan: Plan,
    gold: GoldSet,
    foreign: Sequence[str],
    unread: Sequence[str],
    vectors: Workspace,
    progress: Progress,
) -> SetRuns:
    kind, behind = encoder_for(plan.encoder, gold.library)
    encoder = RememberingEncoder(behind, vectors.vectors)
    desk = _Desk(plan, gold, foreign, encoder, knows_meanings=kind == EncoderChoice.LOCAL)
    methods = [name for name in plan.table if not plan.methods or name in plan.methods]
    reasons = {name: desk.why_not(name) for name in methods}
    skipped = [
        {"set": gold.name, "method": name, "reason": reason} for name, reason in reasons.items() if reason
    ]
    if not foreign:
        unread = [*unread, "the folder holds no other set whose tasks could be asked"]
    skipped += [{"set": gold.name, "measure": "auroc_wrong_library", "reason": reason} for reason in unread]
    runs = {name: desk.run(name, progress) for name, reason in reasons.items() if not reason}
    return SetRuns(gold=gold, encoder=kind, runs=runs, skipped=tuple(skipped))


_NO_JUDGE = "no judge is asked, so it would be the same as default"


class _Desk:
    """One set, its folds and their workbenches."""

    def __init__(
        self,
        plan: Plan,
        gold: GoldSet,
        foreign: Sequence[str],
        encoder: RememberingEncoder,
        *,
        knows_meanings: bool,
    ) -> None:
        self._plan = plan
        self._gold = gold
        self._foreign = foreign
        self._encoder = encoder
        self._folds = plan.judging(gold)
        self._benches = [
            Workbench(
                library=gold.library,
                encoder=encoder,
                knows_meanings=knows_meanings,
                induce=fold.induce,
                induce_unjudged=induced,
                gold_edges=gold.edges,
                judge=fold.judge,
                n_calls=fold.n_calls,
                seed=plan.seed,
            )
            for fold in self._folds
        ]

    def why_not(self, name: str) -> str:
        """Return why a method cannot be run, empty if it can."""
        method = self._plan.table[name]
        if not method.judged and all(fold.induce is induced for fold in self._folds):
            return _NO_JUDGE
        if method.needs_edges and not len(self._gold.edges):
            return "the set has no gold edges"
        return ""

    def run(self, name: str, progress: Progress) -> Run:
        """Return the run of one method, from the cache where it is there."""
        path = self._plan.cache / "runs" / f"{self._key(name)}.json"
        known = kept(path, Run.from_json)
        if known is not None and len(known.answers) == len(self._gold.topics):
            progress(f"{self._gold.name} {name}: from the cache")
            return known
        self._encoder.encode([*(topic.query for topic in self._gold.topics), *self._foreign])
        run = self._fresh(self._plan.table[name])
        keep(path, asdict(run))
        cost = " ".join(f"{key} {value:,.4g}" for key, value in run.cost.items())
        progress(f"{self._gold.name} {name}: {cost}")
        return run

    def _fresh(self, method: Method) -> Run:
        answers: dict[int, Answer] = {}
        foreign: tuple[float, ...] = ()
        make_s = query_s = 0.0
        for fold, bench in zip(self._folds, self._benches, strict=True):
            if method.config:
                bench.build(method.config, judged=method.judged)
            _ = bench.index  # all share it: whoever comes first does not pay for it
            start = time.process_time()
            retriever = method.make(bench)
            made = time.process_time()
            ask = partial(answer_topic, retriever, gold=self._gold, method=method)
            answers |= {at: ask(topic=self._gold.topics[at]) for at in fold.topics}
            make_s, query_s = make_s + made - start, query_s + time.process_time() - made
            if method.gated and not foreign:
                foreign = tuple(retriever.retrieve(query, k=1).sufficiency for query in self._foreign)
        return Run(
            answers=tuple(answers[at] for at in sorted(answers)),
            foreign=foreign,
            edges=self._edges(method) if method.config and method.edges and len(self._gold.edges) else {},
            cost=self._cost(method, make_s=make_s, query_s=query_s),
        )

    def _edges(self, method: Method) -> dict[str, Figure]:
        """Return the edge measures, averaged over the folds that have them."""
        assert method.config is not None
        pairs, _ = judged_pairs(self._gold, seed=self._plan.seed)
        scored = score_pairs(self._gold.library, pairs, encoder=self._encoder, config=method.config)
        each = [
            edge_figures(
                self._gold,
                bench.build(method.config, judged=method.judged),
                scored,
                config=method.config,
                seed=self._plan.seed,
            )
            for bench in self._benches
        ]
        return {
            name: Figure(value=_mean([figures[name].value for figures in each]), n=each[0][name].n)
            for name in each[0]
        }

    def _cost(self, method: Method, *, make_s: float, query_s: float) -> dict[str, float]:
        cost = {
            "make_cpu_s": make_s,
            "query_cpu_ms": 1000 * query_s / max(len(self._gold.topics), 1),
            "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        }
        if method.config is None:
            return cost
        built = [bench.build(method.config, judged=method.judged) for bench in self._benches]
        costs = [bench.build_cost(method.config, judged=method.judged) for bench in self._benches]
        return cost | {
            "build_cpu_s": sum(each.cpu_s for each in costs),
            "build_characters": float(sum(each.characters for each in costs)),
            "calls": float(sum(each.calls for each in costs)),
            "candidates": float(len(built[0].candidates)),
            "frontier": float(built[0].n_frontier),
            "edges": float(len(built[0].graph)),
        }

    def _key(self, name: str) -> str:
        plan, gold, method = self._plan, self._gold, self._plan.table[name]
        everything = (
            code_digest(),
            gold.digest,
            self._encoder.fingerprint,
            (name, method.config, method.retrieval),
            plan.seed,
            plan.judging_id,
            self._foreign,
        )
        return f"{gold.name}-{name}-" + hashlib.blake2b(repr(everything).encode(), digest_size=12).hexdigest()


def _mean(values: Sequence[float]) -> float:
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else np.nan


def _foreign(every: Mapping[str, GoldSet], name: str, *, seed: int) -> list[str]:
    """Return tasks of the other sets, as many of each, drawn by *seed*."""
    generator = np.random.default_rng(seed)
    found = []
    for other, gold in every.items():
        order = generator.permutation(len(gold.topics))[:FOREIGN]
        if other != name:
            found += [gold.topics[at].query for at in sorted(order.tolist())]
    return [query for query in found if query.strip() and len(query) <= MAX_QUERY_CHARS]


def code_digest() -> str:
    """Return a hash of this package's code: another code may answer otherwise."""
    root = Path(__file__).parents[1]
    digest = hashlib.blake2b(__version__.encode(), digest_size=16)
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
