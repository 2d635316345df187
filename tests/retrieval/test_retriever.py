"""Seeds, gate, diffusion, order and reasons together, on libraries of a few skills."""

from collections.abc import Sequence
from dataclasses import replace
from typing import overload

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caskg.config import DiffusionConfig, RetrieveConfig, SeedConfig, Walk, retrieve_config
from caskg.errors import EncoderError, UsageError
from caskg.protocols import Retriever
from caskg.retrieval.bundle import render
from caskg.retrieval.explain import reasons
from caskg.retrieval.retriever import GraphRetriever, ordering_graph, prerequisites_first
from caskg.retrieval.seeds import SearchIndex
from caskg.schema import EdgeState, EdgeStep, EdgeType, Ranking, Skill, SkillGraph
from factories import make_skill
from retrieval.worlds import ConceptEncoder, Edge, make_graph, make_retriever, worlds

SKILLS = [
    make_skill("boil", "boil an egg in water"),
    make_skill("fill", "fill a pot from the tap"),
    make_skill("peel", "remove the shell"),
    make_skill("serve", "bring to the table"),
    make_skill("post", "send a letter"),
]
BOIL, FILL, PEEL, SERVE, POST = range(5)
EDGES = [Edge(FILL, BOIL, 0.8), Edge(BOIL, PEEL, 0.6, EdgeType.WORKFLOW), Edge(PEEL, SERVE, 0.5)]
SHOW_ALL = RetrieveConfig(min_sufficiency=0.0)


def ids(ranking: Ranking) -> list[str]:
    return [ranked.skill.id for ranked in ranking.skills]


# ---------------------------------------------------------------- the whole way


def test_the_graph_brings_in_what_comes_before_and_after_the_seed() -> None:
    """Only `boil` shares a word with the task; its prerequisite stands first, its successors after it."""
    ranking = make_retriever(SKILLS, EDGES).retrieve("egg")
    assert ids(ranking) == ["fill", "boil", "peel", "serve"]
    assert (ranking.query, ranking.abstained, ranking.hint, ranking.method) == ("egg", False, "", "caskg")
    assert isinstance(make_retriever(SKILLS), Retriever)


def test_each_skill_says_why_it_is_there() -> None:
    """A seed by its ranks, the others by the edges from the seed, each as it points."""
    fill, boil, peel, serve = make_retriever(SKILLS, EDGES).retrieve("egg").skills
    assert (boil.lexical_rank, boil.semantic_rank, boil.path, boil.exact_name) == (1, None, (), False)
    assert fill.lexical_rank is None
    needed = EdgeStep(
        source="fill", target="boil", type=EdgeType.DEPENDENCY, state=EdgeState.CONFIRMED, weight=0.8
    )
    assert fill.path == (needed,)
    assert [(step.source, step.target) for step in serve.path] == [("boil", "peel"), ("peel", "serve")]
    assert peel.path == serve.path[:1]


def test_scores_are_the_relevance_solved_by_hand() -> None:
    """Backward from `boil` at restart .5: .5 there, .5 x .8 of that at `fill`, in sum .7 of the whole."""
    plain = DiffusionConfig(walk=Walk.BACKWARD, restart=0.5, leak_below=1.0, sharpness=1.0, openness=0.0)
    config = replace(SHOW_ALL, diffusion=plain)
    fill, boil = make_retriever(SKILLS, EDGES, config=config).retrieve("egg").skills
    assert boil.score == pytest.approx(0.5 / 0.7, abs=1e-6)
    assert fill.score == pytest.approx(0.2 / 0.7, abs=1e-6)


def test_k_is_how_many_are_chosen_before_they_are_ordered() -> None:
    """The two best by relevance are `boil` and `fill`; the order comes after."""
    retriever = make_retriever(SKILLS, EDGES)
    assert ids(retriever.retrieve("egg", k=1)) == ["boil"]
    assert ids(retriever.retrieve("egg", k=2)) == ["fill", "boil"]
    assert ids(retriever.retrieve("egg", k=99)) == ["fill", "boil", "peel", "serve"]


def test_by_default_eight_are_returned() -> None:
    """As many as the paper's."""
    skills = [make_skill(f"s{at}", "egg") for at in range(12)]
    assert len(make_retriever(skills).retrieve("egg").skills) == 8


