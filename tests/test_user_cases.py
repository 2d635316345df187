"""What users report (users.md), from SKILL.md files to the answer, through the whole pipeline."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from builds import pairs, write_skill
from caskg.published import candidates_from
from caskg.retrieval.bundle import render
from caskg.retrieval.explain import reasons
from caskg.schema import EDGE_TYPES, EdgeType, Ranking
from caskg.store.snapshot import Snapshot
from caskg.store.workspace import Workspace
from caskg.wiring import build_workspace, open_retriever

OFFICE = {
    "shared-setup": "Sign in to the company account and pick the workspace that later steps use",
    "calendar-export": "Export the calendar of a team as a table",
    "audience-builder": "Describe the people that a text is meant for",
    "brand-voice": "Collect how the company sounds: tone, vocabulary, taboos",
    "blog-generator": "Write a blog post from an idea",
    "pipeline-setup": "Set up a CI/CD pipeline that builds, tests and releases every change",
    "invoice": "Draw up an invoice for a customer and note when it is due",
    "meeting-minutes": "Turn the notes of a meeting into minutes with decisions and owners",
    "slide-deck": "Make a deck of slides from an outline",
    "code-review": "Review a change for bugs, style and missing tests",
    "travel-plan": "Plan a trip with trains and hotels within a budget",
    "database-backup": "Back up a database and prove that it can be restored",
    "picture-shrinker": "Make pictures smaller for the web",
    "contract-check": "Check a contract for missing clauses and unclear duties",
    "stock-count": "Count what is on the shelves and correct the list of stock",
    "survey": "Put questions to customers and sum up what they say",
    "garden": "Water the plants in the hall and cut off what is withered",
    "chart": "根据表格数据绘制图表",
    "letter": "撰写正式商务信函",
}
BODIES = {
    "calendar-export": "Read ../shared-setup/SKILL.md first.\n\n## Steps\n\n1. Open it.\n1. Save it.",
    "blog-generator": "## Before you start\n\n- Run `audience-builder` first.\n- Run `brand-voice` first.",
}


GOODS = ("bread", "bicycle", "carpet", "violin", "kayak", "lantern", "orchid", "piano", "sandal", "tractor")
DEEDS = (
    ("order", "Order {} from a supplier and note the day of delivery"),
    ("price", "Set the price of {} from cost and season"),
    ("return", "Take back {} that a customer does not want"),
    ("repair", "Estimate what it takes to mend {}"),
    ("photo", "Take pictures of {} for the catalogue"),
    ("advert", "Write an advert for {} in three lengths"),
    ("count", "Count the {} that are in stock"),
    ("insure", "Insure {} against theft and fire"),
    ("label", "Print labels for {} with number and weight"),
    ("pack", "Pack {} so that nothing breaks on the way"),
    ("train", "Teach new staff what to know of {}"),
    ("audit", "Compare what the books say of {} with what is there"),
)
TAILS = ("numbers", "salaries", "sick days", "mileage", "deposits", "complaints", "visitors", "parking fees")


def ids(ranking: Ranking) -> list[str]:
    return [ranked.skill.id for ranked in ranking.skills]


ENCODERS = ("builtin", "local")


@pytest.fixture(scope="module", params=ENCODERS)
def office(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    """The office as a version that was built with either encoder."""
    root = tmp_path_factory.mktemp("office")
    for name, description in OFFICE.items():
        write_skill(root / "skills", name, description, BODIES.get(name, ""))
    with Workspace.create(root / "workspace") as workspace:
        build_workspace(workspace, [root / "skills"], encoder=request.param)
        yield workspace.current()


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Snapshot]]:
    """A shop in which each good and each deed is a word of many skills, built with each encoder."""
    root = tmp_path_factory.mktemp("shop")
    for good in GOODS:
        for deed, told in DEEDS:
            write_skill(root / "skills", f"{good}-{deed}", told.format(good))
    with ExitStack() as stack:
        opened = {name: stack.enter_context(Workspace.create(root / name)) for name in ENCODERS}
        for name, workspace in opened.items():
            build_workspace(workspace, [root / "skills"], encoder=name)
        yield {name: workspace.current() for name, workspace in opened.items()}


def test_t1_the_right_skill_of_119_stands_in_5440_characters(tmp_path: Path) -> None:
    """Where the host would cut the list of descriptions, the bundle still holds the skill with its steps."""
    names = [(f"{good}-{deed}", told.format(good)) for deed, told in DEEDS for good in GOODS][:119]
    for name, description in names:
        write_skill(
            tmp_path / "skills", name, description, f"## Steps\n\n1. Begin the {name}.\n" + "1. Go on.\n" * 90
        )
    with Workspace.create(tmp_path / "workspace") as workspace:
        report = build_workspace(workspace, [tmp_path / "skills"], encoder="builtin")
        retriever = open_retriever(workspace.current())
        for query, wanted in (
            ("take back a kayak that the customer does not want any more", "kayak-return"),
            ("how do I pack a violin so that it does not break", "violin-pack"),
            ("insurance for the tractor against theft", "tractor-insure"),
        ):
            bundle = render(retriever.retrieve(query), max_chars=5440)
            assert wanted in bundle.included[:2]
            assert f"1. Begin the {wanted}." in bundle.text
            assert len(bundle.text) <= 5440
    assert sum(report.meta["candidate_states"].values()) == report.meta["n_candidates"]


@pytest.mark.parametrize("encoder", ENCODERS)
def test_t2_siblings_that_differ_in_their_last_word_are_told_apart(encoder: str, tmp_path: Path) -> None:
    """A host that cuts descriptions shows eight times the same one."""
    told = (
        "Collect the monthly figures of all branches in the northern and the southern region, compare them "
        "with those of the year before, mark what changed by more than a tenth, and send the board "
    )
    for number, tail in enumerate(TAILS):
        write_skill(tmp_path / "skills", f"monthly-{number}", f"{told}the table of {tail}.")
    with Workspace.create(tmp_path / "workspace") as workspace:
        build_workspace(workspace, [tmp_path / "skills"], encoder=encoder)
        retriever = open_retriever(workspace.current())
        for number, tail in enumerate(TAILS):
            ranking = retriever.retrieve(f"send the board the monthly {tail} of the southern region")
            assert ids(ranking)[0] == f"monthly-{number}"


def test_t3_a_synonym_finds_the_skill(office: Snapshot) -> None:
    """No word in common; the built-in encoder knows words only, and says so rather than guess."""
    ranking = open_retriever(office).retrieve("deployment automation")
    if office.meta["encoder"] == "local":
        assert ids(ranking)[0] == "pipeline-setup"
    else:
        assert ranking.abstained


@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("a customer sent back a violin that he does not want", "violin-return"),
        ("how many tractors are in stock, count them", "tractor-count"),
        ("teach the new staff about carpets", "carpet-train"),
    ],
)
def test_t4_of_many_that_share_its_words_a_task_gets_a_short_list_with_reasons(
    encoder: str, query: str, wanted: str, shop: dict[str, Snapshot]
) -> None:
    """A keyword alone is in 10, 12 or 120 skills; nobody reads 27 picks of which none is right."""
    ranking = open_retriever(shop[encoder]).retrieve(query)
    assert wanted in ids(ranking)[:3]
    assert len(ranking.skills) <= 8
    for ranked in ranking.skills:
        assert "rank" in reasons(ranked) or "via" in reasons(ranked)


@pytest.mark.parametrize(
    "query",
    [
        "hoe bak ik een appeltaart",
        "zoek een goedkope vlucht naar Lissabon",
        "stuur mijn buurman een bericht over de vuilnisbak",
    ],
)
def test_t6_a_dutch_task_that_nothing_matches_is_empty(
    query: str, office: Snapshot, shop: dict[str, Snapshot]
) -> None:
    """Strange words are no reason to return what is nearest."""
    for version in (office, *shop.values()):
        ranking = open_retriever(version).retrieve(query)
        assert (ranking.abstained, ranking.skills) == (True, ())
        assert render(ranking).included == ()


@pytest.mark.parametrize("query", ["send gmail email", "bake an apple tart", "hoe bak ik een appeltaart"])
def test_t5_a_task_outside_the_library_gets_nothing_but_a_hint(office: Snapshot, query: str) -> None:
    """Five unrelated skills would mislead."""
    ranking = open_retriever(office).retrieve(query)
    assert ranking.abstained
    assert not ranking.skills
    assert "No skill fits this task" in ranking.hint
    assert ranking.hint in render(ranking).text


def test_t7_a_skill_that_is_to_be_read_first_comes_first(office: Snapshot) -> None:
    """Nobody asks for the set-up; "Read ../shared-setup/SKILL.md first" does."""
    found = ids(open_retriever(office).retrieve("export the calendar of my team"))
    assert "shared-setup" in found
    assert found.index("shared-setup") < found.index("calendar-export")


def test_t8_what_a_skill_needs_comes_before_it(office: Snapshot) -> None:
    """Audience and voice before the text."""
    found = ids(open_retriever(office).retrieve("write a blog post about our new bicycle"))
    assert {"audience-builder", "brand-voice"} <= set(found[: found.index("blog-generator")])


def types_between(version: Snapshot, one: str, other: str) -> set[EdgeType]:
    candidates = candidates_from(version.arrays, n_skills=len(version.ids))
    ends = {version.ids.index(one), version.ids.index(other)}
    typed = zip(pairs(candidates), candidates.types.tolist(), strict=True)
    return {EDGE_TYPES[kind] for pair, kind in typed if set(pair) == ends}


@pytest.mark.parametrize(
    ("contrast", "twins", "feeding"),
    [
        ("Not for {}, use `{}`.", {EdgeType.SEMANTIC}, {EdgeType.SEMANTIC}),
        ("", {EdgeType.ALTERNATIVE}, {EdgeType.DEPENDENCY}),
    ],
)
def test_t9_a_contrast_makes_neither_a_dependency_nor_a_duplicate(
    contrast: str, twins: set[EdgeType], feeding: set[EdgeType], tmp_path: Path
) -> None:
    """Two that read alike, and two of which one gives what the other takes; the rest is the same."""
    told = "Cut them to the right size, keep the colours, smooth the edges, and save the result for the web"
    root = tmp_path / "skills"
    write_skill(root, "picture-cutter", told, contrast.format("icons", "icon-cutter"))
    write_skill(root, "icon-cutter", told)
    write_skill(root, "rough-sketch", "Draw what was talked about", "## Outputs\n\n- rough drawing")
    refers = contrast.format("plans of houses", "rough-sketch")
    write_skill(root, "poster", "Print a large sheet", f"{refers}\n\n## Inputs\n\n- rough drawing")
    for name in ("pipeline-setup", "invoice", "garden", "survey"):
        write_skill(root, name, OFFICE[name])
    with Workspace.create(tmp_path / "workspace") as workspace:
        build_workspace(workspace, [root], encoder="builtin")
        version = workspace.current()
        assert types_between(version, "picture-cutter", "icon-cutter") == twins
        assert types_between(version, "rough-sketch", "poster") == feeding


def test_an_unbroken_chinese_task_finds_the_chinese_skill(office: Snapshot) -> None:
    """Without blanks the whole run would be one word, which no skill has."""
    assert ids(open_retriever(office).retrieve("请帮我绘制图表"))[0] == "chart"
