"""How well a graph agrees with gold edges, against a small world worked out by hand."""

from dataclasses import replace

import numpy as np
import pytest

from builds import built
from caskg.bench.edges import edge_figures, judged_pairs
from caskg.bench.pair_scores import SCORES, ScoredPairs, places, score_pairs, scores_of
from caskg.bench.qrels import GoldSet, read_set
from caskg.config import build_config
from caskg.published import Build
from caskg.schema import EDGE_STATES, Candidates, EdgeState, FloatArray, IntArray, Reliability
from gold_sets import write_kitchen
from retrieval.worlds import ConceptEncoder

CONFIG = build_config()
ENCODER = ConceptEncoder("water kettle", "tea leaves", "pasta", "plates dishes")
CONFIRMED, UNCERTAIN, REJECTED, UNVALIDATED = (EDGE_STATES.index(state) for state in EdgeState)


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> GoldSet:
    return read_set(write_kitchen(tmp_path_factory.mktemp("gold")), "kitchen")


@pytest.fixture(scope="module")
def build(kitchen: GoldSet, tmp_path_factory: pytest.TempPathFactory) -> Build:
    return built(kitchen.library, tmp_path_factory.mktemp("edges") / "workspace", encoder=ENCODER)


def named(kitchen: GoldSet, pairs: IntArray) -> set[tuple[str, str]]:
    ids = [skill.id for skill in kitchen.library.skills]
    return {(ids[i], ids[j]) for i, j in pairs.tolist()}


def test_judged_pairs_are_gold_edges_and_three_kinds_of_others(kitchen: GoldSet) -> None:
    """Reversed; most alike, both ways; needed by one task without a link (here there are none)."""
    pairs, is_edge = judged_pairs(kitchen, seed=0)
    edges = {("boil-water", "brew-tea"), ("boil-water", "cook-pasta"), ("wash-dishes", "dry-dishes")}
    assert named(kitchen, pairs[is_edge]) == edges
    others = named(kitchen, pairs[~is_edge])
    assert {(j, i) for i, j in edges} <= others
    assert len(others) == int((~is_edge).sum())
    assert not others & edges


def test_masked_pairs_are_never_judged(kitchen: GoldSet) -> None:
    """Whatever kind they would be of."""
    _, is_edge = judged_pairs(kitchen, seed=0)
    pairs, _ = judged_pairs(kitchen, seed=0)
    masked = replace(kitchen, masked=np.unique(pairs[~is_edge], axis=0))
    assert judged_pairs(masked, seed=0)[1].all()


def test_co_used_pairs_are_as_many_as_there_are_edges_at_most(kitchen: GoldSet) -> None:
    """Drawn by the seed; linked in either direction is not unlinked."""
    at = kitchen.position
    topic = replace(kitchen.topics[0], gold=tuple(range(6)))
    crowded = replace(kitchen, topics=(topic,), edges=np.array([[at["boil-water"], at["brew-tea"]]]))
    pairs, is_edge = judged_pairs(crowded, seed=0)
    alone, _ = judged_pairs(replace(crowded, topics=kitchen.topics[:1]), seed=0)
    assert len(pairs) <= len(alone) + 1
    assert ("brew-tea", "boil-water") in named(kitchen, pairs[~is_edge])
    assert judged_pairs(crowded, seed=0)[0].tolist() == pairs.tolist()


def test_scores_of_any_pair_are_those_that_a_build_gives(kitchen: GoldSet, build: Build) -> None:
    """Association and reliability are matters of two texts; recall only decides who is looked at."""
    found = np.stack([build.candidates.source, build.candidates.target], axis=1)
    scored = score_pairs(kitchen.library, found, encoder=ENCODER, config=CONFIG)
    assert len(scored.candidates) == len(build.candidates)
    assert scored.candidates.association == pytest.approx(build.candidates.association)


def test_a_build_goes_before_what_else_is_known() -> None:
    """A pair that nobody knows has 0."""
    pairs = np.array([[0, 1], [1, 2], [2, 0]])
    known, otherwise = scored([(0, 1)], [0.9], [0.8]), scored([(0, 1), (1, 2)], [0.1, 0.3], [0.5, 0.4])
    found = scores_of(pairs, known, otherwise, config=CONFIG)
    assert tuple(found) == SCORES
    assert found["association"].tolist() == [0.9, 0.3, 0.0]
    assert found["reliability"].tolist() == [0.8, 0.4, 0.0]
    # mass 3 for each, blend mass 2: h = .6
    assert found["strength"] == pytest.approx([0.4 * 0.9 + 0.6 * 0.8, 0.4 * 0.3 + 0.6 * 0.4, 0.0])
    assert places(otherwise.candidates, pairs).tolist() == [0, 1, -1]
    assert places(scored([], [], []).candidates, pairs).tolist() == [-1, -1, -1]


