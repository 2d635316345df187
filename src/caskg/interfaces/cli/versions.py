"""`caskg status`, `history`, `rollback`: what is published, what was, and the way back."""

from pathlib import Path

import click

from caskg.inspection import current_version, diagnostics_of, labels_to_check
from caskg.interfaces.cli.options import emit, json_option, open_workspace, table, workspace_option
from caskg.schema import Severity


@click.command()
@workspace_option
@json_option
def status(*, folder: Path | None, as_json: bool) -> None:
    """Say what the workspace holds: skills, edges, labels, answers, findings."""
    with open_workspace(folder) as workspace:
        labels = workspace.ledger.labels()
        document: dict[str, object] = {"workspace": str(workspace.path), "version": None}
        if version := current_version(workspace):
            findings = diagnostics_of(version)
            document |= {
                "version": version.number,
                "created": version.created.isoformat(),
                "skills": len(version.ids),
                **{key: value for key, value in version.meta.items() if key != "state"},
                "not_indexed": sum(finding.severity is Severity.ERROR for finding in findings),
                "labels_to_check": [
                    f"{label.source} -> {label.target}" for label in labels_to_check(labels, version)
                ],
            }
        document["labels"] = len(labels)
        document["answers"] = {
            prober: {
                "answers": spend.answers,
                "missing": spend.missing,
                "calls": spend.calls,
                "tokens": spend.tokens,
            }
            for prober, spend in workspace.ledger.spend().items()
        }
    emit(
        document,
        as_json=as_json,
        text=lambda: table([(key, _plain(value)) for key, value in document.items()]),
    )


@click.command()
@workspace_option
@json_option
def history(*, folder: Path | None, as_json: bool) -> None:
    """List the published versions, oldest first; an asterisk marks the current one."""
    with open_workspace(folder) as workspace:
        versions = workspace.versions()
    document = {
        "versions": [
            {
                "number": version.number,
                "current": version.current,
                "created": version.created.isoformat(),
                "skills": version.n_skills,
                "edges": version.n_edges,
                "profile": version.meta.get("profile"),
            }
            for version in versions
        ]
    }

    emit(document, as_json=as_json, text=lambda: _history_text(document["versions"]))


@click.command()
@click.argument("version", type=int, required=False)
@workspace_option
@json_option
def rollback(*, version: int | None, folder: Path | None, as_json: bool) -> None:
    """Make VERSION the current one, by default the one before. Nothing is removed."""
    with open_workspace(folder) as workspace:
        number = workspace.rollback(version).number
    emit({"version": number}, as_json=as_json, text=lambda: f"Version {number} is current.")


def _history_text(versions: list[dict[str, object]]) -> str:
    if not versions:
        return "Nothing has been published yet."
    titles = [key for key in versions[0] if key != "current"]
    rows = [["*" if row["current"] else "", *(_plain(row[key]) for key in titles)] for row in versions]
    return table([["", *titles], *rows])


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_plain(each)}" for key, each in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(map(_plain, value)) or "none"
    return "none" if value is None else str(value)
