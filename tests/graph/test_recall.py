"""Each channel brings exactly its k best, by the formulas on sets and a plain sort."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import numpy as np
import pytest

from caskg.config import Bound, BuildConfig, RecallConfig, SignalConfig, SignalWeights
from caskg.graph.inputs import GraphInputs
from caskg.graph.recall import OUT, best_matches, channel_bit, recall, top_k
from caskg.graph.roles import NO_ROLE, ROLES, Role, pair_scores
from caskg.graph.signals import Sizes, name_match
from caskg.library.sequences import StatedOrder
from caskg.schema import CHANNELS, Artifact, Channel, FloatArray, IntArray, Parameter, Skill, SkillFields
from factories import make_skill
from graph.graph_cases import (
    affinity_of,
    enabler_of,
    encoded,
    ends,
    io_of,
    jaccard_of,
    needs,
    random_skills,
    read,
    text_bag,
    unit,
)

NONE = np.empty(0, dtype=np.int64)
BOUNDS = (Bound.SOURCE, Bound.TARGET)
Pair = tuple[int, int]


def only(channel: str, **bounds: object) -> BuildConfig:
    """Return a configuration in which one channel alone is on."""
    words = ("semantic", "lexical", "io", "structural", "reference", "enabler")
    off = dict.fromkeys((*words, "meaning", "ready", "provider"), 0.0)
    weights = SignalWeights(**{**off, channel: 1.0})
    numbers = {"io_by_likeness": False, "lexical_floor": 0.05, "semantic_floor": 0.3, **bounds}
    return BuildConfig(
        signals=SignalConfig(weights=weights, names_as_outputs=False),
        recall=replace(RecallConfig(), **numbers),  # type: ignore[arg-type]  # numbers of every kind
    )


def found(inputs: GraphInputs, config: BuildConfig, *, labelled: IntArray = NONE) -> dict[Pair, set[Channel]]:
    """Return the pairs that were recalled, and the channels of each."""
    codes, bits = recall(inputs, labelled=labelled, config=config)
    assert codes.tolist() == sorted(set(codes.tolist()))
    return {
        divmod(code, inputs.n_skills): {channel for channel in CHANNELS if bit & channel_bit(channel)}
        for code, bit in zip(codes.tolist(), bits.tolist(), strict=True)
    }


def brought(pairs: Iterable[Pair], channel: Channel) -> dict[Pair, set[Channel]]:
    """Return pairs that one channel brought."""
    return {pair: {channel} for pair in pairs}


def best(scores: Mapping[Pair, float], *, k: int, bound: Bound, ranks: IntArray) -> set[Pair]:
    """Return the k best pairs of each skill at the bounded end, by a plain sort."""
    here, there = (0, 1) if bound is Bound.SOURCE else (1, 0)
    chosen: set[Pair] = set()
    for skill in {pair[here] for pair in scores}:
        mine = [pair for pair in scores if pair[here] == skill]
        mine.sort(key=lambda pair: (-round(scores[pair], 9), ranks[pair[there]]))
        chosen.update(mine[:k])
    return chosen


def scored(
    skills: list[Skill], score: Callable[[Skill, Skill], float | None], *, above: float
) -> dict[Pair, float]:
    """Return every pair of different skills whose score passes a floor."""
    n = len(skills)
    values = {(i, j): score(skills[i], skills[j]) for i in range(n) for j in range(n) if i != j}
    return {pair: value for pair, value in values.items() if value is not None and value > above}


# ---------------------------------------------------------------- the k best of each channel


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("k", [1, 3, 100])
def test_the_lexical_channel_brings_the_highest_jaccards(k: int, bound: Bound) -> None:
    """Strictly above the floor; ties by content."""
    skills = random_skills(np.random.default_rng(k), 16)
    inputs = read(*skills)
    scores = scored(skills, lambda a, b: jaccard_of(text_bag(a), text_bag(b)), above=0.2)
    expected = best(scores, k=k, bound=bound, ranks=inputs.tie_break)
    config = only("lexical", lexical=k, lexical_floor=0.2, bound=bound)
    assert found(inputs, config) == brought(expected, Channel.LEXICAL)


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("k", [1, 2, 100])
def test_the_io_channel_brings_the_best_matches_in_their_direction(k: int, bound: Bound) -> None:
    """Outputs of the source feed inputs of the target, whichever end is bounded."""
    skills = random_skills(np.random.default_rng(10 + k), 16)
    inputs = read(*skills, config=SignalConfig(names_as_outputs=False))
    expected = best(scored(skills, io_of, above=0.0), k=k, bound=bound, ranks=inputs.tie_break)
    assert found(inputs, only("io", io=k, bound=bound)) == brought(expected, Channel.IO)


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("k", [1, 2, 100])
def test_the_enabler_channel_brings_who_gives_what_is_presupposed(k: int, bound: Bound) -> None:
    """Only skills that take nothing are enablers."""
    skills = random_skills(np.random.default_rng(20 + k), 16)
    inputs = read(*skills)
    expected = best(scored(skills, enabler_of, above=0.0), k=k, bound=bound, ranks=inputs.tie_break)
    assert found(inputs, only("enabler", enabler=k, bound=bound)) == brought(expected, Channel.ENABLER)


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize(("k", "verification"), [(1, 2), (3, 1), (100, 100), (0, 2), (2, 0)])
def test_the_structural_channel_ranks_role_pairs_by_affinity(k: int, verification: int, bound: Bound) -> None:
    """Only pairs whose signal is above 0; those that lead into verification have places of their own."""
    skills = random_skills(np.random.default_rng(30), 24)
    inputs = read(*skills)
    table = pair_scores(strong=0.78, support=0.68)
    affinities = scored(skills, lambda a, b: affinity_of(text_bag(a), text_bag(b)), above=0.28 - 1e-12)
    paired = {
        pair: value
        for pair, value in affinities.items()
        if table[inputs.roles[pair[0]], inputs.roles[pair[1]]] > 0
    }
    into = {pair for pair in paired if ROLES[inputs.roles[pair[1]]] is Role.VERIFY}
    parts = (
        best({pair: paired[pair] for pair in into}, k=verification, bound=bound, ranks=inputs.tie_break),
        best({pair: paired[pair] for pair in paired.keys() - into}, k=k, bound=bound, ranks=inputs.tie_break),
    )
    config = only("structural", structural=k, verification=verification, bound=bound)
    assert into
    assert found(inputs, config) == brought(parts[0] | parts[1], Channel.STRUCTURAL)


def test_skills_without_a_role_are_not_in_the_structural_channel() -> None:
    """-1 must find the empty row, not the last role."""
    inputs = read(make_skill("about-amber"), make_skill("find-amber"), make_skill("verify-amber"))
    assert inputs.roles.tolist() == [NO_ROLE, 2, 7]
    assert found(inputs, only("structural")) == {}


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("k", [1, 3, 100])
def test_the_semantic_channel_brings_the_highest_cosines(k: int, bound: Bound) -> None:
    """Ties by content."""
    skills = random_skills(np.random.default_rng(40 + k), 16)
    config = only("semantic", semantic=k, semantic_floor=0.2, bound=bound)
    inputs = encoded(skills, config=config.signals)
    cosine = inputs.vectors.astype(np.float64) @ inputs.vectors.T.astype(np.float64)
    scores = {
        (i, j): float(cosine[i, j]) for i in range(16) for j in range(16) if i != j and cosine[i, j] > 0.2
    }
    expected = best(scores, k=k, bound=bound, ranks=inputs.tie_break)
    assert found(inputs, config) == brought(expected, Channel.SEMANTIC)


def test_floors_are_those_of_the_method() -> None:
    """Jaccard above .05: 1/20 is out. Cosine at least .55: .6 is in where the floor is .6."""
    words = " ".join(f"w{at}" for at in range(1, 20))
    texts = [make_skill("a", f"amber {words}", name=""), make_skill("b", "amber", name="")]
    assert found(read(*texts), only("lexical")) == {}
    assert set(found(read(*texts), only("lexical", lexical_floor=0.0499))) == {(0, 1), (1, 0)}
    turned = read(make_skill("a"), make_skill("b"), vectors=unit([[1.0, 0.0], [0.75, 1.0]]))
    assert set(found(turned, only("semantic", semantic_floor=0.6))) == {(0, 1), (1, 0)}
    assert found(turned, only("semantic", semantic_floor=0.61)) == {}


def test_an_affinity_at_its_floor_is_enough() -> None:
    """7 / sqrt(25 * 25) = .28 is in, 7 / sqrt(25 * 26) is out, as in the signal itself."""
    shared, other = " ".join(f"w{at}" for at in range(7)), " ".join(f"v{at}" for at in range(17))
    rest = " ".join(f"u{at}" for at in range(17))
    skills = [
        make_skill("a", f"find {shared} {other}", name=""),
        make_skill("b", f"save {shared} {rest}", name=""),
        make_skill("c", f"save {shared} {rest} more", name=""),
    ]
    assert set(found(read(*skills), only("structural"))) == {(0, 1)}


def test_a_cosine_below_zero_is_a_similarity_of_zero() -> None:
    """max(0, cosine): with a floor of 0 every pair passes."""
    inputs = read(make_skill("a"), make_skill("b"), vectors=unit([[1.0, 0.0], [-1.0, 0.0]]))
    assert set(found(inputs, only("semantic", semantic_floor=0.0))) == {(0, 1), (1, 0)}


def test_likeness_decides_between_matches_of_generic_names() -> None:
    """Every skill takes and gives "file"; the one that speaks of the same things comes first."""
    texts = ["amber basin", "cedar delta", "amber basin", "amber fjord"]
    skills = [
        make_skill(f"s{at}", text, name="", inputs=["file"], outputs=["file"])
        for at, text in enumerate(texts)
    ]
    inputs = read(*skills, vectors=unit([[1, 0], [0, 1], [1, 0], [0.8, 0.6]]))
    first = set(found(inputs, only("io", io=1, io_by_likeness=True)))
    assert first >= {(2, 0), (0, 2), (3, 1)}
    assert len(found(inputs, only("io", io=3, io_by_likeness=True))) == 12
    by_rank = inputs.tie_break.argmin()
    assert {source for source, target in found(inputs, only("io", io=1)) if target != by_rank} == {by_rank}


def test_likeness_weighs_the_match() -> None:
    """.85 * (.6 + 1/3) goes before 1 * (.6 + 0), and 1 * (.6 + 1/3) before both."""
    skills = [
        make_skill("t", "amber basin", name="", inputs=["file name"]),
        make_skill("u", "amber cedar", name="", outputs=["file"]),
        make_skill("v", "delta ember", name="", outputs=["file name"]),
        make_skill("w", "amber delta", name="", outputs=["name file"]),
    ]
    inputs = read(*skills, vectors=unit([[1, 0], [0.6, 0.8], [0.6, 0.8], [0.6, 0.8]]))
    for k, sources in ((1, {3}), (2, {3, 1}), (3, {3, 1, 2})):
        pairs = found(inputs, only("io", io=k, io_by_likeness=True))
        assert {source for source, _ in pairs} == sources


# ---------------------------------------------------------------- the union


def test_references_come_whatever_the_scores_unless_their_weight_is_zero() -> None:
    """The reference channel has no k; a contrast is none."""
    skills = [make_skill(f"{name}{name}") for name in "abcd"]
    references = [needs(0, 3), needs(1, 3), needs(2, 3), needs(3, 0)]
    inputs = read(*skills, references=references)
    expected = brought([(0, 3), (1, 3), (2, 3), (3, 0)], Channel.REFERENCE)
    assert found(inputs, only("reference")) == expected
    assert found(inputs, only("lexical")) == {}


def test_labels_are_always_candidates_and_no_skill_is_its_own() -> None:
    """Somebody said something about the pair; loops are dropped wherever they come from."""
    inputs = read(*(make_skill(f"{name}{name}") for name in "abc"), references=[needs(1, 1)])
    labelled = np.array([0 * 3 + 2, 1 * 3 + 1, 2 * 3 + 2, 0], dtype=np.int64)
    assert found(inputs, only("reference"), labelled=labelled) == {(0, 2): {Channel.LABEL}}


def test_a_pair_remembers_every_channel_that_brought_it() -> None:
    """One bit each, in the order of the schema."""
    log = (Artifact(path="a/log.md", evidence=""),)
    cedar = (Parameter(name="cedar"),)
    skills = [
        make_skill("find-amber", "amber basin", fields=SkillFields(outputs=cedar, writes=log)),
        make_skill("save-amber", "amber basin", fields=SkillFields(inputs=cedar, reads=log)),
    ]
    ordered = [StatedOrder(0, 1, "")]
    inputs = read(
        *skills,
        vectors=unit([[1, 0], [1, 0]]),
        references=[needs(0, 1)],
        orders=ordered,
        parameters=unit([[0, 1]]),
    )
    pairs = found(inputs, BuildConfig(), labelled=np.array([1]))
    assert pairs[0, 1] == {
        Channel.STRUCTURAL,
        Channel.IO,
        Channel.SEMANTIC,
        Channel.LEXICAL,
        Channel.REFERENCE,
        Channel.LABEL,
        Channel.ARTIFACT,
        Channel.ORDER,
        Channel.MEANING,
        Channel.READY,
        Channel.PROVIDER,
    }
    assert pairs[1, 0] == {Channel.SEMANTIC, Channel.LEXICAL}
    assert [channel_bit(channel) for channel in CHANNELS] == [2**bit for bit in range(12)]


@pytest.mark.parametrize("channel", ["lexical", "io", "semantic", "enabler"])
def test_a_channel_with_k_zero_brings_nothing(channel: str) -> None:
    """The enabler channel of the paper's profile."""
    config = only(channel, **{channel: 0})
    assert found(encoded(random_skills(np.random.default_rng(1), 12), config=config.signals), config) == {}


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("cells", [1, 12, 50, 1000])
def test_the_size_of_a_block_changes_nothing(cells: int, bound: Bound) -> None:
    """Blocks bound the memory; they must not bound the result."""
    config = BuildConfig(recall=RecallConfig(bound=bound, lexical=2, io=2, semantic=2, enabler=2))
    inputs = encoded(random_skills(np.random.default_rng(7), 18), config=config.signals)
    whole = recall(inputs, labelled=NONE, config=config)
    parts = recall(inputs, labelled=NONE, config=config, block_cells=cells)
    assert whole[0].tolist() == parts[0].tolist()
    assert whole[1].tolist() == parts[1].tolist()


