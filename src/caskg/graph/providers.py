"""Who gives each input: a share of every input for every skill, over the whole library.

Part of `inputs`; `signals` and `recall` read it. That two texts are close does not say that one gives
what the other takes: all skills that add something to a cart speak of the same things. So the skills
compete for each input p, and a skill that needs p itself hardly gives it::

    s_ip = c_ip - usual_p - h_i max(0, t_ip - usual of t_kp)
    P_ip = exp(s_ip / w) / (exp(s_0 / w) + sum over k of exp(s_kp / w)),   0 where c_ip < least

c and its usual value are those of `flow`; t_ip = max over q that i takes of cos(q, p). h is
``provider_taken`` where a skill states no outputs, because its own text speaks of what it takes as well;
0 where it states them, and for a check, which gives what it takes. s_0 is what no skill at all is
worth. ``least`` is ``provider_closeness``: in a library of many subjects hardly anything is usual, and
what is half alike would stand out. Where hundreds give the same, such as a file format, none gets a
share that counts. In a library that does not state inputs by habit, nobody knows who needs an input
itself: there nobody has a share.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from caskg.config import SignalConfig
from caskg.graph.flow import Flow
from caskg.graph.spread import blocks
from caskg.graph.statements import SparseRows
from caskg.schema import BoolArray, FloatArray, IntArray

LEAST_SHARE = 0.02
"""A smaller share of an input is none: at most 50 skills have one."""

_DECIMALS = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Provision:
    """Who gives something that another skill takes.

    Attributes:
        codes: Pairs, as sorted codes ``source * n_skills + target``.
        share: The source's largest share of an input of the target, shape ``(n_pairs,)``, in ``(0, 1)``.
    """

    codes: IntArray
    share: FloatArray

    def matrix(self, n_skills: int) -> SparseRows:
        """Return the shares of sources (rows) of targets (columns)."""
        return csr_array((self.share, np.divmod(self.codes, n_skills)), shape=(n_skills, n_skills))


def find_providers(flow: Flow, *, stated: BoolArray, checks: BoolArray, config: SignalConfig) -> Provision:
    """Return the pairs of which the source has a share of an input of the target.

    Args:
        flow: What skills give and take.
        stated: Which of them state what they give, shape ``(n_skills,)``.
        checks: Which of them check something.
        config: h, s_0, w, least, and the share of skills that must state inputs.
    """
    n_skills, takes = len(flow.takes.count), np.count_nonzero(flow.takes.count)
    by_habit = takes >= config.silence_means_none * n_skills
    takers = np.flatnonzero(~stated & ~checks & (flow.takes.count > 0))
    found = list(_shares(flow, takers, config=config)) if by_habit else []
    if not found:
        return Provision(codes=np.empty(0, dtype=np.int64), share=np.empty(0))
    given, giver, share = map(np.concatenate, zip(*found, strict=True))
    taken, target = flow.takes.rows, np.repeat(np.arange(n_skills), flow.takes.count)
    first, end = np.searchsorted(given, [taken, taken + 1])  # *given* ascends
    entry = np.repeat(np.arange(len(taken)), end - first)
    at = np.arange(len(entry)) - np.repeat(np.cumsum(end - first) - end, end - first)
    return _best(giver[at] * n_skills + target[entry], share[at], n_skills=n_skills)


def _shares(
    flow: Flow, takers: IntArray, *, config: SignalConfig
) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
    """Yield inputs, ascending, the skills that have a share of them, and the shares."""
    width, nobody = config.provider_width, config.provider_nobody
    for block in blocks(np.full(len(flow.taken), len(flow.gives.rows))):
        closeness = _closest(flow.taken[block] @ flow.given.T, flow.gives.rows, flow.gives.start)
        score = closeness - flow.usual[block, None]
        if len(takers):
            score[:, takers] -= config.provider_taken * _taken_alike(flow, block, takers)
        most = np.maximum(score.max(axis=1, keepdims=True), nobody)
        odds = np.exp((score - most) / width)
        share = odds / (odds.sum(axis=1, keepdims=True) + np.exp((nobody - most) / width))
        share[closeness < config.provider_closeness] = 0.0
        taken, giver = np.nonzero(share >= LEAST_SHARE)
        yield block[taken], giver, share[taken, giver].round(_DECIMALS)


def _taken_alike(flow: Flow, block: IntArray, takers: IntArray) -> FloatArray:
    """Return how much closer than usual what each taker takes comes to each input of a block."""
    entries = [np.arange(flow.takes.start[skill], flow.takes.start[skill + 1]) for skill in takers.tolist()]
    start = np.cumsum([0, *map(len, entries)])
    likeness = flow.taken[block] @ flow.taken.T
    alike = _closest(likeness, flow.takes.rows[np.concatenate(entries)], start)
    more: FloatArray = np.maximum(alike - alike.mean(axis=1, keepdims=True), 0.0)
    return more


def _closest(likeness: FloatArray, rows: IntArray, start: IntArray) -> FloatArray:
    """Return the largest likeness to a thing of each skill, each has one; shape ``(n, n_skills)``."""
    best: FloatArray = np.maximum.reduceat(likeness[:, rows], start[:-1], axis=1)
    return best


def _best(codes: IntArray, share: FloatArray, *, n_skills: int) -> Provision:
    """Return each pair once, with its largest share; no skill gives what it takes itself."""
    other = codes % (n_skills + 1) != 0  # a loop's code is i * n + i
    codes, share = codes[other], share[other]
    order = np.lexsort((-share, codes))
    codes, first = np.unique(codes[order], return_index=True)
    return Provision(codes=codes, share=share[order][first])
