"""The gold-set benchmark as one document: a mean and an interval for each measure, and comparisons."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from caskg import __version__
from caskg.bench.kernel import kernel
from caskg.bench.methods import REFERENCE
from caskg.bench.metrics import concentration
from caskg.bench.qrels import without_library
from caskg.bench.runner import FOREIGN, Plan, Progress, Run, SetRuns, code_digest, run_sets
from caskg.bench.runs import BUNDLE, KS, MAX_CHARS, RARE, measure, specific_gold
from caskg.bench.scores import auroc
from caskg.bench.stats import (
    CONFIDENCE,
    RESAMPLES,
    Interval,
    cluster_bootstrap,
    cluster_numbers,
    holm,
    sign_flip_test,
)
from caskg.schema import FloatArray, IntArray

COMPARED = (
    "recall@5",
    "recall@10",
    "specific_recall@5",
    "specific_recall@10",
    "ndcg@10",
    "whole_set@10",
    "closure@10",
    "order@10",
)
"""Measures in which the methods are compared with `REFERENCE`; each is one table for Holm."""

FAILURES = "failures"
"""The measure that counts tasks at which a method failed."""

Row = dict[str, Any]

_DECIMALS = 12


def bench_gold(plan: Plan, *, progress: Progress = lambda _line: None) -> dict[str, Any]:
    """Run a plan and return everything that was measured.

    Returns:
        ``rows``, ``contrasts``, ``cost``, ``config`` and ``skipped``; numbers that do not exist are None.

    Raises:
        UsageError: There is no such set or method, or a set cannot be read.
        EncoderError: The encoder is not installed.
        StoreError: The cache cannot be written.
    """
    done = run_sets(plan, progress=progress)
    rows: list[Row] = []
    contrasts: list[Row] = []
    for each in done:
        progress(f"{each.gold.name}: intervals")
        values = _values(each)
        clusters = cluster_numbers([topic.cluster for topic in each.gold.topics])
        rows += _mean_rows(each, values, clusters, seed=plan.seed)
        rows += [row for name, run in each.runs.items() for row in _single_rows(each, name, run)]
        contrasts += _contrasts(each, values, clusters, seed=plan.seed)
    return {
        "rows": rows,
        "contrasts": contrasts,
        "cost": [
            {"set": each.gold.name, "method": name, **run.cost}
            for each in done
            for name, run in each.runs.items()
        ],
        "config": _config(plan, done),
        "skipped": [
            *(without_library(plan.folder) if not plan.sets else ()),
            *(dict(skipped) for each in done for skipped in each.skipped),
            *(failed for each in done for failed in _failed(each)),
        ],
    }


def _failed(each: SetRuns) -> Iterator[dict[str, str]]:
    """Say of each method at how many tasks it failed, and why at the first of them."""
    for name, run in each.runs.items():
        failed = [at for at, answer in enumerate(run.answers) if answer.failure]
        if failed:
            first, why = each.gold.topics[failed[0]].id, run.answers[failed[0]].failure.rstrip(".")
            reason = (
                f"{len(failed):,} of {len(run.answers):,} tasks failed, the first of them {first!r}: {why}"
            )
            yield {"set": each.gold.name, "method": name, "measure": FAILURES, "reason": reason}


def _values(each: SetRuns) -> dict[str, dict[str, FloatArray]]:
    """Return each measure topic by topic, by method."""
    specific = specific_gold(each.gold.topics)
    return {name: measure(run.answers, each.gold.topics, specific) for name, run in each.runs.items()}


def _mean_rows(
    each: SetRuns, values: dict[str, dict[str, FloatArray]], clusters: IntArray, *, seed: int
) -> list[Row]:
    names = [(method, name) for method, measures in values.items() for name in measures]
    if not names:
        return []
    columns = np.stack([values[method][name] for method, name in names], axis=1)
    intervals = cluster_bootstrap(columns, clusters, seed=seed)
    return [
        _row(each, method, name, interval, n=int(known.sum()), clusters=len(np.unique(clusters[known])))
        for (method, name), interval, known in zip(names, intervals, ~np.isnan(columns.T), strict=True)
    ]


def _single_rows(each: SetRuns, name: str, run: Run) -> list[Row]:
    """Return the measures that are one number over all topics, without an interval."""
    found: list[tuple[str, float, int]] = []
    failures = sum(bool(answer.failure) for answer in run.answers)
    found.append((FAILURES, float(failures), len(run.answers)))
    most = concentration(answer.found[BUNDLE] for answer in run.answers)
    if most:
        needed = [most[0] in topic.gold for topic in each.gold.topics]
        found.append((f"concentration@{BUNDLE}", most[1], len(needed)))
        found.append(("concentration_gold_share", float(np.mean(needed)), len(needed)))
    found += _abstention(run)
    found += [(f"edges.{measured}", figure.value, figure.n) for measured, figure in run.edges.items()]
    return [
        _row(each, name, measured, Interval(mean=value, low=np.nan, high=np.nan), n=n, clusters=None)
        for measured, value, n in found
    ]


def _abstention(run: Run) -> list[tuple[str, float, int]]:
    """Return how well the sufficiency tells tasks that the library covers from those it does not."""
    here = [answer.sufficiency for answer in run.answers]
    near_miss = [answer.near_miss for answer in run.answers if answer.near_miss is not None]
    found = []
    for name, elsewhere in (("auroc_near_miss", near_miss), ("auroc_wrong_library", list(run.foreign))):
        if elsewhere:
            scores = np.array([*here, *elsewhere])
            found.append((name, auroc(scores, np.arange(len(scores)) < len(here)), len(scores)))
    return found


def _row(each: SetRuns, method: str, name: str, interval: Interval, *, n: int, clusters: int | None) -> Row:
    return {
        "set": each.gold.name,
        "method": method,
        "measure": name,
        "mean": number(interval.mean),
        "lo": number(interval.low),
        "hi": number(interval.high),
        "n": n,
        "clusters": clusters,
    }


def _contrasts(
    each: SetRuns, values: dict[str, dict[str, FloatArray]], clusters: IntArray, *, seed: int
) -> list[Row]:
    others = [name for name in values if name != REFERENCE]
    if REFERENCE not in values or not others:
        return []
    found: list[Row] = []
    for name in COMPARED:
        columns = np.stack([values[REFERENCE][name] - values[other][name] for other in others], axis=1)
        intervals = cluster_bootstrap(columns, clusters, seed=seed)
        p_values = sign_flip_test(columns, clusters, seed=seed).tolist()
        found += [
            {
                "set": each.gold.name,
                "a": REFERENCE,
                "b": other,
                "measure": name,
                "diff": number(interval.mean),
                "lo": number(interval.low),
                "hi": number(interval.high),
                "p": p,
                "p_holm": p_holm,
            }
            for other, interval, p, p_holm in zip(others, intervals, p_values, holm(p_values), strict=True)
        ]
    return found


def number(value: float) -> float | None:
    """Return a number as JSON has them, None where there is none.

    Rounded, because which methods are measured beside one another decides the last bits of sums.

    >>> number(1 / 3), number(float("nan"))
    (0.333333333333, None)
    """
    return None if np.isnan(value) else round(float(value), _DECIMALS)


def _config(plan: Plan, done: Sequence[SetRuns]) -> dict[str, Any]:
    return {
        "caskg": __version__,
        "code": code_digest(),
        "data": str(plan.folder),
        "sets": {each.gold.name: _described(each) for each in done},
        "methods": {name: str(plan.table[name].kind) for each in done for name in each.runs},
        "encoder": done[0].encoder if done else plan.encoder,
        "judging": plan.judging_id or "none",
        "seed": plan.seed,
        "ks": list(KS),
        "bundle": BUNDLE,
        "max_chars": MAX_CHARS,
        "specific_below": RARE,
        "foreign_per_set": FOREIGN,
        "resamples": RESAMPLES,
        "confidence": CONFIDENCE,
        "kernel": kernel(),
    }


def _described(each: SetRuns) -> dict[str, Any]:
    gold = each.gold
    return {
        "digest": gold.digest,
        "skills": len(gold.library),
        "tasks": len(gold.topics),
        "clusters": len({topic.cluster for topic in gold.topics}),
        "edges": len(gold.edges),
        "masked": len(gold.masked),
        "specific_skills": len(specific_gold(gold.topics)),
    }
