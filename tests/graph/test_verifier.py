"""What assessed edges teach about others, and when that is not to be trusted."""

from dataclasses import replace

import numpy as np
import pytest

from caskg.config import BuildConfig, VerifierConfig
from caskg.graph.logistic import sigmoid
from caskg.graph.signals import pair_signals
from caskg.graph.verifier import (
    DIRECTED,
    SIGNALS,
    Verifier,
    assessed,
    calibration_error,
    deal,
    fit_verifier,
    share_of_best,
    skill_over_base_rate,
    verifier_features,
    verify,
)
from caskg.schema import (
    EDGE_STATES,
    BoolArray,
    Candidates,
    CodeArray,
    EdgeState,
    FloatArray,
    IntArray,
    Reliability,
    Signal,
)
from factories import make_skill
from graph.graph_cases import read

CONFIG = VerifierConfig()

# ---------------------------------------------------------------- features


def signal(*values: float | None) -> Signal:
    return Signal(
        value=np.array([0.99 if value is None else value for value in values]),
        active=np.array([value is not None for value in values]),
    )


def candidates(**signals: Signal) -> Candidates:
    """Return the edges 0 -> 2, 1 -> 2, 0 -> 1."""
    return Candidates(
        n_skills=3,
        source=np.array([0, 1, 0]),
        target=np.array([2, 2, 1]),
        association=np.array([0.2, 0.8, 0.5]),
        types=np.zeros(3, dtype=np.int8),
        channels=np.ones(3, dtype=np.int64),
        signals=signals,
    )


def column(features: FloatArray, name: str, part: int = 0) -> list[float]:
    """Return a column: of each signal the value, whether active, the share, and the difference."""
    widths = [4 if each in DIRECTED else 3 for each in SIGNALS]
    at = sum(widths[: SIGNALS.index(name)]) + part
    return [float(value) for value in features[:, at]]


def test_a_signal_gives_value_activity_share_and_difference() -> None:
    """Of the reverse too only what is active counts."""
    features = verifier_features(
        candidates(io=signal(0.5, 1.0, None), semantic=signal(0.3, 0.6, 0.9)), {"io": signal(0.85, None, 0.5)}
    )
    assert [column(features, "io", part) for part in range(4)] == [
        [0.5, 1.0, 0.0],
        [1.0, 1.0, 0.0],
        [0.5, 1.0, 0.0],
        pytest.approx([-0.35, 1.0, -0.5]),
    ]
    assert column(features, "semantic") == [0.3, 0.6, 0.9]
    assert column(features, "semantic", 2) == [0.5, 1.0, 1.0]


def test_a_signal_that_a_library_does_not_have_is_silent() -> None:
    """The same columns, all 0."""
    features = verifier_features(candidates(), {})
    assert features.shape == (3, 3 * len(SIGNALS) + len(DIRECTED) + 4)
    assert not features[:, :-4].any()
    assert features[:, -4:].T.tolist() == [[0.2, 0.8, 0.5], [0.25, 1.0, 1.0], [0.0] * 3, [0.0] * 3]


def test_the_free_probers_score_counts_by_its_distance_from_a_half() -> None:
    """Where it said nothing, it said nothing."""
    features = verifier_features(candidates(), {}, text_score=np.array([1.0, np.nan, 0.25]))
    assert features[:, -2:].tolist() == [[1.0, 1.0], [0.0, 0.0], [-0.5, 1.0]]


def test_the_place_of_a_skill_does_not_matter() -> None:
    """No feature knows a position or how many candidates there are."""
    edges = candidates(io=signal(0.5, 1.0, None))
    moved = replace(edges, n_skills=90, source=edges.source + 7, target=edges.target + 50)
    assert verifier_features(edges, {}).tolist() == verifier_features(moved, {}).tolist()


def test_an_empty_c_has_no_features() -> None:
    """As many columns, no row."""
    empty = Candidates(
        n_skills=0,
        source=np.zeros(0, dtype=np.int64),
        target=np.zeros(0, dtype=np.int64),
        association=np.zeros(0),
        types=np.zeros(0, dtype=np.int8),
        channels=np.zeros(0, dtype=np.int64),
    )
    assert verifier_features(empty, {}).shape == (0, 3 * len(SIGNALS) + len(DIRECTED) + 4)
    assert share_of_best(np.zeros(0), np.zeros(0, dtype=np.int64)).tolist() == []


