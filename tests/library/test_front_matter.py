"""Front matter: values as written, and recovery where YAML fails."""

import time

import pytest

from caskg.library.decoding import decode
from caskg.library.diagnostics import Code, Findings
from caskg.library.front_matter import FrontMatter, read_front_matter
from caskg.schema import Diagnostic


def read(text: str) -> tuple[FrontMatter, tuple[Diagnostic, ...]]:
    findings = Findings("a/SKILL.md")
    return read_front_matter(text, findings), findings.all()


def codes(diagnostics: tuple[Diagnostic, ...]) -> list[str]:
    return [diagnostic.code for diagnostic in diagnostics]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"a\r\nb\rc\n", "a\nb\nc\n"),
        ("é".encode(), "é"),
        ("\ufffd".encode(), "\ufffd"),
    ],
)
def test_utf_8_is_read_in_silence(data: bytes, text: str) -> None:
    """Line ends change nothing; a replacement character may be meant.

    (One alone would be no text: it stands beside nine others here.)
    """
    findings = Findings("x")
    assert decode(data + b"123456789", findings) == text + "123456789"
    assert findings.all() == ()


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_encodings_are_recognised(encoding: str, mark: str) -> None:
    """Some editors save so, with or without a mark; the author is told."""
    findings = Findings("x")
    assert decode(f"{mark}---\nname: é\n".encode(encoding), findings) == "---\nname: é\n"
    (found,) = findings.all()
    assert found.code == Code.ENCODING
    assert f"it is {encoding.upper()}." in found.message


def test_a_byte_order_mark_is_left_out_and_mentioned() -> None:
    """Some readers take it for text, and see no front matter; a marked file may have been marked again."""
    findings = Findings("x")
    assert decode("\ufeff\ufeffname\ufeff".encode(), findings) == "name\ufeff"
    assert [(d.code, d.line) for d in findings.all()] == [(Code.BYTE_ORDER_MARK, 1)]


def test_bytes_that_do_not_fit_are_read_or_replaced_and_counted() -> None:
    """A letter of an old encoding stands alone and is recovered; what stands together cannot be known."""
    findings = Findings("x")
    assert decode(b"a\ncaf\xe9 \x93b\x94 \xd7\xd6 \x81 and so on, more or less", findings) == (
        "a\ncafé \u201cb\u201d \ufffd\ufffd \ufffd and so on, more or less"
    )
    (found,) = findings.all()
    assert (found.code, found.line) == (Code.ENCODING, 2)
    assert found.message == ("Is not plain UTF-8: 4 bytes were read as Windows-1252, 2 bytes were replaced.")


@pytest.mark.parametrize(
    ("data", "said"),
    [(b"caf\xe9s", "1 bytes were read as"), (b"\xd7\xd6 and more than that", "2 bytes were replaced.")],
)
def test_only_what_happened_to_bytes_is_said(data: bytes, said: str) -> None:
    """Nothing of none."""
    findings = Findings("x")
    decode(data, findings)
    assert f"Is not plain UTF-8: {said}" in findings.all()[0].message
    assert "," not in findings.all()[0].message


def test_nul_characters_are_left_out() -> None:
    """No store keeps them."""
    findings = Findings("x")
    assert decode(b"ab\0c\0 and more", findings) == "abc and more"
    (found,) = findings.all()
    assert (found.code, found.message) == (
        Code.NUL_CHARACTERS,
        "Holds 2 NUL characters; they were left out.",
    )


@pytest.mark.parametrize("data", [b"", b" \n\t", b"\xef\xbb\xbf", b"\0\0\0"])
def test_nothing_but_blanks_is_empty(data: bytes) -> None:
    """An empty file is named, not dropped."""
    findings = Findings("x")
    assert decode(data, findings) is None
    assert codes(findings.all())[-1] == Code.EMPTY


def test_a_tenth_of_unreadable_characters_is_still_text() -> None:
    """One more, and it is none: a picture or a text in an unknown encoding."""
    assert decode(b"1" * 18 + b"\xff\xff", Findings("x")) == "1" * 18 + "\ufffd\ufffd"
    findings = Findings("x")
    assert decode(b"1" * 17 + b"\xff\xff", findings) is None
    assert codes(findings.all()) == [Code.ENCODING, Code.NOT_TEXT]
    assert "11%" in findings.all()[1].message


