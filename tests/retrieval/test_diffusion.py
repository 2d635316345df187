"""Walks by hand on a chain and a cycle, a dense solve for everything else, and the leaky laws."""

from dataclasses import replace
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caskg.config import DiffusionConfig, Walk, retrieve_config
from caskg.retrieval.diffusion import (
    Transition,
    personalized_pagerank,
    sharpened,
    step_weights,
    strongest_paths,
    transition,
)
from caskg.schema import EDGE_STATES, EDGE_TYPES, EdgeState, EdgeType, FloatArray, SkillGraph
from retrieval.worlds import Edge, make_graph, seeds_at

CHAIN = make_graph(3, [Edge(0, 1), Edge(1, 2)])
CYCLE = make_graph(3, [Edge(0, 1), Edge(1, 2), Edge(2, 0)])


def relevance(
    graph: SkillGraph, seeds: FloatArray, config: DiffusionConfig, *, tolerance: float = 1e-12
) -> FloatArray:
    return personalized_pagerank(
        transition(graph, config), seeds, restart=config.restart, tolerance=tolerance
    )


def dense_transition(graph: SkillGraph, config: DiffusionConfig) -> FloatArray:
    """T by the definition of each walk, edge by edge."""
    reverse = {"dependency": 1.0, "workflow": 0.5, "semantic": 0.2, "alternative": 0.1}
    m = np.zeros((graph.n_skills, graph.n_skills))
    entries: list[tuple[int, float, str]] = []
    edges = zip(graph.source, graph.target, graph.weight, graph.types, graph.states, strict=True)
    for u, v, weight, code, state in edges:
        w = weight * (config.alternative_weight if EDGE_TYPES[code] == "alternative" else 1.0)
        w *= min(w / config.sure_weight[int(state)], 1.0) ** (config.sharpness - 1)
        match config.walk:
            case Walk.FORWARD:
                along, against = w, 0.0
            case Walk.RELEASED:
                along, against = w, reverse[EDGE_TYPES[code]] * w
            case Walk.BACKWARD:
                along, against = 0.0, w
            case Walk.BOTH:
                confirmed = EDGE_STATES[state] == "confirmed"
                along, against = w * (config.forward_confirmed if confirmed else config.forward_weight), w
        m[u, v] += along
        m[v, u] += against
        entries += [(u, along, state), (v, against, state)]
    for u in range(graph.n_skills):
        total = m[u].sum()
        if total > 0:
            best = max(entry / config.sure_weight[int(state)] for at, entry, state in entries if at == u)
            m[u] *= min(best, 1.0) ** config.openness
            m[u] /= total if config.leak_below is None else max(total, config.leak_below)
    return np.asarray(m)


def dense_relevance(graph: SkillGraph, seeds: FloatArray, config: DiffusionConfig) -> FloatArray:
    """Solve p = gamma pi + (1 - gamma) (T^T p + lost mass at pi), a linear system in p."""
    t = dense_transition(graph, config)
    column_stochastic = t.T + np.outer(seeds, 1.0 - t.sum(axis=1))
    system = np.eye(graph.n_skills) - (1 - config.restart) * column_stochastic
    return np.asarray(np.linalg.solve(system, config.restart * seeds))


@st.composite
def graphs(draw: st.DrawFn, *, most_skills: int = 7) -> SkillGraph:
    n_skills = draw(st.integers(2, most_skills))
    pairs = draw(st.lists(st.sampled_from(list(permutations(range(n_skills), 2))), unique=True, max_size=20))
    weights = st.floats(0.01, 1.0)
    return make_graph(
        n_skills,
        [
            Edge(u, v, draw(weights), draw(st.sampled_from(EDGE_TYPES)), draw(st.sampled_from(EDGE_STATES)))
            for u, v in pairs
        ],
    )


@st.composite
def seeds_for(draw: st.DrawFn, n_skills: int) -> FloatArray:
    mass = np.array(draw(st.lists(st.integers(0, 5), min_size=n_skills, max_size=n_skills)), dtype=float)
    mass[draw(st.integers(0, n_skills - 1))] += 1
    return np.asarray(mass / mass.sum())


