"""Gold sets: a library, tasks whose skills are known, and edges that people drew.

A folder holds ``<set>_library.jsonl``, ``<set>_tasks.jsonl`` and, where known, ``<set>_edges.jsonl``
and ``<set>_mask.jsonl``, each perhaps as ``.xz``. Only what a person could have written into a
SKILL.md becomes part of a `Skill`, and of a task only its text is ever shown to a method.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from caskg.bench.lines import (
    Row,
    field,
    ident,
    list_of,
    mapping,
    named,
    object_of,
    read_lines,
    some_text,
    text,
)
from caskg.errors import UsageError
from caskg.library.embed import text_hash
from caskg.schema import IntArray, Parameter, Section, Skill, SkillFields, SkillLibrary

_LIBRARY, _TASKS, _EDGES, _MASK = "_library", "_tasks", "_edges", "_mask"
_SUFFIXES = (".jsonl", ".jsonl.xz")
_CLUSTERS = ("main", "repo")
_TAGS = ("keywords", "domain")

_PARAMETERS = 'a list of names or of objects with "name", "type" and "description", or an object by name'
_GOLD = 'a list of ids, such as ["boil-water", "brew-tea"]'
_LINKS = "a list of objects with a source and a target"
_WORDS = "a text, or a list of texts or of objects with a name"

Pair = tuple[int, int]
Lines = Sequence[tuple[str, Row]]
"""Where a line stands, and what it holds."""

T = TypeVar("T")


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
        edges: Shape ``(n_edges, 2)``: source and target, sorted, unique, without loops, none of *masked*.
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
    """Return the sets that a folder holds, by their libraries, sorted.

    Raises:
        UsageError: It holds none.
    """
    if not (names := _stems(folder, _LIBRARY)):
        msg = f"{folder} holds no gold set: name a folder of <set>_library.jsonl and <set>_tasks.jsonl."
        raise UsageError(msg)
    return names


def without_library(folder: Path) -> list[dict[str, str]]:
    """Say, as what was skipped, which files of a folder belong to no set."""
    others = {name for part in (_TASKS, _EDGES, _MASK) for name in _stems(folder, part)}
    return [
        {"set": name, "measure": "all", "reason": f"there is no {name}{_LIBRARY}.jsonl or .jsonl.xz"}
        for name in sorted(others - set(_stems(folder, _LIBRARY)))
    ]


def _stems(folder: Path, part: str) -> list[str]:
    ends = [f"{part}{suffix}" for suffix in _SUFFIXES]
    paths = list(folder.iterdir()) if folder.is_dir() else []
    return sorted({path.name.removesuffix(end) for path in paths for end in ends if path.name.endswith(end)})


def read_sets(folder: Path, names: Sequence[str]) -> dict[str, GoldSet]:
    """Read gold sets by name; raises what `read_set` raises, with the set named."""
    found = {}
    for name in names:
        with named(f"Set {name!r}"):
            found[name] = read_set(folder, name)
    return found


def read_set(folder: Path, name: str) -> GoldSet:
    """Read one gold set. Of rows that stand there twice one counts, and no masked pair is an edge.

    Raises:
        UsageError: A file is missing or cannot be read, a line is no JSON object, a field is missing or
            of another kind, an id stands twice in the library, or a task or an edge names a skill that
            it does not hold. Each says the file, the line and the field.
    """
    digest = hashlib.blake2b(digest_size=16)
    lines = {part: _lines(folder, f"{name}{part}", digest) for part in (_LIBRARY, _TASKS, _EDGES, _MASK)}
    for part in (_LIBRARY, _TASKS):
        if not lines[part]:
            msg = f"{folder} has no {name}{part}.jsonl or .jsonl.xz with a line in it."
            raise UsageError(msg)
    skills = tuple(sorted(_skills(lines[_LIBRARY]), key=lambda skill: skill.id))
    position = {skill.id: at for at, skill in enumerate(skills)}
    pair = partial(_pair, position=position)
    masked = _unique(_each(lines[_MASK], pair))
    edges = sorted(set(_unique(_each(lines[_EDGES], pair))) - set(masked))
    topics = _each(lines[_TASKS], lambda row: _topic(row, position, edges))
    return GoldSet(
        name=name,
        library=SkillLibrary(skills=skills),
        topics=tuple(dict.fromkeys(topics)),
        edges=_array(edges),
        masked=_array(masked),
        digest=digest.hexdigest(),
        position=position,
    )


def _lines(folder: Path, stem: str, digest: "hashlib.blake2b") -> Lines:
    paths = [path for suffix in _SUFFIXES if (path := folder / f"{stem}{suffix}").is_file()]
    if not paths:
        return []
    with named(str(paths[0])):
        data, lines = read_lines(paths[0])
        if any(read_lines(other)[0] != data for other in paths[1:]):
            msg = f"it holds something else than {paths[1].name} beside it: remove one of the two."
            raise UsageError(msg)
    digest.update(stem.encode() + b"\0" + data)
    places = ((f"{paths[0]}, line {number}", line) for number, line in enumerate(lines, start=1))
    return [(place, _object(line, place)) for place, line in places if line.strip()]


def _object(line: str, place: str) -> Row:
    with named(place):
        return object_of(line)


def _each(lines: Lines, make: Callable[[Row], T]) -> Iterator[T]:
    """Yield what each line means; a mistake is said with its place."""
    for place, row in lines:
        with named(place):
            yield make(row)


# ---------------------------------------------------------------- skills


def skill_of(row: Row) -> Skill:
    r"""Return a line of a library as the skill that a SKILL.md with the same statements would be.

    Its body states inputs, outputs and tools, one a line.

    Raises:
        UsageError: It has no ``id``, or a field of another kind; the field is named.

    >>> skill_of({"id": "a", "inputs": {"x": {"type": "int"}}}).body
    '## Inputs\n\n- `x` (int)\n'
    """
    skill_id = field(row, "id", ident)
    name = field(row, "name", lambda value: ident(value) if value else skill_id)
    description = field(row, "description", some_text)
    fields = SkillFields(
        inputs=field(row, "inputs", _parameters),
        outputs=field(row, "outputs", _parameters),
        tools=field(row, "tools", _words) or None,
        tags=tuple(dict.fromkeys(tag for key in _TAGS for tag in field(row, key, _words))) or None,
    )
    sections = _sections(fields)
    return Skill(
        id=skill_id,
        name=name,
        description=description,
        body="\n".join(f"{'#' * each.level} {each.title}\n\n{each.text}" for each in sections),
        sections=sections,
        fields=fields,
        content_hash=text_hash(repr((name, description, fields))),
        path="",
    )


def _skills(lines: Lines) -> Iterator[Skill]:
    places: dict[str, str] = {}
    for (place, _), skill in zip(lines, _each(lines, skill_of), strict=True):
        if skill.id in places:
            first = places[skill.id].rpartition(", ")[2]
            msg = f"{place}: id: {skill.id!r} stands in {first} already: write each skill once."
            raise UsageError(msg)
        places[skill.id] = place
        yield skill


def _parameters(stated: Any) -> tuple[Parameter, ...] | None:  # noqa: ANN401 - a JSON value
    """Read a list of ``{name, type, description}`` or of names, or a mapping from names to the same.

    A name that is empty, and a type or a description that is no text, say nothing.
    """
    if isinstance(stated, dict):
        found = [_parameter(name, about) for name, about in stated.items()]
    else:
        found = [] if stated is None else list_of(_listed, what=_PARAMETERS)(stated)
    return tuple(each for each in found if each.name) or None


def _listed(entry: Any) -> Parameter:  # noqa: ANN401 - a JSON value
    if isinstance(entry, dict):
        return _parameter(field(entry, "name", _label), entry)
    return _parameter(_label(entry), None)


def _parameter(name: str, about: Any) -> Parameter:  # noqa: ANN401 - a JSON value
    stated = about if isinstance(about, dict) else {"description": about}
    return Parameter(
        name=name, type=_stated(stated.get("type")), description=_stated(stated.get("description"))
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


def _stated(value: object) -> str | None:
    return text(value) or None if isinstance(value, str) else None


def _words(stated: Any) -> tuple[str, ...]:  # noqa: ANN401 - a JSON value
    """Read names: one, a list of them or of objects with a name, or an object by name."""
    if stated is None:
        return ()
    entries = [stated] if isinstance(stated, str | int) else stated
    found = list_of(_word, what=_WORDS)(list(entries) if isinstance(entries, dict) else entries)
    return tuple(dict.fromkeys(filter(None, found)))


def _word(entry: Any) -> str:  # noqa: ANN401 - a JSON value
    return field(entry, "name", _label) if isinstance(entry, dict) else _label(entry)


def _label(value: object) -> str:
    """Read a name, which may be empty."""
    return "" if value == "" else ident(value)


# ---------------------------------------------------------------- tasks and edges


def _topic(row: Row, position: Mapping[str, int], edges: Sequence[Pair]) -> Topic:
    known = partial(_known, position=position)
    gold = tuple(dict.fromkeys(field(row, "gold", list_of(known, what=_GOLD))))
    pairs = list_of(lambda link: _pair(mapping(link), position=position), what=_LINKS)
    links = field(row, "gold_links", lambda value: None if value is None else _unique(pairs(value)))
    if links is None:
        links = [pair for pair in edges if set(pair) <= set(gold)]
    shared = ((name, " ".join(field(row, name, _words))) for name in _CLUSTERS)
    return Topic(
        id=field(row, "id", ident),
        query=field(row, "query", text),
        gold=gold,
        links=tuple(links),
        cluster=next((f"{name} {words}" for name, words in shared if words), f"gold {sorted(gold)}"),
    )


def _pair(row: Row, *, position: Mapping[str, int]) -> Pair:
    known = partial(_known, position=position)
    return field(row, "source", known), field(row, "target", known)


def _known(value: object, *, position: Mapping[str, int]) -> int:
    skill_id = ident(value)
    if skill_id not in position:
        msg = f"{skill_id!r} is no skill of the library: write the id of one."
        raise UsageError(msg)
    return position[skill_id]


def _unique(pairs: Iterable[Pair]) -> list[Pair]:
    """Return each pair once, sorted, without those of a skill with itself."""
    return sorted({pair for pair in pairs if pair[0] != pair[1]})


def _array(pairs: Sequence[Pair]) -> IntArray:
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)
