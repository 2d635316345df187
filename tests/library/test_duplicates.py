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


ONE_LINE = (
    "Boil the water, then warm the pot with it and pour it away. Put one spoon of leaves into the pot for"
    " each cup and one more, and pour the water over them as soon as it boils; wait for four minutes in which"
    " nobody stirs the pot or lifts its lid. Pour the tea through a strainer of fine mesh into cups that were"
    " warmed too and serve it at once with cold milk in a jug of its own beside it"
)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("four", "five"),
        ("leaves", "green leaves"),
        ("as soon ", ""),
        ("Boil", "Heat"),
        ("beside it", "there"),
    ],
    ids=["replaced", "more", "less", "first", "last"],
)
@pytest.mark.parametrize("marks", [".,;", ""], ids=["clauses", "no marks"])
def test_a_word_that_differs_in_a_long_line_does_not_hide_the_rest(old: str, new: str, marks: str) -> None:
    """A body may be one line; where marks are left out, it is cut between words."""
    line = ONE_LINE if marks else ONE_LINE.translate(str.maketrans("", "", ".,;"))
    assert old in line
    result = found(skill("p", line), skill("q", line.replace(old, new, 1)))
    assert [path for path, _ in result] == ["/q/SKILL.md"]


def test_long_lines_of_other_words_are_no_near_duplicates() -> None:
    """Some clauses in common are not enough; nor is a long line cut where there is nothing to cut at."""
    other = ONE_LINE.replace("Put one spoon", "Take a handful").replace("pour the tea", "let it run")
    other = " ".join(word[::-1] if at % 5 == 0 else word for at, word in enumerate(other.split()))
    assert found(skill("p", ONE_LINE), skill("q", other)) == []
    assert found(skill("p", "a" * 301), skill("q", "a" * 300 + "b")) == []


def test_clauses_of_a_script_without_blanks_are_compared() -> None:
    """Its marks are wide ones."""
    clauses = [f"{chr(0x4E00 + at) * 12}\u3002" for at in range(30)]
    result = found(skill("p", "".join(clauses)), skill("q", "".join(["\u8336\u3002", *clauses[1:]])))
    assert [path for path, _ in result] == ["/q/SKILL.md"]
    assert "Shares 96%" in result[0][1]


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


LINES = tuple(f"Take {part} and warm it in the pot until it is hot." for part in (
    "the first cup of water from the spring", "some leaves of the old bush by the gate",
    "a spoon of honey out of the brown jar", "one slice of lemon without its seeds",
    "the milk that stands behind the door", "two grains of salt from the sea in the north",
))  # fmt: skip


@pytest.mark.parametrize(
    "lines",
    [
        [line.upper() for line in LINES],
        ["  " + line.replace(" ", "  ") + "\t" for line in LINES],
        [f"- {line.replace('.', '!')}" for line in LINES],
        [f"**{line[:20]}**{line[20:]}" for line in LINES],
        [line.replace(" and ", ",\nand ") for line in LINES],
        [" ".join(LINES)],
        [f"{line} Twice." for line in LINES],
        [line.replace("warm", "heat") for line in LINES],
        [line.replace("Take", "Bring") for line in LINES],
        [line.replace("hot", "warm") for line in LINES],
        [line.replace(f" {line.split()[2 + at]} ", " zzz ", 1) for at, line in enumerate(LINES)],
    ],
    ids=[
        "case",
        "blanks",
        "marks",
        "emphasis",
        "wrapped",
        "one line",
        "added",
        "middle",
        "first",
        "last",
        "each",
    ],
)
def test_what_no_reader_would_call_another_text_is_near(lines: list[str]) -> None:
    """Case, blanks, punctuation, where lines end, or one word in every line."""
    assert [path for path, _ in found(skill("p", *LINES), skill("q", *lines))] == ["/q/SKILL.md"]


def test_case_blanks_and_punctuation_do_not_count_at_all() -> None:
    """The share is that of equal texts; letters of other scripts do count."""
    (near,) = found(skill("p", *LINES), skill("q", *(f"* {line.upper()}  ;" for line in LINES)))
    assert "Shares 100%" in near[1]
    assert found(skill("p", "\u8336" * 50), skill("q", "\u6c34" * 50)) == []


@pytest.mark.parametrize(("own", "share"), [(2, "75%"), (3, None)], ids=["just", "less"])
def test_the_share_of_words_counts_each_as_often_as_it_stands(own: int, share: str | None) -> None:
    """Six words in common, of which two are the same one, and two or three of one's own."""
    line = "Warm cups and warm pots carefully"
    result = found(skill("p", line), skill("q", f"{line} {'xx ' * own}."))
    assert [f"Shares {share}" in message for _, message in result] == ([True] if share else [])


def test_a_text_after_the_same_template_is_another_one() -> None:
    """Two words of ten in every line make two thirds of the words."""
    other = [line.replace("warm", "heat").replace("pot", "pan").replace("hot", "done") for line in LINES]
    assert found(skill("p", *LINES), skill("q", *other)) == []


@pytest.mark.parametrize(("n_own", "n_found"), [(18, 1), (19, 0)], ids=["a tenth", "less"])
def test_a_tenth_of_the_rare_ends_in_common_makes_a_pair(n_own: int, n_found: int) -> None:
    """Beginning and end of one long line, among short ones; which lines they are does not matter."""
    long = "a" * 10 + "b" * 290
    own = [f"{number:02d}" for number in range(n_own)]
    pair = skill("p", long, *own), skill("q", long, *(f"{line}x" for line in own))
    assert len(found(*pair)) == n_found
    assert len(found(*pair, *(skill(f"r{at:02d}", *own, str(at)) for at in range(20)))) == 1


def test_the_one_with_fewer_rare_ends_counts() -> None:
    """What the other says besides does not keep them from being compared."""
    long = "a" * 10 + "b" * 290
    assert len(found(skill("p", long), skill("q", long, *(f"{number:02d}" for number in range(60))))) == 1
