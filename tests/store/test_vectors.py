"""The cache of vectors."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from caskg.library.embed import VectorCache
from caskg.store.workspace import Workspace

ONE, TWO = np.array([1.0, 0.0], dtype=np.float32), np.array([0.6, 0.8], dtype=np.float32)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace.create(tmp_path / "workspace") as workspace:
        yield workspace


def test_vectors_come_back_by_encoder_and_hash(workspace: Workspace) -> None:
    """Two encoders never share a vector, and an unknown hash is left out."""
    cache: VectorCache = workspace.vectors
    cache.put("minilm", {"a": ONE, "b": TWO})
    cache.put("lsa", {"a": TWO})
    found = cache.get("minilm", ["b", "a", "c"])
    assert {key: vector.tolist() for key, vector in found.items()} == {"a": ONE.tolist(), "b": TWO.tolist()}
    assert found["a"].dtype == np.float32
    assert cache.get("lsa", ["a"])["a"].tolist() == TWO.tolist()
    assert cache.get("other", ["a"]) == {}
    assert cache.get("minilm", []) == {}


def test_the_vectors_of_an_encoder_can_be_forgotten(workspace: Workspace) -> None:
    """Those of another one stay."""
    for fingerprint in ("a", "b"):
        workspace.vectors.put(fingerprint, {"0" * 32: np.ones(2, dtype=np.float32)})
    workspace.vectors.forget("a")
    assert workspace.vectors.get("a", ["0" * 32]) == {}
    assert list(workspace.vectors.get("b", ["0" * 32])) == ["0" * 32]


def test_vectors_outlive_the_process(workspace: Workspace) -> None:
    """That is what the cache is for; a second put replaces the first."""
    workspace.vectors.put("minilm", {"a": ONE})
    workspace.vectors.put("minilm", {"a": TWO})
    workspace.close()
    with Workspace.open(workspace.path) as again:
        assert again.vectors.get("minilm", ["a"])["a"].tolist() == TWO.tolist()


def test_more_vectors_than_a_statement_has_parameters(workspace: Workspace) -> None:
    """SQLite takes 32,766 parameters at most, on some systems 999."""
    hashes = [f"{number:032x}" for number in range(40_000)]
    workspace.vectors.put("minilm", dict.fromkeys(hashes, ONE))
    assert list(workspace.vectors.get("minilm", hashes)) == hashes


@pytest.mark.parametrize(
    "change",
    ["vector = x'0000803f0000803f'", "vector = 'x'", "hash = 'b'", "fingerprint = 'lsa'", "checksum = 0"],
)
def test_a_damaged_vector_counts_as_unknown(workspace: Workspace, change: str) -> None:
    """It is computed and written again, so nothing is lost and nothing wrong is published."""
    workspace.vectors.put("minilm", {"a": ONE})
    connection = sqlite3.connect(workspace.path / "caskg.sqlite", isolation_level=None)
    connection.execute(f"UPDATE vectors SET {change}")
    connection.close()
    for fingerprint in ("minilm", "lsa"):
        assert workspace.vectors.get(fingerprint, ["a", "b"]) == {}
    workspace.vectors.put("minilm", {"a": TWO})
    assert workspace.vectors.get("minilm", ["a"])["a"].tolist() == TWO.tolist()
