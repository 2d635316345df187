"""Finished work as files of a cache, so that a benchmark that was stopped goes on.

A file that is damaged counts as not there: what it held is computed and written again.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from caskg.errors import StoreError

T = TypeVar("T")


def cache_folder(folder: Path) -> Path:
    """Return a folder of the cache, made where it is missing.

    Raises:
        StoreError: It cannot be made.
    """
    with _written(folder):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def kept(path: Path, read: Callable[[Any], T]) -> T | None:
    """Return what *read* makes of a file of JSON; None where it is missing or no such thing."""
    try:
        return read(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError, TypeError, LookupError, AttributeError):
        return None


def keep(path: Path, document: Mapping[str, Any]) -> None:
    """Write a file as JSON, in one step: another process may be at the same one.

    Raises:
        StoreError: It cannot be written.
    """
    new = path.with_suffix(f".{os.getpid()}.new")
    with _written(path):
        new.write_text(json.dumps(document), encoding="utf-8")
        new.replace(path)


@contextmanager
def _written(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        msg = f"The cache {path} cannot be written ({error.strerror}): name another folder with --cache."
        raise StoreError(msg) from error
