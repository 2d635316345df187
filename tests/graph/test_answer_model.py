"""What a judge takes an edge for: rates from labelled pairs, chances by Bayes, a prior from other edges."""

import numpy as np
import pytest

from caskg.config import VerifierConfig
from caskg.graph.answer_model import (
    EDGE,
    NONE,
    SILENT,
    Answers,
    Clues,
    fit_rates,
    likelihood,
    minds,
    outcomes,
    shares,
)
from caskg.schema import BoolArray, FloatArray

NAN = np.nan
CHANCES = np.array([[[0.8, 0.1, 0.1]] * 3, [[0.2, 0.1, 0.7]] * 3])
CONFIG = VerifierConfig()


def said(effects: list[list[float]], *, unasked: tuple[tuple[int, int], ...] = ()) -> Answers:
    values = np.array(effects)
    asked = np.ones(values.shape, dtype=np.bool_)
    for cell in unasked:
        asked[cell] = False
    return Answers(effects=values, asked=asked, chances=CHANCES[:, : values.shape[1]], missing=0.05)


def test_an_answer_speaks_by_its_side_of_one_half() -> None:
    """However far; exactly there it says neither."""
    assert outcomes(np.array([0.0, 0.49, 0.5, 0.51, 1.0, NAN])).tolist() == [0, 0, 1, 2, 2, -1]


def test_the_likelihood_is_the_product_over_what_was_asked() -> None:
    """A missing answer has its own chance, what was not asked has none; who cannot tell says nothing."""
    found = likelihood(said([[1.0, 0.0, 0.5], [NAN, 1.0, NAN], [NAN, NAN, NAN]], unasked=((1, 2),)))
    spoken = 0.95**3
    expected = [
        [0.1 * 0.8 * 0.1 * spoken, 0.7 * 0.2 * 0.1 * spoken, 0.0],
        [0.05 * 0.1 * 0.95, 0.05 * 0.7 * 0.95, 0.0],
        [0.05**3, 0.05**3, 1.0],
    ]
    assert found == pytest.approx(np.array(expected))


def test_an_edge_nobody_asked_about_has_the_prior() -> None:
    """And is no part of the shares."""
    answers = said([[1.0]] * 6 + [[NAN]], unasked=((6, 0),))
    found = minds(answers, known=None, config=CONFIG)
    assert found[6] == pytest.approx(shares(likelihood(answers)[:6]))
    assert found.sum(axis=1) == pytest.approx(np.ones(7))


def test_minds_follow_from_bayes() -> None:
    """By hand from the shares."""
    answers = said([[1.0, 1.0, 1.0]] * 3 + [[0.0, 0.0, 0.0]] * 6 + [[0.0, 1.0, NAN]])
    likely = likelihood(answers)
    share = shares(likely)
    weighed = likely * share
    assert minds(answers, known=None, config=CONFIG) == pytest.approx(
        weighed / weighed.sum(axis=1, keepdims=True)
    )
    assert share[NONE] > share[EDGE] > share[SILENT]


def test_the_shares_are_a_fixed_point() -> None:
    """Of: the mean chance of each mind, with one more edge of each."""
    rng = np.random.default_rng(0)
    likely = rng.random((40, 3))
    share = shares(likely)
    weighed = likely * share
    again = ((weighed / weighed.sum(axis=1, keepdims=True)).sum(axis=0) + 1.0) / 43.0
    assert share == pytest.approx(again, abs=1e-3)
    assert shares(np.zeros((0, 3))).tolist() == pytest.approx([1 / 3] * 3)


def noisy(n: int, *, wrong: float, absent: float, seed: int = 0) -> tuple[FloatArray, BoolArray]:
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.3
    effects = (truth[:, None] ^ (rng.random((n, 3)) < wrong)).astype(np.float64)
    effects[rng.random((n, 3)) < absent] = NAN
    return effects, truth


def test_rates_are_found_again() -> None:
    """Of a judge that errs once in ten and is silent once in twenty."""
    effects, truth = noisy(4000, wrong=0.1, absent=0.05)
    rates = fit_rates(effects, truth)
    assert rates.chances[NONE] == pytest.approx(np.array([[0.9, 0.0, 0.1]] * 3), abs=0.02)
    assert rates.chances[EDGE] == pytest.approx(np.array([[0.1, 0.0, 0.9]] * 3), abs=0.04)
    assert rates.missing == pytest.approx(0.05, abs=0.01)
    assert rates.chances.sum(axis=2) == pytest.approx(np.ones((2, 3)))


def test_rates_are_of_the_mind_and_not_of_the_truth() -> None:
    """A judge that errs about whole pairs, and never belies itself, answers without fault."""
    truth = np.arange(200) < 60
    mind = truth ^ (np.arange(200) % 10 == 0)
    rates = fit_rates(np.repeat(mind[:, None], 3, axis=1).astype(np.float64), truth)
    assert rates.chances[EDGE, :, 2].min() > 0.95
    assert rates.chances[NONE, :, 0].min() > 0.95


