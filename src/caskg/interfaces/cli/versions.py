"""`caskg status`, `history`, `rollback`: what is published, what was, and the way back."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from caskg.config import Reading
from caskg.inspection import current_version, diagnostics_of, labels_to_check, unborne_switches
from caskg.interfaces.cli.options import json_option, open_workspace, workspace_option
from caskg.interfaces.cli.output import columns, emit
from caskg.schema import Severity
from caskg.store.workspace import Workspace

_MOST = 10**9  # more than the store can hold, and less than breaks its arithmetic


@click.command()
@workspace_option
@json_option
def status(*, folder: Path | None, as_json: bool) -> None:
    """Say what the workspace holds: skills, edges, findings, labels, answers."""
    with open_workspace(folder) as workspace:
        document = {"workspace": str(workspace.path), **_published(workspace), **_learnt(workspace)}
    emit(
        document,
        as_json=as_json,
        lines=columns([(key, _plain(each)) for key, each in document.items()]),
    )


@click.command()
@workspace_option
@json_option
def history(*, folder: Path | None, as_json: bool) -> None:
    """List the published versions, oldest first; an asterisk marks the current one."""
    with open_workspace(folder) as workspace:
        rows = [
            {
                "version": version.number,
                "current": version.current,
                "created": version.created.isoformat(),
                "skills": version.n_skills,
                "edges": version.n_edges,
                "profile": version.meta.get("profile"),
                "encoder": version.meta.get("encoder"),
            }
            for version in workspace.versions()
        ]
    emit({"versions": rows}, as_json=as_json, lines=_history_lines(rows))


@click.command()
@click.argument("version", type=click.IntRange(1, _MOST), required=False)
@workspace_option
@json_option
def rollback(*, version: int | None, folder: Path | None, as_json: bool) -> None:
    """Make VERSION the current one, by default the one before. Nothing is removed."""
    with open_workspace(folder) as workspace:
        number = workspace.rollback(version).number
    emit({"version": number}, as_json=as_json, lines=[f"Version {number} is current."])


def version_facts(number: int, n_skills: int, meta: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is said of a version wherever one is shown."""
    return {
        "version": number,
        "skills": n_skills,
        "edges": meta["n_edges"],
        "edge_types": meta["types"],
        "candidates": meta["n_candidates"],
        "candidate_states": meta["candidate_states"],
        "probed": meta["n_frontier"],
        "verifier": meta.get("verifier"),  # versions of earlier builds do not say
        "models": meta.get("sources", {}),
        "reading": meta.get("reading", "counted"),
        "profile": meta["profile"],
        "encoder": meta["encoder"],
        "prober": meta["prober"],
        "roots": meta["roots"],
        "labels_followed": meta.get("labels_followed", []),  # absent in versions of an older CaSKG
        "disabled_followed": meta.get("disabled_followed", []),
    }


def summary(facts: Mapping[str, Any], *, unchanged: bool = False) -> list[str]:
    """Return what was built: two lines, and one each for models, the verifier, and what followed a skill."""
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in facts["edge_types"].items() if count)
    lines = [
        f"Version {facts['version']} {'is up to date' if unchanged else 'published'}:"
        f" {facts['skills']:,} skills, {facts['edges']:,} edges ({kinds or 'none'})"
        f" of {facts['candidates']:,} candidates.",
        f"Profile {facts['profile']}, encoder {facts['encoder']}.",
        *map(_model_line, facts["models"], facts["models"].values()),
        *_reading_line(facts),
        *_verifier_line(facts["verifier"]),
    ]
    if not unchanged:
        lines += [f"A label followed a skill that moved: {each}." for each in facts["labels_followed"]]
        lines += [f"Disabled, and moved: {each}, is still disabled." for each in facts["disabled_followed"]]
    return lines


def _model_line(name: str, use: Mapping[str, Any]) -> str:
    line = (
        f"{name}: {use['n_answers']:,} answers on {use['n_edges']:,} edges, worth {use['units']} of 3 units"
    )
    return f"{line}." if use["checked"] else f"{line}: it was never checked; run `caskg judge-check`."


def _reading_line(facts: Mapping[str, Any]) -> list[str]:
    modelled = facts.get("reading") == Reading.MODELLED and facts["models"]
    return ["Answers are read as their judge check says the model answers."] if modelled else []


def _verifier_line(verifier: Mapping[str, Any] | None) -> list[str]:
    if not verifier:
        return []  # a profile that learns nothing
    if not verifier["used"]:
        return [f"Verifier not used, edges keep their unlearned score: {verifier['reason']}"]
    return [
        f"Verifier used: from {verifier['confirmed']:,} confirmed and {verifier['rejected']:,} rejected"
        f" edges; held-out error {verifier['error']:.3f}, skill {verifier['skill']:.2f}."
    ]


def _published(workspace: Workspace) -> dict[str, Any]:
    version = current_version(workspace)
    if version is None:
        return {"version": None}
    errors = (finding for finding in diagnostics_of(version) if finding.severity is Severity.ERROR)
    to_check = labels_to_check(workspace.ledger.labels(), version)
    return version_facts(version.number, len(version.ids), version.meta) | {
        "created": version.created.isoformat(),
        "disabled": sorted(workspace.switches.disabled()),
        "disabled_unborne": sorted(unborne_switches(workspace, version)),
        "not_indexed": [finding.path for finding in errors],
        "labels_to_check": [f"{label.source} -> {label.target}" for label in to_check],
    }


def _learnt(workspace: Workspace) -> dict[str, Any]:
    """Return what lasts over all versions: labels, and what was asked of probers."""
    answers = {
        prober: {
            "answers": spend.answers,
            "missing": spend.missing,
            "calls": spend.calls,
            "tokens": spend.tokens,
        }
        for prober, spend in workspace.ledger.spend().items()
    }
    return {"labels": len(workspace.ledger.labels()), "answers": answers}


def _history_lines(rows: list[dict[str, Any]]) -> list[str]:
    if not rows:
        return ["Nothing has been published yet: run `caskg build`."]
    titles = [key for key in rows[0] if key != "current"]
    cells = [["*" if row["current"] else "", *(_plain(row[title]) for title in titles)] for row in rows]
    return columns([["", *titles], *cells])


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_plain(each)}" for key, each in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(map(_plain, value)) or "none"
    return "none" if value is None else f"{value:,}" if isinstance(value, int) else str(value)