def test_control_characters_speak_against_text() -> None:
    """A binary file can be valid UTF-8."""
    assert decode(b"\x01\x02abc", Findings("x")) is None


def test_values_and_body() -> None:
    """The usual case, in silence."""
    front, found = read("---\nname: a\nmetadata:\n  tags: [x, y]\n---\n\n# T\n\ntext\n")
    assert front.values == {"name": "a", "metadata": {"tags": ["x", "y"]}}
    assert front.body == "# T\n\ntext"
    assert front.found
    assert found == ()


@pytest.mark.parametrize("text", ["---  \nname: a\n---\t\nB", "\n\n---\nname: a\n---\nB"])
def test_blanks_around_the_rules_do_not_matter(text: str) -> None:
    """They cannot be seen."""
    front, _ = read(text)
    assert (front.values, front.body) == ({"name": "a"}, "B")


def test_values_stay_as_written() -> None:
    """YAML would make a boolean, a float, a date and an integer of these."""
    front, found = read("---\nname: yes\nversion: 1.10\ndate: 2024-13-45\nn: [0x1F, on]\n---\n")
    assert front.values == {"name": "yes", "version": "1.10", "date": "2024-13-45", "n": ["0x1F", "on"]}
    assert [(d.code, d.line) for d in found] == [(Code.NOT_A_STRING, 2)]


def test_a_quoted_boolean_is_text_for_everyone() -> None:
    """So there is nothing to report."""
    assert read('---\nname: "yes"\ndescription: "1"\n---\n')[1] == ()


def test_only_name_and_description_have_to_be_text() -> None:
    """A version may be a number."""
    assert read("---\nversion: 1\n---\n")[1] == ()


def test_entries_without_a_value_are_left_out() -> None:
    """Absent stays absent, also in lists and mappings."""
    front, _ = read("---\nname:\ndescription: ~\ntags: [a, null]\nmetadata: {k: , l: m}\n---\n")
    assert front.values == {"tags": ["a"], "metadata": {"l": "m"}}


def test_block_scalars_keep_their_lines() -> None:
    """The commonest way to write a long description."""
    front, _ = read("---\ndescription: |\n  one\n  two\nname: >-\n  a\n  b\n---\n")
    assert front.values == {"description": "one\ntwo\n", "name": "a b"}


def test_the_last_of_duplicate_keys_holds() -> None:
    """As it does for other readers; the line is that of the second."""
    front, found = read("---\nname: a\nname: b\n---\n")
    assert front.values == {"name": "b"}
    assert [(d.code, d.line) for d in found] == [(Code.DUPLICATE_KEY, 3)]


def test_a_tag_is_never_executed() -> None:
    """It is read as the list that it marks."""
    front, _ = read('---\nname: !!python/object/apply:os.getcwd ["x"]\nlicense: MIT\n---\n')
    assert front.values == {"name": ["x"], "license": "MIT"}


def test_escapes_cannot_bring_in_what_no_store_keeps() -> None:
    """NUL and lone surrogates can be written as escapes."""
    front, _ = read('---\nname: "a\\0b"\n---\n')
    assert front.values == {"name": "ab"}
    front, _ = read('---\nname: "a\\ud800b"\n---\n')
    str(front.values["name"]).encode()


def test_no_front_matter() -> None:
    """The whole text is the body."""
    front, found = read("# Title\n\ntext\n")
    assert (front.values, front.body, front.found) == ({}, "# Title\n\ntext", False)
    assert codes(found) == [Code.NO_FRONT_MATTER]


@pytest.mark.parametrize(
    "text",
    [
        "---\n\n# Title\n\n---\n\ntext",
        "---\nsome prose: with a colon: here\n---\ntext",
        "---\n- a\n---\n",
    ],
)
def test_rules_around_prose_are_no_front_matter(text: str) -> None:
    """Nothing of the text may get lost in it."""
    front, found = read(text)
    assert (front.body, front.found) == (text.strip("\n"), False)
    assert codes(found) == [Code.NO_FRONT_MATTER]


