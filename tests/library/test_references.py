"""Resolving references: who is meant, which way support runs, and which mention holds."""

from dataclasses import replace

import pytest

from caskg.library.diagnostics import Code
from caskg.library.fields import extract_fields
from caskg.library.markdown import cut_sections
from caskg.library.references import library_names, resolve_references, unknown_references
from caskg.schema import Reference, ReferenceKind, ReferenceRole, ResolvedReference, Skill, SkillFields
from factories import make_library, make_skill, reference

DECLARED, LINK, NAME, CONTRAST = ReferenceKind
MENTION, NEED, USE, NEXT = ReferenceRole


def linking(skill_id: str, *targets: str, kind: ReferenceKind = LINK, body: str = "") -> Skill:
    """Return a skill with these references in its fields."""
    references = tuple(reference(target, kind) for target in targets)
    return make_skill(skill_id, body=body, fields=SkillFields(references=references))


def pairs(*skills: Skill) -> set[tuple[str, str]]:
    library = make_library(*skills)
    return {(library.skills[r.source].id, library.skills[r.target].id) for r in resolve_references(library)}


def only(*skills: Skill) -> ResolvedReference:
    (found,) = resolve_references(make_library(*skills))
    return found


# ---------------------------------------------------------------- direction


def test_what_is_mentioned_supports_what_mentions_it() -> None:
    """T7: "read x first", and nobody loads it."""
    assert pairs(make_skill("gws-docs", body="Read `gws-shared` first."), make_skill("gws-shared")) == {
        ("gws-shared", "gws-docs")
    }
    assert pairs(linking("gws-docs", "../gws-shared"), make_skill("gws-shared")) == {
        ("gws-shared", "gws-docs")
    }


def test_several_needs_of_one_sentence() -> None:
    """T8: both come before."""
    writer = make_skill("blog-generator", body="audience-builder and brand-voice must come before this.")
    assert pairs(writer, make_skill("audience-builder"), make_skill("brand-voice")) == {
        ("audience-builder", "blog-generator"),
        ("brand-voice", "blog-generator"),
    }


@pytest.mark.parametrize(
    ("listed", "role"), [("torch, b-b", MENTION), ("c-c, b-b", NEED), ("b-b", NEED), ("../c-c, b-b", NEED)]
)
def test_a_list_of_front_matter_needs_skills_where_all_of_it_are_some(
    listed: str, role: ReferenceRole
) -> None:
    """`transformers` beside `torch` is a package, whatever skill bears that name."""
    needs = extract_fields({"dependencies": listed, "requires": "b-b-b"}, ())
    found = resolve_references(
        make_library(make_skill("a-a", fields=needs), make_skill("b-b"), make_skill("c-c"))
    )
    assert next(each.role for each in found if each.source == 1) is role


@pytest.mark.parametrize("key", ["requires", "needs", "prerequisites", "depends-on", "required-skills"])
def test_in_other_lists_each_entry_stands_for_itself(key: str) -> None:
    """A skill beside a package, a tool or a version is needed all the same."""
    needs = extract_fields({key: ["b-b", "pandas", "torch>=2"]}, ())
    found = only(make_skill("a-a", fields=needs), make_skill("b-b"))
    assert (found.role, found.evidence) == (NEED, f"{key}: b-b")


def test_a_version_makes_a_package_of_a_skills_name() -> None:
    """It is no need, whatever the key."""
    needs = extract_fields({"requires": "b-b>=2"}, ())
    assert only(make_skill("a-a", fields=needs), make_skill("b-b")).role is MENTION


