"""A version as arrays and back: what was published is what is read, also by another process."""

import json
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from builds import built, world
from caskg.config import build_config
from caskg.published import (
    Build,
    below,
    candidates_from,
    graph_from,
    index_from,
    names_from,
    prefixed,
    reliability_from,
    to_arrays,
)
from caskg.schema import Candidates, Reliability, Signal, SkillGraph
from caskg.store.workspace import Workspace

LIBRARY = world(24)
NAMES = [skill.name for skill in LIBRARY.skills]


@pytest.fixture(scope="module", params=["paper", "default"])
def published(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Build, Path]:
    """What a build found, and the workspace in which it was published; closed."""
    folder = tmp_path_factory.mktemp("published")
    result = built(LIBRARY, folder, config=build_config(request.param))
    with Workspace.open(folder) as workspace:
        workspace.publish(skills=LIBRARY.skills, arrays=to_arrays(result, names=NAMES), meta={})
    return result, folder


def values(record: Candidates | Reliability | SkillGraph | Signal) -> dict[str, Any]:
    """Return the fields of a record as lists and numbers."""
    found = {each.name: getattr(record, each.name) for each in fields(record)}
    signals = {name: values(signal) for name, signal in found.pop("signals", {}).items()}
    return {name: np.asarray(value).tolist() for name, value in found.items()} | signals


def test_a_reopened_workspace_returns_every_edge_as_it_was(published: tuple[Build, Path]) -> None:
    """Direction, weight, type, state; C with its signals; reliabilities: nothing is turned or rounded."""
    result, folder = published
    with Workspace.open(folder) as workspace:
        arrays = workspace.current().arrays
        assert values(graph_from(arrays, n_skills=24)) == values(result.graph)
        assert values(candidates_from(arrays, n_skills=24)) == values(result.candidates)
        assert values(reliability_from(arrays)) == values(result.reliability)
    assert len(result.graph) > 60
    assert {"semantic", "lexical", "io", "structural", "repair"} <= result.candidates.signals.keys()


def test_a_reopened_index_searches_as_before(published: tuple[Build, Path]) -> None:
    """Both BM25 indexes, names, vectors and ties."""
    result, folder = published
    with Workspace.open(folder) as workspace:
        arrays = workspace.current().arrays
        index = index_from(arrays, knows_meanings=False)
        assert names_from(arrays) == NAMES
    assert index.full is not None
    assert result.index.full is not None
    for query in (["seed"], ["village", "tide"], ["draft", "lost"]):
        assert index.short.scores(query).tolist() == result.index.short.scores(query).tolist()
        assert index.full.scores(query).tolist() == result.index.full.scores(query).tolist()
    assert index.full.scores(["lost"]).any()
    assert not index.short.scores(["lost"]).any()
    assert index.names == result.index.names
    assert index.vectors.tolist() == result.index.vectors.tolist()
    assert index.tie_break.tolist() == result.index.tie_break.tolist()
    assert not index.knows_meanings


def test_another_process_reads_the_same(published: tuple[Build, Path]) -> None:
    """Nothing of a version lives in the process that built it."""
    result, folder = published
    script = (
        "import json, sys\n"
        "from caskg.published import graph_from\n"
        "from caskg.store.workspace import Workspace\n"
        "with Workspace.open(sys.argv[1]) as workspace:\n"
        "    version = workspace.current()\n"
        "    graph = graph_from(version.arrays, n_skills=len(version.ids))\n"
        "    edges = [graph.source, graph.target, graph.weight, graph.types, graph.states]\n"
        "    print(json.dumps([version.ids, *(array.tolist() for array in edges)]))\n"
    )
    command = [sys.executable, "-c", script, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    graph = result.graph
    edges = (graph.source, graph.target, graph.weight, graph.types, graph.states)
    ids = [skill.id for skill in LIBRARY.skills]
    assert json.loads(done.stdout) == [ids, *(array.tolist() for array in edges)]


def test_a_name_of_two_lines_stays_one_name(published: tuple[Build, Path]) -> None:
    """Names are kept as lines of one text; a skill may have none."""
    arrays = to_arrays(published[0], names=["two\nlines", "", "d\u00e9j\u00e0  vu"])
    assert names_from(arrays) == ["two lines", "", "d\u00e9j\u00e0 vu"]


def test_an_index_without_whole_files_is_read_back_without(published: tuple[Build, Path]) -> None:
    """The third ranking is optional."""
    result = published[0]
    short = replace(result, index=replace(result.index, full=None))
    assert index_from(to_arrays(short, names=NAMES), knows_meanings=True).full is None


def test_a_family_of_arrays_comes_back_under_its_own_names() -> None:
    """Also where a name begins like that of another family."""
    family = {"idf": np.ones(2), "a.b": np.zeros(1)}
    arrays = prefixed("full", family) | prefixed("fuller", {"idf": np.zeros(3)})
    assert below("full", arrays).keys() == family.keys()
    assert below("full", arrays)["idf"] is family["idf"]