def test_empty_front_matter_is_front_matter() -> None:
    """Its name and description are missing, which `parse` says."""
    front, found = read("---\n---\nbody")
    assert (front.values, front.body, front.found, found) == ({}, "body", True, ())


def test_an_unquoted_colon_is_read_as_text() -> None:
    """T10: the commonest fault of all; other readers drop the skill without a word."""
    front, found = read("---\nname: a\ndescription: Use when: it rains.\nlicense: MIT\n---\nB")
    assert front.values == {"name": "a", "description": "Use when: it rains.", "license": "MIT"}
    (fault,) = found
    assert (fault.code, fault.line) == (Code.YAML_RECOVERED, 3)
    assert "the value of 'description' was read as text" in fault.message
    assert "quotes" in fault.remedy


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("use C# #1 in rank", "use C# #1 in rank"),
        ("#1 in rank", "#1 in rank"),
        ("Brews\n  tea\t# hot ", "Brews tea # hot"),
        ("\u8336\U0001f375 # hot", "\u8336\U0001f375 # hot"),
    ],
)
def test_a_description_keeps_what_yaml_takes_for_a_comment(written: str, value: str) -> None:
    """Otherwise half a sentence is gone without a word; other readers lose it, so the author is told."""
    front, found = read(f"---\nname: a\ndescription: {written}\n---\nB")
    assert front.values["description"] == value
    comments = [each for each in found if each.code == Code.COMMENT_IN_VALUE]
    assert [each.line for each in comments] == [3 + written.count("\n")]
    assert "it is kept here" in comments[0].message
    assert "quotes" in comments[0].remedy


def test_a_comment_after_another_value_is_left_out_and_mentioned() -> None:
    """As YAML does; in a list and a mapping too, each in its line."""
    front, found = read(
        "---\nname: a # b\nmetadata:\n  k: v # w\n  tags:\n  - x\n  - y # z\nempty: # e\n---\n"
    )
    assert front.values == {"name": "a", "metadata": {"k": "v", "tags": ["x", "y"]}}
    assert [(each.code, each.line) for each in found] == [
        (Code.COMMENT_IN_VALUE, line) for line in (2, 4, 7, 8)
    ]
    assert all("was left out" in each.message for each in found)


@pytest.mark.parametrize("written", ["'a' # b", "| # b\n  a", "a\n# b", "a#b", "[a] # b", "\n# b\n  a"])
def test_a_comment_that_can_be_nothing_else_is_none_of_these(written: str) -> None:
    """After a quoted value, a mark of a block, or on a line of its own."""
    assert read(f"---\nname: a\ndescription: {written}\n---\nB")[1] == ()


def test_keys_in_capitals_are_read_where_there_are_none_in_lower_case() -> None:
    """All keys of the format, also where YAML fails; what lies outside the format is left alone."""
    front, found = read("---\nName: a\nDESCRIPTION: b: c\nTier: x\n---\nB")
    assert front.values == {"name": "a", "description": "b: c", "Tier": "x"}
    assert front.lines == {"name": 2, "description": 3, "Tier": 4}
    assert [(d.code, d.line) for d in found if d.code == Code.KEY_CASE] == [
        (Code.KEY_CASE, 2),
        (Code.KEY_CASE, 3),
    ]
    front, found = read("---\nName: a\nname: b\n---\nB")
    assert (front.values, found) == ({"Name": "a", "name": "b"}, ())


@pytest.mark.parametrize("blank", ["\n", " \n\n", "  "])
def test_blanks_before_the_opening_rule_are_mentioned(blank: str) -> None:
    """Read all the same; strict readers see no front matter."""
    front, found = read(f"{blank}---\nname: a\n---\nB")
    assert front.values == {"name": "a"}
    assert [(d.code, d.line) for d in found] == [(Code.BLANK_BEFORE, 1)]


