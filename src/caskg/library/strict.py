"""A SKILL.md as the strict reference validator of the format reads it: what it refuses, and in which line.

Beside the lenient reading of `parse`, never instead of it: nothing is dropped for what is
found here. The front matter is what lies between the first two ``---``, wherever these
stand; its YAML may hold no flow values, tags, anchors or repeated keys, and all values are
text, lists or mappings.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

from caskg.library.diagnostics import Code, Findings
from caskg.library.format import (
    KEYS,
    MAX_COMPATIBILITY,
    MAX_DESCRIPTION,
    name_problems,
    normal_name,
)
from caskg.library.front_matter import LONGEST
from caskg.schema import Diagnostic, Severity

if TYPE_CHECKING:
    import yaml

_RULE = "---"
_FILE_NAMES = frozenset({"SKILL.md", "skill.md"})


class _Value(NamedTuple):
    text: str | None  # None: a list or a mapping
    line: int


class _RefusedError(ValueError):
    """The reference validator reads no front matter here."""

    def __init__(self, code: Code, *, line: int | None = None, **details: object) -> None:
        super().__init__(code)
        self.code, self.line, self.details = code, line, details


def strict_findings(data: bytes, *, path: str) -> tuple[Diagnostic, ...]:
    r"""Return what a strict reader refuses in a file, each finding an error; () = the file is valid.

    Args:
        data: The bytes of the file, any bytes.
        path: Where it lies; the name must be that of the folder.

    >>> [d.message for d in strict_findings(b"---\nname: tea\n---\nBrew it.", path="tea/SKILL.md")]
    ['Has no description; the format asks for one.']
    """
    findings = Findings(path)
    place = PurePath(path)
    if place.name not in _FILE_NAMES:
        findings.add(Code.FILE_NAME, name=place.name)
    try:
        values = _read(data)
    except _RefusedError as refused:
        findings.add(refused.code, line=refused.line, **refused.details)
    else:
        _check(values, place.parent.name, findings)
    return tuple(replace(found, severity=Severity.ERROR) for found in findings.all())


def _check(values: dict[str, _Value], folder: str, findings: Findings) -> None:
    if outside := sorted(values.keys() - KEYS):
        line = min(values[key].line for key in outside)
        findings.add(Code.UNKNOWN_KEYS, line=line, keys=", ".join(outside))
    _check_name(values.get("name"), folder, findings)
    description = values.get("description")
    if description is None or not (description.text or "").strip():
        at = description and description.line
        findings.add(Code.DESCRIPTION_MISSING, line=at, instead="the format asks for one")
    elif (length := len(description.text or "")) > MAX_DESCRIPTION:
        findings.add(Code.DESCRIPTION_LONG, line=description.line, length=length, limit=MAX_DESCRIPTION)
    compatibility = values.get("compatibility")
    if compatibility is None:
        return
    if compatibility.text is None:
        findings.add(Code.STRICT_VALUE, line=compatibility.line, key="compatibility")
    elif (length := len(compatibility.text)) > MAX_COMPATIBILITY:
        findings.add(Code.COMPATIBILITY_LONG, line=compatibility.line, length=length, limit=MAX_COMPATIBILITY)


def _check_name(name: _Value | None, folder: str, findings: Findings) -> None:
    if name is None or not (name.text or "").strip():
        findings.add(Code.NAME_MISSING, line=name and name.line, name=folder)
        return
    written = normal_name(name.text or "")
    for problem in name_problems(written):
        findings.add(Code.NAME_FORM, line=name.line, name=written, problem=problem)
    if written != normal_name(folder):
        findings.add(Code.NAME_DIFFERS, line=name.line, name=written, folder=folder)


def _read(data: bytes) -> dict[str, _Value]:
    try:
        text = data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _RefusedError(Code.ENCODING, line=line, problem=error.reason) from None
    if text.startswith("\ufeff"):
        raise _RefusedError(Code.BYTE_ORDER_MARK, line=1)
    if not text.startswith(_RULE):
        raise _RefusedError(Code.NO_FRONT_MATTER, line=1, problem="Does not begin with front matter")
    parts = text.split(_RULE, 2)
    if len(parts) < 3:  # noqa: PLR2004 - before, between and after
        raise _RefusedError(Code.FRONT_MATTER_UNCLOSED, line=1, end="the first blank line or heading")
    return _mapping(parts[1])


def _mapping(block: str) -> dict[str, _Value]:
    import yaml

    if len(block) > LONGEST:
        problem = f"it has {len(block):,} characters, of which at most {LONGEST:,} are checked"
        raise _refused(problem, None)
    try:
        for token in yaml.scan(block, Loader=yaml.SafeLoader):
            if problem := _disallowed(token):
                raise _refused(problem, token.start_mark)
        root = yaml.compose(block, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError) as error:
        problem = getattr(error, "problem", None) or str(error).partition("\n")[0]
        raise _refused(problem, getattr(error, "problem_mark", None)) from None
    if not isinstance(root, yaml.MappingNode):
        problem = "it has no keys"
        raise _refused(problem, None)
    if (repeated := next(_repeated(root), None)) is not None:
        problem = f"{repeated.value!r} is given twice"
        raise _refused(problem, repeated.start_mark)
    return {
        str(key.value): _Value(
            value.value if isinstance(value, yaml.ScalarNode) else None, key.start_mark.line + 1
        )
        for key, value in root.value
    }


def _disallowed(token: "yaml.Token") -> str:
    import yaml

    if isinstance(token, (yaml.FlowMappingStartToken, yaml.FlowSequenceStartToken)):
        return "a value in braces or brackets"
    if isinstance(token, yaml.TagToken):
        return "a tag"
    return "an anchor or alias" if isinstance(token, (yaml.AnchorToken, yaml.AliasToken)) else ""


def _repeated(root: "yaml.Node") -> Iterator["yaml.Node"]:
    """Yield keys that their mapping has already, at any depth."""
    import yaml

    pending = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, yaml.MappingNode):
            seen = set[str]()
            for key, value in node.value:
                if str(key.value) in seen:
                    yield key
                seen.add(str(key.value))
                pending.append(value)
        elif isinstance(node, yaml.SequenceNode):
            pending += node.value


def _refused(problem: str, mark: "yaml.Mark | None") -> _RefusedError:
    return _RefusedError(Code.STRICT_YAML, line=mark.line + 1 if mark else None, problem=problem)
