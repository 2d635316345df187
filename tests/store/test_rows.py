"""What is stored comes back exactly, and what is damaged is not believed."""

import dataclasses
import json
import math
import zlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caskg.errors import DamagedError, ProbeError, UsageError
from caskg.schema import (
    Label,
    LabelSource,
    Parameter,
    ProbeAnswer,
    ProbeKey,
    ProbeKind,
    Reference,
    Section,
    Skill,
    SkillFields,
    Verdict,
)
from caskg.store import rows
from factories import make_skill

for record in (Parameter, Reference, Section, SkillFields, Skill):
    # Every field, those with a default too, so that a new field cannot be forgotten by the store.
    st.register_type_strategy(record, st.builds(record, **{f.name: ... for f in dataclasses.fields(record)}))

KEY = ProbeKey("a" * 32, "b" * 32, "", ProbeKind.REMOVAL, "plain", "1", "text")


def answer(
    score: float | None = 0.5, *, missing_reason: str | None = None, transcript: str | None = None
) -> ProbeAnswer:
    return ProbeAnswer(score=score, source_id="text", missing_reason=missing_reason, transcript=transcript)


def label(**values: str) -> Label:
    given = {"source": "a", "target": "b", "source_hash": "a" * 32, "target_hash": "b" * 32, **values}
    return Label(verdict=Verdict.CONFIRM, given_by=LabelSource.PERSON, **given)


def stored(skill: Skill) -> Skill:
    member, content = rows.pack_skill(skill)
    return rows.unpack_skill(rows.content_row(member.digest, content), member)


@settings(max_examples=100, deadline=None)
@given(st.from_type(Skill))
def test_a_skill_comes_back_exactly(skill: Skill) -> None:
    """The graph was built from the text as parsed: what is shown later must be that text."""
    back = stored(skill)
    assert back == skill
    assert repr(back) == repr(skill)  # a member of an enum equals its text, but is decided by with `is`


def test_absent_and_empty_stay_different() -> None:
    """A field the document does not state must not turn into a statement that there is none."""
    fields = SkillFields(inputs=None, outputs=(), tools=("tar",), tags=(), references=None)
    skill = make_skill("a", fields=fields)
    back = stored(skill)
    assert (back.fields.inputs, back.fields.outputs, back.fields.tools) == (None, (), ("tar",))
    assert (back.fields.tags, back.fields.references) == ((), None)


def test_the_text_of_a_section_is_kept_once() -> None:
    """By its place in the body; one that is not there, or not after the one before, as it is."""
    texts = ("same", "same", "first", "same", "")
    sections = tuple(
        Section(title=title, level=1, text=text) for title, text in zip("ABCDE", texts, strict=True)
    )
    body = "# A\nsame\n# B\nsame\n# C\nfirst"
    skill = dataclasses.replace(make_skill("a"), body=body, sections=sections)
    assert stored(skill) == skill
    cuts = [["A", 1, [4, 8]], ["B", 1, [13, 17]], ["C", 1, [22, 27]], ["D", 1, "same"], ["E", 1, [27, 27]]]
    head, _, rest = rows.pack_skill(skill)[1].partition(b"\n")
    assert json.loads(head)["sections"] == cuts
    assert rest.decode() == body


def test_sections_that_were_written_with_their_texts_are_read() -> None:
    """The first workspaces hold them so, and nothing but JSON."""
    section = Section(title="A", level=1, text="x")
    skill = dataclasses.replace(make_skill("a"), body="# A\nx", sections=(section,))
    member, content = rows.pack_skill(skill)
    sections = [{"title": "A", "level": 1, "text": "x"}]
    old = json.loads(content.partition(b"\n")[0]) | {"sections": sections, "body": skill.body}
    assert rows.unpack_skill(rows.content_row(member.digest, json.dumps(old).encode()), member) == skill


