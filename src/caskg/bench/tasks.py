"""The user's own tasks: one JSON object a line, read leniently, refused with file, line and field.

    {"query": "make tea", "must_include": ["brew-tea"], "order": ["boil-water", "brew-tea"]}

A file with a mistake is refused before anything runs: a task that was left out would look like one
that was never asked.
"""

import difflib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from caskg.bench.lines import named, object_of, read_lines
from caskg.bench.lines import text as as_text
from caskg.errors import UsageError
from caskg.retrieval.seeds import check_query

_LISTS = ("must_include", "must_not_include", "order")
_FIELDS = ("query", *_LISTS)
_MISSPELT = 0.8  # likeness from which a field is one of ours with a slip


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A task and what its answer must be; ids, each once.

    Attributes:
        line: Where it stands in the file, from 1.
        query: The task text.
        must_include: Skills that must be found.
        must_not_include: Skills that must not.
        order: Skills in the order in which they must stand.
    """

    line: int
    query: str
    must_include: tuple[str, ...] = ()
    must_not_include: tuple[str, ...] = ()
    order: tuple[str, ...] = ()


def read_tasks(path: Path, *, id_of: Callable[[str], str]) -> tuple[Task, ...]:
    """Read a file of tasks.

    Blank lines, a byte order mark, a name instead of a list of one, ``null`` for a list and fields
    of the user's own are all right.

    Args:
        path: The file, UTF-8.
        id_of: Returns the id of the skill that a name means; raises `UsageError` where there is none.

    Raises:
        UsageError: The file cannot be read or has no task, or a line is no task.
    """
    with named(str(path)):
        _, lines = read_lines(path)
        tasks = []
        for number, text in enumerate(lines, start=1):
            if text.strip():
                with named(f"line {number}"):
                    tasks.append(_task(number, _fields(text), id_of))
        if not tasks:
            msg = 'it holds no task: write one JSON object a line, such as {"query": "make tea"}.'
            raise UsageError(msg)
    return tuple(tasks)


def _fields(text: str) -> Mapping[str, Any]:
    fields = object_of(text)
    for name in fields.keys() - set(_FIELDS):
        if meant := difflib.get_close_matches(name.lower(), _FIELDS, n=1, cutoff=_MISSPELT):
            msg = f"there is no field {name!r}: did you mean {meant[0]!r}?"
            raise UsageError(msg)
    return fields


def _task(line: int, fields: Mapping[str, Any], id_of: Callable[[str], str]) -> Task:
    with named("query"):
        query = _query(fields.get("query"))
    lists: dict[str, tuple[str, ...]] = {}
    for name in _LISTS:
        with named(name):
            ids = [id_of(given) for given in _names(fields.get(name))]
            lists[name] = tuple(dict.fromkeys(ids))
            if name == "order" and len(lists[name]) < len(ids):
                twice = next(skill_id for skill_id in ids if ids.count(skill_id) > 1)
                msg = f"{twice!r} stands there twice: it cannot come before itself."
                raise UsageError(msg)
    with named("order"):
        if len(lists["order"]) == 1:
            msg = f"{lists['order'][0]!r} stands there alone: name two at least, or put it into must_include."
            raise UsageError(msg)
    with named("must_not_include"):
        for skill_id in lists["must_not_include"]:
            if skill_id in (*lists["must_include"], *lists["order"]):
                msg = f"{skill_id!r} is asked for in the same task: take it out of one of the lists."
                raise UsageError(msg)
    return Task(line=line, query=query, **lists)


def _query(value: object) -> str:
    if not isinstance(value, str):
        msg = "it is missing." if value is None else f"it must be a text, not {value!r}."
        raise UsageError(msg)
    query = as_text(value)
    check_query(query)
    return query


def _names(value: object) -> list[str]:
    if value is None:
        return []
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        msg = f"it must be a list of ids or names, not {json.dumps(value)}."
        raise UsageError(msg)
    return names
