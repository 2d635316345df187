"""Recall channels: the few pairs, out of all N^2, that are worth a closer look (method, Sections 2 and 8).

Third step of the graph half, between `signals` and `candidates`. A channel
gives each skill at the bounded end its top k partners. Scores are computed for
blocks of skills (rows) with all skills (columns), so memory stays bounded
whatever N is; content (``tie_break``) decides between equal scores.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache

import numpy as np

from caskg.config import Bound, BuildConfig
from caskg.graph.flow import feeding
from caskg.graph.inputs import GraphInputs
from caskg.graph.roles import ROLES, Role, pair_scores
from caskg.graph.signals import (
    Overlap,
    affinity,
    as_similarity,
    is_ready,
    jaccard,
    name_match,
    takes_nothing,
)
from caskg.graph.spread import BLOCK_CELLS, best_scores, blocks
from caskg.graph.statements import SparseRows, Statements
from caskg.schema import CHANNELS, BoolArray, Channel, FloatArray, IntArray

OUT = -np.inf
"""The score of a pair that a channel does not offer."""


def recall(
    inputs: GraphInputs, *, labelled: IntArray, config: BuildConfig, block_cells: int = BLOCK_CELLS
) -> tuple[IntArray, IntArray]:
    """Return the union of all channels.

    Args:
        inputs: The library as arrays.
        labelled: Pairs that someone labelled, as codes ``source * n_skills + target``.
        config: The bounds of each channel. One whose signal has weight 0 is off.
        block_cells: About how many numbers a block may hold.

    Returns:
        The pairs as sorted codes, unique and without loops, and the bit set of their channels.
    """
    found = [(Channel.LABEL, labelled)]
    if config.signals.weights.reference > 0:
        found.append((Channel.REFERENCE, inputs.mentions.needs))
    if config.signals.weights.io > 0:
        found.append((Channel.ARTIFACT, inputs.handed))
    if config.signals.weights.structural > 0:
        found.append((Channel.ORDER, inputs.stated_order))
    found += _by_score(inputs, config=config, block_cells=block_cells)
    codes, place = np.unique(np.concatenate([codes for _, codes in found]), return_inverse=True)
    channels = np.zeros(len(codes), dtype=np.int64)
    bits = np.repeat([channel_bit(channel) for channel, _ in found], [len(codes) for _, codes in found])
    np.bitwise_or.at(channels, place, bits)
    proper = codes % (inputs.n_skills + 1) != 0  # a loop's code is i * n + i
    return codes[proper], channels[proper]


def channel_bit(channel: Channel) -> int:
    """Return the bit of a channel in ``Candidates.channels``."""
    return 1 << CHANNELS.index(channel)


def top_k(scores: FloatArray, k: int, *, order: IntArray) -> tuple[IntArray, IntArray]:
    """Find the *k* highest scores of each row, `OUT` never; of equal scores the first by *order*.

    Args:
        scores: Shape ``(n_rows, n_columns)``.
        k: Most scores of a row, >= 0.
        order: The columns, in the order in which they go where scores are equal.

    Returns:
        Rows, ascending, and columns of what was found, the best of a row first.

    >>> rows, columns = top_k(np.array([[0.5, 0.9, 0.5, OUT]]), 2, order=np.array([2, 1, 0, 3]))
    >>> columns
    array([1, 2])
    """
    row, column = np.nonzero(scores > OUT)  # few: most channels offer little
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    best_first = np.lexsort((place[column], -scores[row, column], row))
    row, column = row[best_first], column[best_first]
    better = np.arange(len(row)) - np.searchsorted(row, row)  # how many of its row go before it
    return row[better < k], column[better < k]


def _by_score(
    inputs: GraphInputs, *, config: BuildConfig, block_cells: int
) -> Iterator[tuple[Channel, IntArray]]:
    """Yield the pairs of each channel that ranks by score, block by block."""
    weights, bounds = config.signals.weights, config.recall
    score = _BlockScores(inputs, config=config)
    channels: list[tuple[Channel, float, int, Callable[[IntArray], FloatArray]]] = [
        (Channel.LEXICAL, weights.lexical, bounds.lexical, score.lexical),
        (Channel.STRUCTURAL, weights.structural, bounds.structural, score.structural),
        (Channel.STRUCTURAL, weights.structural, bounds.verification, score.verification),
        (Channel.SEMANTIC, weights.semantic, bounds.semantic, score.semantic),
        (Channel.IO, weights.io, bounds.io, score.io),
        (Channel.ENABLER, weights.enabler, bounds.enabler, score.enabler),
        (Channel.READY, weights.ready, bounds.ready, score.ready),
        (Channel.MEANING, weights.meaning, bounds.meaning, score.meaning),
        (Channel.PROVIDER, weights.provider, bounds.provider, score.provider),
    ]
    by_content = np.argsort(inputs.tie_break)
    for rows in blocks(np.full(inputs.n_skills, inputs.n_skills), limit=block_cells):
        for channel, weight, most, scores in channels:
            if weight <= 0:
                continue
            values = scores(rows)
            values[np.arange(len(rows)), rows] = OUT
            row, column = top_k(values, most, order=by_content)
            source, target = (rows[row], column) if score.from_source else (column, rows[row])
            yield channel, source * inputs.n_skills + target


class _BlockScores:
    """What each channel thinks of a run of skills at the bounded end (rows) with all skills (columns).

    A channel takes consecutive rows and returns shape ``(len(rows), n_skills)``,
    `OUT` where it offers nothing.
    """

    def __init__(self, inputs: GraphInputs, *, config: BuildConfig) -> None:
        self.bounds, self.constants = config.recall, config.signals
        self.from_source = config.recall.bound is Bound.SOURCE
        self.tokens, self.roles = inputs.tokens, inputs.roles
        self.vectors = inputs.vectors.astype(np.float64)
        table = pair_scores(strong=self.constants.strong_pair, support=self.constants.support_pair)
        table = table if self.from_source else table.T
        into_verify = np.zeros_like(table, dtype=np.bool_)
        (into_verify if self.from_source else into_verify.T)[:, ROLES.index(Role.VERIFY)] = True
        self.verification_pairs, self.other_pairs = (table > 0) & into_verify, (table > 0) & ~into_verify
        # Channels of one block ask for the same tables; none changes what it got.
        self._cosines_of = lru_cache(maxsize=1)(self._count_cosines)
        self._overlaps_of = lru_cache(maxsize=2)(self._count_overlaps)
        self._feeding_of = lru_cache(maxsize=1)(self._count_feeding)
        stated, self.flow = inputs.stated, inputs.flow
        self.parameters = self._ends(stated.outputs, stated.inputs)
        nothing = takes_nothing(inputs)
        self.states = self._ends(_only(stated.gives, nothing), stated.presupposes)
        self.shares = inputs.provision.matrix(inputs.n_skills)
        self.shares = self.shares if self.from_source else self.shares.T.tocsr()
        self.ready_pair = is_ready(inputs, config=self.constants), ~nothing

    def lexical(self, rows: IntArray) -> FloatArray:
        values = self._overlaps(rows, jaccard)
        return _offer(values > self.bounds.lexical_floor, values)

    def structural(self, rows: IntArray) -> FloatArray:
        return self._role_pairs(rows, self.other_pairs)

    def verification(self, rows: IntArray) -> FloatArray:
        return self._role_pairs(rows, self.verification_pairs)

    def semantic(self, rows: IntArray) -> FloatArray:
        values = self._cosines(rows)
        return _offer(values >= self.bounds.semantic_floor, values)

    def io(self, rows: IntArray) -> FloatArray:
        values = best_matches(*self.parameters, rows, overlap=name_match)
        offered = values > 0
        if self.bounds.io_by_likeness:
            values *= self._cosines(rows) + self._overlaps(rows, jaccard)
        return _offer(offered, values)

    def enabler(self, rows: IntArray) -> FloatArray:
        values = best_matches(*self.states, rows, overlap=affinity)
        return _offer(values > 0, values)

    def ready(self, rows: IntArray) -> FloatArray:
        able, takes = self.ready_pair
        offered = np.outer(able[rows], takes) if self.from_source else np.outer(takes[rows], able)
        return _offer(offered, self._feeding(rows) + self.bounds.meaning_likeness * self._cosines(rows))

    def meaning(self, rows: IntArray) -> FloatArray:
        values = self._feeding(rows)
        return _offer(values > 0, values + self.bounds.meaning_likeness * self._cosines(rows))

    def provider(self, rows: IntArray) -> FloatArray:
        values: FloatArray = self.shares[rows].toarray()
        return _offer(values > 0, values)

    def _ends(self, source: Statements, target: Statements) -> tuple[Statements, Statements]:
        """Return the statements of the bounded end, then those of the other."""
        return (source, target) if self.from_source else (target, source)

    def _cosines(self, rows: IntArray) -> FloatArray:
        return self._cosines_of(int(rows[0]), int(rows[-1]) + 1)

    def _overlaps(self, rows: IntArray, overlap: Overlap) -> FloatArray:
        return self._overlaps_of(int(rows[0]), int(rows[-1]) + 1, overlap)

    def _feeding(self, rows: IntArray) -> FloatArray:
        return self._feeding_of(int(rows[0]), int(rows[-1]) + 1)

    def _count_feeding(self, first: int, end: int) -> FloatArray:
        return feeding(self.flow, np.arange(first, end), into=not self.from_source)

    def _count_cosines(self, first: int, end: int) -> FloatArray:
        return as_similarity(self.vectors[first:end] @ self.vectors.T)

    def _count_overlaps(self, first: int, end: int, overlap: Overlap) -> FloatArray:
        return overlaps(self.tokens[first:end], self.tokens, overlap=overlap)

    def _role_pairs(self, rows: IntArray, pairs: BoolArray) -> FloatArray:
        """Rank some role pairs by affinity."""
        values = self._overlaps(rows, affinity)
        paired = pairs[np.ix_(self.roles[rows], self.roles)] & (values >= self.constants.affinity_floor)
        return _offer(paired, values)


def best_matches(
    here: Statements,
    there: Statements,
    rows: IntArray,
    *,
    overlap: Overlap,
    block_cells: int = BLOCK_CELLS,
) -> FloatArray:
    """Return the best overlap of a statement of each row with one of each skill; 0 where either is silent.

    Args:
        here: Statements of the rows.
        there: Statements of the columns.
        rows: A run of consecutive skills.
        overlap: Scores two token sets.
        block_cells: About how many numbers a block may hold.

    Returns:
        Shape ``(len(rows), n_skills)``, in ``[0, 1]``.
    """

    def score(sets: IntArray) -> FloatArray:
        return overlaps(here.sets[sets], there.sets, overlap=overlap)

    return best_scores(here, there, rows, score=score, block_cells=block_cells)


def overlaps(rows: SparseRows, columns: SparseRows, *, overlap: Overlap) -> FloatArray:
    """Score each row with each column; who shares nothing gets 0 without being looked at."""
    shared = (rows @ columns.T).tocsr()
    row = np.repeat(np.arange(shared.shape[0]), np.diff(shared.indptr))
    left, right = np.diff(rows.indptr)[row], np.diff(columns.indptr)[shared.indices]
    shared.data = overlap(shared.data, left, right)
    return shared.toarray()


def _only(statements: Statements, skills: BoolArray) -> Statements:
    """Keep the statements of the marked skills."""
    kept = np.repeat(skills, statements.count)
    start = np.concatenate([[0], np.cumsum(statements.count * skills)])
    return replace(statements, rows=statements.rows[kept], start=start)


def _offer(offered: BoolArray, values: FloatArray) -> FloatArray:
    return np.where(offered, values, OUT)
