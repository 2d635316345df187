"""Real SKILL.md files, written by strangers: everything is indexed or named, and questions are answered."""

import json
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from caskg.inspection import edges_of, explain_pair
from caskg.library.duplicates import duplicate_pairs
from caskg.published import graph_from
from caskg.schema import EDGE_TYPES, EdgeType, Severity
from caskg.store.snapshot import Snapshot
from caskg.store.workspace import Workspace
from caskg.wiring import build_workspace, open_retriever
from shared_data import unpack_skills

JUDGED = Path(__file__).parent / "judged_pairs.jsonl"
DIRECTED = (EdgeType.DEPENDENCY, EdgeType.WORKFLOW)


def build_and_ask(tmp_path: Path, *, every: int, encoder: str, fewest: int) -> None:
    """Build real skills, ask for one of them by what it does, and read it back."""
    skills = unpack_skills(tmp_path / "skills", every=every)
    files = list(skills.rglob("SKILL.md"))
    assert len(files) >= fewest
    with Workspace.create(tmp_path / "workspace") as workspace:
        report = build_workspace(workspace, [skills], encoder=encoder)
        version = workspace.current()
        lost = [finding for finding in report.diagnostics if finding.severity is Severity.ERROR]
        assert len(version.ids) + len(lost) == len(files)
        assert all(finding.message and finding.remedy for finding in lost)
        assert report.meta["n_edges"] >= len(version.ids)
        states = report.meta["candidate_states"]
        assert states["confirmed"] == states["rejected"] == 0
        wanted = next(skill for skill in version.skills if len(skill.description) > 100)
        ranking = open_retriever(version).retrieve(wanted.description)
        assert wanted.id in {ranked.skill.id for ranked in ranking.skills}
        assert sum(bool(edges_of(version, position)) for position in range(50)) >= 45
        assert build_workspace(workspace, [skills], encoder=encoder).unchanged


def test_one_real_skill_in_ten_is_built_with_the_builtin_encoder(tmp_path: Path) -> None:
    """The whole walk on 314 strangers' files."""
    build_and_ask(tmp_path, every=10, encoder="builtin", fewest=300)


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Workspace, Snapshot]]:
    """All real skills, built with the local encoder."""
    folder = tmp_path_factory.mktemp("pool")
    skills = unpack_skills(folder / "skills", every=1)
    with Workspace.create(folder / "workspace") as workspace:
        build_workspace(workspace, [skills], encoder="local")
        yield workspace, workspace.current()


@pytest.mark.full
def test_skills_have_more_directed_edges_than_there_are_skills_each_with_its_words(
    pool: tuple[Workspace, Snapshot],
) -> None:
    """Dependency and workflow edges in all; `explain` shows what made each."""
    workspace, version = pool
    graph = graph_from(version.arrays, n_skills=len(version.ids))
    directed = np.isin(graph.types, [EDGE_TYPES.index(kind) for kind in DIRECTED])
    pairs = list(zip(graph.source[directed].tolist(), graph.target[directed].tolist(), strict=True))
    assert len(pairs) >= len(version.ids)
    for ends in random.Random(3).sample(pairs, 400):
        found = explain_pair(workspace, version, ends)
        words = [found.reference.evidence] if found.reference else [each.source for each in found.evidence]
        assert words
        assert all(words), ends


@pytest.mark.full
def test_of_the_dependencies_that_were_judged_blind_seven_in_ten_are_true(
    pool: tuple[Workspace, Snapshot],
) -> None:
    """See docs/edges.md; of the pairs of both samples that are published as dependencies today."""
    _, version = pool
    graph = graph_from(version.arrays, n_skills=len(version.ids))
    needs = graph.types == EDGE_TYPES.index(EdgeType.DEPENDENCY)
    folders = [skill_id.rsplit("/", 1)[-1] for skill_id in version.ids]
    ends = zip(graph.source[needs].tolist(), graph.target[needs].tolist(), strict=True)
    published = {(folders[i], folders[j]) for i, j in ends}
    judged = [json.loads(line) for line in JUDGED.read_text(encoding="utf-8").splitlines()]
    verdicts = [each["verdict"] for each in judged if (each["source"], each["target"]) in published]
    assert len(verdicts) >= 80
    assert verdicts.count("supports") >= 0.7 * len(verdicts)


@pytest.mark.full
def test_no_near_duplicates_carry_relevance(pool: tuple[Workspace, Snapshot]) -> None:
    """Whichever way two texts are found to be nearly the same, the edge is an alternative."""
    _, version = pool
    graph = graph_from(version.arrays, n_skills=len(version.ids))
    ends = zip(graph.source.tolist(), graph.target.tolist(), strict=True)
    kinds = {pair: EDGE_TYPES[kind] for pair, kind in zip(ends, graph.types.tolist(), strict=True)}
    pairs = [(first, second) for first, second, _ in duplicate_pairs(version.skills)]
    found = {kinds.get(pair) for pair in pairs} | {kinds.get(pair[::-1]) for pair in pairs}
    assert found <= {EdgeType.ALTERNATIVE, None}


@pytest.mark.full
def test_all_real_skills_are_built_with_the_local_encoder(tmp_path: Path) -> None:
    """3,139 files, 28 MB."""
    build_and_ask(tmp_path, every=1, encoder="local", fewest=3139)
