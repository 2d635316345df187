"""What the closest published peer does to real libraries (issue of this stage, users.md), and we do not.

It drops broken files without a word, finds no edge in 200 real skills, loses half of the library
when two builders meet, and is left with an empty index after a kill.
"""

import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from builds import write_skill
from caskg.inspection import diagnostics_of, explain_pair
from caskg.published import graph_from
from caskg.schema import EDGE_TYPES, EdgeType, Severity
from caskg.store.workspace import Workspace
from caskg.wiring import build_workspace, open_retriever
from shared_data import unpack_skills
from test_user_cases import OFFICE

DIRECTED = (EdgeType.DEPENDENCY, EdgeType.WORKFLOW)
FEWEST = 10  # directed edges among 210 strangers
CASKG = [sys.executable, "-m", "caskg"]
BROKEN = {
    "colon": b"---\nname: colon\ndescription: Use when: a parcel has to be weighed.\n---\nWeigh it.\n",
    "unclosed": b"---\nname: unclosed\ndescription: Fold a letter in three.\n\n# Fold\n\nFold it.\n",
    "bare": b"# Seal an envelope\n\nWet the rim and press.\n",
    "latin": "---\nname: latin\ndescription: Grüße an Kunden schreiben.\n---\nSchreibe.\n".encode("latin-1"),
    "utf16": "---\nname: utf16\ndescription: Stick a stamp on a card.\n---\nStick.\n".encode("utf-16"),
    "nul": b"---\nname: nul\ndescription: Post a card\x00 abroad.\n---\nPost.\n",
    "yes": b"---\nname: yes\ndescription: Sign for a parcel.\n---\nSign.\n",
    "twice": b"---\nname: twice\nname: twice\ndescription: Return a parcel.\n---\nReturn.\n",
    "empty": b"",
    "noise": bytes(range(256)) * 8,
}


def write_office(root: Path) -> Path:
    for name, described in OFFICE.items():
        write_skill(root, name, described)
    return root


def start_build(*words: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*CASKG, "build", *map(str, words), "--encoder", "builtin"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_t10_no_broken_file_is_dropped_without_a_word(tmp_path: Path) -> None:
    """Each is in the library, or named as an error with its remedy; one unquoted colon costs nothing."""
    root = write_office(tmp_path / "skills")
    for name, data in BROKEN.items():
        (root / name).mkdir()
        (root / name / "SKILL.md").write_bytes(data)
    with Workspace.create(tmp_path / "workspace") as workspace:
        build_workspace(workspace, [root], encoder="builtin")
        version = workspace.current()
        errors = [each for each in diagnostics_of(version) if each.severity is Severity.ERROR]
        assert {Path(each.path).parent.name for each in errors} == {"empty", "noise"}
        assert all(each.message and each.remedy for each in errors)
        assert set(version.ids) == (OFFICE.keys() | BROKEN.keys()) - {"empty", "noise"}
        (first, *_) = open_retriever(version).retrieve("weigh a parcel").skills
        assert first.skill.description == "Use when: a parcel has to be weighed."


def test_two_hundred_real_skills_have_edges_with_their_reasons(tmp_path: Path) -> None:
    """Strangers' files declare next to nothing; what they say in prose must do."""
    root = unpack_skills(tmp_path / "skills", every=15)
    with Workspace.create(tmp_path / "workspace") as workspace:
        build_workspace(workspace, [root], encoder="builtin")
        version = workspace.current()
        assert len(version.ids) >= 200
        graph = graph_from(version.arrays, n_skills=len(version.ids))
        assert len(graph) >= len(version.ids)
        directed = np.isin(graph.types, [EDGE_TYPES.index(kind) for kind in DIRECTED]).nonzero()[0]
        assert len(directed) >= FEWEST
        for row in directed.tolist():
            found = explain_pair(workspace, version, (int(graph.source[row]), int(graph.target[row])))
            assert found.reference or all(each.source and each.target for each in found.evidence)
            assert found.reference or found.evidence


def test_two_builders_that_meet_lose_no_skill(tmp_path: Path) -> None:
    """Of one library, or of two: both end well, each version is whole, and the last one is current."""
    office, post = write_office(tmp_path / "office"), tmp_path / "post"
    for name in ("stamp", "postcard", "parcel"):
        write_skill(post, name, f"Send a {name} abroad")
    workspace = tmp_path / "workspace"
    roots = [(office,), (office,), (office, post)]
    builders = [start_build(*paths, "-w", workspace) for paths in roots]
    for builder in builders:
        out, err = builder.communicate()
        assert (builder.returncode, err) == (0, ""), (out, err)
    with Workspace.open(workspace) as opened:
        for version in opened.versions():
            snapshot = opened.snapshot(version.number)
            snapshot.verify()
            assert len(snapshot.ids) in {len(OFFICE), len(OFFICE) + 3}
            assert sum(skill.description in OFFICE.values() for skill in snapshot.skills) == len(OFFICE)
        opened.verify()


@pytest.mark.parametrize("after_s", [0.3, 0.5, 0.7, 0.9])
def test_a_killed_build_leaves_the_index_that_was_there(tmp_path: Path, after_s: float) -> None:
    """Whenever the kill comes: the version before, or the new one, answers, and the next build completes."""
    root, workspace = write_office(tmp_path / "skills"), tmp_path / "workspace"
    with Workspace.create(workspace) as opened:
        build_workspace(opened, [root], encoder="builtin")
    write_skill(root, "weigh-parcel", "Weigh a parcel before it is posted")
    builder = start_build("-w", workspace)
    with suppress(subprocess.TimeoutExpired):
        builder.wait(after_s)
    builder.send_signal(signal.SIGKILL)
    builder.communicate()
    with Workspace.open(workspace) as opened:
        version = opened.current()
        assert len(version.ids) in {len(OFFICE), len(OFFICE) + 1}
        assert open_retriever(version).retrieve("review my code for bugs").skills[0].skill.id == "code-review"
        build_workspace(opened, [root], encoder="builtin")
        assert len(opened.current().ids) == len(OFFICE) + 1
        opened.verify()
        numbers = {str(each.number) for each in opened.versions()}
    assert {entry.name for entry in (workspace / "versions").iterdir()} == numbers
