"""The ledger counts every opinion once, and forgets none."""

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from caskg.errors import DamagedError, ProbeError, UsageError
from caskg.schema import Label, LabelSource, ProbeAnswer, ProbeKey, ProbeKind, Verdict
from caskg.store.ledger import Ledger, Spend
from caskg.store.workspace import Workspace

A, B, C, D = ("a" * 32, "b" * 32, "c" * 32, "d" * 32)
KEY = ProbeKey(A, B, "", ProbeKind.REMOVAL, "plain", "1", "text")
YES = ProbeAnswer(score=0.75, source_id="text", calls=1, tokens=10, transcript="yes")
NO = ProbeAnswer(score=0.25, source_id="text", calls=2, tokens=20)
MISSING = ProbeAnswer(score=None, source_id="text", missing_reason="timed out", calls=1, tokens=5)
AGAIN = replace(MISSING, missing_reason="unreadable")


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace.create(tmp_path / "workspace") as workspace:
        yield workspace


@pytest.fixture
def ledger(workspace: Workspace) -> Ledger:
    return workspace.ledger


# ---------------------------------------------------------------- answers


def test_an_answer_is_found_by_every_part_of_its_key(ledger: Ledger) -> None:
    """Whatever could change an answer is in the key: none may stand in for another."""
    others = [
        KEY._replace(source_hash=C),
        KEY._replace(target_hash=C),
        KEY._replace(substitute_hash=C, kind=ProbeKind.SUBSTITUTION),
        KEY._replace(substitute_hash=D, kind=ProbeKind.SUBSTITUTION),
        KEY._replace(kind=ProbeKind.REORDERING),
        KEY._replace(arm="control"),
        KEY._replace(prompt_version="2"),
        KEY._replace(prober_id="llm"),
    ]
    keys = [KEY, *others]
    entries = [(key, replace(YES, score=place / 16)) for place, key in enumerate(keys)]
    assert ledger.record(entries) == 9
    assert ledger.answers(keys) == dict(entries)
    assert ledger.answers(keys[3:5]) == dict(entries[3:5])
    assert all(isinstance(key.kind, ProbeKind) for key in ledger.answers(keys))


def test_what_was_never_asked_is_left_out(ledger: Ledger) -> None:
    """That is what a resumed build asks for."""
    assert ledger.answers([KEY]) == {}
    ledger.record([(KEY, YES)])
    assert ledger.answers([KEY._replace(arm="control")]) == {}
    assert ledger.answers([KEY._replace(target_hash=D)]) == {}
    assert ledger.answers([]) == {}


def test_the_first_score_stands(ledger: Ledger) -> None:
    """Asked twice is still one opinion: a resumed run must not count double."""
    assert ledger.record([(KEY, YES), (KEY, NO)]) == 1
    assert ledger.record([(KEY, NO)]) == 0
    assert ledger.record([(KEY, MISSING)]) == 0
    assert ledger.answers([KEY]) == {KEY: YES}
    assert ledger.spend() == {"text": Spend(answers=1, missing=0, questions=1, calls=1, tokens=10)}


def test_a_missing_answer_is_asked_again_and_every_attempt_is_kept(ledger: Ledger) -> None:
    """The last attempt counts until there is a score; what the attempts cost is not forgotten."""
    assert ledger.record([(KEY, MISSING)]) == 1
    assert ledger.answers([KEY]) == {KEY: MISSING}
    assert ledger.record([(KEY, AGAIN), (KEY, MISSING), (KEY, AGAIN)]) == 3
    assert ledger.answers([KEY]) == {KEY: AGAIN}
    assert ledger.record([(KEY, YES), (KEY, MISSING)]) == 1
    assert ledger.answers([KEY]) == {KEY: YES}
    assert ledger.spend() == {"text": Spend(answers=1, missing=4, questions=1, calls=5, tokens=30)}


