"""Cutting Markdown: a body into sections, a section into items, a paragraph into sentences.

Only blocks are parsed, by markdown-it-py, so that ``#`` in a code fence is no
heading; inline markup is stripped where plain words are wanted.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from caskg.schema import Section

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

MOST_SECTIONS = 2000  # the real files with most have about a hundred
LONGEST_PARSED = 1 << 16  # characters of a body that a parser reads for what only it can judge

_LONGEST_PARAGRAPHS = 800  # characters; longer prose is no enumeration
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n]*(?:\n(?![ \t]*\1)[^\n]*)*+(?:\n[ \t]*\1)?", re.MULTILINE)
# A fence, a heading, or what only a parser can judge: HTML, an underline. Line ends are quickly found.
_MARKED_LINE = re.compile(
    r"\n(?: {0,3}(?P<fence>`{3,}|~{3,})(?P<info>.*)"
    r"|(?P<level>#{1,6})(?:[ \t]+(?P<title>.*))?"
    r"|(?P<other> {0,3}<.*|(?<=[^\n]\n) {0,3}(?:=+|-+)[ \t]*))$",
    re.MULTILINE,
)
_CLOSING_MARKS = re.compile(r"(?:^|(?<=[ \t]))#+[ \t]*$")
_LIST_MARKER = re.compile(r"(?:[-*+]|\d+[.)])\s")
_LINK = re.compile(r"!?\[([^\[\]]{0,300})\]\([^()]{0,600}\)")
_MARKUP = re.compile(r"[*`]+|(?<!\w)_+(?=\S)|(?<=\S)_+(?!\w)|^\s*\[[ xX]\]\s")
_HEAD = re.compile(
    r"\s*(\*\*|__|`)(.+?)\1\s*(?:[:\u2013\u2014]|-\s|\Z)|\s*(\*\*|__)([^*_]+[:.])\3", re.DOTALL
)
# What is in parentheses after code is its type, unless it says when the parameter is given.
_TYPED = re.compile(
    r"\s*`([^`\n]+)`\s*\((?!(?:optional|required|default|if|e\.g)\b)((?:[^()]|\([^()]*\))+)\)\s*(?::|\Z)",
    re.IGNORECASE,
)
SENTENCE_END = re.compile(  # before a lower-case letter it was an abbreviation
    r"(?:(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)|(?<=[.!?][\"')\]*]))\s+(?=[^a-z\s])|(?<=[\u3002\uff01\uff1f])"
)


class Item(NamedTuple):
    """An entry of a list, a row of a table or a sentence, as plain text.

    ``head`` is what names it (bold or code before a colon or dash, the first cell
    of a row, a whole sentence), else empty; ``text`` is the rest; ``type`` is what
    stands in parentheses between the two where the head is code.
    """

    head: str
    text: str
    type: str = ""

    def __str__(self) -> str:
        named = f"{self.head} ({self.type})" if self.type else self.head
        return ": ".join(part for part in (named, self.text) if part)


def cut_sections(body: str) -> tuple[Section, ...]:
    r"""Cut a body at its headings.

    A heading begins at the beginning of a line: those in lists and quotations do not cut, nor do those
    after the first `MOST_SECTIONS`. In a body above `LONGEST_PARSED` only ``#`` makes a heading.

    >>> [(s.title, s.level, s.text) for s in cut_sections("Hello\n\n# A\n```\n# no\n```\n## B")]
    [('', 0, 'Hello'), ('A', 1, '```\n# no\n```'), ('B', 2, '')]
    """
    lines = body.split("\n")
    heads = [("", 0, 0, 0), *_headings(body, lines)[:MOST_SECTIONS], ("", 0, len(lines), 0)]
    sections = []
    for (title, level, _, start), (_, _, end, _) in pairwise(heads):
        text = "\n".join(lines[start:end]).strip("\n")
        if level or text.strip():
            sections.append(Section(title=title, level=level, text=text))
    return tuple(sections)


def overlooked(body: str, sections: Sequence[Section]) -> Iterator[str]:
    """Say which headings of an unusually large body did not cut it."""
    if len(sections) >= MOST_SECTIONS and _headings(sections[-1].text, sections[-1].text.split("\n")):
        yield f"headings after the first {MOST_SECTIONS:,} were taken for text"
    if len(body) > LONGEST_PARSED and _marked_headings(body, needs_parser=True) is None:
        yield "underlined headings and HTML were taken for text"


def list_items(text: str) -> tuple[Item, ...]:
    r"""Return what a section enumerates: list entries and rows, else the sentences of short prose.

    >>> list_items("You need:\n\n- **Kettle**: with lid\n- Water, cold\n")
    (Item(head='Kettle', text='with lid', type=''), Item(head='', text='Water, cold', type=''))
    >>> list_items("Flour and *salt*. A bowl.")
    (Item(head='Flour and salt', text='', type=''), Item(head='A bowl', text='', type=''))
    """
    tokens = _item_parser().parse(text)
    if items := tuple(item for item in _entries(tokens) if any(item)):
        return items
    prose = [
        token.content
        for before, token in pairwise(tokens)
        if token.type == "inline" and before.type == "paragraph_open" and before.level == 0
    ]
    if sum(map(len, prose)) > _LONGEST_PARAGRAPHS:
        return ()
    parts = [
        part for paragraph in prose for sentence in sentences(paragraph) for part in sentence.split("; ")
    ]
    return tuple(item for item in map(_sentence, parts) if any(item))


def sentences(text: str) -> list[str]:
    """Cut a paragraph at the ends of its sentences.

    >>> sentences("Use it, e.g. for tea. Not for soup!")
    ['Use it, e.g. for tea.', 'Not for soup!']
    """
    return [part for part in SENTENCE_END.split(text) if part.strip()]


def without_fences(text: str) -> str:
    r"""Leave fenced code out.

    >>> without_fences("run\n```sh\nx\n```\nonce")
    'run\n\n\nonce'
    """
    return _FENCE.sub("\n", text) if "```" in text or "~~~" in text else text


def plain(text: str) -> str:
    r"""Strip inline markup and join lines.

    >>> plain("run **`x`** as in [that page](a/b.md),\n or _not_")
    'run x as in that page, or not'
    """
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    if any(mark in text for mark in "*`_["):  # most texts have none, and the pattern is slow
        text = _MARKUP.sub("", text)
    return " ".join(text.split())


def _headings(body: str, lines: list[str]) -> list[tuple[str, int, int, int]]:
    """Return (title, level, its line, the first line below it) of each heading."""
    marked = _marked_headings(body, needs_parser=len(body) <= LONGEST_PARSED)
    return list(_parsed_headings(body, lines)) if marked is None else marked


def _marked_headings(body: str, *, needs_parser: bool) -> list[tuple[str, int, int, int]] | None:
    """Return the headings of a body in which only fences can hide one, in a sixth of the parser's time.

    None: there is HTML or an underlined title outside of fences, which only a parser reads right, and
    it *needs_parser* then.
    """
    found, fence, line, counted = list[tuple[str, int, int, int]](), "", 0, 0
    body = f"\n{body}"
    for mark in _MARKED_LINE.finditer(body):
        if fence:
            if (closing := mark["fence"]) and closing.startswith(fence) and not mark["info"].strip(" \t"):
                fence = ""
        elif mark["other"]:
            if needs_parser:
                return None
        elif mark["fence"]:
            fence = _opened(mark)
        else:
            line += body.count("\n", counted, mark.start())
            counted = mark.start()
            title = _CLOSING_MARKS.sub("", mark["title"] or "")
            found.append((plain(title), len(mark["level"]), line, line + 1))
            if len(found) == MOST_SECTIONS:
                break
    return found


def _opened(mark: re.Match[str]) -> str:
    """Return the fence that opens here; what follows one of backticks may hold none."""
    return "" if mark["fence"][0] == "`" and "`" in mark["info"] else mark["fence"]


def _parsed_headings(body: str, lines: list[str]) -> Iterator[tuple[str, int, int, int]]:
    tokens = _outline_parser().parse(body)
    for token, inline in pairwise(tokens):
        if token.type != "heading_open" or token.map is None:
            continue
        first, end = token.map
        line = lines[first]
        underlined = token.markup in {"=", "-"}
        if line[:1].isspace() or (underlined and _LIST_MARKER.match(line)):
            continue  # inside a list
        yield plain(inline.content), int(token.tag[1:]), first, end


def _entries(tokens: "list[Token]") -> Iterator[Item]:
    depth, parts, in_body = 0, list[str](), False
    for token in tokens:
        if token.type in {"tbody_open", "tbody_close"}:
            in_body = token.nesting == 1
        elif token.type in {"list_item_open", "list_item_close"}:
            depth += token.nesting
        if token.type == "inline":
            parts.append(token.content)
        elif token.type == "list_item_close" and depth == 0:
            yield _item(" ".join(parts))
        elif token.type == "tr_close" and in_body and depth == 0:
            yield Item(plain(parts[0]), ", ".join(filter(None, map(plain, parts[1:]))))
        if depth == 0 and token.type != "inline" and not token.type.startswith(("td", "th")):
            parts = []


def _item(text: str) -> Item:
    """Set the marked head of an entry apart."""
    if typed := _TYPED.match(text):
        return Item(typed[1].strip(), plain(text[typed.end() :]), plain(typed[2]))
    if head := _HEAD.match(text):
        name = head[2].strip() if head[1] == "`" else plain(head[2] or head[4])  # code means itself
        return Item(name.rstrip(":."), plain(text[head.end() :]))
    return Item("", plain(text))


def _sentence(text: str) -> Item:
    """A sentence without a marked head is its own."""
    item = _item(text)
    return item if item.head else Item(item.text.rstrip("."), "")


@lru_cache(maxsize=1)
def _outline_parser() -> "MarkdownIt":
    """Parse only what can hide a heading; without lists it takes half the time."""
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").disable(["inline", "reference", "blockquote", "list"])


@lru_cache(maxsize=1)
def _item_parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table").disable(["inline", "reference"])
