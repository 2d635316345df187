"""Each signal phi_k over pairs of skills (method, Sections 2 and 8).

Second step of the graph half, after `inputs`. A signal takes arrays of pairs
``source -> target`` and says for each how strongly, in [0, 1], and whether it
is active at all: a signal whose fields are absent is not active and never
counts as 0. The formulas on token counts serve single pairs here and whole
blocks of pairs in `recall`.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from caskg.config import IO_CONTAINED, IO_SHARED, MENTIONED, SignalConfig
from caskg.graph.flow import pair_feeding
from caskg.graph.inputs import GraphInputs
from caskg.graph.roles import NO_ROLE, ROLES, Role, pair_scores
from caskg.graph.spread import blocks
from caskg.graph.statements import SparseRows, Statements
from caskg.schema import BoolArray, FloatArray, IntArray, Signal

DECIMALS = 9
"""Scores are rounded to this many, so that the order in which a sum is taken decides no tie."""

_OBTAINING = [ROLES.index(role) for role in (Role.READ, Role.OBSERVE, Role.FIND, Role.ACQUIRE)]

Sizes = IntArray | FloatArray
"""How many tokens sets have, or what they weigh together."""

Overlap = Callable[[FloatArray, Sizes, Sizes], FloatArray]
"""Turns the numbers of shared tokens, and of the tokens of either side, into scores in [0, 1]."""

Phi = Callable[[GraphInputs, IntArray, IntArray], Signal]
"""A signal: the library, sources and targets -> a score of each pair."""


# ---------------------------------------------------------------- formulas on token counts


def jaccard(shared: FloatArray, left: Sizes, right: Sizes) -> FloatArray:
    """Return |L & R| / |L | R|, in ``[0, 1]``; 0 for two empty sets.

    >>> jaccard(np.array([1.0, 0.0]), np.array([2, 0]), np.array([3, 0]))
    array([0.25, 0.  ])
    """
    union: FloatArray = left + right - shared
    return ratio(shared, union)


def affinity(shared: FloatArray, left: Sizes, right: Sizes) -> FloatArray:
    """Return |L & R| / sqrt(|L| |R|), in ``[0, 1]``; 0 where either set is empty.

    >>> affinity(np.array([1.0, 0.0]), np.array([4, 0]), np.array([1, 3]))
    array([0.5, 0. ])
    """
    return ratio(shared, np.sqrt(left * right))


def name_match(shared: FloatArray, left: Sizes, right: Sizes) -> FloatArray:
    """Return how well two parameter names match, of which neither is empty.

    1 when they have the same tokens, .85 when one contains the other, the
    Jaccard but at least .5 when they share a token, else 0.

    >>> name_match(np.array([2.0, 1.0, 1.0, 0.0]), np.array([2, 1, 2, 1]), np.array([2, 2, 2, 1]))
    array([1.  , 0.85, 0.5 , 0.  ])
    """
    equal = (shared == left) & (shared == right)
    contained = shared == np.minimum(left, right)
    partly = np.maximum(IO_SHARED, jaccard(shared, left, right))
    return np.select([shared == 0, equal, contained], [0.0, 1.0, IO_CONTAINED], default=partly)


def need_met(shared: FloatArray, left: Sizes, right: Sizes, *, covered: float) -> FloatArray:
    """Return what two statements share, at most 1, where it is the share *covered* of the right one, else 0.

    >>> need_met(np.array([0.5, 0.5, 3.0]), np.ones(3), np.array([0.6, 2.0, 3.0]), covered=0.6)
    array([0.5, 0. , 1. ])
    """
    meets: BoolArray = shared >= covered * right
    return np.minimum(shared, 1.0) * (meets & (left > 0.0))


# ---------------------------------------------------------------- signals


def semantic_signal(inputs: GraphInputs, source: IntArray, target: IntArray) -> Signal:
    """Return max(0, cosine), active where the encoder could read both texts."""
    vectors = inputs.vectors
    cosine = np.zeros(len(source))
    for block in blocks(np.full(len(source), vectors.shape[1])):
        left, right = (vectors[end[block]].astype(np.float64) for end in (source, target))
        cosine[block] = np.einsum("ij,ij->i", left, right)
    readable = np.any(vectors != 0.0, axis=1)
    return Signal(value=as_similarity(cosine), active=readable[source] & readable[target])


def as_similarity(cosine: FloatArray) -> FloatArray:
    """Return max(0, cosine), rounded; at most 1, which float32 unit vectors can pass by 1e-7."""
    return cosine.clip(0.0, 1.0).round(DECIMALS)


def lexical_signal(inputs: GraphInputs, source: IntArray, target: IntArray) -> Signal:
    """Return the Jaccard of T_i and T_j, active where neither is empty."""
    sizes = inputs.sizes
    value = jaccard(_shared(inputs.tokens, inputs.tokens, source, target), sizes[source], sizes[target])
    return Signal(value=value, active=(sizes[source] > 0) & (sizes[target] > 0))


def pair_affinity(inputs: GraphInputs, source: IntArray, target: IntArray) -> FloatArray:
    """Return |T_i & T_j| / sqrt(|T_i| |T_j|) of each pair, in ``[0, 1]``."""
    sizes = inputs.sizes
    return affinity(_shared(inputs.tokens, inputs.tokens, source, target), sizes[source], sizes[target])


def structural_signal(
    inputs: GraphInputs, source: IntArray, target: IntArray, *, config: SignalConfig
) -> Signal:
    """Return how well the target follows the source in a workflow.

    ``strong_pair`` where a third document calls for the one and then for the other. Else
    ``strong_pair`` or ``support_pair`` by `STRONG_PAIRS` and `SUPPORT_PAIRS`; 0 for other
    roles, and where the affinity is below ``affinity_floor``. Active where both have a
    role, or the order is stated.
    """
    table = pair_scores(strong=config.strong_pair, support=config.support_pair)
    roles = inputs.roles
    close = pair_affinity(inputs, source, target) >= config.affinity_floor
    by_role = (roles[source] != NO_ROLE) & (roles[target] != NO_ROLE)
    ordered = is_in(inputs, inputs.stated_order, source, target)
    value = np.where(ordered, config.strong_pair, table[roles[source], roles[target]] * close)
    return Signal(value=value, active=by_role | ordered)


def io_signal(inputs: GraphInputs, source: IntArray, target: IntArray) -> Signal:
    """Return the best `name_match` of an output of the source and an input of the target.

    Directed; 1 where the source writes a file that the target reads. Active where the
    source states an output and the target an input; where only the source's name stands
    for its outputs, and for files, active where they match.
    """
    stated = inputs.stated
    match = _best_match(stated.outputs, stated.inputs, source, target, overlap=name_match)
    handed = is_in(inputs, inputs.handed, source, target)
    active = match.active & (~stated.by_name[source] | (match.value > 0))
    return Signal(value=np.maximum(match.value, handed), active=active | handed)


def information_signal(
    inputs: GraphInputs, source: IntArray, target: IntArray, *, covered: float
) -> FloatArray:
    """Return how telling the best match is of what the source states it gives and the target that it needs.

    A token weighs ``max(0, log(N / (1 + df)) / log N)``, df = in how many T_i it is:
    what many skills speak of tells little. A match counts where it is the share *covered*
    of the need: an output of an input, an output or effect of a precondition.

    Returns:
        Shape ``(n_pairs,)``, in ``[0, 1]``; 0 where nothing matches.
    """
    stated, weights = inputs.stated, token_information(inputs)
    overlap = partial(need_met, covered=covered)
    found = [
        _best_match(gives.weighed(weights), needs.weighed(weights), source, target, overlap=overlap).value
        for gives, needs in ((stated.outputs, stated.inputs), (stated.gives, stated.presupposes))
    ]
    return np.maximum(*found)


def token_information(inputs: GraphInputs) -> FloatArray:
    """Return what each token tells, shape ``(n_tokens,)``, in ``[0, 1]``; see `information_signal`."""
    n_skills, frequency = (
        inputs.n_skills,
        np.bincount(inputs.tokens.indices, minlength=inputs.tokens.shape[1]),
    )
    if n_skills < 2:  # noqa: PLR2004 - of one skill nothing can be told apart
        return np.zeros(len(frequency))
    told: FloatArray = np.log(n_skills / (1.0 + frequency)) / np.log(n_skills)
    return np.maximum(told, 0.0)


def meaning_signal(
    inputs: GraphInputs, source: IntArray, target: IntArray, *, config: SignalConfig
) -> Signal:
    """Return how much closer the source comes to feeding the target than the target to feeding the source.

    With f of `flow`, r = ``meaning_reverse``::

        phi = 1 / (1 + exp(-(f_ij + r (f_ij - f_ji) - middle) / width))

    Directed. Active in both directions where one of the two f is above ``meaning_floor``: what speaks for
    one direction speaks against the other.
    """
    forth, back = (pair_feeding(inputs.flow, *ends) for ends in ((source, target), (target, source)))
    lead = forth + config.meaning_reverse * (forth - back) - config.meaning_middle
    value: FloatArray = 1.0 / (1.0 + np.exp(-lead / config.meaning_width))
    return Signal(value=value.round(DECIMALS), active=np.maximum(forth, back) > config.meaning_floor)


def provider_signal(inputs: GraphInputs, source: IntArray, target: IntArray) -> Signal:
    """Return the source's largest share of an input of the target, see `providers`.

    Directed. Active where the target takes something, if anybody has a share of anything.
    """
    found, codes = inputs.provision, source * inputs.n_skills + target
    place = np.minimum(np.searchsorted(found.codes, codes), max(len(found.codes) - 1, 0))
    there = np.isin(codes, found.codes)
    value = np.zeros(len(source))
    value[there] = found.share[place[there]]
    return Signal(value=value, active=(inputs.flow.takes.count[target] > 0) & (len(found.codes) > 0))


def enabler_signal(inputs: GraphInputs, source: IntArray, target: IntArray) -> Signal:
    """Return the best `affinity` of what the source gives and what the target presupposes.

    Directed. Active where the source states no input but something it gives,
    and the target a precondition.
    """
    stated = inputs.stated
    match = _best_match(stated.gives, stated.presupposes, source, target, overlap=affinity)
    return Signal(value=match.value, active=match.active & takes_nothing(inputs)[source])


def ready_signal(inputs: GraphInputs, source: IntArray, target: IntArray, *, config: SignalConfig) -> Signal:
    """Return 1 from a skill that `is_ready` into one that takes something, and 0 the other way round.

    Not active elsewhere.
    """
    able, takes = is_ready(inputs, config=config), ~takes_nothing(inputs)
    forth, back = able[source] & takes[target], able[target] & takes[source]
    return Signal(value=forth.astype(np.float64), active=forth | back)


def is_ready(inputs: GraphInputs, *, config: SignalConfig) -> BoolArray:
    """Return which skills can always come first, taking nothing and obtaining something; ``(n_skills,)``.

    In a library that states inputs by habit, one that states none takes none. Nowhere else is silence
    evidence.
    """
    nothing = takes_nothing(inputs)
    by_habit = np.count_nonzero(~nothing) >= config.silence_means_none * inputs.n_skills
    ready: BoolArray = nothing & np.isin(inputs.roles, _OBTAINING) & by_habit
    return ready


def takes_nothing(inputs: GraphInputs) -> BoolArray:
    """Return which skills state no input, shape ``(n_skills,)``."""
    nothing: BoolArray = inputs.stated.inputs.count == 0
    return nothing


def reference_signal(inputs: GraphInputs, source: IntArray, target: IntArray) -> Signal:
    """Return 1 where a text says that the source comes first, `MENTIONED` where the target only mentions it.

    Not active elsewhere.
    """
    ordered = is_in(inputs, inputs.mentions.ordered, source, target)
    needed = is_in(inputs, inputs.mentions.needs, source, target)
    return Signal(value=np.where(ordered, 1.0, MENTIONED), active=needed)


def repair_signal(inputs: GraphInputs, source: IntArray, target: IntArray, *, config: SignalConfig) -> Signal:
    """Return phi_rep: 1 where a recovery of the target names the source or repeats what it gives.

    A recovery repeats an output or effect when it holds all of its tokens, of
    which there must be ``repair_tokens``: one shared word is no match. Not
    active elsewhere.
    """
    stated = inputs.stated
    within = partial(_within, fewest=config.repair_tokens)
    repeated = _best_match(stated.gives, stated.recovery, source, target, overlap=within).value == 1.0
    return _certain(is_in(inputs, inputs.mentions.repairs, source, target) | repeated)


def pair_signals(
    inputs: GraphInputs, source: IntArray, target: IntArray, *, config: SignalConfig
) -> dict[str, Signal]:
    """Return every signal that a pair can have before it is in C, without those of weight 0."""
    signals: dict[str, Phi] = {
        "semantic": semantic_signal,
        "lexical": lexical_signal,
        "io": io_signal,
        "structural": partial(structural_signal, config=config),
        "reference": reference_signal,
        "enabler": enabler_signal,
        "ready": partial(ready_signal, config=config),
        "meaning": partial(meaning_signal, config=config),
        "provider": provider_signal,
    }
    on = {name: phi for name, phi in signals.items() if getattr(config.weights, name) > 0}
    return {name: phi(inputs, source, target) for name, phi in on.items()}


# ---------------------------------------------------------------- pairs and blocks of pairs


def ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Return part / whole, rounded; 0 where there is no whole.

    >>> ratio(np.array([1.0, 1.0]), np.array([3.0, 0.0]))
    array([0.33333333, 0.        ])
    """
    quotient: FloatArray = np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0)
    return quotient.round(DECIMALS)


