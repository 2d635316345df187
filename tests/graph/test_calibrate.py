"""Reliability and states against hand-computed tables, laws, and scipy's Beta."""

import itertools
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from caskg.config import EvidenceConfig, build_config
from caskg.graph.calibrate import (
    answer_masses,
    assess,
    beta_mean,
    label_edges,
    mean_score,
    reliability,
    source_masses,
)
from caskg.schema import (
    EDGE_STATES,
    BoolArray,
    CodeArray,
    EdgeState,
    FloatArray,
    Label,
    LabelSource,
    Reliability,
    Verdict,
)

PAPER = build_config("paper").evidence
DEFAULT = build_config("default").evidence
NAN = float("nan")

score = st.one_of(st.floats(0.0, 1.0), st.sampled_from([0.0, 0.45, 0.5, 0.55, 1.0]))
answers = st.one_of(score, st.just(NAN))


def scores_of(
    elements: st.SearchStrategy[float], *, rows: int | None = None
) -> st.SearchStrategy[FloatArray]:
    """Draw an array of scores, edges by three probes."""
    n_rows = st.integers(1, 6) if rows is None else st.just(rows)
    return n_rows.flatmap(lambda n: hnp.arrays(np.float64, (n, 3), elements=elements))


def judged(
    scores: Mapping[str, list[list[float]]],
    *,
    config: EvidenceConfig = DEFAULT,
    labels: list[int] | None = None,
    frontier: BoolArray | None = None,
) -> Reliability:
    """Assess lists of scores; without labels unless given."""
    n_edges = len(labels) if labels is not None else len(next(iter(scores.values())))
    codes: CodeArray = np.array(labels if labels is not None else [0] * n_edges, dtype=np.int8)
    arrays = {name: np.array(rows, dtype=np.float64) for name, rows in scores.items()}
    return assess(arrays, labels=codes, config=config, frontier=frontier)


def states_of(result: Reliability) -> list[EdgeState]:
    """Return the states by name."""
    return [EDGE_STATES[code] for code in result.states]


class TestTheFormulaOfThePaper:
    """c = alpha / (alpha + beta), worked by hand."""

    @pytest.mark.parametrize(
        ("scores", "expected"),
        [
            ([1.0, 1.0, 1.0], 4 / 5),
            ([0.0, 0.0, 0.0], 1 / 5),
            ([1.0, NAN, NAN], 2 / 3),
            ([0.0, NAN, NAN], 1 / 3),
            ([1.0, 1.0, 0.0], 3 / 5),
            ([1.0, 0.0, NAN], 2 / 4),
            ([0.75, 0.75, 0.25], 2.0 / 3.5),  # masses .5 + .5 for, .5 against
            ([0.9, 0.6, 0.4], 2.0 / 3.2),  # masses .8 + .2 for, .2 against
            ([0.52, NAN, NAN], 1.1 / 2.1),  # .04 is raised to the floor
            ([0.48, NAN, NAN], 1.0 / 2.1),
            ([0.5, NAN, NAN], 1.0 / 2.1),  # z = [e > 1/2] is 0 at 1/2: the floor speaks against
            ([0.5, 0.5, 0.5], 1.0 / 2.3),
            ([NAN, NAN, NAN], 1 / 2),
        ],
    )
    def test_worked_examples(self, scores: list[float], expected: float) -> None:
        assert reliability(np.array([scores])) == pytest.approx([expected], abs=1e-12)

    def test_the_floor_is_an_argument(self) -> None:
        """With eps = .4 a score of .6 (mass .2) weighs .4, one of .75 keeps its .5."""
        assert reliability(np.array([[0.6], [0.75]]), mass_floor=0.4) == pytest.approx([1.4 / 2.4, 1.5 / 2.5])

    def test_the_floor_may_be_one(self) -> None:
        """The range is closed above: every answer is then as loud as the loudest."""
        assert reliability(np.array([[0.6]]), mass_floor=1.0) == pytest.approx([2 / 3])

    def test_beta_mean_without_mass_is_a_half(self) -> None:
        assert beta_mean(np.zeros(2), np.zeros(2)).tolist() == [0.5, 0.5]