def test_without_ordering_the_best_comes_first() -> None:
    """Profile `paper`: by relevance alone."""
    config = replace(SHOW_ALL, prerequisites_first=False)
    assert ids(make_retriever(SKILLS, EDGES, config=config).retrieve("egg")) == [
        "boil",
        "fill",
        "peel",
        "serve",
    ]


def test_the_profile_paper_brings_in_both_sides() -> None:
    """Its walk goes along each edge, and against it by type."""
    ranking = make_retriever(SKILLS, EDGES, config=retrieve_config("paper")).retrieve("egg")
    assert ids(ranking)[0] == "boil"
    assert set(ids(ranking)) == {"boil", "fill", "peel", "serve"}


def test_restart_1_switches_the_graph_off() -> None:
    """Only what the task's own words find."""
    config = replace(SHOW_ALL, diffusion=DiffusionConfig(restart=1.0))
    assert ids(make_retriever(SKILLS, EDGES, config=config).retrieve("egg")) == ["boil"]


def test_meanings_find_what_words_do_not() -> None:
    """The encoder puts `supper` on the axis of `table`."""
    retriever = make_retriever(SKILLS, encoder=ConceptEncoder("supper table", "mail letter"))
    serve = retriever.retrieve("supper").skills[0]
    assert (serve.skill.id, serve.lexical_rank, serve.semantic_rank) == ("serve", None, 1)


# ---------------------------------------------------------------- names


def test_a_named_skill_comes_first_and_says_so() -> None:
    """Even where another is far more relevant, and with k = 1."""
    skills = [make_skill("a", "boil egg water pan"), make_skill("send-post", "stamps")]
    config = replace(SHOW_ALL, seeds=SeedConfig(count=1))
    retriever = make_retriever(skills, [Edge(1, 0), Edge(0, 1)], config=config)
    first = retriever.retrieve("boil egg water pan, then send post", k=1).skills[0]
    assert (first.skill.id, first.exact_name) == ("send-post", True)


def test_named_skills_all_come_before_the_rest() -> None:
    """Order among them by relevance."""
    skills = [
        make_skill("x", "egg"),
        make_skill("a-b", ""),
        make_skill("c-d", "egg"),
        make_skill("y", "egg egg"),
    ]
    config = replace(SHOW_ALL, seeds=SeedConfig(count=4))
    ranking = make_retriever(skills, config=config).retrieve("egg with a b and c d")
    assert ids(ranking)[:2] == ["c-d", "a-b"]
    assert [ranked.exact_name for ranked in ranking.skills] == [True, True, False, False]


def test_the_gate_never_closes_on_a_name() -> None:
    """Being called by name says nothing on how well the task is covered, but it is an order."""
    skills = [make_skill("send-post", "stamps"), *SKILLS]
    retriever = make_retriever(skills, config=RetrieveConfig(min_sufficiency=1.0))
    ranking = retriever.retrieve("please send post tomorrow without further delay or ado")
    assert ids(ranking)[0] == "send-post"
    assert ranking.sufficiency < 0.5
    assert retriever.retrieve("please send post tomorrow, no delay", exclude=["send-post"]).abstained


# ---------------------------------------------------------------- abstention


def test_where_nothing_fits_no_skill_is_returned_but_a_hint() -> None:
    """One common word of four is not enough (T5); the nearest is named, so that people can look."""
    ranking = make_retriever(SKILLS, config=RetrieveConfig()).retrieve(
        "letter opener made from sterling silver"
    )
    assert (ranking.query[:13], ranking.skills, ranking.abstained) == ("letter opener", (), True)
    assert ranking.sufficiency < 0.33
    assert ranking.hint == (
        f"No skill fits this task: sufficiency {ranking.sufficiency:.2f} of 0.33 needed. "
        "Nearest: post. Try other words, or go on without a skill."
    )
    assert ranking.method == "caskg"


def test_the_gate_opens_exactly_at_its_threshold() -> None:
    """Below it is too little; equal is enough."""
    query = "letter opener made from sterling silver"
    score = make_retriever(SKILLS).retrieve(query).sufficiency
    at, above = (RetrieveConfig(min_sufficiency=bound) for bound in (score, np.nextafter(score, 1)))
    assert ids(make_retriever(SKILLS, config=at).retrieve(query)) == ["post"]
    assert make_retriever(SKILLS, config=above).retrieve(query).abstained


