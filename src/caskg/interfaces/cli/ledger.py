"""`caskg ledger`: what was asked and answered, what it cost, out to a file and labels in from one."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

import click

from caskg.accounts import Entry, entries_of, entry_document, exported, import_labels, prune, totals
from caskg.graph.text_prober import TEXT_SOURCE
from caskg.interfaces.cli.options import json_option, open_workspace, workspace_option
from caskg.interfaces.cli.output import columns, emit, one_line, write
from caskg.providers.secret import refuse_key

_SHOWN = 50


@click.group()
def ledger() -> None:
    """List, sum up, export and prune what probers answered; import labels."""


@ledger.command(name="list")
@click.option("--prober", help="Only answers of the prober with this id.")
@click.option("--free", is_flag=True, help="Those of the free text prober too.")
@click.option("--missing", is_flag=True, help="Only answers without a score.")
@click.option("--outdated", is_flag=True, help="Only answers that can count no more.")
@workspace_option
@json_option
def list_answers(
    *, prober: str | None, free: bool, missing: bool, outdated: bool, folder: Path | None, as_json: bool
) -> None:
    """List the answers, each attempt; for people the first 50."""
    refuse_key("--prober", prober or "")

    def wanted(entry: Entry) -> bool:
        name = entry.key.prober_id
        return (
            (name == prober if prober else free or name != TEXT_SOURCE)
            and (entry.answer.score is None or not missing)
            and (entry.outdated or not outdated)
        )

    with open_workspace(folder) as workspace:
        found = [entry for entry in entries_of(workspace) if wanted(entry)]
    document = {"answers": [entry_document(entry) for entry in found]}
    emit(document, as_json=as_json, lines=_entry_lines(found))


@ledger.command(name="totals")
@workspace_option
@json_option
def show_totals(*, folder: Path | None, as_json: bool) -> None:
    """Say for each prober and prompt how many answers there are, and what they cost."""
    with open_workspace(folder) as workspace:
        sums = totals(entries_of(workspace))
    rows = [{"prober": name, "prompt": prompt, **asdict(total)} for (name, prompt), total in sums.items()]
    emit({"totals": rows}, as_json=as_json, lines=_total_lines(rows))


@ledger.command()
@click.argument("file", type=click.File("w", encoding="utf-8", lazy=True), default="-")
@workspace_option
@json_option
def export(*, file: IO[str], folder: Path | None, as_json: bool) -> None:
    """Write every label and answer to FILE (- = standard output), one JSON object a line.

    With --json the lines are one document, on standard output.
    """
    with open_workspace(folder) as workspace:
        documents = list(exported(workspace))
    if as_json:
        emit({"entries": documents}, as_json=True, lines=())
        return
    lines = [json.dumps(document) for document in documents]  # ASCII: nothing in it drives a terminal
    if file.name in ("-", "<stdout>"):
        write("\n".join(lines))
        return
    file.write("".join(f"{line}\n" for line in lines))


@ledger.command(name="prune")
@click.option("--dry-run", is_flag=True, help="Count them, and remove nothing.")
@workspace_option
@json_option
def prune_answers(*, dry_run: bool, folder: Path | None, as_json: bool) -> None:
    """Remove the answers that can count no more in the current version.

    They are about texts that are not in it, or were given to prompts that are not in use. After a
    rollback to a version that has these texts they would have to be paid for again.
    """
    with open_workspace(folder) as workspace:
        count = sum(entry.outdated for entry in entries_of(workspace)) if dry_run else prune(workspace)
    said = "Answers that would be removed" if dry_run else "Answers removed"
    emit({"removed": count, "dry_run": dry_run}, as_json=as_json, lines=[f"{said}: {count:,}."])


@ledger.command(name="import")
@click.argument("file", type=click.File(encoding="utf-8-sig"), default="-")
@workspace_option
@json_option
def import_file(*, file: IO[str], folder: Path | None, as_json: bool) -> None:
    """Read labels from FILE (- = standard input), one JSON object a line, all or none.

    {"source": "boil-water", "target": "brew-tea", "verdict": "confirm", "note": "why"}
    """
    with open_workspace(folder) as workspace:
        found = import_labels(_lines(file), workspace.current(), workspace.ledger)
    lines = [f"New labels: {found.new:,}. Run `caskg build` to publish them."]
    if found.passed_over:
        lines.append(f"Lines that are no label of a person, passed over: {found.passed_over:,}.")
    if found.contradicted:
        numbers = ", ".join(map(str, found.contradicted))
        lines.append(
            f"Lines with another verdict than a later one on the same pair, which stands: {numbers}."
        )
    emit(found._asdict(), as_json=as_json, lines=lines)


def _lines(file: IO[str]) -> Iterator[str]:
    try:
        yield from file
    except UnicodeDecodeError as error:
        msg = f"{file.name} is no UTF-8."
        raise click.UsageError(msg) from error


def _entry_lines(found: Sequence[Entry]) -> Iterator[str]:
    if not found:
        yield "There are no such answers."
        return
    yield from columns(
        [("source", "target", "probe", "score", "prompt", "prober"), *map(_cells, found[:_SHOWN])]
    )
    if len(found) > _SHOWN:
        yield f"{len(found) - _SHOWN:,} more: --json lists all."


def _cells(entry: Entry) -> list[str]:
    key, answer = entry.key, entry.answer
    score = f"missing: {answer.missing_reason}" if answer.score is None else f"{answer.score:.3f}"
    ends = entry.source or key.source_hash[:12], entry.target or key.target_hash[:12]
    shown = [*ends, key.kind, one_line(score, limit=50), key.prompt_version, key.prober_id]
    return [*shown[:-1], f"{shown[-1]} (outdated)"] if entry.outdated else shown


def _total_lines(rows: Sequence[dict[str, Any]]) -> list[str]:
    if not rows:
        return ["Nothing was asked yet."]
    titles = list(rows[0])
    return columns([titles, *([_plain(row[title]) for title in titles] for row in rows)])


def _plain(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
