"""The graph in other tools' formats: well-formed, and the same graph, whatever strangers wrote."""

import json
import re
from collections.abc import Sequence
from xml.etree import ElementTree

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from caskg.interfaces.cli.export import FORMATS, graph_rows, to_dot, to_graphml, to_json
from caskg.interfaces.cli.output import printable
from caskg.schema import SkillGraph

XML = {"g": "http://graphml.graphdrawing.org/xmlns"}
NASTY = 'a "quoted" <b> & \\ ]]> \t\r\n\x85\u2028 \u202e木 \U000e0041\\'
TEXTS = st.text(alphabet=st.characters(exclude_categories=()), max_size=20)  # surrogates too


def graph() -> SkillGraph:
    """Return 0 -> 1 -> 2 and 2 -> 0."""
    return SkillGraph(
        n_skills=3,
        source=np.array([0, 1, 2]),
        target=np.array([1, 2, 0]),
        weight=np.array([0.25, 1 / 3, 1.0]),
        association=np.array([0.5, 0.1, 0.9]),
        reliability=np.array([0.8, 0.5, 0.6]),
        types=np.array([0, 1, 3], dtype=np.int8),
        states=np.array([0, 1, 3], dtype=np.int8),
    )


def parsed_dot(text: str) -> list[list[str]]:
    """Return the strings of each statement, read by the grammar of DOT: only quotes and backslashes count."""
    statements = text.split("\n")[2:-1]
    return [
        [re.sub(r"\\(.)", r"\1", found) for found in re.findall(r'"((?:[^"\\]|\\.)*)"', statement)]
        for statement in statements
    ]


def parsed_graphml(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text.encode())


def names_of(root: ElementTree.Element) -> list[tuple[str | None, str | None]]:
    return [
        (node.get("id"), node.findtext("g:data", namespaces=XML)) for node in root.iterfind(".//g:node", XML)
    ]


def test_rows_hold_each_edge_with_its_direction_and_numbers() -> None:
    """Types and states are named, numbers are the published ones to the last bit."""
    rows = list(graph_rows(graph(), ["a", "b", "c"]))
    assert [(row["source"], row["target"]) for row in rows] == [("a", "b"), ("b", "c"), ("c", "a")]
    assert rows[1] == {
        "source": "b",
        "target": "c",
        "type": "workflow",
        "state": "uncertain",
        "weight": 1 / 3,
        "association": 0.1,
        "reliability": 0.5,
    }
    assert [row["type"] for row in rows] == ["dependency", "workflow", "alternative"]
    assert [row["state"] for row in rows] == ["confirmed", "uncertain", "unvalidated"]


def test_json_holds_nodes_and_edges() -> None:
    """The document that `caskg graph` prints by default."""
    document = json.loads(to_json(graph(), ["a", "b", "c"], ["A", NASTY, "C"]))
    assert document["nodes"] == [
        {"id": "a", "name": "A"},
        {"id": "b", "name": NASTY},
        {"id": "c", "name": "C"},
    ]
    assert document["edges"] == list(graph_rows(graph(), ["a", "b", "c"]))


def test_graphml_holds_the_same_graph() -> None:
    """Direction, kinds and numbers come back through another reader."""
    root = parsed_graphml(to_graphml(graph(), ["a", "b", "c"], ["A", "B", "C"]))
    assert root.find("g:graph", XML) is not None
    assert [key.get("id") for key in root.iterfind("g:key", XML)] == [
        "name", "type", "state", "weight", "association", "reliability",
    ]  # fmt: skip
    found = [
        {"source": edge.get("source"), "target": edge.get("target")}
        | {str(data.get("key")): data.text for data in edge.iterfind("g:data", XML)}
        for edge in root.iterfind(".//g:edge", XML)
    ]
    wanted = [{key: str(value) for key, value in row.items()} for row in graph_rows(graph(), ["a", "b", "c"])]
    assert found == wanted
    directed = root.find("g:graph", XML)
    assert directed is not None
    assert directed.get("edgedefault") == "directed"


def test_graphml_keeps_a_nasty_text_as_it_is() -> None:
    """All that XML can hold comes back unchanged, in an attribute and in an element."""
    root = parsed_graphml(to_graphml(graph(), [NASTY, "b", "c"], [NASTY, "B", "C"]))
    assert names_of(root)[0] == (NASTY, NASTY)
    edge = root.find(".//g:edge", XML)
    assert edge is not None
    assert (edge.get("source"), edge.get("target")) == (NASTY, "b")


def test_graphml_writes_what_xml_cannot_hold_as_an_escape() -> None:
    """Left out, two ids could become one."""
    root = parsed_graphml(to_graphml(graph(), ["x", "x\x1b", "x\x00"], ["\ud800", "\ufffe", "\uffff"]))
    assert names_of(root) == [("x", r"\ud800"), (r"x\x1b", r"\ufffe"), (r"x\x00", r"\uffff")]


@given(st.lists(TEXTS, min_size=3, max_size=3, unique=True))
def test_graphml_is_well_formed_for_any_text(texts: Sequence[str]) -> None:
    """A parser reads it, and reads what was meant."""
    root = parsed_graphml(to_graphml(graph(), texts, texts))
    wanted = [
        re.sub(
            "[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", lambda found: ascii(found[0])[1:-1], text
        )
        for text in texts
    ]
    assert names_of(root) == [(text, text) for text in wanted]


@given(st.lists(TEXTS, min_size=3, max_size=3))
def test_dot_strings_cannot_be_left(texts: Sequence[str]) -> None:
    """Each statement has as many strings as it should, and they say what was meant, on one line."""
    shown = [printable(text) for text in texts]
    statements = parsed_dot(to_dot(graph(), texts, texts))
    assert statements[:3] == [[text, text] for text in shown]
    assert statements[3] == [shown[0], shown[1], "dependency", "confirmed"]
    assert len(statements) == 6


def test_dot_has_the_head_and_weights_that_graphviz_reads() -> None:
    """One statement a line, four decimals."""
    lines = to_dot(graph(), ["a", "b", "c"], ["A", "B", 'C"\\']).split("\n")
    assert lines[:2] == ["digraph skills {", "  rankdir=LR;"]
    assert lines[4] == r'  "c" [label="C\"\\"];'
    assert lines[6] == '  "b" -> "c" [weight=0.3333, label="workflow", state="uncertain"];'
    assert lines[-1] == "}"


def test_no_format_prints_what_a_terminal_obeys() -> None:
    """People look at graphs in terminals too."""
    texts = ["\x1b[31m", "\x9b31m", "\u202e\x07\r"]
    for write in FORMATS.values():
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", write(graph(), texts, texts)), write
