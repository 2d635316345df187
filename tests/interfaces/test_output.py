"""What leaves a command: nothing that a terminal would obey, and JSON that any program reads."""

import json
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caskg.interfaces.cli.output import columns, emit, json_text, one_line, printable, say, write

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()))  # surrogates too
BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@given(ANY_TEXT)
def test_a_printable_line_holds_no_control_character(text: str) -> None:
    """Tabs apart: categories Cc, Cs, Zl, Zp, bidi controls and invisible tags are escaped."""
    shown = printable(text).replace("\t", "")
    assert not {unicodedata.category(char) for char in shown} & {"Cc", "Cs", "Zl", "Zp"}
    assert not set(shown) & set(BIDI)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]0;title\x07", r"\x1b]0;title\x07"),
        ("\x9b31m\x7f", r"\x9b31m\x7f"),
        ("one\r\ntwo", r"one\r\ntwo"),
        ("\u202egpj.exe", r"\u202egpj.exe"),
        ("\u2028\u2029\x85", r"\u2028\u2029\x85"),
        ("\ud800", r"\ud800"),
        ("\U000e0041", r"\U000e0041"),
        ("a\tb", "a\tb"),
        ("Öl, 木, \\, 👩\u200d🍳", "Öl, 木, \\, 👩\u200d🍳"),
    ],
)
def test_what_is_escaped_and_what_is_not(text: str, shown: str) -> None:
    """Escapes are visible: the reader shall see that somebody tried. Joined emoji are text."""
    assert printable(text) == shown


@given(ANY_TEXT)
def test_json_says_the_same_and_holds_nothing_invisible(text: str) -> None:
    """Printed in a terminal it is as safe as text; parsed it is what was said."""
    written = json_text({"text": text})
    assert json.loads(written) == {"text": text}
    assert not re.search(
        "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff\U000e0000-\U000e007f]", written
    )


def test_json_keeps_letters_of_any_script() -> None:
    """An agent that reads Chinese shall not pay for escapes."""
    assert json_text({"name": "泡茶"}) == '{\n  "name": "泡茶"\n}'


def test_one_line_is_cut_at_its_limit() -> None:
    """The mark of the cut counts, and no blank stands before it."""
    assert one_line(" a \n b ") == "a b"
    assert one_line("abcdef", limit=6) == "abcdef"
    assert one_line("abc def", limit=5) == "abc…"
    assert len(one_line("x" * 101)) == 100
    assert one_line("x" * 100) == "x" * 100


def test_columns_are_as_wide_as_their_longest_cell() -> None:
    """Escapes included, since they are what is shown."""
    assert columns([("a", "b", "c"), ("\x1b", "bb", "")], indent="  ") == [r"  a     b   c", r"  \x1b  bb"]
    assert columns([]) == []


def test_emit_prints_the_document_or_the_lines(capsys: pytest.CaptureFixture[str]) -> None:
    """Never both."""
    emit({"a": 1}, as_json=True, lines=["never"])
    assert capsys.readouterr().out == '{\n  "a": 1\n}\n'
    emit({"a": 1}, as_json=False, lines=["one", "two\x1b"])
    assert capsys.readouterr().out == "one\ntwo\\x1b\n"


def test_documents_are_utf8_and_hints_go_to_standard_error(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """A format of programs does not depend on the locale; what is no result is not in their way."""
    write("é")
    say("two\nlines")
    found = capfdbinary.readouterr()
    assert (found.out, found.err) == ("é\n".encode(), b"two\\nlines\n")
