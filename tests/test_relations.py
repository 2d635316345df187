"""Alternatives and duplicates are relations of their own: shown, and never a way for relevance."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from builds import pairs, write_skill
from caskg.config import retrieve_config
from caskg.inspection import position_of, relatives_of
from caskg.library.duplicates import duplicate_pairs
from caskg.library.references import resolve_references
from caskg.published import candidates_from, graph_from
from caskg.retrieval.diffusion import step_weights
from caskg.schema import EDGE_TYPES, EdgeType, SkillLibrary
from caskg.store.snapshot import Snapshot
from caskg.store.workspace import Workspace
from caskg.wiring import build_workspace
from test_user_cases import ENCODERS, OFFICE

LONG = "\n\n".join(f"{step} the report with care, and note in the margin what is unclear." for step in (
    "Read", "Check", "Sort", "Count", "Mark", "Sign",
))  # fmt: skip
TOLD = "Cut pictures to the right size, keep the colours, smooth the edges, and save the result for the web"
ALTERNATIVE = 0.85


@pytest.fixture(scope="module", params=ENCODERS)
def version(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    """An office with near duplicates, copies, alternatives, a contrast, and a skill with its companion."""
    root = tmp_path_factory.mktemp("relations")
    skills = root / "skills"
    for name, told in OFFICE.items():
        write_skill(skills, name, told)
    # Near duplicates of which one gives what the other takes.
    write_skill(skills, "report", "File the yearly report", f"{LONG}\n\n## Outputs\n\n- signed report")
    write_skill(skills, "report-again", "File the yearly report", f"{LONG}\n\n## Inputs\n\n- signed report")
    for folder in ("one", "two"):
        write_skill(skills, f"{folder}/copy", "Bind a thesis with glue and thread", "Press it for a night.")
    write_skill(skills, "picture-cutter", TOLD)
    write_skill(skills, "image-cutter", f"{TOLD} site", "Begin with the largest.")
    write_skill(skills, "icon-cutter", TOLD, "Not for photographs, use `picture-cutter`.")
    write_skill(skills, "poster", "Print a large poster on thick paper for a wall")
    write_skill(skills, "poster-b", "Print a large poster on thick paper for a wall", "Run `poster` first.")
    with Workspace.create(root / "workspace") as workspace:
        build_workspace(workspace, [skills], encoder=request.param)
        yield workspace.current()


def types_of(version: Snapshot) -> dict[tuple[int, int], EdgeType]:
    """Return the type of each published edge by its ends."""
    graph = graph_from(version.arrays, n_skills=len(version.ids))
    return {pair: EDGE_TYPES[kind] for pair, kind in zip(pairs(graph), graph.types.tolist(), strict=True)}


def spoken_of(version: Snapshot) -> set[frozenset[int]]:
    """Return the pairs of which one document speaks of the other: what it says goes before likeness."""
    return {
        frozenset((each.source, each.target))
        for each in resolve_references(SkillLibrary(skills=tuple(version.skills)))
    }


def near_duplicates(version: Snapshot) -> set[frozenset[int]]:
    """Return the pairs that `caskg lint` calls near duplicates, and copies."""
    found = {frozenset((pair.first, pair.second)) for pair in duplicate_pairs(version.skills)}
    hashes = version.content_hashes
    return found | {frozenset((i, j)) for i in range(len(hashes)) for j in range(i) if hashes[i] == hashes[j]}


def test_an_edge_between_skills_that_read_alike_is_an_alternative(version: Snapshot) -> None:
    """Unless one document speaks of the other: a contrast is semantic, and a companion may be needed."""
    candidates = candidates_from(version.arrays, n_skills=len(version.ids))
    cosine = candidates.signals["semantic"]
    alike = (cosine.active & (cosine.value > ALTERNATIVE)).tolist()
    spoken, types = spoken_of(version), types_of(version)
    silent = [
        pair
        for pair, near in zip(pairs(candidates), alike, strict=True)
        if near and frozenset(pair) not in spoken
    ]
    assert len(silent) >= 4
    assert {types.get(pair, EdgeType.ALTERNATIVE) for pair in silent} == {EdgeType.ALTERNATIVE}


def test_near_duplicates_are_never_a_dependency_or_a_workflow(version: Snapshot) -> None:
    """Though one gives what the other takes: nobody needs a text to use nearly the same text."""
    near, types = near_duplicates(version), types_of(version)
    named = {frozenset(version.ids[at] for at in pair) for pair in near}
    assert {frozenset(("report", "report-again")), frozenset(("one/copy", "two/copy"))} <= named
    found = {kind for pair, kind in types.items() if frozenset(pair) in near - spoken_of(version)}
    assert found <= {EdgeType.ALTERNATIVE}


def test_no_relevance_walks_along_an_alternative(version: Snapshot) -> None:
    """In `default` their weight is 0, so that the walk gives such a pair nothing in either direction."""
    config = retrieve_config("default").diffusion
    assert config.alternative_weight == 0.0
    graph = graph_from(version.arrays, n_skills=len(version.ids))
    apart = graph.types == EDGE_TYPES.index(EdgeType.ALTERNATIVE)
    assert apart.sum() >= 2
    for weights in step_weights(graph, config):
        assert not weights[apart].any()


def relatives(version: Snapshot, name: str) -> tuple[set[str], dict[str, float]]:
    found = relatives_of(version, position_of(version, name))
    return {skill_id for skill_id, _ in found.alternatives}, dict(found.duplicates)


def test_relatives_are_told_from_either_side(version: Snapshot) -> None:
    """A duplicate is no alternative as well; whoever stands before another has none of them for it."""
    for name, other in (("report", "report-again"), ("report-again", "report")):
        alternatives, duplicates = relatives(version, name)
        assert other not in alternatives
        assert list(duplicates) == [other]
        assert 0.8 <= duplicates[other] < 1.0
    assert relatives(version, "one/copy") == (set(), {"two/copy": 1.0})
    assert "image-cutter" in set().union(*relatives(version, "picture-cutter"))
    assert "picture-cutter" in set().union(*relatives(version, "image-cutter"))
    assert relatives(version, "garden") == (set(), {})


def test_a_version_without_an_array_of_duplicates_is_read_skill_by_skill(
    version: Snapshot, tmp_path: Path
) -> None:
    """An older CaSKG published it."""
    arrays = {name: array for name, array in version.arrays.items() if name != "duplicates"}
    with Workspace.create(tmp_path / "older") as older:
        older.publish(skills=version.skills, arrays=arrays, meta=version.meta)
        assert relatives(older.current(), "report") == relatives(version, "report")


def test_a_disabled_relative_is_not_told(version: Snapshot) -> None:
    """It may be found again once it is enabled."""
    gone = ["report-again", "two/copy"]
    version.switches.disable(gone)
    assert relatives(version, "report")[1] == relatives(version, "one/copy")[1] == {}
    version.switches.enable(gone)
    assert relatives(version, "report")[1]