def test_pairs_without_an_answer_teach_nothing() -> None:
    """What was never seen keeps an even chance, and missing is counted among answered pairs."""
    silent = fit_rates(np.full((9, 3), NAN), np.ones(9, dtype=np.bool_))
    assert silent.chances == pytest.approx(np.full((2, 3, 3), 1 / 3))
    assert silent.missing == 0.5
    some = np.array([[1.0, 1.0, NAN]] * 10 + [[NAN] * 3] * 10)
    assert fit_rates(some, np.ones(20, dtype=np.bool_)).missing == pytest.approx(11 / 32)


# ---------------------------------------------------------------- the prior


def world(n: int, *, signal: float) -> tuple[Answers, Clues]:
    """Edges out of one half of the sources are edges; a feature tells with the weight *signal*."""
    rng = np.random.default_rng(1)
    source, target = np.arange(n) % 10, 10 + np.arange(n)
    is_edge = source < 5
    effects = np.where(is_edge, 1.0, 0.0)[:, None]
    effects[::7] = NAN
    known = Clues(
        features=(signal * is_edge + rng.random(n))[:, None],
        source=source,
        target=target,
        vectors=np.ones((10 + n, 1), dtype=np.float32),
        fold=np.arange(n) // 10 % 5,
    )
    return said(effects.tolist()), known


@pytest.mark.parametrize("signal", [0.0, 3.0])
def test_edges_without_an_answer_are_known_by_others(signal: float) -> None:
    """By what was said of other edges out of their source, or by their signals."""
    answers, known = world(140, signal=signal)
    mind = minds(answers, known=known, config=CONFIG)
    silent = np.isnan(answers.effects[:, 0])
    chance = mind[:, EDGE] / (mind[:, EDGE] + mind[:, NONE])
    likely, unlikely = chance[silent & (known.source < 5)], chance[silent & (known.source >= 5)]
    assert likely.min() > unlikely.max()
    flat = minds(answers, known=None, config=CONFIG)
    assert np.ptp(flat[silent, EDGE]) == 0.0


def test_the_reverse_edge_is_heard() -> None:
    """Where nothing else tells: of two skills one supports the other, not both."""
    n = 60
    rng = np.random.default_rng(2)
    a, b = 2 * np.arange(n), 2 * np.arange(n) + 1
    forward = rng.random(n) < 0.5
    effects = np.concatenate([forward, ~forward]).astype(np.float64)[:, None]
    effects[:20] = NAN
    known = Clues(
        features=np.zeros((2 * n, 1)),
        source=np.concatenate([a, b]),
        target=np.concatenate([b, a]),
        vectors=np.zeros((2 * n, 1), dtype=np.float32),
        fold=np.arange(2 * n) % 5,
    )
    chance = minds(said(effects.tolist()), known=known, config=CONFIG)[:20, EDGE]
    assert chance[forward[:20]].min() > chance[~forward[:20]].max() + 0.01


def test_an_edge_has_no_say_in_its_own_prior() -> None:
    """Nor any into the same fold: turning one answer round leaves the others of its fold as they were."""
    answers, known = world(100, signal=1.0)
    before = minds(answers, known=known, config=CONFIG)
    turned = answers.effects.copy()
    turned[38] = 1.0 - turned[38]
    after = minds(said(turned.tolist()), known=known, config=CONFIG)
    ratio = (before[:, EDGE] / before[:, NONE], after[:, EDGE] / after[:, NONE])
    same = (known.fold == 3) & (np.arange(100) != 38)
    assert ratio[0][same] == pytest.approx(ratio[1][same], rel=0.2)  # but for the shares
    assert known.fold[38] == 3


@pytest.mark.parametrize(("n_edges", "learns"), [(19, False), (20, True)])
def test_few_answers_of_one_kind_teach_nothing(n_edges: int, learns: bool) -> None:  # noqa: FBT001 - a case
    """With fewer than twenty the prior is the share of all."""
    n = n_edges + 40
    effects = np.where(np.arange(n) < n_edges, 1.0, 0.0)
    answers = said([[value] for value in effects] + [[NAN], [NAN]])
    known = Clues(
        features=np.concatenate([effects, [1.0, 0.0]])[:, None],
        source=np.arange(n + 2),
        target=np.arange(n + 2) + n + 2,
        vectors=np.zeros((2 * n + 4, 1), dtype=np.float32),
        fold=np.arange(n + 2) % 5,
    )
    likely, unlikely = minds(answers, known=known, config=CONFIG)[-2:, EDGE]
    assert bool(likely > unlikely) is learns