@pytest.mark.parametrize(
    ("key", "reported"),
    [
        *((key, True) for key in ("caskg-requires", "depends-on", "depends_on", "required-skills")),
        *((key, False) for key in ("requires", "needs", "prerequisites", "dependencies")),
    ],
)
def test_an_unknown_name_is_reported_where_the_key_speaks_of_skills(key: str, reported: bool) -> None:  # noqa: FBT001 - a parameter
    """Elsewhere it may well be a tool or a package; a version is no skill's anywhere."""
    fields = extract_fields(
        {key: ["b-b", "b-bb"] if key == "caskg-requires" else ["b-b", "b-bb", "c>=2"]}, ()
    )
    library = make_library(make_skill("a-a", fields=fields), make_skill("b-b"))
    file = f"name: a\n{key}:\n- b-b\n- b-bb\n".encode()
    found = unknown_references(library, files={"a-a": file})
    assert [(each.code, each.line) for each in found] == [(Code.REFERENCE_UNKNOWN, 4)] * reported


def test_what_comes_next_is_supported() -> None:
    """The pair turns round: the skill of this document is the source."""
    found = only(make_skill("a-a", body="Then hand over to `b-b`."), make_skill("b-b"))
    assert (found.source, found.target, found.kind, found.role) == (0, 1, NAME, NEXT)


def test_a_contrast_is_kept_as_one() -> None:
    """T9: from the mentioned skill to the one that mentions it, and no need."""
    found = only(make_skill("a-a", "Not for sheets, use b-b."), make_skill("b-b"))
    assert (found.source, found.target, found.kind, found.role) == (1, 0, CONTRAST, MENTION)
    assert found.evidence == "Not for sheets, use b-b."


def test_description_titles_and_sections_are_searched() -> None:
    """With the topic of each section."""
    body = "# T\n\n## Using `b-b`\n\n## Needed\n\n- `c-c`\n"
    skill = replace(make_skill("a-a", "Use `d-d`.", body=body), sections=cut_sections(body))
    library = make_library(skill, *map(make_skill, ("b-b", "c-c", "d-d")))
    found = {(r.source, r.target, r.role) for r in resolve_references(library)}
    assert found == {(1, 0, USE), (2, 0, NEED), (3, 0, USE)}


def test_results_are_sorted_by_source_and_target() -> None:
    """So that equal libraries give equal results."""
    library = make_library(
        make_skill("c-c", body="`a-a` `b-b`"), make_skill("b-b", body="`a-a` `c-c`"), make_skill("a-a")
    )
    found = [(r.source, r.target) for r in resolve_references(library)]
    assert found == [(0, 1), (0, 2), (1, 2), (2, 1)]


# ---------------------------------------------------------------- which mention holds


@pytest.mark.parametrize(
    ("body", "kind", "role"),
    [
        ("See `b-b`. Use `b-b` instead.", CONTRAST, MENTION),
        ("Use `b-b` instead. Run `b-b` first.", NAME, NEED),
        ("See `b-b`. Then run `b-b`.", NAME, NEXT),
        ("Run `b-b` first. Then run `b-b`.", NAME, NEED),
        ("Then run `b-b`. Run `b-b` first.", NAME, NEXT),
    ],
)
def test_the_strongest_word_of_a_document_holds(body: str, kind: ReferenceKind, role: ReferenceRole) -> None:
    """An order in words before a contrast, that before a bare mention; of equals the first."""
    found = only(make_skill("a-a", body=body), make_skill("b-b"))
    assert (found.kind, found.role) == (kind, role)


def test_a_declared_need_goes_before_all() -> None:
    """It is the author's label."""
    found = only(
        linking("a-a", "b-b", kind=DECLARED, body="Run `b-b` first. Not for it, use `b-b`."),
        make_skill("b-b"),
    )
    assert (found.kind, found.evidence) == (DECLARED, "see b-b")


def test_a_link_goes_before_a_name() -> None:
    """Of two bare mentions; a name with an order in words says more than a bare link."""
    assert only(linking("a-a", "../b-b", body="See `b-b`."), make_skill("b-b")).kind is LINK
    assert only(linking("a-a", "../b-b", body="Run `b-b` first."), make_skill("b-b")).kind is NAME


