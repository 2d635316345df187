"""What is asked, the substitute, and how answers become scores."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caskg.errors import ProbeError
from caskg.graph.probes import (
    LARGEST_FULL_POOL,
    POOL_SIZE,
    choose_substitutes,
    collect_scores,
    keep_substitutes,
    plan_probes,
    probe_key,
)
from caskg.schema import (
    PROBE_KINDS,
    FloatArray,
    IntArray,
    ProbeAnswer,
    ProbeKey,
    ProbeKind,
    ProbeRequest,
    VectorArray,
)
from factories import make_skill

REMOVAL, SUBSTITUTION, REORDERING = PROBE_KINDS
A, B, C, D = (make_skill(name, f"does {name}") for name in "abcd")
SKILLS = [A, B, C, D]
HASHES = [skill.content_hash for skill in SKILLS]
NAN = float("nan")


def ints(*values: int) -> IntArray:
    """Return an array of positions."""
    return np.array(values, dtype=np.int64)


class FixedProber:
    """A prober of a given name; never asked here."""

    prompt_version = "fixed-7"

    def __init__(self, prober_id: str = "fixed") -> None:
        self.prober_id = prober_id

    def answer(self, requests: Sequence[ProbeRequest]) -> list[ProbeAnswer]:
        return [ProbeAnswer(score=0.5, source_id="fixed") for _ in requests]


class TestKey:
    """Under what an answer is kept."""

    def test_it_holds_everything_that_could_change_the_answer(self) -> None:
        request = ProbeRequest(source=A, target=B, kind=SUBSTITUTION, substitute=C, arm="reversed")
        assert probe_key(request, FixedProber()) == ProbeKey(
            source_hash=A.content_hash,
            target_hash=B.content_hash,
            substitute_hash=C.content_hash,
            kind=SUBSTITUTION,
            arm="reversed",
            prompt_version="fixed-7",
            prober_id="fixed",
        )

    def test_without_a_substitute_its_hash_is_empty(self) -> None:
        request = ProbeRequest(source=A, target=B, kind=REMOVAL)
        assert probe_key(request, FixedProber()).substitute_hash == ""

    def test_ids_and_paths_are_no_part_of_it(self) -> None:
        """A moved folder keeps its answers."""
        moved = make_skill("elsewhere/a", "does a")
        keys = [
            probe_key(ProbeRequest(source=source, target=B, kind=REMOVAL), FixedProber())
            for source in (A, moved)
        ]
        assert keys[0] == keys[1]


class TestPlan:
    """Three probes an edge."""

    def test_edge_by_edge_in_the_order_of_the_kinds(self) -> None:
        plan = plan_probes(ints(0, 2), ints(1, 0), skills=SKILLS, substitutes=ints(3, 1))
        assert plan == [
            ProbeRequest(source=A, target=B, kind=REMOVAL),
            ProbeRequest(source=A, target=B, kind=SUBSTITUTION, substitute=D),
            ProbeRequest(source=A, target=B, kind=REORDERING),
            ProbeRequest(source=C, target=A, kind=REMOVAL),
            ProbeRequest(source=C, target=A, kind=SUBSTITUTION, substitute=B),
            ProbeRequest(source=C, target=A, kind=REORDERING),
        ]

    def test_without_a_substitute_that_probe_is_left_out(self) -> None:
        """Position 0 is a skill like any other; only -1 means none."""
        plan = plan_probes(ints(1, 1), ints(2, 2), skills=SKILLS, substitutes=ints(-1, 0))
        assert [request.kind for request in plan] == [
            REMOVAL, REORDERING, REMOVAL, SUBSTITUTION, REORDERING,
        ]  # fmt: skip
        assert plan[3].substitute is A

    def test_no_edges_no_probes(self) -> None:
        assert plan_probes(ints(), ints(), skills=SKILLS, substitutes=ints()) == []

    def test_an_edge_without_an_entry_for_its_substitute_is_refused(self) -> None:
        with pytest.raises(ValueError, match="zip"):
            plan_probes(ints(0, 1), ints(1, 2), skills=SKILLS, substitutes=ints(3))


def on_the_circle(*cosines: float) -> VectorArray:
    """Return unit vectors with these cosines to the first axis, which is the first row."""
    x = np.array([1.0, *cosines])
    return np.stack([x, np.sqrt(1 - x**2)], axis=1).astype(np.float32)


def chosen(
    vectors: VectorArray,
    edges: Sequence[tuple[int, int]],
    *,
    linked: Sequence[tuple[int, int]] = (),
    ranks: Sequence[int] | None = None,
) -> list[int]:
    """Choose substitutes for *edges*, given C as *linked*."""
    source, target = np.array(edges, dtype=np.int64).reshape(-1, 2).T
    tie_break = np.arange(len(vectors)) if ranks is None else np.array(ranks)
    c_source, c_target = np.array(linked, dtype=np.int64).reshape(-1, 2).T
    positions: list[int] = choose_substitutes(
        source, target, vectors, linked=(c_source, c_target), tie_break=tie_break
    ).tolist()
    return positions


def random_vectors(n: int, seed: int = 0) -> VectorArray:
    """Return n unit rows."""
    vectors: FloatArray = np.random.default_rng(seed).normal(size=(n, 8))
    length: FloatArray = np.sqrt((vectors**2).sum(axis=1, keepdims=True))
    return (vectors / length).astype(np.float32)


def brute_force(
    vectors: VectorArray, edge: tuple[int, int], linked: Sequence[tuple[int, int]], ranks: Sequence[int]
) -> int:
    """Choose by the definition, one pair at a time."""
    i, j = edge
    cosine = {x: float(vectors[i].astype(float) @ vectors[x]) for x in range(len(vectors)) if x != i}
    ordered = sorted(cosine.values())
    quartile = ordered[(len(ordered) - 1) // 4]
    allowed = [x for x in cosine if x != j and (x, j) not in linked and (j, x) not in linked]
    return min(allowed, key=lambda x: (round(abs(cosine[x] - quartile), 5), ranks[x]), default=-1)


class TestSubstitute:
    """A typical unrelated skill in the place of i."""

    def test_it_lies_at_the_lower_quartile(self) -> None:
        """Nine others: the third lowest cosine, index (9 - 1) // 4 = 2, belongs to skill 7."""
        vectors = on_the_circle(0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1)
        assert chosen(vectors, [(0, 1)]) == [7]

    @pytest.mark.parametrize(("others", "expected"), [(4, 4), (5, 4), (8, 7), (9, 7)])
    def test_the_quartile_is_rounded_down(self, others: int, expected: int) -> None:
        """Of 4 others the lowest, of 5 the second lowest, of 8 the second lowest, of 9 the third."""
        vectors = on_the_circle(*(0.95 - 0.1 * k for k in range(others)))
        assert chosen(vectors, [(0, 1)]) == [expected]

    def test_the_target_is_passed_over(self) -> None:
        """The next nearest to the quartile: .45 is nearer to .4 than .3 is."""
        vectors = on_the_circle(0.9, 0.8, 0.7, 0.6, 0.45, 0.4, 0.3, 0.2)
        assert chosen(vectors, [(0, 1)]) == [7]
        vectors = on_the_circle(0.9, 0.8, 0.7, 0.6, 0.5, 0.38, 0.3, 0.2)
        assert chosen(vectors, [(0, 7)]) == [6]
        vectors = on_the_circle(0.9, 0.8, 0.7, 0.6, 0.5, 0.41, 0.3, 0.2)
        assert chosen(vectors, [(0, 7)]) == [8]

    def test_neighbours_of_the_target_are_passed_over_in_either_direction(self) -> None:
        """A candidate source of j could do i's work; what j feeds is of the same topic."""
        vectors = on_the_circle(0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.25)
        assert chosen(vectors, [(0, 1)]) == [7]
        assert chosen(vectors, [(0, 1)], linked=[(7, 1)]) == [8]
        assert chosen(vectors, [(0, 1)], linked=[(1, 7)]) == [8]
        assert chosen(vectors, [(0, 1)], linked=[(7, 1), (1, 8)]) == [6]

    def test_neighbours_of_the_source_may_serve(self) -> None:
        vectors = on_the_circle(0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.25)
        assert chosen(vectors, [(0, 1)], linked=[(0, 7), (7, 0)]) == [7]

    @pytest.mark.parametrize(
        ("vectors", "linked"),
        [
            (on_the_circle(0.5), [(0, 1)]),
            (on_the_circle(0.5, 0.1), [(0, 1), (2, 1)]),
            (on_the_circle(0.5, 0.1, 0.2), [(2, 1), (1, 3)]),
        ],
    )
    def test_where_nobody_is_left_there_is_none(
        self, vectors: VectorArray, linked: list[tuple[int, int]]
    ) -> None:
        """In a library of two, or where all others are linked to the target."""
        assert chosen(vectors, [(0, 1)], linked=linked) == [-1]

    def test_in_a_library_of_three_it_is_the_third(self) -> None:
        vectors = on_the_circle(0.5, 0.1)
        assert chosen(vectors, [(0, 1), (1, 2), (2, 0)]) == [2, 0, 1]

    def test_no_edges_no_substitutes(self) -> None:
        assert chosen(on_the_circle(0.5), []) == []

    def test_equally_fit_skills_go_by_rank(self) -> None:
        """Skills 2, 3, 4 have the same vector."""
        vectors = on_the_circle(0.9, 0.2, 0.2, 0.2)
        assert chosen(vectors, [(0, 1)], ranks=[0, 1, 2, 3, 4]) == [2]
        assert chosen(vectors, [(0, 1)], ranks=[0, 1, 4, 2, 3]) == [3]

    def test_of_equal_ranks_the_first_position_goes_first(self) -> None:
        vectors = on_the_circle(0.9, *([0.2] * 60))
        assert chosen(vectors, [(0, 1)], ranks=[0] * 62) == [2]

    def test_it_agrees_with_the_definition(self) -> None:
        """Over more edges than one block, so that blocks leave no seam."""
        n = 60
        vectors, rng = random_vectors(n), np.random.default_rng(1)
        ranks = rng.permutation(n).tolist()
        edges = [(i, j) for i in range(n) for j in range(n) if i != j][::3]
        linked = [edges[k] for k in rng.permutation(len(edges))[:300]]
        expected = [brute_force(vectors, edge, linked, ranks) for edge in edges]
        assert len(edges) > 1024
        assert chosen(vectors, edges, linked=linked, ranks=ranks) == expected

    def test_no_single_skill_serves_most_edges(self) -> None:
        """The least similar skill would be the same odd one for most; the quartile spreads the choice."""
        n = 100
        vectors = random_vectors(n)
        vectors[0] = -vectors[1:].mean(axis=0)
        vectors[0] /= np.linalg.norm(vectors[0])
        edges = [(i, (i + 1) % n) for i in range(1, n)]
        _, counts = np.unique(chosen(vectors, edges), return_counts=True)
        assert counts.max() <= 10

    def test_a_large_library_offers_a_spread_of_its_skills(self) -> None:
        """Evenly spaced by rank, from both halves: never the first quarter of some order (trap 7)."""
        n = LARGEST_FULL_POOL + 1
        vectors, ranks = random_vectors(n), np.random.default_rng(2).permutation(n)
        edges = [(i, (i + 1) % n) for i in range(0, n, 4)]
        ranks_chosen = ranks[chosen(vectors, edges, ranks=ranks.tolist())]
        offered = {k * n // POOL_SIZE for k in range(POOL_SIZE)}
        assert set(ranks_chosen.tolist()) <= offered
        assert (ranks_chosen > 3 * n // 4).any()
        assert (ranks_chosen < n // 4).any()

    def test_a_library_of_the_limit_offers_every_skill(self) -> None:
        n = LARGEST_FULL_POOL
        edges = [(i, (i + 1) % n) for i in range(0, n, 4)]
        odd = [x for x in chosen(random_vectors(n), edges) if x % 2]
        assert odd


@given(st.permutations(range(7)), st.integers(0, 20))
def test_the_order_of_folders_changes_nothing(new: list[int], seed: int) -> None:
    """Skill x of the straight library is skill new[x] of the other; ranks move with the text."""
    vectors = np.repeat(random_vectors(4, seed), 2, axis=0)[:7]  # with ties
    edges, linked = [(0, 1), (3, 5), (6, 2), (1, 0)], [(0, 1), (4, 5), (2, 3)]
    moved = np.empty_like(vectors)
    moved[new] = vectors
    ranks = np.argsort(new).tolist()
    straight = chosen(vectors, edges, linked=linked)
    renumbered = chosen(
        moved,
        [(new[i], new[j]) for i, j in edges],
        linked=[(new[i], new[j]) for i, j in linked],
        ranks=ranks,
    )
    assert renumbered == [-1 if x < 0 else new[x] for x in straight]


class TestKeeping:
    """A recorded substitute stays while its text is unchanged."""

    HASHES = ("ha", "hb", "hc", "hd")

    def test_the_record_goes_before_the_choice(self) -> None:
        kept = keep_substitutes(
            {("ha", "hb"): "hd"}, ints(2, 2), source=ints(0, 1), target=ints(1, 0), hashes=self.HASHES
        )
        assert kept.tolist() == [3, 2]
        assert kept.dtype == np.int64

    def test_a_changed_substitute_is_chosen_anew(self) -> None:
        kept = keep_substitutes(
            {("ha", "hb"): "old text"}, ints(2), source=ints(0), target=ints(1), hashes=self.HASHES
        )
        assert kept.tolist() == [2]

    def test_the_record_stands_where_nothing_could_be_chosen(self) -> None:
        kept = keep_substitutes(
            {("ha", "hb"): "ha2"},
            ints(-1, -1),
            source=ints(0, 1),
            target=ints(1, 0),
            hashes=["ha", "hb", "ha2"],
        )
        assert kept.tolist() == [2, -1]

    def test_an_edge_without_a_choice_is_refused(self) -> None:
        with pytest.raises(ValueError, match="zip"):
            keep_substitutes({}, ints(2), source=ints(0, 1), target=ints(1, 0), hashes=self.HASHES)

    def test_of_equal_texts_the_first_serves(self) -> None:
        kept = keep_substitutes(
            {("ha", "hb"): "hx"},
            ints(2),
            source=ints(0),
            target=ints(1),
            hashes=["ha", "hb", "hc", "hx", "hx"],
        )
        assert kept.tolist() == [3]


def ask(
    *asked: tuple[ProbeRequest, ProbeAnswer], edges: Sequence[tuple[int, int]] = ((0, 1), (1, 2))
) -> dict[str, FloatArray]:
    """Collect the scores of these answers over edges of `SKILLS`."""
    source, target = np.array(edges, dtype=np.int64).T
    answers = {probe_key(request, FixedProber(answer.source_id)): answer for request, answer in asked}
    return collect_scores(answers, source=source, target=target, hashes=HASHES)


def on_ab(kind: ProbeKind = REMOVAL, *, arm: str = "plain") -> ProbeRequest:
    """Return a probe of the edge a -> b."""
    return ProbeRequest(source=A, target=B, kind=kind, arm=arm)


def says(score: float | None, source_id: str = "text") -> ProbeAnswer:
    """Return an answer of *source_id*."""
    return ProbeAnswer(score=score, source_id=source_id, missing_reason=None if score is not None else "no")


class TestScores:
    """Answers become one array for each source."""

    def test_each_score_stands_at_its_edge_and_kind(self) -> None:
        scores = ask(
            (ProbeRequest(source=B, target=C, kind=REORDERING), says(0.1)),
            (ProbeRequest(source=A, target=B, kind=SUBSTITUTION, substitute=D), says(0.2)),
            (on_ab(), says(0.3)),
        )
        assert list(scores) == ["text"]
        assert scores["text"] == pytest.approx(np.array([[0.3, 0.2, NAN], [NAN, NAN, 0.1]]), nan_ok=True)

    def test_sources_are_kept_apart(self) -> None:
        scores = ask((on_ab(), says(0.3)), (on_ab(), says(0.9, "llm")))
        assert (scores["text"][0, 0], scores["llm"][0, 0]) == (0.3, 0.9)

    def test_arms_of_one_probe_are_averaged_first(self) -> None:
        """Three answers to one probe are one e_m."""
        scores = ask((on_ab(arm="a"), says(0.2)), (on_ab(arm="b"), says(0.9)), (on_ab(arm="c"), says(0.4)))
        assert scores["text"][0, 0] == pytest.approx(0.5)

    def test_a_missing_arm_is_not_averaged(self) -> None:
        scores = ask((on_ab(arm="a"), says(0.2)), (on_ab(arm="b"), says(None)))
        assert scores["text"][0, 0] == pytest.approx(0.2)

    def test_a_source_that_only_failed_has_no_scores(self) -> None:
        """Missing is NaN, never 0.5."""
        scores = ask((on_ab(), says(None)))
        assert np.isnan(scores["text"]).all()
        assert scores["text"].shape == (2, 3)

    def test_edges_between_equal_texts_share_their_answers(self) -> None:
        """A copy of a skill is judged as the skill is; the ledger knows texts, not places."""
        answers = {probe_key(on_ab(), FixedProber("text")): says(0.9)}
        scores = collect_scores(
            answers,
            source=ints(0, 2, 0),
            target=ints(1, 1, 2),
            hashes=[A.content_hash, B.content_hash, A.content_hash],
        )
        assert scores["text"][:, 0] == pytest.approx([0.9, 0.9, NAN], nan_ok=True)

    def test_the_ends_of_the_range_are_scores(self) -> None:
        scores = ask((on_ab(), says(0.0)), (on_ab(REORDERING), says(1.0)))
        assert scores["text"][0].tolist()[::2] == [0.0, 1.0]

    def test_without_answers_there_are_no_sources(self) -> None:
        assert ask() == {}

    @pytest.mark.parametrize("bad", [-0.01, 1.01, NAN])
    def test_a_score_outside_its_range_is_a_broken_prober(self, bad: float) -> None:
        with pytest.raises(ProbeError, match="'text' gave the score"):
            ask((on_ab(), says(bad)))

    def test_ends_that_do_not_pair_are_refused(self) -> None:
        with pytest.raises(ValueError, match="zip"):
            collect_scores({}, source=ints(0), target=ints(1, 2), hashes=HASHES)

    def test_an_edge_that_is_not_listed_is_refused(self) -> None:
        """Also the reverse of one that is."""
        reverse = ProbeRequest(source=B, target=A, kind=REMOVAL)
        with pytest.raises(ValueError, match="none of the 2 edges"):
            ask((reverse, says(0.5)))
