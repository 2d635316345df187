"""`caskg explain`, `show`, `graph`: why it is there, as people and programs read it."""

import json
import re
import shutil
from dataclasses import fields
from pathlib import Path
from xml.etree import ElementTree

from caskg.schema import PROBE_KINDS, ProbeAnswer, ProbeKey, ProbeKind, SkillFields
from caskg.store.workspace import Workspace
from interfaces.kitchen import NO_TASK, SKILLS, TASK, Run, loaded, write_skill


def test_explain_tells_everything_about_an_edge(run: Run, built: Path) -> None:
    """Type, state, numbers, signals, each answer with its transcript, labels, the sentence."""
    document = loaded(run, "explain", "boil-water", "brew-tea", "-w", built)
    assert (document["source"], document["target"], document["reverse"]) == ("boil-water", "brew-tea", True)
    edge = document["edge"]
    assert (edge["type"], edge["state"], edge["reliability"]) == ("dependency", "confirmed", 0.8)
    assert edge["signals"]["io"] == edge["signals"]["reference"] == 1.0
    assert [answer["probe"] for answer in edge["answers"]] == ["removal", "substitution", "reordering"]
    assert all(answer["source_id"] == "text" and answer["transcript"] for answer in edge["answers"])
    assert document["reference"] == {
        "kind": "declared",
        "role": "need",
        "evidence": "caskg-requires: boil-water",
    }
    assert document["labels"] == [
        {
            "verdict": "confirm",
            "given_by": "author",
            "note": "caskg-requires: boil-water",
            "to_check": False,
        }
    ]
    lines = run("explain", "boil-water", "brew-tea", "-w", built).out.splitlines()
    assert lines[:2] == [
        "boil-water -> brew-tea",
        f"dependency, confirmed, published with weight {edge['weight']:.3f}",
    ]
    rows = [re.split(r"\s{2,}", line.strip(), maxsplit=1) for line in lines[2:]]
    probes = ["removal", "substitution", "reordering"]
    assert [row[0] for row in rows] == [
        "association", "reliability", "signals", *probes, "reference", "io", "meaning", "label",
    ]  # fmt: skip
    shown = dict(rows)
    assert shown["association"] == f"{edge['association']:.3f}"
    assert shown["signals"].startswith("io 1.000, reference 1.000, ")
    assert shown["removal"] == f"{edge['answers'][0]['score']:.3f}  text: {edge['answers'][0]['transcript']}"
    assert shown["reference"] == "declared, need: caskg-requires: boil-water"
    assert shown["label"] == "confirm, author: caskg-requires: boil-water"


def test_explain_shows_which_probes_have_no_answer(run: Run, built: Path) -> None:
    """No evidence is not evidence of 0.5; what the free prober is silent about is not kept."""
    document = loaded(run, "explain", "wash-dishes", "brew-tea", "-w", built)
    assert document["edge"]["state"] == "unvalidated"
    assert document["edge"]["answers"] == []
    lines = run("explain", "wash-dishes", "brew-tea", "-w", built).out.splitlines()
    assert [line.split()[0] for line in lines if line.endswith("  no answer")] == list(PROBE_KINDS)


def test_explain_shows_why_an_answer_is_missing(run: Run, built: Path, tmp_path: Path) -> None:
    """One that was paid for says what became of it."""
    copy = shutil.copytree(built, tmp_path / "copy")
    with Workspace.open(copy) as workspace:
        version = workspace.current()
        hashes = dict(zip(version.ids, version.content_hashes, strict=True))
        ends = hashes["wash-dishes"], hashes["brew-tea"]
        key = ProbeKey(*ends, "", ProbeKind.REMOVAL, "plain", "1", "model")
        answer = ProbeAnswer(score=None, source_id="m", missing_reason="The call failed.", calls=1)
        workspace.ledger.record([(key, answer)])
    lines = run("explain", "wash-dishes", "brew-tea", "-w", copy).out.splitlines()
    assert [line.split(maxsplit=1)[1] for line in lines if line.split()[0] in list(ProbeKind)] == [
        "missing: The call failed.  m", "no answer", "no answer",
    ]  # fmt: skip


def test_explain_quotes_a_contrast(run: Run, built: Path) -> None:
    """Words like "not for X, use Y" are why the two are not joined by a need."""
    document = loaded(run, "explain", "wash-clothes", "wash-dishes", "-w", built)
    assert document["reference"]["kind"] == "contrast"
    assert document["reference"]["evidence"] == "Not for clothes; use wash-clothes."
    assert document["edge"]["type"] == "semantic"


def test_explain_says_that_two_skills_are_not_joined(run: Run, built: Path) -> None:
    """And points at the other direction where there is an edge."""
    result = run("explain", "brew-tea", "send-invoice", "-w", built)
    assert (
        result.out == "brew-tea -> office/send-invoice\nno candidate: nothing joins them in this direction\n"
    )
    document = loaded(run, "explain", "brew-tea", "send-invoice", "-w", built)
    assert (document["edge"], document["reference"], document["labels"]) == (None, None, [])


