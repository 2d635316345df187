"""What of a library becomes arrays: exact token sets, silence kept apart from emptiness, ranks by content."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from caskg.config import SignalConfig
from caskg.graph.inputs import graph_inputs, signal_names, signal_texts
from caskg.graph.statements import Statements
from caskg.schema import (
    Parameter,
    ReferenceKind,
    ReferenceRole,
    ResolvedReference,
    Skill,
    SkillFields,
    SkillLibrary,
)
from factories import make_library, make_skill
from graph.graph_cases import needs, read

NO_NAMES = SignalConfig(names_in_text=False)
STATED_ONLY = SignalConfig(names_as_outputs=False)


def shared(statements: Statements) -> list[list[float]]:
    """Return how many tokens the statements of all skills share with one another."""
    rows = statements.sets[statements.rows]
    return (rows @ rows.T).toarray().tolist()


def test_the_token_set_of_a_skill_is_its_name_description_tools_and_tags() -> None:
    """Method, Section 8. The body, inputs and the rest are not part of it; a repeated word counts once."""
    fields = SkillFields(
        tools=("hammer",), tags=("wood", "amber"), effects=("gone",), inputs=(Parameter(name="nail"),)
    )
    inputs = read(
        make_skill("x", "Amber amber basin.", name="cedar", body="body text", fields=fields),
        make_skill("y", "amber hammer wood nail gone body text", name="cedar"),
    )
    assert inputs.sizes.tolist() == [5, 8]
    assert (inputs.tokens @ inputs.tokens.T).toarray().tolist() == [[5, 4], [4, 8]]
    assert inputs.n_skills == 2


def test_names_left_out_of_the_texts_are_nowhere() -> None:
    """Law b: neither in the token set, nor in the role, nor in what is encoded, nor as an output."""
    skill = make_skill("find-amber", "basin")
    inputs = read(skill, config=NO_NAMES)
    assert inputs.sizes.tolist() == [1]
    assert inputs.roles.tolist() == [-1]
    assert inputs.stated.outputs.count.tolist() == [0]
    assert signal_texts(make_library(skill), config=NO_NAMES) == ["basin"]


def test_the_name_gives_the_role_and_else_the_description() -> None:
    """The name is what the author calls it, so it goes first."""
    inputs = read(
        make_skill("a", "verify amber", name="find-amber"),
        make_skill("b", "verify amber", name="amber"),
        make_skill("c", "amber", name="amber"),
    )
    assert inputs.roles.tolist() == [2, 7, -1]


def test_a_family_keeps_its_verb_as_a_role() -> None:
    """What is left out as a beginning of many names still says what the skills do."""
    inputs = read(*(make_skill(f"get-thing{at}") for at in range(8)))
    assert inputs.roles.tolist() == [3] * 8
    assert inputs.sizes.tolist() == [1] * 8


def test_the_encoded_text_is_name_and_description() -> None:
    """Method, Section 8: "name: description"; a part that is not there leaves no colon behind."""
    library = make_library(make_skill("a", "does it"), make_skill("b", ""))
    assert signal_texts(library, config=SignalConfig()) == ["a: does it", "b"]


def test_statements_are_grouped_by_skill_and_equal_ones_are_kept_once() -> None:
    """The names of two inputs of one skill may differ in letter case or order only."""
    inputs = read(
        make_skill("a", inputs=["amber basin", "Basin-Amber", "cedar"]),
        make_skill("b"),
        make_skill("c", inputs=["cedar", "amber"]),
    ).stated.inputs
    assert inputs.count.tolist() == [2, 0, 2]
    assert inputs.start.tolist() == [0, 2, 2, 4]
    assert sorted(inputs.sizes.tolist()) == [1, 1, 2]
    assert shared(inputs) == [[2, 0, 0, 1], [0, 1, 1, 0], [0, 1, 1, 0], [1, 0, 0, 1]]


def test_what_is_not_stated_what_is_empty_and_what_has_no_words_is_silence() -> None:
    """None of them can match or fail to match."""
    skills = [make_skill("a"), make_skill("b", inputs=[]), make_skill("c", inputs=["the", "--"])]
    assert read(*skills).stated.inputs.count.tolist() == [0, 0, 0]


def test_outputs_and_effects_are_what_a_skill_gives() -> None:
    """Preconditions are what it presupposes, recovery what it says of failures."""
    fields = SkillFields(
        outputs=(Parameter(name="amber"),),
        effects=("basin is full", "amber"),
        preconditions=("cedar", "delta"),
        recovery=("ember",),
    )
    stated = read(make_skill("a", fields=fields)).stated
    counts = [stated.outputs, stated.gives, stated.presupposes, stated.recovery, stated.inputs]
    assert [each.count.tolist() for each in counts] == [[1], [2], [2], [1], [0]]
    assert sorted(stated.gives.sizes.tolist()) == [1, 2]


def test_a_name_stands_for_outputs_only_where_none_are_stated() -> None:
    """A skill called "get current date" gives one; who states outputs, or none at all, needs no guess."""
    skills = [
        make_skill("get-current-date"),
        make_skill("get-current-time", outputs=["time"]),
        make_skill("get-nothing", outputs=[]),
        make_skill("find"),
    ]
    stated = read(*skills).stated
    assert stated.by_name.tolist() == [True, False, False, True]
    assert stated.outputs.count.tolist() == [1, 1, 0, 0]
    assert stated.outputs.sizes[stated.outputs.rows].tolist() == [2, 1]
    assert stated.gives.count.tolist() == [0, 1, 0, 0]
    off = read(*skills, config=STATED_ONLY).stated
    assert off.by_name.tolist() == [False] * 4
    assert off.outputs.count.tolist() == [0, 1, 0, 0]


def test_needs_are_pairs_of_source_and_target_whatever_the_kind() -> None:
    """Declared, linked and named references count alike; codes are sorted and unique."""
    skills = [make_skill(name) for name in "abc"]
    references = [
        needs(2, 1, ReferenceKind.LINK),
        needs(0, 1, ReferenceKind.DECLARED),
        needs(0, 1, ReferenceKind.NAME),
    ]
    mentions = read(*skills, references=references).mentions
    assert mentions.needs.tolist() == [0 * 3 + 1, 2 * 3 + 1]
    assert mentions.contrasts.tolist() == []
    assert mentions.repairs.tolist() == []


def test_a_contrast_holds_both_ways_and_is_no_need() -> None:
    """T9: "not for X, use Y" says that the two are not to be confused, whoever says it."""
    skills = [make_skill(name) for name in "abc"]
    mentions = read(*skills, references=[needs(2, 1, ReferenceKind.CONTRAST)]).mentions
    assert mentions.contrasts.tolist() == [1 * 3 + 2, 2 * 3 + 1]
    assert mentions.needs.tolist() == []


@pytest.mark.parametrize(
    ("recovery", "evidence", "repairs"),
    [
        ("If it burns, see the rescue skill.", "If it burns, see the rescue skill.", [1]),
        ("If it burns, see the rescue skill.", "If it burns, see", [1]),
        ("see the rescue skill", "If it burns, see the rescue skill.", [1]),
        ("If it burns, see the rescue skill.", "First see the rescue skill.", []),
        ("If it burns, see the rescue skill.", "", []),
        ("", "If it burns, see the rescue skill.", []),
    ],
)
def test_a_reference_repairs_where_its_sentence_is_a_recovery(
    recovery: str, evidence: str, repairs: list[int]
) -> None:
    """Either may be cut short, so either may hold the other; a reference elsewhere is no repair."""
    target = make_skill("b", fields=SkillFields(recovery=("unrelated words", recovery)))
    reference = replace(needs(0, 1), evidence=evidence)
    mentions = read(make_skill("a"), target, references=[reference]).mentions
    assert mentions.repairs.tolist() == repairs


def test_a_skill_named_as_next_in_a_recovery_repairs_the_one_that_names_it() -> None:
    """In "if it fails, then run b" b comes next, and b is what restores a."""
    line = "If it fails, then run b."
    writer = make_skill("a", fields=SkillFields(recovery=(line,)))
    reference = ResolvedReference(
        source=0, target=1, kind=ReferenceKind.NAME, evidence=line, role=ReferenceRole.NEXT
    )
    mentions = read(writer, make_skill("b"), references=[reference]).mentions
    assert mentions.needs.tolist() == [0 * 2 + 1]
    assert mentions.repairs.tolist() == [1 * 2 + 0]


def test_ranks_follow_the_content_and_not_the_position_or_the_id() -> None:
    """Law a: where scores are equal, the texts decide."""
    skills = [make_skill(f"id{at}", f"text {at}", name=f"name{at}") for at in range(12)]
    ranks = read(*skills).tie_break
    assert sorted(ranks.tolist()) == list(range(12))
    renamed = [replace(skill, id=f"other/{11 - at}") for at, skill in enumerate(skills)]
    assert read(*renamed[::-1]).tie_break[::-1].tolist() == ranks.tolist()
    assert ranks.tolist() != sorted(ranks.tolist())


def test_ranks_do_not_read_names() -> None:
    """Law b: another name, hence another content hash, leaves the order alone."""
    skills = [make_skill(f"id{at}", f"text {at}", name=f"name{at}") for at in range(12)]
    renamed = [make_skill(f"id{at}", f"text {at}", name=f"zz{12 - at}") for at in range(12)]
    assert read(*skills).tie_break.tolist() == read(*renamed).tie_break.tolist()


@pytest.mark.parametrize("field", ["recovery", "preconditions", "effects"])
def test_ranks_do_not_read_sentences_which_may_name_skills(field: str) -> None:
    """Laws b and c: names are replaced consistently in references, and those stand in sentences too."""

    def skills(other: str) -> list[Skill]:
        sentence: Any = {field: (f"see {other}",)}
        return [make_skill(f"s{at}", f"text {at}", fields=SkillFields(**sentence)) for at in range(9)]

    assert read(*skills("a")).tie_break.tolist() == read(*skills("zebra")).tie_break.tolist()


def test_equal_texts_are_ranked_by_their_content_hash() -> None:
    """Two files may differ in the body alone."""
    skills = [make_skill("a", "same", body=str(at)) for at in range(6)]
    by_hash = sorted(skills, key=lambda skill: skill.content_hash)
    assert read(*by_hash).tie_break.tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("value", ["description", "tools", "tags", "inputs", "outputs"])
def test_every_part_of_the_text_can_decide_a_rank(value: str) -> None:
    """Twelve skills that differ in one field only stand in another order than their hashes give."""

    def skill(at: int) -> Skill:
        text = f"text {at}"
        if value == "description":
            return make_skill("x", text)
        stated = (Parameter(name=text),) if value in ("inputs", "outputs") else (text,)
        return make_skill("x", fields=replace(SkillFields(), **{value: stated}))  # type: ignore[arg-type]  # one of six fields

    by_hash = sorted((skill(at) for at in range(12)), key=lambda each: each.content_hash)
    assert read(*by_hash).tie_break.tolist() != list(range(12))


def test_vectors_must_be_of_length_one_or_zero() -> None:
    """A cosine is a product of vectors only then; refused, never rescaled."""
    skills = (make_skill("a"), make_skill("b"))
    read(*skills, vectors=np.array([[1.0009, 0.0], [0.0, 0.0]], dtype=np.float32))
    for bad in (1.0011, 0.9989, 2.0, np.nan):
        with pytest.raises(ValueError, match="Vector 1 has length"):
            read(*skills, vectors=np.array([[1.0, 0.0], [0.0, bad]], dtype=np.float32))


@pytest.mark.parametrize("shape", [(1, 2), (3, 2), (2,), (2, 2, 2)])
def test_every_skill_needs_a_vector(shape: tuple[int, ...]) -> None:
    """A missing row would shift all others."""
    skills = SkillLibrary(skills=(make_skill("a"), make_skill("b")))
    with pytest.raises(ValueError, match="2 skills need as many vectors"):
        graph_inputs(skills, np.zeros(shape, dtype=np.float32), (), config=SignalConfig())


def test_an_empty_library_is_read() -> None:
    """Nothing in, nothing out."""
    inputs = read(vectors=np.zeros((0, 3), dtype=np.float32))
    assert inputs.n_skills == 0
    assert inputs.stated.inputs.count.tolist() == []


def test_the_configuration_decides_what_of_a_name_is_compared() -> None:
    """Law b leaves all names out; otherwise eight names and a fifth of the library make a family."""
    skills = [make_skill(f"acme-{at}x") for at in range(8)] + [make_skill(f"other{at}") for at in range(32)]
    assert signal_names(skills, config=SignalConfig())[:2] == ["0x", "1x"]
    assert signal_names(skills[:7], config=SignalConfig())[:2] == ["acme-0x", "acme-1x"]
    more = [*skills, make_skill("other99")]
    assert signal_names(more, config=SignalConfig())[0] == "acme-0x"
    assert signal_names(skills, config=SignalConfig(family_size=9))[0] == "acme-0x"
    assert signal_names(skills, config=SignalConfig(names_in_text=False)) == [""] * 40
