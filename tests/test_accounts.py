"""The books: answers as people list them, what can go, what comes in."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from builds import write_skill
from caskg.accounts import Total, entries_of, exported, import_labels, prune, totals
from caskg.errors import UsageError
from caskg.graph.labelled_set import labelled_set
from caskg.schema import Label, LabelSource, ProbeAnswer, ProbeKey, ProbeKind, Verdict
from caskg.store.workspace import Workspace
from caskg.wiring import build_workspace

GONE = "0" * 32
MODEL = "llm:m"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    for name in ("boil-water", "brew-tea", "mow-lawn"):
        write_skill(tmp_path / "library", name, f"{name.replace('-', ' ')} with care")
    with Workspace.create(tmp_path / "ws") as opened:
        build_workspace(opened, [tmp_path / "library"], encoder="builtin")
        yield opened


def hashes(workspace: Workspace) -> dict[str, str]:
    version = workspace.current()
    return dict(zip(version.ids, version.content_hashes, strict=True))


def record(
    workspace: Workspace,
    *,
    target: str | None = None,
    substitute: str = "",
    prompt: str = "paper-1",
    score: float | None = 0.5,
    prober: str = MODEL,
) -> None:
    texts = hashes(workspace)
    key = ProbeKey(
        texts["boil-water"],
        target or texts["brew-tea"],
        substitute,
        ProbeKind.SUBSTITUTION if substitute else ProbeKind.REMOVAL,
        "plain",
        prompt,
        prober,
    )
    reason = "The call failed." if score is None else None
    answer = ProbeAnswer(score=score, source_id=prober, missing_reason=reason, calls=1, tokens=7)
    workspace.ledger.record([(key, answer)])


def of_model(workspace: Workspace) -> list[tuple[str | None, str | None, bool]]:
    return [
        (entry.source, entry.target, entry.outdated)
        for entry in entries_of(workspace)
        if entry.key.prober_id == MODEL
    ]


def test_an_answer_is_listed_under_the_ids_of_now(workspace: Workspace) -> None:
    """A text that is gone has none; then the answer is outdated."""
    record(workspace)
    assert of_model(workspace) == [("boil-water", "brew-tea", False)]
    record(workspace, target=GONE)
    assert sorted(of_model(workspace), key=str) == [
        ("boil-water", "brew-tea", False),
        ("boil-water", None, True),
    ]


def test_a_disabled_skill_has_no_id(workspace: Workspace) -> None:
    """It appears nowhere; its answers are kept for the day when it is enabled."""
    record(workspace)
    workspace.switches.disable(["brew-tea"])
    assert of_model(workspace) == [("boil-water", None, False)]


@pytest.mark.parametrize(
    ("prober", "prompt", "outdated"),
    [
        (MODEL, "control-1", False),
        (MODEL, "control-0", True),
        ("text", "text-0", True),
        ("other", "0", False),
    ],
)
def test_what_was_said_to_prompts_that_are_gone_is_outdated(
    workspace: Workspace,
    prober: str,
    prompt: str,
    outdated: bool,  # noqa: FBT001 - of the table
) -> None:
    """As far as the prompts are ours."""
    record(workspace, prompt=prompt, prober=prober)
    (found,) = [each for each in entries_of(workspace) if each.key[5:] == (prompt, prober)]
    assert found.outdated == outdated


def test_the_judge_check_is_never_outdated(workspace: Workspace) -> None:
    """Its pairs are in no version, and it says what all else is worth."""
    pairs = labelled_set()
    source, target = (pairs.skills[int(end[0])].content_hash for end in (pairs.source, pairs.target))
    key = ProbeKey(source, target, "", ProbeKind.REMOVAL, "need", "need-1", f"{MODEL}/need")
    workspace.ledger.record([(key, ProbeAnswer(score=1.0, source_id=MODEL, calls=1))])
    (entry,) = (entry for entry in entries_of(workspace) if entry.key == key)
    ids = [pairs.skills[int(end[0])].id for end in (pairs.source, pairs.target)]
    assert [entry.source, entry.target] == [f"judge-check:{skill_id}" for skill_id in ids]
    assert not entry.outdated
    assert prune(workspace) == 0


def test_pruning_removes_what_can_count_no_more_and_nothing_else(workspace: Workspace) -> None:
    """Every attempt at it."""
    record(workspace)
    record(workspace, target=GONE, score=None)
    record(workspace, target=GONE, score=None)
    record(workspace, substitute=GONE)
    before = len(list(entries_of(workspace)))
    assert prune(workspace) == 3
    assert len(list(entries_of(workspace))) == before - 3
    assert of_model(workspace) == [("boil-water", "brew-tea", False)]
    assert prune(workspace) == 0
    workspace.ledger.verify()


def test_sums_are_by_prober_and_prompt(workspace: Workspace) -> None:
    """Each attempt cost what it cost."""
    record(workspace, score=None)
    record(workspace)
    record(workspace, prompt="control-1", target=GONE)
    found = totals(entries_of(workspace))
    assert found == {
        (MODEL, "control-1"): Total(answers=1, missing=0, outdated=1, calls=1, tokens=7),
        (MODEL, "paper-1"): Total(answers=1, missing=1, outdated=0, calls=2, tokens=14),
    }
    assert list(found) == sorted(found)


def test_an_empty_workspace_has_empty_books(tmp_path: Path) -> None:
    """Without a version every answer is outdated but those of the judge check."""
    with Workspace.create(tmp_path / "ws") as empty:
        assert list(entries_of(empty)) == []
        assert totals(entries_of(empty)) == {}
        assert list(exported(empty)) == []


# ---------------------------------------------------------------- labels


def line(**fields: object) -> str:
    return json.dumps({"source": "boil-water", "target": "brew-tea", "verdict": "confirm", **fields})


def test_a_label_is_imported_as_a_persons(workspace: Workspace) -> None:
    """On the texts of the current version, unless the line says on which."""
    texts = hashes(workspace)
    lines = [line(note="tea is water"), "", line(target="mow-lawn", verdict="reject", target_hash=GONE)]
    assert import_labels(lines, workspace.current(), workspace.ledger) == (2, 0, ())
    assert workspace.ledger.labels() == (
        Label(
            source="boil-water",
            target="brew-tea",
            verdict=Verdict.CONFIRM,
            given_by=LabelSource.PERSON,
            source_hash=texts["boil-water"],
            target_hash=texts["brew-tea"],
            note="tea is water",
        ),
        Label(
            source="boil-water",
            target="mow-lawn",
            verdict=Verdict.REJECT,
            given_by=LabelSource.PERSON,
            source_hash=texts["boil-water"],
            target_hash=GONE,
        ),
    )
    assert import_labels(lines, workspace.current(), workspace.ledger) == (0, 0, ())


def test_a_label_comes_back_though_its_skill_is_gone_or_edited(workspace: Workspace, tmp_path: Path) -> None:
    """It was given on a text, which its hash names; the skill may come back. Without one it is a slip."""
    import_labels(
        [line(note="gone"), line(source="mow-lawn", verdict="reject")], workspace.current(), workspace.ledger
    )
    kept, lines = workspace.ledger.labels(), [json.dumps(each) for each in exported(workspace)]
    (tmp_path / "library" / "boil-water").rename(tmp_path / "boil-water")
    edited = tmp_path / "library" / "brew-tea" / "SKILL.md"
    edited.write_text(edited.read_text() + "Let it stand.\n")
    with Workspace.create(tmp_path / "other") as other:
        build_workspace(other, [tmp_path / "library"], encoder="builtin")
        assert import_labels(lines, other.current(), other.ledger)[0] == 2
        assert other.ledger.labels() == kept
        for bad in (line(), line(source_hash=""), line(source_hash="5")):
            with pytest.raises(UsageError):
                import_labels([bad], other.current(), other.ledger)
        assert other.ledger.labels() == kept


def test_what_was_exported_comes_back(workspace: Workspace, tmp_path: Path) -> None:
    """Labels of people; answers, and what authors declare, are passed over."""
    import_labels([line()], workspace.current(), workspace.ledger)
    record(workspace)
    documents = list(exported(workspace))
    assert documents[0]["type"] == "label"
    answer = next(each for each in documents if each.get("prober") == MODEL)
    assert (answer["type"], answer["score"], answer["source"]) == ("answer", 0.5, "boil-water")
    lines = [*map(json.dumps, documents), line(given_by="author")]
    with Workspace.create(tmp_path / "other") as other:
        build_workspace(other, [tmp_path / "library"], encoder="builtin")
        assert import_labels(lines, other.current(), other.ledger) == (1, len(lines) - 1, ())
        assert other.ledger.labels() == workspace.ledger.labels()


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ("{", "It is no JSON: write one object a line."),
        ("[" * 100_000, "It is no JSON: write one object a line."),
        ("3", "It is no JSON object"),
        ("{}", "source must be a text, not None."),
        (line(source=""), "source must be a text, not ''."),
        (line(target=3), "target must be a text, not 3."),
        (line(source_hash="5"), "'5' is no content hash"),
        (line(target_hash=[1]), "'[1]' is no content hash"),
        (line(note=3), "note must be a text, not 3."),
        (line(verdict="maybe"), "The verdict 'maybe' is none of confirm, reject."),
        (line(target="boil-water"), "A label joins two skills, and this one joins 'boil-water' to itself"),
        (line(target="brew-te"), "There is no skill 'brew-te' in version 1. Did you mean brew-tea?"),
    ],
)
def test_a_line_that_cannot_be_read_is_named_and_nothing_is_imported(
    workspace: Workspace, bad: str, why: str
) -> None:
    """The number counts every line of the file."""
    with pytest.raises(UsageError) as refused:
        import_labels([line(), "", bad], workspace.current(), workspace.ledger)
    assert str(refused.value).startswith(f"Line 3: {why}")
    assert str(refused.value).endswith("Nothing was imported.")
    assert workspace.ledger.labels() == ()


def test_of_lines_that_contradict_one_another_the_last_stands_and_the_others_are_named(
    workspace: Workspace,
) -> None:
    """The same verdict twice contradicts nothing, whatever its note."""
    here = workspace.current(), workspace.ledger
    assert import_labels([line(), line(note="again")], *here) == (1, 0, ())
    lines = [line(verdict="reject"), line(), "", line(verdict="reject", note="no"), line(note="yes")]
    assert import_labels(lines, *here) == (1, 0, (1, 2, 4))
    (label,) = workspace.ledger.labels()
    assert (label.verdict, label.note) == (Verdict.CONFIRM, "yes")