def test_the_hint_names_at_most_three_and_none_that_is_loaded() -> None:
    """Nearest first."""
    skills = [make_skill(f"s{at}", " ".join(["egg"] * (5 - at)) + " z" * at) for at in range(5)]
    retriever = make_retriever(skills, config=RetrieveConfig(min_sufficiency=1.0))
    assert "Nearest: s0, s1, s2." in retriever.retrieve("egg cosy").hint
    assert "Nearest: s0, s2, s3." in retriever.retrieve("egg cosy", have=["s1"]).hint


@pytest.mark.parametrize("skills", [[], SKILLS])
def test_without_any_seed_it_abstains_whatever_the_threshold(skills: list[Skill]) -> None:
    """An empty library, or a task in words that no skill knows."""
    ranking = make_retriever(skills).retrieve("zzz")
    assert (ranking.abstained, ranking.skills, ranking.sufficiency) == (True, (), 0.0)
    assert "Nearest" not in ranking.hint


def test_words_alone_need_less_where_the_encoder_knows_no_meanings() -> None:
    """The built-in encoder is fitted on the library; then three rare words must do for an answer."""
    skills = [make_skill("long", "egg spoon cup"), *[make_skill(f"s{at}", f"thing{at}") for at in range(40)]]
    query = "egg spoon cup " + " ".join(f"unknown{at}" for at in range(20))
    knowing = make_retriever(skills, config=RetrieveConfig()).retrieve(query)
    alone = make_retriever(skills, config=RetrieveConfig(), knows_meanings=False).retrieve(query)
    assert knowing.abstained
    assert not alone.abstained
    assert alone.sufficiency > knowing.sufficiency


# ---------------------------------------------------------------- have and exclude


def test_what_the_caller_has_is_not_returned_but_carries_relevance() -> None:
    """`boil` is loaded: its neighbours still come, with the path through it."""
    ranking = make_retriever(SKILLS, EDGES).retrieve("egg", have=["boil"])
    assert ids(ranking) == ["fill", "peel", "serve"]
    assert [step.target for step in ranking.skills[0].path] == ["boil"]


def test_when_all_that_fits_is_loaded_it_says_so() -> None:
    """That is no abstention: the task is covered."""
    ranking = make_retriever(SKILLS).retrieve("egg", have=["boil"])
    assert (ranking.skills, ranking.abstained) == ((), False)
    assert ranking.hint == "Every skill that fits this task is loaded already."


def test_no_relevance_flows_through_a_hidden_skill() -> None:
    """Without `peel` there is no way from `boil` to `serve`."""
    retriever = make_retriever(SKILLS, EDGES)
    assert ids(retriever.retrieve("egg", exclude=["peel"])) == ["fill", "boil"]
    assert ids(retriever.retrieve("egg")) == ["fill", "boil", "peel", "serve"]


def test_a_hidden_skill_is_not_hinted_at() -> None:
    """Neither by its id nor, when nothing else is near, by anything."""
    retriever = make_retriever(SKILLS, config=RetrieveConfig(min_sufficiency=1.0))
    assert "post" in retriever.retrieve("letter opener").hint
    hidden = retriever.retrieve("letter opener", exclude=["post"])
    assert hidden.abstained
    assert "post" not in hidden.hint


def test_hiding_skills_is_retrieving_from_the_graph_without_them() -> None:
    """Relevance is that of the smaller graph, not the larger one's with holes."""
    retriever = make_retriever(SKILLS, EDGES)
    hidden = retriever.retrieve("egg", exclude=["peel", "serve", "post"])
    smaller = make_retriever(SKILLS, EDGES[:1]).retrieve("egg", exclude=["peel", "serve", "post"])
    assert [ranked.score for ranked in hidden.skills] == [ranked.score for ranked in smaller.skills]


def test_unknown_ids_are_ignored_and_an_id_alone_is_refused() -> None:
    """A host may hold other skills too; but a bare string would hide one letter at a time."""
    retriever = make_retriever(SKILLS, EDGES)
    assert ids(retriever.retrieve("egg", have=["nope"], exclude=("nada",))) == ids(retriever.retrieve("egg"))
    with pytest.raises(UsageError, match=r"^have must be a collection"):
        retriever.retrieve("egg", have="boil")
    with pytest.raises(
        UsageError, match=r"^exclude must be a collection of ids, not the single string 'boil': .*list\.$"
    ):
        retriever.retrieve("egg", exclude="boil")


