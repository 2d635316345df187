"""Each signal against values computed by hand, and against the formulas on Python sets."""

from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial

import numpy as np
import pytest

from caskg.config import SignalConfig, SignalWeights, build_config
from caskg.graph.inputs import GraphInputs
from caskg.graph.signals import (
    affinity,
    enabler_signal,
    io_signal,
    is_ready,
    jaccard,
    lexical_signal,
    meaning_signal,
    name_match,
    pair_affinity,
    pair_signals,
    provider_signal,
    ratio,
    ready_signal,
    reference_signal,
    repair_signal,
    semantic_signal,
    structural_signal,
)
from caskg.graph.spread import blocks
from caskg.library.sequences import StatedOrder
from caskg.schema import IntArray, Parameter, ReferenceKind, ReferenceRole, Signal, Skill, SkillFields
from factories import make_skill
from graph.graph_cases import (
    affinity_of,
    all_pairs,
    enabler_of,
    ends,
    io_of,
    jaccard_of,
    listed,
    needs,
    random_skills,
    read,
    text_bag,
    unit,
)

PAPER = build_config("paper").signals
CONFIG = SignalConfig()


def phi_io(outputs: list[str] | None, inputs: list[str] | None) -> float | None:
    """Return phi_io between two skills, of which one states outputs and the other inputs."""
    pair = read(make_skill("a", outputs=outputs), make_skill("b", inputs=inputs), config=PAPER)
    return listed(io_signal(pair, *ends((0, 1))))[0]


def words(first: int, last: int) -> str:
    """Return distinct words, one for each number."""
    return " ".join(f"w{at}" for at in range(first, last + 1))


def spoken(verb: str, text: str) -> Skill:
    """Return a skill without a name of its own."""
    return make_skill("x", f"{verb} {text}", name="")


# ---------------------------------------------------------------- semantic


def test_the_semantic_signal_is_the_cosine_and_never_negative() -> None:
    """Paper: max(0, cosine)."""
    inputs = read(*(make_skill(name) for name in "abcd"), vectors=unit([[1, 0], [0.6, 0.8], [-1, 0], [0, 1]]))
    signal = semantic_signal(inputs, *ends((0, 1), (1, 0), (0, 2), (0, 3), (1, 2), (1, 1)))
    assert signal.value == pytest.approx([0.6, 0.6, 0.0, 0.0, 0.0, 1.0], abs=1e-7)
    assert signal.active.all()
    assert signal.value.max() <= 1.0


def test_a_text_the_encoder_cannot_read_has_no_semantic_signal() -> None:
    """Zeros are absent, never a cosine of 0."""
    inputs = read(*(make_skill(name) for name in "abc"), vectors=unit([[1, 0], [0, 0], [0, 1]]))
    assert listed(semantic_signal(inputs, *ends((0, 1), (1, 0), (1, 1), (0, 2)))) == [None, None, None, 0.0]


# ---------------------------------------------------------------- lexical, affinity


def test_the_lexical_signal_is_the_jaccard_of_the_token_sets() -> None:
    """{amber, basin, cedar} and {basin, cedar, delta, ember} share 2 of 5."""
    inputs = read(spoken("amber", "basin cedar"), spoken("basin", "cedar delta ember"), spoken("fjord", ""))
    assert listed(lexical_signal(inputs, *ends((0, 1), (1, 0), (0, 2), (0, 0)))) == [0.4, 0.4, 0.0, 1.0]


def test_a_skill_without_words_has_no_lexical_signal() -> None:
    """Absent, not 0: it must not pull an association down."""
    inputs = read(spoken("", ""), spoken("amber", ""))
    assert listed(lexical_signal(inputs, *ends((0, 1), (1, 0), (0, 0)))) == [None, None, None]
    assert pair_affinity(inputs, *ends((0, 1), (0, 0))).tolist() == [0.0, 0.0]


