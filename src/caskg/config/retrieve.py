"""The constants of a query: seeds, diffusion, abstention, order (method, Section 7).

The defaults are those of the profile ``default``.
"""

from dataclasses import dataclass, field
from enum import StrEnum

RELEASED_REVERSE = {"dependency": 1.0, "workflow": 0.5, "semantic": 0.2, "alternative": 0.1}
"""r of the walk ``released``, by the type of the edge that is walked against (method, Section 7)."""


class Walk(StrEnum):
    """Which way relevance walks along ``i -> j`` (method, Section 7)."""

    FORWARD = "forward"  # M_uv = w_uv
    RELEASED = "released"  # M_uv = w_uv + r w_vu, r by the type of v -> u
    BACKWARD = "backward"  # M_uv = w_vu
    BOTH = "both"  # M_uv = w_vu + f w_uv, f by the state of u -> v


class Fusion(StrEnum):
    """How lexical and semantic rankings become one."""

    RRF = "rrf"  # sum of 1 / (60 + rank)
    ZSUM = "zsum"  # sum of standardised scores


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedConfig:
    """How a task text becomes seeds (method, Section 7).

    Attributes:
        fusion: How the rankings become one.
        lexical: Most lexical candidates, at least 1.
        semantic: Most semantic candidates, at least 1.
        count: K, seeds that receive mass, at least 1.
        whole_file: Fuse a third ranking, lexical over whole files.
        shared_vote: Both lexical rankings count half, so that words have one vote and
            meanings one.
        by_score: A seed's mass is 1/rank times its fused score beside the best; else 1/rank.
    """

    fusion: Fusion = Fusion.ZSUM
    lexical: int = 20
    semantic: int = 20
    count: int = 20
    whole_file: bool = True
    shared_vote: bool = True
    by_score: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffusionConfig:
    """How relevance walks (method, Section 7).

    Attributes:
        walk: Which way.
        restart: gamma, the probability of going back to the seeds, in (0, 1].
        forward_weight: f of the walk ``both``, in [0, 1]: of what is a guess, the direction is one too.
        forward_confirmed: f of confirmed edges there, in [0, 1].
        alternative_weight: Factor on edges of type alternative, in [0, 1].
        sure_weight: m, the w at which an edge is sure, by state (in the order of ``EDGE_STATES``), > 0.
        sharpness: s: an edge carries w min(w / m, 1)^(s - 1); at least 1, where it carries w.
        leak_below: kappa: a row whose weights sum to less loses the rest to the seeds; > 0;
            None = no row does for that, which cancels rho.
        openness: o: a row hands on as large a share as its strongest entry is of a sure one, to this power;
            >= 0; 0 = all.
        tolerance: L1 change at which the iteration ends, > 0.
    """

    walk: Walk = Walk.BOTH
    restart: float = 0.5
    forward_weight: float = 0.1
    forward_confirmed: float = 1.0
    alternative_weight: float = 0.0
    sure_weight: tuple[float, ...] = (0.9, 0.495, 0.9, 0.162)  # .9 rho; rejected edges are never published
    sharpness: float = 2.0
    leak_below: float | None = 0.15
    openness: float = 0.75
    tolerance: float = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieveConfig:
    """Everything that decides what a query returns from one published graph.

    Attributes:
        seeds: How the task becomes seeds.
        diffusion: How relevance walks from them.
        min_sufficiency: Sufficiency below which nothing is returned, in [0, 1]; 0 = always return.
        rare_words: BM25 score of the best skill, in units of the idf of a word that no skill
            has, at which the words alone are evidence of 1/2, where the encoder knows
            meanings; > 0.
        rare_words_alone: The same where it does not, and words are all there is; > 0.
        prerequisites_first: Order the bundle so that prerequisites come first.
    """

    seeds: SeedConfig = field(default_factory=SeedConfig)
    diffusion: DiffusionConfig = field(default_factory=DiffusionConfig)
    min_sufficiency: float = 0.33
    rare_words: float = 1.5
    rare_words_alone: float = 0.75
    prerequisites_first: bool = True