def test_every_attempt_is_told_in_order(ledger: Ledger) -> None:
    """Of the questions that were asked for, and of no other."""
    other = KEY._replace(arm="control")
    ledger.record([(KEY, MISSING), (other, YES), (KEY, AGAIN), (KEY, YES)])
    assert ledger.attempts([KEY, KEY._replace(arm="x")]) == {KEY: [MISSING, AGAIN, YES]}
    assert ledger.attempts([other]) == {other: [YES]}


def test_a_score_of_zero_is_a_score(ledger: Ledger) -> None:
    """It says the most there is to say against an edge."""
    zero = replace(YES, score=0.0)
    ledger.record([(KEY, zero)])
    assert ledger.record([(KEY, YES)]) == 0
    assert ledger.answers([KEY]) == {KEY: zero}


def test_recording_is_all_or_nothing(ledger: Ledger) -> None:
    """A prober that breaks its contract in the middle must not leave half a batch."""
    other = KEY._replace(target_hash=C)
    with pytest.raises(ProbeError):
        ledger.record([(KEY, YES), (other, replace(YES, score=1.5))])
    with pytest.raises(UsageError, match="'' is no content hash"):
        ledger.record([(KEY, YES), (KEY._replace(target_hash=""), YES)])
    with pytest.raises(UsageError, match="'x' is no content hash"):
        ledger.record([(KEY, YES), (KEY._replace(substitute_hash="x"), YES)])
    assert ledger.answers([KEY]) == {}
    assert ledger.record([]) == 0


def test_all_answers_on_a_pair_are_found_whoever_gave_them(ledger: Ledger) -> None:
    """Calibration weighs every source, and ``explain`` shows them."""
    llm = KEY._replace(prober_id="llm", kind=ProbeKind.REORDERING)
    reverse = KEY._replace(source_hash=B, target_hash=A)
    elsewhere = KEY._replace(target_hash=C)
    ledger.record([(KEY, MISSING), (llm, NO), (reverse, YES), (elsewhere, YES)])
    ledger.record([(KEY, YES)])
    assert ledger.answers_for_pairs([(A, B)]) == {KEY: YES, llm: NO}
    assert ledger.answers_for_pairs([(A, C), (B, A), (D, A)]) == {reverse: YES, elsewhere: YES}
    assert ledger.answers_for_pairs([]) == {}


def test_answers_of_many_sources_are_found(ledger: Ledger) -> None:
    """More sources than are read at once."""
    hashes = [f"{number:032x}" for number in range(350)]
    entries = [
        (KEY._replace(source_hash=each), replace(YES, tokens=place)) for place, each in enumerate(hashes)
    ]
    assert ledger.record(entries) == 350
    assert ledger.answers(key for key, _ in entries) == dict(entries)


def test_the_ledger_outlives_the_process(workspace: Workspace) -> None:
    """Paid answers above all."""
    workspace.ledger.record([(KEY, YES)])
    workspace.ledger.record_substitutes({(A, B, "plain"): C})
    workspace.ledger.set_label(label("a", "b"))
    workspace.close()
    with Workspace.open(workspace.path) as again:
        assert again.ledger.answers([KEY]) == {KEY: YES}
        assert again.ledger.substitutes() == {(A, B, "plain"): C}
        assert again.ledger.labels() == (label("a", "b"),)


def test_spend_is_told_by_prober(ledger: Ledger) -> None:
    """So that a person sees what a model cost."""
    assert ledger.spend() == {}
    llm = KEY._replace(prober_id="llm")
    ledger.record([(KEY, YES), (llm, NO), (llm._replace(arm="control"), MISSING)])
    assert ledger.spend() == {
        "llm": Spend(answers=1, missing=1, questions=2, calls=3, tokens=25),
        "text": Spend(answers=1, missing=0, questions=1, calls=1, tokens=10),
    }


# ---------------------------------------------------------------- substitutes