def test_a_content_that_was_written_compressed_is_read() -> None:
    """As the first workspaces hold it."""
    skill = make_skill("a", "Boil an egg.")
    member, content = rows.pack_skill(skill)
    assert rows.content_row(member.digest, content)[0] == content
    old = zlib.compress(content, level=1)
    assert rows.unpack_skill((old, rows.checksum(member.digest, data=old)), member) == skill


def test_half_a_character_in_a_body_comes_back() -> None:
    """A file in a strange encoding must not cost the build."""
    skill = dataclasses.replace(make_skill("a"), body="half \udc80")
    assert stored(skill).body == "half \udc80"
    halves = dataclasses.replace(skill, body="\ud83d\ude00", sections=())
    assert stored(halves).body == "\ud83d\ude00"  # two halves stay two


def test_half_a_character_in_a_path_is_replaced_and_in_an_id_refused() -> None:
    """A path is for people; an id that came back changed would be another skill."""
    skill = dataclasses.replace(make_skill("a"), path="/x/\udc80")
    assert stored(skill).path == "/x/?"
    with pytest.raises(UsageError, match=r"'a\\udc80' holds bytes that are no text: rename"):
        rows.require_text("a\udc80")
    assert rows.require_text("咖啡") == "咖啡"


def test_a_skill_under_another_digest_or_with_a_flipped_bit_is_damaged() -> None:
    """Neither a wrong link between tables nor a bad sector may pass for the skill."""
    member, content = rows.pack_skill(make_skill("mail/send", "Send a report."))
    packed, checksum = rows.content_row(member.digest, content)
    with pytest.raises(DamagedError, match="the skill mail/send is damaged"):
        rows.unpack_skill((packed, checksum), member._replace(digest="f" * 32))
    for place in range(len(packed)):
        flipped = packed[:place] + bytes([packed[place] ^ 1]) + packed[place + 1 :]
        with pytest.raises(DamagedError):
            rows.unpack_skill((flipped, checksum), member)


def test_copies_have_one_digest_and_other_fields_have_another() -> None:
    """A later CaSKG may read more out of the same words, under the same content hash."""
    skill = make_skill("a/tea", "Make tea.", name="tea")
    copy = dataclasses.replace(skill, id="b/tea", path="elsewhere")
    better = dataclasses.replace(skill, fields=SkillFields(effects=("tea",)))
    assert rows.pack_skill(skill)[0].digest == rows.pack_skill(copy)[0].digest
    assert rows.pack_skill(skill)[0].digest != rows.pack_skill(better)[0].digest


def test_the_checksum_of_members_sees_order() -> None:
    """Arrays count skills by position, so an exchange of two is damage."""
    first, second = (rows.pack_skill(make_skill(name))[0] for name in "ab")
    assert rows.members_checksum([first, second]) != rows.members_checksum([second, first])


@pytest.mark.parametrize("value", ["", "a" * 31, "a" * 33, "A" * 32, "g" * 32, "a" * 32 + "\n"])
def test_only_32_lower_case_hexadecimal_digits_are_a_hash(value: str) -> None:
    """Anything else is a mix-up of arguments, found before it is stored for ever."""
    rows.require_hashes(["0123456789abcdef" * 2])
    with pytest.raises(UsageError, match="is no content hash"):
        rows.require_hashes(["a" * 32, value])


@settings(deadline=None)
@given(
    st.floats(0, 1) | st.none(),
    st.text(),
    st.text() | st.none(),
    st.integers(0, 2**40),
    st.integers(0, 2**40),
)
def test_an_answer_comes_back_exactly(
    score: float | None, source_id: str, transcript: str | None, calls: int, tokens: int
) -> None:
    """The score decides on an edge, the rest is shown to people."""
    given_answer = ProbeAnswer(
        score=score,
        source_id=source_id,
        missing_reason="cannot tell" if score is None else None,
        calls=calls,
        tokens=tokens,
        transcript=transcript,
    )
    assert rows.unpack_answer(KEY, source_id, rows.answer_row(KEY, given_answer)) == given_answer


