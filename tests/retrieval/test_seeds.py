"""Names, rankings and fusion by hand on libraries of a few skills; sufficiency against its formula."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caskg.config import Fusion, SeedConfig
from caskg.errors import EncoderError, UsageError
from caskg.library.lexical import Bm25Index, tokenize
from caskg.retrieval.seeds import (
    LEAST_SHARE,
    MAX_QUERY_CHARS,
    Evidence,
    NameIndex,
    SearchIndex,
    Seeds,
    check_query,
    find_seeds,
    seed_mass,
    sufficiency,
    top,
)
from caskg.schema import FloatArray
from factories import make_skill

# ---------------------------------------------------------------- exact names

NAMES = ["pdf-form-filler", "web_search", "docx", "test", "Data Cleaner", "pdf-form", "---", "web search"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("run the PDF form filler now", [0, 5]),
        ("pdf-form-filler", [0, 5]),
        ("pdf_form", [5]),
        ("use web-search, please", [1, 7]),
        ("WEB   SEARCH", [1, 7]),
        ("clean data with the data cleaner.", [4]),
        ("data cleaners", []),
        ("xpdf form", []),
        ("form pdf", []),
        ("pdf", []),
        ("write a test for the docx file", []),
        ("make it a docx", []),
        ("docx", [2]),
        (" Docx! ", [2]),
        ("turn it into `docx`", [2]),
        ("run `docx now`", []),
        ("`a` and `test`", [3]),
        ("use $docx here", [2]),
        ("use $docx-two here", []),
        ("use the docx skill", [2]),
        ("use The  DOCX  Skill", [2]),
        ("use a docx skill", []),
        ("use the docx skills", []),
        ("the test skill and `docx`", [2, 3]),
        ("with `web search`", [1, 7]),
        ("!?", []),
        ("", []),
    ],
)
def test_a_skill_is_called_by_name(text: str, expected: list[int]) -> None:
    """Several words wherever they stand in a row; one word, which may be any, only where it is marked."""
    assert NameIndex.fit(NAMES).find(text).tolist() == expected


def test_a_library_without_names_is_never_called() -> None:
    """A name of punctuation has no words, and no text may match it."""
    index = NameIndex.fit(["---", ""])
    assert index.find("--- anything").tolist() == []
    assert index.lengths == ()


def test_the_longest_query_is_searched_for_names_at_once() -> None:
    """Windows of each name length, not every name at every word."""
    index = NameIndex.fit([f"azure {number} tool" for number in range(2000)])
    text = "azure 7 tool " + "azure " * 16_000
    assert index.find(text).tolist() == [7]


# ---------------------------------------------------------------- rankings


def test_only_positive_scores_are_ranked_best_first() -> None:
    """A skill that shares nothing with the query is no candidate, however few others there are."""
    order = np.arange(5)
    assert top(np.array([0.2, 0.0, 0.9, -1.0, 0.5]), 9, order).tolist() == [2, 4, 0]
    assert top(np.array([0.2, 0.0, 0.9, -1.0, 0.5]), 3, order).tolist() == [2, 4, 0]
    assert top(np.array([0.2, 0.0, 0.9, -1.0, 0.5]), 2, order).tolist() == [2, 4]
    assert top(np.zeros(5), 2, order).tolist() == []


def test_equal_scores_go_by_content_rank_also_at_the_cut() -> None:
    """Not by position, which is the order of ids."""
    scores = np.array([0.5, 0.5, 0.5, 0.9])
    assert top(scores, 2, np.array([2, 0, 1, 3])).tolist() == [3, 1]
    assert top(scores, 4, np.array([2, 0, 1, 3])).tolist() == [3, 1, 2, 0]


def test_scores_that_differ_by_rounding_are_equal() -> None:
    """The order of additions must not decide a tie; a difference in the ninth decimal does."""
    assert top(np.array([0.3, 0.1 + 0.2]), 1, np.array([0, 1])).tolist() == [0]
    assert top(np.array([0.3, 0.3 + 1e-9]), 1, np.array([0, 1])).tolist() == [1]
    assert top(np.array([1e-13]), 1, np.array([0])).tolist() == []


# ---------------------------------------------------------------- seeds

TEXTS = ["boil water", "boil an egg", "send an invoice", "fold paper"]
COSINES = [0.0, 0.3, 0.9, -0.5]


def index_of(
    texts: Sequence[str] = TEXTS,
    cosines: Sequence[float] = COSINES,
    *,
    full: Sequence[str] | None = None,
    names: Sequence[str] | None = None,
    tie_break: Sequence[int] | None = None,
    knows_meanings: bool = True,
) -> SearchIndex:
    """Skills on a line of one dimension, so that the vector 1 sees exactly *cosines*."""
    return SearchIndex(
        names=NameIndex.fit(names if names is not None else [f"s{at}" for at in range(len(texts))]),
        short=Bm25Index.fit([tokenize(text) for text in texts]),
        full=None if full is None else Bm25Index.fit([tokenize(text) for text in full]),
        vectors=np.array(cosines, dtype=np.float32)[:, None],
        tie_break=np.array(tie_break if tie_break is not None else range(len(texts))),
        knows_meanings=knows_meanings,
    )


def seeds_of(query: str, index: SearchIndex, *, hidden: Sequence[int] = (), **config: object) -> Seeds:
    visible = np.ones(len(index.vectors), dtype=np.bool_)
    visible[list(hidden)] = False
    seed_config = SeedConfig(**config)  # type: ignore[arg-type]  # forwarded as written in each test
    return find_seeds(query, np.ones(1, dtype=np.float32), index, config=seed_config, visible=visible)


def zscores(scores: FloatArray) -> FloatArray:
    return np.asarray((scores - scores.mean()) / scores.std())


def test_the_best_of_the_sum_of_standard_scores_are_the_seeds() -> None:
    """z-sum: each ranking counts by how far a skill stands out in it."""
    index = index_of()
    seeds = seeds_of("boil egg", index, count=3)
    total = zscores(index.short.scores(["boil", "egg"])) + zscores(np.array(COSINES))
    assert seeds.positions.tolist() == [1, 2, 0] == np.argsort(-total)[:3].tolist()
    assert seeds.lexical_rank == {1: 1, 0: 2}
    assert seeds.semantic_rank == {2: 1, 1: 2}
    assert seeds.exact.tolist() == []


def test_a_skill_in_no_ranking_is_no_seed() -> None:
    """Skill 3 shares no word and points the other way; more seeds are not asked for than there are."""
    assert seeds_of("boil egg", index_of(), count=4).positions.tolist() == [1, 2, 0]


def test_mass_falls_as_one_over_rank() -> None:
    """1, 1/2, 1/3 over their sum."""
    assert np.allclose(seeds_of("boil egg", index_of(), by_score=False).mass, [6 / 11, 3 / 11, 2 / 11])
    assert seeds_of("boil egg", index_of(), count=1).mass.tolist() == [1.0]


def test_mass_is_the_share_of_the_best_score_over_the_rank() -> None:
    """Fused by hand: the second has 40 % of the first, the third is below average and has the least share."""
    index = index_of()
    total = zscores(index.short.scores(["boil", "egg"])) + zscores(np.array(COSINES))
    first, second, third = total[1], total[2], total[0]
    assert third < 0 < second < first
    expected = np.array([1.0, second / first / 2, LEAST_SHARE / 3])
    assert np.allclose(seeds_of("boil egg", index).mass, expected / expected.sum())


@pytest.mark.parametrize(
    ("fused", "n_exact", "expected"),
    [
        ([4.0, 2.0, 1.0], 0, [12, 3, 1]),
        ([4.0, 2.0, 1.0], 2, [12, 6, 1]),
        ([1.0, 2.0, 4.0], 1, [12, 3, 4]),
        ([4.0, 0.0], 0, [200, 1]),
        ([4.0, -9.0], 0, [200, 1]),
        ([4.0, 0.08], 0, [200, 2]),
        ([0.0, -1.0], 0, [2, 1]),
        ([-1.0, -2.0, -2.0], 0, [6, 3, 2]),
        ([], 0, []),
    ],
    ids=["shares", "named", "named below", "zero", "negative", "above least", "no best", "all below", "none"],
)
def test_the_mass_of_seeds_by_hand(fused: list[float], n_exact: int, expected: list[float]) -> None:
    """A named seed is worth the best; where no score is positive, only the rank is left."""
    mass = seed_mass(np.array(fused), n_exact=n_exact)
    assert np.allclose(mass, np.array(expected) / max(sum(expected), 1))
    by_rank = 1 / np.arange(1, len(fused) + 1)
    assert np.allclose(seed_mass(np.array(fused), by_score=False), by_rank / max(by_rank.sum(), 1e-9))
    assert np.all(mass > 0)


def test_two_lexical_rankings_share_one_vote() -> None:
    """A name that says it beats words said twice; with a vote for each ranking, words win."""
    texts, cosines = ["egg", "pan", "x", "y"], [0.2, 0.9, 0.1, 0.0]
    index = index_of(texts, cosines, full=texts)
    two_ways = index_of(texts, cosines)
    words, meaning = zscores(index.short.scores(["egg"])), zscores(np.array(cosines))
    assert words[0] + meaning[0] < words[1] + meaning[1] + 0.5 < 2 * words[0] + meaning[0]
    for fusion in Fusion:
        shared, plain = (seeds_of("egg", each, fusion=fusion) for each in (index, two_ways))
        assert np.allclose(shared.mass, plain.mass)
        assert shared.positions.tolist() == plain.positions.tolist()
        apart = seeds_of("egg", index, fusion=fusion, shared_vote=False)
        assert apart.mass[0] > shared.mass[0]


@pytest.mark.parametrize(
    ("first", "second"), [((1, 13), (5, 8)), ((6, 9), (2, 14))], ids=["not above 60", "not below 60"]
)
def test_reciprocal_rank_fusion_adds_1_over_60_plus_rank(
    first: tuple[int, int], second: tuple[int, int]
) -> None:
    """1/61 + 1/73 > 1/65 + 1/68, which an offset of 61 turns round; likewise 1/66 + 1/69 and one of 59."""
    by_lexical = [first[0], second[0]]
    by_semantic = [first[1], second[1]]
    for rank in range(1, 21):
        by_lexical += [rank] if rank not in by_lexical else []
        by_semantic += [rank] if rank not in by_semantic else []
    index = index_of(
        ["egg" + " pad" * rank for rank in by_lexical], [0.9 - rank / 50 for rank in by_semantic]
    )
    seeds = seeds_of("egg", index, fusion=Fusion.RRF, count=20)
    assert [seeds.lexical_rank[at] for at in range(20)] == by_lexical
    assert [seeds.semantic_rank[at] for at in range(20)] == by_semantic
    order = seeds.positions.tolist()
    assert order.index(0) < order.index(1)


def test_ranks_fused_are_those_of_all_rankings() -> None:
    """A third ranking by the whole file can decide; without it the first two do."""
    index = index_of(
        ["egg", "egg", "x"], [0.1, 0.1, 0.0], full=["egg", "egg spoon", "spoon"], tie_break=[1, 0, 2]
    )
    for fusion in Fusion:
        assert seeds_of("spoon egg", index, fusion=fusion).positions.tolist() == [1, 0, 2]
        assert seeds_of("spoon egg", index, fusion=fusion, whole_file=False).positions.tolist() == [1, 0]


def test_the_lexical_rank_is_the_better_of_the_two() -> None:
    """By name and description, or by the whole file; no two share a rank, and who is in both goes first."""
    index = index_of(["egg spoon spoon", "egg", "x"], [0.0, 0.0, 0.0], full=["egg", "egg egg egg", "egg egg"])
    assert index.short.scores(["egg"]).argsort()[::-1].tolist()[:2] == [1, 0]
    seeds = seeds_of("egg", index)
    assert seeds.lexical_rank == {1: 1, 0: 2, 2: 3}
    ties = index_of(["egg", "x y"], [0.0, 0.0], full=["x", "egg"])
    assert seeds_of("egg", ties).lexical_rank == {0: 1, 1: 2}


def test_candidates_are_cut_before_they_are_fused() -> None:
    """`lexical` and `semantic` bound each ranking."""
    seeds = seeds_of("boil egg", index_of(), lexical=1, semantic=1)
    assert seeds.lexical_rank == {1: 1}
    assert seeds.semantic_rank == {2: 1}
    assert seeds.positions.tolist() == [1, 2]


def test_a_word_said_twice_counts_once() -> None:
    """Repetition is style, not need."""
    index = index_of()
    twice, once = seeds_of("boil boil boil egg", index), seeds_of("boil egg", index)
    assert twice.positions.tolist() == once.positions.tolist()
    assert twice.evidence.rare_words == once.evidence.rare_words


def test_equal_scores_are_fused_by_content_rank() -> None:
    """Two skills that no ranking tells apart."""
    texts, cosines = ["egg", "egg", "x"], [0.5, 0.5, 0.0]
    assert seeds_of("egg", index_of(texts, cosines, tie_break=[0, 1, 2])).positions.tolist() == [0, 1]
    assert seeds_of("egg", index_of(texts, cosines, tie_break=[1, 0, 2])).positions.tolist() == [1, 0]


def test_where_all_scores_are_equal_a_ranking_says_nothing() -> None:
    """The mean of three times .1 is not .1: the deviation is a last bit, and dividing by it would decide."""
    index = index_of(["a b", "a", "c"], [0.1, 0.1, 0.1], tie_break=[2, 1, 0])
    assert seeds_of("z", index).positions.tolist() == [2, 1, 0]
    assert seeds_of("b", index).positions.tolist() == [0, 2, 1]


# ---------------------------------------------------------------- names among the seeds


def test_a_named_skill_is_the_first_seed_even_where_no_ranking_has_it() -> None:
    """Exact names are always in; those after it keep their order."""
    index = index_of(names=["alpha", "beta", "gamma", "grey-goose"])
    seeds = seeds_of("boil egg with grey goose", index)
    assert seeds.positions.tolist() == [3, 1, 2, 0]
    assert seeds.exact.tolist() == [3]
    assert 3 not in seeds.lexical_rank
    assert 3 not in seeds.semantic_rank


def test_named_skills_are_ordered_by_their_scores_and_all_of_them_are_seeds() -> None:
    """More names than `count`: none of them is lost."""
    index = index_of(
        ["x", "boil egg", "y"], [0.0, 0.1, 0.0], names=["a b", "c d", "e f"], tie_break=[2, 1, 0]
    )
    seeds = seeds_of("e f, c d, a b: boil egg", index, count=1)
    assert seeds.positions.tolist() == [1, 2, 0]
    assert seeds.exact.tolist() == [0, 1, 2]


# ---------------------------------------------------------------- hidden skills


def test_a_hidden_skill_is_in_no_ranking_and_cannot_be_called() -> None:
    """Not even by its name."""
    index = index_of(names=["a b", "c d", "e f", "g h"])
    seeds = seeds_of("c d: boil egg", index, hidden=[1])
    assert 1 not in {
        *seeds.positions.tolist(),
        *seeds.exact.tolist(),
        *seeds.lexical_rank,
        *seeds.semantic_rank,
    }
    assert seeds.positions.tolist() == [0, 2]


def test_hidden_skills_do_not_move_the_mean_or_the_evidence() -> None:
    """Standard scores are over the visible; so a caller cannot feel what it must not see."""
    texts, cosines = ["egg", "egg pan", "pan pan salt", "x", "y"], [0.5, 0.45, 0.0, 0.1, 0.0]
    strong = index_of(texts, [*cosines[:3], 1.0, -1.0])
    weak = index_of(texts, [*cosines[:3], 0.0, 0.0])
    first, second = (seeds_of("egg pan", index, hidden=[3, 4]) for index in (strong, weak))
    assert first.positions.tolist() == second.positions.tolist()
    assert first.evidence.cosine == second.evidence.cosine == pytest.approx(0.5)


@pytest.mark.parametrize("fusion", list(Fusion))
def test_with_nothing_to_see_there_are_no_seeds(fusion: Fusion) -> None:
    """All hidden, or an empty library."""
    for seeds in (
        seeds_of("boil egg", index_of(), hidden=[0, 1, 2, 3], fusion=fusion),
        seeds_of("boil egg", index_of([], []), fusion=fusion),
    ):
        assert len(seeds.positions) == len(seeds.mass) == 0
        assert sufficiency(seeds.evidence, rare_words=2.0) == 0.0


# ---------------------------------------------------------------- evidence and sufficiency


def test_evidence_is_the_best_of_each_kind() -> None:
    """Each from the skill that is best at it; rare words in units of log(2 N + 2), the idf of a new word."""
    index = index_of(full=["boil egg"] * 4)
    evidence = seeds_of("boil egg quickly", index).evidence
    assert evidence.cosine == pytest.approx(0.9)
    assert evidence.coverage == pytest.approx(index.short.coverage(["boil", "egg", "quick"]).max())
    assert evidence.rare_words == pytest.approx(index.short.scores(["boil", "egg"]).max() / math.log(10))


def test_an_encoder_that_knows_no_meanings_gives_no_evidence_but_still_ranks() -> None:
    """Its cosine is high for any text that shares one known word with a skill."""
    seeds = seeds_of("boil egg", index_of(knows_meanings=False))
    assert seeds.evidence.cosine == 0.0
    assert seeds.semantic_rank == {2: 1, 1: 2}


@pytest.mark.parametrize(
    ("cosine", "coverage", "rare_words", "h", "expected"),
    [
        (0.0, 0.0, 0.0, 2.0, 0.0),
        (0.4, 0.0, 0.0, 2.0, 0.4),
        (-0.4, 0.0, 0.0, 2.0, 0.0),
        (0.0, 0.3, 0.0, 2.0, 0.09),
        (0.0, 1.0, 0.0, 2.0, 1.0),
        (0.0, 0.0, 2.0, 2.0, 0.5),
        (0.0, 0.0, 1.0, 2.0, 1 / 9),
        (0.0, 0.0, 3.0, 1.0, 27 / 28),
        (0.5, 0.5, 2.0, 2.0, 1 - 0.5 * 0.75 * 0.5),
        (1.0000001, 0.0, 0.0, 2.0, 1.0),
    ],
)
def test_sufficiency_is_its_formula(
    cosine: float, coverage: float, rare_words: float, h: float, expected: float
) -> None:
    """One kind of evidence is enough, and half of the words are a quarter of an answer."""
    evidence = Evidence(cosine=cosine, coverage=coverage, rare_words=rare_words)
    assert sufficiency(evidence, rare_words=h) == pytest.approx(expected)
    assert sufficiency(evidence, rare_words=h) <= 1.0


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize("query", ["", "  \n\t"])
def test_a_blank_task_is_refused(query: str) -> None:
    """There is nothing to search for."""
    with pytest.raises(UsageError, match=r"^The task text is empty: say in a sentence what is to be done\.$"):
        check_query(query)


def test_a_task_of_a_megabyte_is_refused_with_its_length_and_the_limit() -> None:
    """Exactly the limit is still read."""
    check_query("x" * MAX_QUERY_CHARS)
    with pytest.raises(
        UsageError, match=r"^The task text has 100,001 characters, more than 100,000: .* about\.$"
    ):
        check_query("x" * 100_001)


def test_vectors_of_another_encoder_are_refused() -> None:
    """A workspace built with one encoder and queried with another."""
    visible = np.ones(4, dtype=np.bool_)
    with pytest.raises(EncoderError, match=r"length 2, the index has 1: build .* built with\.$"):
        find_seeds("boil", np.ones(2, dtype=np.float32), index_of(), config=SeedConfig(), visible=visible)


# ---------------------------------------------------------------- laws


@given(st.data())
def test_the_order_of_skills_changes_nothing(data: st.DataObject) -> None:
    """Many ties: few words, few cosines. Content ranks travel with the skills."""
    n_skills = data.draw(st.integers(1, 12))
    texts = data.draw(
        st.lists(st.sampled_from(["egg", "egg pan", "pan", "salt"]), min_size=n_skills, max_size=n_skills)
    )
    cosines = data.draw(st.lists(st.sampled_from([0.0, 0.1, 0.7]), min_size=n_skills, max_size=n_skills))
    new = data.draw(st.permutations(range(n_skills)))
    fusion = data.draw(st.sampled_from(list(Fusion)))
    seeds = seeds_of("egg pan", index_of(texts, cosines, full=texts), fusion=fusion)
    moved = index_of(
        [texts[old] for old in new],
        [cosines[old] for old in new],
        full=[texts[old] for old in new],
        tie_break=new,
    )
    again = seeds_of("egg pan", moved, fusion=fusion)
    assert [new[at] for at in again.positions] == seeds.positions.tolist()
    assert {new[at]: rank for at, rank in again.lexical_rank.items()} == seeds.lexical_rank


def test_a_row_has_the_same_cosine_wherever_it_stands() -> None:
    """Matrix products may round the last rows differently; a tie would then go by position."""
    rng = np.random.default_rng(0)
    row, others = rng.standard_normal((1, 384)), rng.standard_normal((250, 384))
    vectors = np.concatenate([row, others, row, others[:4], row]).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    tie_break = np.arange(len(vectors))[::-1].copy()
    index = SearchIndex(
        names=NameIndex.fit([""] * len(vectors)),
        short=Bm25Index.fit([[]] * len(vectors)),
        full=None,
        vectors=vectors,
        tie_break=tie_break,
    )
    visible = np.ones(len(vectors), dtype=np.bool_)
    seeds = find_seeds("x", vectors[0], index, config=SeedConfig(), visible=visible)
    assert seeds.positions[:3].tolist() == [256, 251, 0]


def test_an_index_of_skills_reads_names_descriptions_and_bodies() -> None:
    """The short index reads name and description, the full one the body too."""
    skills = [
        make_skill("x/soft-egg", "boil gently", body="use a spoon"),
        make_skill("x/other", "fold paper"),
    ]
    ties = np.array([1, 0])
    index = SearchIndex.fit(skills, np.zeros((2, 1), dtype=np.float32), tie_break=ties)
    assert index.names.find("a soft egg").tolist() == [0]
    assert index.short.scores(["egg"])[0] > 0
    assert index.short.scores(tokenize("boil"))[0] > 0
    assert index.short.scores(["spoon"])[0] == 0
    assert index.full is not None
    assert index.full.scores(["spoon"])[0] > 0
    assert index.tie_break is ties
    assert index.knows_meanings
    assert not SearchIndex.fit(skills, index.vectors, tie_break=ties, knows_meanings=False).knows_meanings