configs = st.builds(
    DiffusionConfig,
    walk=st.sampled_from(list(Walk)),
    restart=st.sampled_from([0.2, 0.5, 0.85]),
    forward_weight=st.sampled_from([0.0, 0.3, 1.0]),
    forward_confirmed=st.sampled_from([0.0, 0.5, 1.0]),
    alternative_weight=st.sampled_from([0.0, 0.4, 1.0]),
    sure_weight=st.sampled_from([(0.9, 0.5, 0.9, 0.2), (2.0, 0.1, 1.0, 0.7)]),
    sharpness=st.sampled_from([1.0, 2.0, 3.5]),
    leak_below=st.sampled_from([None, 0.5, 1.0, 3.0]),
    openness=st.sampled_from([0.0, 0.75, 1.0, 2.0]),
)


# ---------------------------------------------------------------- the matrix


@pytest.mark.parametrize(
    ("walk", "along", "against"),
    [
        (Walk.FORWARD, [0.5, 0.5, 0.5, 0.5], [0.0, 0.0, 0.0, 0.0]),
        (Walk.BACKWARD, [0.0, 0.0, 0.0, 0.0], [0.5, 0.5, 0.5, 0.5]),
        (Walk.BOTH, [0.2, 0.2, 0.2, 0.2], [0.5, 0.5, 0.5, 0.5]),
        (Walk.RELEASED, [0.5, 0.5, 0.5, 0.5], [0.5, 0.25, 0.1, 0.05]),
    ],
)
def test_each_walk_weighs_an_edge_along_and_against_as_the_method_says(
    walk: Walk, along: list[float], against: list[float]
) -> None:
    """Here f = .4; r is 1, .5, .2, .1 for dependency, workflow, semantic, alternative."""
    graph = make_graph(5, [Edge(0, 1 + k, 0.5, edge_type) for k, edge_type in enumerate(EDGE_TYPES)])
    config = DiffusionConfig(
        openness=0.0,
        leak_below=1.0,
        walk=walk,
        forward_confirmed=0.4,
        alternative_weight=1.0,
        sharpness=1.0,
    )
    got = step_weights(graph, config)
    assert np.allclose(got[0], along)
    assert np.allclose(got[1], against)


def test_alternatives_are_weighed_down_in_both_directions_and_nothing_else_is() -> None:
    """In `default` relevance never flows between near duplicates."""
    graph = make_graph(3, [Edge(0, 1, 0.5, EdgeType.ALTERNATIVE), Edge(0, 2, 0.5, EdgeType.SEMANTIC)])
    config = DiffusionConfig(openness=0.0, leak_below=1.0, forward_confirmed=1.0, sharpness=1.0)
    along, against = step_weights(graph, replace(config, alternative_weight=0.2))
    assert np.allclose([along, against], [[0.1, 0.5], [0.1, 0.5]])
    along, against = step_weights(graph, config)
    assert np.allclose([along, against], [[0.0, 0.5], [0.0, 0.5]])


@given(graphs(), configs)
def test_the_matrix_is_the_definition_transposed_and_the_leak_is_what_it_lacks(
    graph: SkillGraph, config: DiffusionConfig
) -> None:
    """The oracle adds edge by edge into a dense matrix."""
    step, expected = transition(graph, config), dense_transition(graph, config)
    assert np.allclose(step.matrix.toarray(), expected.T)
    assert np.allclose(step.leak, 1.0 - expected.sum(axis=1))
    assert np.all(step.leak >= 0)


def test_a_row_without_entries_loses_everything_and_a_whole_row_nothing() -> None:
    """An edge of weight 0 is no entry: an alternative alone leaves its row empty."""
    graph = make_graph(4, [Edge(0, 1, 0.25), Edge(2, 3, 1.0, EdgeType.ALTERNATIVE)])
    config = DiffusionConfig(openness=0.0, leak_below=1.0, sharpness=1.0, walk=Walk.FORWARD)
    assert transition(graph, config).leak.tolist() == [0.75, 1.0, 1.0, 1.0]
    assert transition(graph, replace(config, leak_below=0.5)).leak.tolist() == [0.5, 1.0, 1.0, 1.0]
    assert transition(graph, replace(config, leak_below=None)).leak.tolist() == [0.0, 1.0, 1.0, 1.0]
    assert transition(graph, config).matrix.nnz == 1


