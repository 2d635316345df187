"""How well a graph's scores agree with gold edges: candidates, association, reliability, states."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from caskg.bench.pair_scores import ScoredPairs, places, scores_of
from caskg.bench.qrels import GoldSet
from caskg.bench.scores import auroc, average_precision, brier, calibration_error
from caskg.config import BuildConfig
from caskg.library.lexical import token_matrix, tokenize
from caskg.library.texts import skill_text
from caskg.published import Build
from caskg.schema import EDGE_STATES, BoolArray, EdgeState, FloatArray, IntArray

_ALIKE = 0.25  # Jaccard of name and description from which two skills may be each other's alternative
_BLOCK = 512
_CONFIRMED, _REJECTED, _UNVALIDATED = (
    EDGE_STATES.index(state) for state in (EdgeState.CONFIRMED, EdgeState.REJECTED, EdgeState.UNVALIDATED)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A number, and over how many pairs it was taken. NaN where there was none."""

    value: float
    n: int


def judged_pairs(gold: GoldSet, *, seed: int) -> tuple[IntArray, BoolArray]:
    """Return gold edges and pairs that are none, and which are which.

    Those that are none: gold edges reversed; the skill most like one of a gold edge, both ways;
    and pairs that one task needs without a link between them, at most as many as there are gold
    edges, drawn by *seed*. None is gold in its direction, none is masked; those of the last two
    kinds are gold in neither direction.

    Returns:
        Pairs, shape ``(n_pairs, 2)``, and whether each is gold, shape ``(n_pairs,)``.
    """
    n_skills = len(gold.library)
    edges, masked = _codes(gold.edges, n_skills), _codes(gold.masked, n_skills)
    linked = np.union1d(edges, _codes(gold.edges[:, ::-1], n_skills))
    together = {pair for topic in gold.topics for pair in permutations(topic.gold, 2)}
    co_used = np.setdiff1d(_codes(_pairs(together), n_skills), np.union1d(linked, masked))
    if len(co_used) > len(edges):
        co_used = np.random.default_rng(seed).choice(co_used, len(edges), replace=False)
    alike = np.setdiff1d(_codes(_alternatives(gold), n_skills), linked)
    none = np.unique(np.concatenate([np.setdiff1d(linked, edges), alike, co_used]))
    none = np.setdiff1d(none, masked)
    pairs = np.stack(np.divmod(np.concatenate([edges, none]), n_skills), axis=1)
    return pairs, np.arange(len(pairs)) < len(edges)


def edge_figures(
    gold: GoldSet, build: Build, scored: ScoredPairs, *, config: BuildConfig, seed: int
) -> dict[str, Figure]:
    """Measure a build against gold edges.

    Args:
        gold: The set.
        build: The build from which the graph was published.
        scored: The `judged_pairs`; what *build* knows of a pair goes before it.
        config: The constants of *build*.
        seed: As for `judged_pairs`.
    """
    pairs, is_edge = judged_pairs(gold, seed=seed)
    found = places(build.candidates, pairs) >= 0
    scores = scores_of(pairs, build, scored, config=config)
    figures = {
        "candidate_recall": Figure(value=_mean(found[is_edge]), n=int(is_edge.sum())),
        "candidates_per_skill": Figure(
            value=len(build.candidates) / len(gold.library), n=len(build.candidates)
        ),
    }
    for name, values in scores.items():
        figures[f"auroc_{name}"] = Figure(value=auroc(values, is_edge), n=len(pairs))
        figures[f"ap_{name}"] = Figure(value=average_precision(values, is_edge), n=len(pairs))
        figures[f"direction_{name}"] = _direction(gold, pairs, values)
    return figures | reliability_figures(gold, build)


def _direction(gold: GoldSet, pairs: IntArray, values: FloatArray) -> Figure:
    """Return how often a gold edge scores above its reverse, equal scores counting half."""
    score = dict(zip(map(tuple, pairs.tolist()), values.tolist(), strict=True))
    edges = set(map(tuple, gold.edges.tolist()))
    one_way = [pair for pair in edges if pair[::-1] not in edges and pair[::-1] in score]
    right = [float(np.sign(score[pair] - score[pair[::-1]]) + 1) / 2 for pair in one_way]
    return Figure(value=_mean(right), n=len(right))


def reliability_figures(gold: GoldSet, build: Build) -> dict[str, Figure]:
    """Say how far states and reliabilities of assessed candidates are so.

    Only of pairs that may be judged: not masked, and both ends in the gold of some task.
    """
    states = build.reliability.states
    known, is_edge = _judgeable(gold, build)
    known &= states != _UNVALIDATED
    is_edge, value = is_edge[known], build.reliability.value[known]
    confirmed, rejected = states[known] == _CONFIRMED, states[known] == _REJECTED
    return {
        "precision_confirmed": Figure(value=_mean(is_edge[confirmed]), n=int(confirmed.sum())),
        "npv_rejected": Figure(value=_mean(~is_edge[rejected]), n=int(rejected.sum())),
        "brier": Figure(value=brier(value, is_edge), n=len(value)),
        "ece": Figure(value=calibration_error(value, is_edge), n=len(value)),
    }


def frontier_ap(gold: GoldSet, build: Build, frontier: IntArray) -> float:
    """Return the average precision of the reliabilities of F; of pairs that may be judged, as above."""
    known, is_edge = _judgeable(gold, build)
    rows = frontier[known[frontier]]
    return average_precision(build.reliability.value[rows], is_edge[rows])


def _judgeable(gold: GoldSet, build: Build) -> tuple[BoolArray, BoolArray]:
    """Return which candidates may be judged, and which are gold."""
    n_skills, candidates = len(gold.library), build.candidates
    used = np.zeros(n_skills, dtype=np.bool_)
    used[[at for topic in gold.topics for at in topic.gold]] = True
    codes = candidates.source * n_skills + candidates.target
    known = used[candidates.source] & used[candidates.target] & ~np.isin(codes, _codes(gold.masked, n_skills))
    return known, np.isin(codes, _codes(gold.edges, n_skills))


def _alternatives(gold: GoldSet) -> IntArray:
    """Return each skill of an edge with the skill most like it in words, in both directions."""
    skills = gold.library.skills
    rows = token_matrix([tokenize(skill_text(skill)) for skill in skills])
    sizes = np.diff(rows.indptr)
    found: list[tuple[int, int]] = []
    wanted = np.unique(gold.edges)
    for start in range(0, len(wanted), _BLOCK):
        block = wanted[start : start + _BLOCK]
        shared = (rows[block] @ rows.T).toarray()
        likeness = shared / np.maximum(sizes[block, None] + sizes - shared, 1)
        likeness[np.arange(len(block)), block] = -1.0
        best = likeness.argmax(axis=1)
        alike = likeness[np.arange(len(block)), best] >= _ALIKE
        for one, other in zip(block[alike].tolist(), best[alike].tolist(), strict=True):
            found += [(one, other), (other, one)]
    return _pairs(found)


def _mean(values: Iterable[float] | BoolArray) -> float:
    column = np.asarray(list(values), dtype=np.float64)
    return float(column.mean()) if len(column) else float("nan")


def _pairs(pairs: Iterable[tuple[int, int]]) -> IntArray:
    return np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)


def _codes(pairs: IntArray, n_skills: int) -> IntArray:
    return pairs[:, 0] * n_skills + pairs[:, 1]