@pytest.mark.parametrize("n", [0, 1])
def test_a_library_without_pairs_has_no_candidates(n: int) -> None:
    """No skill, or one, is a library too."""
    inputs = encoded(random_skills(np.random.default_rng(1), n), config=SignalConfig())
    assert found(inputs, BuildConfig()) == {}


# ---------------------------------------------------------------- top k, matches


def test_the_k_highest_scores_are_found_and_ties_follow_the_order() -> None:
    """Column 3 goes before column 1 here, because the order says so."""
    scores = np.array([[0.5, 0.9, 0.1, 0.9], [OUT, OUT, 0.0, OUT], [OUT, OUT, OUT, OUT]])
    order = np.array([3, 2, 1, 0])
    expected = {
        0: [],
        1: [(0, 3), (1, 2)],
        2: [(0, 1), (0, 3), (1, 2)],
        3: [(0, 0), (0, 1), (0, 3), (1, 2)],
        9: [(0, 0), (0, 1), (0, 2), (0, 3), (1, 2)],
    }
    for k, pairs in expected.items():
        rows, columns = top_k(scores, k, order=order)
        assert sorted(zip(rows.tolist(), columns.tolist(), strict=True)) == pairs
    assert scores[0].tolist() == [0.5, 0.9, 0.1, 0.9]