def test_every_attempt_is_listed_and_every_prober_known(ledger: Ledger) -> None:
    """In the order in which they came."""
    assert (list(ledger.entries()), ledger.probers()) == ([], frozenset())
    other = KEY._replace(prober_id="llm", source_hash=D)
    ledger.record([(KEY, MISSING), (KEY, AGAIN), (KEY, YES), (other, NO)])
    assert sorted(ledger.entries(), key=lambda entry: entry[0]) == [
        (KEY, MISSING),
        (KEY, AGAIN),
        (KEY, YES),
        (other, NO),
    ]
    assert ledger.probers() == {"text", "llm"}


def test_what_is_forgotten_is_asked_anew(ledger: Ledger) -> None:
    """Every attempt at it and no other question, in no part of the key; its cost goes with it."""
    others = [
        KEY._replace(source_hash=C),
        KEY._replace(target_hash=C),
        KEY._replace(substitute_hash=C),
        KEY._replace(arm="control"),
    ]
    ledger.record([(KEY, MISSING), (KEY, YES), *((key, NO) for key in others)])
    assert ledger.forget([KEY, KEY, KEY._replace(prober_id="nobody")]) == 2
    assert set(ledger.answers([KEY, *others])) == set(others)
    assert ledger.spend()["text"].calls == 2 * len(others)
    assert ledger.forget([]) == 0
    assert ledger.record([(KEY, NO)]) == 1
    ledger.verify()


def test_labels_are_set_all_or_none(ledger: Ledger) -> None:
    """And counted where they are new."""
    label = Label(
        source="x",
        target="y",
        verdict=Verdict.CONFIRM,
        given_by=LabelSource.PERSON,
        source_hash=A,
        target_hash=B,
    )
    with pytest.raises(UsageError, match="to itself"):
        ledger.set_labels([label, replace(label, target="x")])
    assert ledger.labels() == ()
    assert ledger.set_labels([label, replace(label, target="z")]) == 2
    assert ledger.set_labels([label]) == 0


def test_a_substitute_is_kept_until_another_is_chosen(ledger: Ledger) -> None:
    """Each arm of an edge, and each direction, has its own; a new one replaces one whose text is gone."""
    ledger.record_substitutes({(A, B, "plain"): C, (A, B, "control"): D})
    ledger.record_substitutes({(B, A, "plain"): D})
    assert ledger.substitutes() == {(A, B, "plain"): C, (A, B, "control"): D, (B, A, "plain"): D}
    ledger.record_substitutes({(A, B, "plain"): D})
    assert ledger.substitutes() == {(A, B, "plain"): D, (A, B, "control"): D, (B, A, "plain"): D}
    ledger.record_substitutes({})
    assert len(ledger.substitutes()) == 3


@pytest.mark.parametrize("key", [("", B, "plain"), (A, "", "plain")])
def test_substitutes_are_kept_by_content_hash(ledger: Ledger, key: tuple[str, str, str]) -> None:
    """An id in place of a hash would keep a choice beyond an edit."""
    with pytest.raises(UsageError, match="is no content hash"):
        ledger.record_substitutes({key: C})
    with pytest.raises(UsageError, match="'kitchen/tea' is no content hash"):
        ledger.record_substitutes({(A, B, "plain"): "kitchen/tea"})


# ---------------------------------------------------------------- labels


def label(
    source: str,
    target: str,
    verdict: Verdict = Verdict.CONFIRM,
    given_by: LabelSource = LabelSource.PERSON,
    *,
    note: str = "",
    source_hash: str = A,
) -> Label:
    return Label(
        source=source,
        target=target,
        verdict=verdict,
        given_by=given_by,
        source_hash=source_hash,
        target_hash=B,
        note=note,
    )


def author(source: str, target: str, *, source_hash: str = A) -> Label:
    return label(source, target, given_by=LabelSource.AUTHOR, source_hash=source_hash)


def test_a_person_and_an_author_may_both_label_an_edge(ledger: Ledger) -> None:
    """The person goes before, yet the author's word is there again once the person's is taken back."""
    person = label("a", "b", Verdict.REJECT, note="seen it fail")
    for each in (person, author("a", "b"), label("b", "a")):
        ledger.set_label(each)
    assert ledger.labels() == (author("a", "b"), person, label("b", "a"))
    assert ledger.clear_label("a", "b") == 1
    assert ledger.labels() == (author("a", "b"), label("b", "a"))