@given(worlds(), st.data(), st.booleans())
def test_a_hidden_skill_appears_nowhere(
    world: tuple[list[Skill], list[Edge]],
    data: st.DataObject,
    show: bool,  # noqa: FBT001  # hypothesis passes by position
) -> None:
    """In no place of the answer, written out in full."""
    skills, edges = world
    hidden = data.draw(st.lists(st.sampled_from([skill.id for skill in skills]), unique=True))
    config = RetrieveConfig(min_sufficiency=0.0 if show else 1.0)
    ranking = make_retriever(skills, edges, config=config).retrieve("egg pan, or name 2", exclude=hidden)
    assert not any(skill_id in repr(ranking) + render(ranking).text for skill_id in hidden)


@given(worlds(), st.data())
def test_one_retriever_serves_callers_who_see_different_skills(
    world: tuple[list[Skill], list[Edge]], data: st.DataObject
) -> None:
    """What one caller sees of the graph is kept, and never shown to another."""
    skills, edges = world
    hiding = st.lists(st.sampled_from([skill.id for skill in skills]), unique=True)
    shared = make_retriever(skills, edges)
    for hidden in data.draw(st.lists(hiding, min_size=2, max_size=12)):
        alone = make_retriever(skills, edges).retrieve("egg pan, or name 2", exclude=hidden)
        assert shared.retrieve("egg pan, or name 2", exclude=hidden) == alone


class SkillsElsewhere(list[Skill]):
    """Skills that lie elsewhere, and how many were read at once each time."""

    def __init__(self, skills: Sequence[Skill]) -> None:
        super().__init__(skills)
        self.reads = list[int]()

    def read(self, positions: Sequence[int]) -> list[Skill]:
        self.reads.append(len(positions))
        return [self[at] for at in positions]


def test_skills_are_read_at_once_and_kept() -> None:
    """A second answer reads only what the first did not; nothing else changes."""
    skills = [make_skill(name, f"Handles {name}.") for name in ("egg", "pan", "salt")]
    stored = SkillsElsewhere(skills)
    retriever, plain = make_retriever(stored), make_retriever(skills)
    for task in ("egg pan", "pan salt", "salt egg", "zebra"):
        assert retriever.retrieve(task) == plain.retrieve(task)
    assert stored.reads == [2, 1]


@given(worlds(), st.data())
def test_the_order_of_skills_in_the_folder_changes_nothing(
    world: tuple[list[Skill], list[Edge]], data: st.DataObject
) -> None:
    """Skills, edges and ties: all follow the content."""
    skills, edges = world
    new = data.draw(st.permutations(range(len(skills))))
    moved_skills = [skills[new.index(at)] for at in range(len(skills))]
    moved_edges = [edge._replace(source=new[edge.source], target=new[edge.target]) for edge in edges]
    encoder = ConceptEncoder("egg salt", "pan")
    first = make_retriever(skills, edges, encoder=encoder).retrieve("egg pan")
    second = make_retriever(moved_skills, moved_edges, encoder=encoder).retrieve("egg pan")
    assert ids(first) == ids(second)
    for one, other in zip(first.skills, second.skills, strict=True):
        assert (one.path, one.lexical_rank, one.semantic_rank) == (
            other.path,
            other.lexical_rank,
            other.semantic_rank,
        )
        assert one.score == pytest.approx(other.score, abs=1e-9)


# ---------------------------------------------------------------- order


def order_of(graph: SkillGraph, *chosen: int) -> list[int]:
    ordering = ordering_graph(graph)
    return [chosen[rank] for rank in prerequisites_first(np.array(chosen, dtype=np.int64), ordering)]


def test_a_prerequisite_moves_to_just_before_the_first_that_needs_it() -> None:
    """3 is needed by 1; 0 and 2 keep their places."""
    assert order_of(make_graph(4, [Edge(3, 1)]), 0, 1, 2, 3) == [0, 3, 1, 2]


