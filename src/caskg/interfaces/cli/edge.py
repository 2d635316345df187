"""`caskg edge`: what a person says of an edge enters the ledger as a label."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from caskg.errors import UsageError
from caskg.inspection import explain_pair, position_of
from caskg.interfaces.cli.options import as_text, json_option, open_workspace, workspace_option
from caskg.interfaces.cli.output import emit
from caskg.schema import Label, LabelSource, Verdict
from caskg.store.snapshot import Snapshot

NOT_WALKED = "An alternative carries no relevance, whatever its label: it only stands in the other's place."
_PUBLISH = "Run `caskg build` to publish it."


@click.group()
def edge() -> None:
    """Confirm or reject that one skill supports another, or clear that label."""


def _ends(command: Callable[..., None]) -> Callable[..., None]:
    for part in (json_option, workspace_option, click.argument("target"), click.argument("source")):
        command = part(command)
    return command


_note_option = click.option("--note", default="", help="Why, for those who read it later.")


@edge.command()
@_ends
@_note_option
def confirm(*, source: str, target: str, note: str, folder: Path | None, as_json: bool) -> None:
    """Say that SOURCE supports TARGET: it comes before, feeds, or enables it."""
    document = _label(Verdict.CONFIRM, (source, target), note, folder)
    lines = [f"Confirmed {_arrow(document)}. {_PUBLISH}"]
    emit(document, as_json=as_json, lines=lines if document["walked"] else [*lines, NOT_WALKED])


@edge.command()
@_ends
@_note_option
def reject(*, source: str, target: str, note: str, folder: Path | None, as_json: bool) -> None:
    """Say that SOURCE does not support TARGET."""
    document = _label(Verdict.REJECT, (source, target), note, folder)
    emit(document, as_json=as_json, lines=[f"Rejected {_arrow(document)}. {_PUBLISH}"])


@edge.command()
@_ends
def clear(*, source: str, target: str, folder: Path | None, as_json: bool) -> None:
    """Remove a person's label from SOURCE -> TARGET; an author's stays."""
    with open_workspace(folder) as workspace:
        version = workspace.current()
        ids = _id(version, source), _id(version, target)
        removed = workspace.ledger.clear_label(*ids)
    document = {"source": ids[0], "target": ids[1], "removed": bool(removed)}
    said = (
        f"Cleared {_arrow(document)}. {_PUBLISH}"
        if removed
        else f"No label of a person stands on {_arrow(document)}."
    )
    emit(document, as_json=as_json, lines=[said])


def _label(verdict: Verdict, names: tuple[str, str], note: str, folder: Path | None) -> dict[str, Any]:
    with open_workspace(folder) as workspace:
        version = workspace.current()
        source, target = (position_of(version, name) for name in names)
        label = Label(
            source=version.ids[source],
            target=version.ids[target],
            verdict=verdict,
            given_by=LabelSource.PERSON,
            source_hash=version.content_hashes[source],
            target_hash=version.content_hashes[target],
            note=as_text(note),
        )
        workspace.ledger.set_label(label)
        known = explain_pair(workspace, version, (source, target))
    return {
        "source": label.source,
        "target": label.target,
        "verdict": label.verdict,
        "note": label.note,
        "walked": known.edge is None or known.walked,
    }


def _id(version: Snapshot, name: str) -> str:
    """Return the id that *name* means; as typed where the skill is gone, for its label may not be."""
    try:
        return version.ids[position_of(version, name)]
    except UsageError:
        return name


def _arrow(document: dict[str, Any]) -> str:
    return f"{document['source']} -> {document['target']}"
