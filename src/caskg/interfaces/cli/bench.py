"""`caskg bench`: measure retrieval on sets whose answers are known."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from caskg.config import FrontierPolicy
from caskg.errors import UsageError
from caskg.interfaces.cli.options import json_option
from caskg.interfaces.cli.output import columns, emit, say
from caskg.wiring import EncoderChoice

CACHE = Path(".caskg-bench")

_DATA = click.option(
    "--data",
    type=click.Path(path_type=Path),
    required=True,
    help="Folder of <set>_library, <set>_tasks, <set>_edges and <set>_mask, .jsonl or .jsonl.xz.",
)
_SETS = click.option("--sets", metavar="A,B", default="", help="Only these sets.  [default: all]")
_ENCODER = click.option(
    "--encoder",
    type=click.Choice([EncoderChoice.AUTO.value, EncoderChoice.LOCAL.value, EncoderChoice.BUILTIN.value]),
    default=EncoderChoice.AUTO.value,
    show_default=True,
    help="auto: local where it is installed, else builtin.",
)
_CACHE = click.option(
    "--cache",
    type=click.Path(path_type=Path, file_okay=False),
    default=CACHE,
    show_default=True,
    help="Folder that keeps vectors and finished runs, so that a stopped run goes on.",
)
_QUIET = click.option("-q", "--quiet", is_flag=True, help="No progress.")
_RATE = click.FloatRange(0.0, 1.0)
_JUDGE = (
    click.option(
        "--judge", is_flag=True, help="Ask a simulated judge, which knows the gold edges of other tasks."
    ),
    click.option("--budget", type=click.IntRange(0), help="Edges it is asked about.  [default: as a build]"),
    click.option(
        "--policy", type=click.Choice([each.value for each in FrontierPolicy]), help="Which edges first."
    ),
    click.option(
        "--false-positive", type=_RATE, default=0.0, help="Share of other pairs that it takes for edges."
    ),
    click.option("--false-negative", type=_RATE, default=0.0, help="Share of edges that it takes for none."),
    click.option("--wrong", type=_RATE, default=0.0, help="Share of single answers that say the contrary."),
    click.option("--absent", type=_RATE, default=0.0, help="Share of single answers that are missing."),
)


def _judge_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add `_JUDGE` to a command."""
    for option in reversed(_JUDGE):
        command = option(command)
    return command


@click.group()
def bench() -> None:
    """Measure retrieval on tasks whose skills are known."""


@bench.command()
@_DATA
@_SETS
@click.option("--methods", metavar="A,B", default="", help="Only these methods.  [default: all]")
@_ENCODER
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of draws and controls.")
@_CACHE
@_judge_options
@_QUIET
@json_option
def gold(
    *,
    data: Path,
    sets: str,
    methods: str,
    encoder: str,
    seed: int,
    cache: Path,
    quiet: bool,
    as_json: bool,
    **judge: Any,  # noqa: ANN401 - the options of _JUDGE
) -> None:
    """Measure methods, controls and the ceiling on gold sets, with intervals by cluster."""
    from caskg.bench.gold import bench_gold
    from caskg.bench.runner import Plan

    plan = Plan(
        folder=data,
        sets=_names(sets),
        methods=_names(methods),
        cache=cache,
        encoder=encoder,
        seed=seed,
        **_judging(judge, seed=seed),
    )
    document = bench_gold(plan, progress=_silent if quiet else say)
    emit(document, as_json=as_json, lines=_lines(document))


@bench.command(name="judge")
@_DATA
@_SETS
@click.option(
    "--axes",
    metavar="A,B",
    default="",
    help="Only these of budget, flips, policy and asking.  [default: all]",
)
@click.option(
    "--budget", type=click.IntRange(1), default=500, show_default=True, help="Where it does not vary."
)
@click.option("--seeds", type=click.IntRange(1), default=5, show_default=True, help="How many.")
@click.option("--tasks", type=click.IntRange(1), help="Score at most so many tasks a set.  [default: all]")
@click.option(
    "--flips", type=_RATE, default=0.02, show_default=True, help="Axis asking: share of wrong minds."
)
@click.option("--wrong", type=_RATE, default=0.10, show_default=True, help="Axis asking: wrong answers.")
@click.option("--absent", type=_RATE, default=0.05, show_default=True, help="Axis asking: missing answers.")
@_ENCODER
@_CACHE
@_QUIET
@json_option
def study_judge(
    *,
    data: Path,
    sets: str,
    axes: str,
    budget: int,
    seeds: int,
    tasks: int | None,
    flips: float,
    wrong: float,
    absent: float,
    encoder: str,
    cache: Path,
    quiet: bool,
    as_json: bool,
) -> None:
    """Measure what a judge is worth: retrieval against its budget, its errors, and whom it is asked about."""
    from caskg.bench.report import study_tables
    from caskg.bench.simulated_judge import Errors
    from caskg.bench.study import AXES, StudyPlan, study

    plan = StudyPlan(
        folder=data,
        sets=_names(sets),
        axes=_names(axes) or AXES,
        budget=budget,
        seeds=seeds,
        tasks=tasks,
        errors=Errors(false_positive=flips, false_negative=flips, wrong=wrong, absent=absent),
        encoder=encoder,
        cache=cache,
    )
    document = study(plan, progress=_silent if quiet else say)
    emit(document, as_json=as_json, lines=_tables(study_tables(document), document))


def _judging(options: Mapping[str, Any], *, seed: int) -> dict[str, Any]:
    """Return what a plan says of its judge, as `_JUDGE` has it; nothing without one."""
    from caskg.bench.judged import JudgePlan, judging
    from caskg.bench.simulated_judge import Errors

    rates = {name: options[name] for name in ("false_positive", "false_negative", "wrong", "absent")}
    given = options["budget"] is not None or options["policy"] is not None or any(rates.values())
    if not options["judge"]:
        if given:
            msg = "These options are about a judge: add --judge, or leave them out."
            raise UsageError(msg)
        return {}
    policy = FrontierPolicy(options["policy"]) if options["policy"] else None
    judge = JudgePlan(budget=options["budget"], policy=policy, errors=Errors(**rates), seed=seed)
    return {"judging": judging(judge), "judging_id": repr(judge)}


def _silent(_line: str) -> None:
    """Say nothing."""


def _names(given: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in given.split(",") if name.strip()))
    if given and not names:
        msg = f"{given!r} holds no name: write names with commas between, or leave the option out for all."
        raise UsageError(msg)
    return names


def _lines(document: Mapping[str, Any]) -> Iterator[str]:
    from caskg.bench.report import tables

    yield from _tables(tables(document), document)


def _tables(
    tables: Iterable[tuple[str, Sequence[Sequence[str]]]], document: Mapping[str, Any]
) -> Iterator[str]:
    for title, rows in tables:
        if rows:
            yield title
            yield from columns(rows, indent="  ")
            yield ""
    for each in document["skipped"]:
        what = each.get("method") or each.get("measure")
        verb = "Failed" if each.get("measure") == "failures" else "Skipped"
        yield f"{verb} on {each['set']}: {what}: {each['reason']}."
