"""One process at a time asks what must be paid for: two would ask, and pay for, the same."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from caskg.errors import BusyError


@contextmanager
def reserved(folder: Path) -> Iterator[None]:
    """Let no other process reserve *folder* meanwhile.

    The lock is on the open folder: it leaves no file, and ends with the process, however that
    ends. Where the system or the disk has no such locks, nothing is reserved.

    Raises:
        BusyError: Another process has it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as name, reserved(Path(name)):
    ...     with reserved(Path(name)):
    ...         pass
    Traceback (most recent call last):
    caskg.errors.BusyError: Another process asks a model for this workspace: wait until it ends.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            msg = "Another process asks a model for this workspace: wait until it ends."
            raise BusyError(msg) from error
        except OSError:  # a disk without locks
            pass
        yield
    finally:
        os.close(handle)
