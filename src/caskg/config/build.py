"""The constants of a build: signals to publication (method, Sections 2 to 6).

The defaults are those of the profile ``default``.
"""

from dataclasses import dataclass, field
from enum import StrEnum

IO_CONTAINED = 0.85
"""phi_io where the tokens of one parameter's name contain the other's (method, Section 8)."""

MENTIONED = 0.50
"""What a mention that says nothing of the order is worth, where one that does is worth 1."""

IO_SHARED = 0.50
"""Least phi_io where two parameter names share a token (method, Section 8)."""


class Profile(StrEnum):
    """A named set of constants."""

    PAPER = "paper"
    DEFAULT = "default"


class Bound(StrEnum):
    """Which end of an edge the candidate bounds count at."""

    SOURCE = "source"
    TARGET = "target"


class FrontierPolicy(StrEnum):
    """In which order a paid prober is asked about the candidates (method, Section 3)."""

    ASSOCIATION = "association"  # the highest A first, as in the paper
    RANDOM = "random"  # a control
    CHANGE = "change"  # the greatest expected change of what retrieval returns
    ENABLERS = "enablers"  # what gives a state or value that many presuppose first
    COVERAGE = "coverage"  # the best edge into each skill, then the second best into each


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalWeights:
    """lambda_k, the weight of each signal in the association; >= 0. A weight of 0 switches it off."""

    semantic: float = 0.25
    lexical: float = 0.10
    io: float = 0.25
    structural: float = 0.20
    judge: float = 0.10
    repair: float = 0.10
    reference: float = 0.25
    enabler: float = 0.10
    meaning: float = 0.25
    ready: float = 0.10
    provider: float = 0.75


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalConfig:
    """The constants inside the signals and the association (method, Section 2 and 8).

    Attributes:
        weights: lambda_k.
        strong_pair: phi_str of a strong role pair, in [0, 1].
        support_pair: phi_str of a support role pair, in [0, 1].
        structural_threshold: tau_str, in [0, 1].
        structural_boost: eta_str, in [0, 1].
        reference_boost: eta_ref, in [0, 1]; 0 = a reference counts by its lambda alone.
        provider_boost: eta_prov, in [0, 1]: likewise for the share of an input, and for who is ready.
        affinity_floor: Affinity below which the structural signal is 0, in [0, 1].
        judge_threshold: Preliminary A~ above which a judge is asked, in [0, 1].
        names_in_text: Whether a skill's name is part of the texts that signals compare.
        family_size: Fewest names that must begin with a word before it is left out of these texts.
        family_share: Least share of all names that must, in [0, 1].
        repair_tokens: Fewest tokens of something a skill gives that a recovery must repeat to name it.
        names_as_outputs: Where a skill states no outputs, its name without the verb counts as one
            for I/O, where it matches; where it does not, I/O stays inactive.
        stated_orders: Two skills that a third document calls for one after the other follow each other.
        files_as_outputs: A file that one body says it writes and another that it reads is I/O.
        meaning_floor: Closeness, above what is usual, of what is given and taken, above which the signal
            is active, in [0, 2].
        meaning_reverse: How much the other direction counts against this one, >= 0.
        meaning_middle: Closeness, less the reverse, of which the signal makes 1/2.
        meaning_width: How far from it the signal is .73 or .27, > 0.
        silence_means_none: Share of skills that must state inputs for silence to mean that a skill takes
            nothing, and for skills to compete for inputs, in [0, 1].
        provider_taken: How much it counts against a skill's giving an input that it takes alike; >= 0.
        provider_closeness: Closeness below which a skill gives nothing of an input, in [-1, 1].
        provider_nobody: Closeness, above what is usual, at which an input is as well given by nobody.
        provider_width: By how much closer a skill must come to have e times the share of another, > 0.
    """

    weights: SignalWeights = field(default_factory=SignalWeights)
    strong_pair: float = 0.78
    support_pair: float = 0.68
    structural_threshold: float = 0.65
    structural_boost: float = 0.70
    reference_boost: float = 0.90
    provider_boost: float = 0.90
    affinity_floor: float = 0.28
    judge_threshold: float = 0.40
    names_in_text: bool = True
    family_size: int = 8
    family_share: float = 0.20
    repair_tokens: int = 2
    names_as_outputs: bool = True
    stated_orders: bool = True
    files_as_outputs: bool = True
    meaning_floor: float = 0.05
    meaning_reverse: float = 0.50
    meaning_middle: float = 0.20
    meaning_width: float = 0.15
    silence_means_none: float = 0.50
    provider_taken: float = 0.50
    provider_closeness: float = 0.50
    provider_nobody: float = 0.20
    provider_width: float = 0.04


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallConfig:
    """How many candidates each channel may bring, per skill at the bounded end.

    Attributes:
        bound: Whether the counts hold per source (paper) or per target.
        lexical: Most lexical candidates; each above ``lexical_floor``.
        lexical_floor: Jaccard, in [0, 1].
        io: Most I/O candidates.
        structural: Most structural candidates.
        verification: Most structural candidates that lead into verification.
        semantic: Most semantic candidates; each at least ``semantic_floor``.
        semantic_floor: Cosine, in [0, 1].
        enabler: Most enabler candidates.
        meaning: Most candidates by the meaning of what is given and taken.
        meaning_likeness: How much the likeness of two texts counts beside it, >= 0.
        provider: Most candidates by their share of an input.
        ready: Most candidates that take nothing and obtain something.
        total: Most candidates in all; references, labels and who is ready are never cut.
        library_wide: *total* counts for the library, times its skills, so that those of which much is
            known get more; False: for each skill.
        io_by_likeness: Rank I/O candidates by their match times the likeness of the two texts,
            because generic parameter names match everywhere; False ranks by the match alone.
        by_association: Cut the least associated; False cuts in the paper's order: structural,
            I/O, semantic, lexical, affinity.
    """

    bound: Bound = Bound.TARGET
    lexical: int = 16
    lexical_floor: float = 0.05
    io: int = 12
    structural: int = 4
    verification: int = 6
    semantic: int = 16
    semantic_floor: float = 0.30
    enabler: int = 4
    meaning: int = 60
    meaning_likeness: float = 0.60
    provider: int = 24
    ready: int = 24
    total: int = 60
    library_wide: bool = True
    io_by_likeness: bool = True
    by_association: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeTypeConfig:
    """Thresholds of the edge types, first match first (method, Section 2); each in [0, 1].

    Attributes:
        io: I/O above this is a dependency.
        enabler: An enabler signal above this is a dependency.
        information: What I/O and enablers must tell besides, see `information_signal`; 0 = nothing.
        covered: Which share of a need what is given must cover to tell anything.
        likeness: Cosine below which the two texts must match with information 1.
        reference: A reference signal above this is a dependency; a mention without an order is not.
        provider: A share of an input above this is a dependency: more than all others have together.
        judge: A judge's opinion above this is a dependency.
        structural: A structural signal above this is a workflow edge.
        alternative: A cosine above this is an alternative.
        alternative_first: Near duplicates are alternatives even where I/O or roles match,
            and a contrast ("not for X, use Y") never makes a dependency or an alternative.
    """

    io: float = 0.60
    enabler: float = 0.60
    information: float = 0.70
    covered: float = 0.60
    likeness: float = 0.40
    reference: float = 0.50
    provider: float = 0.50
    judge: float = 0.50
    structural: float = 0.65
    alternative: float = 0.85
    alternative_first: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierConfig:
    """Which candidates the budget is spent on (method, Section 3).

    Attributes:
        budget: B, in edges; None = ``small_budget`` for at most ``small_library`` skills, else as
            many as there are skills.
        small_budget: B of a small library, in edges.
        small_library: Most skills of a small library.
        probe_all: Ask the free text prober about all of C; F is then the paid prober's.
        sure: Share of an input above which ``coverage`` asks about an edge last, in [0, 1].
        policy: The order in which F is filled where it is the paid prober's; otherwise it is the top B by A.
        seed: Decides the order of the policy ``random``.
    """

    budget: int | None = None
    small_budget: int = 500
    small_library: int = 1000
    probe_all: bool = True
    policy: FrontierPolicy = FrontierPolicy.COVERAGE
    sure: float = 0.80
    seed: int = 0


