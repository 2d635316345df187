"""The frozen data that the steps of the pipeline hand to one another.

Each step has its own record, so that an unfinished edge cannot be taken for a
published one:

    library    Skill, SkillLibrary, ResolvedReference, Diagnostic
    candidates Signal, Candidates
    probes     ProbeRequest, ProbeAnswer, Label
    calibrate  Reliability
    publish    SkillGraph
    retrieve   Ranking, Bundle

Skills are numbered by their position in ``SkillLibrary.skills``; every array
that speaks of a skill holds that number. An edge ``source -> target`` says
that the source supports the target: it comes before, feeds, or enables it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
VectorArray = NDArray[np.float32]
IntArray = NDArray[np.int64]
CodeArray = NDArray[np.int8]
BoolArray = NDArray[np.bool_]


# ---------------------------------------------------------------- library


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
class SkillFields:
    """What a document states about a skill. A field it does not state is None, never empty."""

    inputs: tuple[Parameter, ...] | None = None
    outputs: tuple[Parameter, ...] | None = None
    preconditions: tuple[str, ...] | None = None
    effects: tuple[str, ...] | None = None
    recovery: tuple[str, ...] | None = None
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


# ---------------------------------------------------------------- candidates


class EdgeType(StrEnum):
    """What an edge means. Arrays hold the position in this order."""

    DEPENDENCY = "dependency"
    WORKFLOW = "workflow"
    SEMANTIC = "semantic"
    ALTERNATIVE = "alternative"


EDGE_TYPES: tuple[EdgeType, ...] = tuple(EdgeType)


class Channel(StrEnum):
    """A recall channel: where a candidate came from. Bit k of ``Candidates.channels`` is member k."""

    STRUCTURAL = "structural"
    IO = "io"
    SEMANTIC = "semantic"
    LEXICAL = "lexical"
    REFERENCE = "reference"
    ENABLER = "enabler"
    LABEL = "label"


CHANNELS: tuple[Channel, ...] = tuple(Channel)


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """One signal phi_k over a list of pairs.

    Attributes:
        value: Shape ``(n_pairs,)``, in ``[0, 1]``; meaningless where not active.
        active: Shape ``(n_pairs,)``. A signal whose fields are absent is not active
            and never counts as 0.
    """

    value: FloatArray
    active: BoolArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """The candidate graph C: directed pairs, sorted by (source, target), unique, without loops.

    Attributes:
        n_skills: Number of skills N.
        source: Shape ``(n_edges,)``.
        target: Shape ``(n_edges,)``.
        association: A_ij, shape ``(n_edges,)``, in ``[0, 1]``.
        types: Positions in ``EDGE_TYPES``, shape ``(n_edges,)``.
        channels: Bit set over ``CHANNELS``, shape ``(n_edges,)``.
        signals: Each signal over these edges, by its name in ``SignalWeights``.
    """

    n_skills: int
    source: IntArray
    target: IntArray
    association: FloatArray
    types: CodeArray
    channels: IntArray
    signals: Mapping[str, Signal] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.source)


# ---------------------------------------------------------------- probes


class ProbeKind(StrEnum):
    """The three counterfactual probes (paper, Section 3.3)."""

    REMOVAL = "removal"
    SUBSTITUTION = "substitution"
    REORDERING = "reordering"


PROBE_KINDS: tuple[ProbeKind, ...] = tuple(ProbeKind)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeRequest:
    """One question about one edge. A prober answers from these texts alone.

    Attributes:
        source: The skill i of the edge i -> j.
        target: The skill j.
        kind: Which of the three probes.
        substitute: The skill put in place of *source*; only for a substitution.
        arm: Which variant of the question, for probers that ask several.
    """

    source: Skill
    target: Skill
    kind: ProbeKind
    substitute: Skill | None = None
    arm: str = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeAnswer:
    """What a prober says: a score, or why there is none.

    Attributes:
        score: e in ``[0, 1]``; larger = the change hurts = more support for the edge.
            None = missing: the call failed, the answer was unreadable, or "cannot tell".
        missing_reason: One sentence; set exactly when *score* is None.
        source_id: Whose opinion this is. Answers of one source are one opinion.
        calls: How many paid calls it took, 0 for a local prober.
        tokens: How many tokens they took, in and out.
        transcript: The raw answer, for people; None where there was none.
    """

    score: float | None
    source_id: str
    missing_reason: str | None = None
    calls: int = 0
    tokens: int = 0
    transcript: str | None = None


class ProbeKey(NamedTuple):
    """Under what an answer is kept: everything that could change it, and nothing else."""

    source_hash: str
    target_hash: str
    substitute_hash: str
    kind: ProbeKind
    arm: str
    prompt_version: str
    prober_id: str


class Verdict(StrEnum):
    """What a label says of an edge."""

    CONFIRM = "confirm"
    REJECT = "reject"


class LabelSource(StrEnum):
    """Who gave a label; a person's goes before an author's."""

    PERSON = "person"
    AUTHOR = "author"


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A verdict on an edge, keyed by skill ids, with the hashes it was given on.

    A label whose hashes no longer match is "to check", never dropped.
    """

    source: str
    target: str
    verdict: Verdict
    given_by: LabelSource
    source_hash: str
    target_hash: str
    note: str = ""