@pytest.mark.parametrize("kappa", [0.0, -1.0])
def test_kappa_must_be_positive(kappa: float) -> None:
    """A row of sum 0 would be divided by it."""
    with pytest.raises(ValueError, match="leak_below"):
        transition(CHAIN, DiffusionConfig(leak_below=kappa))


# ---------------------------------------------------------------- weak edges made weaker


def test_an_edge_is_weighed_by_how_sure_one_of_its_state_is() -> None:
    """The factor is min(w / m, 1)^(s - 1), so none is made stronger, and it does not depend on others."""
    weight, sure = np.array([0.9, 0.1, 0.05, 0.4]), np.array([0.8, 0.1, 0.1, 0.8])
    assert np.allclose(sharpened(weight, sure, 2.0), [0.9, 0.1, 0.025, 0.2])
    assert np.allclose(sharpened(weight, sure, 3.0), [0.9, 0.1, 0.0125, 0.1])
    assert sharpened(weight, sure, 1.0).tolist() == weight.tolist()
    assert sharpened(np.zeros(2), sure[:2], 2.0).tolist() == [0.0, 0.0]
    assert sharpened(np.zeros(0), sure[:0], 2.0).tolist() == []


def test_what_an_edge_hands_on_does_not_depend_on_the_rest_of_the_graph() -> None:
    """In a library that states little the strongest is a guess too: alone or beside a sure one."""
    weak = Edge(0, 1, 0.05, state=EdgeState.UNVALIDATED)
    sure = Edge(2, 3, 0.162, state=EdgeState.UNVALIDATED)
    alone, beside = (transition(make_graph(4, edges), DiffusionConfig()) for edges in ([weak], [weak, sure]))
    assert alone.matrix.toarray()[0, 1] == beside.matrix.toarray()[0, 1] < 0.1
    assert beside.matrix.toarray()[2, 3] > 0.9


def test_a_walk_sees_sharpened_weights() -> None:
    """Along by what is known of the direction, and against."""
    edges = [Edge(0, 1, 0.9, EdgeType.ALTERNATIVE), Edge(0, 2, 0.9), Edge(0, 3, 0.45)]
    config = DiffusionConfig(sharpness=2.0, forward_confirmed=0.5)
    along, against = step_weights(make_graph(4, edges), config)
    assert np.allclose([along, against], [[0.0, 0.45, 0.1125], [0.0, 0.9, 0.225]])


@pytest.mark.parametrize("sure", [(0.9, 0.5, 0.9), (0.9, 0.5, 0.9, 0.0)])
def test_each_state_needs_a_sure_weight(sure: tuple[float, ...]) -> None:
    """All weights are divided by it."""
    with pytest.raises(ValueError, match="sure_weight must be 4 positive numbers"):
        transition(CHAIN, DiffusionConfig(sure_weight=sure))


@pytest.mark.parametrize("sharpness", [0.999, 0.0, float("nan")])
def test_sharpness_below_1_is_refused(sharpness: float) -> None:
    """It would make weak edges stronger."""
    with pytest.raises(ValueError, match=r"sharpness must be at least 1, not "):
        transition(CHAIN, DiffusionConfig(sharpness=sharpness))


@given(graphs(), st.sampled_from([1.0, 1.5, 2.0, 4.0]))
def test_a_sharper_graph_has_no_stronger_edge_and_keeps_the_sure_ones(graph: SkillGraph, s: float) -> None:
    """So the bounds on weights hold, and what is sure is never weakened."""
    sure = np.full(len(graph.weight), 0.5)
    weight = sharpened(graph.weight, sure, s)
    assert np.all((weight >= 0) & (weight <= graph.weight))
    assert np.array_equal(weight[graph.weight >= sure], graph.weight[graph.weight >= sure])