@given(scores_of(answers))
def test_it_is_the_mean_of_the_beta_distribution(scores: FloatArray) -> None:
    """An independent oracle: scipy's Beta with the same parameters."""
    support, against = (mass.sum(axis=1) for mass in answer_masses(scores))
    assert reliability(scores) == pytest.approx(stats.beta(1 + support, 1 + against).mean())


@given(scores_of(score))
def test_three_answers_never_leave_a_fifth_and_four_fifths(scores: FloatArray) -> None:
    """This is why tau_c = .70 needs almost three full votes."""
    assert np.all((reliability(scores) >= 0.2 - 1e-12) & (reliability(scores) <= 0.8 + 1e-12))


@given(score)
def test_one_answer_never_leaves_a_third_and_two_thirds(one: float) -> None:
    """So no single answer passes tau_c = .70."""
    value = reliability(np.array([[one, NAN, NAN]]))[0]
    assert 1 / 3 - 1e-12 <= value <= 2 / 3 + 1e-12


class TestMasses:
    """z d and (1 - z) d, answer by answer and source by source."""

    def test_each_answer_speaks_on_one_side(self) -> None:
        support, against = answer_masses(np.array([[0.9, 0.3, NAN, 0.5]]))
        assert support == pytest.approx(np.array([[0.8, 0.0, 0.0, 0.0]]))
        assert against == pytest.approx(np.array([[0.0, 0.4, 0.0, 0.1]]))

    def test_half_share_divides_the_floor_mass_at_exactly_a_half(self) -> None:
        """Only there: a score beside 1/2 has a side."""
        support, against = answer_masses(np.array([[0.5, 0.5 + 1e-9, 0.5 - 1e-9]]), half_share=0.25)
        assert support == pytest.approx(np.array([[0.025, 0.1, 0.0]]))
        assert against == pytest.approx(np.array([[0.075, 0.0, 0.1]]))

    @pytest.mark.parametrize(
        ("scores", "units", "expected"),
        [
            ([1.0, 1.0, 1.0], 1.0, (1.0, 0.0)),
            ([1.0, 1.0, 1.0], 3.0, (3.0, 0.0)),
            ([1.0, NAN, NAN], 3.0, (1.0, 0.0)),  # min(n, U): one answer is worth one
            ([1.0, 1.0, NAN], 3.0, (2.0, 0.0)),
            ([1.0, 0.0, NAN], 1.0, (0.5, 0.5)),  # the means over n = 2, times 1
            ([1.0, 0.75, 0.0], 1.0, (0.5, 1 / 3)),
            ([1.0, 0.75, 0.0], 2.0, (1.0, 2 / 3)),
            ([1.0, 0.75, 0.0], 0.5, (0.25, 1 / 6)),
            ([0.5, NAN, NAN], 1.0, (0.05, 0.05)),
            ([NAN, NAN, NAN], 3.0, (0.0, 0.0)),
        ],
    )
    def test_a_source_is_worth_its_units(
        self, scores: list[float], units: float, expected: tuple[float, float]
    ) -> None:
        support, against = source_masses(np.array([scores]), units=units)
        assert (support[0], against[0]) == pytest.approx(expected)

    def test_the_floor_reaches_the_sources(self) -> None:
        support, _ = source_masses(np.array([[0.6]]), units=1.0, mass_floor=0.4)
        assert support == pytest.approx([0.4])


