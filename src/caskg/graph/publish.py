"""Reliabilities and states -> published weights and the scaffold (method, Section 6).

The last offline step, after `calibrate`; its value is frozen and retrieved from.

    b = max(A, c^) as in the paper, c^ = c where there is evidence, else 0
    b = (1 - h) A + h c with h = mass / (mass + blend_mass) in ours, so that a
        low c lowers a weight, which max(A, c^) never does
    rho = 1 confirmed | .55 uncertain | 0 rejected | .18 scaffold | 0 other unvalidated
    w = [rho > 0] min(1, max(min_weight, rho b))

**Scaffold.** A bounded set of unvalidated edges that keeps skills reachable.
Candidates stand in the order of type, b (high first), ``tie_break``
of the source, ``tie_break`` of the target, position, and are gone through
twice: first each that gives one of its two skills its first published edge,
then all others. An edge is taken while its target, its source and the library
have a slot left.

**Edges of the text prober alone** (``bound_text_only``) take the slots of their
target first, by b; those that find none are not published. So never more than
``scaffold_in`` edges into a skill rest on the free prober or on nothing, but for dependencies
that a document states by name (``bound_mentioned``), which need no slot.

**Verified edges.** Where a verifier is used, its lower credible bound l decides on an edge that nobody
assessed as far as the verifier is trusted: ``b <- (1 - t) b + t l``.

**Alternatives** (``alternatives_apart``) have slots of their own and do not
count as an edge that a skill already has: no relevance walks along them.
"""

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from caskg.config import PublicationConfig
from caskg.graph.recall import channel_bit
from caskg.schema import (
    EDGE_STATES,
    EDGE_TYPES,
    BoolArray,
    Candidates,
    Channel,
    EdgeState,
    EdgeType,
    FloatArray,
    IntArray,
    Reliability,
    SkillGraph,
)

_DEPENDENCY = EDGE_TYPES.index(EdgeType.DEPENDENCY)
_ALTERNATIVE = EDGE_TYPES.index(EdgeType.ALTERNATIVE)
_CONFIRMED, _UNVALIDATED = map(EDGE_STATES.index, (EdgeState.CONFIRMED, EdgeState.UNVALIDATED))


class Verified(NamedTuple):
    """What was learnt about edges that nobody assessed.

    Attributes:
        bound: l, the lower credible bound of each, in ``[0, 1]``; NaN for the others, shape ``(n_edges,)``.
        trust: t, how far it decides, in ``[0, 1]``.
    """

    bound: FloatArray
    trust: float


def edge_strength(
    association: FloatArray, reliability: Reliability, *, blend_mass: float | None
) -> FloatArray:
    """Return b, what an edge is worth before its state attenuates it.

    Args:
        association: A, shape ``(n_edges,)``, in ``[0, 1]``.
        reliability: Of the same edges.
        blend_mass: The mass at which c weighs as much as A, > 0; None: ``max(A, c^)``.

    Returns:
        Shape ``(n_edges,)``, in ``[0, 1]``; A where there is no evidence.

    Raises:
        ValueError: *blend_mass* is not positive.

    >>> weak = Reliability(
    ...     support=np.zeros(1), against=np.full(1, 2.0), value=np.full(1, 0.25),
    ...     states=np.zeros(1, dtype=np.int8), text_only=np.zeros(1, dtype=np.bool_))
    >>> edge_strength(np.array([0.75]), weak, blend_mass=None)
    array([0.75])
    >>> edge_strength(np.array([0.75]), weak, blend_mass=2.0)
    array([0.5])
    """
    mass = reliability.support + reliability.against
    if blend_mass is None:
        return np.maximum(association, np.where(mass > 0.0, reliability.value, 0.0))
    if not blend_mass > 0.0:
        msg = f"blend_mass is {blend_mass}: choose a number above 0, or None for max(A, c)."
        raise ValueError(msg)
    share = mass / (mass + blend_mass)
    return (1.0 - share) * association + share * reliability.value


def publish(
    candidates: Candidates,
    reliability: Reliability,
    *,
    config: PublicationConfig,
    tie_break: IntArray,
    verified: Verified | None = None,
    apart: BoolArray | None = None,
) -> SkillGraph:
    """Weigh the candidate edges and keep those of positive weight.

    Args:
        candidates: C with A and types.
        reliability: Of the same edges, in the same order.
        config: The constants of Section 6.
        tie_break: Rank of each skill by its content, shape ``(n_skills,)``: equal
            edges are taken in this order, so that no id or folder decides.
        verified: What was learnt about edges that nobody assessed; None = no verifier can be used.
        apart: Edges that must be confirmed to be published, shape ``(n_edges,)``; None = no edge.

    Returns:
        The published graph, in the order of *candidates*; w in ``[min_weight, 1]``.

    Raises:
        ValueError: *candidates* and *reliability* have not as many edges, *tie_break* has
            not one rank a skill, *verified* has not one bound an edge or a number outside ``[0, 1]``,
            or a constant lies outside the range that `PublicationConfig` states.
    """
    _check(candidates, reliability, config=config, tie_break=tie_break)
    heard = np.ones(len(candidates), np.bool_) if apart is None else ~apart
    heard |= reliability.states == _CONFIRMED
    strength = edge_strength(candidates.association, reliability, blend_mass=config.blend_mass)
    strength = _blended(strength, verified)
    by_state = {EdgeState.CONFIRMED: 1.0, EdgeState.UNCERTAIN: config.uncertain}
    rho = np.array([by_state.get(state, 0.0) for state in EDGE_STATES])[reliability.states] * heard
    slots = _Slots.of(candidates, config=config)
    ties = (tie_break[candidates.target], tie_break[candidates.source])
    weak = reliability.text_only & (rho > 0.0) & config.bound_text_only
    if not config.bound_mentioned:
        mentioned = candidates.channels & channel_bit(Channel.REFERENCE) != 0
        weak &= (candidates.types != _DEPENDENCY) | ~mentioned
    by_strength = np.lexsort((*ties, -strength))
    rho[slots.refuse(by_strength[weak[by_strength]])] = 0.0
    by_type = np.lexsort((*ties, -strength, candidates.types))
    unvalidated = by_type[((reliability.states == _UNVALIDATED) & heard)[by_type]]
    rho[slots.scaffold(unvalidated, published=rho > 0.0)] = config.scaffold
    weight = np.maximum(config.min_weight, rho * strength)  # at most 1, as rho and b are
    kept = np.flatnonzero(rho > 0.0)
    return SkillGraph(
        n_skills=candidates.n_skills,
        source=candidates.source[kept],
        target=candidates.target[kept],
        weight=weight[kept],
        association=candidates.association[kept],
        reliability=reliability.value[kept],
        types=candidates.types[kept],
        states=reliability.states[kept],
    )


