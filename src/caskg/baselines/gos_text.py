"""What Graph-of-Skills reads of a skill and of a task, and how it compares words.

Restates the published algorithm (benchmarks: GoS) on our `Skill`. Texts are compared by
*signatures*: the words of a value without the names of data types, and the whole value as
one long word, which only an equal value shares.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache

import numpy as np

from caskg.schema import FloatArray, IntArray, Parameter, Skill

SNIPPET_CHARS = 900
"""How much of a document its embedding and its lexical hits see."""

_SHORTEST = 3
_TASK_WORDS, _TASK_CHARS = 8, 80
_STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a an and any arg args array bool boolean data dict file float for from in input int json list "
        "object of on or output path record result set str string text the to value",
    )
)
_INPUTS = ("Inputs", "Input", "Requirements", "Arguments")
_OUTPUTS = ("Outputs", "Output", "Returns", "Results")
_TAGS = ("Domain", "Domains", "Tags", "Category")
_TOOLS = ("Tools", "Tooling", "Libraries", "Dependencies")
_EXAMPLES = ("Examples", "Example Tasks", "Use When", "Use Cases")

_WORD = re.compile(r"[a-z0-9]+")
_OTHER = re.compile(r"[^a-z0-9]+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s")
_FILE = re.compile(r"[\w./-]+\.(?:py|md|json|csv|stl|dot|txt|ya?ml|bib|pptx|xlsx|docx)", re.ASCII)
_BULLET = re.compile(r"^\s*[-*+]\s+(.*)$", re.MULTILINE)
_HEADING = re.compile(r"^\s*#{1,6}\s+", re.MULTILINE)


class Field(IntEnum):
    """The fields that a task is compared with; the columns of `FieldIndex.counts`."""

    NAME = 0
    TAGS = 1
    TOOLS = 2
    ABOUT = 3  # the description, and its first sentence
    EXAMPLES = 4
    IO = 5
    ANY = 6  # all of them, and the beginning of the document


@dataclass(frozen=True, slots=True, kw_only=True)
class GosSkill:
    """A skill as Graph-of-Skills sees it; what a document does not state is empty there."""

    name: str
    description: str
    capability: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    tags: tuple[str, ...]
    tools: tuple[str, ...]
    examples: tuple[str, ...]
    snippet: str

    @property
    def values(self) -> dict[Field, tuple[str, ...]]:
        """The texts of each field."""
        one_by_one = {
            Field.NAME: (self.name,),
            Field.TAGS: self.tags,
            Field.TOOLS: self.tools,
            Field.ABOUT: (self.capability, self.description),
            Field.EXAMPLES: self.examples,
            Field.IO: (*self.inputs, *self.outputs),
        }
        return {
            **one_by_one,
            Field.ANY: (*(text for field in one_by_one.values() for text in field), self.snippet),
        }

    @property
    def embedded(self) -> str:
        """The text that its vector is made of."""
        parts = {
            "Skill": self.name,
            "DESCRIPTION": self.description,
            "CAPABILITY": self.capability,
            "INPUTS": "\n".join(self.inputs),
            "OUTPUTS": "\n".join(self.outputs),
            "DOMAIN_TAGS": "\n".join(self.tags),
            "TOOLING": "\n".join(self.tools),
            "EXAMPLE_TASKS": "\n".join(self.examples),
            "ALLOWED_TOOLS": "\n".join(self.tools),
            "SNIPPET": self.snippet,
        }
        return "\n".join(f"[{label}] {text}" for label, text in parts.items() if text)


def read_skill(skill: Skill) -> GosSkill:
    """Return what Graph-of-Skills reads of *skill*, without a language model.

    It reads inputs and outputs from the sections so titled and no others; only a skill without
    any body has those of its fields, which may come from another source than a document. Its
    field of scripts stays out: the files beside a document are no part of a `Skill`.
    """
    fields, body = skill.fields, skill.body
    inputs, outputs = (_section(body, titles) for titles in (_INPUTS, _OUTPUTS))
    if not body.strip():
        inputs, outputs = _names(fields.inputs), _names(fields.outputs)
    tools = fields.tools or ()
    allowed = f"Allowed tools: {', '.join(tools)}" if tools else ""
    parts = (f"# {skill.name}", skill.description, allowed, body)
    return GosSkill(
        name=skill.name,
        description=skill.description,
        capability=_SENTENCE_END.split(compact(skill.description), maxsplit=1)[0],
        inputs=inputs,
        outputs=outputs,
        tags=_distinct([*(fields.tags or ()), *_section(body, _TAGS)]),
        tools=_distinct([*tools, *_section(body, _TOOLS)]),
        examples=_distinct(_section(body, _EXAMPLES)),
        snippet=_clipped(compact("\n\n".join(part for part in parts if part))),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class GosQuery:
    """A task as Graph-of-Skills reads it.

    Attributes:
        tokens: Its signature.
        lines: The task, the files it names, its words in order, and a slug of it.
    """

    tokens: frozenset[str]
    lines: tuple[str, ...]

    @classmethod
    def of(cls, query: str) -> "GosQuery":
        """Read a task without a language model.

        >>> sorted(GosQuery.of("Plot sales.csv").tokens)
        ['csv', 'plot', 'plot_sales_csv', 'sale', 'sales_csv']
        """
        goal = " ".join(query.split())
        files = list(dict.fromkeys(_FILE.findall(goal)))
        slug = "-".join(_WORD.findall(goal.lower())[:_TASK_WORDS])[:_TASK_CHARS]
        words = sorted(signature([goal, *files]))
        return cls(tokens=signature([goal, *files, slug]), lines=(goal, *files, *words, slug))

    @property
    def embedded(self) -> str:
        """The text that its vector is made of."""
        return "\n".join(line for line in self.lines if line)


def plain_name(name: str) -> str:
    """Return a name as it would stand in a task.

    >>> plain_name("SQL-injection testing!")
    'sql injection testing'
    """
    return _OTHER.sub(" ", name.lower()).strip()


def signature(values: Iterable[str]) -> frozenset[str]:
    """Return the words of *values*, without a final s, and each whole value as one word.

    >>> sorted(signature(["Sales Data"]))
    ['sale', 'sales_data']
    """
    tokens: set[str] = set()
    for value in values:
        lowered = value.lower()
        tokens.add(whole(value))
        words = (word.rstrip("s") for word in _WORD.findall(lowered))
        tokens.update(word for word in words if len(word) >= _SHORTEST and word not in _STOP_WORDS)
    return frozenset(tokens - {""})


def whole(value: str) -> str:
    """Return a value as one word.

    >>> whole(" Sales (2024)! ")
    'sales_2024'
    """
    return _OTHER.sub("_", value.lower()).strip("_")


def compact(text: str) -> str:
    """Return *text* with single spaces and at most one empty line in a row."""
    text = re.sub(r"\n{3,}", "\n\n", re.sub(r"\r\n?", "\n", text))
    return re.sub(r"[ \t]+", " ", text).strip()


class FieldIndex:
    """Which skills hold a token, in which field: counts what token sets share, for all skills at once."""

    def __init__(self, skills: Sequence[GosSkill]) -> None:
        """Index the signature of each field of *skills*."""
        self.signatures = [
            {field: signature(values) for field, values in skill.values.items()} for skill in skills
        ]
        self.sizes: IntArray = np.array(
            [[len(fields[field]) for field in Field] for fields in self.signatures], dtype=np.int64
        ).reshape(-1, len(Field))
        postings: dict[str, list[int]] = {}
        for row, fields in enumerate(self.signatures):
            for field, tokens in fields.items():
                for token in tokens:
                    postings.setdefault(token, []).append(row * len(Field) + field)
        self._postings: Mapping[str, IntArray] = {
            token: np.array(cells, dtype=np.int64) for token, cells in postings.items()
        }

    def counts(self, tokens: Iterable[str]) -> FloatArray:
        """Return how many of the distinct *tokens* each field holds, shape ``(n_skills, len(Field))``."""
        found = [self._postings[token] for token in tokens if token in self._postings]
        cells = np.concatenate(found) if found else np.zeros(0, dtype=np.int64)
        sums = np.bincount(cells, minlength=self.sizes.size).astype(np.float64)
        return sums.reshape(self.sizes.shape)


def _names(stated: Sequence[Parameter] | None) -> tuple[str, ...]:
    return tuple(parameter.name for parameter in stated or ())


def _section(body: str, titles: Sequence[str]) -> tuple[str, ...]:
    r"""Return the entries of the first section so titled: its bullets, else its lines.

    As published, a comment in a code block looks like a heading too.

    >>> _section("# Inputs\n- a table\n- a date\n## Next\n- no", ("Inputs",))
    ('a table', 'a date')
    """
    found = _titled(titles).search(body)
    if not found:
        return ()
    end = _HEADING.search(body, found.end())
    text = body[found.end() : end.start() if end else None]
    entries = _BULLET.findall(text) or text.splitlines()
    return tuple(entry.strip() for entry in entries if entry.strip())


@cache
def _titled(titles: Sequence[str]) -> re.Pattern[str]:
    return re.compile(rf"^\s*#{{1,6}}\s*(?:{'|'.join(titles)})\s*$\n", re.IGNORECASE | re.MULTILINE)


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    """Return the first of values that differ only in capitals and spaces; no empty one."""
    first: dict[str, str] = {}
    for value in map(compact, values):
        first.setdefault(value.lower(), value)
    return tuple(value for value in first.values() if value)


def _clipped(text: str) -> str:
    return text if len(text) <= SNIPPET_CHARS else text[: SNIPPET_CHARS - 3].rstrip() + "..."