def test_affinity_is_shared_tokens_over_the_geometric_mean_of_the_sizes() -> None:
    """2 / sqrt(4 * 9) = 1/3."""
    inputs = read(spoken("", words(1, 4)), spoken("", words(3, 11)))
    assert pair_affinity(inputs, *ends((0, 1), (1, 0))).tolist() == [0.333333333, 0.333333333]


def test_formulas_on_counts() -> None:
    """Jaccard 2 / (3 + 4 - 2), affinity 2 / sqrt(12); nothing shared, or nothing there, is 0."""
    counts = np.array([2.0, 0.0, 0.0]), np.array([3, 2, 0]), np.array([4, 2, 0])
    assert jaccard(*counts).tolist() == [0.4, 0.0, 0.0]
    assert affinity(*counts).tolist() == [0.577350269, 0.0, 0.0]
    assert ratio(np.array([2.0, 5.0]), np.array([3.0, 0.0])).tolist() == [0.666666667, 0.0]


# ---------------------------------------------------------------- structural


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("find", "save", 0.78),
        ("save", "verify", 0.68),
        ("save", "find", 0.0),
        ("find", "verify", 0.0),
        ("find", "find", 0.0),
        ("about", "find", None),
        ("find", "about", None),
    ],
)
def test_the_structural_signal_follows_the_roles(source: str, target: str, expected: float | None) -> None:
    """.78 strong, .68 support, 0 for other roles and backward; without a role it is not active."""
    inputs = read(spoken(source, words(1, 4)), spoken(target, words(1, 4)))
    assert listed(structural_signal(inputs, *ends((0, 1)), config=CONFIG)) == [expected]


def test_the_structural_signal_needs_an_affinity_of_28_hundredths() -> None:
    """7 / sqrt(25 * 25) = .28 is enough, 7 / sqrt(25 * 26) = .2746 is 0 but active."""
    inputs = read(
        spoken("find", words(1, 24)),
        spoken("save", f"{words(1, 7)} {words(101, 117)}"),
        spoken("save", f"{words(1, 7)} {words(101, 118)}"),
    )
    assert pair_affinity(inputs, *ends((0, 1), (0, 2))).tolist() == [0.28, 0.274562589]
    assert listed(structural_signal(inputs, *ends((0, 1), (0, 2)), config=CONFIG)) == [0.78, 0.0]


def test_the_structural_constants_come_from_the_configuration() -> None:
    """Strong and support are not to be mixed up."""
    inputs = read(spoken("find", "amber"), spoken("save", "amber"), spoken("verify", "amber"))
    config = SignalConfig(strong_pair=0.9, support_pair=0.1, affinity_floor=0.5)
    assert listed(structural_signal(inputs, *ends((0, 1), (1, 2)), config=config)) == [0.9, 0.1]
    high = replace(config, affinity_floor=0.51)
    assert listed(structural_signal(inputs, *ends((0, 1)), config=high)) == [0.0]


# ---------------------------------------------------------------- I/O


@pytest.mark.parametrize(
    ("outputs", "inputs", "expected"),
    [
        (["amber basin"], ["basin amber"], 1.0),
        (["amber"], ["amber basin"], 0.85),
        (["amber basin"], ["basin"], 0.85),
        (["amber basin"], ["basin cedar"], 0.5),
        (["amber basin cedar"], ["basin cedar delta"], 0.5),
        (["amber basin cedar delta"], ["basin cedar delta ember"], 0.6),
        (["amber"], ["basin"], 0.0),
        (["text"], ["context"], 0.0),
        (["amber", "basin cedar"], ["delta", "cedar basin"], 1.0),
        (["amber basin", "cedar"], ["basin ember", "cedar delta"], 0.85),
        (["amber", "basin"], ["cedar", "delta", "ember"], 0.0),
        (None, ["amber"], None),
        (["amber"], None, None),
        ([], ["amber"], None),
        (["amber"], [], None),
        (None, None, None),
    ],
)
def test_io_is_the_best_match_of_an_output_and_an_input(
    outputs: list[str] | None, inputs: list[str] | None, expected: float | None
) -> None:
    """1 equal, .85 contained, max(.5, Jaccard) shared, else 0, by whole words; absent is not 0 (trap 5)."""
    assert phi_io(outputs, inputs) == expected


