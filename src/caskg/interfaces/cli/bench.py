"""`caskg bench`: measure retrieval on sets whose answers are known."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from caskg.interfaces.cli.options import json_option
from caskg.interfaces.cli.output import columns, emit, say
from caskg.wiring import EncoderChoice

CACHE = Path(".caskg-bench")


@click.group()
def bench() -> None:
    """Measure retrieval on tasks whose skills are known."""


@bench.command()
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    required=True,
    help="Folder of <set>_library, <set>_tasks, <set>_edges and <set>_mask, .jsonl or .jsonl.xz.",
)
@click.option("--sets", metavar="A,B", default="", help="Only these sets.  [default: all]")
@click.option("--methods", metavar="A,B", default="", help="Only these methods.  [default: all]")
@click.option(
    "--encoder",
    type=click.Choice([choice.value for choice in EncoderChoice]),
    default=EncoderChoice.AUTO.value,
    show_default=True,
    help="auto: local where it is installed, else builtin.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of draws and controls.")
@click.option(
    "--cache",
    type=click.Path(path_type=Path, file_okay=False),
    default=CACHE,
    show_default=True,
    help="Folder that keeps vectors and finished runs, so that a stopped run goes on.",
)
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
@json_option
def gold(
    *, data: Path, sets: str, methods: str, encoder: str, seed: int, cache: Path, quiet: bool, as_json: bool
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
    )
    document = bench_gold(plan, progress=_silent if quiet else say)
    emit(document, as_json=as_json, lines=_lines(document))


def _silent(_line: str) -> None:
    """Say nothing."""


def _names(given: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.strip() for name in given.split(",") if name.strip()))


def _lines(document: Mapping[str, Any]) -> Iterator[str]:
    from caskg.bench.report import tables

    for title, rows in tables(document):
        if rows:
            yield title
            yield from columns(rows, indent="  ")
            yield ""
    for each in document["skipped"]:
        what = each.get("method") or each.get("measure")
        yield f"Skipped on {each['set']}: {what}: {each['reason']}."
