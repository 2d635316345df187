"""The measures against hand-worked cases and independent oracles, and what answers are worth."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from caskg.config import EvidenceConfig
from caskg.graph.judge_check import (
    Direction,
    Share,
    Verdicts,
    auc,
    calibration_error,
    direction_of,
    judge_report,
    pair_effects,
    reliability_at,
    standard_errors,
    worth,
)
from caskg.graph.labelled_set import PairKind, labelled_set
from caskg.schema import PROBE_KINDS, ProbeAnswer, ProbeKey

SET = labelled_set()
HASHES = [skill.content_hash for skill in SET.skills]
CONFIG = EvidenceConfig()
Rule = Callable[[int, PairKind], float | None]


def answers(rule: Rule, *, n_probes: int = 3) -> dict[ProbeKey, ProbeAnswer]:
    """Return the same score for all probes of each pair."""
    said = {}
    for at, kind in enumerate(SET.kinds):
        score = rule(at, kind)
        for probe in PROBE_KINDS[:n_probes]:
            key = ProbeKey(
                HASHES[SET.source[at]], HASHES[SET.target[at]], "", probe, "plain", "paper-1", "llm"
            )
            reason = None if score is not None else "cannot tell"
            said[key] = ProbeAnswer(score=score, source_id="llm", missing_reason=reason, calls=1, tokens=9)
    return said


def right(_: int, kind: PairKind) -> float:
    return 1.0 if kind is PairKind.PREREQUISITE else 0.0


def test_a_perfect_judge_is_worth_three() -> None:
    """AUC 1, every direction, no error; 48 confirmed, 120 rejected with two and with three units."""
    report = judge_report(answers(right), SET)
    assert report.units == 3
    assert (report.auc, report.auc_declared, report.auc_undeclared) == (1.0, 1.0, 1.0)
    assert report.direction == Direction(right=48, wrong=0, tied=0)
    assert report.direction.accuracy == 1.0
    assert (report.ece, report.brier) == (0.0, 0.0)
    none, all_right = Share(right=0, of=0), Share(right=48, of=48)
    assert report.verdicts == (
        Verdicts(units=1, confirmed=none, rejected=none),
        Verdicts(units=2, confirmed=all_right, rejected=Share(right=120, of=120)),
        Verdicts(units=3, confirmed=all_right, rejected=Share(right=120, of=120)),
    )
    assert (report.cost.answers, report.cost.missing) == (504, 0)
    assert (report.cost.calls, report.cost.tokens) == (504, 504 * 9)


THREES = ((0.1, 0.2, 0.3), (0.3, 0.2, 0.1), (0.2, 0.2, 0.2))
"""Their means are one fifth, which floats do not all agree on."""


def test_means_that_are_equal_are_ties() -> None:
    """Whatever the order of their sums: no direction, no rank."""
    assert len({float(np.mean(three)) for three in THREES}) > 1
    said = {}
    for at in range(len(SET)):
        for probe, score in zip(PROBE_KINDS, THREES[at % 3], strict=True):
            ends = HASHES[SET.source[at]], HASHES[SET.target[at]]
            said[ProbeKey(*ends, "", probe, "plain", "paper-1", "llm")] = ProbeAnswer(
                score=score, source_id="llm"
            )
    report = judge_report(said, SET)
    assert report.direction == Direction(right=0, wrong=0, tied=48)
    assert (report.auc, report.auc_declared, report.auc_undeclared, report.units) == (0.5, 0.5, 0.5, 0)


def test_what_was_not_asked_is_counted() -> None:
    """A missing answer is one; without a number of questions nothing is known to be left."""
    said = answers(lambda at, _: None if at % 2 else 1.0)
    assert judge_report(said, SET).unasked == 0
    assert judge_report(said, SET, n_questions=504).unasked == 0
    some = dict(list(said.items())[:100])
    assert judge_report(some, SET, n_questions=504).unasked == 404
    assert judge_report(some, SET, n_questions=99).unasked == 0


def test_a_row_for_each_kind() -> None:
    """What it says of prerequisites, and of each way to be none."""
    scores = dict(zip(PairKind, (0.9, 0.1, 0.5, None, 0.3), strict=True))
    report = judge_report(answers(lambda _, kind: scores[kind]), SET)
    rows = [(row.kind.value, row.n_pairs, row.n_answered, row.mean) for row in report.kinds]
    assert [row[:3] for row in rows] == [
        ("prerequisite", 48, 48),
        ("reversed", 48, 48),
        ("interchangeable", 24, 24),
        ("independent", 24, 0),
        ("unrelated", 24, 24),
    ]
    assert [row[3] for row in rows[:3]] == pytest.approx([0.9, 0.1, 0.5])
    assert rows[3][3] is None
    # Mass .8 * 3 = 2.4: c = 3.4 / 4.4 = .773; .4 * 3 = 1.2: c = 1 - 2.2 / 3.2 = .3125
    assert [(row.n_confirmed, row.n_rejected) for row in report.kinds] == [
        (48, 0),
        (0, 48),
        (0, 0),
        (0, 0),
        (0, 0),
    ]
    assert report.cost.missing == 72


def test_one_opinion_is_worth_one() -> None:
    """However good: the text prober, or a wording of one question."""
    assert judge_report(answers(right), SET, opinions=1).units == 1
    assert judge_report(answers(right, n_probes=1), SET, opinions=2).units == 2


def test_a_judge_without_answers_is_not_used() -> None:
    """It is at chance, and has no calibration."""
    for said in ({}, answers(lambda _at, _kind: None)):
        report = judge_report(said, SET)
        assert (report.units, report.auc, report.ece, report.brier) == (0, 0.5, None, None)
        assert report.direction == Direction(right=0, wrong=0, tied=48)
        assert report.direction.accuracy == 0.5


def test_a_judge_that_is_blind_to_direction_is_not_used() -> None:
    """It knows what belongs together, and not which comes first."""
    related = (PairKind.PREREQUISITE, PairKind.REVERSED)
    report = judge_report(answers(lambda _, kind: 1.0 if kind in related else 0.0), SET)
    assert report.auc == 0.8
    assert report.units == 0


def test_a_judge_that_says_the_opposite_is_not_used() -> None:
    """Below chance is not above it."""
    report = judge_report(answers(lambda at, kind: 1.0 - right(at, kind)), SET)
    assert (report.units, report.auc) == (0, 0.0)


def test_a_timid_judge_is_worth_less() -> None:
    """Right in all, but too quiet to be confirmed by: it may rank."""
    report = judge_report(answers(lambda at, kind: 0.6 if right(at, kind) else 0.4), SET)
    assert (report.auc, report.units) == (1.0, 1)
    assert report.ece == pytest.approx(0.4)
    assert report.brier == pytest.approx(0.16)


def test_a_judge_that_is_often_wrong_when_it_is_quiet_is_worth_two() -> None:
    """Loud where it is right, less loud where it errs: with three units it would confirm its errors."""

    def rule(at: int, kind: PairKind) -> float:
        if kind is PairKind.PREREQUISITE:
            return 1.0
        return 0.75 if kind is PairKind.INTERCHANGEABLE or at % 4 == 0 else 0.0

    report = judge_report(answers(rule), SET)
    two, three = report.verdicts[1:]
    assert two.confirmed == Share(right=48, of=48)
    assert three.confirmed.of > 60
    assert report.units == 2


# ---------------------------------------------------------------- the rule

FINE = Share(right=8, of=10)
SURE = Direction(right=30, wrong=10, tied=8)


def at(units: int, confirmed: Share, rejected: Share = FINE) -> Verdicts:
    return Verdicts(units=units, confirmed=confirmed, rejected=rejected)


@pytest.mark.parametrize(
    ("two", "three", "units"),
    [
        (at(2, FINE), at(3, FINE), 3),
        (at(2, FINE), at(3, Share(right=79, of=100)), 2),
        (at(2, FINE), at(3, FINE, Share(right=79, of=100)), 2),
        (at(2, FINE), at(3, FINE, Share(right=0, of=0)), 3),
        (at(2, Share(right=9, of=9)), at(3, Share(right=9, of=9)), 1),
        (at(2, Share(right=7, of=10)), at(3, FINE), 3),
        (at(2, Share(right=7, of=10)), at(3, Share(right=7, of=10)), 1),
        (at(2, FINE), at(3, FINE, Share(right=0, of=5)), 2),
    ],
)
def test_worth_is_the_most_units_with_four_in_five_right(two: Verdicts, three: Verdicts, units: int) -> None:
    """Of at least ten confirmed; where nothing is rejected nothing is rejected wrongly."""
    assert worth(3.0, SURE, [at(1, FINE), two, three]) == units


@pytest.mark.parametrize(
    ("errors", "direction", "units"),
    [
        (1.646, SURE, 3),
        (1.645, SURE, 0),
        (3.0, Direction(right=1, wrong=0, tied=47), 0),
        (3.0, Direction(right=3, wrong=0, tied=45), 3),
        (3.0, Direction(right=24, wrong=24, tied=0), 0),
        (3.0, Direction(right=0, wrong=0, tied=48), 0),
    ],
)
def test_at_chance_it_is_nothing(errors: float, direction: Direction, units: int) -> None:
    """1.645 standard errors, for what is an edge and for its direction; ties say nothing."""
    assert worth(errors, direction, [at(1, FINE), at(2, FINE), at(3, FINE)]) == units


def test_ties_count_half_in_the_accuracy_and_not_in_the_test() -> None:
    """(30 + 4) / 48, and (30 - 10) / sqrt(40)."""
    assert SURE.accuracy == pytest.approx(34 / 48)
    assert SURE.beyond_chance == pytest.approx(20 / 40**0.5)
    assert Share(right=0, of=0).value is None
    assert Share(right=3, of=4).value == 0.75


# ---------------------------------------------------------------- oracles

scored = st.lists(
    st.tuples(st.sampled_from([0.0, 0.2, 0.5, 0.7, 1.0]), st.booleans()), min_size=1, max_size=30
)


@given(scored)
def test_the_auc_is_the_rank_sum(drawn: list[tuple[float, bool]]) -> None:
    """As scipy's Mann-Whitney counts it; without both sorts it says nothing."""
    scores, truth = np.array([s for s, _ in drawn]), np.array([t for _, t in drawn])
    if truth.all() or not truth.any():
        assert auc(scores, truth) == 0.5
        return
    statistic = stats.mannwhitneyu(scores[truth], scores[~truth]).statistic
    assert auc(scores, truth) == pytest.approx(statistic / (truth.sum() * (~truth).sum()))


