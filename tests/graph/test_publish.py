"""Weights and scaffold against hand-computed tables and laws."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caskg.config import PublicationConfig, build_config
from caskg.graph.calibrate import beta_mean
from caskg.graph.publish import Verified, edge_strength, publish
from caskg.graph.recall import channel_bit
from caskg.schema import (
    EDGE_STATES,
    EDGE_TYPES,
    Candidates,
    Channel,
    EdgeState,
    EdgeType,
    Reliability,
    SkillGraph,
)

PAPER = build_config("paper").publication
DEFAULT = build_config("default").publication
UNBOUNDED = replace(PAPER, scaffold_in=99, scaffold_out=None, scaffold_total=None)

Edge = tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class Row:
    """One candidate edge and what is known of it."""

    edge: Edge
    a: float = 0.5
    type: EdgeType = EdgeType.SEMANTIC
    state: EdgeState = EdgeState.UNVALIDATED
    masses: tuple[float, float] = (0.0, 0.0)
    text_only: bool = False
    mentioned: bool = False


def text_only(edge: Edge, a: float = 0.5, *, type: EdgeType = EdgeType.SEMANTIC) -> Row:
    """Return an edge of which the text prober alone said something, half for and half against."""
    return Row(edge=edge, a=a, type=type, state=EdgeState.UNCERTAIN, masses=(0.5, 0.5), text_only=True)


def confirmed(edge: Edge, a: float = 0.5) -> Row:
    """Return a confirmed edge with c = .8."""
    return Row(edge=edge, a=a, state=EdgeState.CONFIRMED, masses=(3.0, 0.0))


def arrays(rows: Sequence[Row], n_skills: int) -> tuple[Candidates, Reliability]:
    """Return the rows as the two records that `publish` takes, in the order given."""
    support = np.array([row.masses[0] for row in rows])
    against = np.array([row.masses[1] for row in rows])
    candidates = Candidates(
        n_skills=n_skills,
        source=np.array([row.edge[0] for row in rows], dtype=np.int64),
        target=np.array([row.edge[1] for row in rows], dtype=np.int64),
        association=np.array([row.a for row in rows], dtype=np.float64),
        types=np.array([EDGE_TYPES.index(row.type) for row in rows], dtype=np.int8),
        channels=np.array([channel_bit(Channel.REFERENCE) * row.mentioned for row in rows], dtype=np.int64),
    )
    reliability = Reliability(
        support=support,
        against=against,
        value=beta_mean(support, against),
        states=np.array([EDGE_STATES.index(row.state) for row in rows], dtype=np.int8),
        text_only=np.array([row.text_only for row in rows], dtype=np.bool_),
    )
    return candidates, reliability


def graph_of(
    rows: Sequence[Row], config: PublicationConfig, *, n_skills: int = 10, ranks: Sequence[int] | None = None
) -> SkillGraph:
    """Publish the rows; ties by position unless *ranks* are given."""
    candidates, reliability = arrays(rows, n_skills)
    tie_break = np.arange(n_skills) if ranks is None else np.array(ranks)
    return publish(candidates, reliability, config=config, tie_break=tie_break)


def weights(
    rows: Sequence[Row], config: PublicationConfig, *, n_skills: int = 10, ranks: Sequence[int] | None = None
) -> dict[Edge, float]:
    """Publish the rows and return the weight of each published edge."""
    graph = graph_of(rows, config, n_skills=n_skills, ranks=ranks)
    ends = zip(graph.source.tolist(), graph.target.tolist(), strict=True)
    return dict(zip(ends, graph.weight.tolist(), strict=True))


class TestStrength:
    """b before attenuation."""

    @pytest.mark.parametrize(
        ("a", "masses", "paper", "default"),
        [
            (0.6, (3.0, 0.0), 0.8, 0.4 * 0.6 + 0.6 * 0.8),  # h = 3/5
            (0.9, (3.0, 0.0), 0.9, 0.4 * 0.9 + 0.6 * 0.8),
            (0.6, (0.0, 3.0), 0.6, 0.4 * 0.6 + 0.6 * 0.2),
            (0.6, (0.0, 1.0), 0.6, (2 / 3) * 0.6 + (1 / 3) * (1 / 3)),  # h = 1/3
            (0.2, (0.5, 0.5), 0.5, (2 / 3) * 0.2 + (1 / 3) * 0.5),
            (0.2, (0.0, 0.0), 0.2, 0.2),  # c^ = 0 without evidence, not 1/2
            (0.0, (0.0, 0.0), 0.0, 0.0),
        ],
    )
    def test_worked_examples(
        self, a: float, masses: tuple[float, float], paper: float, default: float
    ) -> None:
        candidates, reliability = arrays([Row(edge=(0, 1), a=a, masses=masses)], 2)
        assert edge_strength(candidates.association, reliability, blend_mass=None) == pytest.approx([paper])
        assert edge_strength(candidates.association, reliability, blend_mass=2.0) == pytest.approx([default])

    def test_the_blend_mass_is_where_both_weigh_the_same(self) -> None:
        candidates, reliability = arrays([Row(edge=(0, 1), a=0.4, masses=(3.0, 0.0))], 2)
        assert edge_strength(candidates.association, reliability, blend_mass=3.0) == pytest.approx([0.6])
        sooner = edge_strength(candidates.association, reliability, blend_mass=0.75)
        assert sooner == pytest.approx([0.2 * 0.4 + 0.8 * 0.8])

    @pytest.mark.parametrize("bad", [0.0, -1.0, float("nan")])
    def test_a_blend_mass_that_is_not_positive_is_refused(self, bad: float) -> None:
        candidates, reliability = arrays([Row(edge=(0, 1))], 2)
        with pytest.raises(ValueError, match="blend_mass"):
            edge_strength(candidates.association, reliability, blend_mass=bad)

    def test_a_low_reliability_lowers_the_weight_in_default_and_never_in_paper(self) -> None:
        """Trap 4: max(A, c) keeps A however loud the evidence against the edge is."""
        rows = [Row(edge=(0, 1), a=0.9, state=EdgeState.UNCERTAIN, masses=(0.0, 1.0))]
        assert weights(rows, PAPER) == pytest.approx({(0, 1): 0.55 * 0.9})
        assert weights(rows, DEFAULT)[0, 1] == pytest.approx(0.55 * (0.6 + 1 / 9))
        assert weights(rows, DEFAULT)[0, 1] < 0.55 * 0.9


class TestWeights:
    """The weight is [rho > 0] min(1, max(.01, rho b))."""

    def test_each_state_has_its_attenuation(self) -> None:
        """Hand-computed with A = .5: b = max(.5, c)."""
        rows = [
            Row(edge=(0, 1), state=EdgeState.CONFIRMED, masses=(3.0, 0.0)),
            Row(edge=(0, 2), state=EdgeState.UNCERTAIN, masses=(1.0, 0.0)),
            Row(edge=(0, 3), state=EdgeState.REJECTED, masses=(0.0, 3.0)),
            Row(edge=(0, 4)),
        ]
        expected = {(0, 1): 0.8, (0, 2): 0.55 * 2 / 3, (0, 4): 0.18 * 0.5}
        assert weights(rows, PAPER) == pytest.approx(expected)

    def test_the_attenuations_are_the_configured_ones(self) -> None:
        rows = [Row(edge=(0, 1), state=EdgeState.UNCERTAIN, masses=(0.5, 0.5)), Row(edge=(0, 2))]
        config = replace(PAPER, uncertain=0.4, scaffold=0.3)
        assert weights(rows, config) == pytest.approx({(0, 1): 0.4 * 0.5, (0, 2): 0.3 * 0.5})

    def test_no_published_weight_is_below_the_least(self) -> None:
        rows = [Row(edge=(0, 1), a=0.0), Row(edge=(0, 2), a=0.06), Row(edge=(0, 3), a=1.0)]
        assert weights(rows, PAPER) == pytest.approx({(0, 1): 0.01, (0, 2): 0.0108, (0, 3): 0.18})
        assert weights(rows, replace(PAPER, min_weight=0.1))[0, 2] == pytest.approx(0.1)

    def test_an_attenuation_of_zero_publishes_nothing(self) -> None:
        """The least weight is for published edges only."""
        rows = [Row(edge=(0, 1), state=EdgeState.UNCERTAIN, masses=(0.5, 0.5)), Row(edge=(0, 2))]
        assert weights(rows, replace(PAPER, uncertain=0.0, scaffold=0.0)) == {}

    def test_a_full_weight_is_one(self) -> None:
        assert weights([confirmed((0, 1), a=1.0)], PAPER) == {(0, 1): 1.0}

    def test_the_graph_keeps_what_the_edge_is(self) -> None:
        """Direction, type, state, A and c go through untouched; the order stays."""
        rows = [
            Row(edge=(2, 1), a=0.3, type=EdgeType.WORKFLOW, state=EdgeState.REJECTED, masses=(0.0, 3.0)),
            Row(edge=(2, 0), a=0.6, type=EdgeType.ALTERNATIVE, state=EdgeState.UNCERTAIN, masses=(1.0, 0.0)),
            Row(edge=(3, 2), a=0.4, type=EdgeType.WORKFLOW),
        ]
        graph = graph_of(rows, PAPER, n_skills=5)
        assert graph.n_skills == 5
        assert (graph.source.tolist(), graph.target.tolist()) == ([2, 3], [0, 2])
        assert [EDGE_TYPES[code] for code in graph.types] == ["alternative", "workflow"]
        assert [EDGE_STATES[code] for code in graph.states] == ["uncertain", "unvalidated"]
        assert graph.association.tolist() == [0.6, 0.4]
        assert graph.reliability == pytest.approx([2 / 3, 0.5])

    def test_a_library_without_candidates_is_an_empty_graph(self) -> None:
        assert len(graph_of([], DEFAULT)) == 0


class TestScaffold:
    """Which unvalidated edges are published."""

    def test_per_target_the_best_association_wins(self) -> None:
        rows = [Row(edge=(s, 9), a=a) for s, a in enumerate([0.3, 0.9, 0.5, 0.7, 0.4, 0.6])]
        assert set(weights(rows, PAPER)) == {(1, 9), (3, 9), (5, 9), (2, 9)}

    def test_per_source_there_is_a_bound_of_its_own(self) -> None:
        rows = [Row(edge=(9, t), a=a) for t, a in enumerate([0.3, 0.9, 0.5, 0.7, 0.4, 0.6])]
        assert set(weights(rows, PAPER)) == {(9, 1), (9, 3), (9, 5), (9, 2)}
        assert len(weights(rows, DEFAULT)) == 6

    def test_default_takes_eight_into_a_skill(self) -> None:
        rows = [Row(edge=(s, 9), a=0.9 - s / 20) for s in range(9)]
        assert set(weights(rows, DEFAULT)) == {(s, 9) for s in range(8)}

    def test_the_total_counts_per_skill(self) -> None:
        """Two a skill, five skills: ten edges of twenty."""
        rows = [Row(edge=(s, t), a=0.5) for s in range(5) for t in range(5) if s != t]
        assert len(weights(rows, replace(UNBOUNDED, scaffold_total=2), n_skills=5)) == 10

    def test_a_bound_of_zero_takes_none(self) -> None:
        none = [
            replace(PAPER, scaffold_in=0),
            replace(PAPER, scaffold_out=0),
            replace(PAPER, scaffold_total=0),
        ]
        assert [weights([Row(edge=(0, 1))], config) for config in none] == [{}, {}, {}]

    def test_validated_edges_use_no_slot(self) -> None:
        """The bound is the scaffold's; evidence is published whole."""
        rows = [confirmed((s, 9)) for s in range(6)] + [Row(edge=(8, 9))]
        assert len(weights(rows, PAPER)) == 7

    def test_type_goes_before_association(self) -> None:
        """Dependency, workflow, semantic, alternative."""
        order = [EdgeType.ALTERNATIVE, EdgeType.SEMANTIC, EdgeType.WORKFLOW, EdgeType.DEPENDENCY]
        rows = [Row(edge=(s, 9), a=0.9 - 0.2 * s, type=kind) for s, kind in enumerate(order)]
        for bound, expected in ((1, {3}), (2, {3, 2}), (3, {3, 2, 1})):
            config = replace(PAPER, scaffold_in=bound)
            assert {source for source, _ in weights(rows, config)} == expected

    def test_a_skill_without_any_edge_goes_first(self) -> None:
        """Skill 1 has a confirmed edge; 9's single slot still goes to skill 2, which has none."""
        rows = [confirmed((1, 0)), confirmed((0, 9)), Row(edge=(1, 9), a=0.9), Row(edge=(2, 9), a=0.1)]
        assert set(weights(rows, replace(PAPER, scaffold_in=1))) == {(1, 0), (0, 9), (2, 9)}

    def test_it_is_without_an_edge_at_either_end(self) -> None:
        """The out-slot of 9 goes to the target without an edge."""
        rows = [confirmed((1, 0)), confirmed((9, 0)), Row(edge=(9, 1), a=0.9), Row(edge=(9, 2), a=0.1)]
        assert set(weights(rows, replace(PAPER, scaffold_out=1))) == {(1, 0), (9, 0), (9, 2)}

    def test_an_uncertain_edge_covers_and_a_rejected_one_does_not(self) -> None:
        """Only a published edge keeps a skill reachable."""
        covered = Row(edge=(1, 0), state=EdgeState.UNCERTAIN, masses=(0.5, 0.5))
        rejected = Row(edge=(2, 0), state=EdgeState.REJECTED, masses=(0.0, 3.0))
        rows = [covered, rejected, confirmed((0, 9)), Row(edge=(1, 9), a=0.9), Row(edge=(2, 9), a=0.1)]
        assert set(weights(rows, replace(PAPER, scaffold_in=1))) == {(1, 0), (0, 9), (2, 9)}

    def test_a_scaffold_edge_covers_both_its_ends(self) -> None:
        """Once 0 -> 1 is taken neither end is without an edge: the slot left in 1 goes to skill 2."""
        rows = [
            Row(edge=(0, 1), a=0.9),
            Row(edge=(2, 1), a=0.1),
            Row(edge=(3, 1), a=0.8),
            Row(edge=(3, 0), a=0.9),
        ]
        assert set(weights(rows, replace(PAPER, scaffold_in=2))) == {(0, 1), (3, 0), (2, 1)}

    def test_every_skill_gets_its_first_edge_before_any_gets_its_second(self) -> None:
        """Five slots in all: the second edge of a covered pair waits for the last of them."""
        pair = [
            Row(edge=(0, 1), a=0.9, type=EdgeType.DEPENDENCY),
            Row(edge=(1, 0), a=0.9, type=EdgeType.DEPENDENCY),
        ]
        rest = [Row(edge=(2, t), a=0.1) for t in (0, 1)]
        config = replace(UNBOUNDED, scaffold_total=1)
        assert set(weights([*pair, *rest], config, n_skills=3)) == {(0, 1), (1, 0), (2, 0)}

    def test_ties_go_by_the_rank_of_the_source_then_of_the_target(self) -> None:
        into = [Row(edge=(s, 3)) for s in range(3)]
        assert set(weights(into, replace(PAPER, scaffold_in=1), ranks=[2, 0, 1, *range(3, 10)])) == {(1, 3)}
        out = [Row(edge=(3, t)) for t in range(3)]
        assert set(weights(out, replace(PAPER, scaffold_out=1), ranks=[2, 0, 1, *range(3, 10)])) == {(3, 1)}

    def test_equal_ranks_go_by_position(self) -> None:
        """Skills of equal text are interchangeable."""
        rows = [Row(edge=(s, 3)) for s in range(3)]
        assert set(weights(rows, replace(PAPER, scaffold_in=2), ranks=[0] * 10)) == {(0, 3), (1, 3)}