def test_only_the_faulty_entry_is_read_as_text() -> None:
    """Lists and mappings beside it keep their shape."""
    front, _ = read("---\nname: a\ndescription: x: y\nmetadata:\n  tags:\n    - b\n---\n")
    assert front.values["metadata"] == {"tags": ["b"]}


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("a: b\n  and more", "a: b and more"),
        ("\"open: 'x", "open: 'x"),
        ("'it's: so'", "it's: so"),
        ("|\nnot indented", "not indented"),
        (">-\nnot indented", "not indented"),
        ("[a, b", "[a, b"),
        ("@x", "@x"),
        ("`x` is: y", "`x` is: y"),
        ("%x", "%x"),
        ("a: b\n\ttabbed", "a: b tabbed"),
    ],
)
def test_what_yaml_refuses_is_kept(written: str, value: str) -> None:
    """Lines are joined, outer quotes and block marks taken off."""
    front, found = read(f"---\nname: a\ndescription: {written}\n---\nB")
    assert front.values == {"name": "a", "description": value}
    assert set(codes(found)) == {Code.YAML_RECOVERED}
    assert front.body == "B"


def test_a_line_that_belongs_to_no_key_is_reported() -> None:
    """Each entry is fine by itself: one diagnostic says what happened."""
    front, found = read("---\njust words\nname: a\n---\n")
    assert front.values == {"name": "a"}
    assert codes(found) == [Code.YAML_RECOVERED]
    assert "each entry was read by itself" in found[0].message


def test_aliases_are_never_expanded() -> None:
    """Nine lines of them stand for a billion words; the text is kept as it stands."""
    bomb = "\n".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9) if n else 'lol'}]" for n in range(9))
    front, found = read(f"---\nname: a\n{bomb}\n---\n")
    assert front.values["name"] == "a"
    assert front.values["a8"] == f"&a8 [{', '.join(['*a7'] * 9)}]"
    assert set(codes(found)) == {Code.YAML_RECOVERED}


def test_a_value_that_holds_itself_ends() -> None:
    """A recursive alias would be walked for ever."""
    front, _ = read("---\nname: a\nx: &x [*x]\n---\n")
    assert front.values == {"name": "a", "x": "&x [*x]"}


@pytest.mark.parametrize("depth", [100, 5000])
def test_deep_nesting_is_read_as_text(depth: int) -> None:
    """Neither the parser's limit nor Python's is a crash."""
    front, _ = read(f"---\nname: a\nx: {'[' * depth}{']' * depth}\n---\n")
    assert front.values == {"name": "a", "x": "[" * depth + "]" * depth}


def test_thirty_two_levels_are_nested_values() -> None:
    """The limit is far above anything written by people."""
    front, found = read(f"---\nname: a\nx: {'[' * 32}b{']' * 32}\n---\n")
    assert isinstance(front.values["x"], list)
    assert found == ()
    assert codes(read(f"---\nname: a\nx: {'[' * 33}b{']' * 33}\n---\n")[1]) == [Code.YAML_RECOVERED]


def test_a_key_that_is_no_word_is_refused() -> None:
    """YAML allows lists as keys; nobody means them."""
    front, found = read("---\nname: a\n? [x]\n: y\n---\n")
    assert front.values["name"] == "a ? [x] : y"
    assert codes(found) == [Code.YAML_RECOVERED]


@pytest.mark.parametrize("rest", ["\n# Title\ntext", "# Title\ntext", ""])
def test_it_ends_at_the_first_blank_line_or_heading(rest: str) -> None:
    """What follows is the body."""
    front, found = read("---\nname: a\ndescription: b\n" + rest)
    assert front.values == {"name": "a", "description": "b"}
    assert front.body == rest.strip("\n")
    assert [(d.code, d.line) for d in found] == [(Code.FRONT_MATTER_UNCLOSED, 2)]


def test_a_rule_in_the_body_does_not_close_it() -> None:
    """Otherwise half the body would be read as a description."""
    front, found = read("---\nname: a\ndescription: b\n\n# Title\n\ntext\n\n---\n\nmore")
    assert front.values == {"name": "a", "description": "b"}
    assert front.body == "# Title\n\ntext\n\n---\n\nmore"
    assert codes(found) == [Code.FRONT_MATTER_UNCLOSED]


def test_a_comment_after_a_blank_line_does_not_end_it() -> None:
    """YAML's comments look like headings; a valid front matter is believed."""
    front, found = read("---\nname: a\n\n# a comment\nlicense: MIT\n---\nB")
    assert (front.values, front.body, found) == ({"name": "a", "license": "MIT"}, "B", ())