class Reading(StrEnum):
    """How the answers of a language model on an edge become masses."""

    COUNTED = "counted"  # the mean of what they say
    MODELLED = "modelled"  # what the answer model of its judge check makes of them, where there is one


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceConfig:
    """How answers become reliability (method, Section 5).

    Attributes:
        mass_floor: eps_e, least mass of an answer, in (0, 1].
        threshold: tau_c, in (0.5, 1].
        by_source: Weigh answers by source and split the floor mass at exactly 1/2;
            False counts every answer as 1, as the paper does.
        text_units: U of the text prober, in (0, 3].
        llm_units: U of a language model asked in separate prompts, in (0, 3].
        label_reliability: c of a confirming label; a rejecting one has 1 minus this.
        label_mass: Mass of a label.
        reading: How the answers of language models are read; `MODELLED` after adaptive probing.
    """

    mass_floor: float = 0.10
    threshold: float = 0.70
    by_source: bool = True
    text_units: float = 1.0
    llm_units: float = 3.0
    label_reliability: float = 0.80
    label_mass: float = 3.0
    reading: Reading = Reading.COUNTED


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifierConfig:
    """How a small model learns from assessed edges, and when it is trusted.

    Attributes:
        folds: Parts that the targets are dealt into, at least 2.
        ridge: Weight of the squared coefficients in the loss, > 0.
        min_each: Fewest confirmed and fewest rejected edges it learns from, at least 1.
        max_error: Largest held-out calibration error (ECE) at which it is used, in [0, 1].
        min_skill: Least held-out skill over the base rate at which it is used: 1 is perfect, 0 is
            no better than the base rate.
        deviations: How many standard deviations below its score the lower credible bound lies,
            >= 0; 0.5 leaves 31 % below.
        enabled: Learn at all.
    """

    folds: int = 5
    ridge: float = 1.0
    min_each: int = 20
    max_error: float = 0.10
    min_skill: float = 0.40
    deviations: float = 0.5
    enabled: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationConfig:
    """How states and scores become weights (method, Section 6).

    Attributes:
        uncertain: rho of an uncertain edge, in [0, 1].
        scaffold: rho of an unvalidated edge chosen as scaffold, in [0, 1].
        min_weight: eps_w, in (0, 1].
        blend_mass: h = mass / (mass + blend_mass), b = (1 - h) A + h c; None: b = max(A, c).
        scaffold_in: Most scaffold edges into a skill; in ``default`` also the bound of
            edges that the text prober alone assessed.
        scaffold_out: Most scaffold edges out of a skill; None = no bound.
        scaffold_total: Most scaffold edges in all, per skill; None = no bound.
        bound_text_only: Edges assessed by the text prober alone pass through the same bound.
        bound_mentioned: Dependencies between skills of which one document mentions the other among them
            too; False = what a document says that it needs is not cut because it needs much.
        alternatives_apart: Alternatives have scaffold slots of their own and do not count as
            an edge that a skill already has; False = an edge like any other, as in the paper.
    """

    uncertain: float = 0.55
    scaffold: float = 0.18
    min_weight: float = 0.01
    blend_mass: float | None = 2.0
    scaffold_in: int = 8
    scaffold_out: int | None = None
    scaffold_total: int | None = None
    bound_text_only: bool = True
    bound_mentioned: bool = False
    alternatives_apart: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildConfig:
    """Everything that decides what a build publishes."""

    profile: Profile = Profile.DEFAULT
    signals: SignalConfig = field(default_factory=SignalConfig)
    recall: RecallConfig = field(default_factory=RecallConfig)
    types: EdgeTypeConfig = field(default_factory=EdgeTypeConfig)
    frontier: FrontierConfig = field(default_factory=FrontierConfig)
    evidence: EvidenceConfig = field(default_factory=EvidenceConfig)
    verifier: VerifierConfig = field(default_factory=VerifierConfig)
    publication: PublicationConfig = field(default_factory=PublicationConfig)
