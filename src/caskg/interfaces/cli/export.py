"""The published graph in the formats of other tools: GraphML, JSON, DOT."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from caskg.interfaces.cli.output import UNSEEN, json_text, printable
from caskg.schema import EDGE_STATES, EDGE_TYPES, SkillGraph

_GRAPHML_KEYS = (
    ("name", "node", "string"),
    ("type", "edge", "string"),
    ("state", "edge", "string"),
    ("weight", "edge", "double"),
    ("association", "edge", "double"),
    ("reliability", "edge", "double"),
)
_NOT_IN_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_BY_NUMBER_IN_XML = re.compile(rf"""[&<>"\t\n\r{UNSEEN}]""")


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
    return json_text({"nodes": nodes, "edges": list(graph_rows(graph, ids))})


def to_graphml(graph: SkillGraph, ids: Sequence[str], names: Sequence[str]) -> str:
    """Return the graph as GraphML, directed; a character that XML cannot hold is written as an escape."""
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
        lines.append(f'<node id="{_xml(skill_id)}"><data key="name">{_xml(name)}</data></node>')
    for row in graph_rows(graph, ids):
        data = "".join(f'<data key="{key}">{row[key]}</data>' for key, of, _ in _GRAPHML_KEYS if of == "edge")
        lines.append(f'<edge source="{_xml(row["source"])}" target="{_xml(row["target"])}">{data}</edge>')
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
    "json": to_json,
    "graphml": to_graphml,
    "dot": to_dot,
}


def _xml(text: str) -> str:
    r"""Return *text* for an element or an attribute; nothing that a parser would change stays as it is.

    >>> print(_xml('a<b & "c"\r\x1b'))
    a&#60;b &#38; &#34;c&#34;&#13;\x1b
    """
    holdable = _NOT_IN_XML.sub(lambda found: ascii(found[0])[1:-1], text)
    return _BY_NUMBER_IN_XML.sub(lambda found: f"&#{ord(found[0])};", holdable)


def _quoted(text: str) -> str:
    r"""Return *text* as a string of DOT; a label shows it as it is.

    >>> print(_quoted('say "hi"\n\\'))
    "say \"hi\"\\n\\"
    """
    escaped = printable(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
