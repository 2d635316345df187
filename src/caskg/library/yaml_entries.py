"""The entries of a YAML mapping, as written: no object is constructed and no tag obeyed.

For `front_matter`, which says what to do where this fails.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from caskg.library.format import MAX_DESCRIPTION
from caskg.library.quoted_values import Quoted, unquote_all

if TYPE_CHECKING:
    import yaml

Value: TypeAlias = str | list["Value"] | dict[str, "Value"]

TAG = "tag:yaml.org,2002:"
"""How the tags of YAML's own kinds of values begin."""
ALIASED = "it uses an alias"
"""A problem of YAML whose values stand in several places."""

_MOST_DEPTH = 32  # of nested values
_MARK = re.compile(r"(?:&|!(?!!))[^\s,\[\]{}]*")  # an anchor or a tag of one's own
_COMMENT = re.compile(r"[ \t]+(#[^\n]*)")


class Entry(NamedTuple):
    """A key with its value, and what stands about the value that may have been meant as text."""

    key: str
    value: Value | None
    line: int  # in the block, from 0
    tag: str = TAG + "str"
    repeated: tuple[tuple[str, int], ...] = ()  # keys that the value holds twice, with lines below this one
    comments: tuple[tuple[str, int], ...] = ()  # what follows plain values on their lines, with lines below
    marks: tuple[tuple[str, int], ...] = ()  # anchors and tags before values, with lines below


class YamlProblem(ValueError):
    """Why a text is not read as YAML, and in which line."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line  # in the block, from 0


def read_entries(block: str) -> tuple[list[Entry], str]:
    """Read the entries of a YAML mapping without constructing any object, and its text as it is read.

    Raises:
        YamlProblem: It is no YAML, no mapping, or uses aliases or deep nesting.
    """
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        root = yaml.compose(block, Loader=loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error).partition("\n")[0]
        raise YamlProblem(mark.line if mark else 0, problem) from None
    if root is None:
        return [], block
    if not isinstance(root, yaml.MappingNode):
        raise YamlProblem(0, "it has no keys")
    seen: set[int] = set()
    entries = [
        Entry(
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
        for node in dict.fromkeys(_scalars(root))  # an alias is the same node again
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
    for scalar in dict.fromkeys(_scalars(node)):
        above = scalar.start_mark.line < first_line  # what an alias stands for
        comment = None if scalar.style or above else _COMMENT.match(block, scalar.end_mark.index)
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

    if node.start_mark.line < first_line:
        return  # an alias, which is the node above
    if mark := _MARK.match(block, node.start_mark.index):
        yield mark[0], node.start_mark.line - first_line
    for item in node.value if isinstance(node, yaml.CollectionNode) else ():
        yield from _marks(item[1] if isinstance(item, tuple) else item, block, first_line)


def _key(node: "yaml.Node") -> str:
    import yaml

    if not isinstance(node, yaml.ScalarNode):
        raise YamlProblem(node.start_mark.line, "a key is no word")
    return _storable(node.value)


def _value(node: "yaml.Node", seen: set[int], depth: int) -> Value | None:
    import yaml

    line = node.start_mark.line
    is_short = isinstance(node, yaml.ScalarNode) and len(node.value) <= MAX_DESCRIPTION
    if id(node) in seen and not is_short:  # an alias: a few lines of them can stand for gigabytes
        raise YamlProblem(line, ALIASED)
    seen.add(id(node))
    if depth > _MOST_DEPTH:
        raise YamlProblem(line, "it is nested too deeply")
    if isinstance(node, yaml.MappingNode):
        pairs = ((_key(key), _value(value, seen, depth + 1)) for key, value in node.value)
        return {key: value for key, value in pairs if value is not None}
    if isinstance(node, yaml.SequenceNode):
        items = (_value(item, seen, depth + 1) for item in node.value)
        return [item for item in items if item is not None]
    return None if node.tag == TAG + "null" else _storable(node.value)


def _storable(text: str) -> str:
    """Drop what an escape in quotes can bring in and no store can hold: NUL and lone surrogates."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()