class TestRefusals:
    """A bad number is refused, never clipped."""

    @pytest.mark.parametrize("bad", [-0.01, 1.01, np.inf])
    def test_a_score_outside_its_range(self, bad: float) -> None:
        scores = np.array([[bad, 0.5, NAN]])
        message = rf"range from {min(bad, 0.5)} to {max(bad, 0.5)}: each must lie in \[0, 1\]"
        with pytest.raises(ValueError, match=message):
            reliability(scores)

    @pytest.mark.parametrize("bad", [0.0, -0.1, 1.01, NAN])
    def test_a_floor_outside_its_range(self, bad: float) -> None:
        with pytest.raises(ValueError, match="mass_floor"):
            reliability(np.array([[0.5]]), mass_floor=bad)

    @pytest.mark.parametrize("bad", [0.0, -1.0, NAN])
    def test_a_source_without_units(self, bad: float) -> None:
        with pytest.raises(ValueError, match="units"):
            source_masses(np.array([[0.5]]), units=bad)

    @pytest.mark.parametrize("bad", [0.5, 0.3, 1.01])
    def test_a_threshold_outside_its_range(self, bad: float) -> None:
        with pytest.raises(ValueError, match=f"threshold is {bad}"):
            judged({"text": [[1.0]]}, config=replace(DEFAULT, threshold=bad))

    def test_a_threshold_of_one_confirms_nothing(self) -> None:
        """The range is closed above."""
        result = judged({"llm": [[1.0] * 3]}, labels=[1], config=replace(DEFAULT, threshold=1.0))
        assert states_of(result) == ["uncertain"]

    @pytest.mark.parametrize(("value", "mass"), [(0.81, 3.0), (0.19, 3.0), (0.8, 2.9)])
    def test_a_label_that_its_mass_cannot_carry(self, value: float, mass: float) -> None:
        """Beta(1 + s, 1 + a) with s + a = mass reaches (1 + mass) / (2 + mass) at most."""
        with pytest.raises(
            ValueError, match=f"mass {mass} cannot set a reliability of {value}: raise label_mass"
        ):
            judged({}, labels=[0], config=replace(DEFAULT, label_reliability=value, label_mass=mass))

    def test_scores_of_another_number_of_edges(self) -> None:
        with pytest.raises(ValueError, match="one row for each edge"):
            judged({"text": [[1.0], [1.0]]}, labels=[0])

    def test_scores_that_are_not_edges_by_probes(self) -> None:
        with pytest.raises(ValueError, match="one row for each edge"):
            assess({"text": np.ones(3)}, labels=np.zeros(3, dtype=np.int8), config=DEFAULT)

    def test_a_frontier_of_another_number_of_edges(self) -> None:
        with pytest.raises(ValueError, match="frontier"):
            judged({"text": [[1.0]]}, frontier=np.array([True, False]))


class TestStates:
    """Where an edge is confirmed, rejected, uncertain, unvalidated."""

    def test_the_thresholds_are_strict(self) -> None:
        """Loud answers reach 4/5 and 1/5: past a threshold of .7, but not past one of .8."""
        at_threshold = replace(DEFAULT, threshold=0.8)
        llm = {"llm": [[1.0, 1.0, 1.0], [0.0, 0.0, 0.0], [NAN, NAN, NAN]]}
        assert states_of(judged(llm)) == ["confirmed", "rejected", "unvalidated"]
        assert states_of(judged(llm, config=at_threshold)) == ["uncertain", "uncertain", "unvalidated"]

    @pytest.mark.parametrize(("gap", "confirmed"), [(5e-10, False), (5e-9, True)])
    def test_rounding_decides_no_state(self, gap: float, *, confirmed: bool) -> None:
        """The reliability must pass the threshold by more than 1e-9, on either side."""
        config = replace(DEFAULT, threshold=0.8 - gap)
        result = judged({"llm": [[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]]}, config=config)
        assert states_of(result) == (["confirmed", "rejected"] if confirmed else ["uncertain", "uncertain"])

    def test_an_edge_outside_the_frontier_is_unvalidated(self) -> None:
        """Its answers, however loud, are not counted: never negative evidence."""
        result = judged(
            {"text": [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]}, config=PAPER, frontier=np.array([True, False])
        )
        assert states_of(result) == ["rejected", "unvalidated"]
        assert result.value.tolist() == [0.2, 0.5]
        assert result.against.tolist() == [3.0, 0.0]
        assert result.text_only.tolist() == [True, False]

    def test_three_units_confirm_and_reject_in_default(self) -> None:
        """An LLM in separate prompts, or the text prober with two more answers of another source."""
        scores = {
            "text": [[NAN] * 3, [NAN] * 3, [1.0] * 3, [0.0] * 3],
            "llm": [[1.0] * 3, [0.0] * 3, [1.0, 1.0, NAN], [0.0, 0.0, NAN]],
        }
        assert states_of(judged(scores)) == ["confirmed", "rejected", "confirmed", "rejected"]

    def test_the_text_prober_alone_can_confirm_and_reject_in_paper(self) -> None:
        """There every answer counts as 1."""
        result = judged({"text": [[1.0] * 3, [0.0] * 3]}, config=PAPER)
        assert states_of(result) == ["confirmed", "rejected"]


