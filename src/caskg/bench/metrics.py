"""How good one answer is: measures over the ids that were found, best first.

A measure that a task does not ask for is None, never 0 or 1: it enters no mean.
"""

from collections.abc import Collection, Sequence
from itertools import combinations


def recall(found: Collection[str], wanted: Collection[str]) -> float | None:
    """Return the share of *wanted* that was found, in ``[0, 1]``.

    >>> recall(["a", "c"], ["a", "b"]), recall(["a"], [])
    (0.5, None)
    """
    return len(set(wanted) & set(found)) / len(set(wanted)) if wanted else None


def violations(found: Collection[str], forbidden: Collection[str]) -> int | None:
    """Return how many of *forbidden* were found.

    >>> violations(["a", "c"], ["c", "d"]), violations(["a"], [])
    (1, None)
    """
    return len(set(forbidden) & set(found)) if forbidden else None


def order_accuracy(found: Sequence[str], order: Sequence[str]) -> float | None:
    """Return the share of all pairs of *order* that were found in this order, in ``[0, 1]``.

    A pair of which one was not found is not in order: to leave a step out is no way to get it right.

    >>> order_accuracy(["a", "c", "b"], ["a", "b", "c"]), order_accuracy(["a"], ["a"])
    (0.6666666666666666, None)
    """
    place = {skill_id: at for at, skill_id in enumerate(found)}
    pairs = list(combinations(order, 2))
    right = [first in place and then in place and place[first] < place[then] for first, then in pairs]
    return sum(right) / len(pairs) if pairs else None


def success(
    *, found_share: float | None, n_forbidden: int | None, ordered_share: float | None
) -> float | None:
    """Return 1 where everything that a task asks is so, else 0: all found, none forbidden, all in order.

    Args:
        found_share: Its `recall`.
        n_forbidden: Its `violations`.
        ordered_share: Its `order_accuracy`.

    >>> success(found_share=1.0, n_forbidden=0, ordered_share=None)
    1.0
    """
    met = [
        asked == wanted
        for asked, wanted in ((found_share, 1.0), (n_forbidden, 0), (ordered_share, 1.0))
        if asked is not None
    ]
    return float(all(met)) if met else None
