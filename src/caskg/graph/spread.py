"""Scores of distinct things, spread over the skills that have them, in blocks of bounded size.

Beneath `signals`, `flow` and `recall`. What many skills have in common is scored once.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from caskg.schema import FloatArray, IntArray

BLOCK_CELLS = 1 << 20
"""Most numbers that one block of work holds at a time, but for a single skill that needs more."""


class Grouped(Protocol):
    """Which distinct things each skill has: positions ``rows``, grouped by skill from ``start``."""

    @property
    def rows(self) -> IntArray:
        """The thing of each entry, shape ``(n_entries,)``; from 0 to the last, none is left out."""
        ...

    @property
    def start(self) -> IntArray:
        """Where the entries of each skill begin, and the end of all; shape ``(n_skills + 1,)``."""
        ...

    @property
    def count(self) -> IntArray:
        """How many entries each skill has, shape ``(n_skills,)``."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """The plain `Grouped`: positions and beginnings."""

    rows: IntArray
    start: IntArray

    @property
    def count(self) -> IntArray:
        """How many entries each skill has."""
        return np.diff(self.start)


def blocks(cost: IntArray, *, limit: int = BLOCK_CELLS) -> Iterator[IntArray]:
    """Cut positions into runs whose costs add up to about *limit*, or to that of one position.

    >>> [block.tolist() for block in blocks(np.array([2, 2, 9, 1]), limit=4)]
    [[0], [1], [2, 3]]
    """
    if len(cost):
        ends = np.flatnonzero(np.diff(np.cumsum(cost) // limit)) + 1
        yield from np.split(np.arange(len(cost)), ends)


def best_scores(
    here: Grouped,
    there: Grouped,
    rows: IntArray,
    *,
    score: Callable[[IntArray], FloatArray],
    block_cells: int = BLOCK_CELLS,
) -> FloatArray:
    """Return the best score of a thing of each row with one of each skill; 0 where either has none.

    Names such as "file" make almost every pair of skills share something. So
    distinct things are scored first, and only then spread over the skills.

    Args:
        here: What the rows have.
        there: What the columns have.
        rows: A run of consecutive skills.
        score: Scores distinct things of *here* with all distinct things of *there*, at least 0.
        block_cells: About how many numbers a block may hold.

    Returns:
        Shape ``(len(rows), n_skills)``.
    """
    values = np.zeros((len(rows), len(there.count)))
    stating, answering = np.flatnonzero(here.count[rows]), np.flatnonzero(there.count)
    if not len(answering):
        return values
    cost = here.count[rows[stating]] * (there.rows.max() + 1) + len(there.rows)
    for block in blocks(cost, limit=block_cells):
        skills = rows[stating[block]]
        first, last = here.start[skills[0]], here.start[skills[-1] + 1]
        things, place = np.unique(here.rows[first:last], return_inverse=True)
        by_row = np.maximum.reduceat(score(things)[place], here.start[skills] - first, axis=0)
        by_column = np.ascontiguousarray(by_row.T)[there.rows]  # whose rows are read as a whole: faster
        best = np.maximum.reduceat(by_column, there.start[answering], axis=0).T
        values[np.ix_(stating[block], answering)] = best
    return values
