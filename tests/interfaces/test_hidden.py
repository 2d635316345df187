"""A disabled skill is in no output of any command but those that switch it."""

import json
from pathlib import Path

import pytest

from caskg.schema import ProbeAnswer, ProbeKey, ProbeKind
from caskg.store.workspace import Workspace
from interfaces.kitchen import TASK, Run, loaded, write_skill

HIDDEN = "wash-dishes"
OUTPUTS = [
    ["query", "wash plates, pots and cutlery by hand"],
    ["query", "wash plates, pots and cutlery by hand", "--bundle"],
    ["query", TASK, "--bundle"],
    ["explain", "boil-water", "brew-tea"],
    ["explain", "brew-tea", "--task", "wash plates, pots and a pot of tea"],
    ["show", "brew-tea", "--body"],
    ["show", "wash-clothes"],
    ["graph"],
]


@pytest.fixture
def hidden(run: Run, workspace: Path) -> Path:
    """A workspace in which one skill, which no other one names, is disabled."""
    assert HIDDEN in run("show", "wash-clothes", "-w", workspace).out
    assert HIDDEN in run("graph", "-w", workspace).out
    assert run("disable", HIDDEN, "-w", workspace).code == 0
    return workspace


@pytest.mark.parametrize("arguments", OUTPUTS, ids=" ".join)
def test_a_disabled_skill_is_in_no_answer(run: Run, hidden: Path, arguments: list[str]) -> None:
    """Neither for people nor for programs: no result, reason, path, hint, neighbour or node."""
    for form in ([], ["--json"]):
        result = run(*arguments, *form, "-w", hidden)
        assert result.code == 0
        assert HIDDEN not in result.out + result.err


@pytest.mark.parametrize("kind", ["json", "graphml", "dot"])
def test_the_graph_for_other_programs_is_that_of_the_others(run: Run, hidden: Path, kind: str) -> None:
    """They know of no switch."""
    out = run("graph", "--format", kind, "-w", hidden).out
    assert HIDDEN not in out
    assert out.count("send-invoice") > 0


def test_an_evaluation_does_not_tell_of_it(run: Run, hidden: Path, tmp_path: Path) -> None:
    """Nor do its reasons."""
    tasks = tmp_path / "tasks.jsonl"
    queries = (TASK, "wash plates, pots and cutlery by hand")
    tasks.write_text("\n".join(json.dumps({"query": query, "must_include": "brew-tea"}) for query in queries))
    for form in ([], ["--json"]):
        result = run("eval", tasks, *form, "-w", hidden)
        assert result.code == 0
        assert HIDDEN not in result.out + result.err


@pytest.mark.parametrize("arguments", [["show", "wash-dishs"], ["query", TASK, "--exclude", "wash-dishs"]])
def test_a_slip_in_a_name_does_not_bring_it_up(
    run: Run, workspace: Path, hidden: Path, arguments: list[str]
) -> None:
    """Names are proposed for those that are not there, and a disabled one is not there."""
    assert HIDDEN not in run(*arguments, "-w", hidden).err
    assert run("enable", HIDDEN, "-w", workspace).code == 0
    assert f"Did you mean {HIDDEN}" in run(*arguments, "-w", workspace).err


def test_its_owner_may_look_at_it(run: Run, hidden: Path) -> None:
    """By its name, to decide whether to enable it."""
    assert run("show", HIDDEN, "-w", hidden).out.startswith(f"{HIDDEN} (disabled)\n")


BREAD = {
    "mix-dough": "description: Mixes flour, water and salt into dough.\n---\nWith a spoon.\n",
    "shape-loaf": "description: Shapes a round loaf and lets it prove.\n---\nWith the hands.\n",
    "secret-recipe": """
        description: How the bakery makes its famous bread.
        ---
        ## Phase 1: Whisper
        Use `mix-dough`.
        ## Phase 2: Shout
        Use `shape-loaf`.
        """,
}


@pytest.fixture
def bakery(run: Run, tmp_path: Path) -> Path:
    """A workspace in which a third document says in which order two others come."""
    for name, text in BREAD.items():
        write_skill(tmp_path / "skills", name, text)
    place = tmp_path / "w"
    assert run("build", tmp_path / "skills", "-w", place, "--encoder", "builtin").code == 0
    return place


def test_what_a_third_document_says_is_hidden_with_it(run: Run, bakery: Path) -> None:
    """Neither its name nor its headings; that there is one, may be said."""
    pair = ("explain", "mix-dough", "shape-loaf", "-w", bakery)
    assert "secret-recipe: Phase 1: Whisper, then Phase 2: Shout" in run(*pair).out
    assert run("disable", "secret-recipe", "-w", bakery).code == 0
    for form in ([], ["--json"]):
        out = run(*pair, *form).out
        assert "secret" not in out
        assert "Whisper" not in out
        assert "from a document that is disabled" in out
    assert run("enable", "secret-recipe", "-w", bakery).code == 0
    assert "Whisper" in run(*pair).out


def test_the_words_of_a_substitute_are_hidden_with_it(run: Run, bakery: Path) -> None:
    """An answer about a substitute quotes it; the score stays, as it decided what was published."""
    with Workspace.open(bakery) as opened:
        version = opened.current()
        text = dict(zip(version.ids, version.content_hashes, strict=True))
        ends = text["mix-dough"], text["shape-loaf"], text["secret-recipe"]
        key = ProbeKey(*ends, ProbeKind.SUBSTITUTION, "plain", "1", "model")
        answer = ProbeAnswer(score=0.25, source_id="model", transcript="the secret is salt", calls=1)
        opened.ledger.record([(key, answer)])
    commands = [("explain", "mix-dough", "shape-loaf", "-w", bakery), ("ledger", "list", "-w", bakery)]
    for command in commands:
        assert "the secret is salt" in run(*command, "--json").out
    assert run("disable", "secret-recipe", "-w", bakery).code == 0
    for command in commands:
        out = run(*command, "--json").out
        assert "secret" not in out
        assert '"score": 0.25' in out


def test_an_edge_with_a_disabled_end_says_so(run: Run, bakery: Path) -> None:
    """Its owner, who names it, must not think that it is walked."""
    pair = ("explain", "mix-dough", "shape-loaf", "-w", bakery)
    assert loaded(run, *pair)["disabled"] == []
    assert "is disabled" not in run(*pair).out
    assert run("disable", "shape-loaf", "-w", bakery).code == 0
    assert loaded(run, *pair)["disabled"] == ["shape-loaf"]
    assert "shape-loaf is disabled: it is in no answer, and no relevance walks over it.\n" in run(*pair).out
