"""Who gives each input: against a loop over all inputs, and cases computed by hand."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from caskg.config import SignalConfig
from caskg.graph.flow import parameter_texts, read_flow
from caskg.graph.providers import LEAST_SHARE, Provision, find_providers
from caskg.schema import BoolArray, FloatArray, Parameter, Skill, SkillFields, VectorArray
from factories import make_skill
from graph.graph_cases import encode, random_skills, unit

CONFIG = SignalConfig(silence_means_none=0.0)
Shares = dict[tuple[int, int], float]


def stating(name: str, *, takes: tuple[str, ...] = (), gives: tuple[str, ...] = ()) -> Skill:
    """Return a skill with inputs and outputs."""
    inputs, outputs = (tuple(Parameter(name=each) for each in names) or None for names in (takes, gives))
    return make_skill(name, fields=SkillFields(inputs=inputs, outputs=outputs))


def provision(
    skills: list[Skill],
    own: FloatArray,
    parameters: VectorArray | None,
    *,
    checks: tuple[int, ...] = (),
    config: SignalConfig = CONFIG,
) -> Provision:
    """Return who gives what of *skills*."""
    flow = read_flow(skills, own.astype(np.float32), parameters, tie_break=np.arange(len(skills)))
    stated = np.array([skill.fields.outputs is not None for skill in skills])
    return find_providers(flow, stated=stated, checks=np.isin(np.arange(len(skills)), checks), config=config)


def shares(found: Provision, n_skills: int) -> Shares:
    """Return the share of each pair that has one."""
    assert found.codes.tolist() == sorted(set(found.codes.tolist()))
    pairs = zip(*np.divmod(found.codes, n_skills), found.share.tolist(), strict=True)
    return {(int(i), int(j)): share for i, j, share in pairs}


def softmax(*scores: float) -> list[float]:
    """Return the shares of these scores beside that of nobody."""
    odds = np.exp(np.array([*scores, CONFIG.provider_nobody]) / CONFIG.provider_width)
    share: list[float] = (odds / odds.sum())[:-1].tolist()
    return share


def by_hand(skills: list[Skill], own: FloatArray, checks: BoolArray) -> FloatArray:
    """Return the shares of all pairs, source by target, in loops."""

    def vectors(stated: tuple[Parameter, ...] | None) -> list[FloatArray]:
        return [encode([each.name])[0].astype(np.float64) for each in stated or ()]

    n = len(skills)
    gives = [vectors(skill.fields.outputs) or [row] for skill, row in zip(skills, own, strict=True)]
    takes = [vectors(skill.fields.inputs) for skill in skills]
    counted = [at for at in range(n) if skills[at].fields.outputs is None and takes[at] and not checks[at]]
    found = np.zeros((n, n))
    for j in range(n):
        for wanted in takes[j]:
            score = np.array([max(float(out @ wanted) for out in outs) for outs in gives])
            far = score < CONFIG.provider_closeness
            score -= score.mean()
            alike = np.array([max(float(own_input @ wanted) for own_input in takes[at]) for at in counted])
            if counted:
                score[counted] -= CONFIG.provider_taken * np.maximum(alike - alike.mean(), 0)
            found[:, j] = np.maximum(found[:, j], np.where(far, 0, softmax(*score)))
    np.fill_diagonal(found, 0)
    return np.where(found >= LEAST_SHARE, found, 0)


@pytest.mark.parametrize("seed", range(3))
def test_every_share_agrees_with_the_loops(seed: int) -> None:
    """Some state outputs, some check, some take the same."""
    generator = np.random.default_rng(seed)
    skills = [
        replace(skill, fields=replace(skill.fields, outputs=None)) if generator.random() < 0.5 else skill
        for skill in random_skills(generator, 15)
    ]
    own = encode([skill.description for skill in skills])
    checks = generator.random(15) < 0.2
    found = provision(
        skills, own.astype(np.float64), encode(parameter_texts(skills)), checks=tuple(np.flatnonzero(checks))
    )
    expected = by_hand(skills, own.astype(np.float64), checks)
    assert len(found.codes) > 0
    assert found.matrix(15).toarray() == pytest.approx(expected, abs=1e-6)


def test_skills_compete_for_an_input_and_nobody_competes_too() -> None:
    """Closeness .8, .5, 0 and 0, less their mean .325; the share of the last two is too small to count."""
    skills = [*(stating(name, gives=(name,)) for name in "abc"), stating("t", takes=("x",), gives=("y",))]
    parameters = unit(
        [[0.8, 0.6, 0, 0, 0], [0.5, 0, 0.75**0.5, 0, 0], [0, 1, 0, 0, 0], [1, 0, 0, 0, 0], [0, 0, 0, 1, 0]]
    )
    found = shares(provision(skills, np.zeros((4, 5)), parameters), 4)
    first, second, third, _ = softmax(0.475, 0.175, -0.325, -0.325)
    assert third < LEAST_SHARE == 0.02
    assert second < LEAST_SHARE
    assert found == {(0, 3): pytest.approx(first, abs=1e-6)}


def test_who_is_not_close_to_an_input_gives_nothing_of_it() -> None:
    """In a library of many subjects hardly anything is usual, and what is half alike stands out.

    It competes all the same.
    """
    skills = [
        stating("a", gives=("a",)),
        stating("b", gives=("b",)),
        stating("t", takes=("x",), gives=("y",)),
    ]
    own, x = np.zeros((3, 4)), [1, 0, 0, 0]

    def found(*gives: Sequence[float], config: SignalConfig = CONFIG) -> Shares:
        return shares(provision(skills, own, unit([*gives, x, [0, 0, 0, -1]]), config=config), 3)

    half, less, more = [1, 1, 1, 1], [1, 1, 1, 1.01], [4, 3, 0, 0]  # closeness .5, .497 and .8
    nothing = [0, 1, 0, 0]
    assert found(half, nothing) == {(0, 2): pytest.approx(softmax(1 / 3, -1 / 6, -1 / 6)[0], abs=1e-6)}
    assert found(less, nothing) == {}
    assert found(less, nothing, config=replace(CONFIG, provider_closeness=0.4)).keys() == {(0, 2)}
    less_close = 1 / (3 + 1.01**2) ** 0.5
    usual = (0.8 + less_close) / 3
    assert found(more, less)[0, 2] == pytest.approx(
        softmax(0.8 - usual, less_close - usual, -usual)[0], abs=1e-6
    )


def test_what_many_give_alike_is_given_by_none() -> None:
    """Sixty skills with the same output: the share of each is below the least that counts."""

    def found(n: int) -> Shares:
        skills = [
            *(stating(f"s{at}", gives=("x",)) for at in range(n)),
            stating("t", takes=("x",), gives=("y",)),
        ]
        return shares(provision(skills, np.zeros((n + 1, 32)), encode(["x", "y"])), n + 1)

    assert found(60) == {}
    assert len(found(3)) == 3


def test_who_needs_an_input_itself_hardly_gives_it() -> None:
    """Three texts are as close to "x"; one skill takes "x", one something else, and one nothing."""
    skills = [
        stating("a", takes=("x",)),
        stating("b", takes=("z",)),
        stating("c"),
        stating("t", takes=("x",)),
    ]
    own = np.array([[0.9, 0.435], [0.9, 0.435], [0.9, 0.435], [0, 1]])
    parameters = unit([[1, 0], [-1, 0]])  # x, z
    found = shares(provision(skills, own, parameters), 4)
    # What is taken comes as close as 1, -1 and 1, mean 1/3: a and t have 2/3 more than usual.
    usual = 0.675
    expected = softmax(0.9 - usual - 0.5 * 2 / 3, 0.9 - usual, 0.9 - usual, -usual - 0.5 * 2 / 3)
    assert expected[0] < LEAST_SHARE
    assert {pair: share for pair, share in found.items() if pair[1] == 3} == {
        (1, 3): pytest.approx(expected[1], abs=1e-6),
        (2, 3): pytest.approx(expected[2], abs=1e-6),
    }
    loose = provision(skills, own, parameters, config=replace(CONFIG, provider_taken=0.0))
    assert shares(loose, 4)[0, 3] == pytest.approx(shares(loose, 4)[1, 3])


def test_who_checks_or_states_what_it_gives_may_take_it_too() -> None:
    """A check gives back what it took, checked; an output says what is given whatever is taken."""
    skills = [stating("a", takes=("x",)), stating("b"), stating("t", takes=("x",), gives=("y",))]
    own, parameters = np.array([[1.0, 0], [1, 0], [0, 1]]), unit([[1, 0], [0, 1]])  # x, y
    plain = shares(provision(skills, own, parameters), 3)
    check = shares(provision(skills, own, parameters, checks=(0,)), 3)
    assert plain[0, 2] == check[0, 2]  # it takes no more alike than usual: it is the only one that counts
    skills[2] = stating("t", takes=("x", "z"))
    own, parameters = np.array([[1.0, 0, 0], [1, 0, 0], [0, 1, 0]]), unit([[1, 0, 0], [0, 0, 1]])  # x, z
    skills.append(stating("u", takes=("z",)))
    own = np.vstack([own, [0, 1, 0]])
    plain = shares(provision(skills, own, parameters), 4)
    check = shares(provision(skills, own, parameters, checks=(0,)), 4)
    assert plain.get((0, 2), 0) < 0.5 * plain[1, 2]
    assert check[0, 2] == check[1, 2]
    skills[0] = stating("a", takes=("x",), gives=("x",))
    stated = shares(provision(skills, own, parameters), 4)
    assert stated[0, 2] == stated[1, 2]


def test_no_skill_gives_what_it_takes_itself_and_the_best_input_counts() -> None:
    """The pair stands once, with the larger of two shares."""
    skills = [
        stating("a", gives=("x", "y")),
        stating("b", gives=("y",)),
        stating("t", takes=("x", "y"), gives=("x",)),
    ]
    found = shares(provision(skills, np.zeros((3, 2)), unit([[1, 0], [0, 1]])), 3)
    assert all(source != target for source, target in found)
    x, y = softmax(1 - 2 / 3, 0 - 2 / 3, 1 - 2 / 3)[0], softmax(1 - 2 / 3, 1 - 2 / 3, 0 - 2 / 3)[0]
    assert found[0, 2] == pytest.approx(max(x, y), abs=1e-6)


@pytest.mark.parametrize(("share", "known"), [(0.5, True), (0.51, False)])
def test_skills_compete_only_where_inputs_are_stated_by_habit(share: float, known: bool) -> None:  # noqa: FBT001
    """One of two states an input."""
    skills = [stating("a", gives=("x",)), stating("t", takes=("x",), gives=("y",))]
    config = replace(CONFIG, silence_means_none=share)
    found = provision(skills, np.zeros((2, 2)), unit([[1, 0], [0, 1]]), config=config)
    assert (len(found.codes) > 0) is known


def test_without_vectors_nobody_gives_anything() -> None:
    """As where meanings are switched off."""
    skills = [stating("a", gives=("x",)), stating("t", takes=("x",))]
    found = provision(skills, np.eye(2), None)
    assert (len(found.codes), len(found.share)) == (0, 0)
    assert found.matrix(2).toarray().tolist() == [[0.0, 0.0], [0.0, 0.0]]