class TestTextOnly:
    """Edges of the free prober alone pass through the per-target bound (default)."""

    def test_the_best_by_strength_are_published_and_keep_their_attenuation(self) -> None:
        """Here b = 2/3 A + 1/3 * 1/2; the ninth of nine is left out."""
        rows = [text_only((s, 9), a=0.1 + s / 20) for s in range(9)]
        published = weights(rows, DEFAULT)
        assert set(published) == {(s, 9) for s in range(1, 9)}
        assert published[8, 9] == pytest.approx(0.55 * (2 / 3 * 0.5 + 1 / 6))

    def test_strength_counts_and_not_association(self) -> None:
        doubted = Row(
            edge=(0, 9), a=0.6, state=EdgeState.UNCERTAIN, masses=(0.0, 1.0), text_only=True
        )  # b = .4 + .111
        backed = replace(doubted, edge=(1, 9), a=0.5, masses=(1.0, 0.0))  # b = .333 + .222
        assert set(weights([doubted, backed], replace(DEFAULT, scaffold_in=1))) == {(1, 9)}

    def test_type_does_not_count_among_them(self) -> None:
        rows = [text_only((0, 9), 0.4, type=EdgeType.WORKFLOW), text_only((1, 9), 0.5)]
        assert set(weights(rows, replace(DEFAULT, scaffold_in=1))) == {(1, 9)}

    def test_a_dependency_that_is_stated_by_name_takes_no_slot(self) -> None:
        """What a document says that it needs is not cut because it needs much; what fits its inputs is."""
        fits = [text_only((s, 9), 0.1, type=EdgeType.DEPENDENCY) for s in range(3)]
        needed = [replace(row, mentioned=True) for row in fits]
        others = [text_only((4, 9), 0.5), text_only((5, 9), 0.4)]
        one = replace(DEFAULT, scaffold_in=1)
        assert set(weights([*needed, *others], one)) == {(0, 9), (1, 9), (2, 9), (4, 9)}
        assert set(weights([*fits, *others], one)) == {(4, 9)}
        assert set(weights([*needed, *others], replace(one, bound_mentioned=True))) == {(4, 9)}

    def test_they_take_the_slots_before_the_scaffold(self) -> None:
        """Never more than the bound rests on the free prober or on nothing."""
        rows = [text_only((s, 9), a=0.1) for s in range(7)] + [
            Row(edge=(7, 9), a=0.8),
            Row(edge=(8, 9), a=0.9),
        ]
        assert set(weights(rows, DEFAULT)) == {(s, 9) for s in range(7)} | {(8, 9)}

    def test_a_refused_edge_covers_nobody(self) -> None:
        """Skill 1 loses its only edge, so it comes before skill 2, which has one."""
        rows = [
            text_only((0, 9), 0.9),
            text_only((1, 9), 0.1),
            confirmed((2, 3)),
            confirmed((3, 8)),
            Row(edge=(1, 8), a=0.1),
            Row(edge=(2, 8), a=0.9),
        ]
        published = weights(rows, replace(DEFAULT, scaffold_in=1))
        assert set(published) == {(0, 9), (2, 3), (3, 8), (1, 8)}

    def test_other_evidence_is_not_bounded(self) -> None:
        rows = [replace(text_only((s, 9)), text_only=False) for s in range(9)]
        assert len(weights(rows, DEFAULT)) == 9

    def test_paper_publishes_them_all(self) -> None:
        assert len(weights([text_only((s, 9)) for s in range(9)], PAPER)) == 9

    def test_a_rejected_one_takes_no_slot(self) -> None:
        rejected = Row(edge=(0, 9), a=1.0, state=EdgeState.REJECTED, masses=(0.0, 3.0), text_only=True)
        rows = [rejected, text_only((1, 9))]
        assert set(weights(rows, replace(DEFAULT, scaffold_in=1))) == {(1, 9)}

    def test_the_bounds_out_of_a_skill_and_in_all_are_not_theirs(self) -> None:
        config = replace(DEFAULT, scaffold_out=1, scaffold_total=1)
        rows = [text_only((0, t)) for t in range(1, 4)] + [Row(edge=(0, 4))]
        assert set(weights(rows, config, n_skills=5)) == {(0, 1), (0, 2), (0, 3), (0, 4)}

    def test_ties_go_by_rank(self) -> None:
        rows = [text_only((s, 3)) for s in range(3)]
        ranks = [2, 0, 1, *range(3, 10)]
        assert set(weights(rows, replace(DEFAULT, scaffold_in=2), ranks=ranks)) == {(1, 3), (2, 3)}