@pytest.mark.parametrize("cells", [1, 40, 10_000])
def test_the_best_match_of_every_pair_in_blocks(cells: int) -> None:
    """Rows from the middle of the library; silent skills at either end get 0."""
    skills = random_skills(np.random.default_rng(5), 15)
    stated = read(*skills, config=SignalConfig(names_as_outputs=False)).stated
    rows = np.arange(4, 13)
    values = best_matches(stated.inputs, stated.outputs, rows, overlap=name_match, block_cells=cells)
    expected = [[io_of(source, skills[row]) or 0.0 for source in skills] for row in rows]
    assert values == pytest.approx(np.array(expected))


def test_names_that_everybody_uses_are_scored_once() -> None:
    """1,000 skills that all take and give "file" have one distinct name: one score, not a million."""
    scored_names: list[int] = []

    def counting(shared: FloatArray, left: Sizes, right: Sizes) -> FloatArray:
        scored_names.append(len(shared))
        return name_match(shared, left, right)

    skills = [make_skill(f"s{at}", inputs=["file"], outputs=["file"]) for at in range(1000)]
    stated = read(*skills, vectors=np.zeros((1000, 1), dtype=np.float32)).stated
    values = best_matches(stated.inputs, stated.outputs, np.arange(1000), overlap=counting)
    assert values.min() == 1.0
    assert scored_names == [1]


