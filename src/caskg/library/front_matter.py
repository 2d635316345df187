"""From the text of a file to its front matter and body.

Front matter is YAML between two lines ``---``. Values are taken as written
(``yes`` stays ``yes``): the text is composed into nodes and these are read, so
no tag is ever executed and no alias expanded. Where YAML fails, the front matter
is cut at its keys, and only a value that fails by itself is read as plain text.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from textwrap import dedent
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from caskg.library.diagnostics import Code, Findings
from caskg.library.format import KEYS
from caskg.library.quoted_values import Quoted, unquote_all, without_outer

if TYPE_CHECKING:
    import yaml

Value: TypeAlias = str | list["Value"] | dict[str, "Value"]

_LONGEST_QUOTE = 100
_MOST_DEPTH = 32  # of nested values
_TAG = "tag:yaml.org,2002:"
_OPENING = re.compile(r"\s*---[ \t]*(?:\n|\Z)")
_CLOSING = re.compile(r"^(?:(?:\.\.\.[ \t]*\n)?---|(\.\.\.))[ \t]*$", re.MULTILINE)  # YAML may end by `...`
_BODY_BEGINS = re.compile(r"^[ \t]*$|^#", re.MULTILINE)
_HEADING = re.compile(r"\n[ \t]*\n#{1,6} ")
_KEY = re.compile(rf"^(?:([A-Za-z_][\w.-]*)[ \t]*:(?=\s|\Z)|({'|'.join(sorted(KEYS))}):)", re.MULTILINE)
_GLUED = re.compile(r"\A([\w.-]+):(?=\S)")  # `name:x`
_ALIAS = re.compile(r"\*([^\s,\[\]{}]+)")
_MARK = re.compile(r"(?:&|!(?!!))[^\s,\[\]{}]*")  # an anchor or a tag of one's own
_BLOCK_SCALAR = re.compile(r"\A[|>][-+\d]*(?=\s|\Z)")
_COMMENT = re.compile(r"[ \t]+(#[^\n]*)")
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


class _Entry(NamedTuple):
    key: str
    value: Value | None
    line: int  # in the block, from 0
    tag: str = _TAG + "str"
    repeated: tuple[tuple[str, int], ...] = ()  # keys that the value holds twice, with lines below this one
    comments: tuple[tuple[str, int], ...] = ()  # what follows plain values on their lines, with lines below
    marks: tuple[tuple[str, int], ...] = ()  # anchors and tags before values, with lines below


class _YamlProblem(ValueError):
    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line  # in the block, from 0


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
    if not opening[0].startswith("---"):
        findings.add(Code.BLANK_BEFORE, line=1)
    if ended_by != "---":
        findings.add(Code.FRONT_MATTER_UNCLOSED, line=first_line, end=ended_by)
    for problem, line, what in problems:
        findings.add(Code.YAML_RECOVERED, line=first_line + line, problem=problem, what=what)
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


def _without_called_marks(entries: list[_Entry], block: str) -> list[_Entry]:
    """Drop the anchors that an alias calls for: they were meant as such."""
    called = {f"&{name}" for name in _ALIAS.findall(block)}
    return [
        entry._replace(marks=tuple(mark for mark in entry.marks if mark[0] not in called))
        for entry in entries
    ]


def _without(text: str, findings: Findings, *, opened: bool = False) -> FrontMatter:
    problem = "Begins with `---`, but no name or description can be read below it"
    findings.add(Code.NO_FRONT_MATTER, problem=problem if opened else "Does not begin with front matter")
    return FrontMatter(values={}, body=_trim(text), found=False, as_read=text)


def _trim(text: str) -> str:
    return text.strip("\n") if text.strip() else ""


def _end(text: str, start: int) -> tuple[int, int, str]:
    """Return where the front matter ends, where the body begins, and what stands between.

    A rule far down in the body does not close it: a heading above it would be inside.
    """
    closing = _CLOSING.search(text, start)
    if closing is not None:
        block = text[start : closing.start()]
        if not _HEADING.search(block) or _is_yaml(block):
            return closing.start(), closing.end(), f"`{closing[1]}`" if closing[1] else "---"
    begins = _BODY_BEGINS.search(text, start)
    end = begins.start() if begins else len(text)
    return end, end, "the first blank line or heading"


def _is_yaml(block: str) -> bool:
    try:
        return bool(_compose(block)[0])
    except _YamlProblem:
        return False


def _in_lower_case(entries: list[_Entry], first_line: int, findings: Findings) -> list[_Entry]:
    """Take `Name` for `name` where there is no `name`, and so on for each key of the format."""
    absent = KEYS - {entry.key for entry in entries}
    read = []
    for entry in entries:
        lower = entry.key.lower()
        if lower in absent:
            findings.add(Code.KEY_CASE, line=first_line + entry.line, key=entry.key, new=lower)
        read.append(entry._replace(key=lower) if lower in absent else entry)
    return read


def _values(entries: list[_Entry], first_line: int, findings: Findings) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for entry in entries:
        key, line, value = entry.key, entry.line, _with_comment(entry, first_line, findings)
        if key in values:
            findings.add(Code.DUPLICATE_KEY, line=first_line + line, key=key)
        for below, further in entry.repeated:
            findings.add(Code.DUPLICATE_KEY, line=first_line + line + further, key=f"{key}.{below}")
        if value is None:
            continue
        if key in {"name", "description"} and isinstance(value, str) and entry.tag != _TAG + "str":
            findings.add(Code.NOT_A_STRING, line=first_line + line, key=key, value=value)
        values[key] = value
    return values


def _with_comment(entry: _Entry, first_line: int, findings: Findings) -> Value | None:
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


def _entries(block: str) -> tuple[list[_Entry], str, list[tuple[str, int, str]]]:
    """Return the entries, the text as read, and (problem, line, what was done) where YAML failed."""
    try:
        return *_compose(block), []
    except _YamlProblem as failure:
        whole = (str(failure), _within(block, failure.line), "each entry was read by itself")
    if block[:1].isspace():  # keys behind tabs, which YAML does not know
        block = dedent(_without_tabs(block)).lstrip(" ")
    entries: list[_Entry] = []
    problems: list[tuple[str, int, str]] = []
    texts: list[str] = []
    for key, chunk, line in _chunks(block):
        (found, text), fault, what = _read_chunk(key, chunk)
        texts.append(text)
        entries += [entry._replace(line=entry.line + line) for entry in found]
        if fault is not None:
            problems.append((str(fault), line + _within(chunk, fault.line), what))
    if not {"name", "description"} & {entry.key.lower() for entry in entries}:
        return [], block, []  # prose between two rules
    before = len(block) - sum(len(chunk) for _, chunk, _ in _chunks(block))
    return entries, block[:before] + "".join(texts), problems or [whole]


def _read_chunk(key: str, chunk: str) -> tuple[tuple[list[_Entry], str], _YamlProblem | None, str]:
    """Return the entries of a chunk with its text, why YAML refuses it, and what was done."""
    try:
        return _compose(chunk), None, ""
    except _YamlProblem as problem:
        failure = problem
    spaced = _without_tabs(chunk)
    mended = (
        (spaced, f"tabs in the value of {key!r} were read as blanks"),
        (_GLUED.sub(r"\1: ", chunk), f"`{key}:` was parted from its value"),
    )
    for text, what in mended:
        if text != chunk:
            with suppress(_YamlProblem):
                return _compose(text), failure, what
    read = [_Entry(key, _as_text(chunk), 0)], without_outer(chunk)
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


def _compose(block: str) -> tuple[list[_Entry], str]:
    """Read the entries of a YAML mapping without constructing any object, and its text as it is read.

    Raises:
        _YamlProblem: It is no YAML, no mapping, or uses aliases or deep nesting.
    """
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        root = yaml.compose(block, Loader=loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error).partition("\n")[0]
        raise _YamlProblem(mark.line if mark else 0, problem) from None
    if root is None:
        return [], block
    if not isinstance(root, yaml.MappingNode):
        raise _YamlProblem(0, "it has no keys")
    seen: set[int] = set()
    entries = [
        _Entry(
            _key(key),
            _value(value, seen, 0),
            key.start_mark.line,
            value.tag,
            tuple(_repeated(value, key.start_mark.line)),
            tuple(_comments(value, block, key.start_mark.line)),
            tuple(_marks(value, block, key.start_mark.line)),
        )
        for key, value in root.value
    ]
    quoted = (
        Quoted(node.start_mark.index, node.end_mark.index, node.style)
        for node in _scalars(root)
        if node.style in ('"', "'")
    )
    return entries, unquote_all(block, quoted)


def _repeated(value: "yaml.Node", first_line: int) -> Iterator[tuple[str, int]]:
    """Yield (key, line) of what a mapping such as ``metadata`` holds twice; the last one holds."""
    import yaml

    seen = set[str]()
    for node, _ in value.value if isinstance(value, yaml.MappingNode) else ():
        key = _key(node)
        if key in seen:
            yield key, node.start_mark.line - first_line
        seen.add(key)


def _comments(node: "yaml.Node", block: str, first_line: int) -> Iterator[tuple[str, int]]:
    """Yield (comment, line) of plain values, in which a ``#`` after a blank may well be meant as text."""
    for scalar in _scalars(node):
        comment = None if scalar.style else _COMMENT.match(block, scalar.end_mark.index)
        if comment:
            yield comment[1].rstrip(), scalar.end_mark.line - first_line