def test_the_last_word_of_a_person_stands(ledger: Ledger, workspace: Workspace) -> None:
    """The earlier ones stay in the journal; the same word said twice is one entry."""
    for verdict in (Verdict.CONFIRM, Verdict.REJECT, Verdict.REJECT):
        ledger.set_label(label("a", "b", verdict))
    assert ledger.labels() == (label("a", "b", Verdict.REJECT),)
    assert ledger.clear_label("a", "b") == 1
    assert ledger.labels() == ()
    assert ledger.clear_label("a", "b") == 0
    ledger.set_label(label("a", "b", Verdict.REJECT))
    assert ledger.labels() == (label("a", "b", Verdict.REJECT),)
    assert journal(workspace) == ["confirm", "reject", None, "reject"]


def test_a_label_given_again_on_a_new_text_is_renewed(ledger: Ledger) -> None:
    """A label of other hashes is "to check": repeating it is the check."""
    ledger.set_label(label("a", "b"))
    ledger.set_label(label("a", "b", source_hash=C))
    assert ledger.labels() == (label("a", "b", source_hash=C),)


def test_clear_takes_back_only_that_label(ledger: Ledger) -> None:
    """Neither an author's, nor the one on the reversed edge."""
    ledger.set_label(author("a", "b"))
    ledger.set_label(label("b", "a"))
    assert ledger.clear_label("a", "b") == 0
    assert ledger.labels() == (author("a", "b"), label("b", "a"))


def test_author_labels_follow_the_library(ledger: Ledger, workspace: Workspace) -> None:
    """A declaration that was deleted is no longer believed; people's labels are not touched."""
    ledger.set_label(label("a", "c"))
    assert ledger.replace_author_labels([author("a", "b"), author("b", "c")]) == 2
    assert ledger.replace_author_labels([author("a", "b"), author("b", "c")]) == 0
    assert ledger.replace_author_labels([author("b", "c", source_hash=C), author("c", "d")]) == 3
    assert ledger.labels() == (label("a", "c"), author("b", "c", source_hash=C), author("c", "d"))
    assert ledger.replace_author_labels([]) == 2
    assert ledger.labels() == (label("a", "c"),)
    assert journal(workspace) == ["confirm"] * 3 + [None, "confirm", "confirm", None, None]


def test_a_label_follows_a_skill_that_moved(ledger: Ledger, workspace: Workspace) -> None:
    """The id is gone and its text stands elsewhere once; the journal keeps what was said before."""
    said = label("a", "b", Verdict.REJECT, note="seen it fail")
    ledger.set_label(said)
    moved = replace(said, source="new/a")
    assert ledger.follow_moves({"new/a": A, "b": B}) == ((said, moved),)
    assert ledger.labels() == (moved,)
    assert ledger.follow_moves({"new/a": A, "b": B}) == ()
    assert journal(workspace) == ["reject", None, "reject"]
    assert ledger.follow_moves({"x": A, "y": B}) == ((moved, replace(said, source="x", target="y")),)


@pytest.mark.parametrize(
    "now",
    [
        {"a": C, "new": A, "b": B},  # edited in its place, and copied before
        {"one": A, "two": A, "b": B},  # which of the two
        {"new": C, "b": B},  # edited and moved
        {"b": B},  # removed
        {"b": A},  # what it stood before has its text now
    ],
)
def test_a_label_stays_where_nobody_can_tell_that_its_skill_moved(
    ledger: Ledger, now: dict[str, str]
) -> None:
    """It is to be checked, and holds again when the skill comes back."""
    ledger.set_label(label("a", "b"))
    assert ledger.follow_moves(now) == ()
    assert ledger.labels() == (label("a", "b"),)