def is_in(inputs: GraphInputs, codes: IntArray, source: IntArray, target: IntArray) -> BoolArray:
    """Return which pairs are among the sorted *codes* of `MentionedPairs`."""
    return np.isin(source * inputs.n_skills + target, codes)


def _certain(active: BoolArray) -> Signal:
    return Signal(value=active.astype(np.float64), active=active)


def _within(shared: FloatArray, left: Sizes, _right: Sizes, *, fewest: int) -> FloatArray:
    """Return 1 where the left set lies within the right one and is large enough, else 0."""
    within: BoolArray = (shared == left) & (left >= fewest)
    return within.astype(np.float64)


def _shared(left: SparseRows, right: SparseRows, rows: IntArray, columns: IntArray) -> FloatArray:
    """Return how many tokens row ``rows[e]`` of *left* shares with row ``columns[e]`` of *right*."""
    shared = np.zeros(len(rows))
    for block in blocks(np.diff(left.indptr)[rows] + np.diff(right.indptr)[columns]):
        shared[block] = left[rows[block]].multiply(right[columns[block]]).sum(axis=1)
    return shared


def _best_match(
    left: Statements, right: Statements, source: IntArray, target: IntArray, *, overlap: Overlap
) -> Signal:
    """Return the best overlap of a statement of each source with one of its target.

    Active where both state something; 0 elsewhere.
    """
    pairs = left.count[source] * right.count[target]
    stating = np.flatnonzero(pairs)
    value = np.zeros(len(source))
    for block in blocks(pairs[stating]):
        edges = stating[block]
        value[edges] = _best_of_block(left, right, source[edges], target[edges], overlap=overlap)
    return Signal(value=value, active=pairs > 0)


def _best_of_block(
    left: Statements, right: Statements, source: IntArray, target: IntArray, *, overlap: Overlap
) -> FloatArray:
    """Spread each pair of skills out into its pairs of statements, score the distinct ones, take the best."""
    width = right.count[target]
    pairs = left.count[source] * width
    first = np.cumsum(pairs) - pairs
    nth = np.arange(pairs.sum()) - np.repeat(first, pairs)
    row, column = np.divmod(nth, np.repeat(width, pairs))
    rows = left.rows[np.repeat(left.start[source], pairs) + row]
    columns = right.rows[np.repeat(right.start[target], pairs) + column]
    distinct, place = np.unique(rows * len(right.sizes) + columns, return_inverse=True)
    rows, columns = np.divmod(distinct, len(right.sizes))
    scores = overlap(_shared(left.sets, right.sets, rows, columns), left.sizes[rows], right.sizes[columns])
    best: FloatArray = np.maximum.reduceat(scores[place], first)
    return best