@given(scores_of(answers, rows=4), st.integers(0, 3))
def test_all_answers_missing_is_as_if_not_asked(scores: FloatArray, edge: int) -> None:
    """The edge weighs as if it were not in F."""
    frontier = np.arange(4) != edge
    silent = np.where(frontier[:, None], scores, NAN)
    none = np.zeros(4, dtype=np.int8)
    for config in (PAPER, DEFAULT):
        asked = assess({"text": silent}, labels=none, config=config)
        outside = assess({"text": scores}, labels=none, config=config, frontier=frontier)
        for name in ("support", "against", "value", "states", "text_only"):
            assert np.array_equal(getattr(asked, name), getattr(outside, name))


@given(scores_of(answers))
def test_the_text_prober_alone_never_confirms_or_rejects_in_default(scores: FloatArray) -> None:
    """One scorer read three times is one opinion: c stays in [1/3, 2/3]."""
    result = assess({"text": scores}, labels=np.zeros(len(scores), dtype=np.int8), config=DEFAULT)
    assert set(states_of(result)) <= {"uncertain", "unvalidated"}
    assert np.all((result.value >= 1 / 3 - 1e-12) & (result.value <= 2 / 3 + 1e-12))


class TestSources:
    """Evidence has a source."""

    def test_paper_is_the_formula_over_all_answers(self) -> None:
        """Two sources of three probes are six answers."""
        first, second = np.array([[0.9, 0.5, 0.2]]), np.array([[0.7, NAN, 0.5]])
        result = assess({"text": first, "llm": second}, labels=np.zeros(1, dtype=np.int8), config=PAPER)
        assert result.value == pytest.approx(reliability(np.hstack([first, second])))

    def test_paper_and_default_differ_at_a_half(self) -> None:
        """The formula lets the floor speak against; ours splits it."""
        half = {"llm": [[0.5, 0.5, 0.5]]}
        assert judged(half, config=PAPER).value == pytest.approx([1.0 / 2.3])
        result = judged(half)
        assert result.value == pytest.approx([0.5])
        assert (result.support[0], result.against[0]) == pytest.approx((0.15, 0.15))
        assert states_of(result) == ["uncertain"]

    def test_sources_add_up(self) -> None:
        """Text (.75 mean mass, 1 unit) and an LLM (two answers, 2 units), worked by hand."""
        result = judged({"text": [[1.0, 0.75, NAN]], "llm": [[0.0, NAN, 1.0]]})
        assert result.support == pytest.approx([0.75 + 1.0])
        assert result.against == pytest.approx([1.0])
        assert result.value == pytest.approx([2.75 / 4.75])

    def test_units_are_the_configured_ones(self) -> None:
        config = replace(DEFAULT, text_units=0.5, llm_units=2.0, mass_floor=0.3)
        result = judged({"text": [[0.6] * 3], "llm": [[0.4] * 3]}, config=config)
        assert (result.support[0], result.against[0]) == pytest.approx((0.15, 0.6))

    def test_the_floor_is_the_configured_one_in_paper(self) -> None:
        result = judged({"text": [[0.6, NAN, NAN]]}, config=replace(PAPER, mass_floor=0.3))
        assert result.support == pytest.approx([0.3])

    def test_another_source_may_be_the_text_prober(self) -> None:
        none = np.zeros(1, dtype=np.int8)
        result = assess({"words": np.ones((1, 3))}, labels=none, config=DEFAULT, text_source="words")
        assert (result.support.tolist(), result.text_only.tolist()) == ([1.0], [True])

    def test_text_only_means_no_other_answer_and_no_label(self) -> None:
        said, silent = [1.0, NAN, NAN], [NAN, NAN, NAN]
        result = judged(
            {
                "text": [said, said, said, silent, silent],
                "a": [silent, said, silent, said, silent],
                "b": [silent, silent, silent, silent, silent],
            },
            labels=[0, 0, 1, 0, 0],
        )
        assert result.text_only.tolist() == [True, False, False, False, False]

    def test_without_any_source_nothing_is_validated(self) -> None:
        result = judged({}, labels=[0, 0])
        assert states_of(result) == ["unvalidated", "unvalidated"]
        assert result.text_only.tolist() == [False, False]
        assert result.states.dtype == np.int8

    def test_a_library_without_candidates_is_no_error(self) -> None:
        result = assess({"text": np.empty((0, 3))}, labels=np.empty(0, dtype=np.int8), config=DEFAULT)
        assert len(result.value) == len(result.states) == len(result.text_only) == 0