def test_several_prerequisites_keep_their_rank_among_themselves() -> None:
    """And each brings its own before it."""
    graph = make_graph(5, [Edge(4, 0), Edge(2, 0), Edge(3, 2)])
    assert order_of(graph, 0, 1, 2, 3, 4) == [3, 2, 4, 0, 1]


@pytest.mark.parametrize(
    ("edge_type", "moves"),
    [("dependency", [1, 0]), ("workflow", [1, 0]), ("semantic", [0, 1]), ("alternative", [0, 1])],
)
def test_only_dependency_and_workflow_edges_order(edge_type: str, moves: list[int]) -> None:
    """That two skills are alike says nothing about which comes first."""
    assert order_of(make_graph(2, [Edge(1, 0, 0.5, EdgeType(edge_type))]), 0, 1) == moves


def test_edges_to_skills_that_were_not_chosen_do_not_order() -> None:
    """Neither directly nor on the way."""
    graph = make_graph(4, [Edge(2, 1), Edge(1, 0), Edge(0, 3)])
    assert order_of(graph, 0, 2) == [0, 2]
    assert order_of(graph, 3) == [3]
    assert order_of(graph) == []


def test_a_cycle_is_broken_at_its_weakest_edge() -> None:
    """0 -> 1 -> 2 -> 0: without the weakest, what it led to comes first."""
    for weakest in range(3):
        weights = [0.2 if at == weakest else 0.5 + at / 10 for at in range(3)]
        cycle = make_graph(3, [Edge(at, (at + 1) % 3, weights[at]) for at in range(3)])
        first = (weakest + 1) % 3
        assert order_of(cycle, 2, 1, 0) == [first, (first + 1) % 3, (first + 2) % 3]


def test_two_that_need_each_other_equally_keep_their_rank() -> None:
    """By rank, whichever position they have."""
    graph = make_graph(2, [Edge(0, 1, 0.5), Edge(1, 0, 0.5)])
    assert order_of(graph, 0, 1) == [0, 1]
    assert order_of(graph, 1, 0) == [1, 0]


@given(worlds(), st.data())
def test_without_cycles_every_prerequisite_stands_before_what_needs_it(
    world: tuple[list[Skill], list[Edge]], data: st.DataObject
) -> None:
    """Any edges that go up in some hidden numbering, in any rank order."""
    skills, edges = world
    upward = [edge for edge in edges if edge.source < edge.target]
    chosen = data.draw(st.permutations(range(len(skills))))
    order = order_of(make_graph(len(skills), upward), *chosen)
    assert sorted(order) == sorted(chosen)
    for edge in upward:
        if edge.type in (EdgeType.DEPENDENCY, EdgeType.WORKFLOW):
            assert order.index(edge.source) < order.index(edge.target)


# ---------------------------------------------------------------- parts and refusals


class CountingSkills(Sequence[Skill]):
    """Says which skills were looked at."""

    def __init__(self, skills: Sequence[Skill]) -> None:
        self._skills = skills
        self.seen: list[int] = []

    def __len__(self) -> int:
        return len(self._skills)

    @overload
    def __getitem__(self, index: int) -> Skill: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Skill]: ...
    def __getitem__(self, index: int | slice) -> Skill | Sequence[Skill]:
        assert isinstance(index, int)
        self.seen.append(index)
        return self._skills[index]


def parts(skills: Sequence[Skill], *, n_graph: int | None = None) -> dict[str, object]:
    encoder = ConceptEncoder()
    return {
        "skills": skills,
        "ids": [skill.id for skill in SKILLS],
        "index": SearchIndex.fit(
            SKILLS, encoder.encode([""] * len(SKILLS)), tie_break=np.arange(len(SKILLS))
        ),
        "graph": make_graph(len(SKILLS) if n_graph is None else n_graph, EDGES),
        "encoder": encoder,
        "config": SHOW_ALL,
    }


def test_only_the_returned_skills_are_read() -> None:
    """A store reads a skill from disk when it is asked for."""
    skills = CountingSkills(SKILLS)
    GraphRetriever(**parts(skills)).retrieve("egg", k=2)  # type: ignore[arg-type]  # as a table
    assert sorted(skills.seen) == [BOIL, FILL]


