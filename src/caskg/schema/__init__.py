"""The frozen data that the steps of the pipeline hand to one another.

Each step has its own record, so that an unfinished edge cannot be taken for a
published one:

    parse      Skill, SkillLibrary, ResolvedReference, Diagnostic    `library`
    candidates Signal, Candidates                                    `edges`
    probe      ProbeRequest, ProbeAnswer, Label                      `probes`
               ChatRequest, ChatAnswer                               `chat`
    calibrate  Reliability                                           `edges`
    publish    SkillGraph                                            `edges`
    retrieve   Ranking, Bundle                                       `answers`

Skills are numbered by their position in ``SkillLibrary.skills``; every array
that speaks of a skill holds that number. An edge ``source -> target`` says
that the source supports the target: it comes before, feeds, or enables it.
"""

from caskg.schema.answers import Bundle, EdgeStep, RankedSkill, Ranking
from caskg.schema.arrays import BoolArray, CodeArray, FloatArray, IntArray, VectorArray
from caskg.schema.chat import ChatAnswer, ChatRequest, TokenAlternatives, estimated_tokens, json_within
from caskg.schema.edges import (
    CHANNELS,
    EDGE_STATES,
    EDGE_TYPES,
    Candidates,
    Channel,
    EdgeState,
    EdgeType,
    Reliability,
    Signal,
    SkillGraph,
)
from caskg.schema.library import (
    Artifact,
    Diagnostic,
    Parameter,
    Reference,
    ReferenceKind,
    ReferenceRole,
    ResolvedReference,
    Section,
    Severity,
    Skill,
    SkillFields,
    SkillLibrary,
)
from caskg.schema.probes import (
    PROBE_KINDS,
    Label,
    LabelSource,
    ProbeAnswer,
    ProbeKey,
    ProbeKind,
    ProbeRequest,
    Verdict,
)

__all__ = [
    "CHANNELS",
    "EDGE_STATES",
    "EDGE_TYPES",
    "PROBE_KINDS",
    "Artifact",
    "BoolArray",
    "Bundle",
    "Candidates",
    "Channel",
    "ChatAnswer",
    "ChatRequest",
    "CodeArray",
    "Diagnostic",
    "EdgeState",
    "EdgeStep",
    "EdgeType",
    "FloatArray",
    "IntArray",
    "Label",
    "LabelSource",
    "Parameter",
    "ProbeAnswer",
    "ProbeKey",
    "ProbeKind",
    "ProbeRequest",
    "RankedSkill",
    "Ranking",
    "Reference",
    "ReferenceKind",
    "ReferenceRole",
    "Reliability",
    "ResolvedReference",
    "Section",
    "Severity",
    "Signal",
    "Skill",
    "SkillFields",
    "SkillGraph",
    "SkillLibrary",
    "TokenAlternatives",
    "VectorArray",
    "Verdict",
    "estimated_tokens",
    "json_within",
]