def test_a_label_takes_no_other_ones_place(ledger: Ledger) -> None:
    """Neither that of a label given since, nor one that two would take."""
    ledger.set_label(label("a", "b"))
    ledger.set_label(label("new", "b", Verdict.REJECT))
    assert ledger.follow_moves({"new": A, "b": B}) == ()
    ledger.clear_label("new", "b")
    ledger.set_label(label("old", "b", Verdict.REJECT))
    assert ledger.follow_moves({"new": A, "b": B}) == ()
    assert ledger.labels() == (label("a", "b"), label("old", "b", Verdict.REJECT))


def test_an_authors_label_is_not_moved(ledger: Ledger) -> None:
    """Every build reads anew what authors declare."""
    ledger.set_label(author("a", "b"))
    assert ledger.follow_moves({"new": A, "b": B}) == ()


def test_a_persons_label_is_no_declaration(ledger: Ledger) -> None:
    """It would be dropped at the next build."""
    with pytest.raises(UsageError, match="given by a person is no author's"):
        ledger.replace_author_labels([author("a", "b"), label("b", "c")])
    assert ledger.labels() == ()


def test_a_label_needs_two_skills_and_their_hashes(ledger: Ledger) -> None:
    """There are no loops in the graph, and without hashes nobody could tell that a text changed."""
    with pytest.raises(UsageError, match="this one joins 'a' to itself"):
        ledger.set_label(label("a", "a"))
    with pytest.raises(UsageError, match="'' is no content hash"):
        ledger.set_label(label("a", "b", source_hash=""))
    with pytest.raises(UsageError, match="'x' is no content hash"):
        ledger.replace_author_labels([author("a", "b", source_hash="x")])
    assert ledger.labels() == ()


# ---------------------------------------------------------------- damage


def ask(ledger: Ledger) -> dict[ProbeKey, ProbeAnswer]:
    return ledger.answers([KEY])


@pytest.mark.parametrize(
    ("statement", "read"),
    [
        ("UPDATE answers SET score = 0.25", ask),
        ("UPDATE answers SET substitute = source", ask),
        ("UPDATE hashes SET hash = 'f' WHERE hash LIKE 'b%'", ask),
        ("DELETE FROM hashes WHERE hash LIKE 'b%'", ask),
        ("UPDATE questions SET kind = 'reordering'", ask),
        ("UPDATE questions SET kind = 'rem0val'", ask),
        ("UPDATE questions SET kind = x'00'", ask),
        ("UPDATE questions SET arm = x'00'", ask),
        ("DELETE FROM questions", ask),
        ("UPDATE voices SET name = 'llm'", ask),
        ("DELETE FROM voices", ask),
        ("UPDATE substitutes SET substitute = source", Ledger.substitutes),
        ("UPDATE substitutes SET arm = 'control'", Ledger.substitutes),
        ("UPDATE labels SET verdict = 'reject'", Ledger.labels),
        ("UPDATE labels SET verdict = NULL", Ledger.labels),
    ],
)
def test_a_damaged_row_is_named(workspace: Workspace, statement: str, read: Callable[[Ledger], Any]) -> None:
    """An opinion that was changed by a bad sector must not decide on an edge."""
    ledger = workspace.ledger
    ledger.record([(KEY, YES)])
    ledger.record_substitutes({(A, B, "plain"): C})
    ledger.set_label(label("a", "b"))
    ledger.verify()
    connection = sqlite3.connect(workspace.path / "caskg.sqlite", isolation_level=None)
    connection.execute(statement)
    connection.close()
    for each in (read, Ledger.verify):
        with pytest.raises(DamagedError, match=r"In caskg\.sqlite, .* is damaged"):
            each(ledger)


def journal(workspace: Workspace) -> list[str | None]:
    """Return the verdicts of all labels that were ever given."""
    connection = sqlite3.connect(workspace.path / "caskg.sqlite")
    rows = connection.execute("SELECT verdict FROM labels ORDER BY id").fetchall()
    connection.close()
    return [verdict for (verdict,) in rows]