def test_nobody_answers() -> None:
    """Skills that state inputs, and no skill that states an output."""
    stated = read(make_skill("a", inputs=["x1"]), config=SignalConfig(names_as_outputs=False)).stated
    values = best_matches(stated.inputs, stated.outputs, np.array([0]), overlap=name_match)
    assert values.tolist() == [[0.0]]
    backward = best_matches(stated.outputs, stated.inputs, np.array([0]), overlap=name_match)
    assert backward.tolist() == [[0.0]]
    assert ends()[0].tolist() == []


# ---------------------------------------------------------------- what is given and taken


def flowing() -> GraphInputs:
    """Return three skills that take "want" and three that give what is ever less like it."""
    takers = [make_skill(f"t{at}", f"put {at}", inputs=["want"]) for at in range(3)]
    givers = [make_skill(f"g{at}", f"put {at}", outputs=[f"give-{at}"], inputs=["else"]) for at in range(3)]
    vectors = np.eye(8, dtype=np.float32)[:6]
    axes = np.eye(8)[6:]
    given = [
        share * axes[0] + np.sqrt(1 - share**2) * np.eye(8)[at] for at, share in enumerate((0.9, 0.6, 0.3))
    ]
    texts = unit(np.array([axes[1], *given, axes[0]]))  # else, give-0, give-1, give-2, want
    return read(*takers, *givers, vectors=vectors, parameters=texts)


