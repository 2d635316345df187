"""Types of edges, case by case, in both profiles (method, Section 2)."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from caskg.config import BuildConfig, EdgeTypeConfig, build_config
from caskg.graph.candidates import edge_types
from caskg.library.duplicates import NearDuplicates
from caskg.schema import (
    EDGE_TYPES,
    EdgeType,
    Parameter,
    ReferenceKind,
    ReferenceRole,
    ResolvedReference,
    SkillFields,
)
from factories import make_skill
from graph.graph_cases import ends, needs, read, signal

PAPER = build_config("paper")
DEFAULT = build_config()


def typed(
    config: BuildConfig,
    values: Mapping[str, float | None],
    *,
    references: list[ResolvedReference] | None = None,
    outputs: tuple[str, ...] | None = ("amber",),
) -> EdgeType:
    """Return the type of the pair 0 -> 1."""
    gives = make_skill("a", outputs=outputs)
    fields = SkillFields(inputs=(Parameter(name="amber"),), preconditions=("amber",))
    inputs = read(gives, make_skill("b", fields=fields), references=references or [])
    signals = {name: signal(value) for name, value in values.items()}
    return EDGE_TYPES[int(edge_types(inputs, *ends((0, 1)), signals, config=config)[0])]


@pytest.mark.parametrize("config", [PAPER, DEFAULT])
@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"io": 0.61}, "dependency"),
        ({"io": 0.6}, "semantic"),
        ({"io": None}, "semantic"),
        ({"judge": 0.51}, "dependency"),
        ({"judge": 0.5}, "semantic"),
        ({"judge": None}, "semantic"),
        ({"structural": 0.66}, "workflow"),
        ({"structural": 0.65}, "semantic"),
        ({"structural": None}, "semantic"),
        ({"semantic": 0.86}, "alternative"),
        ({"semantic": 0.85}, "semantic"),
        ({"semantic": None}, "semantic"),
        ({"io": 0.85, "structural": 0.78}, "dependency"),
        ({"judge": 0.9, "structural": 0.78}, "dependency"),
        ({}, "semantic"),
    ],
)
def test_types_that_both_profiles_share(
    config: BuildConfig, values: dict[str, float | None], expected: str
) -> None:
    """Above a threshold, never at it, and only where the signal is active."""
    assert typed(config, values) == expected


@pytest.mark.parametrize(
    ("values", "paper", "default"),
    [
        ({"semantic": 0.9, "io": 1.0}, "dependency", "alternative"),
        ({"semantic": 0.9, "structural": 0.78}, "workflow", "alternative"),
        ({"reference": 1.0}, "semantic", "dependency"),
        ({"reference": 1.0, "structural": 0.78}, "workflow", "dependency"),
        ({"enabler": 0.61}, "semantic", "dependency"),
        ({"enabler": 0.61, "semantic": 0.39}, "semantic", "dependency"),
        ({"enabler": 0.6}, "semantic", "semantic"),
        ({"provider": 0.51}, "semantic", "dependency"),
        ({"provider": 0.5}, "semantic", "semantic"),
    ],
)
def test_types_in_which_the_profiles_differ(
    values: dict[str, float | None], paper: str, default: str
) -> None:
    """Ours looks for near duplicates first, and knows references, enablers and providers."""
    assert typed(PAPER, values) == paper
    assert typed(DEFAULT, values) == default


def test_a_contrast_is_never_a_dependency_nor_an_alternative() -> None:
    """T9: "not for X, use Y", whichever of the two says it, and whatever else speaks for the pair."""
    everything = {
        "io": 1.0,
        "judge": 1.0,
        "structural": 0.78,
        "semantic": 0.99,
        "enabler": 1.0,
        "reference": 1.0,
    }
    for contrast in (needs(0, 1, ReferenceKind.CONTRAST), needs(1, 0, ReferenceKind.CONTRAST)):
        assert typed(DEFAULT, everything, references=[contrast]) == "semantic"
        assert typed(DEFAULT, {"structural": 0.78}, references=[contrast]) == "semantic"
        assert typed(PAPER, everything, references=[contrast]) == "dependency"


def test_near_duplicates_of_which_one_needs_the_other_are_no_alternatives() -> None:
    """A skill and its companion read alike. Only what is needed supports: not the other way round."""
    near: dict[str, float | None] = {"semantic": 0.95}
    there, back = (replace(needs(*pair), role=ReferenceRole.NEED) for pair in ((0, 1), (1, 0)))
    assert typed(DEFAULT, near, references=[there]) == "semantic"
    assert typed(DEFAULT, near, references=[back]) == "alternative"
    assert typed(DEFAULT, {**near, "reference": 1.0}, references=[there]) == "dependency"
    assert typed(DEFAULT, {**near, "io": 1.0}, references=[back]) == "alternative"
    assert typed(DEFAULT, near, references=[needs(0, 1)]) == "alternative"  # a mention without an order


@pytest.mark.parametrize("pair", [(0, 1), (1, 0)])
def test_skills_that_share_most_of_their_text_are_alternatives(pair: tuple[int, int]) -> None:
    """However far their vectors are apart, in either direction, and whatever else speaks for the pair."""
    signals = {name: signal(1.0) for name in ("io", "structural")} | {"semantic": signal(0.2)}

    def found(config: BuildConfig, *, references: list[ResolvedReference]) -> EdgeType:
        skills = [make_skill(name, inputs=("amber",), outputs=("amber",)) for name in "abc"]
        inputs = read(*skills, references=references, duplicates=[NearDuplicates(0, 1, 0.8)])
        assert inputs.duplicates.tolist() == [1, 3]  # 0 * 3 + 1 and 1 * 3 + 0
        return EDGE_TYPES[int(edge_types(inputs, *ends(pair), signals, config=config)[0])]

    assert found(DEFAULT, references=[]) == "alternative"
    assert found(DEFAULT, references=[needs(0, 1, ReferenceKind.CONTRAST)]) == "semantic"
    assert found(DEFAULT, references=[needs(0, 1)]) == "alternative"
    assert found(PAPER, references=[]) == "dependency"


def test_copies_are_alternatives_whatever_they_say_of_each_other() -> None:
    """A copy that calls a skill of its own name calls itself; nobody need be told that they are alike."""
    copies = [make_skill(f"{folder}/press", "Press.", name="press") for folder in "ab"]
    other = make_skill("fold", "Fold.")
    inputs = read(*copies, other, references=[needs(0, 1), needs(0, 2)])
    signals = {"reference": signal(1.0)}
    found = [edge_types(inputs, *ends(pair), signals, config=DEFAULT)[0] for pair in ((0, 1), (1, 0), (0, 2))]
    assert [EDGE_TYPES[int(code)] for code in found] == ["alternative", "alternative", "dependency"]


def test_an_output_that_only_the_name_promises_makes_no_dependency() -> None:
    """The table that "set-the-table" gives is of another kind than "chart-from-table" takes."""
    assert typed(DEFAULT, {"io": 1.0}, outputs=None) == "semantic"
    assert typed(DEFAULT, {"io": 1.0, "reference": 1.0}, outputs=None) == "dependency"


def test_thresholds_of_types_come_from_the_configuration() -> None:
    """Each has its own number."""
    limits = EdgeTypeConfig(io=0.1, judge=0.2, structural=0.3, alternative=0.4, enabler=0.5)
    config = replace(DEFAULT, types=limits)
    for name, limit, expected in (
        ("io", 0.1, "dependency"),
        ("judge", 0.2, "dependency"),
        ("structural", 0.3, "workflow"),
        ("semantic", 0.4, "alternative"),
        ("enabler", 0.5, "dependency"),
    ):
        assert typed(config, {name: limit + 0.01}) == expected
        assert typed(config, {name: limit}) == "semantic"


def test_a_mention_without_an_order_is_no_dependency() -> None:
    """Most of them stand in lists of related skills."""
    assert typed(DEFAULT, {"reference": 0.5}, references=[needs(0, 1)]) == "semantic"
    assert typed(DEFAULT, {"reference": 0.51}, references=[needs(0, 1)]) == "dependency"


STRANGERS = [make_skill(name, "about") for name in "cdefghij"]


@pytest.mark.parametrize(
    ("given", "needed", "likeness", "expected"),
    [
        ("amber cedar", "amber cedar", 0.0, "dependency"),  # two rare words tell all there is to tell
        ("amber", "amber", 0.0, "dependency"),
        ("amber", "amber basin", 0.84, "semantic"),  # half of what is needed
        ("amber cedar basin", "amber cedar", 0.0, "dependency"),
        ("about amber", "about", 0.84, "semantic"),  # what everybody speaks of
        ("common", "common", 0.40, "dependency"),
        ("common", "common", 0.39, "semantic"),
    ],
)
def test_io_must_match_in_words_that_tell_something(
    given: str, needed: str, likeness: float, expected: str
) -> None:
    """The more so where the two texts are strangers: every tenth document gives a "report"."""
    twice = [make_skill("k", "common")]
    inputs = read(
        make_skill("a", outputs=(given,)),
        make_skill("b", inputs=(needed,)),
        *STRANGERS,
        *twice,
        references=[],
    )
    signals = {"io": signal(0.85), "semantic": signal(likeness)}
    assert EDGE_TYPES[int(edge_types(inputs, *ends((0, 1)), signals, config=DEFAULT)[0])] == expected
