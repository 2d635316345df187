"""Arrays are written whole or not at all, and only mapped when read."""

from pathlib import Path

import numpy as np
import pytest

from caskg.errors import DamagedError, UsageError
from caskg.store.arrays import Array, StoredArrays, check_arrays, remove_orphans, write_arrays

ARRAYS: dict[str, Array] = {
    "weight": np.array([0.5, 0.25]),
    "vectors": np.arange(6, dtype=np.float32).reshape(2, 3),
    "columns": np.asfortranarray(np.arange(6, dtype=np.int64).reshape(2, 3)),
    "states": np.array([1, -1], dtype=np.int8),
    "mask": np.array([True, False]),
    "words": np.array(["tea", "咖啡"]),
    "names": np.array([b"a", b"bc"]),
    "empty": np.zeros((0, 3)),
    "scalar": np.array(1.5),
    "index.part-2.x": np.array([7], dtype=np.uint32),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "versions" / "1"


def test_every_kind_of_array_comes_back(folder: Path) -> None:
    """Value, dtype and shape; empty and zero-dimensional ones are not special."""
    stored = StoredArrays(folder, write_arrays(folder, ARRAYS))
    assert list(stored) == sorted(ARRAYS)
    assert len(stored) == len(ARRAYS)
    for name, array in ARRAYS.items():
        assert stored[name].dtype == array.dtype
        np.testing.assert_array_equal(stored[name], array)
    stored.verify()


def test_arrays_are_mapped_once_and_read_only(folder: Path) -> None:
    """Several processes share one copy in memory, and none can change what was published."""
    stored = StoredArrays(folder, write_arrays(folder, ARRAYS))
    assert isinstance(stored["weight"].base, np.memmap)
    assert stored["weight"] is stored["weight"]
    with pytest.raises(ValueError, match="read-only"):
        stored["weight"][0] = 1.0


def test_an_unknown_name_is_no_key(folder: Path) -> None:
    """It is a mapping: ``get`` and ``in`` work."""
    stored = StoredArrays(folder, write_arrays(folder, {"a": np.zeros(1)}))
    assert "b" not in stored
    assert stored.get("b") is None


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../x", "a/b", "a\\b", "/x", "a..b", ".a", "a.", "A", "a b", "a\n", "ä", "a" * 65]
)
def test_a_name_that_could_lead_elsewhere_is_refused(folder: Path, name: str) -> None:
    """A name is part of a path; upper case would collide on some disks."""
    with pytest.raises(UsageError, match="cannot name an array"):
        check_arrays({name: np.zeros(1)})
    facts = write_arrays(folder, {"a": np.zeros(1)})["a"]
    with pytest.raises(DamagedError, match="cannot name an array"):  # from a stranger's database
        StoredArrays(folder, {name: facts})


@pytest.mark.parametrize(
    "array", [np.array([None]), np.zeros(1, dtype=[("x", "f8")]), np.array(["2026"], "M8")]
)
def test_only_numbers_and_fixed_width_text_are_stored(array: Array) -> None:
    """Objects would be pickled, and a workspace of strangers could then run code."""
    with pytest.raises(UsageError, match=r"'a' holds .*: only numbers"):
        check_arrays({"fine": np.zeros(1), "a": array})


def test_what_can_be_stored_passes_the_check() -> None:
    """The check refuses nothing of what `write_arrays` can keep."""
    check_arrays(ARRAYS)


def test_opening_names_a_missing_a_cut_and_a_grown_file(folder: Path) -> None:
    """Without the check a query would end in a bus error."""
    facts = write_arrays(folder, {"a": np.zeros(100)})
    path = folder / "a.npy"
    whole = path.read_bytes()
    for content, finding in [(whole[:-1], "927 bytes, 928 were written"), (whole + b"x", "929 bytes")]:
        path.write_bytes(content)
        with pytest.raises(DamagedError, match=f"a.npy is damaged: it has {finding}"):
            StoredArrays(folder, facts)
    path.unlink()
    with pytest.raises(DamagedError, match=r"a\.npy is damaged: it is missing"):
        StoredArrays(folder, facts)
    path.mkdir()
    with pytest.raises(DamagedError, match=r"a\.npy is damaged: something else stands in its place"):
        StoredArrays(folder, facts)


def test_any_flipped_byte_is_found(folder: Path) -> None:
    """In the header when the version is opened, in the data before a number of it is seen."""
    facts = write_arrays(folder, {"a": np.arange(4.0)})
    path = folder / "a.npy"
    whole = path.read_bytes()
    assert facts["a"].header_size == 128
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        if place < 128:
            with pytest.raises(DamagedError, match="its header is not what was written"):
                StoredArrays(folder, facts)
        else:
            stored = StoredArrays(folder, facts)
            for read in (stored.verify, lambda stored=stored: stored["a"]):
                with pytest.raises(DamagedError, match="its data are not what was written"):
                    read()


def test_a_file_that_vanishes_after_opening_is_named(folder: Path) -> None:
    """Someone may clean up by hand under a running server."""
    stored = StoredArrays(folder, write_arrays(folder, {"a": np.zeros(1)}))
    (folder / "a.npy").unlink()
    with pytest.raises(DamagedError, match=r"a\.npy is damaged: it can no longer be read"):
        stored["a"]
    with pytest.raises(DamagedError, match=r"a\.npy is damaged: it is missing"):
        stored.verify()


def test_a_write_that_fails_leaves_nothing(folder: Path) -> None:
    """Half a version must not wait on the disk for someone to read it."""
    with pytest.raises(ValueError, match="allow_pickle"):
        write_arrays(folder, {"a": np.zeros(1), "b": np.array([None])})
    assert list(folder.parent.iterdir()) == []


def test_orphans_are_removed_and_nothing_else(folder: Path) -> None:
    """Only what an interrupted publish can leave; other files are someone else's."""
    versions = folder.parent
    for name in ("1", "2", "unfinished-3", "notes", "unfinished-x"):
        (versions / name).mkdir(parents=True)
    remove_orphans(versions, known=[1])
    assert {entry.name for entry in versions.iterdir()} == {"1", "notes", "unfinished-x"}


def test_a_workspace_without_versions_has_no_orphans(tmp_path: Path) -> None:
    """The folder appears with the first publish."""
    remove_orphans(tmp_path / "versions", known=[])
    assert not (tmp_path / "versions").exists()
