"""`caskg explain`, `show`, `graph`: why a skill or an edge is there, and the graph for other tools."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from caskg.errors import UsageError
from caskg.inspection import PairExplanation, edges_of, explain_pair, position_of
from caskg.interfaces.cli.export import FORMATS
from caskg.interfaces.cli.options import emit, json_option, open_workspace, table, workspace_option
from caskg.interfaces.cli.query import one_line, ranking_document
from caskg.published import graph_from
from caskg.schema import EdgeStep, Ranking, Skill
from caskg.wiring import open_retriever


@click.command()
@click.argument("source")
@click.argument("target", required=False)
@click.option("--task", help="Say instead why SOURCE is or is not in the answer to this task.")
@workspace_option
@json_option
def explain(*, source: str, target: str | None, task: str | None, folder: Path | None, as_json: bool) -> None:
    """Say what is known about the edge SOURCE -> TARGET, or, with --task, about SOURCE in an answer."""
    if (target is None) == (task is None):
        msg = "give a TARGET or a --task, one of them."
        raise click.UsageError(msg)
    with open_workspace(folder) as workspace:
        version = workspace.current()
        start = position_of(version, source)
        if task is not None:
            ranking = open_retriever(version).retrieve(task, k=len(version.ids))
            document = _place(ranking, version.ids[start])
            emit(document, as_json=as_json, text=lambda: _place_text(document))
            return
        end = position_of(version, target or "")
        found = explain_pair(workspace, version, (start, end))
        document = {
            "source": version.ids[start],
            "target": version.ids[end],
            "candidate": found.edge is not None,
            "edge": asdict(found.edge) if found.edge else None,
            "labels": [asdict(label) for label in found.labels],
        }
    emit(document, as_json=as_json, text=lambda: _pair_text(document, found))


@click.command()
@click.argument("skill")
@click.option("--body", is_flag=True, help="Print the whole text too.")
@workspace_option
@json_option
def show(*, skill: str, body: bool, folder: Path | None, as_json: bool) -> None:
    """Show a skill as it was read: its fields, and its edges."""
    with open_workspace(folder) as workspace:
        version = workspace.current()
        position = position_of(version, skill)
        found, edges = version.skills[position], edges_of(version, position)
    document = asdict(found) | {"edges": [asdict(step) for step in edges]}
    if not body:
        del document["body"], document["sections"]
    emit(document, as_json=as_json, text=lambda: _skill_text(found, edges, body=body))


@click.command()
@click.option("--format", "kind", type=click.Choice(list(FORMATS)), default="json", show_default=True)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="A file; default: standard output.")
@workspace_option
@json_option
def graph(*, kind: str, output: Path | None, folder: Path | None, as_json: bool) -> None:
    """Write the published graph as JSON, GraphML or DOT. --json is --format json."""
    with open_workspace(folder) as workspace:
        version = workspace.current()
        edges = graph_from(version.arrays, n_skills=len(version.ids))
        names = [skill.name for skill in version.skills]
        text = FORMATS["json" if as_json else kind](edges, version.ids, names)
    if output is None:
        click.echo(text)
        return
    try:
        output.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        msg = f"Cannot write {output} ({error.strerror}): choose another file."
        raise UsageError(msg) from error


# ---------------------------------------------------------------- text for people


def _place(ranking: Ranking, skill_id: str) -> dict[str, Any]:
    """Return where a skill stands among all that got relevance, and why."""
    by_score = sorted(ranking.skills, key=lambda ranked: (-ranked.exact_name, -ranked.score))
    places = {ranked.skill.id: place for place, ranked in enumerate(by_score, start=1)}
    row = next((row for row in ranking_document(ranking)["skills"] if row["id"] == skill_id), None)
    return {
        "query": ranking.query,
        "abstained": ranking.abstained,
        "hint": ranking.hint,
        "id": skill_id,
        "place": places.get(skill_id),
        "of": len(places),
        "skill": row,
    }


def _place_text(document: dict[str, Any]) -> str:
    if document["abstained"]:
        return str(document["hint"])
    if document["skill"] is None:
        return f"{document['id']} is no seed of this task, and no relevance reaches it over the graph."
    place = f"{document['id']}: place {document['place']} of {document['of']} by relevance"
    return f"{place}, score {document['skill']['score']:.4f}\nwhy: {document['skill']['reason']}"


def _pair_text(document: dict[str, Any], found: PairExplanation) -> str:
    head = f"{document['source']} -> {document['target']}"
    labels = [f"label: {label.verdict} by {label.given_by} {label.note}".rstrip() for label in found.labels]
    if found.edge is None:
        return "\n".join([f"{head} is no candidate: no signal joins them in this direction.", *labels])
    edge = found.edge
    published = f"published with weight {edge.weight:.3f}" if edge.weight else "not published"
    rows = [("association A", f"{edge.association:.3f}"), ("reliability c", f"{edge.reliability:.3f}")]
    rows += [(f"signal {name}", f"{value:.3f}") for name, value in edge.signals.items()]
    for kind, answer in edge.answers:
        said = f"{answer.score:.2f}" if answer.score is not None else f"missing: {answer.missing_reason}"
        rows.append((f"{answer.source_id} {kind}", said))
    return "\n".join([f"{head}: {edge.type}, {edge.state}, {published}", table(rows), *labels])


def _skill_text(skill: Skill, edges: Sequence[EdgeStep], *, body: bool) -> str:
    fields = asdict(skill.fields)
    rows = [
        ("name", skill.name),
        ("description", one_line(skill.description, limit=1024)),
        ("path", skill.path),
    ]
    rows += [(name, _short(value)) for name, value in fields.items() if value is not None]
    lines = [skill.id, table(rows)]
    lines += [
        f"{step.source} -> {step.target} ({step.type}, {step.state}, weight {step.weight:.3f})"
        for step in edges
    ]
    return "\n".join([*lines, *(["", skill.body] if body else [])])


def _short(items: Sequence[Any]) -> str:
    names = [item if isinstance(item, str) else str(item.get("name") or item.get("target")) for item in items]
    return one_line("; ".join(names), limit=300)
