"""Systems on the user's tasks: what is measured, what is won and lost, which skills made the difference."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from builds import write_skill
from caskg.bench.evaluate import MEASURES, Mean, Outcome, compare, evaluate, means, run
from caskg.bench.stats import Interval
from caskg.bench.tasks import Task
from caskg.errors import NoVersionError, UsageError
from caskg.schema import EdgeState, EdgeStep, EdgeType, RankedSkill, Ranking
from caskg.store.workspace import Workspace
from caskg.wiring import build_workspace
from factories import make_skill


class Scripted:
    """Answers each query with the skills of a script."""

    def __init__(self, script: Mapping[str, str]) -> None:
        self.script = script
        self.hidden: list[Collection[str]] = []

    def retrieve(
        self, query: str, *, k: int = 8, have: Collection[str] = (), exclude: Collection[str] = ()
    ) -> Ranking:
        assert not have
        self.hidden.append(exclude)
        ids = self.script[query].split()[:k]
        return Ranking(
            query=query,
            skills=[
                RankedSkill(skill=make_skill(skill_id, body="word " * 60), score=1.0, lexical_rank=at)
                for at, skill_id in enumerate(ids, start=1)
            ],
            sufficiency=1.0,
            abstained=not ids,
        )


TASKS = (
    Task(line=1, query="both", must_include=("a", "b"), must_not_include=("x",), order=("a", "b", "c")),
    Task(line=2, query="half", must_include=("a", "b")),
    Task(line=4, query="none", must_not_include=("x",)),
    Task(line=5, query="free"),
)
GOOD = Scripted({"both": "a b c", "half": "d b", "none": "", "free": "a"})
POOR = Scripted({"both": "c b x", "half": "b a", "none": "", "free": "b"})


def outcomes(system: Scripted, *, k: int = 8) -> tuple[Outcome, ...]:
    return tuple(run(system, task, k=k) for task in TASKS)


def measured(outcome: Outcome) -> list[float | None]:
    return [outcome.measures[name] for name in MEASURES]


def test_each_answer_is_measured_by_what_its_task_asks() -> None:
    """Recall, violations, order, success, abstained, returned."""
    assert [measured(outcome) for outcome in outcomes(GOOD)] == [
        [1.0, 0, 1.0, 1.0, 0.0, 3.0],
        [0.5, None, None, 0.0, 0.0, 2.0],
        [None, 0, None, 1.0, 1.0, 0.0],
        [None, None, None, None, 0.0, 1.0],
    ]
    assert measured(outcomes(POOR)[0]) == [0.5, 1, 0.0, 0.0, 0.0, 3.0]
    assert measured(outcomes(POOR, k=1)[0]) == [0.0, 0, 0.0, 0.0, 0.0, 1.0]


def test_means_are_over_the_tasks_that_ask() -> None:
    """With how many these are."""
    assert means(outcomes(GOOD)) == {
        "recall": Mean(value=0.75, n_tasks=2),
        "violations": Mean(value=0.0, n_tasks=2),
        "order": Mean(value=1.0, n_tasks=1),
        "success": Mean(value=2 / 3, n_tasks=3),
        "abstained": Mean(value=0.25, n_tasks=4),
        "returned": Mean(value=1.5, n_tasks=4),
    }
    assert "order" not in means(outcomes(GOOD)[1:])


def test_a_comparison_tells_what_was_won_and_lost_and_which_skills_did_it() -> None:
    """In the order of the file; an answer that is merely another one is even."""
    both = {"good": outcomes(GOOD), "poor": outcomes(POOR)}
    found = compare(TASKS, both, "good", "poor")
    assert [(each.task.line, each.won, each.came_in, each.went_out) for each in found.changes] == [
        (1, True, ("a",), ("x",)),
        (2, False, ("d",), ("a",)),
    ]
    assert found.n_even == 2
    assert set(found.differences) == set(MEASURES) - {"order"}  # only one task asks for an order
    assert found.differences["recall"] == Interval(mean=0.0, low=-0.5, high=0.5)
    assert found.differences["violations"] == Interval(mean=-0.5, low=-1.0, high=0.0)
    back = compare(TASKS, both, "poor", "good")
    assert [(each.task.line, each.won) for each in back.changes] == [(1, False), (2, True)]
    assert compare(TASKS, both, "good", "good").changes == ()


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("a b", "a c d"),  # all of what is asked
        ("a x c", "d"),  # more found, though something forbidden with it
        ("a", "a x"),
        ("a b c x", "a c b x"),  # only the order differs
    ],
)
def test_success_comes_first_then_recall_then_violations_then_order(better: str, worse: str) -> None:
    """What is compared first decides."""
    order = ("a", "b", "c") if "c x" in better else ()
    task = Task(line=1, query="q", must_include=("a", "b"), must_not_include=("x",), order=order)
    answers = {name: [run(Scripted({"q": name}), task, k=8)] for name in (better, worse)}
    assert [each.won for each in compare([task], answers, better, worse).changes] == [True]
    assert [each.won for each in compare([task], answers, worse, better).changes] == [False]


def test_with_a_bound_a_skill_counts_only_where_its_text_stands() -> None:
    """Of three texts of 300 characters one finds no room in 520, and two are cut."""
    assert run(GOOD, TASKS[0], k=8).found == ("a", "b", "c")
    bounded = run(GOOD, TASKS[0], k=8, max_chars=520)
    assert bounded.found == ("a", "c")
    assert bounded.measures["recall"] == 0.5
    assert set(bounded.reasons) == {"a", "b", "c"}


def test_a_seed_also_says_which_edge_joins_it_to_the_answer() -> None:
    """The heaviest, but no alternative, along which nothing flows; a path says enough by itself."""

    def edge(source: str, target: str, kind: EdgeType, weight: float) -> EdgeStep:
        return EdgeStep(source=source, target=target, type=kind, state=EdgeState.UNCERTAIN, weight=weight)

    edges = [
        edge("a", "z", EdgeType.DEPENDENCY, 0.9),
        edge("a", "b", EdgeType.ALTERNATIVE, 0.8),
        edge("c", "a", EdgeType.DEPENDENCY, 0.7),
        edge("a", "b", EdgeType.SEMANTIC, 0.6),
    ]
    answered = run(GOOD, TASKS[0], k=8, edges=lambda skill_id: edges if skill_id == "a" else ())
    assert answered.reasons == {
        "a": "lexical rank 1; joined by c -> a (dependency, uncertain, weight 0.70)",
        "b": "lexical rank 2",
        "c": "lexical rank 3",
    }


def test_what_is_hidden_is_hidden_from_every_system() -> None:
    """The retriever is told."""
    system = Scripted({"both": "a"})
    run(system, TASKS[0], k=8, exclude={"b"})
    assert system.hidden == [{"b"}]


# ---------------------------------------------------------------- whole versions


SKILLS = {
    "kitchen/boil-water": "Boils water in a kettle",
    "kitchen/brew-tea": "Brews a pot of green tea from leaves",
    "kitchen/fry-egg": "Fries an egg in a pan",
    "home/fold-laundry": "Folds dry laundry",
    "home/iron-shirt": "Irons a shirt",
    "office/send-invoice": "Sends an invoice to a customer",
    "office/book-room": "Books a room for a meeting",
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """In version 2 brew-tea says that it requires boil-water; version 3 has one skill less."""
    root = tmp_path_factory.mktemp("evaluated")
    for skill_id, description in SKILLS.items():
        write_skill(root / "skills", skill_id, description)
    with Workspace.create(root / "workspace") as opened:
        build_workspace(opened, [root / "skills"], encoder="builtin")
        tea = SKILLS["kitchen/brew-tea"]
        write_skill(root / "skills", "kitchen/brew-tea", tea, requires="boil-water")
        build_workspace(opened, [root / "skills"], encoder="builtin")
        (root / "skills/office/book-room/SKILL.md").unlink()
        build_workspace(opened, [root / "skills"], encoder="builtin")
        yield opened


def tasks_file(folder: Path, *tasks: Mapping[str, object]) -> Path:
    path = folder / "tasks.jsonl"
    path.write_text("\n".join(map(json.dumps, tasks)), encoding="utf-8")
    return path


TEA = {
    "query": "green tea from leaves",
    "must_include": ["brew-tea", "boil-water"],
    "order": ["boil-water", "brew-tea"],
}


def names(found: Sequence[str]) -> list[str]:
    return [skill_id.split("/")[1] for skill_id in found]


def test_the_graph_wins_where_an_edge_says_what_comes_first(workspace: Workspace, tmp_path: Path) -> None:
    """Flat search finds both, in the order of their likeness to the task."""
    found = evaluate(workspace, tasks_file(tmp_path, TEA), k=2)
    assert list(found.outcomes) == ["graph v3", "flat v3"]
    (graph,), (flat,) = found.outcomes.values()
    assert names(graph.found) == ["boil-water", "brew-tea"]
    assert names(flat.found) == ["brew-tea", "boil-water"]
    (comparison,) = found.comparisons
    (change,) = comparison.changes
    assert (comparison.system, comparison.against, change.won) == ("graph v3", "flat v3", True)
    assert (change.came_in, change.went_out) == ((), ())
    joined = "; joined by kitchen/boil-water -> kitchen/brew-tea (dependency, "
    assert all(joined in reason for reason in graph.reasons.values())
    assert not any("joined" in reason for reason in flat.reasons.values())


def test_two_versions_are_compared_with_flat_and_with_each_other(
    workspace: Workspace, tmp_path: Path
) -> None:
    """The flat hybrid is that of the current version; a version named twice is asked once."""
    found = evaluate(workspace, tasks_file(tmp_path, TEA), versions=[1, 2, 1], k=2)
    assert list(found.outcomes) == ["graph v1", "graph v2", "flat v3"]
    assert [(each.system, each.against) for each in found.comparisons] == [
        ("graph v1", "flat v3"),
        ("graph v2", "flat v3"),
        ("graph v2", "graph v1"),
    ]
    assert [[change.won for change in each.changes] for each in found.comparisons] == [[], [True], [True]]


def test_a_run_is_repeatable(workspace: Workspace, tmp_path: Path) -> None:
    """To the last digit."""
    path = tasks_file(tmp_path, TEA, {"query": "iron a shirt", "order": ["fold-laundry", "iron-shirt"]})
    assert evaluate(workspace, path, versions=[1, 3]) == evaluate(workspace, path, versions=[1, 3])


def test_a_skill_that_only_an_old_version_has_may_be_asked_for_and_an_unknown_one_not(
    workspace: Workspace, tmp_path: Path
) -> None:
    """Where the version that has it takes part; otherwise nobody could find it."""
    path = tasks_file(tmp_path, TEA, {"query": "book a room for a meeting", "must_include": "book-room"})
    found = evaluate(workspace, path, versions=[2])
    assert [each[1].measures["recall"] for each in found.outcomes.values()] == [1.0, 0.0]
    with pytest.raises(UsageError, match=r"jsonl: line 2: must_include: There is no skill 'book-room' in"):
        evaluate(workspace, path)


def test_what_is_disabled_is_found_by_no_system(workspace: Workspace, tmp_path: Path) -> None:
    """As in a query."""
    workspace.switches.disable(["kitchen/brew-tea"])
    found = evaluate(workspace, tasks_file(tmp_path, TEA), versions=[1, 3])
    workspace.switches.enable(["kitchen/brew-tea"])
    assert not [each for each in found.outcomes.values() if "kitchen/brew-tea" in each[0].found]
    assert found.disabled == ("kitchen/brew-tea",)
    assert evaluate(workspace, tasks_file(tmp_path, TEA)).disabled == ()


def test_a_disabled_skill_that_must_not_be_found_is_no_loss(workspace: Workspace, tmp_path: Path) -> None:
    """Only what is asked for, in either list, is named."""
    workspace.switches.disable(["kitchen/brew-tea", "kitchen/boil-water"])
    tasks: list[dict[str, object]] = [
        {"query": "green tea", "must_not_include": "brew-tea"},
        {"query": "tea", "order": ["boil-water", "iron-shirt"]},
    ]
    found = evaluate(workspace, tasks_file(tmp_path, *tasks))
    workspace.switches.enable(["kitchen/brew-tea", "kitchen/boil-water"])
    assert found.disabled == ("kitchen/boil-water",)


def test_a_version_that_is_not_there_is_named(workspace: Workspace, tmp_path: Path) -> None:
    """Before anything is asked."""
    with pytest.raises(NoVersionError, match="no version 9"):
        evaluate(workspace, tasks_file(tmp_path, TEA), versions=[9])
