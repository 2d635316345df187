"""The arrays of one version: a folder of ``.npy`` files, written once and then only mapped.

A version's folder appears in one step: the files are written under a temporary
name, forced to the disk, and the folder is renamed. What each file must look
like stands in the version's row, so a file that was cut, exchanged or damaged
is found: size and header when the version is opened, the data when an array is
first asked for, and all of it by ``verify``.
Arrays hold numbers or fixed-width text, and nothing is ever unpickled.
"""

import hashlib
import os
import re
import shutil
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caskg.errors import DamagedError, UsageError
from caskg.store.rows import ArrayFile, checksum

Array = NDArray[Any]

_NAME = re.compile(r"[a-z0-9_-]{1,64}(\.[a-z0-9_-]{1,64}){0,2}")
_KINDS = "biufSU"
_TEMPORARY = "unfinished-"


class StoredArrays(Mapping[str, Array]):
    """The arrays of a version by name, each mapped read-only into memory when first asked for.

    Raises:
        DamagedError: A file is missing, or has another size or header than was written.
    """

    def __init__(self, folder: Path, files: Mapping[str, ArrayFile]) -> None:
        self._folder = folder
        self._files = dict(sorted(files.items()))
        self._mapped: dict[str, Array] = {}
        for name, file in self._files.items():
            _check_cheaply(_path(folder, name), file)

    def __getitem__(self, name: str) -> Array:
        if name not in self._files:
            raise KeyError(name)
        if name not in self._mapped:
            path = _path(self._folder, name)
            _check_data(path, self._files[name])  # about a gigabyte a second; a wrong answer costs more
            try:
                mapped = np.load(path, mmap_mode="r", allow_pickle=False)
            except (OSError, ValueError) as error:
                raise _damaged(path, f"it can no longer be read ({error})") from error
            self._mapped[name] = mapped.view(np.ndarray)  # a memmap is slow to slice
        return self._mapped[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def verify(self) -> None:
        """Read every file and compare its checksum.

        Raises:
            DamagedError: A file is not what was written; the message names it.
        """
        for name, file in self._files.items():
            path = _path(self._folder, name)
            _check_cheaply(path, file)
            _check_data(path, file)


def check_arrays(arrays: Mapping[str, Array]) -> None:
    """Refuse what cannot be stored, before anything is written.

    Raises:
        UsageError: A name could lead out of the folder, or an array holds Python objects.

    >>> check_arrays({"../weights": np.zeros(2)})
    Traceback (most recent call last):
    ...
    caskg.errors.UsageError: '../weights' cannot name an array: use a-z, 0-9, '_', '-' and dots between them.
    """
    for name, array in arrays.items():
        if not _NAME.fullmatch(name):
            msg = f"{name!r} cannot name an array: use a-z, 0-9, '_', '-' and dots between them."
            raise UsageError(msg)
        if array.dtype.kind not in _KINDS:
            msg = f"The array {name!r} holds {array.dtype}: only numbers and fixed-width text can be stored."
            raise UsageError(msg)


def write_arrays(folder: Path, arrays: Mapping[str, Array]) -> dict[str, ArrayFile]:
    """Write *arrays* so that *folder* appears whole, and on the disk, or not at all."""
    temporary = folder.with_name(_TEMPORARY + folder.name)
    temporary.mkdir(parents=True)
    try:
        files = {name: _write(_path(temporary, name), array) for name, array in arrays.items()}
        sync_folder(temporary)
        temporary.rename(folder)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    sync_folder(folder.parent)
    sync_folder(folder.parent.parent)
    return files


def remove_orphans(folder: Path, *, known: Collection[int]) -> None:
    """Remove what an interrupted publish left in *folder*; leave files that no publish makes."""
    kept = {str(number) for number in known}
    for entry in folder.iterdir() if folder.is_dir() else ():
        if entry.name.removeprefix(_TEMPORARY).isdecimal() and entry.name not in kept:
            shutil.rmtree(entry)


def sync_folder(folder: Path) -> None:
    """Force the names in *folder* to the disk."""
    if not hasattr(os, "O_DIRECTORY"):  # Windows neither can nor must
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _path(folder: Path, name: str) -> Path:
    if not _NAME.fullmatch(name):  # a workspace of strangers must not make us read elsewhere
        raise _damaged(folder, f"{name!r} cannot name an array")
    return folder / f"{name}.npy"


def _write(path: Path, array: Array) -> ArrayFile:
    with path.open("w+b") as file:
        np.save(file, array, allow_pickle=False)
        size = file.tell()
        file.flush()
        os.fsync(file.fileno())
        header_size = size - array.nbytes
        file.seek(0)
        header_checksum = checksum(data=file.read(header_size))
    return ArrayFile(
        size=size, header_size=header_size, header_checksum=header_checksum, digest=_digest(path)
    )


def _check_cheaply(path: Path, file: ArrayFile) -> None:
    try:
        with path.open("rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            header = stream.read(file.header_size)
    except FileNotFoundError:
        raise _damaged(path, "it is missing") from None
    except (IsADirectoryError, NotADirectoryError):
        raise _damaged(path, "something else stands in its place") from None
    if size != file.size:
        raise _damaged(path, f"it has {size} bytes, {file.size} were written")
    if checksum(data=header) != file.header_checksum:
        raise _damaged(path, "its header is not what was written")


def _check_data(path: Path, file: ArrayFile) -> None:
    try:
        found = _digest(path)
    except OSError as error:
        raise _damaged(path, f"it can no longer be read ({error})") from error
    if found != file.digest:
        raise _damaged(path, "its data are not what was written")


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def _damaged(path: Path, finding: str) -> DamagedError:
    return DamagedError(
        f"{path} is damaged: {finding}. Build again, or go back to another version with `caskg rollback`."
    )
