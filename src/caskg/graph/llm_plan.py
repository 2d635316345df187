"""What a language model is asked about each edge, in each wording (method, Section 4).

Before `llm_prober`, which asks it. The far substitute of an edge is the one that
`probes` chooses for every prober; here a near alternative may stand beside it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from caskg.graph.contrast import COHERENCE, NEAR, PLAIN_NEAR, PLAIN_SWAPPED, SWAPPED
from caskg.graph.prompts import Wording, skill_text
from caskg.library.screening import speaks_to_model
from caskg.schema import BoolArray, IntArray, ProbeKind, ProbeRequest, Skill, VectorArray

PLAIN = "plain"
"""The arm of a question that a wording asks in one way only."""

NEED = "need"
"""The arm of the one question of the wording ``need``."""

_PLAIN_ARMS = (PLAIN, PLAIN_NEAR, PLAIN_SWAPPED)
_BLOCK = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Arms:
    """What is asked beside the one question of each probe.

    Attributes:
        near: The substitution again, with a near alternative to the source.
        both_orders: The reordering again, with the documents shown in the other order.
    """

    near: bool = False
    both_orders: bool = False


def plan_wording(
    edges: tuple[IntArray, IntArray],
    *,
    skills: Sequence[Skill],
    substitutes: IntArray,
    wording: Wording,
    near: IntArray | None = None,
    both_orders: bool = False,
) -> list[ProbeRequest]:
    """Return what a wording asks of each edge, edge by edge.

    ``paper`` asks three questions; ``control`` four, the intact context first; both one
    more with *near* and one more with *both_orders*. ``need`` and ``judge`` ask one.

    Args:
        edges: Sources and targets, each of shape ``(n_edges,)``.
        skills: The skills that the edges number.
        substitutes: The far substitute of each edge, shape ``(n_edges,)``; -1 = there is none.
        wording: Which questions.
        near: Likewise a near alternative to the source, for a second arm of the substitution.
        both_orders: Ask the reordering again with the documents shown in the other order.
    """
    requests: list[ProbeRequest] = []
    for row, (i, j) in enumerate(zip(edges[0].tolist(), edges[1].tolist(), strict=True)):
        pair = skills[i], skills[j]
        if wording is Wording.NEED:
            requests.append(_about(pair, ProbeKind.REMOVAL, NEED))
        elif wording is Wording.JUDGE:
            requests.append(_about(pair, ProbeKind.OPINION, PLAIN))
        else:
            arms = (COHERENCE, NEAR, SWAPPED) if wording is Wording.CONTROL else _PLAIN_ARMS
            stand_ins = (substitutes, arms[0]), (near, arms[1])
            chosen = [(skills[x[row]], arm) for x, arm in stand_ins if x is not None and x[row] >= 0]
            requests += _probes(pair, chosen, arms, both_orders=both_orders)
    return requests


def _probes(
    pair: tuple[Skill, Skill],
    substitutes: Sequence[tuple[Skill, str]],
    arms: tuple[str, str, str],
    *,
    both_orders: bool,
) -> list[ProbeRequest]:
    once, _, swapped = arms
    kinds = (ProbeKind.INTACT, ProbeKind.REMOVAL) if once == COHERENCE else (ProbeKind.REMOVAL,)
    requests = [_about(pair, kind, once) for kind in kinds]
    requests += [_about(pair, ProbeKind.SUBSTITUTION, arm, substitute=x) for x, arm in substitutes]
    orders = (once, swapped) if both_orders else (once,)
    return requests + [_about(pair, ProbeKind.REORDERING, arm) for arm in orders]


def _about(
    pair: tuple[Skill, Skill], kind: ProbeKind, arm: str, *, substitute: Skill | None = None
) -> ProbeRequest:
    return ProbeRequest(source=pair[0], target=pair[1], kind=kind, substitute=substitute, arm=arm)


def unfit_to_stand_in(skills: Sequence[Skill]) -> BoolArray:
    """Return which skills speak to the model that reads them, shape ``(n_skills,)``.

    In the place of another skill such a text would move the scores of pairs that it is no
    part of, so it stands in for none. Its own edges are asked about like any other.
    """
    return np.array([speaks_to_model(skill_text(skill)) for skill in skills], dtype=np.bool_)


def near_alternatives(
    edges: tuple[IntArray, IntArray],
    vectors: VectorArray,
    *,
    tie_break: IntArray,
    unfit: BoolArray | None = None,
) -> IntArray:
    """Choose for each edge (i, j) the skill most like i that is neither i nor j.

    Args:
        edges: Sources and targets, each of shape ``(n_edges,)``.
        vectors: Unit rows (or zeros), shape ``(n_skills, d)``.
        tie_break: Rank of each skill by its content: of equally near ones the lower is chosen.
        unfit: Skills that stand in for none, shape ``(n_skills,)``; None = all may.

    Returns:
        Shape ``(n_edges,)``: a position in the library, or -1 where no skill is left.

    >>> plane = np.array([[1, 0], [0.8, 0.6], [0.6, 0.8], [0, 1]], dtype=np.float32)
    >>> near_alternatives((np.array([0]), np.array([1])), plane, tie_break=np.arange(4)).tolist()
    [2]
    """
    source, target = edges
    order = np.argsort(tie_break, kind="stable")
    chosen = np.full(len(source), -1, dtype=np.int64)
    for start in range(0, len(source), _BLOCK):
        i, j = source[start : start + _BLOCK], target[start : start + _BLOCK]
        cosine = (vectors[i] @ vectors[order].T).astype(np.float64)
        cosine[(order == i[:, None]) | (order == j[:, None])] = -np.inf
        if unfit is not None:
            cosine[:, unfit[order]] = -np.inf
        best = cosine.argmax(axis=1)
        left = np.isfinite(cosine[np.arange(len(i)), best])
        chosen[start : start + _BLOCK][left] = order[best[left]]
    return chosen
