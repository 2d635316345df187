"""Real SKILL.md files, written by strangers: everything is indexed or named, and questions are answered."""

from pathlib import Path

import pytest

from caskg.inspection import edges_of
from caskg.schema import Severity
from caskg.store.workspace import Workspace
from caskg.wiring import build_workspace, open_retriever
from shared_data import unpack_skills


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


@pytest.mark.full
def test_all_real_skills_are_built_with_the_local_encoder(tmp_path: Path) -> None:
    """3,139 files, 28 MB."""
    build_and_ask(tmp_path, every=1, encoder="local", fewest=3139)