def test_name_match_is_bounded_by_its_cases() -> None:
    """A Jaccard above .85 stays what it is; a contained name is .85 however much longer the other is."""
    shared, left, right = np.array([19.0, 1.0, 3.0]), np.array([20, 1, 3]), np.array([20, 50, 3])
    assert name_match(shared, left, right).tolist() == [0.904761905, 0.85, 1.0]


def test_io_is_directed() -> None:
    """Trap 5: what i gives and j takes says nothing of j -> i."""
    pair = read(
        make_skill("a", inputs=["cedar"], outputs=["amber"]),
        make_skill("b", inputs=["amber"], outputs=["delta"]),
        config=PAPER,
    )
    assert listed(io_signal(pair, *ends((0, 1), (1, 0)))) == [1.0, 0.0]


def test_a_name_in_place_of_outputs_can_only_speak_for_a_pair() -> None:
    """Where it matches it counts, where it does not, nothing was stated: not active rather than 0."""
    skills = [
        make_skill("get-amber"),
        make_skill("b", inputs=["amber"]),
        make_skill("c", inputs=["amber basin"]),
        make_skill("d", inputs=["delta"]),
        make_skill("e", outputs=["ember"], inputs=[]),
    ]
    pairs = ends((0, 1), (0, 2), (0, 3), (0, 4), (4, 3))
    assert listed(io_signal(read(*skills), *pairs)) == [1.0, 0.85, None, None, 0.0]
    assert listed(io_signal(read(*skills, config=PAPER), *pairs)) == [None, None, None, None, 0.0]


# ---------------------------------------------------------------- reference, enabler, repair


def test_a_reference_has_a_direction_and_is_absent_elsewhere() -> None:
    """Not active where there is none: who says nothing does not deny."""
    skills = [make_skill(name) for name in "abc"]
    references = [needs(0, 1), needs(1, 2, ReferenceKind.CONTRAST)]
    signal = reference_signal(
        read(*skills, references=references), *ends((0, 1), (1, 0), (0, 2), (1, 2), (2, 1))
    )
    assert listed(signal) == [0.5, None, None, None, None]


@pytest.mark.parametrize(
    ("kind", "role", "value"),
    [
        (ReferenceKind.DECLARED, ReferenceRole.MENTION, 1.0),
        (ReferenceKind.LINK, ReferenceRole.NEED, 1.0),
        (ReferenceKind.NAME, ReferenceRole.NEXT, 1.0),
        (ReferenceKind.LINK, ReferenceRole.MENTION, 0.5),
    ],
)
def test_a_reference_with_an_order_is_certain(kind: ReferenceKind, role: ReferenceRole, value: float) -> None:
    """A declaration is one; a mention that says nothing of the order is half of one."""
    mention = replace(needs(0, 1, kind), role=role)
    inputs = read(*[make_skill(name) for name in "ab"], references=[mention])
    assert listed(reference_signal(inputs, *ends((0, 1)))) == [value]


def enabling(
    *,
    inputs: list[str] | None,
    outputs: list[str] | None,
    effects: list[str] | None,
    wanted: list[str] | None,
) -> float | None:
    """Return the enabler signal between a skill that gives and one that presupposes."""

    def parameters(names: list[str] | None) -> tuple[Parameter, ...] | None:
        return None if names is None else tuple(Parameter(name=name) for name in names)

    giver = SkillFields(
        inputs=parameters(inputs),
        outputs=parameters(outputs),
        effects=None if effects is None else (*effects,),
    )
    taker = SkillFields(preconditions=None if wanted is None else (*wanted,))
    pair = read(make_skill("a", fields=giver), make_skill("b", fields=taker))
    return listed(enabler_signal(pair, *ends((0, 1))))[0]


