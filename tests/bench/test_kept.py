"""Finished work is kept; what is damaged is as good as missing."""

from pathlib import Path
from typing import Any

import pytest

from caskg.bench.kept import cache_folder, keep, kept
from caskg.errors import StoreError


def number_of(document: Any) -> int:  # noqa: ANN401 - a JSON value
    """Read a document that is right."""
    return int(document["numbers"][0].strip())


def test_what_was_kept_is_read_again(tmp_path: Path) -> None:
    """And nothing else is left in the folder."""
    path = cache_folder(tmp_path / "a" / "b") / "run.json"
    assert kept(path, number_of) is None
    keep(path, {"numbers": ["7"]})
    keep(path, {"numbers": ["8"]})
    assert kept(path, number_of) == 8
    assert [each.name for each in path.parent.iterdir()] == ["run.json"]
    assert cache_folder(path.parent) == path.parent


@pytest.mark.parametrize(
    "damaged",
    [
        b"", b'{"numb', b"[]", b"null", b"{}", b'{"numbers": []}', b'{"numbers": [7]}', b'{"numbers": ["x"]}',
        b'{"numbers": 7}', b"\xff", b"[" * 100_000,
    ],
)  # fmt: skip
def test_a_damaged_file_is_as_good_as_missing(tmp_path: Path, damaged: bytes) -> None:
    """Cut short, or something else."""
    path = tmp_path / "run.json"
    path.write_bytes(damaged)
    assert kept(path, number_of) is None


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """With what to do; the system's words alone do not say which file."""
    (tmp_path / "file").touch()
    with pytest.raises(
        StoreError, match=r"cache .*file/x cannot be written \(Not a directory\): name another"
    ):
        cache_folder(tmp_path / "file" / "x")
    with pytest.raises(StoreError, match=r"cache .*none/run.json cannot be written \(No such file"):
        keep(tmp_path / "none" / "run.json", {})
