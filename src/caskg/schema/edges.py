"""Edges at each stage: candidate, assessed, published. Each has its own record."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from caskg.schema.arrays import BoolArray, CodeArray, FloatArray, IntArray


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
    ARTIFACT = "artifact"
    ORDER = "order"
    MEANING = "meaning"
    READY = "ready"
    PROVIDER = "provider"


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
