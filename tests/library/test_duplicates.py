"""Near duplicates: a share of text in common, exact, and cheap in a large library."""

from dataclasses import replace

import pytest

from caskg.library.diagnostics import Code
from caskg.library.duplicates import near_duplicates
from caskg.library.parse import parse_skill
from caskg.schema import Skill


def skill(skill_id: str, *lines: str) -> Skill:
    text = "\n".join(["---", f"name: {skill_id}", "---", *lines])
    parsed, _ = parse_skill(text.encode(), skill_id=skill_id, path=f"/{skill_id}/SKILL.md")
    assert parsed is not None
    return replace(parsed, description="")


def found(*skills: Skill) -> list[tuple[str, str]]:
    return [(each.path, each.message) for each in near_duplicates(skills)]


@pytest.mark.parametrize(
    ("common", "own", "share"),
    [(89, 60, None), (90, 60, "60%"), (100, 10, "91%")],
    ids=["less", "just", "more"],
)
def test_the_share_is_the_weighted_jaccard_index(common: int, own: int, share: str | None) -> None:
    """Lines of 90 characters in common; 60 more in one of them make 90 of 150."""
    lines = ["a" * 60, "b" * (common - 60)]
    result = found(skill("p", *lines), skill("q", *lines, "x" * own))
    assert [path for path, _ in result] == (["/q/SKILL.md"] if share else [])
    if share:
        assert f"Shares {share} of its text with 'p'" in result[0][1]


def test_copies_are_reported_elsewhere() -> None:
    """Equal contents are no near duplicates; blanks at the ends of lines and blank lines do not count."""
    first = skill("p", "a" * 50)
    copy = replace(first, id="q", path="/q/SKILL.md")
    assert found(first, copy) == []
    (near,) = found(first, skill("q", "", "  " + "a" * 50 + "  "))
    assert "Shares 100%" in near[1]


def test_the_nearest_of_those_before_is_named() -> None:
    """One finding a file; of equals, the first."""
    base = [letter * 50 for letter in "abcdefghij"]
    skills = [
        skill("p", *base, "x" * 60),
        skill("q", *base, "y"),
        skill("r", *base),
        skill("s", *base, "z" * 60),
    ]
    result = found(*skills)
    assert [path for path, _ in result] == ["/q/SKILL.md", "/r/SKILL.md", "/s/SKILL.md"]
    assert [message.split("'")[1] for _, message in result] == ["p", "q", "r"]


def test_lines_that_many_share_make_no_pair() -> None:
    """A licence under every file says nothing of two of them; twenty are the most that are compared."""
    licence = "l" * 100
    assert found(*(skill(f"s{n:02d}", licence, f"{n:02d}") for n in range(21))) == []
    assert len(found(*(skill(f"s{n:02d}", licence, f"{n:02d}") for n in range(20)))) == 19


def test_the_code_is_an_info() -> None:
    """Both are kept."""
    (only,) = near_duplicates([skill("p", "a" * 50), skill("q", "a" * 50, "b")])
    assert (only.code, only.severity.value, only.line) == (Code.NEAR_DUPLICATE, "info", None)