class TestAlternatives:
    """Kept and shown, without taking anything from the others (default)."""

    def test_they_have_slots_of_their_own_in_default(self) -> None:
        """Scaffold and text-only alike."""
        for row in (Row(edge=(0, 9), a=0.9), text_only((0, 9), 0.9)):
            rows = [replace(row, type=EdgeType.ALTERNATIVE), replace(row, edge=(1, 9), a=0.1)]
            assert set(weights(rows, replace(DEFAULT, scaffold_in=1))) == {(0, 9), (1, 9)}

    def test_their_slots_are_bounded_too(self) -> None:
        rows = [Row(edge=(s, 9), type=EdgeType.ALTERNATIVE, a=0.9 - s / 20) for s in range(9)]
        assert set(weights(rows, DEFAULT)) == {(s, 9) for s in range(8)}
        config = replace(DEFAULT, scaffold_total=1, scaffold_in=1, scaffold_out=1)
        both_ways = [Row(edge=(0, 1), type=EdgeType.ALTERNATIVE), Row(edge=(0, 2), type=EdgeType.ALTERNATIVE)]
        assert len(weights(both_ways, config, n_skills=3)) == 1

    def test_their_total_is_their_own(self) -> None:
        config = replace(DEFAULT, scaffold_total=1)
        pairs = [(0, 1), (1, 0)]
        rows = [Row(edge=edge, type=EdgeType.ALTERNATIVE, a=0.9) for edge in pairs]
        semantic = [Row(edge=edge) for edge in ((0, 2), (2, 0), (1, 2), (2, 1))]
        published = set(weights(rows + semantic, config, n_skills=3))
        assert published >= set(pairs)
        assert len(published) == 5

    def test_they_cover_nobody_in_default(self) -> None:
        """No relevance walks along an alternative: skill 1 is still without an edge."""
        known = Row(edge=(1, 0), type=EdgeType.ALTERNATIVE, state=EdgeState.CONFIRMED, masses=(3.0, 0.0))
        rows = [known, confirmed((2, 3)), confirmed((3, 9)), Row(edge=(1, 9), a=0.1), Row(edge=(2, 9), a=0.9)]
        assert (1, 9) in weights(rows, replace(DEFAULT, scaffold_in=1))
        assert (2, 9) in weights(rows, replace(PAPER, scaffold_in=1))

    def test_paper_counts_them_like_any_other(self) -> None:
        rows = [Row(edge=(0, 9), a=0.9, type=EdgeType.ALTERNATIVE), Row(edge=(1, 9), a=0.1)]
        assert set(weights(rows, replace(PAPER, scaffold_in=1))) == {(1, 9)}


