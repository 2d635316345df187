"""`caskg repair`: give a workspace a new database with all that can be read of a damaged one."""

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from caskg.interfaces.cli.options import json_option, workspace_option
from caskg.interfaces.cli.output import emit
from caskg.store.salvage import repair as repair_workspace
from caskg.wiring import default_workspace


@click.command()
@workspace_option
@json_option
def repair(*, folder: Path | None, as_json: bool) -> None:
    """Save answers, labels, switches and vectors of a workspace whose database is damaged or gone.

    The old files are put aside and never removed; the versions are built anew by `caskg build`.
    Where the records are sound, nothing is changed.
    """
    found = repair_workspace(folder or default_workspace())
    document: dict[str, Any] = {"repaired": found is not None}
    if found:
        document |= {
            "aside": str(found.aside),
            "saved": dict(found.saved),
            "lost": dict(found.lost),
            "torn": list(found.torn),
            "last_build": {name: found.meta.get(name) for name in ("roots", "profile", "encoder")},
        }
    emit(document, as_json=as_json, lines=_lines(document))


def _lines(document: Mapping[str, Any]) -> Iterator[str]:
    if not document["repaired"]:
        yield "The records are sound; nothing was changed. `caskg build` writes damaged versions anew."
        return
    saved, lost = (
        ", ".join(f"{name} {count:,}" for name, count in document[part].items() if count) or "nothing"
        for part in ("saved", "lost")
    )
    yield f"The old files are in {document['aside']}."
    yield f"Saved: {saved}."
    yield f"Damaged and lost: {lost}."
    if document["torn"]:
        yield f"Could not be read to the end, so that more may be lost: {', '.join(document['torn'])}."
    yield f"Run `{_build_command(**document['last_build'])}` to publish a version anew."


def _build_command(*, roots: list[str] | None, profile: str | None, encoder: str | None) -> str:
    """Return how to build as the last time, as far as that is known."""
    words = ["--profile", profile] if profile else []
    words += ["--encoder", encoder] if encoder else []
    return " ".join(["caskg build", *map(shlex.quote, [*words, *(roots or ["PATH"])])])
