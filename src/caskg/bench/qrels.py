"""Gold sets: a library, tasks whose skills are known, and edges that people drew.

A folder holds ``<set>_library.jsonl``, ``<set>_tasks.jsonl`` and, where known, ``<set>_edges.jsonl``
and ``<set>_mask.jsonl``, each perhaps as ``.xz``. Only what a person could have written into a
SKILL.md becomes part of a `Skill`, and of a task only its text is ever shown to a method.
"""

import hashlib
import json
import lzma
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from caskg.errors import UsageError
from caskg.library.embed import text_hash
from caskg.schema import IntArray, Parameter, Section, Skill, SkillFields, SkillLibrary

_LIBRARY, _TASKS, _EDGES, _MASK = "_library", "_tasks", "_edges", "_mask"
_SUFFIXES = (".jsonl", ".jsonl.xz")
_CLUSTERS = ("main", "repo")

Row = Mapping[str, Any]
Pair = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A task whose skills are known, as positions in the library.

    Attributes:
        id: Its id.
        query: Its text: all that a method sees of it.
        gold: The skills it needs, each once.
        links: Gold edges ``(source, target)`` between them; those of the task, else of the set.
        cluster: What it shares with other tasks, so that they do not count as independent.
    """

    id: str
    query: str
    gold: tuple[int, ...]
    links: tuple[Pair, ...]
    cluster: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GoldSet:
    """A library with tasks and edges.

    Attributes:
        name: The beginning of its files' names.
        library: The skills, sorted by id.
        topics: The tasks, in the order of the file.
        edges: Shape ``(n_edges, 2)``: source and target, sorted, unique, without loops.
        masked: Likewise: pairs of which nobody may say whether they are edges.
        digest: A hash of everything that was read.
        position: Of each skill, by its id.
    """

    name: str
    library: SkillLibrary
    topics: tuple[Topic, ...]
    edges: IntArray
    masked: IntArray
    digest: str
    position: Mapping[str, int]


def set_names(folder: Path) -> list[str]:
    """Return the sets that a folder holds, sorted.

    Raises:
        UsageError: It holds none.
    """
    ends = [f"{_LIBRARY}{suffix}" for suffix in _SUFFIXES]
    names = {
        path.name.removesuffix(end)
        for path in (folder.iterdir() if folder.is_dir() else ())
        for end in ends
        if path.name.endswith(end)
    }
    if not names:
        msg = f"{folder} holds no gold set: name a folder of <set>_library.jsonl and <set>_tasks.jsonl."
        raise UsageError(msg)
    return sorted(names)


def read_set(folder: Path, name: str) -> GoldSet:
    """Read one gold set.

    Raises:
        UsageError: A file is missing or cannot be read, a line is no JSON object or lacks a field, an
            id stands twice in the library, or a task or an edge names a skill that it does not hold.
    """
    digest = hashlib.blake2b(digest_size=16)
    rows = {part: list(_rows(folder, f"{name}{part}", digest)) for part in (_LIBRARY, _TASKS, _EDGES, _MASK)}
    for part in (_LIBRARY, _TASKS):
        if not rows[part]:
            msg = f"{folder} has no {name}{part}.jsonl or .jsonl.xz with a line in it."
            raise UsageError(msg)
    try:
        skills = tuple(sorted(map(skill_of, rows[_LIBRARY]), key=lambda skill: skill.id))
        position = {skill.id: at for at, skill in enumerate(skills)}
        if len(position) < len(skills):
            msg = f"Set {name!r} of {folder} has a skill twice: each id must stand there once."
            raise UsageError(msg)
        edges = _pairs(rows[_EDGES], position)
        return GoldSet(
            name=name,
            library=SkillLibrary(skills=skills),
            topics=tuple(_topic(row, position, edges) for row in rows[_TASKS]),
            edges=_array(edges),
            masked=_array(_pairs(rows[_MASK], position)),
            digest=digest.hexdigest(),
            position=position,
        )
    except KeyError as error:
        msg = f"Set {name!r} of {folder}: {error} is a field that a line lacks, or no skill of its library."
        raise UsageError(msg) from error


def _rows(folder: Path, stem: str, digest: "hashlib.blake2b") -> Iterator[Row]:
    path = next(
        (folder / f"{stem}{suffix}" for suffix in _SUFFIXES if (folder / f"{stem}{suffix}").is_file()), None
    )
    if path is None:
        return
    try:
        data = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
        lines = data.decode().split("\n")
    except (OSError, lzma.LZMAError, UnicodeDecodeError) as error:
        msg = f"{path} cannot be read ({error}): get the file anew."
        raise UsageError(msg) from error
    digest.update(stem.encode() + b"\0" + data)
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield _object(line, where=f"{path}, line {number}")


def _object(line: str, *, where: str) -> Row:
    try:
        row = json.loads(line)
    except ValueError as error:
        msg = f"{where}: it is not JSON ({error})."
        raise UsageError(msg) from error
    if not isinstance(row, dict):
        msg = f"{where}: it is a JSON {type(row).__name__}, not an object."
        raise UsageError(msg)
    return row


# ---------------------------------------------------------------- skills


def skill_of(row: Row) -> Skill:
    r"""Return a line of a library as the skill that a SKILL.md with the same statements would be.

    Its body states inputs, outputs and tools, one a line.

    Raises:
        KeyError: It has no ``id``.

    >>> skill_of({"id": "a", "inputs": {"x": {"type": "int"}}}).body
    '## Inputs\n\n- `x` (int)\n'
    """
    name = str(row.get("name") or row["id"])
    description = str(row.get("description") or "")
    fields = SkillFields(
        inputs=_parameters(row.get("inputs")),
        outputs=_parameters(row.get("outputs")),
        tools=_words(row.get("tools")),
        tags=_words(row.get("keywords"), row.get("domain")),
    )
    sections = _sections(fields)
    return Skill(
        id=str(row["id"]),
        name=name,
        description=description,
        body="\n".join(f"{'#' * each.level} {each.title}\n\n{each.text}" for each in sections),
        sections=sections,
        fields=fields,
        content_hash=text_hash(repr((name, description, fields))),
        path="",
    )


def _parameters(stated: Any) -> tuple[Parameter, ...] | None:  # noqa: ANN401 - a JSON value
    """Read a list of ``{name, type, description}`` or of names, or a mapping from names to the same."""
    if not stated:
        return None
    entries = ((each["name"], each) if isinstance(each, dict) else (each, None) for each in stated)
    named = stated.items() if isinstance(stated, dict) else entries
    return tuple(
        Parameter(
            name=str(name),
            type=_text(about.get("type")) if isinstance(about, dict) else None,
            description=_text(about.get("description") if isinstance(about, dict) else about),
        )
        for name, about in named
    )


def _sections(fields: SkillFields) -> tuple[Section, ...]:
    lists = {
        "Inputs": [_item(each) for each in fields.inputs or ()],
        "Outputs": [_item(each) for each in fields.outputs or ()],
        "Tools": [f"- {tool}" for tool in fields.tools or ()],
    }
    return tuple(
        Section(title=title, level=2, text="\n".join([*items, ""])) for title, items in lists.items() if items
    )


def _item(parameter: Parameter) -> str:
    kind = f" ({parameter.type})" if parameter.type else ""
    about = f": {' '.join(parameter.description.split())}" if parameter.description else ""
    return f"- `{parameter.name}`{kind}{about}"


def _text(value: Any) -> str | None:  # noqa: ANN401 - a JSON value
    return value or None if isinstance(value, str) else None


def _words(*stated: Any) -> tuple[str, ...] | None:  # noqa: ANN401 - JSON values
    """Return names that stand there as a text, as a list of texts, or of objects with a name."""
    found: list[str] = []
    for value in stated:
        for each in [value] if isinstance(value, str) else value or ():
            found.append(str(each["name"] if isinstance(each, dict) else each))
    return tuple(dict.fromkeys(filter(None, found))) or None


# ---------------------------------------------------------------- tasks and edges


def _topic(row: Row, position: Mapping[str, int], edges: Sequence[Pair]) -> Topic:
    gold = tuple(dict.fromkeys(position[skill_id] for skill_id in row["gold"]))
    if "gold_links" in row:
        links = _pairs(row["gold_links"], position)
    else:
        links = [pair for pair in edges if set(pair) <= set(gold)]
    shared = next((f"{field} {row[field]}" for field in _CLUSTERS if row.get(field)), None)
    return Topic(
        id=str(row["id"]),
        query=str(row["query"]),
        gold=gold,
        links=tuple(links),
        cluster=shared or f"gold {sorted(gold)}",
    )


def _pairs(rows: Iterable[Row], position: Mapping[str, int]) -> list[Pair]:
    """Return each pair once, sorted, without those of a skill with itself."""
    pairs = {(position[row["source"]], position[row["target"]]) for row in rows}
    return sorted(pair for pair in pairs if pair[0] != pair[1])


def _array(pairs: Sequence[Pair]) -> IntArray:
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)