@pytest.mark.parametrize("bound", BOUNDS)
def test_the_meaning_channel_brings_who_comes_closest(bound: Bound) -> None:
    """.9 and .6 are above the mean of six skills, .3; .3 is not, and brings nothing."""
    inputs = flowing()
    ahead = {1: [3], 2: [3, 4], 9: [3, 4]}
    for most, givers in ahead.items():
        pairs = found(inputs, only("meaning", meaning=most, bound=bound))
        if bound is Bound.TARGET:
            assert pairs == brought(
                [(giver, taker) for giver in givers for taker in range(3)], Channel.MEANING
            )
        else:
            assert len(pairs) == 2 * min(most, 3)
            assert {giver for giver, _ in pairs} == {3, 4}


def test_likeness_of_the_texts_decides_among_those_who_give_the_same() -> None:
    """Both give what is wanted; the second is of the same subject as the taker."""
    skills = [
        make_skill("t", "put it", inputs=["want"]),
        make_skill("far", "send it", outputs=["want"]),
        make_skill("near", "send that", outputs=["want"]),
        make_skill("idle", "send this", outputs=["other"]),
    ]
    vectors = unit([[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1]])
    inputs = read(*skills, vectors=vectors, parameters=unit([[1, 0, 0], [0, 1, 0]]))
    assert found(inputs, only("meaning", meaning=1)) == brought([(2, 0)], Channel.MEANING)
    assert set(found(inputs, only("meaning", meaning=2))) == {(1, 0), (2, 0)}


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("most", [1, 2])
def test_the_provider_channel_brings_the_largest_shares(bound: Bound, most: int) -> None:
    """Two give what both takers want; a third gives nothing that is wanted."""
    skills = [
        make_skill("near", outputs=["want"]),
        make_skill("far", outputs=["wish"]),
        make_skill("else", outputs=["end"]),
        make_skill("s", inputs=["want"], outputs=["end"]),
        make_skill("t", inputs=["want"], outputs=["end"]),
    ]
    texts = unit([[0, 0, 1], [1, 0, 0], [0.95, 0.3122, 0]])  # end, want, wish
    loose = SignalConfig(silence_means_none=0.4)
    inputs = read(*skills, vectors=np.zeros((5, 3), dtype=np.float32), parameters=texts, config=loose)
    pairs = found(inputs, only("provider", provider=most, bound=bound))
    if bound is Bound.TARGET:
        expected = [(giver, taker) for giver in range(most) for taker in (3, 4)]
        assert pairs == brought(expected, Channel.PROVIDER)
    else:
        assert len(pairs) == 2 * most
        assert {giver for giver, _ in pairs} == {0, 1}


@pytest.mark.parametrize("bound", BOUNDS)
def test_who_takes_nothing_and_obtains_something_is_ready_for_all_who_take(bound: Bound) -> None:
    """Into everybody who takes something; not into itself, nor into one that takes nothing."""
    skills = [
        make_skill("a", "get the state"),
        make_skill("b", "put it", inputs=["x1"]),
        make_skill("c", "put that", inputs=["x2"]),
        make_skill("d", "send it"),
    ]
    pairs = found(read(*skills), only("ready", bound=bound))
    assert pairs == brought([(0, 1), (0, 2)], Channel.READY)


def test_of_many_who_are_ready_the_closest_are_brought() -> None:
    """What they give counts before likeness; a channel has its bound."""
    skills = [
        make_skill("a", "get the state"),
        make_skill("b", "get the date"),
        make_skill("c", "put it", inputs=["date"]),
        make_skill("d", "put that", inputs=["date"]),
    ]
    vectors = unit([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]])
    inputs = read(*skills, vectors=vectors, parameters=unit([[0, 1, 0]]))
    assert set(found(inputs, only("ready", ready=1))) == {(1, 2), (1, 3)}
    assert len(found(inputs, only("ready", ready=2))) == 4
