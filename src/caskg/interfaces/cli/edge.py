"""`caskg edge`: what a person says of an edge enters the ledger as a label."""

from pathlib import Path

import click

from caskg.errors import UsageError
from caskg.inspection import position_of
from caskg.interfaces.cli.options import emit, json_option, open_workspace, workspace_option
from caskg.schema import Label, LabelSource, Verdict
from caskg.store.snapshot import Snapshot

_PUBLISH = "Run `caskg build` to publish it."


@click.group()
def edge() -> None:
    """Confirm or reject that one skill supports another, or clear that label."""


def _label(verdict: Verdict, source: str, target: str, note: str, folder: Path | None) -> dict[str, str]:
    with open_workspace(folder) as workspace:
        version = workspace.current()
        ends = position_of(version, source), position_of(version, target)
        if ends[0] == ends[1]:
            msg = "an edge joins two different skills."
            raise click.UsageError(msg)
        label = Label(
            source=version.ids[ends[0]],
            target=version.ids[ends[1]],
            verdict=verdict,
            given_by=LabelSource.PERSON,
            source_hash=version.content_hashes[ends[0]],
            target_hash=version.content_hashes[ends[1]],
            note=note,
        )
        workspace.ledger.set_label(label)
    return {"source": label.source, "target": label.target, "verdict": label.verdict.value}


@edge.command()
@click.argument("source")
@click.argument("target")
@click.option("--note", default="", help="Why, for those who read it later.")
@workspace_option
@json_option
def confirm(*, source: str, target: str, note: str, folder: Path | None, as_json: bool) -> None:
    """Say that SOURCE supports TARGET: it comes before, feeds, or enables it."""
    document = _label(Verdict.CONFIRM, source, target, note, folder)
    emit(
        document,
        as_json=as_json,
        text=lambda: f"Confirmed {document['source']} -> {document['target']}. {_PUBLISH}",
    )


@edge.command()
@click.argument("source")
@click.argument("target")
@click.option("--note", default="", help="Why, for those who read it later.")
@workspace_option
@json_option
def reject(*, source: str, target: str, note: str, folder: Path | None, as_json: bool) -> None:
    """Say that SOURCE does not support TARGET."""
    document = _label(Verdict.REJECT, source, target, note, folder)
    emit(
        document,
        as_json=as_json,
        text=lambda: f"Rejected {document['source']} -> {document['target']}. {_PUBLISH}",
    )


@edge.command()
@click.argument("source")
@click.argument("target")
@workspace_option
@json_option
def clear(*, source: str, target: str, folder: Path | None, as_json: bool) -> None:
    """Remove a person's label from SOURCE -> TARGET; an author's stays."""
    with open_workspace(folder) as workspace:
        version = workspace.current()
        # A label may be on a skill that is gone: then its id is taken as it was typed.
        ids = _id(version, source), _id(version, target)
        removed = workspace.ledger.clear_label(*ids)
    document = {"source": ids[0], "target": ids[1], "removed": removed}
    said = (
        f"Cleared {ids[0]} -> {ids[1]}. {_PUBLISH}"
        if removed
        else f"There was no label on {ids[0]} -> {ids[1]}."
    )
    emit(document, as_json=as_json, text=lambda: said)


def _id(version: Snapshot, name: str) -> str:
    try:
        return version.ids[position_of(version, name)]
    except UsageError:
        return name
