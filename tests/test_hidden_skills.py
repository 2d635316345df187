"""A skill that a caller may not see is nowhere in an answer: filters and switches through a whole build."""

from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builds import THINGS, VERBS, write_skill
from caskg.errors import UsageError
from caskg.inspection import hidden_ids
from caskg.protocols import Retriever
from caskg.retrieval.bundle import render
from caskg.store.snapshot import Snapshot
from caskg.store.workspace import Workspace
from caskg.wiring import build_workspace, open_flat, open_retriever

FOLDERS = ("alley", "barn/loft", "barn/yard", "cellar")
TAGS = ("red", "green", "blue")
NUMBERS = range(28)
WORDS = [*VERBS, *THINGS, "village 5", "`skill-03`", "skill-11"]


def id_of(number: int) -> str:
    return f"{FOLDERS[number % len(FOLDERS)]}/id{number:02d}"


def tags_of(number: int) -> set[str]:
    return {tag for bit, tag in enumerate(TAGS) if number >> bit & 1}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """Skills that mention one another by name, so that an id in an answer is ours."""
    root = tmp_path_factory.mktemp("hidden")
    for number in NUMBERS:
        write_skill(
            root / "skills",
            id_of(number),
            f"{VERBS[number % len(VERBS)]} the {THINGS[number // len(VERBS)]} of village {number}",
            f"Run `skill-{(number * 11 + 5) % len(NUMBERS):02d}` first.",
            name=f"skill-{number:02d}",
            tags=", ".join(sorted(tags_of(number))),
        )
    with Workspace.create(root / "workspace") as opened:
        build_workspace(opened, [root / "skills"], encoder="builtin")
        yield opened


@given(
    words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=4),
    tags=st.sets(st.sampled_from(TAGS)),
    folders=st.sets(st.sampled_from(["alley", "barn", "barn/y*", "cellar"])),
    disabled=st.sets(st.sampled_from(NUMBERS), max_size=5),
)
def test_what_is_filtered_out_or_disabled_appears_nowhere(
    workspace: Workspace, words: list[str], tags: set[str], folders: set[str], disabled: set[int]
) -> None:
    """In no result, no step of a path, no hint and no bundle, whatever is asked; what is visible may."""
    names = {folder.rstrip("*") for folder in folders}
    hidden = {
        id_of(number)
        for number in NUMBERS
        if number in disabled
        or (tags and not tags & tags_of(number))
        or (names and not any(id_of(number).startswith(name) for name in names))
    }
    before = workspace.switches.disabled()
    workspace.switches.enable(before - set(map(id_of, disabled)))
    workspace.switches.disable(map(id_of, disabled))
    version = workspace.current()
    exclude = hidden_ids(workspace, version, tags=tags, folders=folders)
    assert exclude == hidden
    ranking = open_retriever(version).retrieve(" ".join(words), exclude=exclude)
    answer = repr(ranking) + render(ranking).text
    assert not [skill_id for skill_id in hidden if skill_id in answer]
    if not ranking.abstained:
        assert any(skill_id in answer for skill_id in version.ids)


@given(
    words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=4),
    disabled=st.sets(st.sampled_from(NUMBERS), max_size=9),
    open_one=st.sampled_from([open_retriever, open_flat]),
)
def test_a_host_that_forgets_the_switches_does_not_show_what_is_disabled(
    workspace: Workspace,
    words: list[str],
    disabled: set[int],
    open_one: Callable[[Snapshot], Retriever],
) -> None:
    """A retriever that was opened before the switch knows of it, and `exclude=` adds to it."""
    workspace.switches.enable(workspace.switches.disabled())
    retriever = open_one(workspace.current())
    workspace.switches.disable(map(id_of, disabled))
    first = retriever.retrieve(" ".join(words))
    shown = [ranked.skill.id for ranked in first.skills][:1]
    second = retriever.retrieve(" ".join(words), exclude=shown)
    for ranking, hidden in ((first, set()), (second, set(shown))):
        answer = repr(ranking) + render(ranking).text
        assert not [skill_id for skill_id in {*map(id_of, disabled), *hidden} if skill_id in answer]


def test_an_exclude_that_is_one_text_is_refused(workspace: Workspace) -> None:
    """Its letters would hide nobody."""
    with pytest.raises(UsageError, match="exclude"):
        open_retriever(workspace.current()).retrieve("read", exclude="alley/id00")