def test_an_enabler_gives_what_another_presupposes() -> None:
    """The best affinity of an output or effect and a precondition: 2 / sqrt(2 * 2), 1 / sqrt(1 * 4), none."""
    wanted = ["amber basin", "cedar delta ember fjord"]
    assert enabling(inputs=None, outputs=None, effects=["basin amber"], wanted=wanted) == 1.0
    assert enabling(inputs=[], outputs=["cedar"], effects=["grove"], wanted=wanted) == 0.5
    assert enabling(inputs=None, outputs=["grove"], effects=None, wanted=wanted) == 0.0


def test_an_enabler_takes_nothing_and_both_ends_state_something() -> None:
    """Absent fields, or an input of its own, leave the signal out."""
    assert enabling(inputs=["grove"], outputs=["amber"], effects=None, wanted=["amber"]) is None
    assert enabling(inputs=None, outputs=None, effects=None, wanted=["amber"]) is None
    assert enabling(inputs=None, outputs=["amber"], effects=None, wanted=None) is None


@pytest.mark.parametrize(
    ("gives", "recovery", "expected"),
    [
        ("amber basin", "when lost, restore the basin of amber", 1.0),
        ("amber basin", "when lost, restore the basin", None),
        ("amber", "when lost, restore the amber", None),
        ("cedar amber basin", "amber and basin", None),
    ],
)
def test_a_recovery_that_repeats_what_a_skill_gives_is_repaired_by_it(
    gives: str, recovery: str, expected: float | None
) -> None:
    """All its words, and at least two of them: one shared word is no match."""
    pair = read(
        make_skill("a", fields=SkillFields(effects=(gives,))),
        make_skill("b", fields=SkillFields(recovery=("other words", recovery))),
    )
    assert listed(repair_signal(pair, *ends((0, 1), (1, 0)), config=CONFIG)) == [expected, None]


def test_how_many_words_a_recovery_must_repeat_is_configured() -> None:
    """One may do, or two too few."""
    pair = read(
        make_skill("a", outputs=["amber basin"]),
        make_skill("b", fields=SkillFields(recovery=("basin amber",))),
    )
    for fewest, expected in ((1, 1.0), (2, 1.0), (3, None)):
        config = SignalConfig(repair_tokens=fewest)
        assert listed(repair_signal(pair, *ends((0, 1)), config=config)) == [expected]


def test_a_recovery_that_names_a_skill_is_repaired_by_it() -> None:
    """Directed: the one that is named restores the one that fails."""
    line = "If it burns, run the rescue."
    skills = [make_skill("a"), make_skill("b", fields=SkillFields(recovery=(line,)))]
    inputs = read(*skills, references=[replace(needs(0, 1), evidence=line)])
    assert listed(repair_signal(inputs, *ends((0, 1), (1, 0)), config=CONFIG)) == [1.0, None]


# ---------------------------------------------------------------- what is given and taken


def test_meaning_tells_who_feeds_whom() -> None:
    """By hand, f = (.8 - .4, 0): lead .4 + .5 * .4 - .2 = .4 one way, -.2 - .2 = -.4 the other; width .15."""
    skills = [
        make_skill("a", outputs=["out"], inputs=["own"]),
        make_skill("b", inputs=["into"], outputs=["end"]),
    ]
    texts = unit([[0, 0, 0, 1], [1, 0, 0, 0], [0.8, 0.6, 0, 0], [0, 0, 1, 0]])  # end, into, out, own
    inputs = read(*skills, parameters=texts, vectors=np.eye(4, dtype=np.float32)[:2])
    forth, back = 1 / (1 + np.exp(-0.4 / 0.15)), 1 / (1 + np.exp(0.4 / 0.15))
    found = meaning_signal(inputs, *ends((0, 1), (1, 0), (0, 0)), config=CONFIG)
    assert found.value[:2] == pytest.approx([forth, back])
    assert found.active.tolist() == [True, True, False]
    alone = meaning_signal(inputs, *ends((0, 1)), config=replace(CONFIG, meaning_reverse=0.0))
    assert alone.value == pytest.approx([1 / (1 + np.exp(-0.2 / 0.15))])
    strict = replace(CONFIG, meaning_floor=0.4)
    assert not meaning_signal(inputs, *ends((0, 1)), config=strict).active.any()