class TestRefusals:
    """A bad number is refused, never clipped."""

    @pytest.mark.parametrize(
        ("config", "message"),
        [
            (replace(PAPER, uncertain=-0.1), "uncertain is -0.1"),
            (replace(PAPER, uncertain=1.1), "uncertain is 1.1"),
            (replace(PAPER, scaffold=-0.1), "scaffold is -0.1"),
            (replace(PAPER, scaffold=1.1), "scaffold is 1.1"),
            (replace(PAPER, min_weight=0.0), "min_weight is 0.0"),
            (replace(PAPER, min_weight=1.1), "min_weight is 1.1"),
            (replace(PAPER, scaffold_in=-1), "scaffold_in is -1"),
            (replace(PAPER, scaffold_out=-1), "scaffold_out is -1"),
            (replace(PAPER, scaffold_total=-1), "scaffold_total is -1"),
        ],
    )
    def test_a_constant_outside_its_range(self, config: PublicationConfig, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            weights([confirmed((0, 1))], config)

    def test_the_ends_of_each_range_are_allowed(self) -> None:
        config = replace(PAPER, uncertain=1.0, scaffold=1.0, min_weight=1.0)
        assert weights([confirmed((0, 1))], config) == {(0, 1): 1.0}

    def test_reliabilities_of_other_edges(self) -> None:
        candidates, _ = arrays([Row(edge=(0, 1))], 2)
        _, reliability = arrays([Row(edge=(0, 1)), Row(edge=(1, 0))], 2)
        with pytest.raises(ValueError, match="2 reliabilities for 1 candidates"):
            publish(candidates, reliability, config=PAPER, tie_break=np.arange(2))

    def test_ranks_of_other_skills(self) -> None:
        candidates, reliability = arrays([Row(edge=(0, 1))], 2)
        with pytest.raises(ValueError, match="for 2 skills"):
            publish(candidates, reliability, config=PAPER, tie_break=np.arange(3))


N = 6
PAIRS = [(s, t) for s in range(N) for t in range(N) if s != t]


@st.composite
def libraries(draw: st.DrawFn) -> list[Row]:
    """Draw candidates over six skills with consistent states and masses."""
    rows = []
    for edge in sorted(draw(st.lists(st.sampled_from(PAIRS), min_size=1, unique=True))):
        masses = draw(
            st.sampled_from([(0.0, 0.0), (0.5, 0.5), (1.0, 0.0), (0.0, 1.0), (3.0, 0.0), (0.0, 3.0)])
        )
        state = {
            (0.0, 0.0): EdgeState.UNVALIDATED,
            (3.0, 0.0): EdgeState.CONFIRMED,
            (0.0, 3.0): EdgeState.REJECTED,
        }.get(masses, EdgeState.UNCERTAIN)
        weak = state is EdgeState.UNCERTAIN and draw(st.booleans())
        a, kind = draw(st.integers(0, 4)) / 4, draw(st.sampled_from(EDGE_TYPES))
        known = Row(edge=edge, a=a, type=kind, state=state, masses=masses)
        rows.append(replace(known, text_only=weak, mentioned=draw(st.booleans())))
    return rows


configs = st.builds(
    replace,
    st.sampled_from([PAPER, DEFAULT]),
    scaffold_in=st.integers(0, 3),
    scaffold_out=st.none() | st.integers(0, 3),
    scaffold_total=st.none() | st.integers(0, 2),
    bound_mentioned=st.booleans(),
)


def most(numbers: Iterable[int]) -> int:
    """Return how often the most frequent number occurs."""
    return max(Counter(numbers).values(), default=0)


# What holds for any candidates.


@given(libraries(), configs)
def test_bounds_hold_and_no_rejected_edge_is_published(rows: list[Row], config: PublicationConfig) -> None:
    """In default for alternatives and for the others, in paper for all together."""
    published = weights(rows, config, n_skills=N)
    assert all(0.01 <= weight <= 1.0 for weight in published.values())
    kept = [row for row in rows if row.edge in published]
    assert all(row.state is not EdgeState.REJECTED for row in kept)
    for apart in (False, True) if config.alternatives_apart else (None,):
        group = [row for row in kept if apart in (None, row.type is EdgeType.ALTERNATIVE)]
        scaffold = [row.edge for row in group if row.state is EdgeState.UNVALIDATED]
        bounded = [row for row in group if row.text_only and config.bound_text_only]
        if not config.bound_mentioned:
            needed = [row for row in bounded if row.mentioned and row.type is EdgeType.DEPENDENCY]
            bounded = [row for row in bounded if row not in needed]
        weak = scaffold + [row.edge for row in bounded]
        assert most(target for _, target in weak) <= config.scaffold_in
        assert config.scaffold_out is None or most(source for source, _ in scaffold) <= config.scaffold_out
        assert config.scaffold_total is None or len(scaffold) <= config.scaffold_total * N


@given(libraries(), configs, st.permutations(range(N)))
def test_renumbering_the_skills_renumbers_the_graph(
    rows: list[Row], config: PublicationConfig, new: list[int]
) -> None:
    """Ties go by the rank of the text, so neither ids nor the order of folders decide."""
    moved = [replace(row, edge=(new[row.edge[0]], new[row.edge[1]])) for row in rows]
    moved.sort(key=lambda row: row.edge)
    ranks = np.argsort(new).tolist()
    straight = weights(rows, config, n_skills=N)
    renumbered = weights(moved, config, n_skills=N, ranks=ranks)
    assert renumbered == {(new[s], new[t]): weight for (s, t), weight in straight.items()}


@given(libraries(), st.sampled_from([PAPER, DEFAULT]))
def test_with_a_slot_for_each_all_but_the_rejected_are_published(
    rows: list[Row], profile: PublicationConfig
) -> None:
    config = replace(profile, scaffold_in=N, scaffold_out=N, scaffold_total=N)
    expected = {row.edge for row in rows if row.state is not EdgeState.REJECTED}
    assert set(weights(rows, config, n_skills=N)) == expected


# ---------------------------------------------------------------- verified edges

UNKNOWN = float("nan")


def verified_weights(
    rows: Sequence[Row], bounds: Sequence[float], config: PublicationConfig, *, trust: float = 1.0
) -> dict[Edge, float]:
    candidates, reliability = arrays(rows, 10)
    verified = Verified(np.array(bounds), trust)
    graph = publish(candidates, reliability, config=config, tie_break=np.arange(10), verified=verified)
    edges = zip(graph.source.tolist(), graph.target.tolist(), strict=True)
    return dict(zip(edges, graph.weight.round(6).tolist(), strict=True))


def test_a_verified_edge_is_worth_its_bound_as_far_as_the_verifier_is_trusted() -> None:
    """Its state attenuates it all the same, and an assessed edge is left alone."""
    rows = [text_only((0, 1), 0.1), Row(edge=(0, 2), a=0.2), Row(edge=(0, 3), a=0.9), confirmed((0, 4))]
    bounds = [0.8, 0.5, 0.5, UNKNOWN]
    assert verified_weights(rows, bounds, DEFAULT) == {(0, 1): 0.44, (0, 2): 0.09, (0, 3): 0.09, (0, 4): 0.68}
    half = verified_weights(rows, bounds, DEFAULT, trust=0.5)
    assert half == {(0, 1): 0.284167, (0, 2): 0.063, (0, 3): 0.126, (0, 4): 0.68}
    assert verified_weights(rows, bounds, DEFAULT, trust=0.0) == pytest.approx(
        weights(rows, DEFAULT), abs=1e-6
    )


def test_the_scaffold_is_chosen_by_what_is_known_of_it() -> None:
    """One slot is the text prober's; the other goes to the better bound, not the better association."""
    rows = [Row(edge=(0, 4), a=0.9), text_only((1, 4), 0.2), Row(edge=(2, 4), a=0.5), confirmed((3, 4))]
    config = replace(DEFAULT, scaffold_in=2)
    found = verified_weights(rows, [0.04, 0.1, 0.95, UNKNOWN], config)
    assert found == {(1, 4): 0.055, (2, 4): 0.171, (3, 4): 0.68}


def test_equal_bounds_are_taken_in_the_order_of_their_content() -> None:
    """As everywhere."""
    rows = [Row(edge=(at, 4)) for at in range(3)]
    assert list(verified_weights(rows, [0.3] * 3, replace(DEFAULT, scaffold_in=2))) == [(0, 4), (1, 4)]


def test_bounds_that_are_all_unknown_change_nothing() -> None:
    """As if there were no verifier."""
    rows = [text_only((0, 1)), Row(edge=(0, 2)), confirmed((0, 3))]
    assert verified_weights(rows, [UNKNOWN] * 3, DEFAULT) == pytest.approx(weights(rows, DEFAULT))


def test_edges_told_apart_are_published_only_when_confirmed() -> None:
    """Whatever else speaks for them: evidence, a verifier, a free slot; and they take none from others."""
    rows = [text_only((0, 4), 0.9), Row(edge=(1, 4), a=0.9), Row(edge=(2, 4), a=0.9), confirmed((3, 4))]
    candidates, reliability = arrays([*rows, Row(edge=(5, 4), a=0.1)], 10)
    graph = publish(
        candidates,
        reliability,
        config=replace(DEFAULT, scaffold_in=1),
        tie_break=np.arange(10),
        verified=Verified(np.array([UNKNOWN, 0.5, UNKNOWN, UNKNOWN, UNKNOWN]), 1.0),
        apart=np.array([True, True, True, True, False]),
    )
    assert list(zip(graph.source.tolist(), graph.target.tolist(), strict=True)) == [(3, 4), (5, 4)]


@pytest.mark.parametrize("trust", [-0.1, 1.1])
def test_a_trust_that_is_no_share_is_refused(trust: float) -> None:
    """As any number outside its range."""
    with pytest.raises(ValueError, match=f"trust is {trust}"):
        verified_weights([Row(edge=(0, 1))], [0.5], DEFAULT, trust=trust)


@pytest.mark.parametrize("bounds", [[0.5, 0.5], [1.1], [-0.1]])
def test_bounds_that_do_not_fit_are_refused(bounds: list[float]) -> None:
    """One an edge, in [0, 1]; 0 and 1 are."""
    with pytest.raises(ValueError, match="Verified bounds"):
        verified_weights([Row(edge=(0, 1))], bounds, DEFAULT)
    assert verified_weights([Row(edge=(0, 1))], [1.0], DEFAULT) == {(0, 1): 0.18}
    assert verified_weights([Row(edge=(0, 1), a=0.0)], [0.0], DEFAULT) == {(0, 1): 0.01}
