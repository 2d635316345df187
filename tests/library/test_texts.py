"""The renaming laws (method, Section 8), on names and on the texts that mention them."""

from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caskg.library.texts import distinctive_names, skill_text, whole_text, without_mentions
from caskg.schema import Parameter, Section, Skill, SkillFields
from factories import make_library, make_skill

names_of_few_words = st.lists(
    st.lists(st.sampled_from(["data", "web", "read", "write", "x"]), min_size=1, max_size=3).map("-".join),
    min_size=4,
    max_size=24,
)


def family_names(*names: str, family_size: int = 2, family_share: float = 0.0) -> list[str]:
    return distinctive_names(names, family_size=family_size, family_share=family_share)


@pytest.mark.parametrize(
    ("name", "description", "text"),
    [("boil", "Boil water.", "boil: Boil water."), ("boil", "", "boil"), ("", "Boil water.", "Boil water.")],
)
def test_a_skill_is_its_name_and_description(name: str, description: str, text: str) -> None:
    """A half that is missing leaves no colon behind."""
    assert skill_text(make_skill("s", description, name=name)) == text


def test_the_whole_text_has_the_body_too() -> None:
    """What the third ranking reads."""
    assert whole_text(make_skill("boil", "Boil water.", body="# Steps")) == "boil\n\nBoil water.\n\n# Steps"
    assert whole_text(make_skill("boil")) == "boil"


# ---------------------------------------------------------------- shared beginnings


def test_a_beginning_that_many_names_share_is_left_out() -> None:
    """It says where a skill comes from, not what it does."""
    assert family_names("acme-read", "Acme_write", "fly") == ["read", "write", "fly"]


@pytest.mark.parametrize("separator", ["-", "_", ":", "/", ".", " ", " - "])
def test_words_of_a_name_end_at_any_separator(separator: str) -> None:
    """Vendors separate in all ways; the rest of the name keeps its own."""
    assert family_names(f"acme{separator}get-it_now", "acme:b")[0] == "get-it_now"


def test_the_last_word_always_stays() -> None:
    """A skill without a name could not be told from others."""
    assert family_names("acme", "acme", "acme-acme") == ["acme", "acme", "acme"]


def test_names_without_a_word_are_left_alone() -> None:
    """Only symbols, or nothing."""
    assert family_names("", "", "--", "--") == ["", "", "--", "--"]


def test_families_within_families_are_left_out_too() -> None:
    """The beginning "acme-db-" is two of them; "fly" begins one name only."""
    assert family_names("acme-db-read", "acme-db-write", "fly-db") == ["read", "write", "fly-db"]


def test_a_family_needs_both_its_size_and_its_share() -> None:
    """Counts at the bounds: exactly enough is enough."""
    names = ["a-1", "a-2", "a-3", "b-1", "b-2", "c-1"]
    kept = {word: [name for name in names if name.startswith(word)] for word in "abc"}
    cases = [
        (3, 0, "a"),
        (4, 0, ""),
        (2, 0, "ab"),
        (1, 0, "abc"),
        (1, 0.5, "a"),
        (1, 0.51, ""),
        (1, 1 / 3, "ab"),
    ]
    for size, share, left_out in cases:
        found = family_names(*names, family_size=size, family_share=share)
        for word, own in kept.items():
            assert (word not in left_out) == all(name in found for name in own), (size, share, word)


@settings(deadline=None)
@given(names_of_few_words, st.integers(0, 1))
def test_a_new_beginning_on_half_of_the_names_changes_nothing(names: list[str], first: int) -> None:
    """Renaming law (c), in its strictest form: the texts that signals compare are the same."""
    half = set(range(first, len(names), 2))
    renamed = [f"acme-{name}" if at in half else name for at, name in enumerate(names)]
    kept = distinctive_names(names, family_size=2, family_share=0.3)
    assert distinctive_names(renamed, family_size=2, family_share=0.3) == kept