def test_the_share_of_an_input_is_a_signal_of_whoever_takes_something() -> None:
    """0 where the source has no share; not active where the target takes nothing."""
    skills = [
        make_skill("a", outputs=["want"]),
        make_skill("b", outputs=["other"]),
        make_skill("t", inputs=["want"], outputs=["end"]),
    ]
    loose = replace(CONFIG, silence_means_none=0.3)
    inputs = read(*skills, parameters=unit([[1, 0, 0], [0, 1, 0], [0, 0, 1]]), config=loose)
    found = provider_signal(inputs, *ends((0, 2), (1, 2), (2, 2), (2, 0), (0, 1)))
    # The texts end, other, want are orthogonal: 1, 0 and 0, less their mean.
    odds = np.exp(np.array([2 / 3, -1 / 3, -1 / 3, 0.2]) / 0.04)
    assert listed(found) == [pytest.approx(odds[0] / odds.sum()), 0.0, 0.0, None, None]
    assert listed(provider_signal(read(*skills), *ends((0, 2)))) == [None]


def test_who_is_ready_comes_first() -> None:
    """Known in both directions; not among those that take nothing, nor among those that take."""
    skills = [
        make_skill("a", "get the state"),
        make_skill("b", "put it", inputs=["x1"]),
        make_skill("c", "put that", inputs=["x2"]),
        make_skill("d", "send it"),
    ]
    pairs = ends((0, 1), (1, 0), (1, 2), (0, 3), (3, 1))
    assert listed(ready_signal(read(*skills), *pairs, config=CONFIG)) == [1.0, 0.0, None, None, None]


@pytest.mark.parametrize(("share", "ready"), [(0.5, [True, True]), (0.51, [False, False])])
def test_silence_means_none_only_where_inputs_are_stated_by_habit(share: float, ready: list[bool]) -> None:
    """Two of four state inputs: half."""
    skills = [make_skill("a", "get the state"), make_skill("b", "get the date")]
    skills += [make_skill(name, "put it", inputs=["x1"]) for name in ("c", "d")]
    config = replace(CONFIG, silence_means_none=share)
    assert is_ready(read(*skills), config=config).tolist() == [*ready, False, False]


# ---------------------------------------------------------------- all of them


def test_every_signal_of_a_pair_is_there_but_those_without_weight() -> None:
    """A weight of 0 switches a signal off; judge and repair come when C is fixed."""
    inputs = read(make_skill("a"), make_skill("b"))
    ours = {"reference", "enabler", "meaning", "ready", "provider"}
    names = {"semantic", "lexical", "io", "structural"} | ours
    assert set(pair_signals(inputs, *ends((0, 1)), config=CONFIG)) == names
    assert set(pair_signals(inputs, *ends((0, 1)), config=PAPER)) == names - ours
    for name in names:
        config = SignalConfig(weights=replace(SignalWeights(), **{name: 0.0}))
        assert set(pair_signals(inputs, *ends((0, 1)), config=config)) == names - {name}


def test_the_signals_are_the_functions_of_their_names() -> None:
    """A mix-up would go unnoticed in a sum."""
    inputs = read(*random_skills(np.random.default_rng(3), 8), references=[needs(2, 5)])
    pairs = all_pairs(8)
    signals = pair_signals(inputs, *pairs, config=CONFIG)
    expected: dict[str, Callable[[GraphInputs, IntArray, IntArray], Signal]] = {
        "semantic": semantic_signal,
        "lexical": lexical_signal,
        "io": io_signal,
        "reference": reference_signal,
        "enabler": enabler_signal,
        "meaning": partial(meaning_signal, config=CONFIG),
        "ready": partial(ready_signal, config=CONFIG),
        "provider": provider_signal,
    }
    for name, phi in expected.items():
        assert listed(signals[name]) == listed(phi(inputs, *pairs))
    assert listed(signals["structural"]) == listed(structural_signal(inputs, *pairs, config=CONFIG))