def test_explain_says_where_a_skill_stands_in_an_answer(run: Run, built: Path) -> None:
    """Also for one that the eight best do not show."""
    first = loaded(run, "explain", "brew-tea", "--task", TASK, "-w", built)
    assert (first["place"], first["skill"]["id"], first["abstained"]) == (1, "brew-tea", False)
    assert run("explain", "brew-tea", "--task", TASK, "-w", built).out.splitlines() == [
        f"brew-tea: place 1 of {first['of']} by relevance, score {first['skill']['score']:.4f}",
        f"why: {first['skill']['reason']}",
    ]
    hint = run("explain", "brew-tea", "--task", NO_TASK, "-w", built).out
    assert hint.startswith("No skill fits this task: ")


def test_show_tells_what_was_read(run: Run, built: Path, library: Path) -> None:
    """Fields that the document does not state are null, not empty; the text comes on demand."""
    document = loaded(run, "show", "brew-tea", "-w", built)
    assert (document["id"], document["path"]) == ("brew-tea", str(library / "brew-tea" / "SKILL.md"))
    assert [each["name"] for each in document["fields"]["inputs"]] == ["boiling water", "tea leaves"]
    assert document["fields"]["outputs"] is None
    assert "body" not in document
    assert "pour it over the leaves" in loaded(run, "show", "brew-tea", "--body", "-w", built)["body"]
    assert {"boil-water"} <= {edge["source"] for edge in document["edges"]}
    weights = [edge["weight"] for edge in document["edges"]]
    assert weights == sorted(weights, reverse=True)
    text = run("show", "brew-tea", "-w", built).out
    assert text.startswith("brew-tea\n  name         brew-tea\n  description  Brews a pot")
    assert "  inputs       boiling water; tea leaves\n" in text
    assert "outputs" not in text
    assert re.search(
        r"^supported by \(\d\)\n  boil-water +dependency +confirmed +0\.\d{3}$", text, re.MULTILINE
    )
    assert "pour it over" not in text
    assert "pour it over" in run("show", "brew-tea", "--body", "-w", built).out


def test_a_skill_is_found_by_id_by_last_part_and_by_name(run: Run, built: Path) -> None:
    """People type what they see."""
    for name in ("office/泡茶", "泡茶"):
        assert loaded(run, "show", name, "-w", built)["id"] == "office/泡茶"


def test_graph_writes_each_format_to_standard_output_or_a_file(run: Run, built: Path, tmp_path: Path) -> None:
    """The same text in both; with --output, --json says what was written."""
    with Workspace.open(built) as workspace:
        n_edges = workspace.current().meta["n_edges"]
    for kind in ("json", "graphml", "dot"):
        printed = run("graph", "--format", kind, "-w", built)
        path = tmp_path / f"graph.{kind}"
        document = loaded(run, "graph", "--format", kind, "-o", path, "-w", built)
        assert document == {"output": str(path), "format": kind, "skills": len(SKILLS), "edges": n_edges}
        assert path.read_text(encoding="utf-8") == printed.out
    assert len(json.loads((tmp_path / "graph.json").read_text())["edges"]) == n_edges
    assert len(ElementTree.parse(tmp_path / "graph.graphml").findall(".//{*}edge")) == n_edges
    assert (tmp_path / "graph.dot").read_text().count(" -> ") == n_edges
    assert run("graph", "-w", built).out == run("graph", "--json", "-w", built).out
    said = run("graph", "-o", tmp_path / "g", "-w", built).out
    assert said == f"Wrote {len(SKILLS)} skills and {n_edges} edges to {tmp_path / 'g'} as json.\n"


STATES_ALL = """
    description: Bakes a loaf of bread.
    allowed-tools: Read
    metadata:
      tags: kitchen
      caskg-requires: knead-dough
    ---
    Read `notes/flour-log.csv`. Write `notes/loaf-log.csv`.
    ## Inputs
    - dough
    ## Outputs
    - bread
    ## Preconditions
    - The oven is hot.
    ## Effects
    - The kitchen smells of bread.
    ## Troubleshooting
    - If it is burnt, begin again.
    """


def test_show_prints_every_field_of_the_schema(run: Run, tmp_path: Path) -> None:
    """A field that is added to the schema must be stated here too: its items may be of a new kind."""
    write_skill(tmp_path / "skills", "bake-bread", STATES_ALL)
    write_skill(tmp_path / "skills", "knead-dough", "description: Kneads dough.\n---\n")
    place = tmp_path / "w"
    assert run("build", tmp_path / "skills", "-w", place, "--encoder", "builtin").code == 0
    document = loaded(run, "show", "bake-bread", "-w", place)
    assert set(document["fields"]) == {each.name for each in fields(SkillFields)}
    assert None not in document["fields"].values()
    for form in ([], ["--body"]):
        lines = run("show", "bake-bread", *form, "-w", place).out.splitlines()
        rows = dict(re.split(r"\s{2,}", line.strip(), maxsplit=1) for line in lines[1:14] if "  " in line[2:])
        assert set(document["fields"]) <= set(rows)
        assert (rows["writes"], rows["reads"]) == ("notes/loaf-log.csv", "notes/flour-log.csv")
        assert (rows["inputs"], rows["references"]) == ("dough", "knead-dough")
