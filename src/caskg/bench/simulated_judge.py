"""A judge that knows the gold edges, and errs as often as it is told to: what would a judge be worth?

It goes the way of a real one, through probe requests, the ledger and the evidence of three
units. What it knows never includes what only the tasks that are being scored could have taught.
"""

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from caskg.baselines.gos_graph import Relation, RelationJudge
from caskg.errors import UsageError
from caskg.schema import EdgeType, IntArray, ProbeAnswer, ProbeRequest, Skill

Pair = tuple[str, str]

N_FOLDS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Knowledge:
    """What a simulated judge knows, by skill ids.

    Attributes:
        edges: ``(source, target)`` of the gold edges it knows.
        ends: The skills it knows; of a pair with another end it cannot tell.
        masked: Pairs of which it cannot tell.
    """

    edges: frozenset[Pair]
    ends: frozenset[str]
    masked: frozenset[Pair] = frozenset()

    def verdict(self, source: str, target: str) -> bool | None:
        """Return whether the pair is an edge; None where that is not known."""
        if (source, target) in self.masked or not {source, target} <= self.ends:
            return None
        return (source, target) in self.edges


@dataclass(frozen=True, slots=True, kw_only=True)
class Errors:
    """How a simulated judge errs; each a probability in ``[0, 1]``.

    Attributes:
        false_positive: That it takes a pair that is no edge for one.
        false_negative: That it takes an edge for none.
        wrong: That a single answer says the contrary of what the judge takes the pair for.
        absent: That a single answer is missing.
    """

    false_positive: float = 0.0
    false_negative: float = 0.0
    wrong: float = 0.0
    absent: float = 0.0


class SimulatedJudge:
    """A `Prober` that answers from gold edges.

    It makes up its mind once for each edge, by a draw that is a function of the seed and the
    pair: all probes of the edge share it, in whatever order and company they are asked.
    """

    prompt_version = "1"

    def __init__(self, knowledge: Knowledge, *, errors: Errors | None = None, seed: int = 0) -> None:
        """Appoint a judge.

        Args:
            knowledge: What it knows.
            errors: How it errs; None = never.
            seed: Of all draws.

        Raises:
            UsageError: A probability lies outside ``[0, 1]``.
        """
        self.knowledge = knowledge
        self.errors = errors or Errors()
        self.seed = seed
        _check(self.errors)
        known = sorted(knowledge.edges), sorted(knowledge.ends), sorted(knowledge.masked)
        everything = repr((known, self.errors, seed)).encode()
        self.prober_id = f"simulated-{hashlib.blake2b(everything, digest_size=8).hexdigest()}"

    def answer(self, requests: Sequence[ProbeRequest]) -> list[ProbeAnswer]:
        """Return one answer for each request, in order: 1, 0, or missing; each is one call."""
        return list(map(self._answer, requests))

    def opinion(self, source: str, target: str) -> bool | None:
        """Return what it takes a pair for; None where it cannot tell."""
        verdict = self.knowledge.verdict(source, target)
        if verdict is None:
            return None
        rate = self.errors.false_negative if verdict else self.errors.false_positive
        return verdict != (self._draw("edge", source, target) < rate)

    def _answer(self, request: ProbeRequest) -> ProbeAnswer:
        pair = request.source.id, request.target.id
        opinion = self.opinion(*pair)
        if opinion is None:
            return self._missing("The judge knows nothing of this pair.")
        asked = *pair, request.kind, request.arm
        if self._draw("absent", *asked) < self.errors.absent:
            return self._missing("The answer could not be read.")
        said = opinion != (self._draw("wrong", *asked) < self.errors.wrong)
        return ProbeAnswer(score=float(said), source_id=self.prober_id, calls=1)

    def _missing(self, reason: str) -> ProbeAnswer:
        return ProbeAnswer(score=None, source_id=self.prober_id, missing_reason=reason, calls=1)

    def _draw(self, *what: str) -> float:
        """Return a number in ``[0, 1)`` that is a function of the seed and *what*."""
        digest = hashlib.blake2b(repr((self.seed, *what)).encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") / 2.0**64


def deal_folds(clusters: Sequence[str], *, n_folds: int = N_FOLDS, seed: int = 0) -> IntArray:
    """Deal whole clusters of tasks into folds of nearly as many clusters each.

    Args:
        clusters: The cluster of each task.
        n_folds: At least 2.
        seed: Decides which cluster goes where; the order of the tasks does not.

    Returns:
        The fold of each task, from 0, shape ``(n_tasks,)``.

    Raises:
        UsageError: There are fewer than two folds.

    >>> folds = deal_folds(["a", "b", "a", "c"], n_folds=2)
    >>> bool(folds[0] == folds[2]), sorted(set(folds.tolist()))
    (True, [0, 1])
    """
    if n_folds < 2:  # noqa: PLR2004 - with one fold there is nothing left to learn from
        msg = f"Cannot deal tasks into {n_folds} folds: give at least 2."
        raise UsageError(msg)
    shuffled = sorted(set(clusters), key=lambda name: _digest(seed, name))
    fold_of = {name: at % n_folds for at, name in enumerate(shuffled)}
    return np.array([fold_of[name] for name in clusters], dtype=np.int64)


def knowledge_without(
    tasks: Collection[int],
    *,
    edges: Iterable[Pair],
    golds: Sequence[Collection[str]],
    masked: Iterable[Pair] = (),
) -> Knowledge:
    """Return what a judge may know when *tasks* are scored: nothing that only they could teach.

    A task proves an edge when its gold holds both ends. An edge that only *tasks* prove is not
    held, and so taken for none; one that no task proves is. A skill that only their gold holds
    is not known: all pairs with it are missing, be they edges or not. So nothing the judge says
    depends on the gold of *tasks*.

    Args:
        tasks: The tasks that are scored, as positions in *golds*.
        edges: All gold edges.
        golds: The gold of each task.
        masked: Pairs of which no judge can tell.
    """
    scored = set(tasks)
    others = [frozenset(gold) for at, gold in enumerate(golds) if at not in scored]
    theirs = [frozenset(golds[at]) for at in sorted(scored)]
    held = {pair for pair in edges if _proves(others, pair) or not _proves(theirs, pair)}
    return Knowledge(edges=frozenset(held), ends=frozenset().union(*others), masked=frozenset(masked))


def relation_judge(judge: SimulatedJudge, skills: Sequence[Skill]) -> RelationJudge:
    """Return *judge* as Graph-of-Skills asks one: about a skill and its candidates, in both directions."""

    def related(skill: int, candidates: Sequence[int]) -> Iterable[Relation]:
        for other in candidates:
            for source, target in ((skill, other), (other, skill)):
                if judge.opinion(skills[source].id, skills[target].id):
                    yield Relation(source=source, target=target, type=EdgeType.DEPENDENCY)

    return related


def _proves(golds: Iterable[frozenset[str]], pair: Pair) -> bool:
    return any(gold.issuperset(pair) for gold in golds)


def _digest(seed: int, name: str) -> bytes:
    return hashlib.blake2b(repr((seed, name)).encode(), digest_size=8).digest()


def _check(errors: Errors) -> None:
    rates = {
        "false_positive": errors.false_positive,
        "false_negative": errors.false_negative,
        "wrong": errors.wrong,
        "absent": errors.absent,
    }
    for name, rate in rates.items():
        if not 0.0 <= rate <= 1.0:
            msg = f"{name} is {rate}: give a probability, 0 to 1."
            raise UsageError(msg)
