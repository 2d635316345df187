"""What is given and taken by meaning: against a loop over all parameters, and cases computed by hand."""

import numpy as np
import pytest

from caskg.config import SignalConfig, SignalWeights
from caskg.graph import flow as flow_module
from caskg.graph.flow import (
    MOST_ASKED,
    Flow,
    feeding,
    outputs_count,
    pair_feeding,
    parameter_texts,
    read_flow,
)
from caskg.graph.inputs import signal_parameters
from caskg.schema import FloatArray, Parameter, Skill, SkillFields, VectorArray
from factories import make_library, make_skill
from graph.graph_cases import all_pairs, encode, random_skills


def stating(name: str, *, takes: tuple[str, ...] = (), gives: tuple[str, ...] = ()) -> Skill:
    """Return a skill with inputs and outputs."""
    inputs, outputs = (tuple(Parameter(name=each) for each in names) or None for names in (takes, gives))
    return make_skill(name, fields=SkillFields(inputs=inputs, outputs=outputs))


def flow_of(skills: list[Skill], own: VectorArray | None = None) -> Flow:
    """Return the flow of *skills*, encoded by their words."""
    own = encode([skill.description for skill in skills]) if own is None else own
    parameters = encode(parameter_texts(skills))
    return read_flow(skills, own, parameters, tie_break=np.arange(len(skills)))


def by_hand(skills: list[Skill], own: VectorArray) -> FloatArray:
    """Return f of all pairs, source by target, in loops."""

    def vectors(stated: tuple[Parameter, ...] | None) -> list[FloatArray]:
        return [encode([each.name])[0].astype(np.float64) for each in stated or ()]

    gives = [vectors(skill.fields.outputs) or [row] for skill, row in zip(skills, own, strict=True)]
    found = np.zeros((len(skills), len(skills)))
    for j, target in enumerate(skills):
        for wanted in vectors(target.fields.inputs):
            close = np.array([max(float(out @ wanted) for out in outs) for outs in gives])
            found[:, j] = np.maximum(found[:, j], close - close.mean())
    return found


@pytest.mark.parametrize("seed", range(3))
def test_every_pair_agrees_with_the_loops(seed: int) -> None:
    """By rows that take, by rows that give, and pair by pair; rows from the middle too."""
    skills = random_skills(np.random.default_rng(seed), 15)
    own = encode([skill.description for skill in skills])
    read, expected = flow_of(skills, own), by_hand(skills, own)
    rows = np.arange(3, 11)
    assert feeding(read, rows, into=True) == pytest.approx(expected.T[rows], abs=1e-6)
    assert feeding(read, rows, into=False) == pytest.approx(expected[rows], abs=1e-6)
    order = np.random.default_rng(seed).permutation(225)
    source, target = (end[order] for end in all_pairs(15))
    assert pair_feeding(read, source, target) == pytest.approx(expected[source, target], abs=1e-6)


def test_what_everybody_gives_feeds_nobody() -> None:
    """All give "meta", so that it is as usual as can be; "date" comes from one skill of two: 1 - 1/2."""
    skills = [stating("a", gives=("meta", "date")), stating("b", gives=("meta",), takes=("meta", "date"))]
    own = np.zeros((2, 32), dtype=np.float32)
    assert pair_feeding(flow_of(skills, own), np.array([0, 1]), np.array([1, 0])).tolist() == [0.5, 0.0]
    both = [stating("a", gives=("meta",)), stating("b", gives=("meta",), takes=("meta",))]
    assert pair_feeding(flow_of(both, own), np.array([0]), np.array([1])).tolist() == [0.0]


def test_a_skill_that_states_no_output_gives_what_its_text_says() -> None:
    """Its own vector; a stated output takes its place."""
    takes = stating("b", takes=("date",))
    own = np.concatenate([encode(["date"]), np.zeros((1, 32), dtype=np.float32)])
    silent, stated = stating("a"), stating("a", gives=("else",))
    pair = np.array([0]), np.array([1])
    assert pair_feeding(flow_of([silent, takes], own), *pair).tolist() == [0.5]
    assert pair_feeding(flow_of([stated, takes], own), *pair)[0] < 0.5


@pytest.mark.parametrize(("n", "count"), [(5, True), (6, False)])
def test_a_few_stated_outputs_do_not_count(n: int, *, count: bool) -> None:
    """One of five states what it gives: a fifth. One of six: its own text stands for it, as for all."""
    skills = [stating("a", gives=("x",)), *(stating(f"s{at}", takes=("x",)) for at in range(n - 1))]
    assert outputs_count(skills) is count
    own = np.zeros((n, 32), dtype=np.float32)
    assert (pair_feeding(flow_of(skills, own), np.array([0]), np.array([1]))[0] > 0) is np.bool_(count)
    skills[1:] = [stating(f"s{at}", takes=("y",)) for at in range(n - 1)]
    assert parameter_texts(skills) == (["x", "y"] if count else ["y"])


def test_the_texts_of_parameters_are_sorted_and_stand_once() -> None:
    """Name and description, of inputs and outputs; nothing where the signal is off."""
    cup = Parameter(name="cup", description="what to drink from")
    skills = [
        make_skill("a", fields=SkillFields(inputs=(cup, Parameter(name="bean")))),
        make_skill("b", fields=SkillFields(outputs=(cup,))),
        make_skill("c"),
    ]
    assert parameter_texts(skills) == ["bean", "cup: what to drink from"]
    library = make_library(*skills)
    assert signal_parameters(library, config=SignalConfig()) == parameter_texts(skills)
    assert signal_parameters(library, config=SignalConfig(weights=SignalWeights(meaning=0.0))) == []


def test_without_vectors_nobody_takes_anything() -> None:
    """As where the signal is switched off; the number of vectors is checked."""
    skills = [stating("a", gives=("x",)), stating("b", takes=("x",))]
    own, ranks = np.eye(2, dtype=np.float32), np.arange(2)
    off = read_flow(skills, own, None, tie_break=ranks)
    assert feeding(off, ranks, into=True).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert feeding(off, ranks, into=False).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert pair_feeding(off, *all_pairs(2)).tolist() == [0.0] * 4
    with pytest.raises(
        ValueError, match=r"^1 parameters need as many vectors, got 2: encode `parameter_texts`"
    ):
        read_flow(skills, own, own, tie_break=ranks)
    empty = read_flow([], own[:0], own[:0], tie_break=ranks[:0])
    assert len(pair_feeding(empty, ranks[:0], ranks[:0])) == 0


def test_of_a_large_library_some_are_asked_what_is_usual() -> None:
    """The first by content: here those that give what is wanted, so that it is usual; the last would not."""
    skills = [stating(f"s{at}", gives=("x",) if at < MOST_ASKED else ("y",)) for at in range(MOST_ASKED + 50)]
    skills.append(stating("taker", takes=("x",)))
    own = np.zeros((len(skills), 32), dtype=np.float32)
    parameters = encode(parameter_texts(skills))
    forth = read_flow(skills, own, parameters, tie_break=np.arange(len(skills)))
    assert forth.usual.tolist() == [pytest.approx(1.0)]
    back = read_flow(skills, own, parameters, tie_break=np.arange(len(skills))[::-1])
    assert back.usual[0] < 1.0
    assert flow_module.MOST_ASKED == 1024