def test_two_documents_that_agree_make_one_pair() -> None:
    """One says "then b", the other "after a"; the stronger word holds."""
    found = only(make_skill("a-a", body="Then run `b-b`."), make_skill("b-b", body="See `a-a`."))
    assert (found.source, found.target, found.role) == (0, 1, NEXT)


def test_two_documents_may_need_each_other() -> None:
    """Whether that can be is for the probes to say."""
    assert pairs(make_skill("a-a", body="See `b-b`."), make_skill("b-b", body="See `a-a`.")) == {
        ("a-a", "b-b"),
        ("b-b", "a-a"),
    }


# ---------------------------------------------------------------- who is meant


def test_nobody_mentions_itself() -> None:
    """By name, path or declaration."""
    assert (
        pairs(linking("p/a-a", "../a-a/SKILL.md", "./SKILL.md", "references/x.md", "a-a", body="`a-a`"))
        == set()
    )


def test_names_are_compared_without_case() -> None:
    """And found by name as by folder."""
    named = make_skill("p/folder-name", name="Real-Name")
    assert pairs(make_skill("a-a", body="`real-name`"), named) == {("p/folder-name", "a-a")}
    assert pairs(make_skill("a-a", body="`FOLDER-NAME`"), named) == {("p/folder-name", "a-a")}


def test_a_name_goes_before_a_folder() -> None:
    """The name is what its author calls it."""
    assert pairs(
        make_skill("a-a", body="`x-y`"), make_skill("q", name="x-y"), make_skill("x-y", name="z")
    ) == {("q", "a-a")}


def test_the_end_of_an_id_is_a_name() -> None:
    """With as many folders as are given."""
    skills = make_skill("p/q/x-y", name="z"), make_skill("r/x-y", name="w")
    assert pairs(make_skill("a-a", body="`q/x-y`"), *skills) == {("p/q/x-y", "a-a")}


def test_of_several_the_nearest_is_meant() -> None:
    """The one that shares most folders with the reader; if none does so alone, nobody."""
    reader = make_skill("p/q/a-a", body="`x-y`")
    far, near, beside = (make_skill(f"{folder}/x-y") for folder in ("r", "p/s", "p/q"))
    assert pairs(reader, far, near) == {("p/s/x-y", "p/q/a-a")}
    assert pairs(reader, far, near, beside) == {("p/q/x-y", "p/q/a-a")}
    assert pairs(reader, near, make_skill("p/t/x-y")) == set()
    assert pairs(reader, far, make_skill("t/x-y")) == set()


def test_only_whole_folders_are_shared() -> None:
    """And only from the beginning."""
    reader = make_skill("pq/r/a-a", body="`x-y`")
    assert pairs(reader, make_skill("pz/r/x-y"), make_skill("pq/s/x-y")) == {("pq/s/x-y", "pq/r/a-a")}


def test_a_skill_with_the_mentioned_name_means_itself() -> None:
    """Though there is another of that name."""
    assert pairs(make_skill("p/x-y", body="use `x-y`"), make_skill("q/x-y")) == set()


@pytest.mark.parametrize(
    "target",
    [
        "../b/SKILL.md",
        "../b/skill.md",
        "../b",
        "../b/",
        "../../p/b/SKILL.md",
        "../b/references/deep/x.md",
        "../../elsewhere/b/SKILL.md",
        "~/.agent/skills/b/SKILL.md",
        "/opt/b/SKILL.md",
        "skills/b/SKILL.md",
        "b/SKILL.md",
    ],
)
def test_paths_lead_to_a_skill(target: str) -> None:
    """From the reader's folder; else by the name of the last folder, as in copies of one library."""
    assert pairs(linking("p/a", target), make_skill("p/b")) == {("p/b", "p/a")}