def test_the_standard_error_is_that_of_equal_distributions() -> None:
    """Of 48 against 120: sqrt(169 / (12 * 48 * 120))."""
    truth = SET.is_edge
    assert standard_errors(truth.astype(float), truth) == pytest.approx(0.5 / (169 / (12 * 5760)) ** 0.5)
    assert standard_errors(np.full(168, 0.5), truth) == 0.0


def test_calibration_is_measured_within_ten_bins() -> None:
    """[.9, 1] is one: gaps .9 - 1 and 1 - 0 meet there; .05 stands alone."""
    found = calibration_error(np.array([0.9, 1.0, 0.05]), np.array([True, False, False]))
    assert found == pytest.approx((abs(0.9 + 1.0 - 1.0) + 0.05) / 3)
    apart = calibration_error(np.array([0.89, 0.9]), np.array([False, True]))
    assert apart == pytest.approx((0.89 + 0.1) / 2)


def test_directions_are_compared_with_the_reverse() -> None:
    """Higher, lower, the same."""
    scores = np.full(168, 0.5)
    first, second, third = np.flatnonzero(SET.is_edge)[:3]
    scores[first], scores[second] = 0.6, 0.4
    scores[third] = scores[SET.reverse_of()[third]] = 0.9
    assert direction_of(scores, SET) == Direction(right=1, wrong=1, tied=46)


def test_reliability_is_as_if_the_answers_were_worth_so_much() -> None:
    """One answer or three: mean mass times U. Missing: 1/2."""
    effects = np.array([[1.0, 1.0, 1.0], [0.75, np.nan, np.nan], [np.nan] * 3, [0.5, np.nan, np.nan]])
    found = reliability_at(effects, units=2, config=CONFIG)
    assert found == pytest.approx([0.75, 2 / 3, 0.5, 0.5])


def test_effects_are_contrasted_with_their_control() -> None:
    """What the ledger keeps are coherences."""
    assert np.isnan(pair_effects({}, SET)).all()
    said = answers(right)
    assert pair_effects(said, SET)[SET.is_edge].min() == 1.0
    coherences = {key._replace(arm="coherence"): answer for key, answer in said.items()}
    assert np.isnan(pair_effects(coherences, SET)).all()
