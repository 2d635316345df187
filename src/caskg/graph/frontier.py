"""Which candidates the budget is spent on: the frontier F (method, Section 3).

Stands between `candidates` and `probes`. The budget counts edges. An edge
outside the frontier stays unvalidated; that is never a verdict against it.

The paper asks about the edges of highest association. Other policies order
all of C; a budget takes the beginning, so a larger one never wastes what a
smaller one spent. Of equals, content decides (``tie_break``), never an id.
"""

import numpy as np

from caskg.config import BuildConfig, EvidenceConfig, FrontierConfig, FrontierPolicy, PublicationConfig
from caskg.errors import UsageError
from caskg.graph.publish import edge_strength
from caskg.schema import Candidates, FloatArray, IntArray, Reliability, SkillGraph

LEAST_ROW = 0.5
"""Sum of the weights into a skill below which one more edge changes its row as if it were this."""


def frontier_budget(n_skills: int, *, config: FrontierConfig) -> int:
    """Return B, in edges: as configured, else 500 for at most 1,000 skills and one per skill above.

    Raises:
        UsageError: The configured budget is negative.

    >>> [frontier_budget(n, config=FrontierConfig()) for n in (1000, 1001)]
    [500, 1001]
    """
    if config.budget is None:
        return config.small_budget if n_skills <= config.small_library else n_skills
    _check(config.budget)
    return config.budget


def select_frontier(candidates: Candidates, *, budget: int, tie_break: IntArray) -> IntArray:
    """Return the candidates of highest association.

    Equal ones stand in the order of ``tie_break`` of the source, then of the target.

    Args:
        candidates: C.
        budget: B, in edges, >= 0.
        tie_break: Rank of each skill by content, shape ``(n_skills,)``.

    Returns:
        Positions in *candidates*, best first, at most *budget*; a smaller budget gives a
        beginning of what a larger one gives.

    Raises:
        UsageError: The budget is negative.
    """
    _check(budget)
    return by_association(candidates, tie_break=tie_break)[:budget]


def order_frontier(
    candidates: Candidates,
    reliability: Reliability,
    graph: SkillGraph,
    *,
    config: BuildConfig,
    tie_break: IntArray,
) -> IntArray:
    """Order C by the policy of *config*.

    Args:
        candidates: C.
        reliability: What is known of C without the prober that is to be asked.
        graph: What would be published without it.
        config: The policy, its seed, and how evidence becomes weight.
        tie_break: Rank of each skill by content, shape ``(n_skills,)``.

    Returns:
        All positions in *candidates*, first to be asked first.
    """
    match config.frontier.policy:
        case FrontierPolicy.ASSOCIATION:
            return by_association(candidates, tie_break=tie_break)
        case FrontierPolicy.RANDOM:
            return at_random(candidates, tie_break=tie_break, seed=config.frontier.seed)
        case FrontierPolicy.CHANGE:
            change = expected_change(
                candidates, reliability, graph, evidence=config.evidence, publication=config.publication
            )
            return _descending(change, candidates, tie_break)
        case FrontierPolicy.ENABLERS:
            return enablers_first(candidates, tie_break=tie_break)
        case FrontierPolicy.COVERAGE:
            return by_coverage(candidates, tie_break=tie_break, sure=config.frontier.sure)


def by_association(candidates: Candidates, *, tie_break: IntArray) -> IntArray:
    """Order C by A, the highest first (paper)."""
    return _descending(candidates.association, candidates, tie_break)


def at_random(candidates: Candidates, *, tie_break: IntArray, seed: int) -> IntArray:
    """Order C at random; the same for the same contents and *seed*, wherever the skills stand."""
    by_content = np.lexsort((tie_break[candidates.target], tie_break[candidates.source]))
    return by_content[np.random.default_rng(seed).permutation(len(by_content))]


def enablers_first(candidates: Candidates, *, tie_break: IntArray) -> IntArray:
    """Order C by the enabler signal, then by A; an edge on which the signal is silent comes last."""
    signal = candidates.signals.get("enabler")
    if signal is None:
        return by_association(candidates, tie_break=tie_break)
    enabling = np.where(signal.active, signal.value, 0.0)
    ties = tie_break[candidates.target], tie_break[candidates.source]
    return np.lexsort((*ties, -candidates.association, -enabling))


def by_coverage(candidates: Candidates, *, tie_break: IntArray, sure: float = 1.0) -> IntArray:
    """Order C in rounds: the best edge by A into each skill, then the second best into each, and so on.

    The last into each are those whose source has more than the share *sure* of an input: that
    they hold is as good as known, and only confirmed edges teach nothing.
    """
    provider = candidates.signals.get("provider")
    known = np.zeros(len(candidates)) if provider is None else provider.active * (provider.value > sure)
    best_first = _descending(candidates.association - known, candidates, tie_break)  # A is at most 1
    target = candidates.target[best_first]
    grouped = np.argsort(target, kind="stable")
    starts = np.searchsorted(target[grouped], target[grouped])
    rounds = np.empty(len(candidates), dtype=np.int64)
    rounds[grouped] = np.arange(len(candidates)) - starts
    return best_first[np.argsort(rounds, kind="stable")]


def expected_change(
    candidates: Candidates,
    reliability: Reliability,
    graph: SkillGraph,
    *,
    evidence: EvidenceConfig,
    publication: PublicationConfig,
) -> FloatArray:
    """Return by how much an answer is expected to move what retrieval hands on, for each edge.

    An edge is worth b now, and with that chance it will be confirmed: its weight then rises
    from w to w', the strength that full evidence for it would give; else it falls to 0::

        change = (b max(w' - w, 0) + (1 - b) w) / max(sum of w into the target, 1/2)

    The divisor is the row of the target in a walk against the edges: one more edge into a
    skill with many moves little.

    Args:
        candidates: C.
        reliability: What is known of C so far.
        graph: What is published so far.
        evidence: What full evidence is.
        publication: How evidence becomes strength.

    Returns:
        Shape ``(n_edges,)``, >= 0, at most 2.
    """
    weight = _weight_of(candidates, graph)
    chance = edge_strength(candidates.association, reliability, blend_mass=publication.blend_mass)
    mass = evidence.llm_units
    full = Reliability(
        support=reliability.support + mass,
        against=reliability.against,
        value=(1.0 + reliability.support + mass) / (2.0 + reliability.support + reliability.against + mass),
        states=reliability.states,
        text_only=reliability.text_only,
    )
    confirmed = edge_strength(candidates.association, full, blend_mass=publication.blend_mass)
    row = np.bincount(candidates.target, weight, minlength=candidates.n_skills)[candidates.target]
    change = chance * np.maximum(confirmed - weight, 0.0) + (1.0 - chance) * weight
    return change / np.maximum(row, LEAST_ROW)


def _weight_of(candidates: Candidates, graph: SkillGraph) -> FloatArray:
    """Return the published weight of each candidate, 0 where it is not published."""
    n_skills = candidates.n_skills
    codes = candidates.source * n_skills + candidates.target
    weight = np.zeros(len(candidates))
    weight[np.searchsorted(codes, graph.source * n_skills + graph.target)] = graph.weight
    return weight


def _descending(value: FloatArray, candidates: Candidates, tie_break: IntArray) -> IntArray:
    return np.lexsort((tie_break[candidates.target], tie_break[candidates.source], -value))


def _check(budget: int) -> None:
    if budget < 0:
        msg = f"The probing budget is {budget}: give a number of edges, 0 or more."
        raise UsageError(msg)