def test_a_rule_without_keys_below_is_none() -> None:
    """A document may begin with a rule."""
    front, found = read("---\ntext\n")
    assert (front.body, front.found, codes(found)) == ("---\ntext", False, [Code.NO_FRONT_MATTER])


@pytest.mark.parametrize(
    ("block", "said"),
    [
        ("\tname: x\n\tdescription: y: z", "the value of 'description' was read as text"),
        ("\tname: x\n\tdescription: y", "each entry was read by itself"),
        ("\tname: x\ndescription: y", "each entry was read by itself"),
        (" \tname: x\n \tdescription: y\n\n", "each entry was read by itself"),
        ("name:x\ndescription: y", "`name:` was parted from its value"),
        ("name: x\ndescription:y", "`description:` was parted from its value"),
        ("name:x\ndescription:y", "`name:` was parted from its value"),
    ],
)
def test_tabs_before_keys_and_keys_without_a_blank_are_read(block: str, said: str) -> None:
    """YAML sees no keys there, every person does; and that the file does not begin with `---` is not true."""
    front, found = read(f"---\n{block}\n---\n")
    assert front.found
    assert front.values == {"name": "x", "description": "y: z" if ": z" in block else "y"}
    assert {d.code for d in found} == {Code.YAML_RECOVERED}
    assert said in found[0].message


def test_a_colon_without_a_blank_is_a_key_of_the_format_only() -> None:
    """Elsewhere it is an address or a time."""
    front, _ = read("---\nname: [x\nhttps://a.b\ndescription: y\n---\n")
    assert set(front.values) == {"name", "description"}


def test_front_matter_without_a_key_is_not_said_to_be_missing() -> None:
    """It begins with `---`: to begin with it is no remedy."""
    _, (unread,) = read("---\nsome prose\n---\n")
    _, (absent,) = read("some prose")
    assert unread.code == absent.code == Code.NO_FRONT_MATTER
    assert unread.message.startswith("Begins with `---`, but no name or description can be read below it; ")
    assert absent.message.startswith("Does not begin with front matter; ")


@pytest.mark.parametrize(("end", "body"), [("...", ""), ("...  ", ""), ("...\n---", None), ("---", None)])
def test_front_matter_may_end_by_the_dots_of_yaml(end: str, body: str | None) -> None:
    """They end a document; alone they are mentioned, as other readers read on."""
    front, found = read(f"---\nname: x\ndescription: y\n{end}\n# Title\n---\nfoot\n")
    assert front.values == {"name": "x", "description": "y"}
    assert front.body == "# Title\n---\nfoot"
    assert codes(found) == ([] if body is None else [Code.FRONT_MATTER_UNCLOSED])
    if found:
        assert found[0].message.endswith("it was read up to `...`.")


@pytest.mark.parametrize("mark", ["&anchor", "!important"])
def test_a_description_keeps_what_yaml_takes_for_a_mark(mark: str) -> None:
    """It is text more often than not; other values lose it, and both are said."""
    front, found = read(f"---\nname: x\ndescription: {mark} text\nlicense: {mark} MIT\n---\n")
    assert front.values == {"name": "x", "description": f"{mark} text", "license": "MIT"}
    marks = [d for d in found if d.code == Code.MARK_IN_VALUE]
    assert [(d.line, repr(mark) in d.message) for d in marks] == [(3, True), (4, True)]
    assert [d.message.endswith("it is kept here.") for d in marks] == [True, False]


@pytest.mark.parametrize("value", ["'&a b'", "a &b !c", "!!str text", "[a, b]"])
def test_what_only_looks_like_a_mark_is_none(value: str) -> None:
    """In quotes or further on it is text; a type of YAML itself is no text that could be lost."""
    _, found = read(f"---\nname: x\ndescription: d\nlicense: {value}\n---\n")
    assert Code.MARK_IN_VALUE not in codes(found)


