"""`caskg query`: the few skills a task needs, in order, with reasons."""

import sys
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

import click

from caskg.inspection import hidden_ids, lying_in, position_of, positions_of, tagged
from caskg.interfaces.cli.options import (
    as_text,
    folder_option,
    json_option,
    open_workspace,
    tag_option,
    workspace_option,
)
from caskg.interfaces.cli.output import emit, one_line, say
from caskg.retrieval.bundle import MIN_CHARS, render
from caskg.retrieval.explain import reasons
from caskg.schema import Bundle, EdgeStep, RankedSkill, Ranking
from caskg.store.snapshot import Snapshot
from caskg.wiring import open_retriever


@click.command()
@click.argument("task", nargs=-1, required=True)
@click.option("-k", type=click.IntRange(1), default=8, show_default=True, help="Most skills to return.")
@click.option("--have", multiple=True, metavar="SKILL", help="One that is loaded already. Repeatable.")
@click.option("--exclude", multiple=True, metavar="SKILL", help="One that must not appear. Repeatable.")
@tag_option
@folder_option
@click.option("--bundle", is_flag=True, help="Print the skills' texts, ready for an agent.")
@click.option(
    "--max-chars",
    type=click.IntRange(MIN_CHARS),
    default=12_000,
    show_default=True,
    help="Most characters of the bundle.",
)
@workspace_option
@json_option
def query(
    *,
    task: tuple[str, ...],
    k: int,
    have: tuple[str, ...],
    exclude: tuple[str, ...],
    tags: tuple[str, ...],
    folders: tuple[str, ...],
    bundle: bool,
    max_chars: int,
    folder: Path | None,
    as_json: bool,
) -> None:
    """Return the skills for TASK, prerequisites first, or none and a hint. TASK - reads standard input."""
    text = task_text(task)
    with open_workspace(folder) as workspace:
        version = workspace.current()
        hidden = hidden_ids(workspace, version, tags=tags, folders=folders) | _hidden(version, exclude)
        warnings = [*_unmatched(version, have, tags, folders), *_nothing_left(version, hidden)]
        ranking = open_retriever(version, few_queries=True).retrieve(
            text, k=k, have=_ids(version, have), exclude=hidden
        )
    rendered = render(ranking, max_chars=max_chars) if bundle else None
    document = {"version": version.number, **ranking_document(ranking, rendered), "warnings": warnings}
    lines: Iterable[str] = rendered.text.split("\n") if rendered else ranking_lines(ranking)
    emit(document, as_json=as_json, lines=lines)
    for warning in warnings:
        say(f"caskg: {warning}")


def task_text(words: Iterable[str]) -> str:
    """Return the task: the words, or standard input for ``-``."""
    text = " ".join(words)
    if text != "-":
        return as_text(text)
    data = sys.stdin.buffer.read() if sys.stdin else b""  # None where it was closed
    return data.decode(errors="replace")


def ranking_document(ranking: Ranking, bundle: Bundle | None = None) -> dict[str, Any]:
    """Return a ranking as plain data."""
    return {
        "query": ranking.query,
        "abstained": ranking.abstained,
        "sufficiency": round(ranking.sufficiency, 4),
        "hint": ranking.hint,
        "method": ranking.method,
        "skills": [ranked_document(ranked) for ranked in ranking.skills],
        "bundle": None
        if bundle is None
        else {
            "text": bundle.text,
            "included": bundle.included,
            "trimmed": bundle.trimmed,
            "left_out": bundle.left_out,
        },
    }


def ranked_document(ranked: RankedSkill) -> dict[str, Any]:
    """Return one skill of a ranking as plain data, without its text."""
    return {
        "id": ranked.skill.id,
        "name": ranked.skill.name,
        "description": ranked.skill.description,
        "path": ranked.skill.path,
        "score": round(ranked.score, 6),
        "exact_name": ranked.exact_name,
        "lexical_rank": ranked.lexical_rank,
        "semantic_rank": ranked.semantic_rank,
        "via": [step_document(step) for step in ranked.path],
        "before": [step_document(step) for step in ranked.supports],
        "reason": reasons(ranked),
    }


def step_document(step: EdgeStep) -> dict[str, Any]:
    """Return a published edge as plain data."""
    return {
        "source": step.source,
        "target": step.target,
        "type": step.type,
        "state": step.state,
        "weight": round(step.weight, 4),
    }


def ranking_lines(ranking: Ranking) -> Iterator[str]:
    """Say a ranking to people: an ordered list with reasons, or the hint."""
    if ranking.hint:
        yield ranking.hint
    for place, ranked in enumerate(ranking.skills, start=1):
        yield f"{place}. {ranked.skill.id}"
        yield f"   {one_line(ranked.skill.description)}"
        yield f"   why: {reasons(ranked)}"


def _unmatched(
    version: Snapshot, have: Iterable[str], tags: Iterable[str], folders: Iterable[str]
) -> Iterator[str]:
    """Say what means no skill; a misspelt filter would look like a task that nothing fits."""
    for name in have:
        if not positions_of(version, name):
            yield f"there is no skill {name!r} in version {version.number}; it was ignored."
    for tag in tags:
        if not tagged(version, [tag]):
            yield f"no skill in version {version.number} has the tag {tag!r}."
    for folder in folders:
        if not lying_in(version.ids, [folder]):
            yield f"no skill in version {version.number} lies in {folder!r}."


def _nothing_left(version: Snapshot, hidden: AbstractSet[str]) -> Iterator[str]:
    if hidden >= set(version.ids):
        yield f"every skill of version {version.number} is disabled, excluded or outside of the filters."


def _hidden(version: Snapshot, names: Iterable[str]) -> set[str]:
    """Return the ids that *names* mean; a name that means nobody is refused, lest it hide nobody.

    Raises:
        UsageError: There is no such skill.
    """
    found = ((name, positions_of(version, name)) for name in names)
    return {version.ids[at] for name, positions in found for at in positions or [position_of(version, name)]}


def _ids(version: Snapshot, names: Iterable[str]) -> set[str]:
    """Return the ids that *names* may mean; a host may name skills that this library does not hold."""
    return {version.ids[at] for name in names for at in positions_of(version, name)}
