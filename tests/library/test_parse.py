"""Parsing: bytes to a skill, folders to a library, and nothing lost without a word."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caskg.errors import LibraryError
from caskg.library.diagnostics import Code, diagnostic
from caskg.library.format import MAX_DESCRIPTION
from caskg.library.parse import load_library, parse_library, parse_skill
from caskg.library.references import resolve_references
from caskg.library.scan import Scan, scan
from caskg.schema import Diagnostic, Parameter, Section, Severity, Skill, SkillLibrary

GOOD = """---
name: brew-tea
description: Makes tea. Use when thirsty.
license: MIT
metadata:
  tags: "kitchen, hot"
---

# Brew tea

## Inputs

- Water
"""


def parse(text: str | bytes, skill_id: str = "p/brew-tea") -> tuple[Skill, list[str]]:
    data = text if isinstance(text, bytes) else text.encode()
    skill, found = parse_skill(data, skill_id=skill_id, path="/lib/SKILL.md")
    assert skill is not None
    return skill, [d.code for d in found]


def finding(text: str, code: Code, skill_id: str = "p/brew-tea") -> Diagnostic:
    _, found = parse_skill(text.encode(), skill_id=skill_id, path="/lib/SKILL.md")
    (only,) = [d for d in found if d.code == code]
    return only


# ---------------------------------------------------------------- one file


def test_a_good_file_is_read_in_silence() -> None:
    """Every part of it."""
    skill, found = parse(GOOD)
    assert found == []
    assert (skill.id, skill.path) == ("p/brew-tea", "/lib/SKILL.md")
    assert (skill.name, skill.description) == ("brew-tea", "Makes tea. Use when thirsty.")
    assert skill.body == "# Brew tea\n\n## Inputs\n\n- Water"
    assert skill.sections == (
        Section(title="Brew tea", level=1, text=""),
        Section(title="Inputs", level=2, text="- Water"),
    )
    assert skill.fields.inputs == (Parameter(name="Water"),)
    assert skill.fields.tags == ("kitchen", "hot")
    assert skill.fields.outputs is None


def test_line_ends_and_marks_change_nothing() -> None:
    """The same document from another system is the same skill."""
    plain, _ = parse(GOOD)
    windows, found = parse("\ufeff" + GOOD.replace("\n", "\r\n"))
    assert windows == plain
    assert found == [Code.BYTE_ORDER_MARK]


def test_name_and_description_are_one_line() -> None:
    """However they are wrapped."""
    skill, _ = parse("---\nname: '  brew-tea '\ndescription: |\n  one\n    two\n\n  three\n---\n")
    assert (skill.name, skill.description) == ("brew-tea", "one two three")


@pytest.mark.parametrize("line", ["", "name:\n", "name: ''\n", "name: ~\n"])
def test_a_missing_name_is_the_folders(line: str) -> None:
    """And said so."""
    skill, found = parse(f"---\n{line}description: d\n---\n")
    assert skill.name == "brew-tea"
    assert found == [Code.NAME_MISSING]


def test_a_name_that_is_no_text_is_not_used() -> None:
    """A list is no name; `yes` is, as written."""
    skill, found = parse("---\nname: [a, b]\ndescription: d\n---\n")
    assert skill.name == "brew-tea"
    assert found == [Code.VALUE_IGNORED, Code.NAME_MISSING]
    skill, found = parse("---\nname: yes\ndescription: d\n---\n", skill_id="yes")
    assert skill.name == "yes"
    assert found == [Code.NOT_A_STRING]


def test_a_name_that_differs_from_the_folder_is_mentioned() -> None:
    """Some readers go by the one, some by the other."""
    skill, found = parse(GOOD, skill_id="p/q/make-tea")
    assert skill.name == "brew-tea"
    assert found == [Code.NAME_DIFFERS]
    said = finding(GOOD, Code.NAME_DIFFERS, skill_id="p/q/make-tea")
    assert said.severity is Severity.INFO
    assert "'brew-tea'" in said.message
    assert "'make-tea'" in said.message


@pytest.mark.parametrize(
    "before",
    [
        "",
        "# Title\n\n",
        "- list\n\n",
        "```\ncode\n\nmore\n```\n\n",
        "> quote\n\n",
        "| a |\n\n",
        "![p](x)\n\n",
        "***\n\n",
        "1. a\n\n",
    ],
)
def test_a_missing_description_is_the_first_paragraph(before: str) -> None:
    """Of prose, as plain words."""
    skill, found = parse(f"---\nname: brew-tea\n---\n{before}It **brews**\ntea.\n\nMore.\n")
    assert skill.description == "It brews tea."
    assert found == [Code.DESCRIPTION_MISSING]


def test_without_prose_there_is_no_description() -> None:
    """It may be empty."""
    assert parse("---\nname: brew-tea\n---\n# T\n\n- a\n")[0].description == ""


def test_the_description_limit_is_exact() -> None:
    """A longer one is kept and reported; a paragraph in its place is cut."""
    head = "---\nname: brew-tea\ndescription: "
    assert parse(head + "x" * MAX_DESCRIPTION + "\n---\n")[1] == []
    skill, found = parse(head + "x" * (MAX_DESCRIPTION + 1) + "\n---\n")
    assert (len(skill.description), found) == (MAX_DESCRIPTION + 1, [Code.DESCRIPTION_LONG])
    assert len(parse("y" * 2000)[0].description) == MAX_DESCRIPTION


def test_no_front_matter() -> None:
    """Name from the folder, description from the text; one finding for each."""
    skill, found = parse("# Tea\n\nBrews tea.\n")
    assert (skill.name, skill.description) == ("brew-tea", "Brews tea.")
    assert found == [Code.NO_FRONT_MATTER, Code.DESCRIPTION_MISSING]


def test_an_unquoted_colon_drops_nothing() -> None:
    """T10: the description is read to its end, and the author is told the line."""
    text = "---\nname: brew-tea\ndescription: Makes tea: hot or cold.\n---\nB"
    assert parse(text)[0].description == "Makes tea: hot or cold."
    said = finding(text, Code.YAML_RECOVERED)
    assert (said.severity, said.line) == (Severity.WARNING, 3)


def test_keys_outside_the_format_are_named_together() -> None:
    """Once a file; they are not lost where we know them."""
    text = "---\nname: brew-tea\ndescription: d\nversion: 1\ntags: [a]\ncompatibility: x\n---\n"
    said = finding(text, Code.UNKNOWN_KEYS)
    assert said.message == "Keys outside the format: tags, version."
    assert parse(text)[0].fields.tags == ("a",)


@pytest.mark.parametrize(
    "line",
    ["metadata: text", "metadata: [a]", "tags: {a: b}", "allowed-tools: {a: b}", "metadata: {tags: {a: b}}"],
)
def test_values_of_a_wrong_kind_are_reported(line: str) -> None:
    """What is ignored is said."""
    skill, found = parse(f"---\nname: brew-tea\ndescription: d\n{line}\n---\n")
    assert Code.VALUE_IGNORED in found
    assert (skill.fields.tags, skill.fields.tools) == (None, None)


@pytest.mark.parametrize("key", ["description", "license", "compatibility"])
@pytest.mark.parametrize(("value", "text"), [("[a, b]", "a, b"), ("{a: b}", "a: b")])
def test_parts_of_what_should_be_text_are_joined_and_said(key: str, value: str, text: str) -> None:
    """No word is lost for a colon or brackets; the line is that of the key."""
    data = "".join(
        [
            "---\nname: brew-tea\n",
            "" if key == "description" else "description: d\n",
            f"{key}: {value}\n---\n",
        ]
    )
    skill, found = parse(data)
    assert Code.VALUE_JOINED in found
    assert f"{key!r} should be text" in finding(data, Code.VALUE_JOINED).message
    assert key != "description" or skill.description == text


@pytest.mark.parametrize(
    ("data", "codes"),
    [
        (b"", [Code.EMPTY]),
        (b"\n \n", [Code.EMPTY]),
        (bytes(range(256)), [Code.ENCODING, Code.NUL_CHARACTERS, Code.NOT_TEXT]),
    ],
)
def test_a_file_without_text_is_no_skill(data: bytes, codes: list[Code]) -> None:
    """The last finding is an error and says why."""
    skill, found = parse_skill(data, skill_id="a", path="p")
    assert skill is None
    assert [d.code for d in found] == codes
    assert found[-1].severity is Severity.ERROR


# ---------------------------------------------------------------- hash


def test_the_hash_is_of_what_the_document_says() -> None:
    """Not of where it lies."""
    skill, _ = parse(GOOD)
    moved, _ = parse_skill(GOOD.encode(), skill_id="other/place", path="/else")
    assert moved is not None
    assert moved.content_hash == skill.content_hash
    assert len(skill.content_hash) == 32


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("name: brew-tea", "name: brew-teas"),
        ("thirsty.", "thirsty!"),
        ("- Water", "- Waters"),
        ("kitchen, hot", "kitchen"),
    ],
)
def test_what_a_skill_is_made_of_changes_its_hash(old: str, new: str) -> None:
    """Name, description, body, and what fields are read from."""
    assert old in GOOD
    assert parse(GOOD)[0].content_hash != parse(GOOD.replace(old, new))[0].content_hash


def test_other_entries_do_not_change_the_hash() -> None:
    """A new version number makes no paid answer stale; nor does the order of entries."""
    other = GOOD.replace("license: MIT\n", "version: 2\n")
    assert parse(GOOD)[0].content_hash == parse(other)[0].content_hash
    first = parse("---\nname: a\ntags: x\nkeywords: y\ndescription: d\n---\n")[0]
    second = parse("---\nkeywords: y\ntags: x\nname: a\ndescription: d\n---\n")[0]
    assert first.content_hash == second.content_hash


def test_parts_of_the_hash_cannot_run_into_each_other() -> None:
    """A word that moves from the name to the description makes another skill."""
    first = parse("---\nname: ab\ndescription: c\n---\n")[0]
    second = parse("---\nname: a\ndescription: bc\n---\n")[0]
    assert first.content_hash != second.content_hash


# ---------------------------------------------------------------- a folder


def write(root: Path, **texts: str) -> Path:
    for name, text in texts.items():
        (root / name).mkdir(parents=True)
        (root / name / "SKILL.md").write_text(text, encoding="utf-8")
    return root


def skill_text(name: str, body: str = "") -> str:
    return f"---\nname: {name}\ndescription: Does {name}.\n---\n{body}"


def test_a_library_is_sorted_and_complete(tmp_path: Path) -> None:
    """Every file is a skill or has an error that names it."""
    write(tmp_path, b=skill_text("b"), a=skill_text("a"), empty="", c=skill_text("c"))
    library = load_library([tmp_path])
    assert [skill.id for skill in library.skills] == ["a", "b", "c"]
    (error,) = [d for d in library.diagnostics if d.severity is Severity.ERROR]
    assert (error.code, error.path) == (Code.EMPTY, str(tmp_path / "empty" / "SKILL.md"))


def test_loading_is_scanning_and_parsing(tmp_path: Path) -> None:
    """The pipeline does the first alone to see whether anything changed."""
    write(tmp_path, a=skill_text("a"), b="no front matter")
    assert load_library([tmp_path]) == parse_library(scan([tmp_path]))


def test_diagnostics_are_sorted_by_path_and_line(tmp_path: Path) -> None:
    """Those of scanning among those of parsing, and references that lead nowhere at the end of their file."""
    write(
        tmp_path,
        b="",
        a="---\nname: a\nname: a\ndescription: x: y\n---\n[z](../z/SKILL.md)",
        c=skill_text("c"),
        d=skill_text("c"),
    )
    found = [(Path(d.path).parent.name, d.line, d.code) for d in load_library([tmp_path]).diagnostics]
    assert found == [
        ("a", 3, Code.DUPLICATE_KEY),
        ("a", 4, Code.YAML_RECOVERED),
        ("a", 6, Code.REFERENCE_UNKNOWN),
        ("b", None, Code.EMPTY),
        ("d", None, Code.SAME_CONTENT),
        ("d", 2, Code.NAME_DIFFERS),
    ]


def test_a_library_without_a_readable_skill_is_refused(tmp_path: Path) -> None:
    """The message says what is wrong with the first files, and what to do."""
    write(tmp_path, a="")
    with pytest.raises(LibraryError, match=r"No skill could be read. .*a/SKILL.md: Holds no text. Write"):
        load_library([tmp_path])
    with pytest.raises(LibraryError, match=r"No skill could be read\.$"):
        parse_library(Scan(files=()))


def test_references_of_a_parsed_library_are_found(tmp_path: Path) -> None:
    """From bytes to pairs: a link, a name, a declared need."""
    declared = "---\nname: c\ndescription: d\nmetadata:\n  caskg-requires: a\n---\n"
    write(
        tmp_path,
        a=skill_text("a"),
        b_b=skill_text("b-b", "Run [it](../a/SKILL.md) first."),
        c=declared,
        d=skill_text("d", "Then `b-b`."),
    )
    library = load_library([tmp_path])
    found = [(r.source, r.target, r.kind.value, r.role.value) for r in resolve_references(library)]
    assert found == [(0, 1, "link", "need"), (0, 2, "declared", "need"), (3, 1, "name", "next")]


# ---------------------------------------------------------------- any bytes

_PIECES = st.sampled_from(
    [
        "---\n", "name: a-b\n", "name:", "description: x: y\n", "metadata:\n  k: [", "tags: &a [*a]\n",
        "? [a]\n", "!!python/object:x {}\n", '"\\ud800"\n', "%YAML 9\n", "...\n", "}{][", "\ufeff", "\r\n",
        "\0", "# H\n", "## Inputs\n", "- **a**: b\n", "1. ", "```\n", "| a | b |\n|---|---|\n| c | d |\n",
        "<!--\n", "> # q\n", "===\n", "\t", "\u2028", "\x1b[0m", "é", "故障", "[x](../c-d/SKILL.md)",
        "run `c-d` first. ", "then c-d, ", "not for it; use ",
    ]
)  # fmt: skip
_TEXTS = st.lists(_PIECES, max_size=30).map("".join)
_BYTES = st.one_of(st.binary(max_size=300), _TEXTS.map(str.encode), _TEXTS.map(lambda t: t.encode("utf-16")))


@settings(max_examples=300, deadline=None)
@given(_BYTES)
def test_any_bytes_give_a_skill_or_an_error(data: bytes) -> None:
    """Never an exception, never silence; and what is read can be stored as text."""
    skill, found = parse_skill(data, skill_id="s", path="p")
    assert (skill is None) == any(d.severity is Severity.ERROR for d in found)
    for each in found:
        assert each.message
        assert each.remedy
        assert each.line is None or each.line >= 1
    if skill is not None:
        repr(skill).encode()
        assert "\0" not in skill.body + skill.name + skill.description
        assert skill.name


@settings(max_examples=300, deadline=None)
@given(_BYTES, _BYTES)
def test_any_library_resolves(first: bytes, second: bytes) -> None:
    """Pairs are of two skills of the library, each at most once, and evidence is short."""
    parsed = [parse_skill(first, skill_id="a-b", path="p"), parse_skill(second, skill_id="c-d", path="q")]
    skills = tuple(skill for skill, _ in parsed if skill is not None)
    found = resolve_references(SkillLibrary(skills=skills))
    assert len({(r.source, r.target) for r in found}) == len(found)
    for each in found:
        assert 0 <= each.source < len(skills)
        assert 0 <= each.target < len(skills)
        assert each.source != each.target
        assert len(each.evidence) <= 300


@settings(deadline=None)
@given(_TEXTS)
def test_sections_hold_the_body(text: str) -> None:
    """Each section is a piece of the body, in order: nothing is invented, nothing twice."""
    skill, _ = parse_skill(text.encode(), skill_id="s", path="p")
    position = 0
    for section in skill.sections if skill else ():
        assert skill is not None
        position = skill.body.index(section.text, position) + len(section.text)


def test_every_code_has_a_message_and_a_remedy() -> None:
    """The set is closed: a new code without them fails here."""
    gaps = (
        "reason size limit target id new other problem count what key keys expected value name folder length"
        " outer others form quote where instead end above"
    )
    details: dict[str, Any] = dict.fromkeys(gaps.split(), "x")
    for code in Code:
        found = diagnostic(code, "p", share=0.5, **details)
        assert found.message
        assert found.remedy
        assert "{" not in found.message


@pytest.mark.parametrize(
    ("body", "description", "said"),
    [
        ("Slice it.\n", "Slice it.", "the first paragraph is used"),
        ("- a\n", "", "no paragraph can take its place"),
    ],
)
def test_a_missing_description_says_what_takes_its_place(body: str, description: str, said: str) -> None:
    """A list is no paragraph: nothing is promised that does not come."""
    skill, found = parse_skill(f"---\nname: s\n---\n{body}".encode(), skill_id="s", path="p")
    assert skill is not None
    assert skill.description == description
    assert [d.message for d in found] == [f"Has no description; {said}."]