@pytest.mark.parametrize("seed", range(4))
def test_signals_agree_with_the_formulas_on_sets(seed: int) -> None:
    """Every pair of a random library, in one call and in any order of pairs."""
    skills = random_skills(np.random.default_rng(seed), 14)
    inputs = read(*skills, config=PAPER)
    source, target = all_pairs(len(skills))
    order = np.random.default_rng(seed).permutation(len(source))
    source, target = source[order], target[order]
    pairs = [(skills[i], skills[j]) for i, j in zip(source, target, strict=True)]
    bags = [(text_bag(a), text_bag(b)) for a, b in pairs]
    assert lexical_signal(inputs, source, target).value == pytest.approx([jaccard_of(*both) for both in bags])
    assert pair_affinity(inputs, source, target) == pytest.approx([affinity_of(*both) for both in bags])
    for signal, oracle in ((io_signal, io_of), (enabler_signal, enabler_of)):
        found = listed(signal(inputs, source, target))
        expected = [oracle(a, b) for a, b in pairs]
        assert found == [None if value is None else pytest.approx(value) for value in expected]
        assert {value is None for value in found} == {True, False}


def test_no_pairs_give_no_values() -> None:
    """The candidate graph of a library of one is empty."""
    inputs = read(make_skill("a", inputs=["amber"], outputs=["amber"]))
    for signal in pair_signals(inputs, *ends(), config=CONFIG).values():
        assert signal.value.shape == signal.active.shape == (0,)
    assert repair_signal(inputs, *ends(), config=CONFIG).value.shape == (0,)


def test_values_and_masks_have_the_types_of_the_schema() -> None:
    """float64 in [0, 1] and bool, for every signal."""
    inputs = read(*random_skills(np.random.default_rng(9), 10))
    for signal in pair_signals(inputs, *all_pairs(10), config=CONFIG).values():
        assert signal.value.dtype == np.float64
        assert signal.active.dtype == np.bool_
        assert signal.value.min() >= 0.0
        assert signal.value.max() <= 1.0
    assert {field.name for field in fields(SignalWeights)} >= set(
        pair_signals(inputs, *ends(), config=CONFIG)
    )


# ---------------------------------------------------------------- blocks


def test_blocks_cover_every_position_once_and_in_order() -> None:
    """Whatever the costs, also 0 and more than the limit."""
    cost = np.array([0, 5, 1, 0, 30, 2, 2, 2, 2, 0])
    for limit in (1, 3, 7, 100):
        found = list(blocks(cost, limit=limit))
        assert np.concatenate(found).tolist() == list(range(10))
        assert all(cost[block[:-1]].sum() < limit + 30 for block in found)
    assert len(list(blocks(cost, limit=100))) == 1
    assert list(blocks(cost[:0])) == []


def test_a_block_stays_near_its_limit() -> None:
    """Memory is bounded by the limit plus one position."""
    assert [len(block) for block in blocks(np.full(10, 3), limit=6)] == [1, 2, 2, 2, 2, 1]


def test_an_order_that_a_third_document_states_is_a_strong_pair() -> None:
    """Whatever the roles, and in its direction only; not in the profile paper."""
    skills = [make_skill(name) for name in ("amber", "basin", "cedar")]
    orders = [StatedOrder(0, 1, "both: 1, then 2")]
    stated = read(*skills, orders=orders)
    told = structural_signal(stated, *ends((0, 1), (1, 0), (0, 2)), config=SignalConfig())
    assert told.value.tolist() == [0.78, 0.0, 0.0]
    assert told.active.tolist() == [True, False, False]
    paper = build_config("paper").signals
    silent = structural_signal(read(*skills, orders=orders, config=paper), *ends((0, 1)), config=paper)
    assert silent.active.tolist() == [False]