# ---------------------------------------------------------------- calibrate, publish


class EdgeState(StrEnum):
    """The state of an edge (paper, Section 3.4). Arrays hold the position in this order."""

    CONFIRMED = "confirmed"
    UNCERTAIN = "uncertain"
    REJECTED = "rejected"
    UNVALIDATED = "unvalidated"


EDGE_STATES: tuple[EdgeState, ...] = tuple(EdgeState)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliability:
    """What the evidence says of each candidate edge.

    Attributes:
        support: alpha - 1, the mass for the edge, shape ``(n_edges,)``, >= 0.
        against: beta - 1, the mass against it, shape ``(n_edges,)``, >= 0.
        value: c = alpha / (alpha + beta), in ``(0, 1)``; 0.5 where there is no mass.
        states: Positions in ``EDGE_STATES``, shape ``(n_edges,)``.
        text_only: True where the text prober is the only source of evidence.
    """

    support: FloatArray
    against: FloatArray
    value: FloatArray
    states: CodeArray
    text_only: BoolArray


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillGraph:
    """The published graph G_pub: edges of positive weight, sorted by (source, target).

    Attributes:
        n_skills: Number of skills N.
        source: Shape ``(n_edges,)``.
        target: Shape ``(n_edges,)``.
        weight: w_pub, in ``(0, 1]``.
        association: A, in ``[0, 1]``.
        reliability: c, in ``(0, 1)``.
        types: Positions in ``EDGE_TYPES``.
        states: Positions in ``EDGE_STATES``; never rejected.
    """

    n_skills: int
    source: IntArray
    target: IntArray
    weight: FloatArray
    association: FloatArray
    reliability: FloatArray
    types: CodeArray
    states: CodeArray

    def __len__(self) -> int:
        return len(self.source)


# ---------------------------------------------------------------- retrieve


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeStep:
    """One published edge on the way relevance took, from *source* to *target* as the edge points."""

    source: str
    target: str
    type: EdgeType
    state: EdgeState
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedSkill:
    """A skill of the result, and why it is there.

    Attributes:
        skill: The skill.
        score: Its share of the diffused relevance, >= 0; comparable within one ranking only.
        lexical_rank: Its rank among the lexical seeds, from 1; None when it was none.
        semantic_rank: Likewise among the semantic seeds.
        exact_name: The task names it.
        path: The edges that brought it in from a seed, seed first; empty for a seed.
    """

    skill: Skill
    score: float
    lexical_rank: int | None = None
    semantic_rank: int | None = None
    exact_name: bool = False
    path: tuple[EdgeStep, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """The answer to a query: skills in the order to use them, or none and a hint.

    Attributes:
        query: The task text.
        skills: Prerequisites first; empty when the retriever abstained.
        sufficiency: How well the library seems to cover the task, in ``[0, 1]``.
        abstained: Nothing fits.
        hint: What to do when nothing fits, else empty.
        method: Which retriever answered.
    """

    query: str
    skills: Sequence[RankedSkill]
    sufficiency: float
    abstained: bool
    hint: str = ""
    method: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """A ranking as one text.

    Attributes:
        text: What the agent reads; at most ``max_chars`` characters.
        included: Ids whose body (perhaps trimmed) is in the text, in order.
        trimmed: Ids of those that were cut.
        left_out: Ids that did not fit with their body.
    """

    text: str
    included: tuple[str, ...]
    trimmed: tuple[str, ...]
    left_out: tuple[str, ...]
