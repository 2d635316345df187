"""What hurts people, as far as this room can answer for it: the cases T1, T2, T3, T5, T6, T8, T9."""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

from caskg.config import RetrieveConfig
from caskg.library.texts import skill_text
from caskg.providers.local import MiniLmEncoder
from caskg.retrieval.bundle import render
from caskg.retrieval.retriever import GraphRetriever
from caskg.retrieval.seeds import SearchIndex
from caskg.schema import EdgeType, Ranking, Skill
from factories import make_skill
from retrieval.worlds import ConceptEncoder, Edge, make_graph, make_retriever

DEFAULT = RetrieveConfig()
MINILM = MiniLmEncoder()

VERBS = ("archive", "compare", "convert", "inspect", "merge", "publish", "rename")
OBJECTS = (
    "audio-track", "calendar", "contact-list", "contract", "database-dump", "drawing", "font", "invoice",
    "log-file", "map-tile", "photo", "playlist", "poster", "recipe", "survey", "timetable", "transcript",
)  # fmt: skip
LIBRARY = [
    make_skill(
        f"{verb}-{thing}",
        f"Use this to {verb} a {thing.replace('-', ' ')} when the user has one at hand and says so. "
        "It covers common formats, asks before it overwrites anything, and says what was changed.",
        body=f"# Steps\n\n1. Open the {thing}.\n2. {verb.title()} it.\n\n" + "Details follow here.\n\n" * 60,
    )
    for verb, thing in product(VERBS, OBJECTS)
]


def ids(ranking: Ranking) -> list[str]:
    return [ranked.skill.id for ranked in ranking.skills]


def with_meanings(skills: Sequence[Skill]) -> GraphRetriever:
    vectors = MINILM.encode([skill_text(skill) for skill in skills])
    return GraphRetriever(
        skills=skills,
        ids=[skill.id for skill in skills],
        index=SearchIndex.fit(skills, vectors, tie_break=np.arange(len(skills))),
        graph=make_graph(len(skills)),
        encoder=MINILM,
        config=DEFAULT,
    )


def test_t1_the_right_of_119_skills_is_found_and_shown_within_5440_characters() -> None:
    """A host that cuts its list shows 20 of them at this length; the right one may be any."""
    retriever = with_meanings(LIBRARY)
    assert len(LIBRARY) == 119
    for task, wanted in (
        ("My grandmother's recipe is in a text document; please convert the recipe", "convert-recipe"),
        ("publish the timetable of the new school year", "publish-timetable"),
        ("check this log file for errors", "inspect-log-file"),
    ):
        ranking = retriever.retrieve(task)
        bundle = render(ranking, max_chars=5_440)
        assert ids(ranking)[0] == bundle.included[0] == wanted
        assert len(bundle.text) <= 5_440
        assert "# Steps\n\n1. Open the" in bundle.text
        assert all(f" {ranked.skill.name}\n" in bundle.text for ranked in ranking.skills)


def test_t2_siblings_that_differ_only_in_their_tail_are_told_apart() -> None:
    """The list of a host that cuts descriptions shows the same words for all three."""
    head = "Helps with everything around the monthly report of the sales department and its appendices. " * 9
    siblings = [
        make_skill("report-a", head + "Draws the charts."),
        make_skill("report-b", head + "Checks the spelling."),
        make_skill("report-c", head + "Translates into French."),
    ]
    retriever = make_retriever([*siblings, *LIBRARY], config=DEFAULT)
    for task, wanted, tail in (
        ("draw charts for the monthly sales report", "report-a", "Draws the charts."),
        ("check the spelling of the monthly sales report", "report-b", "Checks the spelling."),
        ("translate the monthly sales report to French", "report-c", "Translates into French."),
    ):
        ranking = retriever.retrieve(task)
        assert ids(ranking)[0] == wanted
        assert tail in render(ranking).text.split("## 2. ")[0]


OFFICE = [
    make_skill("ci-cd", "Build, test and release on every push", name="CI/CD pipeline setup"),
    make_skill("meeting-notes", "Turn a recording of a meeting into minutes with decisions and open points"),
    make_skill("pdf-forms", "Fill the fields of a PDF form from a table of values"),
    make_skill("sql-report", "Write SQL against the warehouse and draw the result as a chart"),
    make_skill("slide-deck", "Make a deck of slides from an outline"),
    make_skill("code-review", "Review a pull request for bugs, style and missing tests"),
    make_skill("travel-plan", "Plan a trip with trains and hotels within a budget"),
    make_skill("invoice", "Write invoices and send reminders to customers who have not paid"),
]


@pytest.fixture(scope="module")
def office() -> GraphRetriever:
    return with_meanings(OFFICE)


