"""Questions about edges, answers to them, and labels."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from caskg.schema.library import Skill


class ProbeKind(StrEnum):
    """What is asked about an edge: a counterfactual probe, or one of two things beside the three."""

    REMOVAL = "removal"
    SUBSTITUTION = "substitution"
    REORDERING = "reordering"
    INTACT = "intact"  # nothing is changed: what the probes with a control are compared with
    OPINION = "opinion"  # a judge's, which refines A and is no evidence


PROBE_KINDS = (ProbeKind.REMOVAL, ProbeKind.SUBSTITUTION, ProbeKind.REORDERING)
"""The three counterfactual probes (paper, Section 3.3), in the order of their columns."""


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
        score: e in ``[0, 1]``; larger = the change hurts = more support for the edge. In an arm
            with a control it is the coherence k, see `caskg.graph.contrast`; of an opinion, how
            strongly the source supports the target.
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
