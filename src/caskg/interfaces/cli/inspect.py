"""`caskg explain`, `show`, `graph`: why a skill or an edge is there, and the graph for other tools."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import click

from caskg.config import Profile
from caskg.errors import UsageError
from caskg.graph.contrast import ARMS, contrasted
from caskg.inspection import (
    Relatives,
    edges_of,
    explain_pair,
    hidden_ids,
    labels_to_check,
    position_of,
    relatives_of,
    visible_graph,
)
from caskg.interfaces.cli.edge import NOT_WALKED
from caskg.interfaces.cli.export import FORMATS
from caskg.interfaces.cli.options import json_option, open_workspace, workspace_option
from caskg.interfaces.cli.output import columns, emit, one_line, write
from caskg.interfaces.cli.query import ranked_document, step_document, task_text
from caskg.retrieval.explain import EdgeExplanation
from caskg.schema import (
    PROBE_KINDS,
    Artifact,
    EdgeStep,
    EdgeType,
    Label,
    Parameter,
    ProbeAnswer,
    ProbeKey,
    ProbeKind,
    Ranking,
    Reference,
    ResolvedReference,
    Skill,
    SkillFields,
)
from caskg.store.snapshot import Snapshot
from caskg.store.workspace import Workspace
from caskg.wiring import open_retriever

_NEIGHBOURS = 8


@click.command()
@click.argument("source")
@click.argument("target", required=False)
@click.option(
    "--task", metavar="TEXT", help="Say instead why SOURCE is, or is not, in the answer to this task."
)
@workspace_option
@json_option
def explain(*, source: str, target: str | None, task: str | None, folder: Path | None, as_json: bool) -> None:
    """Say what is known about the edge SOURCE -> TARGET, or, with --task, about SOURCE in an answer.

    Of an edge: its type and state, association, reliability and weight, the signals that are
    active, what each probe answered or why its answer is missing, the sentence in which one of
    the two documents speaks of the other, what the source says | what the target says for each
    other signal, and labels. A probe
    has "no answer" where it was not asked, or where the two texts say nothing of it.
    """
    with open_workspace(folder) as workspace:
        version = workspace.current()
        start = position_of(version, source)
        if target is not None and task is None:
            document = _pair_document(workspace, version, (start, position_of(version, target)))
            emit(document, as_json=as_json, lines=_pair_lines(document))
        elif task is not None and target is None:
            hidden = hidden_ids(workspace, version)
            retriever = open_retriever(version, few_queries=True)
            ranking = retriever.retrieve(task_text([task]), k=len(version.ids), exclude=hidden)
            skill_id = version.ids[start]
            place = _place_document(ranking, skill_id) | {"disabled": skill_id in hidden}
            emit(place, as_json=as_json, lines=_place_lines(place))
        else:
            msg = "Give either TARGET or --task: explain an edge, or a place in an answer."
            raise click.UsageError(msg)


@click.command()
@click.argument("skill")
@click.option("--body", is_flag=True, help="Print the whole text too.")
@workspace_option
@json_option
def show(*, skill: str, body: bool, folder: Path | None, as_json: bool) -> None:
    """Show a skill as it was read: its fields, its edges, the heaviest first, and what is like it."""
    with open_workspace(folder) as workspace:
        version = workspace.current()
        position = position_of(version, skill)
        found, relatives = version.skills[position], relatives_of(version, position)
        edges = [step for step in edges_of(version, position) if step.type is not EdgeType.ALTERNATIVE]
        disabled = found.id in workspace.switches.disabled()
    document = asdict(found) | {
        "disabled": disabled,
        "edges": [step_document(step) for step in edges],
        "alternatives": [{"id": other, "cosine": round(like, 4)} for other, like in relatives.alternatives],
        "duplicates": [{"id": other, "share": round(share, 4)} for other, share in relatives.duplicates],
    }
    if not body:
        del document["body"], document["sections"]
    lines = [*_skill_lines(found, edges, disabled=disabled), *_relative_lines(relatives)]
    emit(document, as_json=as_json, lines=[*lines, "", *found.body.split("\n")] if body else lines)


@click.command()
@click.option("--format", "kind", type=click.Choice(list(FORMATS)), help="[default: json]")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="A file.  [default: standard output]")
@workspace_option
@json_option
def graph(*, kind: str | None, output: Path | None, folder: Path | None, as_json: bool) -> None:
    """Write the published graph as JSON, GraphML or DOT.

    With --output, --json prints what was written; without, it is --format json.
    """
    if as_json and output is None and kind not in (None, "json"):
        msg = f"--json prints JSON, not {kind}: leave one of them out, or add --output."
        raise click.UsageError(msg)
    kind = kind or "json"
    with open_workspace(folder) as workspace:
        version = workspace.current()
        edges, ids, names = visible_graph(version)
        text = FORMATS[kind](edges, ids, names)
    if output is None:
        write(text)
        return
    _write_file(output, text)
    document = {"output": str(output), "format": kind, "skills": edges.n_skills, "edges": len(edges)}
    said = f"Wrote {edges.n_skills:,} skills and {len(edges):,} edges to {output} as {kind}."
    emit(document, as_json=as_json, lines=[said])


def _write_file(path: Path, text: str) -> None:
    try:
        path.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        msg = f"Cannot write {path} ({error.strerror}): choose another file."
        raise UsageError(msg) from error


# ---------------------------------------------------------------- an edge


def _pair_document(workspace: Workspace, version: Snapshot, ends: tuple[int, int]) -> dict[str, Any]:
    found = explain_pair(workspace, version, ends)
    back = explain_pair(workspace, version, ends[::-1])
    stale = labels_to_check(found.labels, version)
    return {
        "version": version.number,
        "source": version.ids[ends[0]],
        "target": version.ids[ends[1]],
        "edge": _edge_document(found.edge) if found.edge else None,
        "worth": _worth(found.edge, version) if found.edge else {},
        "reference": _reference_document(found.reference) if found.reference else None,
        "evidence": [asdict(each) for each in found.evidence],
        "labels": [_label_document(label, to_check=label in stale) for label in found.labels],
        "reverse": back.edge is not None,
        "disabled": list(found.disabled),
        "walked": found.walked,
    }


def _edge_document(edge: EdgeExplanation) -> dict[str, Any]:
    in_order = sorted(edge.answers, key=lambda entry: list(ProbeKind).index(entry[0].kind))
    effects = contrasted(dict(in_order))
    return {
        "type": edge.type,
        "state": edge.state,
        "weight": round(edge.weight, 6),
        "association": round(edge.association, 6),
        "reliability": round(edge.reliability, 6),
        "signals": {name: round(value, 6) for name, value in edge.signals.items()},
        "answers": [_answer_document(key, answer, effects.get(key)) for key, answer in in_order],
    }


def _worth(edge: EdgeExplanation, version: Snapshot) -> dict[str, dict[str, Any]]:
    """Return the units of each language model that answered, as the version was published with them.

    The profile ``paper`` counts each answer as 1, whoever gave it.
    """
    if version.meta["profile"] == Profile.PAPER:
        return {}
    answered = {answer.source_id for _, answer in edge.answers}
    known = version.meta.get("sources", {})
    return {
        name: {"units": known[name]["units"], "checked": known[name]["checked"]}
        for name in sorted(answered & known.keys())
    }


def _answer_document(key: ProbeKey, answer: ProbeAnswer, effect: ProbeAnswer | None) -> dict[str, Any]:
    """Return an answer with the effect that it tells of, which is its score unless that is a coherence."""
    asked = {"probe": key.kind, "arm": key.arm, "prompt": key.prompt_version}
    return asked | {"effect": effect.score if effect else None} | asdict(answer)


def _reference_document(reference: ResolvedReference) -> dict[str, str]:
    return {"kind": reference.kind, "role": reference.role, "evidence": reference.evidence}


def _label_document(label: Label, *, to_check: bool) -> dict[str, Any]:
    return {"verdict": label.verdict, "given_by": label.given_by, "note": label.note, "to_check": to_check}


def _pair_lines(document: dict[str, Any]) -> Iterator[str]:
    edge = document["edge"]
    yield f"{document['source']} -> {document['target']}"
    if edge is None:
        yield "no candidate: nothing joins them in this direction"
    else:
        published = f"published with weight {edge['weight']:.3f}" if edge["weight"] else "not published"
        yield f"{edge['type']}, {edge['state']}, {published}"
        if not document["walked"]:
            yield NOT_WALKED
    for skill_id in document["disabled"]:
        yield f"{skill_id} is disabled: it is in no answer, and no relevance walks over it."
    rows = _edge_rows(edge) if edge else []
    rows += [("worth", _worth_text(name, use)) for name, use in document["worth"].items()]
    if document["reference"]:
        rows.append(("reference", _reference_text(document["reference"])))
    rows += [(each["signal"], _evidence_text(each)) for each in document["evidence"]]
    rows += [("label", _label_text(label)) for label in document["labels"]]
    yield from columns(rows, indent="  ")
    if edge is None and document["reverse"]:
        yield f"The other way round there is one: caskg explain {document['target']} {document['source']}"


def _edge_rows(edge: dict[str, Any]) -> list[tuple[str, str]]:
    signals = sorted(edge["signals"].items(), key=lambda entry: -entry[1])
    answered = {answer["probe"] for answer in edge["answers"]}
    return [
        ("association", f"{edge['association']:.3f}"),
        ("reliability", f"{edge['reliability']:.3f}"),
        ("signals", ", ".join(f"{name} {value:.3f}" for name, value in signals) or "none"),
        *((answer["probe"], _answer_text(answer)) for answer in edge["answers"]),
        *((kind.value, "no answer") for kind in PROBE_KINDS if kind not in answered),
    ]


def _answer_text(answer: dict[str, Any]) -> str:
    said = answer["transcript"]
    return f"{_score_text(answer)}  {answer['source_id']}{f': {said}' if said else ''}"


def _worth_text(name: str, use: dict[str, Any]) -> str:
    return f"{name}: {use['units']} of 3 units, {'by its judge check' if use['checked'] else 'never checked'}"


def _score_text(answer: dict[str, Any]) -> str:
    score, effect = answer["score"], answer["effect"]
    if score is None:
        return f"missing: {answer['missing_reason']}"
    if answer["arm"] not in ARMS:
        return f"{score:.3f}"
    return f"coherence {score:.3f}" if effect is None else f"{effect:.3f} from coherence {score:.3f}"


def _reference_text(reference: dict[str, str]) -> str:
    sentence = one_line(reference["evidence"], limit=300)
    return f"{reference['kind']}, {reference['role']}: {sentence}"


def _evidence_text(evidence: dict[str, str]) -> str:
    """Return what the source says, and what the target says."""
    said = (one_line(evidence[end], limit=150) for end in ("source", "target"))
    return "  |  ".join(said)


def _label_text(label: dict[str, Any]) -> str:
    note = f": {label['note']}" if label["note"] else ""
    stale = " (to check: it was given on another text)" if label["to_check"] else ""
    return f"{label['verdict']}, {label['given_by']}{note}{stale}"


# ---------------------------------------------------------------- a place in an answer


def _place_document(ranking: Ranking, skill_id: str) -> dict[str, Any]:
    """Return where a skill stands among all that got relevance, and why."""
    by_relevance = sorted(ranking.skills, key=lambda ranked: (-ranked.exact_name, -ranked.score))
    places = {ranked.skill.id: (place, ranked) for place, ranked in enumerate(by_relevance, start=1)}
    place, ranked = places.get(skill_id, (None, None))
    return {
        "query": ranking.query,
        "abstained": ranking.abstained,
        "hint": ranking.hint,
        "id": skill_id,
        "place": place,
        "of": len(places),
        "skill": ranked_document(ranked) if ranked else None,
    }


def _place_lines(document: dict[str, Any]) -> Iterator[str]:
    if document["disabled"]:
        yield f"{document['id']} is disabled: run `caskg enable {document['id']}` to see it again."
    elif document["abstained"]:
        yield document["hint"]
    elif document["skill"] is None:
        yield f"{document['id']} is no seed of this task, and no relevance reaches it over the graph."
    else:
        place = f"{document['id']}: place {document['place']} of {document['of']} by relevance"
        yield f"{place}, score {document['skill']['score']:.4f}"
        yield f"why: {document['skill']['reason']}"


# ---------------------------------------------------------------- a skill


def _skill_lines(skill: Skill, edges: Sequence[EdgeStep], *, disabled: bool) -> Iterator[str]:
    yield f"{skill.id}{' (disabled)' if disabled else ''}"
    described = one_line(skill.description, limit=1024)
    rows = [("name", skill.name), ("description", described), ("path", skill.path), *_stated(skill.fields)]
    yield from columns(rows, indent="  ")
    came_in = [(step.source, step) for step in edges if step.target == skill.id]
    went_out = [(step.target, step) for step in edges if step.source == skill.id]
    for title, side in (("supported by", came_in), ("supports", went_out)):
        yield f"{title} ({len(side)})"
        shown = [(other, step.type, step.state, f"{step.weight:.3f}") for other, step in side[:_NEIGHBOURS]]
        yield from columns(shown, indent="  ")
        if len(side) > _NEIGHBOURS:
            yield f"  and {len(side) - _NEIGHBOURS} more: `caskg show --json` lists them"


def _relative_lines(relatives: Relatives) -> Iterator[str]:
    """Yield the skills that are no step before or after this one, but could stand in its place."""
    alternatives = [(other, f"cosine {like:.3f}") for other, like in relatives.alternatives]
    duplicates = [(other, f"{share:.0%} of the text") for other, share in relatives.duplicates]
    for title, rows in (("alternatives", alternatives), ("duplicates", duplicates)):
        if rows:
            yield f"{title} ({len(rows)})"
            yield from columns(rows, indent="  ")


def _stated(stated: SkillFields) -> Iterator[tuple[str, str]]:
    """Yield each field that the document states."""
    for field in fields(stated):
        items: Sequence[str | Parameter | Artifact | Reference] | None = getattr(stated, field.name)
        if items is not None:
            yield field.name, one_line("; ".join(map(_called, items)), limit=300)


def _called(item: str | Parameter | Artifact | Reference) -> str:
    match item:
        case Parameter():
            return item.name
        case Artifact():
            return item.path
        case Reference():
            return item.target
        case str():
            return item
