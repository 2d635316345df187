"""`caskg ledger`: for people, for programs, out to files and in from them."""

import json
from pathlib import Path

import pytest

from caskg.schema import ProbeAnswer, ProbeKey, ProbeKind
from caskg.store.workspace import Workspace
from interfaces.kitchen import Run, loaded

MODEL = "llm:m"


@pytest.fixture
def asked(workspace: Path) -> Path:
    """A workspace in which a model answered once, failed once, and answered what is outdated."""
    with Workspace.open(workspace) as opened:
        version = opened.current()
        texts = dict(zip(version.ids, version.content_hashes, strict=True))
        key = ProbeKey(
            texts["boil-water"], texts["brew-tea"], "", ProbeKind.REMOVAL, "plain", "paper-1", MODEL
        )
        scored = ProbeAnswer(score=0.7, source_id=MODEL, calls=1, tokens=1200, transcript='{"score": "0.7"}')
        missing = ProbeAnswer(score=None, source_id=MODEL, missing_reason="HTTP 500", calls=2)
        opened.ledger.record(
            [
                (key, scored),
                (key._replace(kind=ProbeKind.REORDERING), missing),
                (key._replace(prompt_version="paper-0"), scored),
            ]
        )
    return workspace


def test_answers_are_listed_without_the_free_ones(run: Run, asked: Path) -> None:
    """Which are asked for by an option, or by name."""
    lines = run("ledger", "list", "-w", asked).out.splitlines()
    assert lines[0].split() == ["source", "target", "probe", "score", "prompt", "prober"]
    assert sorted(line.split() for line in lines[1:]) == [
        ["boil-water", "brew-tea", "removal", "0.700", "paper-0", MODEL, "(outdated)"],
        ["boil-water", "brew-tea", "removal", "0.700", "paper-1", MODEL],
        ["boil-water", "brew-tea", "reordering", "missing:", "HTTP", "500", "paper-1", MODEL],
    ]
    free = loaded(run, "ledger", "list", "-w", asked, "--free")["answers"]
    text = loaded(run, "ledger", "list", "-w", asked, "--prober", "text")["answers"]
    assert len(free) == len(text) + 3
    assert {each["prober"] for each in text} == {"text"}
    assert run("ledger", "list", "-w", asked, "--prober", "nobody").out == "There are no such answers.\n"


def test_missing_and_outdated_answers_are_found(run: Run, asked: Path) -> None:
    """One each."""
    (missing,) = loaded(run, "ledger", "list", "-w", asked, "--missing")["answers"]
    assert (missing["score"], missing["missing_reason"]) == (None, "HTTP 500")
    (outdated,) = loaded(run, "ledger", "list", "-w", asked, "--outdated")["answers"]
    assert (outdated["prompt"], outdated["outdated"]) == ("paper-0", True)


def test_a_long_list_is_cut_for_people_only(run: Run, asked: Path) -> None:
    """Fifty, and how many more."""
    with Workspace.open(asked) as opened:
        version = opened.current()
        source, target = version.content_hashes[:2]
        key = ProbeKey(source, target, "", ProbeKind.REMOVAL, "plain", "1", "other")
        answers = [(key._replace(arm=f"{n}"), ProbeAnswer(score=1.0, source_id="o")) for n in range(60)]
        opened.ledger.record(answers)
    lines = run("ledger", "list", "-w", asked, "--prober", "other").out.splitlines()
    assert len(lines) == 1 + 50 + 1
    assert lines[-1] == "10 more: --json lists all."
    assert len(loaded(run, "ledger", "list", "-w", asked, "--prober", "other")["answers"]) == 60


def test_totals_say_what_was_spent(run: Run, asked: Path, tmp_path: Path) -> None:
    """By prober and prompt."""
    rows = {row["prompt"]: row for row in loaded(run, "ledger", "totals", "-w", asked)["totals"]}
    assert rows["paper-1"] == {
        "prober": MODEL, "prompt": "paper-1", "answers": 1, "missing": 1, "outdated": 0, "calls": 3,
        "tokens": 1200,
    }  # fmt: skip
    lines = run("ledger", "totals", "-w", asked).out.splitlines()
    assert lines[0].split() == ["prober", "prompt", "answers", "missing", "outdated", "calls", "tokens"]
    assert [MODEL, "paper-1", "1", "1", "0", "3", "1,200"] in [line.split() for line in lines]
    Workspace.create(tmp_path / "empty").close()
    assert run("ledger", "totals", "-w", tmp_path / "empty").out == "Nothing was asked yet.\n"


