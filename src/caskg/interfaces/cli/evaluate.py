"""`caskg eval`: whether the graph helps on the user's own tasks, against flat search and other versions."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from caskg.bench.evaluate import MEASURES, Change, Comparison, Evaluation, Outcome, evaluate, means
from caskg.bench.stats import CONFIDENCE, RESAMPLES
from caskg.bench.tasks import Task
from caskg.interfaces.cli.options import json_option, open_workspace, workspace_option
from caskg.interfaces.cli.output import columns, emit, one_line
from caskg.retrieval.bundle import MIN_CHARS

_MOST = 10**9  # more than the store can hold, and less than breaks its arithmetic
_NUMBER = re.compile("[1-9][0-9]{0,8}")


@click.command()
@click.argument("tasks", type=click.Path(path_type=Path))
@click.option("--versions", metavar="N,N", help="Graphs of these versions.  [default: the current one]")
@click.option(
    "--against", type=click.IntRange(1, _MOST), metavar="N", help="Compare the current graph with version N."
)
@click.option("-k", type=click.IntRange(1), default=8, show_default=True, help="Most skills in an answer.")
@click.option(
    "--max-chars",
    type=click.IntRange(MIN_CHARS),
    help="Count only skills whose text stands in a bundle of so many characters.",
)
@workspace_option
@json_option
def eval(
    *,
    tasks: Path,
    versions: str | None,
    against: int | None,
    k: int,
    max_chars: int | None,
    folder: Path | None,
    as_json: bool,
) -> None:
    """Measure graphs and the flat hybrid on TASKS, one JSON object a line.

    Each has a query, and any of must_include, must_not_include and order: lists of skills.
    """
    if versions is not None and against is not None:
        msg = "Give either --versions or --against."
        raise click.UsageError(msg)
    with open_workspace(folder) as workspace:
        numbers = _numbers(versions or "")
        if against is not None:
            numbers = [against, workspace.current().number]
        _check_differ(numbers)
        found = evaluate(workspace, tasks, versions=numbers, k=k, max_chars=max_chars)
    document = _document(found) | {"k": k, "max_chars": max_chars, "disabled": list(found.disabled)}
    emit(document, as_json=as_json, lines=_lines(found, k=k, max_chars=max_chars))


def _check_differ(numbers: Sequence[int]) -> None:
    for number in numbers:
        if numbers.count(number) > 1:
            msg = f"Version {number} would be compared with itself: name another one, see `caskg history`."
            raise click.UsageError(msg)


def _numbers(versions: str) -> list[int]:
    parts = [part.strip() for part in versions.split(",") if part.strip()]
    if not all(_NUMBER.fullmatch(part) for part in parts):
        msg = f"--versions takes numbers of versions, such as 3,5, not {versions!r}: see `caskg history`."
        raise click.UsageError(msg)
    return [int(part) for part in parts]


# ---------------------------------------------------------------- for programs


def _document(found: Evaluation) -> dict[str, Any]:
    return {
        "measures": {
            name: {measure: asdict(mean) for measure, mean in means(outcomes).items()}
            for name, outcomes in found.outcomes.items()
        },
        "intervals": {"confidence": CONFIDENCE, "resamples": RESAMPLES},
        "comparisons": [_comparison_document(each, found) for each in found.comparisons],
        "tasks": [
            asdict(task)
            | {
                "answers": {
                    name: {"found": outcomes[at].found, **outcomes[at].measures}
                    for name, outcomes in found.outcomes.items()
                }
            }
            for at, task in enumerate(found.tasks)
        ],
    }


def _comparison_document(comparison: Comparison, found: Evaluation) -> dict[str, Any]:
    won = sum(change.won for change in comparison.changes)
    return {
        "system": comparison.system,
        "against": comparison.against,
        "won": won,
        "lost": len(comparison.changes) - won,
        "even": comparison.n_even,
        "differences": {name: asdict(interval) for name, interval in comparison.differences.items()},
        "changes": [
            _change_document(change, *_outcomes(found, change.task, comparison))
            for change in comparison.changes
        ],
    }


def _outcomes(found: Evaluation, task: Task, comparison: Comparison) -> tuple[Outcome, Outcome]:
    at = found.tasks.index(task)
    return found.outcomes[comparison.system][at], found.outcomes[comparison.against][at]


def _change_document(change: Change, one: Outcome, other: Outcome) -> dict[str, Any]:
    before_and_after = {name: (other.measures[name], one.measures[name]) for name in MEASURES}
    return {
        "line": change.task.line,
        "query": change.task.query,
        "outcome": "won" if change.won else "lost",
        "measures": {name: pair for name, pair in before_and_after.items() if pair[0] != pair[1]},
        "came_in": _came(change.came_in, change.task, one),
        "went_out": _came(change.went_out, change.task, other),
    }


def _came(ids: tuple[str, ...], task: Task, outcome: Outcome) -> list[dict[str, str]]:
    return [
        {"id": skill_id, "wanted": _wanted(skill_id, task), "reason": outcome.reasons[skill_id]}
        for skill_id in ids
    ]


def _wanted(skill_id: str, task: Task) -> str:
    """Return the field of the task that names a skill, else nothing."""
    fields = ("must_include", "must_not_include", "order")
    return next((name for name in fields if skill_id in getattr(task, name)), "")


# ---------------------------------------------------------------- for people


def _lines(found: Evaluation, *, k: int, max_chars: int | None) -> Iterator[str]:
    bound = "" if max_chars is None else f", {max_chars:,} characters"
    yield f"Tasks: {len(found.tasks):,}. Surface: k = {k}{bound}."
    if found.disabled:
        yield f"Asked for, but disabled, so that no system can find it: {', '.join(found.disabled)}."
    averages = {name: means(outcomes) for name, outcomes in found.outcomes.items()}
    rows = [("", "tasks", *averages)]
    for measure in MEASURES:
        if any(measure in each for each in averages.values()):
            each = [average[measure] for average in averages.values()]
            rows.append((measure, f"{each[0].n_tasks:,}", *(f"{mean.value:.3f}" for mean in each)))
    yield from columns(rows, indent="  ")
    for comparison in found.comparisons:
        yield from _comparison_lines(_comparison_document(comparison, found))


def _comparison_lines(document: dict[str, Any]) -> Iterator[str]:
    yield (
        f"{document['system']} against {document['against']}: "
        f"won {document['won']:,}, lost {document['lost']:,}, even {document['even']:,}."
    )
    rows = [
        (name, f"{each['mean']:+.3f}", f"[{each['low']:+.3f}, {each['high']:+.3f}]")
        for name, each in document["differences"].items()
    ]
    yield from columns(rows, indent="  ") if rows else ()
    for change in document["changes"]:
        yield f"  {change['outcome']} line {change['line']}: {one_line(change['query'])}"
        moved = [f"{name} {was:.3g} -> {now:.3g}" for name, (was, now) in change["measures"].items()]
        yield f"    {', '.join(moved)}"
        for title, side in (("came in", change["came_in"]), ("went out", change["went_out"])):
            for each in side:
                wanted = f" ({each['wanted']})" if each["wanted"] else ""
                yield f"    {title}: {each['id']}{wanted}: {each['reason']}"
