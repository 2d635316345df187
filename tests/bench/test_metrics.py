"""Measures against tables that were worked out by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caskg.bench.metrics import order_accuracy, recall, success, violations


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
