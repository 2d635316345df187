"""Which candidates the budget is spent on: the frontier F (method, Section 3).

Stands between `candidates` and `probes`. The budget counts edges. An edge
outside the frontier stays unvalidated; that is never a verdict against it.
"""

import numpy as np

from caskg.config import FrontierConfig
from caskg.errors import UsageError
from caskg.schema import Candidates, IntArray


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
    best_first = (
        -candidates.association,
        tie_break[candidates.source],
        tie_break[candidates.target],
    )
    return np.lexsort(best_first[::-1])[:budget]


def _check(budget: int) -> None:
    if budget < 0:
        msg = f"The probing budget is {budget}: give a number of edges, 0 or more."
        raise UsageError(msg)