def test_pruning_says_first_what_it_would_do(run: Run, asked: Path) -> None:
    """And a build afterwards has the graph of before."""
    graph = run("graph", "-w", asked).out
    assert run("ledger", "prune", "--dry-run", "-w", asked).out == "Answers that would be removed: 1.\n"
    assert loaded(run, "ledger", "prune", "--dry-run", "-w", asked) == {"removed": 1, "dry_run": True}
    assert run("ledger", "prune", "-w", asked).out == "Answers removed: 1.\n"
    assert loaded(run, "ledger", "prune", "-w", asked) == {"removed": 0, "dry_run": False}
    assert run("graph", "-w", asked).out == graph


def test_an_export_is_one_object_a_line(run: Run, asked: Path, tmp_path: Path) -> None:
    """In a file, on standard output, or as one document."""
    run("edge", "confirm", "boil-water", "cook-pasta", "--note", "煮", "-w", asked)
    file = tmp_path / "out.jsonl"
    assert run("ledger", "export", file, "-w", asked) == (0, "", "")
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [json.loads(line) for line in run("ledger", "export", "-w", asked).out.splitlines()] == lines
    assert loaded(run, "ledger", "export", "-w", asked)["entries"] == lines
    labels = [line for line in lines if line["type"] == "label"]
    assert [label["given_by"] for label in labels] == ["author", "person"]
    assert labels[1]["note"] == "煮"
    assert sum(line["type"] == "answer" for line in lines) == len(lines) - 2


def test_a_file_that_cannot_be_written_is_an_error(run: Run, asked: Path, tmp_path: Path) -> None:
    """One sentence that names it, for whatever reason."""
    for file in (tmp_path / "none" / "out.jsonl", tmp_path):
        failed = run("ledger", "export", file, "-w", asked)
        assert (failed.code, failed.out) == (1, "")
        assert failed.err.startswith(f"caskg: Could not open file '{file}': ")
        assert failed.err.count("\n") == 1


def test_a_file_of_windows_is_read(run: Run, asked: Path, tmp_path: Path) -> None:
    """It begins with a byte order mark."""
    file = tmp_path / "labels.jsonl"
    file.write_text(
        '{"source": "boil-water", "target": "cook-pasta", "verdict": "reject"}\r\n', encoding="utf-8-sig"
    )
    assert loaded(run, "ledger", "import", file, "-w", asked) == {
        "new": 1,
        "passed_over": 0,
        "contradicted": [],
    }


def test_labels_come_from_a_file(run: Run, asked: Path, tmp_path: Path) -> None:
    """What they are, and what to do next; a bad line is named."""
    file = tmp_path / "labels.jsonl"
    file.write_text(
        '{"source": "boil-water", "target": "cook-pasta", "verdict": "reject"}\n{"type": "answer"}\n'
    )
    result = run("ledger", "import", file, "-w", asked)
    assert result.out.splitlines() == [
        "New labels: 1. Run `caskg build` to publish them.",
        "Lines that are no label of a person, passed over: 1.",
    ]
    assert loaded(run, "ledger", "import", file, "-w", asked) == {
        "new": 0,
        "passed_over": 1,
        "contradicted": [],
    }
    assert run("explain", "boil-water", "cook-pasta", "-w", asked).out.count("reject, person") == 1
    pair = '{"source": "boil-water", "target": "cook-pasta", "verdict": '
    file.write_text("\n".join(f'{pair}"{verdict}"}}' for verdict in ("reject", "confirm", "reject")))
    assert run("ledger", "import", file, "-w", asked).out.splitlines()[1] == (
        "Lines with another verdict than a later one on the same pair, which stands: 1, 2."
    )
    file.write_bytes(b"\xff\xfe")
    assert "is no UTF-8" in run("ledger", "import", file, "-w", asked).err
    file.write_text("no")
    bad = run("ledger", "import", file, "-w", asked)
    assert (bad.code, bad.out) == (2, "")
    assert bad.err == "caskg: Line 1: It is no JSON: write one object a line. Nothing was imported.\n"