def test_parts_of_different_versions_are_refused() -> None:
    """A graph of another build would point at other skills."""
    with pytest.raises(ValueError, match=r"different numbers of skills.*'graph': 9"):
        GraphRetriever(**parts(SKILLS, n_graph=9))  # type: ignore[arg-type]  # as a table
    with pytest.raises(ValueError, match="'skills': 4"):
        GraphRetriever(**parts(SKILLS[:4]))  # type: ignore[arg-type]  # as a table


@pytest.mark.parametrize("k", [0, -1])
def test_k_below_1_is_refused(k: int) -> None:
    """With the value."""
    with pytest.raises(UsageError, match=f"k must be at least 1, not {k}"):
        make_retriever(SKILLS).retrieve("egg", k=k)


@pytest.mark.parametrize("query", ["", " \n", "x" * 100_001])
def test_a_blank_or_endless_task_is_refused(query: str) -> None:
    """Before anything is computed."""
    with pytest.raises(UsageError, match="task text"):
        make_retriever(SKILLS).retrieve(query)


class HalfEncoder(ConceptEncoder):
    """Breaks its contract: its vectors are not of unit length."""

    def encode(self, texts: Sequence[str]) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        return np.asarray(super().encode(texts) / 2, dtype=np.float32)


def test_an_encoder_that_breaks_its_contract_is_refused() -> None:
    """A cosine of such a vector would be a wrong number, not an error."""
    with pytest.raises(EncoderError, match="length"):
        make_retriever(SKILLS, encoder=HalfEncoder("egg")).retrieve("egg")


# ---------------------------------------------------------------- edges that order


@pytest.mark.parametrize(
    ("edge_type", "state", "told"),
    [
        (EdgeType.WORKFLOW, EdgeState.UNCERTAIN, True),
        (EdgeType.DEPENDENCY, EdgeState.CONFIRMED, True),
        (EdgeType.DEPENDENCY, EdgeState.UNVALIDATED, True),
        (EdgeType.WORKFLOW, EdgeState.UNVALIDATED, False),
        (EdgeType.SEMANTIC, EdgeState.CONFIRMED, False),
        (EdgeType.ALTERNATIVE, EdgeState.CONFIRMED, False),
    ],
)
def test_an_edge_orders_where_it_is_told_with_evidence(
    edge_type: EdgeType, state: EdgeState, *, told: bool
) -> None:
    """It may carry relevance; to put a skill first takes a need, or some evidence."""
    skills = [make_skill("base", "lay the ground"), make_skill("top", "egg pan salt")]
    edge = Edge(0, 1, 0.5, edge_type, state)
    assert len(ordering_graph(make_graph(2, [edge]))) == told
    ranking = make_retriever(skills, [edge]).retrieve("egg pan salt")
    names = [each.skill.id for each in ranking.skills]
    assert names[:2] == ["base", "top"] if told else names[0] == "top"
    assert bool(ranking.skills[0].supports) is told


def test_a_skill_says_which_of_the_others_need_it() -> None:
    """A seed that is there for its words stands first for the sake of another: that is a reason too."""
    fill, boil, _peel, serve = make_retriever(SKILLS, EDGES).retrieve("egg").skills
    assert [(step.source, step.target, step.weight) for step in fill.supports] == [("fill", "boil", 0.8)]
    assert [(step.target, step.type) for step in boil.supports] == [("peel", EdgeType.WORKFLOW)]
    assert serve.supports == ()
    assert reasons(boil) == "lexical rank 1; before peel (workflow, confirmed, weight 0.60)"
    assert reasons(fill) == "via fill -> boil (dependency, confirmed, weight 0.80)"


def test_of_a_cycle_only_the_edges_that_the_order_follows_are_reasons() -> None:
    """The weaker one would contradict the order that is shown."""
    edges = [Edge(0, 1, 0.9), Edge(1, 0, 0.2)]
    both = make_retriever(SKILLS[:2], edges).retrieve("egg pot").skills
    assert {ranked.skill.id: [step.target for step in ranked.supports] for ranked in both} == {
        "boil": ["fill"],
        "fill": [],
    }


def test_a_hidden_skill_is_no_reason() -> None:
    """Not even as the one that needs another."""
    ranking = make_retriever(SKILLS, EDGES).retrieve("egg", exclude=["peel"])
    assert all("peel" not in reasons(ranked) for ranked in ranking.skills)