def test_t3_a_synonym_finds_the_skill(office: GraphRetriever) -> None:
    """No word in common."""
    first = office.retrieve("deployment automation").skills[0]
    assert (first.skill.id, first.lexical_rank, first.semantic_rank) == ("ci-cd", None, 1)


@pytest.mark.parametrize(
    "task",
    [
        "send gmail email",
        "hoe bak ik een appeltaart voor de verjaardag van mijn moeder",
        "water the plants on the balcony while I am away",
    ],
)
def test_t5_t6_a_task_outside_the_library_gets_a_hint(office: GraphRetriever, task: str) -> None:
    """Nothing fits: five unrelated skills would only mislead."""
    ranking = office.retrieve(task)
    assert (ranking.skills, ranking.abstained) == ((), True)
    assert "Nearest: " in ranking.hint


@pytest.mark.parametrize(
    ("task", "wanted"),
    [
        ("summarise what we decided in yesterday's call", "meeting-notes"),
        ("book a hotel in Vienna", "travel-plan"),
        ("check this pull request before we merge it", "code-review"),
        ("a presentation for the board", "slide-deck"),
    ],
)
def test_a_task_inside_the_library_gets_its_skill(office: GraphRetriever, task: str, wanted: str) -> None:
    """The gate must not close on what can be answered."""
    assert office.retrieve(task).skills[0].skill.id == wanted


@pytest.mark.parametrize("knows_meanings", [True, False])
@pytest.mark.parametrize("task", ["send gmail email", "hoe bak ik een appeltaart"])
def test_t5_t6_without_a_language_model_words_must_match(task: str, knows_meanings: bool) -> None:  # noqa: FBT001  # by parametrize
    """`invoice` sends too, but what is to be sent is unknown; and no Dutch word is known at all."""
    retriever = make_retriever([*OFFICE, *LIBRARY], config=DEFAULT, knows_meanings=knows_meanings)
    assert retriever.retrieve(task).abstained


@pytest.mark.parametrize("knows_meanings", [True, False])
@pytest.mark.parametrize(
    ("task", "wanted"), [("fill a pdf form", "pdf-forms"), ("review pull request", "code-review")]
)
def test_without_a_language_model_a_short_task_in_the_skills_own_words_is_answered(
    task: str,
    wanted: str,
    knows_meanings: bool,  # noqa: FBT001  # by parametrize
) -> None:
    """Most of the words found in one skill is an answer, however few they are."""
    retriever = make_retriever([*OFFICE, *LIBRARY], config=DEFAULT, knows_meanings=knows_meanings)
    assert ids(retriever.retrieve(task))[0] == wanted


def test_t8_what_must_come_before_comes_before() -> None:
    """Audience and voice before the text, though only the text is asked for."""
    skills = [
        make_skill("audience-builder", "Describe who will read it"),
        make_skill("brand-voice", "Collect tone and vocabulary of the company"),
        make_skill("blog-generator", "Write a blog post"),
        make_skill("newsletter", "Write a newsletter"),
    ]
    edges = [Edge(0, 2, 0.3), Edge(1, 2, 0.3, EdgeType.WORKFLOW), Edge(2, 3, 0.3, EdgeType.ALTERNATIVE)]
    ranking = make_retriever(skills, edges, config=DEFAULT).retrieve("write a blog post")
    assert ids(ranking)[:3] == ["audience-builder", "brand-voice", "blog-generator"] or ids(ranking)[:3] == [
        "brand-voice",
        "audience-builder",
        "blog-generator",
    ]
    assert [len(ranked.path) for ranked in ranking.skills[:3]] == [1, 1, 0]


def test_t9_an_alternative_is_not_brought_in() -> None:
    """A contrast ("not for photos, use photo-resizer") makes alternatives: relevance does not flow there."""
    skills = [make_skill("icon-maker", "draw icons"), make_skill("photo-resizer", "shrink pictures")]
    edges = [Edge(0, 1, 1.0, EdgeType.ALTERNATIVE), Edge(1, 0, 1.0, EdgeType.ALTERNATIVE)]
    assert ids(make_retriever(skills, edges, config=DEFAULT).retrieve("draw icons")) == ["icon-maker"]


def test_an_unbroken_chinese_task_finds_the_chinese_skill() -> None:
    """Without spaces the whole run would be one word, which no skill has."""
    skills: list[Skill] = [
        *LIBRARY,
        make_skill("chart", "根据表格数据绘制图表"),
        make_skill("letter", "撰写正式商务信函"),
    ]
    ranking = make_retriever(skills, encoder=ConceptEncoder(), config=DEFAULT).retrieve("请帮我绘制图表")
    assert ids(ranking)[0] == "chart"
    assert "letter" not in ids(ranking)
