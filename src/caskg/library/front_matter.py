"""From the text of a file to its front matter and body.

Front matter is YAML between two lines ``---``. Values are taken as written
(``yes`` stays ``yes``): the text is composed into nodes and these are read, so
no tag is ever executed, and no alias expanded but that of a short single value.
Where YAML fails, the front matter is cut at its keys, and only a value that fails
by itself is read as plain text.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from textwrap import dedent
from typing import TypeAlias

from caskg.library.diagnostics import Code, Findings
from caskg.library.format import KEYS
from caskg.library.quoted_values import without_outer
from caskg.library.yaml_entries import ALIASED, TAG, Entry, Value, YamlProblem, read_entries

LONGEST = 1 << 15
"""Characters of front matter that are read; real ones have 2,000."""

_LONGEST_QUOTE = 100
_RULE = r"---+[ \t]*(?:#[^\n]*)?"
# What may stand before it: blanks, characters that nobody sees, comments and what YAML calls directives.
_OPENING = re.compile(
    rf"(?:[\s\u200b\u2060\ufeff]|<!--.*?-->|^%[^\n]*\n)*+{_RULE}(?:\n|\Z)", re.DOTALL | re.MULTILINE
)
# YAML may end by `...`
_CLOSING = re.compile(rf"^(?:(?:\.\.\.[ \t]*\n)?{_RULE}|\.\.\.[ \t]*)$", re.MULTILINE)
_INDENTED = re.compile(rf"^[ \t]+{_RULE}$", re.MULTILINE)
_INDENTED_END, _TOO_LONG = "an indented `---`", "its length"
_BODY_BEGINS = re.compile(r"^[ \t]*$|^#", re.MULTILINE)
_HEADING = re.compile(r"\n[ \t]*\n#{1,6} ")
_KEY = re.compile(rf"^(?:([A-Za-z_][\w.-]*)[ \t]*:(?=\s|\Z)|({'|'.join(sorted(KEYS))}):)", re.MULTILINE)
_GLUED = re.compile(r"\A([\w.-]+):(?=\S)")  # `name:x`
_ALIAS = re.compile(r"\*([^\s,\[\]{}]+)")
_ANCHOR = re.compile(r"&([^\s,\[\]{}]+)")
_BLOCK_SCALAR = re.compile(r"\A[|>][-+\d]*(?=\s|\Z)")
_KNOWN_KEY = rf"(?i:{'|'.join(sorted(KEYS))})"
_ANY_KEY = rf"(?:{_KNOWN_KEY}|[a-z][\w.-]*)"
_SUNK = re.compile(rf"^([ \t]+)({_KNOWN_KEY})[ \t]*:(?=\s|\Z)", re.MULTILINE)
_HAS_VALUE = re.compile(r"[\w.-]+[ \t]*:[ \t]*[^\s#]")
_Problem: TypeAlias = tuple[Code, int, dict[str, str]]  # with its line in the block, from 0
_TABBED = re.compile(r"^ *\t[ \t]*", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontMatter:
    """A document cut in two.

    Attributes:
        values: The entries of the front matter; those without a value are left out.
        body: The text below it.
        found: Whether there is front matter at all.
        lines: The line of each entry in the file, from 1.
        as_read: The whole document, line for line, with the quoted values as they are read.
    """

    values: Mapping[str, Value]
    body: str
    found: bool
    lines: Mapping[str, int] = field(default_factory=dict)
    as_read: str


def read_front_matter(text: str, findings: Findings) -> FrontMatter:
    """Cut a document into front matter and body, and read the front matter."""
    opening = _OPENING.match(text)
    if opening is None:
        return _without(text, findings)
    start = opening.end()
    end, body, ended_by = _end(text, start)
    block, first_line = text[start:end], text.count("\n", 0, start) + 1
    entries, as_read, problems = _entries(block)
    if not entries and block.strip():
        return _without(text, findings, opened=True)
    if opening[0].rstrip() != "---":
        findings.add(Code.BLANK_BEFORE, line=1)
    if ended_by == _TOO_LONG:
        what = f"of its front matter, the first {end - start:,} characters were read, the rest as its body"
        findings.add(Code.READ_IN_PART, line=first_line, what=what)
    elif ended_by != "---" and not (ended_by == _INDENTED_END and opening[0].strip("\n")[:1].isspace()):
        findings.add(Code.FRONT_MATTER_UNCLOSED, line=first_line, end=ended_by)
    for code, line, details in problems:
        findings.add(code, line=first_line + line, **details)
    if (rule := block.find("---")) >= 0:
        findings.add(Code.RULE_IN_VALUE, line=first_line + block.count("\n", 0, rule))
    entries = _in_lower_case(_without_called_marks(entries, block), first_line, findings)
    return FrontMatter(
        values=_values(entries, first_line, findings),
        body=_trim(text[body:]),
        found=True,
        lines={entry.key: first_line + entry.line for entry in entries},
        as_read=text[:start] + as_read + text[end:],
    )


def _without_called_marks(entries: list[Entry], block: str) -> list[Entry]:
    """Drop the anchors that an alias calls for: they were meant as such."""
    called = {f"&{name}" for name in _ALIAS.findall(block)}
    return [
        entry._replace(marks=tuple(mark for mark in entry.marks if mark[0] not in called))
        for entry in entries
    ]


def _without(text: str, findings: Findings, *, opened: bool = False) -> FrontMatter:
    unread = "Begins with `---`, but no name or description can be read below it"
    problem = unread if opened else "Does not begin with front matter"
    findings.add(Code.NO_FRONT_MATTER, line=1, problem=problem)
    return FrontMatter(values={}, body=_trim(text), found=False, as_read=text)


def _trim(text: str) -> str:
    return text.strip("\n") if text.strip() else ""


def _end(text: str, start: int) -> tuple[int, int, str]:
    """Return where the front matter ends, where the body begins, and what stands between.

    A rule far down in the body does not close it: a heading above it would be inside.
    """
    closing = _CLOSING.search(text, start)
    block = text[start : closing.start() if closing else len(text)]
    indented = _INDENTED.search(block)
    if indented is not None and not (closing and _is_yaml(block)) and _may_end(block[: indented.start()]):
        return start + indented.start(), start + indented.end(), _INDENTED_END
    if closing is not None and (not _HEADING.search(block) or _is_yaml(block)):
        if len(block) <= LONGEST:
            rule = closing[0].rstrip().rpartition("\n")[2][:_LONGEST_QUOTE]
            return closing.start(), closing.end(), rule if rule == "---" else f"`{rule}`"
    elif (begins := _BODY_BEGINS.search(text, start)) is not None and begins.start() <= start + LONGEST:
        return begins.start(), begins.start(), "the first blank line or heading"
    if len(text) <= start + LONGEST:
        return len(text), len(text), "its end"
    end = text.rfind("\n", start + LONGEST // 2, start + LONGEST) + 1 or start + LONGEST
    return end, end, _TOO_LONG


def _may_end(block: str) -> bool:
    return not _HEADING.search(block) and (not _BODY_BEGINS.search(block.rstrip()) or _is_yaml(block))


def _is_yaml(block: str) -> bool:
    if len(block) > LONGEST:
        return False
    try:
        return bool(read_entries(block)[0])
    except YamlProblem:
        return False


def _in_lower_case(entries: list[Entry], first_line: int, findings: Findings) -> list[Entry]:
    """Take `Name` for `name` where there is no `name`, and so on for each key of the format."""
    absent = KEYS - {entry.key for entry in entries}
    read = []
    for entry in entries:
        lower = entry.key.lower()
        if lower in absent:
            findings.add(Code.KEY_CASE, line=first_line + entry.line, key=entry.key, new=lower)
        read.append(entry._replace(key=lower) if lower in absent else entry)
    return read


def _values(entries: list[Entry], first_line: int, findings: Findings) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for entry in entries:
        key, line, value = entry.key, entry.line, _with_comment(entry, first_line, findings)
        if key in values:
            findings.add(Code.DUPLICATE_KEY, line=first_line + line, key=key)
        for below, further in entry.repeated:
            findings.add(Code.DUPLICATE_KEY, line=first_line + line + further, key=f"{key}.{below}")
        if value is None:
            continue
        if key in {"name", "description"} and isinstance(value, str) and entry.tag != TAG + "str":
            findings.add(Code.NOT_A_STRING, line=first_line + line, key=key, value=value)
        values[key] = value
    return values


def _with_comment(entry: Entry, first_line: int, findings: Findings) -> Value | None:
    """Report comments and marks; a description keeps its own, which are text more often than not."""
    kept = entry.key == "description" and not isinstance(entry.value, list | dict)
    for code, found in ((Code.COMMENT_IN_VALUE, entry.comments), (Code.MARK_IN_VALUE, entry.marks)):
        for text, further in found:
            findings.add(
                code,
                line=first_line + entry.line + further,
                key=entry.key,
                quote=text[:_LONGEST_QUOTE],
                what="it is kept" if kept else "it was left out",
            )
    if not (kept and (entry.comments or entry.marks)):
        return entry.value
    before, after = ([text for text, _ in found[:1]] for found in (entry.marks, entry.comments))
    return " ".join([*before, f"{entry.value or ''}", *after]).strip()


def _entries(block: str) -> tuple[list[Entry], str, list[_Problem]]:
    """Return the entries, the text as read, and what was done where YAML failed."""
    try:
        return *_read_plain(block), []
    except YamlProblem as failure:
        whole = _recovered(str(failure), _within(block, failure.line), "each entry was read by itself")
    if block[:1].isspace():  # keys behind tabs, which YAML does not know
        block = dedent(_without_tabs(block)).lstrip(" ")
    block, problems = _with_sunk_keys(block)
    entries: list[Entry] = []
    texts: list[str] = []
    anchors = set(_ANCHOR.findall(block))
    for key, chunk, line in _chunks(block):
        (found, text), fault, what = _read_chunk(key, chunk)
        texts.append(text)
        entries += [entry._replace(line=entry.line + line) for entry in found]
        if fault is not None:
            problem = (
                ALIASED
                if not anchors.isdisjoint(_ALIAS.findall(chunk)) and "alias" in str(fault)
                else str(fault)
            )  # of another entry
            problems.append(_recovered(problem, line + _within(chunk, fault.line), what))
    if not {"name", "description"} & {entry.key.lower() for entry in entries}:
        return [], block, []  # prose between two rules
    before = len(block) - sum(len(chunk) for _, chunk, _ in _chunks(block))
    return entries, block[:before] + "".join(texts), problems or [whole]


def _read_plain(block: str) -> tuple[list[Entry], str]:
    """Read a block as YAML.

    Raises:
        YamlProblem: It is none, or its name holds keys of the format, which were indented by mistake.
    """
    entries, as_read = read_entries(block)
    for entry in entries:
        if entry.key == "name" and isinstance(entry.value, dict) and not KEYS.isdisjoint(entry.value):
            raise YamlProblem(entry.line, "its name has keys below it")
    return entries, as_read


def _recovered(problem: str, line: int, what: str) -> _Problem:
    return Code.YAML_RECOVERED, line, {"problem": problem, "what": what}


def _with_sunk_keys(block: str) -> tuple[str, list[_Problem]]:
    """Bring keys that are indented below a value, where YAML sees none, to the beginning of their lines.

    Only keys of the format that are missing are looked for; all keys indented like one go with it.
    """
    problems: list[_Problem] = []
    while (found := _sunk_key(block)) is not None:
        above, (start, end), sunk = found
        line = block.count("\n", 0, start + sunk.start())
        problems.append((Code.KEY_INDENTED, line, {"key": sunk[2], "above": above}))
        like_it = re.compile(rf"^{sunk[1]}(?={_ANY_KEY}[ \t]*:(?:\s|\Z))", re.MULTILINE)
        block = block[:start] + like_it.sub("", block[start:end]) + block[end:]
    return block, problems


def _sunk_key(block: str) -> tuple[str, tuple[int, int], re.Match[str]] | None:
    """Return the first such key: the one above, where its entry stands, and the place in there."""
    chunks = list(_chunks(block))
    absent = KEYS - {key.lower() for key, _, _ in chunks}
    end = len(block) - sum(len(chunk) for _, chunk, _ in chunks)
    for key, chunk, _ in chunks:
        start, end = end, end + len(chunk)
        sunk = next((each for each in _SUNK.finditer(chunk) if each[2].lower() in absent), None)
        holds_text = key in KEYS - {"metadata"} or _HAS_VALUE.match(chunk)
        if sunk and holds_text and (key == "name" or not _is_yaml(chunk)):
            return key, (start, end), sunk
    return None


def _read_chunk(key: str, chunk: str) -> tuple[tuple[list[Entry], str], YamlProblem | None, str]:
    """Return the entries of a chunk with its text, why YAML refuses it, and what was done."""
    try:
        return read_entries(chunk), None, ""
    except YamlProblem as problem:
        failure = problem
    spaced = _without_tabs(chunk)
    mended = (
        (spaced, f"tabs in the value of {key!r} were read as blanks"),
        (_GLUED.sub(r"\1: ", chunk), f"`{key}:` was parted from its value"),
    )
    for text, what in mended:
        if text != chunk:
            with suppress(YamlProblem):
                return read_entries(text), failure, what
    read = [Entry(key, _as_text(chunk), 0)], without_outer(chunk)
    return read, failure, f"the value of {key!r} was read as text"


def _without_tabs(chunk: str) -> str:
    """Turn the tabs that lines begin with into blanks."""
    return _TABBED.sub(lambda blanks: blanks[0].expandtabs(2), chunk)


def _within(chunk: str, line: int) -> int:
    """Return the line of a fault; YAML may see it only where the text has ended."""
    return min(line, chunk.rstrip().count("\n"))


def _chunks(block: str) -> Iterator[tuple[str, str, int]]:
    """Cut at the keys that stand at the beginning of a line: (key, text from it on, its line)."""
    keys = list(_KEY.finditer(block))
    ends = [*(key.start() for key in keys), len(block)]
    line, counted = 0, 0
    for key, (start, end) in zip(keys, pairwise(ends), strict=True):
        line += block.count("\n", counted, start)
        counted = start
        yield key[1] or key[2], block[start:end], line


def _as_text(chunk: str) -> str:
    text = " ".join(_BLOCK_SCALAR.sub("", chunk.partition(":")[2].strip(), count=1).split())
    return text.strip(text[0]) if text[:1] in ('"', "'") else text