@dataclass(slots=True, kw_only=True)
class _Slots:
    """How many more weak edges each skill and the library may get.

    Alternatives with slots of their own are counted at a second number of each
    skill, its position + N, so that they neither use nor cover the first.

    Attributes:
        source: The number at which an edge counts for its source, one an edge.
        target: The number at which it counts for its target, one an edge.
        into: Slots left into each number.
        out_of: Slots left out of each number.
        in_all: Slots left in the library, for edges at first and at second numbers.
    """

    source: list[int]
    target: list[int]
    into: list[int]
    out_of: list[int]
    in_all: list[int]

    @classmethod
    def of(cls, candidates: Candidates, *, config: PublicationConfig) -> Self:
        n_skills = candidates.n_skills
        shift = n_skills * (candidates.types == _ALTERNATIVE) * config.alternatives_apart
        no_bound = len(candidates)
        out = no_bound if config.scaffold_out is None else config.scaffold_out
        total = no_bound if config.scaffold_total is None else config.scaffold_total * n_skills
        return cls(
            source=(candidates.source + shift).tolist(),
            target=(candidates.target + shift).tolist(),
            into=[config.scaffold_in] * (2 * n_skills),
            out_of=[out] * (2 * n_skills),
            in_all=[total, total],
        )

    def refuse(self, order: IntArray) -> list[int]:
        """Give the edges of *order* a slot into their target; return those that found none."""
        refused = []
        for edge in order.tolist():
            if self.into[self.target[edge]] > 0:
                self.into[self.target[edge]] -= 1
            else:
                refused.append(edge)
        return refused

    def scaffold(self, order: IntArray, *, published: BoolArray) -> list[int]:
        """Choose the scaffold among the edges of *order*, those that give a skill its first edge first."""
        bare = [True] * len(self.into)
        for edge in np.flatnonzero(published).tolist():
            bare[self.source[edge]] = bare[self.target[edge]] = False
        chosen, waiting = [], []
        for edge in order.tolist():
            i, j = self.source[edge], self.target[edge]
            if not (bare[i] or bare[j]):
                waiting.append(edge)
            elif self._take(i, j):
                bare[i] = bare[j] = False
                chosen.append(edge)
        return chosen + [edge for edge in waiting if self._take(self.source[edge], self.target[edge])]

    def _take(self, i: int, j: int) -> bool:
        kind = j >= len(self.into) // 2
        if min(self.into[j], self.out_of[i], self.in_all[kind]) <= 0:
            return False
        self.into[j] -= 1
        self.out_of[i] -= 1
        self.in_all[kind] -= 1
        return True


def _blended(strength: FloatArray, verified: Verified | None) -> FloatArray:
    """Return b where there is no bound, else ``(1 - t) b + t l``."""
    if verified is None:
        return strength
    bound, trust = verified
    if bound.shape != strength.shape or np.any((bound < 0.0) | (bound > 1.0)):
        shapes = f"of shape {bound.shape} for {len(strength)} edges"
        msg = f"Verified bounds {shapes}: give one an edge, in [0, 1] or NaN."
        raise ValueError(msg)
    if not 0.0 <= trust <= 1.0:
        msg = f"trust is {trust}: choose a number from 0 to 1."
        raise ValueError(msg)
    return np.where(np.isnan(bound), strength, (1.0 - trust) * strength + trust * bound)


def _check(
    candidates: Candidates, reliability: Reliability, *, config: PublicationConfig, tie_break: IntArray
) -> None:
    if len(reliability.value) != len(candidates):
        msg = f"{len(reliability.value)} reliabilities for {len(candidates)} candidates: give one an edge."
        raise ValueError(msg)
    if tie_break.shape != (candidates.n_skills,):
        msg = f"tie_break of the shape {tie_break.shape} for {candidates.n_skills} skills: give one a skill."
        raise ValueError(msg)
    in_range = {
        "uncertain": 0.0 <= config.uncertain <= 1.0,
        "scaffold": 0.0 <= config.scaffold <= 1.0,
        "min_weight": 0.0 < config.min_weight <= 1.0,
        "scaffold_in": config.scaffold_in >= 0,
        "scaffold_out": (config.scaffold_out or 0) >= 0,
        "scaffold_total": (config.scaffold_total or 0) >= 0,
    }
    for name, fits in in_range.items():
        if not fits:
            msg = f"{name} is {getattr(config, name)}: PublicationConfig states the range it may have."
            raise ValueError(msg)