def test_only_confirmed_and_rejected_edges_are_known() -> None:
    """One state of each."""
    reliability = Reliability(
        support=np.zeros(4),
        against=np.zeros(4),
        value=np.full(4, 0.5),
        states=np.arange(4, dtype=np.int8),
        text_only=np.zeros(4, dtype=np.bool_),
    )
    wanted = {EdgeState.CONFIRMED: 1, EdgeState.REJECTED: -1}
    assert assessed(reliability).tolist() == [wanted.get(state, 0) for state in EDGE_STATES]


# ---------------------------------------------------------------- learning


class World:
    """Edges whose chance is a known function of two of four features; some of them assessed."""

    def __init__(self, seed: int, *, n: int = 3000, n_known: int = 600, steep: float = 3.0) -> None:
        generator = np.random.default_rng(seed)
        self.features: FloatArray = generator.random((n, 4))
        chance = sigmoid(steep * (2.0 * self.features[:, 0] + self.features[:, 1] - 2.2))
        self.chance: FloatArray = chance
        self.truth: BoolArray = generator.random(n) < chance
        self.target: IntArray = generator.integers(0, n // 10, n)
        self.tie_break: IntArray = generator.permutation(n // 10)
        self.known: CodeArray = np.zeros(n, dtype=np.int8)
        self.known[:n_known] = np.where(self.truth[:n_known], 1, -1)


def fit(world: World, config: VerifierConfig = CONFIG) -> Verifier:
    return fit_verifier(
        world.features, world.known, target=world.target, tie_break=world.tie_break, config=config
    )


def test_it_learns_and_says_calibrated_chances_of_unseen_edges() -> None:
    """600 assessed edges of which about a quarter are edges; the other 2,400 are the test."""
    world = World(0, steep=6.0)
    verifier = fit(world)
    assert verifier.used, verifier.reason
    assert verifier.n_confirmed + verifier.n_rejected == 600
    unseen = world.known == 0
    said = verifier.probability(world.features[unseen])
    assert np.corrcoef(said, world.chance[unseen])[0, 1] > 0.95
    assert calibration_error(said, world.truth[unseen]) < 0.05
    skill = skill_over_base_rate(said, world.truth[unseen])
    assert skill == pytest.approx(verifier.skill, abs=0.08)  # what it thinks of itself is so
    assert verifier.error < 0.05


@pytest.mark.parametrize(("skill", "trust"), [(0.5, 0.25), (1.0, 1.0), (-0.3, 0.0)])
def test_a_verifier_is_trusted_by_the_square_of_its_skill(skill: float, trust: float) -> None:
    """And not at all where it is worse than the base rate."""
    verifier = Verifier(model=None, calibration=None, n_confirmed=30, n_rejected=30, skill=skill)
    assert verifier.trust == trust


def test_the_lower_bound_is_lower_where_less_is_known() -> None:
    """It is never above the chance, and rarely above the truth."""
    world = World(1)
    verifier = fit(world)
    said = verifier.probability(world.features)
    lower = verifier.probability(world.features, deviations=1.645)
    assert (lower < said).all()
    assert np.mean(lower < world.chance) > 0.8 > np.mean(said < world.chance)
    fewer = World(1, n_known=150)
    unsure = fit(fewer)
    gap = unsure.probability(world.features) - unsure.probability(world.features, deviations=1.0)
    assert gap.mean() > np.mean(said - verifier.probability(world.features, deviations=1.0))


def test_noise_teaches_nothing_and_is_noticed() -> None:
    """Labels that have nothing to do with the features: no skill, whatever the fit says."""
    for seed in range(5):
        world = World(seed)
        world.known[:600] = np.where(np.random.default_rng(seed).random(600) < 0.1, 1, -1)
        verifier = fit(world)
        assert not verifier.used
        assert verifier.skill < 0.05


def test_what_a_skill_alone_teaches_is_not_held_out_from_itself() -> None:
    """A feature that marks the target predicts its edges perfectly, and no other target's.

    Dealt edge by edge it would look like skill; by targets it does not.
    """
    generator = np.random.default_rng(0)
    target = np.repeat(np.arange(60), 10)
    known = np.where(generator.random(60) < 0.3, 1, -1).astype(np.int8)[target]
    features = np.eye(60)[target]
    verifier = fit_verifier(
        features, known, target=target, tie_break=np.arange(60), config=replace(CONFIG, ridge=0.01)
    )
    assert verifier.reason == "What it scores higher was not confirmed more often."


def test_too_few_assessed_edges_are_no_school() -> None:
    """Twenty of each are enough; nineteen are not, whichever."""

    def with_known(n_confirmed: int, n_rejected: int) -> tuple[bool, str]:
        known = np.array([1] * n_confirmed + [-1] * n_rejected + [0] * 50, dtype=np.int8)
        features = np.where(known > 0, 1.0, 0.0)[:, None]
        places = np.arange(len(known))
        verifier = fit_verifier(
            features, known, target=places, tie_break=places, config=replace(CONFIG, max_error=1.0)
        )
        assert (verifier.n_confirmed, verifier.n_rejected) == (n_confirmed, n_rejected)
        return verifier.used, verifier.reason

    assert with_known(20, 90) == (True, "")
    assert with_known(90, 20)[0]
    assert "19 confirmed and 90 rejected" in with_known(19, 90)[1]
    assert "at least 20 of each" in with_known(90, 19)[1]


def test_edges_into_fewer_skills_than_folds_are_no_school() -> None:
    """Nothing could be held out."""
    known = np.array([1, -1] * 50, dtype=np.int8)
    few = fit_verifier(
        known[:, None].astype(np.float64),
        known,
        target=np.arange(100) % 4,
        tie_break=np.arange(4),
        config=CONFIG,
    )
    assert "into at least 5 skills" in few.reason
    with pytest.raises(ValueError, match="There is no model"):
        few.probability(np.zeros((1, 1)))


def test_the_gate_looks_at_error_and_skill() -> None:
    """Either is reason enough; at the limit it is used."""
    world = World(0)
    good = fit(world)

    def reason(config: VerifierConfig) -> str:
        return fit(world, config).reason

    assert reason(replace(CONFIG, max_error=good.error, min_skill=good.skill)) == ""
    assert "calibration error" in reason(replace(CONFIG, max_error=good.error - 1e-9))
    assert "skill over the base rate" in reason(replace(CONFIG, min_skill=good.skill + 1e-9))


def test_the_order_of_edges_and_positions_does_not_matter() -> None:
    """Content deals the folds."""
    world = World(3, n=400, n_known=400)
    first = fit(world)
    shuffle = np.random.default_rng(0).permutation(400)
    renumber = np.random.default_rng(1).permutation(40)
    tie_break = np.empty(40, dtype=np.int64)
    tie_break[renumber] = world.tie_break
    second = fit_verifier(
        world.features[shuffle],
        world.known[shuffle],
        target=renumber[world.target][shuffle],
        tie_break=tie_break,
        config=CONFIG,
    )
    assert (second.error, second.skill) == pytest.approx((first.error, first.skill), abs=1e-9)


# ---------------------------------------------------------------- parts


def test_groups_are_dealt_in_turn() -> None:
    """A group is never parted."""
    assert deal(np.array([4, 4, 9, 2, 11, 9]), n_folds=3).tolist() == [1, 1, 2, 0, 0, 2]


def test_the_calibration_error_weighs_bins_by_their_size() -> None:
    """Bins [.1, .2) and [.9, 1]: 1 is in the last, where it and .95 partly make up for one another."""
    said = np.array([0.15, 0.15, 0.15, 0.95, 1.0])
    so = np.array([True, False, False, True, False])
    assert calibration_error(said, so) == pytest.approx((abs(0.45 - 1) + (1.95 - 1)) / 5)


def test_the_base_rate_itself_has_no_skill() -> None:
    """Worse than it is negative, perfect is 1."""
    so = np.array([True, False, False, False])
    assert skill_over_base_rate(np.full(4, 0.25), so) == pytest.approx(0.0)
    assert skill_over_base_rate(so.astype(np.float64), so) == 1.0
    assert skill_over_base_rate(np.full(4, 0.5), so) < 0.0


def test_the_ends_of_the_ranges_are_allowed() -> None:
    """Two folds, one of each, no deviation."""
    known = np.array([1, 1, -1, -1], dtype=np.int8)
    config = VerifierConfig(folds=2, min_each=1, max_error=1.0, min_skill=-9.0, deviations=0.0)
    places = np.array([0, 1, 0, 1])
    verifier = fit_verifier(known[:, None] / 2.0, known, target=places, tie_break=places, config=config)
    assert verifier.used, verifier.reason
    assert fit_verifier(
        known[:, None] / 2.0, known, target=places, tie_break=places, config=replace(config, max_error=0.0)
    ).reason


def test_calibration_is_smoothed_by_how_many_edges_taught_it() -> None:
    """Parted cleanly by one feature: 30 of each end at 31/32 and 1/32, never at 1 and 0."""
    known = np.repeat(np.array([1, -1], dtype=np.int8), 30)
    places = np.arange(60) % 10
    verifier = fit_verifier(
        known[:, None] / 2.0, known, target=places, tie_break=np.arange(10), config=CONFIG
    )
    assert verifier.used
    said = verifier.probability(np.array([[0.5], [-0.5]]))
    assert said == pytest.approx([31 / 32, 1 / 32], abs=0.01)  # the model has learnt from more than each fold


def test_confirmed_edges_alone_teach_nothing() -> None:
    """However many: without rejected ones there is no difference to learn."""
    known = np.ones(60, dtype=np.int8)
    places = np.arange(60) % 10
    verifier = fit_verifier(np.zeros((60, 1)), known, target=places, tie_break=np.arange(10), config=CONFIG)
    assert (verifier.model, verifier.n_rejected) == (None, 0)


@pytest.mark.parametrize(
    ("name", "value"),
    [("folds", 1), ("min_each", 0), ("max_error", -0.1), ("max_error", 1.1), ("deviations", -1.0)],
)
def test_a_constant_outside_its_range_is_refused(name: str, value: float) -> None:
    """Whichever it is."""
    with pytest.raises(ValueError, match=name):
        fit_verifier(
            np.zeros((1, 1)),
            np.zeros(1, dtype=np.int8),
            target=np.zeros(1, dtype=np.int64),
            tie_break=np.zeros(1, dtype=np.int64),
            config=replace(CONFIG, **{name: value}),  # type: ignore[arg-type]  # by name
        )


# ---------------------------------------------------------------- the step


def rated(states: list[EdgeState]) -> Reliability:
    codes = np.array([EDGE_STATES.index(state) for state in states], dtype=np.int8)
    nothing = np.zeros(len(codes))
    return Reliability(
        support=nothing, against=nothing, value=nothing + 0.5, states=codes, text_only=nothing > 1.0
    )


def step(**constants: float) -> tuple[Verifier, FloatArray | None, list[EdgeState]]:
    """Assess all but the edges out of skill 0, in a library where "amber" skills support one another."""
    skills = [make_skill(f"s{at}", "amber basin" if at % 2 else "cedar delta") for at in range(24)]
    inputs = read(*skills)
    source, target = np.divmod(np.arange(24 * 24), 24)
    source, target = source[source != target], target[source != target]
    states = [
        EdgeState.UNVALIDATED if i == 0 else EdgeState.CONFIRMED if i % 2 and j % 2 else EdgeState.REJECTED
        for i, j in zip(source.tolist(), target.tolist(), strict=True)
    ]
    config = BuildConfig(verifier=replace(CONFIG, **constants))  # type: ignore[arg-type]  # by name
    edges = Candidates(
        n_skills=24,
        source=source,
        target=target,
        association=np.where((source % 2) & (target % 2), 0.9, 0.2),
        types=np.zeros(len(source), dtype=np.int8),
        channels=np.ones(len(source), dtype=np.int64),
        signals=pair_signals(inputs, source, target, config=config.signals),
    )
    return (*verify(edges, rated(states), inputs, text_score=None, config=config), states)


def test_a_used_verifier_bounds_exactly_what_is_not_assessed() -> None:
    """The edges out of skill 0 are like those that were rejected."""
    verifier, bounds, states = step()
    assert verifier.used, verifier.reason
    assert bounds is not None
    known = np.array([state is not EdgeState.UNVALIDATED for state in states])
    assert np.isnan(bounds).tolist() == known.tolist()
    assert bounds[~known].max() < 0.1


def test_the_bound_lies_as_many_deviations_below_as_asked() -> None:
    """None at 0."""
    plain, low = step(deviations=0.0)[1], step(deviations=3.0)[1]
    assert plain is not None
    assert low is not None
    assert np.nanmin(plain - low) > 0.0


def test_as_many_as_are_needed_are_enough() -> None:
    """Twelve skills support one another: 132 confirmed edges."""
    assert step(min_each=132)[0].used
    assert "132 confirmed" in step(min_each=133)[0].reason


def test_a_verifier_that_is_not_used_bounds_nothing() -> None:
    """For lack of edges, or of skill."""
    verifier, bounds, _ = step(min_each=1000)
    assert (verifier.model, bounds) == (None, None)
    verifier, bounds, _ = step(min_skill=1.1)
    assert verifier.model is not None
    assert bounds is None
