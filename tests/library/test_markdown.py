"""Cutting Markdown into sections, items and sentences."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caskg.library.markdown import Item, cut_sections, list_items, plain, sentences


def titles(body: str) -> list[tuple[str, int]]:
    return [(section.title, section.level) for section in cut_sections(body)]


# ---------------------------------------------------------------- sections


def test_no_text_has_no_section() -> None:
    """Not even an empty one."""
    assert cut_sections("") == ()
    assert cut_sections(" \n\n") == ()


def test_text_before_the_first_heading_is_a_section() -> None:
    """Of level 0 and without a title."""
    (section,) = cut_sections("one\n\ntwo\n")
    assert (section.title, section.level, section.text) == ("", 0, "one\n\ntwo")


def test_each_section_has_the_text_up_to_the_next_heading() -> None:
    """Of any level; a section without text is one too."""
    sections = cut_sections("# A\n\n  a1\n\na2\n\n## B\n# C\nc")
    assert [(s.title, s.level, s.text) for s in sections] == [
        ("A", 1, "  a1\n\na2"),
        ("B", 2, ""),
        ("C", 1, "c"),
    ]


def test_titles_are_plain_words() -> None:
    """Markup and closing signs are no part of them."""
    assert titles("## **Bold** `code` [link](x) ##\n###### six") == [("Bold code link", 2), ("six", 6)]


def test_underlined_headings_count() -> None:
    """Both kinds, over several lines."""
    assert titles("Title\n=====\n\ntwo\nlines\n---\n\ntext") == [("Title", 1), ("two lines", 2)]


@pytest.mark.parametrize(
    "body",
    [
        "```sh\n# comment\n```",
        "~~~~\n# comment\n~~~\n# still\n~~~~",
        "```\n# never closed",
        "<!--\n# comment\n-->",
        "<details>\n# in HTML\n</details>",
        "    # indented code",
        "- item\n\n  # in a list",
        "> # quoted",
        "#hashtag",
        "####### seven",
        "text\n\n---\n\n- item\n---",
        "- item\n- item\n---\nrest",
        "1. item\n---\nrest",
        "\\# escaped",
    ],
)
def test_what_only_looks_like_a_heading_does_not_cut(body: str) -> None:
    """Code, lists, quotations, rules: a comment in a script is no heading."""
    assert titles(body) == [("", 0)]


def test_a_heading_after_a_fence_cuts() -> None:
    """A fence ends where it is closed, not at the first fence-like line inside."""
    assert titles("````\n```\n# no\n````\n# yes") == [("", 0), ("yes", 1)]


def test_no_line_is_lost() -> None:
    """All of a body is in its sections, but for the headings and blank lines at their edges."""
    body = "intro\n\n# A\nx\n\n\ny\n## B\n- z\n"
    assert [section.text for section in cut_sections(body)] == ["intro", "x\n\n\ny", "- z"]


# ---------------------------------------------------------------- items


def test_entries_of_a_list() -> None:
    """Bulleted or numbered; lines are joined, markup is gone."""
    assert list_items("Take:\n\n* *one*\n  more\n+ two\n1) three\n") == (
        Item("", "one more"),
        Item("", "two"),
        Item("", "three"),
    )


def test_what_is_nested_belongs_to_its_entry() -> None:
    """Also its paragraphs; code does not."""
    assert list_items("- a\n\n  b\n  - c\n  - d\n\n  ```\n  code\n  ```\n- e\n") == (
        Item("", "a b c d"),
        Item("", "e"),
    )


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ("**Head:** rest", Item("Head", "rest")),
        ("**Head**: rest", Item("Head", "rest")),
        ("**Head.** Rest", Item("Head", "Rest")),
        ("__Head__ - rest", Item("Head", "rest")),
        ("`head` \u2014 rest", Item("head", "rest")),
        ("`head` \u2013 rest", Item("head", "rest")),
        ("**`head`**: rest", Item("head", "rest")),
        ("`head`", Item("head", "")),
        ("`*.head_`", Item("*.head_", "")),
        ("`*.head_` (int): rest", Item("*.head_", "rest", "int")),
        ("`head` (int): rest", Item("head", "rest", "int")),
        ("`head`(`list[str]`) :rest (of all)", Item("head", "rest (of all)", "list[str]")),
        ("`head` (list(str), required)", Item("head", "", "list(str), required")),
        ("`head` (Optional): rest", Item("", "head (Optional): rest")),
        ("`head` (required)", Item("", "head (required)")),
        ("`head` (default: 5): rest", Item("", "head (default: 5): rest")),
        ("`head` (if any): rest", Item("", "head (if any): rest")),
        ("`head` (e.g. this): rest", Item("", "head (e.g. this): rest")),
        ("`head` (iff): rest", Item("head", "rest", "iff")),
        ("`head` (): rest", Item("", "head (): rest")),
        ("`head` (int) - rest", Item("", "head (int) - rest")),
        ("`head` (int) rest", Item("", "head (int) rest")),
        ("`a` (int), `b` (int): rest", Item("", "a (int), b (int): rest")),
        ("**head** (int): rest", Item("", "head (int): rest")),
        ("head (int): rest", Item("", "head (int): rest")),
        ("**Bold** words only", Item("", "Bold words only")),
        ("`a`-b is one word", Item("", "a-b is one word")),
        ("`a` and **b**: rest", Item("", "a and b: rest")),
        ("[ ] **Head:** rest", Item("", "Head: rest")),
        ("[x] done", Item("", "done")),
    ],
)
def test_the_head_is_what_the_author_set_apart(text: str, item: Item) -> None:
    """Bold or code, before a colon or a dash or ending in one."""
    assert list_items(f"- {text}") == (item,)


def test_rows_of_a_table() -> None:
    """The first column is the head; the header row is none of them."""
    text = "| Name | What | Else |\n|---|---|---|\n| `a` | b | |\n| c | d | e |\n"
    assert list_items(text) == (Item("a", "b"), Item("c", "d, e"))


def test_short_prose_is_taken_by_sentence() -> None:
    """Also cut at semicolons, and without its final stop; quotations are none of it."""
    text = "A bowl, clean; two spoons.\n\n> quoted\n\n**Heat:** an oven."
    assert list_items(text) == (Item("A bowl, clean", ""), Item("two spoons", ""), Item("Heat", "an oven."))


def test_long_prose_enumerates_nothing() -> None:
    """The limit is 800 characters of paragraphs."""
    assert len(list_items("x" * 800)) == 1
    assert list_items("x" * 801) == ()
    assert list_items("x" * 400 + "\n\n" + "y" * 401) == ()


@pytest.mark.parametrize("text", ["", "```\n- code\n```", "- \n- ", "<!-- - x -->", "# heading only"])
def test_nothing_stated_gives_nothing(text: str) -> None:
    """An empty entry is none."""
    assert list_items(text) == ()


def test_prose_beside_a_list_is_its_introduction() -> None:
    """Only the entries are items."""
    assert list_items("You need this.\n\n- a\n") == (Item("", "a"),)


def test_an_item_reads_as_head_and_text() -> None:
    """With a colon where there are both."""
    assert [str(item) for item in (Item("a", "b"), Item("a", ""), Item("", "b"))] == ["a: b", "a", "b"]


# ---------------------------------------------------------------- words


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("Use it, e.g. for tea, i.e. hot", ["Use it, e.g. for tea, i.e. hot"]),
        ('He said "stop." Then he left.', ['He said "stop."', "Then he left."]),
        ("At 2.5 V it glows.", ["At 2.5 V it glows."]),
        ("See `a`. `b` is next.", ["See `a`.", "`b` is next."]),
        ("第一步。第二步！第三步？", ["第一步。", "第二步！", "第三步？"]),  # noqa: RUF001 - Chinese stops
        ("  ", []),
    ],
)
def test_sentences(text: str, parts: list[str]) -> None:
    """An abbreviation is followed by a lower-case letter, a sentence is not."""
    assert sentences(text) == parts


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("snake_case and __init__ and _it_", "snake_case and init and it"),
        ("![picture](a.png) [a [b](c)", "picture [a b"),
        ("2 * 3", "2 3"),
        ("a\n  b\tc", "a b c"),
    ],
)
def test_plain_words(text: str, words: str) -> None:
    """Underscores inside a word are part of it."""
    assert plain(text) == words


# ---------------------------------------------------------------- headings by two ways

_LINES = st.sampled_from(
    [
        "# A\n", "## B ##\n", "# \n", "#\n", "#x\n", "####### x\n", "```\n", "````\n", "~~~\n", "``` a`b\n",
        "```py\n", "~~~ `\n", "   ```\n", "    ```\n", "\t# q\n", " # r\n", "text\n", "\n", "- a\n",
        "  ```\n",
        "> # q\n", "---\n", "===\n", "*** \n", "<div>\n", "a <b\n", "    code\n", "  \n", "\xa0\n",
        "# a # b #\n",
        "#\tT\n", "# #\n", "## \\#\n", "~~~~\n", "~~~ \t\n", "- \n", "1. # x\n", "--\n", "\u2028# y\n", "# T",
    ]
)  # fmt: skip


@settings(max_examples=1500, deadline=None)
@given(st.lists(_LINES, max_size=9).map("".join))
def test_headings_are_those_that_a_parser_finds(body: str) -> None:
    """The short way knows fences only; a line of HTML on top makes it ask the parser about the same text."""
    parsed = cut_sections(f"<!-- -->\n\n{body}")
    assert [each for each in cut_sections(body) if each.level] == [each for each in parsed if each.level]
