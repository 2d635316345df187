"""Why a skill is in the result, and why an edge is in the graph, as data and in one line.

ranking -> **reasons** -> bundle, people
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from caskg.schema import (
    EDGE_STATES,
    EDGE_TYPES,
    Candidates,
    EdgeState,
    EdgeStep,
    EdgeType,
    FloatArray,
    ProbeAnswer,
    ProbeKey,
    RankedSkill,
    Reliability,
    SkillGraph,
)


def reasons(ranked: RankedSkill) -> str:
    """Return in one line why the skill is there.

    For example ``named in the task; lexical rank 2, semantic rank 1``, or
    ``via load -> clean (dependency, uncertain, weight 0.41)``, or
    ``semantic rank 8; before clean (dependency, uncertain, weight 0.41)``.
    """
    ranks = [
        f"{kind} rank {rank}"
        for kind, rank in (("lexical", ranked.lexical_rank), ("semantic", ranked.semantic_rank))
        if rank is not None
    ]
    steps = [step_line(step) for step in ranked.path]
    told = {(step.source, step.target) for step in ranked.path}
    before = [
        f"{step.target} ({step.type}, {step.state}, weight {step.weight:.2f})"
        for step in ranked.supports
        if (step.source, step.target) not in told
    ]
    found = [
        "named in the task" if ranked.exact_name else "",
        ", ".join(ranks),
        "via " + ", then ".join(steps) if steps else "",
        "before " + ", ".join(before) if before else "",
    ]
    return "; ".join(part for part in found if part) or "no reason recorded"


def step_line(step: EdgeStep) -> str:
    """Return an edge as people read it."""
    return f"{step.source} -> {step.target} ({step.type}, {step.state}, weight {step.weight:.2f})"


def edge_steps(
    path: Sequence[int],
    *,
    graph: SkillGraph,
    weights: tuple[FloatArray, FloatArray],
    ids: Sequence[str],
) -> tuple[EdgeStep, ...]:
    """Return the edges that a walk of relevance used, each as it points.

    Where two skills support each other, the edge that carried more; of equals, the one
    that was walked along.

    Args:
        path: Positions of the skills, as `strongest_paths` gives them.
        graph: The graph that was walked.
        weights: What each edge carries along and against, as `step_weights` gives it.
        ids: The ids of the skills, by position.
    """
    along, against = weights
    steps = []
    for here, there in pairwise(path):
        carried = {
            edge: carries[edge]
            for edge, carries in (
                (_find(graph, (here, there)), along),
                (_find(graph, (there, here)), against),
            )
            if edge is not None
        }
        steps.append(edge_step(graph, max(carried, key=carried.__getitem__), ids))
    return tuple(steps)


def edge_step(graph: SkillGraph, edge: int, ids: Sequence[str]) -> EdgeStep:
    """Return the published edge in row *edge*."""
    return EdgeStep(
        source=ids[graph.source[edge]],
        target=ids[graph.target[edge]],
        type=EDGE_TYPES[graph.types[edge]],
        state=EDGE_STATES[graph.states[edge]],
        weight=float(graph.weight[edge]),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeExplanation:
    """Everything known about one candidate edge.

    Attributes:
        source: The id of the skill that supports.
        target: The id of the skill that is supported.
        type: What the edge means.
        state: What the evidence makes of it.
        association: A, in ``[0, 1]``.
        reliability: c, in ``(0, 1)``; 0.5 where there is no evidence.
        weight: w_pub, in ``[0, 1]``; 0 = not published.
        signals: The active signals, by name, in ``[0, 1]``.
        answers: What the probers said to which question, in the order given.
    """

    source: str
    target: str
    type: EdgeType
    state: EdgeState
    association: float
    reliability: float
    weight: float
    signals: Mapping[str, float]
    answers: tuple[tuple[ProbeKey, ProbeAnswer], ...] = ()


def explain_edge(
    edge: tuple[int, int],
    *,
    candidates: Candidates,
    reliability: Reliability,
    graph: SkillGraph,
    ids: Sequence[str],
    answers: Sequence[tuple[ProbeKey, ProbeAnswer]] = (),
) -> EdgeExplanation | None:
    """Return what is known about the edge from one position to another, None if it is no candidate.

    Args:
        edge: Positions of source and target.
        candidates: C.
        reliability: What the evidence says, row for row of *candidates*.
        graph: The published graph.
        ids: The ids of the skills, by position.
        answers: The answers of the ledger about this edge.
    """
    row = _find(candidates, edge)
    if row is None:
        return None
    published = _find(graph, edge)
    return EdgeExplanation(
        source=ids[edge[0]],
        target=ids[edge[1]],
        type=EDGE_TYPES[candidates.types[row]],
        state=EDGE_STATES[reliability.states[row]],
        association=float(candidates.association[row]),
        reliability=float(reliability.value[row]),
        weight=0.0 if published is None else float(graph.weight[published]),
        signals={
            name: float(signal.value[row])
            for name, signal in candidates.signals.items()
            if signal.active[row]
        },
        answers=tuple(answers),
    )


def _find(edges: Candidates | SkillGraph, edge: tuple[int, int]) -> int | None:
    """Return the row of an edge; rows are sorted by (source, target)."""
    first, last = np.searchsorted(edges.source, [edge[0], edge[0] + 1])
    row = int(first + np.searchsorted(edges.target[first:last], edge[1]))
    return row if row < last and edges.target[row] == edge[1] else None
