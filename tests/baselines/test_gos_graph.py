"""How Graph-of-Skills links a library."""

from collections.abc import Iterable, Sequence

import numpy as np
import pytest

from caskg.baselines.gos_graph import JUDGED, Relation, gos_graph, parameter_match
from caskg.schema import EDGE_TYPES, EdgeType, Skill, SkillFields, SkillGraph, VectorArray
from factories import make_skill


def far_apart(n_skills: int) -> VectorArray:
    return np.eye(n_skills, dtype=np.float32)


def edges(graph: SkillGraph) -> list[tuple[int, int, str, float]]:
    names = [str(EDGE_TYPES[code]) for code in graph.types.tolist()]
    return list(
        zip(graph.source.tolist(), graph.target.tolist(), names, graph.weight.round(6).tolist(), strict=True)
    )


@pytest.mark.parametrize(
    ("output", "wanted", "match"),
    [
        ("sales table", "Sales-Table", 1.0),
        ("table", "sales table", 0.85),
        ("sales table", "table", 0.85),
        ("sales chart week", "week sales chart", 3 / 5),  # three words of five tokens: the wholes differ
        ("sales week", "week of eggs", 0.5),
        ("sales", "eggs", 0.0),
        ("", "eggs", 0.0),
        ("eggs", "!", 0.0),
    ],
)
def test_parameters_match_by_name(output: str, wanted: str, match: float) -> None:
    """As published: symmetric, and inside words too."""
    assert parameter_match(output, wanted) == pytest.approx(match)
    assert parameter_match(wanted, output) == pytest.approx(match)


def test_matching_parameters_are_a_dependency_from_the_earlier_skill() -> None:
    """The store is undirected: that the later one feeds the earlier is lost."""
    skills = [
        make_skill("a", inputs=["sales table"]),
        make_skill("b", outputs=["sales table"]),
        make_skill("c", inputs=["table"]),
    ]
    assert edges(gos_graph(skills, far_apart(3))) == [
        (0, 1, "dependency", 1.0),
        (1, 2, "dependency", 0.85),
    ]


def test_two_skills_that_feed_each_other_have_two_edges() -> None:
    """One for each direction, of which the store keeps but that there are two."""
    skills = [
        make_skill("a", inputs=["egg"], outputs=["pan"]),
        make_skill("b", inputs=["pan"], outputs=["egg"]),
    ]
    assert edges(gos_graph(skills, far_apart(2))) == [(0, 1, "dependency", 1.0)] * 2


def test_a_match_below_six_tenths_is_no_dependency() -> None:
    """At .6 it is one."""
    skills = [make_skill("a", outputs=["sales chart week"]), make_skill("b", inputs=["week sales chart"])]
    assert edges(gos_graph(skills, far_apart(2))) == [(0, 1, "dependency", 0.6)]
    skills[1] = make_skill("b", inputs=["week sales eggs"])
    assert edges(gos_graph(skills, far_apart(2))) == []


def tagged(name: str, *tags: str) -> Skill:
    return make_skill(name, fields=SkillFields(tags=tags or None))


class Watched:
    """A judge who says that all it is shown is related, and keeps what it was shown."""

    def __init__(self, kind: EdgeType, confidence: float) -> None:
        self.kind, self.confidence = kind, confidence
        self.shown: dict[int, list[int]] = {}

    def __call__(self, skill: int, candidates: Sequence[int]) -> Iterable[Relation]:
        self.shown[skill] = list(candidates)
        return [
            Relation(source=other, target=skill, type=self.kind, confidence=self.confidence)
            for other in candidates
        ]


@pytest.mark.parametrize(
    ("kind", "confidence", "weight"),
    [
        (EdgeType.DEPENDENCY, 0.8, 0.8),
        (EdgeType.WORKFLOW, 0.8, 0.56),
        (EdgeType.SEMANTIC, 0.8, 0.32),
        (EdgeType.ALTERNATIVE, 0.8, 0.24),
        (EdgeType.SEMANTIC, 0.0, 0.04),  # no less than a tenth
    ],
)
def test_a_judges_relation_weighs_by_its_type(kind: EdgeType, confidence: float, weight: float) -> None:
    """Times its confidence; and it too comes back from the earlier skill."""
    judge = Watched(kind, confidence)
    graph = gos_graph([tagged("a", "eggs"), tagged("b", "eggs")], far_apart(2), judge=judge)
    assert judge.shown == {0: [1], 1: []}  # a pair is shown once
    assert edges(graph) == [(0, 1, str(kind), weight)]


def test_of_equal_relations_the_surest_stays() -> None:
    """Said twice is not sure twice."""

    def twice(skill: int, candidates: Sequence[int]) -> Iterable[Relation]:
        for confidence in (0.9, 0.5):
            yield from (
                Relation(source=skill, target=other, type=EdgeType.WORKFLOW, confidence=confidence)
                for other in candidates
            )

    assert edges(gos_graph([tagged("a", "x1y"), tagged("b", "x1y")], far_apart(2), judge=twice)) == [
        (0, 1, "workflow", 0.63)
    ]


def test_likeness_alone_is_no_reason_to_ask_the_judge() -> None:
    """Without a shared tag, tool, example or parameter a pair is no candidate, be it next of kin."""
    judge = Watched(EdgeType.SEMANTIC, 1.0)
    alike = np.ones((4, 1), dtype=np.float32)
    skills = [
        make_skill("a", "boil eggs"),
        make_skill("b", "boil eggs"),
        tagged("c", "soup", "stew", "roast"),
    ]
    gos_graph([*skills, tagged("d", "soup", "jam", "bread")], alike, judge=judge)
    assert judge.shown == {0: [], 1: [], 2: [], 3: []}  # a third of the tags is less than half


def test_the_judge_sees_the_best_eight_without_those_that_match() -> None:
    """Meaning decides among the equally tagged; a dependency needs no judge."""
    judge = Watched(EdgeType.SEMANTIC, 1.0)
    skills = [
        make_skill("s0", fields=SkillFields(tags=("eggs",))),
        *(tagged(f"s{at}", "eggs") for at in range(1, 12)),
    ]
    vectors = np.stack([[1.0, 0.0], *([1.0 - at / 20, at / 20] for at in range(11, 0, -1))]).astype(
        np.float32
    )
    gos_graph(skills, vectors, judge=judge)
    assert judge.shown[0] == [11, 10, 9, 8, 7, 6, 5, 4]
    assert len(judge.shown[0]) == JUDGED


def test_an_empty_library_has_an_empty_graph() -> None:
    """And a library without relations too."""
    assert len(gos_graph([], far_apart(0))) == 0
    assert len(gos_graph([make_skill("a")], far_apart(1))) == 0