@given(scores_of(score, rows=2), st.integers(0, 2))
def test_a_missing_answer_adds_no_evidence(scores: FloatArray, probe: int) -> None:
    """It is as if the probe did not exist; and a source without any answer changes nothing."""
    silent = scores.copy()
    silent[:, probe] = NAN
    none = np.zeros(2, dtype=np.int8)
    without = np.delete(scores, probe, axis=1)
    for config in (PAPER, DEFAULT):
        expected = assess({"llm": without}, labels=none, config=config).value
        result = assess({"llm": silent, "text": np.full((2, 3), NAN)}, labels=none, config=config)
        assert result.value == pytest.approx(expected)


def test_the_jump_at_a_half_is_upward() -> None:
    """Just below, at, and just above 1/2."""
    around = [[0.5 - 1e-12] * 3, [0.5] * 3, [0.5 + 1e-12] * 3]
    below, at, above = judged({"llm": around}).value
    assert below < at < above
    below, at, above = judged({"llm": around}, config=PAPER).value
    assert below == at < above


@given(scores_of(answers, rows=3), scores_of(answers, rows=3), st.permutations(range(3)))
def test_permuting_edges_permutes_the_result(text: FloatArray, llm: FloatArray, order: list[int]) -> None:
    labels = np.array([0, 1, -1], dtype=np.int8)
    frontier = np.array([True, False, True])
    for config in (PAPER, DEFAULT):
        straight = assess({"text": text, "llm": llm}, labels=labels, config=config, frontier=frontier)
        shuffled = assess(
            {"text": text[order], "llm": llm[order]},
            labels=labels[order],
            config=config,
            frontier=frontier[order],
        )
        assert np.array_equal(shuffled.value, straight.value[order])
        assert np.array_equal(shuffled.states, straight.states[order])
        assert np.array_equal(shuffled.text_only, straight.text_only[order])


@given(scores_of(answers, rows=1), score, st.integers(0, 2))
def test_raising_a_score_never_lowers_the_reliability(scores: FloatArray, new: float, probe: int) -> None:
    """Also across 1/2, where the floor mass jumps from one side to the other: it jumps upward."""
    assume(not np.isnan(scores[0, probe]))
    raised = scores.copy()
    raised[0, probe] = max(new, scores[0, probe])
    none = np.zeros(1, dtype=np.int8)
    for config in (PAPER, DEFAULT):
        for source in ("text", "llm"):
            low = assess({source: scores}, labels=none, config=config).value[0]
            high = assess({source: raised}, labels=none, config=config).value[0]
            assert high >= low - 1e-12


def label(verdict: Verdict, given_by: LabelSource, *, ends: tuple[str, str] = ("a", "b")) -> Label:
    """Return a label; its hashes play no part here."""
    return Label(
        source=ends[0], target=ends[1], verdict=verdict, given_by=given_by, source_hash="", target_hash=""
    )