# ---------------------------------------------------------------- known answers


@pytest.mark.parametrize(
    ("walk", "seed", "expected"),
    [
        (Walk.FORWARD, 0, [4 / 7, 2 / 7, 1 / 7]),
        (Walk.FORWARD, 2, [0, 0, 1]),
        (Walk.BACKWARD, 2, [1 / 7, 2 / 7, 4 / 7]),
        (Walk.BACKWARD, 0, [1, 0, 0]),
        (Walk.RELEASED, 0, [7 / 12, 4 / 12, 1 / 12]),
        (Walk.BOTH, 1, [10 / 39, 26 / 39, 3 / 39]),
    ],
)
def test_on_a_chain_of_two_edges(walk: Walk, seed: int, expected: list[float]) -> None:
    """Solved by hand at restart .5, f .3: forward reaches what is enabled, backward what is needed."""
    config = DiffusionConfig(walk=walk, restart=0.5, forward_confirmed=0.3, leak_below=1.0, openness=0.0)
    assert np.allclose(relevance(CHAIN, seeds_at(3, seed), config), expected)


@pytest.mark.parametrize(
    ("walk", "expected"),
    [
        (Walk.FORWARD, [4 / 7, 2 / 7, 1 / 7]),
        (Walk.BACKWARD, [4 / 7, 1 / 7, 2 / 7]),
        (Walk.RELEASED, [3 / 5, 1 / 5, 1 / 5]),
        (Walk.BOTH, [646 / 1093, 178 / 1093, 269 / 1093]),
    ],
)
def test_on_a_cycle_of_three_edges(walk: Walk, expected: list[float]) -> None:
    """Solved by hand at restart .5, f .3, where no row loses anything."""
    config = DiffusionConfig(openness=0.0, leak_below=1.0, walk=walk, restart=0.5, forward_confirmed=0.3)
    assert np.allclose(relevance(CYCLE, seeds_at(3, 0), config), expected)