@pytest.mark.parametrize("indent", [" ", "  ", "\t", "    ", " \t"])
@pytest.mark.parametrize(
    ("value", "kept"), [("d", "d"), ("'d'", "d"), (">\n      d", "d"), ("use: d", "use: d")]
)
def test_a_key_that_is_indented_below_a_value_is_a_key(indent: str, value: str, kept: str) -> None:
    """Whatever it is indented by and holds: it does not go into the value above."""
    front, found = read(f"---\nname: a\n{indent}description: {value}\n---\nB")
    assert front.values["name"] == "a"
    assert str(front.values["description"]).strip() == kept
    assert (found[0].code, found[0].line) == (Code.KEY_INDENTED, 3)
    assert "'description' is indented below the value of 'name'" in found[0].message
    assert found[0].remedy == "Begin each key at the beginning of its line."


A_AND_D = {"name": "a", "description": "d"}


@pytest.mark.parametrize(
    ("block", "values", "lines"),
    [
        ("description: d\n  name: a", A_AND_D, [3]),
        ("description: 'd'\n  name: a", A_AND_D, [3]),
        ("description: >-\n  d\n name: a", A_AND_D, [4]),
        ("name:\n  a\n  description: d", A_AND_D, [4]),
        ("name: a\n  Description: d", A_AND_D, [3]),
        ("version: 1\n  name: a\n  description: d", A_AND_D | {"version": "1"}, [3]),
        ("name: a\n  version: 1\n  description: d\n  license: x",
         A_AND_D | {"version": "1", "license": "x"}, [4]),
        ("name: a\n description: d\n  license: x", A_AND_D | {"license": "x"}, [3, 4]),
        ("name: a\n   description: d\n license: x", A_AND_D | {"license": "x"}, [3, 4]),
        ("  name: a\n  license: x\ndescription: d", A_AND_D | {"license": "x"}, [3]),
        ("name: a\n  description: d\n  metadata:\n    tags: t\n    license: x",
         A_AND_D | {"metadata": {"tags": "t", "license": "x"}}, [3]),
        ("license: x\n  metadata:\n    tags: t\nname: a",
         {"name": "a", "license": "x", "metadata": {"tags": "t"}}, [3]),
        ("name:\n  description: d", {"description": "d"}, [3]),
        ("name:\n  description: d\n  x: y", {"description": "d", "x": "y"}, [3]),
    ],
)  # fmt: skip
def test_wrongly_indented_keys_are_kept_with_all_that_follow(
    block: str, values: dict[str, object], lines: list[int]
) -> None:
    """Any key of the format below any single value; those beside it go with it, those below it stay there."""
    front, found = read(f"---\n{block}\n---\nB")
    assert front.values == values
    assert [each.line for each in found if each.code == Code.KEY_INDENTED] == lines
    assert not [each for each in found if each.code == Code.YAML_RECOVERED]


@pytest.mark.parametrize(
    ("block", "values"),
    [
        ("name: a\nmetadata:\n  description: m", {"name": "a", "metadata": {"description": "m"}}),
        ("name: a\nauthor:\n  description: m", {"name": "a", "author": {"description": "m"}}),
        ("name: a\ndescription: 'd\n  license: x'", {"name": "a", "description": "d license: x"}),
        ("name: a\ndescription: |-\n  d\n  license: x", {"name": "a", "description": "d\nlicense: x"}),
        ("name: a\ndescription: use: d\n  name: b", {"name": "a", "description": "use: d name: b"}),
        ("name: a\nmetadata:\n  description: x: y", {"name": "a", "metadata": "description: x: y"}),
        ("name: a\nauthor:\n  description: x: y", {"name": "a", "author": "description: x: y"}),
    ],
)
def test_what_only_looks_like_a_key_stays_where_it_is(block: str, values: dict[str, object]) -> None:
    """Below a mapping, in quotes, in a block, and where there is such a key already."""
    front, found = read(f"---\n{block}\n---\nB")
    assert front.values == values
    assert Code.KEY_INDENTED not in codes(found)


def test_many_indented_keys_do_not_hold_the_reading_up() -> None:
    """Each entry is tried once for each missing key."""
    begin = time.process_time()
    read("---\n" + "x: y\n  description: z\n" * 1400 + "---\n")
    read("---\nname: a\n" + "  license: z\n" * 2000 + "---\n")
    assert time.process_time() - begin < 1.0
