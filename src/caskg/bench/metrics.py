"""How good one answer is: measures over the ids that were found, best first.

A measure that a task does not ask for is None, never 0 or 1: it enters no mean.
"""

import math
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Sequence
from itertools import combinations
from typing import TypeVar

Id = TypeVar("Id", bound=Hashable)


def recall(found: Collection[Id], wanted: Collection[Id]) -> float | None:
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
    return pairs_in_order(found, list(combinations(order, 2)))


def pairs_in_order(found: Sequence[Id], pairs: Collection[tuple[Id, Id]]) -> float | None:
    """Return the share of *pairs* of which both were found, the first before the second, in ``[0, 1]``.

    >>> pairs_in_order(["a", "b"], [("a", "b"), ("b", "a"), ("a", "c"), ("b", "c")])
    0.25
    """
    place = {skill_id: at for at, skill_id in enumerate(found)}
    right = [first in place and then in place and place[first] < place[then] for first, then in pairs]
    return sum(right) / len(right) if right else None


def closure(found: Collection[Id], pairs: Collection[tuple[Id, Id]]) -> float | None:
    """Return the share of *pairs* of which both were found, in whatever order, in ``[0, 1]``.

    >>> closure(["b", "a"], [("a", "b"), ("a", "c")]), closure(["a"], [])
    (0.5, None)
    """
    have = set(found)
    return sum(set(pair) <= have for pair in pairs) / len(pairs) if pairs else None


def whole_set(found: Collection[Id], wanted: Collection[Id]) -> float | None:
    """Return 1 where all of *wanted* was found, else 0.

    >>> whole_set(["a", "b"], ["a"]), whole_set(["a"], ["a", "b"]), whole_set(["a"], [])
    (1.0, 0.0, None)
    """
    return float(set(wanted) <= set(found)) if wanted else None


def ndcg(found: Sequence[Id], wanted: Collection[Id], *, k: int) -> float | None:
    """Return the discounted cumulative gain of the first *k*, as a share of the best possible.

    A wanted skill at rank r adds ``1 / log2(r + 1)``; the best answer has all wanted skills first.

    >>> round(ndcg(["x", "a"], ["a"], k=10), 4)
    0.6309
    """
    want = set(wanted)
    gains = [1 / math.log2(rank + 1) for rank in range(1, k + 1)]
    got = sum(gain for gain, skill_id in zip(gains, found, strict=False) if skill_id in want)
    return got / sum(gains[: len(want)]) if want else None


def concentration(bundles: Iterable[Collection[Id]]) -> tuple[Id, float] | None:
    """Return the skill that is in the most bundles, and in which share of all; the first of equals.

    >>> concentration([["a", "b"], ["b"], []])
    ('b', 0.6666666666666666)
    """
    counts: Counter[Id] = Counter()
    n_bundles = 0
    for bundle in bundles:
        counts.update(list(dict.fromkeys(bundle)))
        n_bundles += 1
    if not counts:
        return None
    most, count = counts.most_common(1)[0]
    return most, count / n_bundles


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