@given(graphs(), configs, st.data())
def test_the_iteration_finds_what_a_dense_solve_finds(
    graph: SkillGraph, config: DiffusionConfig, data: st.DataObject
) -> None:
    """Every walk, every kappa, any seeds."""
    seeds = data.draw(seeds_for(graph.n_skills))
    expected = dense_relevance(graph, seeds, config)
    assert np.allclose(relevance(graph, seeds, config), expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("restart", [0.5, 0.9])
@pytest.mark.parametrize("tolerance", [1e-3, 1e-6, 1e-9])
def test_the_number_of_steps_is_never_cut_short(restart: float, tolerance: float) -> None:
    """Between two skills that need each other the bound on the steps is tight: one fewer would be felt."""
    pair = make_graph(2, [Edge(0, 1), Edge(1, 0)])
    config = DiffusionConfig(openness=0.0, leak_below=1.0, walk=Walk.FORWARD, restart=restart)
    got = relevance(pair, seeds_at(2, 0), config, tolerance=tolerance)
    error = np.abs(got - dense_relevance(pair, seeds_at(2, 0), config)).sum()
    assert error <= tolerance * (1 - restart) / restart


def test_a_small_restart_is_iterated_to_the_end() -> None:
    """A cap of 50 steps, as in the authors' release, would stop at an error of about .6."""
    pair = make_graph(2, [Edge(0, 1), Edge(1, 0)])
    config = DiffusionConfig(openness=0.0, leak_below=1.0, walk=Walk.FORWARD, restart=0.01)
    assert np.allclose(relevance(pair, seeds_at(2, 0), config), [1 / 1.99, 0.99 / 1.99], rtol=0, atol=1e-9)


def test_a_tolerance_above_2_is_met_by_the_seeds_themselves() -> None:
    """No two distributions are further apart; just below, one step is taken."""
    config = DiffusionConfig(openness=0.0, leak_below=1.0, walk=Walk.FORWARD, restart=0.5)
    assert relevance(CHAIN, seeds_at(3, 0), config, tolerance=2.0).tolist() == [1.0, 0.0, 0.0]
    assert relevance(CHAIN, seeds_at(3, 0), config, tolerance=1.9).tolist() == [0.5, 0.5, 0.0]


# ---------------------------------------------------------------- laws


@given(graphs(), configs, st.data())
def test_relevance_is_a_distribution(graph: SkillGraph, config: DiffusionConfig, data: st.DataObject) -> None:
    """Whatever leaks goes back to the seeds, so nothing is lost."""
    p = relevance(graph, data.draw(seeds_for(graph.n_skills)), config)
    assert np.all(p >= 0)
    assert p.sum() == pytest.approx(1.0, abs=1e-9)


@given(graphs(), configs, st.data())
def test_relevance_mixes_as_the_seeds_do(
    graph: SkillGraph, config: DiffusionConfig, data: st.DataObject
) -> None:
    """Linear in the seeds up to the share each loses: p / (gamma + (1 - gamma) leak . p) is linear."""
    first, second = data.draw(seeds_for(graph.n_skills)), data.draw(seeds_for(graph.n_skills))
    step = transition(graph, config)

    def unscaled(seeds: FloatArray) -> FloatArray:
        p = personalized_pagerank(step, seeds, restart=config.restart, tolerance=1e-12)
        return np.asarray(p / (config.restart + (1 - config.restart) * (step.leak @ p)))

    mixed = unscaled(0.3 * first + 0.7 * second)
    assert np.allclose(mixed, 0.3 * unscaled(first) + 0.7 * unscaled(second), atol=1e-8)


@given(graphs(), configs, st.data())
def test_renumbering_the_skills_renumbers_the_relevance(
    graph: SkillGraph, config: DiffusionConfig, data: st.DataObject
) -> None:
    """The order of skills in the folder means nothing."""
    seeds = data.draw(seeds_for(graph.n_skills))
    new = np.array(data.draw(st.permutations(range(graph.n_skills))))
    renumbered = make_graph(
        graph.n_skills,
        [
            Edge(int(new[u]), int(new[v]), float(w), EDGE_TYPES[code], EDGE_STATES[state])
            for u, v, w, code, state in zip(
                graph.source, graph.target, graph.weight, graph.types, graph.states, strict=True
            )
        ],
    )
    moved = np.zeros_like(seeds)
    moved[new] = seeds
    assert np.allclose(relevance(renumbered, moved, config)[new], relevance(graph, seeds, config), atol=1e-9)


@given(graphs(), st.data())
def test_restart_1_returns_the_seeds(graph: SkillGraph, data: st.DataObject) -> None:
    """Every step is a return: the graph is switched off."""
    seeds = data.draw(seeds_for(graph.n_skills))
    assert np.array_equal(
        relevance(graph, seeds, DiffusionConfig(openness=0.0, leak_below=1.0, restart=1.0)), seeds
    )


def test_without_kappa_a_factor_common_to_a_row_cancels() -> None:
    """Trap 2, shown as a fact: in `paper` it does not matter whether a row is confirmed or scaffold."""
    config = retrieve_config("paper").diffusion
    strong = make_graph(3, [Edge(0, 1, 0.8), Edge(0, 2, 0.4)])
    weak = make_graph(3, [Edge(0, 1, 0.8 * 0.18), Edge(0, 2, 0.4 * 0.18)])
    seeds = seeds_at(3, 0)
    assert np.allclose(relevance(strong, seeds, config), relevance(weak, seeds, config))
    leaky = replace(config, leak_below=1.0)
    assert relevance(strong, seeds, leaky)[0] < relevance(weak, seeds, leaky)[0] - 0.1


@pytest.mark.parametrize(("total", "falls"), [(0.4, 0.4 / 4), (1.0, 1.0 / 4), (2.0, 0.0)])
def test_halving_a_row_is_felt_exactly_where_its_sum_is_at_most_kappa(total: float, falls: float) -> None:
    """Leaky law: what the targets get falls by half, unless the halved row is still whole (2 / 2 = kappa)."""

    def handed_on(weight: float) -> float:
        graph = make_graph(3, [Edge(0, 1, weight / 2), Edge(0, 2, weight / 2)])
        p = relevance(
            graph,
            seeds_at(3, 0),
            DiffusionConfig(openness=0.0, leak_below=1.0, sharpness=1.0, walk=Walk.FORWARD, restart=0.5),
        )
        return float((p[1] + p[2]) / p[0])

    assert handed_on(total) - handed_on(total / 2) == pytest.approx(falls)


@pytest.mark.parametrize(("restart", "share"), [(0.2, 1 / 6), (0.5, 1 / 3)])
@pytest.mark.parametrize("walk", [Walk.FORWARD, Walk.BACKWARD])
def test_an_isolated_seed_gets_less_than_an_equal_one_that_keeps_what_it_spreads(
    walk: Walk, restart: float, share: float
) -> None:
    """Leaky law: what the isolated seed loses goes to both; kept as a self-loop it would have 1/2."""
    graph = make_graph(3, [Edge(1, 2), Edge(2, 1)])
    p = relevance(
        graph, seeds_at(3, 0, 1), DiffusionConfig(openness=0.0, leak_below=1.0, walk=walk, restart=restart)
    )
    assert p[0] == pytest.approx(share)


# ---------------------------------------------------------------- strongest paths

DIAMOND = make_graph(5, [Edge(0, 1, 0.6), Edge(0, 2, 0.3), Edge(1, 3, 0.4), Edge(2, 3, 0.9)])


def paths(
    graph: SkillGraph, seeds: FloatArray, *ends: int, tie_break: list[int] | None = None
) -> list[list[int]]:
    step = transition(graph, DiffusionConfig(openness=0.0, leak_below=1.0, walk=Walk.FORWARD, sharpness=1.0))
    order = np.array(tie_break if tie_break is not None else range(graph.n_skills))
    return strongest_paths(step, seeds, ends, restart=0.5, tie_break=order)


def test_the_strongest_of_two_ways_is_the_path() -> None:
    """.6 x .4 = .24 is less than .3 x .9 = .27: a weak first edge can belong to the better way."""
    assert paths(DIAMOND, seeds_at(5, 0), 3, 1) == [[0, 2, 3], [0, 1]]


def test_a_path_starts_at_the_last_seed_on_the_way() -> None:
    """Also where an earlier seed is the stronger one: 2 is a seed in its own right."""
    graph = make_graph(4, [Edge(0, 2), Edge(2, 3)])
    assert paths(graph, np.array([0.9, 0.0, 0.1, 0.0]), 3) == [[2, 3]]
    other = make_graph(4, [Edge(0, 2), Edge(2, 3), Edge(0, 1, 0.5), Edge(1, 3)])
    assert paths(other, np.array([0.9, 0.0, 0.1, 0.0]), 3) == [[0, 1, 3]]


def test_a_seed_is_its_own_path_and_an_unreached_skill_has_none() -> None:
    """Even where another seed leads to it more strongly."""
    seeds = np.array([0.9, 0.1, 0.0, 0.0, 0.0])
    assert paths(DIAMOND, seeds, 1, 4) == [[1], []]
    assert paths(make_graph(2), seeds_at(2, 0), 0, 1) == [[0], []]


def test_the_mass_of_the_seed_and_the_length_of_the_way_count() -> None:
    """pi_s (1 - gamma)^hops prod T: a faint seed next door loses to a strong one two steps away."""
    graph = make_graph(4, [Edge(0, 1), Edge(1, 3), Edge(2, 3)])
    assert paths(graph, np.array([0.6, 0.0, 0.4, 0.0]), 3) == [[2, 3]]
    assert paths(graph, np.array([0.8, 0.0, 0.2, 0.0]), 3) == [[0, 1, 3]]


def test_equal_ways_are_told_apart_by_the_given_order() -> None:
    """Not by position, which is the order of ids."""
    graph = make_graph(4, [Edge(0, 1, 0.5), Edge(0, 2, 0.5), Edge(1, 3, 0.5), Edge(2, 3, 0.5)])
    assert paths(graph, seeds_at(4, 0), 3, tie_break=[0, 1, 2, 3]) == [[0, 1, 3]]
    assert paths(graph, seeds_at(4, 0), 3, tie_break=[0, 2, 1, 3]) == [[0, 2, 3]]


def test_ways_that_differ_by_rounding_are_equal() -> None:
    """The order of additions in a row's sum must not choose a path."""
    nearly = np.nextafter(0.5, 1.0)
    graph = make_graph(4, [Edge(0, 1, 0.5), Edge(0, 2, nearly), Edge(1, 3, 0.5), Edge(2, 3, 0.5)])
    assert paths(graph, seeds_at(4, 0), 3, tie_break=[0, 1, 2, 3]) == [[0, 1, 3]]


def test_what_is_too_faint_for_a_float_has_no_path() -> None:
    """Below the smallest normal number products stop falling, and the way back could go in circles."""
    graph = make_graph(3, [Edge(0, 1, 1e-200), Edge(1, 2, 1e-200)])
    assert paths(graph, seeds_at(3, 0), 1, 2) == [[0, 1], []]


@given(graphs(most_skills=4), configs, st.data())
def test_no_walk_is_stronger_than_the_path_found(
    graph: SkillGraph, config: DiffusionConfig, data: st.DataObject
) -> None:
    """Brute force over all walks that visit no skill twice and no seed on the way, for any ends."""
    seeds = data.draw(seeds_for(graph.n_skills))
    t = (1 - config.restart) * dense_transition(graph, config)

    def strength(walk: tuple[int, ...]) -> float:
        return float(seeds[walk[0]] * np.prod([t[u, v] for u, v in pairwise(walk)]))

    no_seed = [end for end in range(graph.n_skills) if seeds[end] == 0]
    ends = data.draw(st.lists(st.sampled_from(no_seed), unique=True)) if no_seed else []
    found = strongest_paths(
        transition(graph, config), seeds, ends, restart=config.restart, tie_break=np.arange(graph.n_skills)
    )
    for end, path in zip(ends, found, strict=True):
        others = [skill for skill in range(graph.n_skills) if skill != end]
        walks = [(*w, end) for length in range(1, len(others) + 1) for w in permutations(others, length)]
        walks = [walk for walk in walks if not seeds[list(walk[1:])].any()]
        best = max(map(strength, walks), default=0.0)
        assert (strength(tuple(path)) if path else 0.0) == pytest.approx(best)
        assert not path or (path[-1] == end and np.count_nonzero(seeds[path]) == 1)


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize("restart", [0.0, -0.1, 1.1, float("nan")])
def test_restart_outside_its_range_is_refused(restart: float) -> None:
    """At 0 nothing returns to the seeds, and the fixed point is not theirs."""
    with pytest.raises(ValueError, match="restart"):
        personalized_pagerank(step_of(CHAIN), seeds_at(3, 0), restart=restart, tolerance=1e-6)


@pytest.mark.parametrize("tolerance", [0.0, -1.0, float("nan")])
def test_tolerance_must_be_positive(tolerance: float) -> None:
    """A change of exactly 0 may never come."""
    with pytest.raises(ValueError, match="tolerance"):
        personalized_pagerank(step_of(CHAIN), seeds_at(3, 0), restart=0.5, tolerance=tolerance)


@pytest.mark.parametrize(
    ("seeds", "complaint"),
    [
        ([0.5, 0.5], "shape"),
        ([0.5, 0.4, 0.0], "sum to 1"),
        ([1.5, -0.5, 0.0], ">= 0"),
        ([float("nan"), 1.0, 0.0], ">= 0"),
    ],
)
def test_seeds_must_be_a_distribution_over_the_skills(seeds: list[float], complaint: str) -> None:
    """Otherwise relevance would not be one either."""
    with pytest.raises(ValueError, match=complaint):
        personalized_pagerank(step_of(CHAIN), np.array(seeds), restart=0.5, tolerance=1e-6)


def step_of(graph: SkillGraph) -> Transition:
    return transition(graph, DiffusionConfig(openness=0.0, leak_below=1.0))