class TestLabels:
    """A label sets c and the mass whatever the probes say."""

    @pytest.mark.parametrize("config", [PAPER, DEFAULT], ids=["paper", "default"])
    def test_a_label_goes_before_all_probes(self, config: EvidenceConfig) -> None:
        scores = {"text": [[0.0] * 3, [1.0] * 3, [NAN] * 3, [NAN] * 3], "llm": [[0.0] * 3, [1.0] * 3] * 2}
        result = judged(scores, labels=[1, -1, 1, -1], config=config)
        assert result.value.tolist() == [0.8, 0.2, 0.8, 0.2]
        assert (result.support + result.against).tolist() == [3.0] * 4
        assert states_of(result) == ["confirmed", "rejected", "confirmed", "rejected"]

    def test_a_label_counts_outside_the_frontier(self) -> None:
        result = judged({"text": [[1.0] * 3]}, labels=[-1], config=PAPER, frontier=np.array([False]))
        assert states_of(result) == ["rejected"]

    def test_a_label_has_the_configured_reliability_and_mass(self) -> None:
        """With c = .75 at mass 2: alpha = 3, beta = 1; at mass 6: alpha = 6, beta = 2."""
        for mass, value, support in ((2.0, 0.75, 2.0), (6.0, 0.75, 5.0), (1.0, 0.5, 0.5), (2.0, 0.25, 0.0)):
            config = replace(DEFAULT, label_reliability=value, label_mass=mass)
            result = judged({}, labels=[1, -1], config=config)
            assert result.value == pytest.approx([value, 1.0 - value])
            assert result.support == pytest.approx([support, mass - support])
            assert result.against == pytest.approx([mass - support, support])

    def test_labels_find_their_edges_in_their_direction(self) -> None:
        """An edge a -> b is not b -> a; a label on no candidate is passed over."""
        given_labels = [
            label(Verdict.CONFIRM, LabelSource.PERSON, ends=("a", "b")),
            label(Verdict.REJECT, LabelSource.AUTHOR, ends=("b", "c")),
            label(Verdict.REJECT, LabelSource.PERSON, ends=("c", "a")),
        ]
        codes = label_edges(
            given_labels, ids=["a", "b", "c"], source=np.array([0, 1, 1]), target=np.array([1, 0, 2])
        )
        assert codes.tolist() == [1, 0, -1]
        assert codes.dtype == np.int8

    @pytest.mark.parametrize("order", list(itertools.permutations(range(2))))
    def test_a_person_goes_before_an_author(self, order: tuple[int, ...]) -> None:
        """Whoever spoke last."""
        both = [label(Verdict.REJECT, LabelSource.PERSON), label(Verdict.CONFIRM, LabelSource.AUTHOR)]
        codes = label_edges(
            [both[k] for k in order], ids=["a", "b"], source=np.array([0]), target=np.array([1])
        )
        assert codes.tolist() == [-1]

    @pytest.mark.parametrize("giver", list(LabelSource))
    def test_the_later_of_two_labels_of_one_giver_counts(self, giver: LabelSource) -> None:
        changed = [label(Verdict.REJECT, giver), label(Verdict.CONFIRM, giver)]
        codes = label_edges(changed, ids=["a", "b"], source=np.array([0]), target=np.array([1]))
        assert codes.tolist() == [1]

    def test_ends_that_do_not_pair_are_refused(self) -> None:
        with pytest.raises(ValueError, match="zip"):
            label_edges([], ids=["a", "b"], source=np.array([0]), target=np.array([1, 0]))

    def test_no_labels_are_zeros(self) -> None:
        codes = label_edges([], ids=["a", "b"], source=np.array([0, 1]), target=np.array([1, 0]))
        assert codes.tolist() == [0, 0]


def test_the_mean_score_of_a_source_passes_over_what_is_missing() -> None:
    """An edge without an answer has none; a source that said nothing at all has none anywhere."""
    scores = np.array([[1.0, 0.5, np.nan], [np.nan, np.nan, np.nan], [0.0, 0.0, 0.3]])
    assert mean_score(scores, n_edges=3) == pytest.approx([0.75, np.nan, 0.1], nan_ok=True)
    assert np.isnan(mean_score(None, n_edges=2)).tolist() == [True, True]