def scored(
    pairs: list[tuple[int, int]],
    association: list[float],
    value: list[float],
    states: list[int] | None = None,
    n_skills: int = 3,
) -> ScoredPairs:
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    column = np.array(value, dtype=np.float64)
    kinds = np.zeros(len(pairs), dtype=np.int8)
    return ScoredPairs(
        candidates=Candidates(
            n_skills=n_skills,
            source=ends[:, 0],
            target=ends[:, 1],
            association=np.array(association, dtype=np.float64),
            types=kinds,
            channels=np.zeros(len(pairs), dtype=np.int64),
        ),
        reliability=Reliability(
            support=np.full(len(pairs), 1.5),
            against=np.full(len(pairs), 1.5),
            value=column,
            states=np.array(states or kinds, dtype=np.int8),
            text_only=np.zeros(len(pairs), dtype=np.bool_),
        ),
    )


def figures(kitchen: GoldSet, build: Build, other: ScoredPairs) -> dict[str, tuple[float, int]]:
    mine = replace(build, candidates=other.candidates, reliability=other.reliability)
    found = edge_figures(kitchen, mine, other, config=CONFIG, seed=0)
    return {name: (figure.value, figure.n) for name, figure in found.items()}


def test_states_and_reliabilities_are_held_against_pairs_that_may_be_judged(
    kitchen: GoldSet, build: Build
) -> None:
    """Not masked, assessed, both ends in the gold of a task: of six pairs here four."""
    at = kitchen.position
    water, tea, pasta, kettle = (at[name] for name in ("boil-water", "brew-tea", "cook-pasta", "fill-kettle"))
    rows: list[tuple[tuple[int, int], float, int]] = sorted(
        [
            ((water, tea), 0.8, CONFIRMED),  # gold
            ((tea, pasta), 0.75, CONFIRMED),  # not
            ((pasta, tea), 0.2, REJECTED),  # not
            ((water, pasta), 0.5, UNCERTAIN),  # gold
            ((kettle, water), 0.8, CONFIRMED),  # masked, and nobody needs a kettle
            ((tea, water), 0.5, UNVALIDATED),
        ]
    )
    other = scored(
        [pair for pair, _, _ in rows],
        [0.5] * 6,
        [value for _, value, _ in rows],
        [state for _, _, state in rows],
        n_skills=6,
    )
    found = figures(kitchen, build, other)
    assert found["precision_confirmed"] == (0.5, 2)
    assert found["npv_rejected"] == (1.0, 1)
    squares = 0.2**2 + 0.75**2 + 0.2**2 + 0.5**2
    assert found["brier"] == pytest.approx((squares / 4, 4))
    assert found["ece"] == pytest.approx(((0.2 + 0.75 + 0.2 + 0.5) / 4, 4))
    assert found["candidate_recall"] == pytest.approx((2 / 3, 3))
    assert found["candidates_per_skill"] == (1.0, 6)


def test_direction_is_how_often_an_edge_scores_above_its_reverse(kitchen: GoldSet, build: Build) -> None:
    """One above, one below, one equal: a half each way."""
    at = kitchen.position
    water, tea, pasta = at["boil-water"], at["brew-tea"], at["cook-pasta"]
    score = {(water, tea): 0.9, (tea, water): 0.1, (pasta, water): 0.6, (water, pasta): 0.2}
    pairs = sorted(score)
    other = scored(pairs, [score[pair] for pair in pairs], [0.5] * 4, n_skills=6)
    assert figures(kitchen, build, other)["direction_association"] == (0.5, 3)


def test_pairs_that_are_gold_both_ways_have_no_direction(kitchen: GoldSet, build: Build) -> None:
    """Neither do they stand among those that are none."""
    at = kitchen.position
    both = replace(
        kitchen, edges=np.array([[at["boil-water"], at["brew-tea"]], [at["brew-tea"], at["boil-water"]]])
    )
    value, n = figures(both, build, scored([], [], [], n_skills=6))["direction_association"]
    assert np.isnan(value)
    assert n == 0


def test_every_figure_of_a_real_build_is_a_share(kitchen: GoldSet, build: Build) -> None:
    """Or not there at all."""
    pairs, _ = judged_pairs(kitchen, seed=0)
    other = score_pairs(kitchen.library, pairs, encoder=ENCODER, config=CONFIG)
    found = edge_figures(kitchen, build, other, config=CONFIG, seed=0)
    values: FloatArray = np.array(
        [figure.value for name, figure in found.items() if name != "candidates_per_skill"]
    )
    assert ((values >= 0) & (values <= 1) | np.isnan(values)).all()
    assert found["auroc_association"].n == len(pairs)