@settings(deadline=None)
@given(
    names_of_few_words.flatmap(lambda names: st.tuples(st.just(names), st.permutations(range(len(names)))))
)
def test_the_order_of_names_changes_nothing(case: tuple[list[str], list[int]]) -> None:
    """Families grow until none is left to find, so it does not matter which is found first."""
    names, order = case
    kept = distinctive_names(names, family_size=3, family_share=0.2)
    shuffled = distinctive_names([names[at] for at in order], family_size=3, family_share=0.2)
    assert shuffled == [kept[at] for at in order]


# ---------------------------------------------------------------- names left out


def blanked(text: str, *names: str) -> str:
    """Return the first description of a library with these names, after names are left out."""
    skills = [make_skill(f"id-{at}", text, name=name) for at, name in enumerate(names)]
    return without_mentions(make_library(*skills)).skills[0].description


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("use pdf.", "use  ."),
        ("pdf", " "),
        ("pdf pdf", "   "),
        ("../pdf/SKILL.md", "../ /SKILL.md"),
        ("`pdf`", "` `"),
        ("pdf-tools and pdfs", "pdf-tools and pdfs"),
        ("my-pdf or my_pdf", "my-pdf or my_pdf"),
        ("PDF", "PDF"),
        ("see fill form first", "see   first"),
        ("see fill forms first", "see   forms first"),
        ("see fill then", "see   then"),
        ("run c++ now", "run   now"),
        ("version 1.5.", "version  ."),
        ("x#y z#", " y  "),
        ("no names", "no names"),
        ("", ""),
    ],
)
def test_whole_mentions_of_names_become_blanks(text: str, expected: str) -> None:
    """As written, longest first, never within another word."""
    assert blanked(text, "pdf", "fill", "fill form", "c++", "1.5", "★", "x#", "z#") == expected


def test_an_empty_name_mentions_nothing() -> None:
    """It would stand everywhere."""
    assert blanked("a b", "", "x") == "a b"


def everything(name: str) -> Skill:
    """Return a skill that mentions *name* wherever a text can."""
    stated = SkillFields(
        inputs=(Parameter(name=name, type=name, description=f"from {name}"), Parameter(name="raw")),
        outputs=(Parameter(name="out", description=f"for {name}"),),
        preconditions=(f"{name} ran", name),
        effects=(name,),
        recovery=(f"rerun {name}",),
        tools=(name,),
        tags=(name,),
    )
    skill = make_skill("first", f"After {name}.", name=name, body=f"See {name}!", fields=stated)
    return Skill(
        **{field.name: getattr(skill, field.name) for field in fields(Skill) if field.name != "sections"},
        sections=(Section(title=f"With {name}", level=1, text=f"See {name}!"),),
    )


def test_mentions_leave_every_text_and_nothing_else() -> None:
    """Ids, names, tools, tags and parameters are not texts; a statement that was only a name is gone."""
    skill = everything("pdf")
    (bare,) = without_mentions(make_library(skill)).skills
    assert (bare.name, bare.description, bare.body) == ("pdf", "After  .", "See  !")
    assert bare.sections == (Section(title="With  ", level=1, text="See  !"),)
    assert bare.fields == SkillFields(
        inputs=(Parameter(name="pdf", type="pdf", description="from  "), Parameter(name="raw")),
        outputs=(Parameter(name="out", description="for  "),),
        preconditions=("  ran",),
        effects=None,
        recovery=("rerun  ",),
        tools=("pdf",),
        tags=("pdf",),
    )
    assert (bare.id, bare.path) == (skill.id, skill.path)
    assert bare.content_hash != skill.content_hash


def test_absent_fields_stay_absent() -> None:
    """None is "not stated", and stays so."""
    (bare,) = without_mentions(make_library(make_skill("a", fields=SkillFields()))).skills
    assert bare.fields == SkillFields()


def test_renaming_changes_nothing_once_names_are_left_out() -> None:
    """Renaming law (b): a name replaced consistently in all texts is no different when names are left out."""

    def library_texts(name: str) -> list[str]:
        other = make_skill("second", f"Never {name}, use other.", name="other", body=f"{name} and {name}/x")
        library = without_mentions(make_library(make_skill("first", f"{name} it", name=name), other))
        return [f"{skill.description} {skill.body}" for skill in library.skills]

    assert library_texts("pdf") == library_texts("quite-another_name2")