@pytest.mark.parametrize("score", [-1e-9, 1 + 1e-9, math.nan, math.inf, -math.inf])
def test_a_score_outside_0_and_1_is_refused(score: float) -> None:
    """SQLite would store NaN as "missing", and a prober's fault would look like an honest gap."""
    with pytest.raises(ProbeError, match="must give a score in"):
        rows.answer_row(KEY, answer(score))


@pytest.mark.parametrize("score", [0.0, -0.0, 1.0])
def test_the_ends_of_the_range_are_scores(score: float) -> None:
    """-0.0 too: SQLite drops its sign, which must not look like damage."""
    assert rows.answer_row(KEY, answer(score))[0] == score
    assert math.copysign(1, rows.answer_row(KEY, answer(score))[0]) == 1


@pytest.mark.parametrize(("score", "reason"), [(0.5, "cannot tell"), (None, None)])
def test_a_score_and_a_reason_exclude_each_other(score: float | None, reason: str | None) -> None:
    """Missing without a reason cannot be explained; a score with one cannot be trusted."""
    with pytest.raises(ProbeError, match=f"text answered score {score} with reason {reason!r}"):
        rows.answer_row(KEY, answer(score, missing_reason=reason))


def test_half_a_character_in_a_models_words_is_replaced() -> None:
    """A paid answer must not be lost because its transcript cannot be written."""
    row = rows.answer_row(KEY, answer(None, missing_reason="\ud83d!", transcript="\ud83d?"))
    assert (row[1], row[4]) == ("?!", "??")


@pytest.mark.parametrize("place", range(5))
def test_a_changed_answer_is_damaged(place: int) -> None:
    """Score, reason, cost and words: each is under the checksum."""
    row = list(rows.answer_row(KEY, answer(0.5, transcript="yes")))
    row[place] = 7
    with pytest.raises(DamagedError, match=f"the answer of text on {'a' * 32} -> {'b' * 32} is damaged"):
        rows.unpack_answer(KEY, "text", row)


@pytest.mark.parametrize("place", range(7))
def test_an_answer_under_another_key_is_damaged(place: int) -> None:
    """A flipped link to another skill or prober must not move an opinion there."""
    row = rows.answer_row(KEY, answer())
    other = ProbeKey._make([*KEY[:place], "other", *KEY[place + 1 :]])
    with pytest.raises(DamagedError):
        rows.unpack_answer(other, "text", row)


def test_an_answer_of_another_source_is_damaged() -> None:
    """Evidence is weighed by source."""
    with pytest.raises(DamagedError):
        rows.unpack_answer(KEY, "other", rows.answer_row(KEY, answer()))


def test_a_label_comes_back_exactly_or_as_taken_back() -> None:
    """The journal holds both, and its last entry on an edge counts."""
    given_label = label(note="seen it fail")
    key = ("a", "b", LabelSource.PERSON)
    assert rows.unpack_label(rows.label_row(given_label, created="now")) == (key, given_label)
    assert rows.unpack_label(rows.label_row(given_label, created="now", cleared=True)) == (key, None)


@pytest.mark.parametrize("place", range(8))
def test_a_changed_label_is_damaged(place: int) -> None:
    """A label outweighs every probe: a flipped verdict would turn an edge around."""
    row = list(rows.label_row(label(), created="now"))
    row[place] = "other"
    with pytest.raises(DamagedError, match="the label on"):
        rows.unpack_label(row)


@pytest.mark.parametrize("meta", [{"x": math.nan}, {"x": {1}}, {"x": b""}])
def test_meta_data_that_json_cannot_express_are_refused(meta: dict[str, Any]) -> None:
    """They would not come back as they were."""
    with pytest.raises(UsageError, match="must be JSON"):
        rows.pack_meta(meta)
