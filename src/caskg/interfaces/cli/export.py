"""The published graph in the formats of other tools: GraphML, JSON, DOT."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from caskg.schema import EDGE_STATES, EDGE_TYPES, SkillGraph

_GRAPHML_KEYS = (
    ("name", "node", "string"),
    ("type", "edge", "string"),
    ("state", "edge", "string"),
    ("weight", "edge", "double"),
    ("association", "edge", "double"),
    ("reliability", "edge", "double"),
)
_NOT_IN_XML = {code: None for code in range(32) if chr(code) not in "\t\n\r"} | {0xFFFE: None, 0xFFFF: None}


def graph_rows(graph: SkillGraph, ids: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield each published edge as plain data, sorted by (source, target)."""
    columns = (graph.source, graph.target, graph.types, graph.states)
    numbers = (graph.weight, graph.association, graph.reliability)
    for i, j, kind, state, *values in zip(*(column.tolist() for column in columns + numbers), strict=True):
        yield {
            "source": ids[i],
            "target": ids[j],
            "type": EDGE_TYPES[kind].value,
            "state": EDGE_STATES[state].value,
            **dict(zip(("weight", "association", "reliability"), values, strict=True)),
        }


def to_json(graph: SkillGraph, ids: Sequence[str], names: Sequence[str]) -> str:
    """Return nodes and edges as one JSON document."""
    nodes = [{"id": skill_id, "name": name} for skill_id, name in zip(ids, names, strict=True)]
    return json.dumps({"nodes": nodes, "edges": list(graph_rows(graph, ids))}, ensure_ascii=False, indent=1)


def to_graphml(graph: SkillGraph, ids: Sequence[str], names: Sequence[str]) -> str:
    """Return the graph as GraphML, directed; characters that XML cannot hold are left out."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
    ]
    lines += [
        f'<key id="{key}" for="{of}" attr.name="{key}" attr.type="{kind}"/>'
        for key, of, kind in _GRAPHML_KEYS
    ]
    lines.append('<graph id="skills" edgedefault="directed">')
    for skill_id, name in zip(ids, names, strict=True):
        lines.append(f'<node id={_attribute(skill_id)}><data key="name">{_xml(name)}</data></node>')
    for row in graph_rows(graph, ids):
        data = "".join(f'<data key="{key}">{row[key]}</data>' for key, of, _ in _GRAPHML_KEYS if of == "edge")
        lines.append(
            f"<edge source={_attribute(row['source'])} target={_attribute(row['target'])}>{data}</edge>"
        )
    return "\n".join([*lines, "</graph>", "</graphml>"])


def to_dot(graph: SkillGraph, ids: Sequence[str], names: Sequence[str]) -> str:
    """Return the graph in the language of Graphviz."""
    lines = ["digraph skills {", "  rankdir=LR;"]
    lines += [
        f"  {_quoted(skill_id)} [label={_quoted(name)}];" for skill_id, name in zip(ids, names, strict=True)
    ]
    lines += [
        f"  {_quoted(row['source'])} -> {_quoted(row['target'])}"
        f" [weight={row['weight']:.4f}, label={_quoted(row['type'])}, state={_quoted(row['state'])}];"
        for row in graph_rows(graph, ids)
    ]
    return "\n".join([*lines, "}"])


FORMATS: Mapping[str, Callable[[SkillGraph, Sequence[str], Sequence[str]], str]] = {
    "graphml": to_graphml,
    "json": to_json,
    "dot": to_dot,
}


def _xml(text: str) -> str:
    return escape(text.translate(_NOT_IN_XML))


def _attribute(text: str) -> str:
    return quoteattr(text.translate(_NOT_IN_XML))


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'"{escaped}"'
