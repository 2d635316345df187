"""Skills, what their documents state, and how they mention one another."""

from dataclasses import dataclass
from enum import StrEnum


class ReferenceKind(StrEnum):
    """How a document mentions another skill."""

    DECLARED = "declared"  # metadata entry `caskg-requires`: the author's label
    LINK = "link"  # a Markdown link or a relative path
    NAME = "name"  # the name of the skill, in the text
    CONTRAST = "contrast"  # "not for X, use Y": never a need


class ReferenceRole(StrEnum):
    """What a mention says of the order of the two skills."""

    MENTION = "mention"  # nothing
    NEED = "need"  # the other one comes before: "run x first"
    USE = "use"  # its own steps call for the other one: "make the chart with x"
    NEXT = "next"  # the other one comes after: "then run x"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A mention of another skill, as written.

    Attributes:
        target: The path, folder name or skill name as it stands in the document.
        kind: How it is mentioned.
        evidence: The sentence it stands in, at most 300 characters.
        role: What it says of the order.
    """

    target: str
    kind: ReferenceKind
    evidence: str
    role: ReferenceRole = ReferenceRole.MENTION


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One input or output. ``type`` and ``description`` are None where the document is silent."""

    name: str
    type: str | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """A file that a skill writes or reads.

    Attributes:
        path: In lower case, ``/``-separated, ``*`` for what differs from run to run.
        evidence: The line it stands in, at most 300 characters.
    """

    path: str
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillFields:
    """What a document states about a skill. A field it does not state is None, never empty."""

    inputs: tuple[Parameter, ...] | None = None
    outputs: tuple[Parameter, ...] | None = None
    preconditions: tuple[str, ...] | None = None
    effects: tuple[str, ...] | None = None
    recovery: tuple[str, ...] | None = None
    writes: tuple[Artifact, ...] | None = None
    reads: tuple[Artifact, ...] | None = None
    tools: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
    references: tuple[Reference, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading and the text up to the next heading of any level.

    The text before the first heading is a section with an empty title and level 0.
    """

    title: str
    level: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """One SKILL.md as data.

    Attributes:
        id: Stable identifier: the folder's path below its library root, ``/``-separated.
        name: The ``name`` of the front matter, else the folder's name.
        description: The ``description`` of the front matter, else the first paragraph; may be empty.
        body: The Markdown after the front matter.
        sections: The body cut at its headings.
        fields: What the document states.
        content_hash: Hash of everything above but ``id``; equal texts have equal hashes.
        path: Where the file was read, for people; never an input of the method.
    """

    id: str
    name: str
    description: str
    body: str
    sections: tuple[Section, ...]
    fields: SkillFields
    content_hash: str
    path: str


class Severity(StrEnum):
    """How bad a diagnostic is. Only an ``error`` keeps a file out of the library."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """A finding about one file: what, where, and what to do about it."""

    path: str
    code: str
    severity: Severity
    message: str
    remedy: str
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillLibrary:
    """The skills of one or more folders, sorted by id, and what was found on the way."""

    skills: tuple[Skill, ...]
    diagnostics: tuple[Diagnostic, ...] = ()

    def __len__(self) -> int:
        return len(self.skills)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedReference:
    """A reference whose skill was found, as the edge it speaks for: *source* supports *target*.

    The document of *target* mentions *source*, but where the role is ``NEXT``:
    there the document of *source* says that *target* comes after it.
    """

    source: int
    target: int
    kind: ReferenceKind
    evidence: str
    role: ReferenceRole = ReferenceRole.MENTION
