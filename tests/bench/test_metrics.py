"""Measures against tables that were worked out by hand."""

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caskg.bench.metrics import (
    closure,
    concentration,
    ndcg,
    order_accuracy,
    pairs_in_order,
    recall,
    success,
    violations,
    whole_set,
)


@pytest.mark.parametrize(
    ("found", "wanted", "value"),
    [
        ("abc", "a", 1.0),
        ("abc", "ad", 0.5),
        ("abc", "de", 0.0),
        ("", "abc", 0.0),
        ("abc", "abcd", 0.75),
        ("abc", "add", 0.5),
        ("abc", "", None),
        ("", "", None),
    ],
)
def test_recall_is_the_share_of_the_wanted_that_was_found(
    found: str, wanted: str, value: float | None
) -> None:
    """However much else was found; a task that wants nothing is not asked."""
    assert recall(found, wanted) == value


@pytest.mark.parametrize(
    ("found", "forbidden", "value"), [("abc", "cd", 1), ("abc", "bcc", 2), ("abc", "d", 0), ("abc", "", None)]
)
def test_violations_are_counted(found: str, forbidden: str, value: int | None) -> None:
    """Each forbidden skill once."""
    assert violations(found, forbidden) == value


@pytest.mark.parametrize(
    ("found", "order", "value"),
    [
        ("abc", "abc", 1.0),
        ("cba", "abc", 0.0),
        ("acb", "abc", 2 / 3),
        ("xaybz", "ab", 1.0),
        ("ab", "abc", 1 / 3),
        ("bc", "abc", 1 / 3),
        ("c", "abc", 0.0),
        ("", "ab", 0.0),
        ("dabc", "abcd", 0.5),
        ("abc", "a", None),
        ("abc", "", None),
    ],
)
def test_order_counts_all_pairs_and_those_not_found_as_wrong(
    found: str, order: str, value: float | None
) -> None:
    """Leaving a step out must not pay; one skill alone has no order."""
    assert order_accuracy(found, order) == value


@given(st.permutations("abcdef"))
def test_order_of_all_is_kendalls_tau_moved_to_0_1(found: list[str]) -> None:
    """An oracle of its own kind: tau = 2 accuracy - 1 where all were found."""
    from scipy.stats import kendalltau

    tau = kendalltau(range(6), ["abcdef".index(each) for each in found]).statistic
    assert order_accuracy(found, "abcdef") == pytest.approx((tau + 1) / 2)


@pytest.mark.parametrize(
    ("share", "forbidden", "ordered", "value"),
    [
        (1.0, 0, 1.0, 1.0),
        (1.0, None, None, 1.0),
        (None, 0, None, 1.0),
        (None, None, 1.0, 1.0),
        (0.99, 0, 1.0, 0.0),
        (1.0, 1, 1.0, 0.0),
        (1.0, 0, 0.99, 0.0),
        (0.0, None, None, 0.0),
        (None, None, None, None),
    ],
)
def test_success_is_everything_that_was_asked(
    share: float | None, forbidden: int | None, ordered: float | None, value: float | None
) -> None:
    """One thing amiss is none."""
    assert success(found_share=share, n_forbidden=forbidden, ordered_share=ordered) == value


# ---------------------------------------------------------------- gold sets

runs = st.permutations("abcdefghijkl")
golds = st.sets(st.sampled_from("abcdefghijklmno"), min_size=1)


@given(runs, golds, st.sampled_from([5, 10, 20]))
def test_recall_and_ndcg_are_those_of_ir_measures(run: list[str], gold: set[str], k: int) -> None:
    """Binary gold, one topic."""
    qrels = {"q": dict.fromkeys(sorted(gold), 1)}
    scores = {"q": {skill_id: float(-at) for at, skill_id in enumerate(run)}}
    r, g = ir_measures.R @ k, ir_measures.nDCG @ k
    oracle = ir_measures.calc_aggregate([r, g], qrels, scores)
    assert recall(run[:k], gold) == pytest.approx(oracle[r])
    assert ndcg(run, gold, k=k) == pytest.approx(oracle[g])


def test_nothing_wanted_has_no_measure() -> None:
    """It is neither found nor missed."""
    assert (ndcg("a", "", k=5), whole_set("a", ""), closure("a", []), pairs_in_order("a", [])) == (None,) * 4


@pytest.mark.parametrize(
    ("found", "pairs", "in_order", "closed"),
    [
        ("ab", ["ab"], 1.0, 1.0),
        ("ba", ["ab"], 0.0, 1.0),
        ("ac", ["ab"], 0.0, 0.0),
        ("b", ["ab", "bc"], 0.0, 0.0),
        ("abc", ["ab", "cb", "ca", "bd"], 0.25, 0.75),
    ],
)
def test_links_are_closed_where_both_ends_are_there_and_in_order_where_the_source_is_first(
    found: str, pairs: list[str], in_order: float, closed: float
) -> None:
    """A link with a missing end is neither."""
    links = [(pair[0], pair[1]) for pair in pairs]
    assert (pairs_in_order(found, links), closure(found, links)) == (in_order, closed)


def test_the_most_common_skill_counts_once_a_bundle() -> None:
    """Empty bundles are bundles too."""
    assert concentration(["aab", "b", "", "cb"]) == ("b", 0.75)
    assert concentration(["", ""]) is None
    assert concentration([]) is None
