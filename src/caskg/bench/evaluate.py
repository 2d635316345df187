"""Published graphs and the flat hybrid on the user's own tasks: same tasks, same k, same bound."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from caskg.bench.metrics import order_accuracy, recall, success, violations
from caskg.bench.stats import LEAST, Interval, paired_bootstrap
from caskg.bench.tasks import Task, read_tasks
from caskg.inspection import edges_of, hidden_ids, position_of, positions_of
from caskg.protocols import Retriever
from caskg.retrieval.bundle import render
from caskg.retrieval.explain import reasons, step_line
from caskg.schema import EdgeStep, EdgeType, RankedSkill
from caskg.store.snapshot import Snapshot
from caskg.store.workspace import Workspace
from caskg.wiring import open_flat, open_retriever

MEASURES = ("recall", "violations", "order", "success", "abstained", "returned")
"""In the order in which they are shown."""

Edges = Callable[[str], Sequence[EdgeStep]]
"""Gives the published edges of a skill, the heaviest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one system answered to one task.

    Attributes:
        found: Ids in the order of the answer.
        reasons: Why each is there, by id; for a seed also the edge that joins it to another in the answer.
        measures: Value by name, see `MEASURES`; None where the task does not ask for it.
    """

    found: tuple[str, ...]
    reasons: Mapping[str, str]
    measures: Mapping[str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """The mean of a measure over the tasks that ask for it."""

    value: float
    n_tasks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A task that one system answers better or worse than the other.

    Attributes:
        task: The task.
        won: Whether better.
        came_in: Ids that only the one system found, in its order.
        went_out: Ids that only the other found, in its order.
    """

    task: Task
    won: bool
    came_in: tuple[str, ...]
    went_out: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One system against another, task by task.

    Attributes:
        system: Its name.
        against: The name of the other.
        differences: ``system - against`` by measure; none where fewer than two tasks ask for it.
        changes: The tasks that were won or lost, in the order of the file.
        n_even: How many were neither.
    """

    system: str
    against: str
    differences: Mapping[str, Interval]
    changes: tuple[Change, ...]
    n_even: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """All systems on all tasks.

    Attributes:
        tasks: The tasks.
        outcomes: What each system answered, task by task, by its name.
        comparisons: Each graph against the flat hybrid, then each later one against the first.
        disabled: Ids that tasks ask for and that are disabled, sorted: nobody can find them.
    """

    tasks: tuple[Task, ...]
    outcomes: Mapping[str, tuple[Outcome, ...]]
    comparisons: tuple[Comparison, ...]
    disabled: tuple[str, ...] = ()


def evaluate(
    workspace: Workspace,
    path: Path,
    *,
    versions: Sequence[int] = (),
    k: int = 8,
    max_chars: int | None = None,
) -> Evaluation:
    """Ask published graphs, and the flat hybrid of the current version, the tasks of a file.

    Args:
        workspace: Holds the versions; what is disabled in it is hidden from every system.
        path: The tasks, as `read_tasks` reads them.
        versions: Which graphs; none = the current one.
        k: Most skills an answer may have, at least 1.
        max_chars: A skill counts only where its text stands in a bundle of so many characters,
            at least `caskg.retrieval.bundle.MIN_CHARS`; None = the ranking counts.

    Raises:
        UsageError: The file is no file of tasks, or names a skill that none of the versions has.
        EncoderError: A version was built with an encoder that is not there.
        StoreError: A version is missing or damaged.
    """
    current = workspace.current()
    asked = [workspace.snapshot(number) for number in dict.fromkeys(versions)] or [current]
    tasks = read_tasks(path, id_of=lambda name: _id_among([current, *asked], name))
    hidden = hidden_ids(workspace, current)
    ask = partial(run, k=k, max_chars=max_chars, exclude=hidden)
    outcomes = {}
    for version in asked:
        system, edges = open_retriever(version), partial(_edges_of, version)
        outcomes[f"graph v{version.number}"] = tuple(ask(system, task, edges=edges) for task in tasks)
    graphs, flat, system = list(outcomes), f"flat v{current.number}", open_flat(current)
    outcomes[flat] = tuple(ask(system, task) for task in tasks)
    pairs = [(graph, flat) for graph in graphs] + [(graph, graphs[0]) for graph in graphs[1:]]
    return Evaluation(
        tasks=tasks,
        outcomes=outcomes,
        comparisons=tuple(compare(tasks, outcomes, *pair) for pair in pairs),
        disabled=tuple(
            sorted(hidden & {each for task in tasks for each in (*task.must_include, *task.order)})
        ),
    )


def run(
    system: Retriever,
    task: Task,
    *,
    k: int,
    max_chars: int | None = None,
    exclude: Collection[str] = (),
    edges: Edges = lambda _skill_id: (),
) -> Outcome:
    """Ask one system one task, and measure the answer. Arguments as in `evaluate`; *edges* of its graph."""
    ranking = system.retrieve(task.query, k=k, exclude=exclude)
    found = tuple(ranked.skill.id for ranked in ranking.skills)
    if max_chars is not None:
        found = render(ranking, max_chars=max_chars).included
    return Outcome(
        found=found,
        reasons={ranked.skill.id: _reason(ranked, ranking.skills, edges) for ranked in ranking.skills},
        measures=_measures(found, task, abstained=ranking.abstained),
    )


def _reason(ranked: RankedSkill, answer: Sequence[RankedSkill], edges: Edges) -> str:
    """Return why a skill is there; a seed far down the rankings came in because something carried it."""
    others = {each.skill.id for each in answer}
    joined = (
        step
        for step in edges(ranked.skill.id)
        if {step.source, step.target} <= others and step.type is not EdgeType.ALTERNATIVE
    )
    step = None if ranked.path else next(joined, None)
    return reasons(ranked) + (f"; joined by {step_line(step)}" if step else "")


def _edges_of(version: Snapshot, skill_id: str) -> Sequence[EdgeStep]:
    return edges_of(version, version.ids.index(skill_id))


def _measures(found: Sequence[str], task: Task, *, abstained: bool) -> dict[str, float | None]:
    share = recall(found, task.must_include)
    forbidden = violations(found, task.must_not_include)
    ordered = order_accuracy(found, task.order)
    return {
        "recall": share,
        "violations": forbidden,
        "order": ordered,
        "success": success(found_share=share, n_forbidden=forbidden, ordered_share=ordered),
        "abstained": float(abstained),
        "returned": float(len(found)),
    }


def means(outcomes: Sequence[Outcome]) -> dict[str, Mean]:
    """Return the mean of each measure that at least one task asks for."""
    columns = {name: [each.measures[name] for each in outcomes] for name in MEASURES}
    asked = {name: [value for value in column if value is not None] for name, column in columns.items()}
    return {
        name: Mean(value=sum(values) / len(values), n_tasks=len(values))
        for name, values in asked.items()
        if values
    }


def compare(
    tasks: Sequence[Task], outcomes: Mapping[str, Sequence[Outcome]], system: str, against: str
) -> Comparison:
    """Compare two systems on the same tasks."""
    pairs = list(zip(outcomes[system], outcomes[against], strict=True))
    judged = [
        (_quality(one), _quality(other), _change(task, one, other))
        for task, (one, other) in zip(tasks, pairs, strict=True)
    ]
    changes = tuple(change for one, other, change in judged if one != other)
    return Comparison(
        system=system,
        against=against,
        differences=_differences(pairs),
        changes=changes,
        n_even=len(tasks) - len(changes),
    )


def _differences(pairs: Sequence[tuple[Outcome, Outcome]]) -> dict[str, Interval]:
    found = {}
    for name in MEASURES:
        values = [(one.measures[name], other.measures[name]) for one, other in pairs]
        asked = [(one, other) for one, other in values if one is not None and other is not None]
        if len(asked) >= LEAST:
            first, second = zip(*asked, strict=True)
            found[name] = paired_bootstrap(first, second)
    return found


def _change(task: Task, one: Outcome, other: Outcome) -> Change:
    return Change(
        task=task,
        won=_quality(one) > _quality(other),
        came_in=tuple(skill_id for skill_id in one.found if skill_id not in other.found),
        went_out=tuple(skill_id for skill_id in other.found if skill_id not in one.found),
    )


def _quality(outcome: Outcome) -> tuple[float, ...]:
    """Return what makes one answer better than another: success, then what was found, and so on."""
    measures = outcome.measures
    return (
        measures["success"] or 0.0,
        measures["recall"] or 0.0,
        -(measures["violations"] or 0.0),
        measures["order"] or 0.0,
    )


def _id_among(versions: Sequence[Snapshot], name: str) -> str:
    """Return the id that *name* means in the first version that has such a skill."""
    version = next((each for each in versions if positions_of(each, name)), versions[0])
    return version.ids[position_of(version, name)]
