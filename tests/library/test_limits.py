"""What is unusually large is read in part, and said: no file costs more than its share of a build."""

from collections import Counter
from pathlib import Path

import pytest

from caskg.library.diagnostics import Code
from caskg.library.fields import MOST_LISTED
from caskg.library.front_matter import LONGEST
from caskg.library.markdown import LONGEST_PARSED, MOST_SECTIONS
from caskg.library.parse import in_order, load_library, parse_skill
from caskg.library.strict import strict_findings

HEAD = "---\nname: brew-tea\ndescription: Brews tea\n"


def said(text: str) -> list[str]:
    return [
        f"{each.line} {each.message}" for each in parse_skill(text.encode(), skill_id="brew-tea", path="p")[1]
    ]


def test_headings_without_end_are_cut_off_and_said() -> None:
    """The text is kept, in the last section."""
    limit = f"{HEAD}---\n" + "# a\n\n" * MOST_SECTIONS
    assert said(limit) == []
    over = f"{limit}# b\n"
    skill, _ = parse_skill(over.encode(), skill_id="brew-tea", path="p")
    assert skill is not None
    assert len(skill.sections) == MOST_SECTIONS
    assert skill.sections[-1].text.endswith("# b")
    (only,) = said(over)
    assert "headings after the first 2,000 were taken for text" in only


def test_a_very_long_body_is_cut_at_plain_headings_only() -> None:
    """What only a parser can judge is not worth its time there, and is said."""
    body = "A\n===\n" + "x " * (LONGEST_PARSED // 2 - 3)
    skill, found = parse_skill(f"{HEAD}---\n{body}".encode(), skill_id="brew-tea", path="p")
    assert skill is not None
    assert (len(skill.body), [each.title for each in skill.sections], found) == (LONGEST_PARSED, ["A"], ())
    skill, found = parse_skill(f"{HEAD}---\n{body}x".encode(), skill_id="brew-tea", path="p")
    assert skill is not None
    assert [each.title for each in skill.sections] == [""]
    assert "underlined headings and HTML were taken for text" in found[0].message


def test_lists_without_end_are_cut_off_and_said() -> None:
    """At the line that reaches the limit, over all sections."""
    start = f"{HEAD}---\n## Inputs\n- {'a' * (MOST_LISTED - 11)}\n- bbbb"
    for more, lost in (("bb", False), ("bbb", True)):
        skill, found = parse_skill(f"{start}{more}\n\n## Outputs\n".encode(), skill_id="brew-tea", path="p")
        assert skill is not None
        assert len(skill.fields.inputs or ()) == 2 - lost
        assert [each.code for each in found] == [Code.READ_IN_PART] * lost
    skill, found = parse_skill(f"{start}\n## Outputs\n- {'c' * 20}".encode(), skill_id="brew-tea", path="p")
    assert skill is not None
    assert skill.fields.outputs is None
    assert [each.code for each in found] == [Code.READ_IN_PART]


@pytest.mark.parametrize("size", [LONGEST, LONGEST + 1])
def test_front_matter_without_end_is_read_up_to_its_limit(size: int) -> None:
    """The rest is not lost: it is in the body."""
    keys = "name: brew-tea\ndescription: Brews tea\n"
    filled = keys + "# c\n" * ((size - len(keys)) // 4)
    front = filled + "#" * (size - len(filled) - 1) + "\n"
    skill, found = parse_skill(f"---\n{front}---\nBoil.".encode(), skill_id="brew-tea", path="p")
    assert skill is not None
    assert (skill.name, skill.description) == ("brew-tea", "Brews tea")
    if size == LONGEST:
        assert (skill.body, found) == ("Boil.", ())
    else:
        assert skill.body.endswith("---\nBoil.")
        assert [(each.code, each.line) for each in found] == [(Code.READ_IN_PART, 2)]


def test_one_long_line_of_front_matter_is_cut_within() -> None:
    """Where no line ends near the limit."""
    skill, found = parse_skill(
        f"{HEAD}license: {'x' * LONGEST}\n---\nBoil.".encode(), skill_id="brew-tea", path="p"
    )
    assert skill is not None
    assert skill.name == "brew-tea"
    assert "the first 32,768 characters were read, the rest as its body" in found[0].message
    assert skill.body.endswith("x\n---\nBoil.")


def test_many_findings_of_one_kind_are_counted(tmp_path: Path) -> None:
    """Twenty and the number of the rest; one more than twenty is shown. Other files and kinds stay."""
    for name, times in (("a", 22), ("b", 23), ("c", 30)):
        (tmp_path / name).mkdir()
        front = f"---\nname: {name}\ndescription: D\n" + "license: x\n" * times
        (tmp_path / name / "SKILL.md").write_text(f"{front}Owner: {name}\n---\nB {name}")
    found = load_library([tmp_path]).diagnostics
    counts = Counter((Path(each.path).parent.name, each.code) for each in found)
    assert [counts[name, Code.DUPLICATE_KEY] for name in "abc"] == [21, 21, 21]
    assert [counts[name, Code.UNKNOWN_KEYS] for name in "abc"] == [1, 1, 1]
    last = [[each for each in found if Path(each.path).parent.name == name][-2] for name in "abc"]
    assert [each.message for each in last] == [
        "'license' is given twice; the last one holds.",
        "2 more of this kind, here and below.",
        "9 more of this kind, here and below.",
    ]
    assert last[2].line == 25
    assert in_order(found) == found


@pytest.mark.parametrize(("more", "valid"), [(0, True), (1, False)])
def test_a_strict_reading_checks_no_more_either(more: int, valid: bool) -> None:  # noqa: FBT001 - of a table
    """Its YAML is slower still."""
    keys = "\nname: tea\ndescription: Brews tea\n#"
    data = f"---{keys}{'x' * (LONGEST - len(keys) - 1 + more)}\n---\nBoil."
    found = strict_findings(data.encode(), path="tea/SKILL.md")
    assert [each.code for each in found] == ([] if valid else [Code.STRICT_YAML])