@pytest.mark.parametrize(
    "target", ["../c/SKILL.md", "../references/x.md", "../..", "../bb", "SKILL.md", "../"]
)
def test_other_paths_lead_nowhere(target: str) -> None:
    """No part of a name is a name."""
    assert pairs(linking("p/a", target), make_skill("p/b")) == set()


def test_a_skill_below_is_reached() -> None:
    """And a file of the skill above means that skill."""
    assert pairs(linking("p", "b/SKILL.md"), make_skill("p/b")) == {("p/b", "p")}
    assert pairs(linking("p/b", "../references/x.md"), make_skill("p")) == {("p", "p/b")}


def test_a_path_goes_before_a_name() -> None:
    """What it leads to is meant, though another skill is called so, or nearer."""
    assert pairs(linking("p/a", "../../q/b/SKILL.md"), make_skill("p/b"), make_skill("q/b")) == {
        ("q/b", "p/a")
    }
    assert pairs(linking("p/a", "../../q/b"), make_skill("p/b"), make_skill("q/b")) == {("q/b", "p/a")}
    assert pairs(linking("p/a", "../b"), make_skill("p/b", name="z"), make_skill("q", name="b")) == {
        ("p/b", "p/a")
    }


# ---------------------------------------------------------------- unknown


def test_promises_that_lead_nowhere_are_reported_once() -> None:
    """A declared name, and a path to a SKILL.md; other words and paths may mean other things."""
    skill = make_skill(
        "p/a",
        fields=SkillFields(
            references=(
                reference("gone", DECLARED),
                reference("../gone/SKILL.md", LINK),
                Reference(target="../gone/SKILL.md", kind=CONTRAST, evidence="again"),
                reference("../gone", LINK),
                reference("gone/SKILL.md", LINK),
                reference("gone", NAME),
                reference("../b/SKILL.md", LINK),
                reference("b", DECLARED),
                reference("a", DECLARED),
            )
        ),
    )
    found = unknown_references(make_library(skill, make_skill("p/b")))
    assert [(d.code, d.path, d.message.split("'")[1]) for d in found] == [
        (Code.REFERENCE_UNKNOWN, "/nowhere/p/a/SKILL.md", "gone"),
        (Code.REFERENCE_UNKNOWN, "/nowhere/p/a/SKILL.md", "../gone/SKILL.md"),
    ]


def test_a_library_without_references() -> None:
    """Nothing comes of nothing."""
    assert resolve_references(make_library()) == ()
    assert resolve_references(make_library(make_skill("a"), make_skill("b"))) == ()


def test_renaming_folders_changes_nothing() -> None:
    """Renaming law (a): names stay, so the same pairs are found."""
    bodies = {"x-y": "Run `z-w` first.", "z-w": "Then run `v-u`.", "v-u": ""}

    def found(folder: str) -> set[tuple[str, str, ReferenceRole]]:
        library = make_library(
            *(
                make_skill(folder.format(n), name=name, body=body)
                for n, (name, body) in enumerate(bodies.items())
            )
        )
        named = [skill.name for skill in library.skills]
        return {(named[r.source], named[r.target], r.role) for r in resolve_references(library)}

    assert found("f{}") == found("g/{}/h") == {("z-w", "x-y", NEED), ("z-w", "v-u", NEXT)}


def test_names_found_before_give_the_same_pairs() -> None:
    """One search of the texts serves this and the free prober."""
    kettle, tea = (
        make_skill("a/kettle-fill", body="x"),
        make_skill("tea-brew", body="Run `kettle-fill` first."),
    )
    library = make_library(kettle, tea, replace(tea, id="b/tea-brew", path="b/tea-brew/SKILL.md"))
    names = library_names(library)
    assert names.keys() == {kettle.content_hash, tea.content_hash}
    assert [key for key, _ in names[tea.content_hash]] == ["kettle-fill"]
    assert resolve_references(library, names=names) == resolve_references(library)
    assert resolve_references(library, names=dict.fromkeys(names, ())) == ()