def _scalars(node: "yaml.Node") -> Iterator["yaml.ScalarNode"]:
    """Yield the single values within a value, without keys."""
    import yaml

    if isinstance(node, yaml.ScalarNode):
        yield node
    else:
        for item in node.value:
            yield from _scalars(item[1] if isinstance(item, tuple) else item)


def _marks(node: "yaml.Node", block: str, first_line: int) -> Iterator[tuple[str, int]]:
    """Yield (anchor or tag, line) of values, which may well be meant as text: ``&co and others``."""
    import yaml

    if mark := _MARK.match(block, node.start_mark.index):
        yield mark[0], node.start_mark.line - first_line
    for item in node.value if isinstance(node, yaml.CollectionNode) else ():
        yield from _marks(item[1] if isinstance(item, tuple) else item, block, first_line)


def _key(node: "yaml.Node") -> str:
    import yaml

    if not isinstance(node, yaml.ScalarNode):
        raise _YamlProblem(node.start_mark.line, "a key is no word")
    return _storable(node.value)


def _value(node: "yaml.Node", seen: set[int], depth: int) -> Value | None:
    import yaml

    line = node.start_mark.line
    if id(node) in seen:  # an alias: a few lines of them can stand for gigabytes
        raise _YamlProblem(line, "it uses an alias")
    seen.add(id(node))
    if depth > _MOST_DEPTH:
        raise _YamlProblem(line, "it is nested too deeply")
    if isinstance(node, yaml.MappingNode):
        pairs = ((_key(key), _value(value, seen, depth + 1)) for key, value in node.value)
        return {key: value for key, value in pairs if value is not None}
    if isinstance(node, yaml.SequenceNode):
        items = (_value(item, seen, depth + 1) for item in node.value)
        return [item for item in items if item is not None]
    return None if node.tag == _TAG + "null" else _storable(node.value)


def _storable(text: str) -> str:
    """Drop what an escape in quotes can bring in and no store can hold: NUL and lone surrogates."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()
