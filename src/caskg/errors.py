"""Every error that CaSKG raises on purpose.

::

    CaskgError
    ├── UsageError            a value the caller gave cannot be used
    ├── LibraryError          a folder of skills cannot be read
    ├── EncoderError          an encoder is missing, damaged or does not fit
    ├── ProbeError            a prober broke its contract
    ├── ProviderError         no call to a model's server can succeed
    └── StoreError            a workspace cannot be read or written
        ├── NoWorkspaceError  there is nothing at that path
        ├── NoVersionError    nothing has been published yet, or not that version
        ├── DamagedError      stored bytes are not what was written
        ├── FormatError       written by a newer CaSKG
        └── BusyError         another process is writing

A message says what is wrong, which value, and what to do.
"""


class CaskgError(Exception):
    """Base of all deliberate errors. ``exit_code`` is what the command line returns for it."""

    exit_code = 1


class UsageError(CaskgError):
    """A value the caller gave cannot be used."""

    exit_code = 2


class LibraryError(CaskgError):
    """A folder of skills cannot be read."""

    exit_code = 3


class EncoderError(CaskgError):
    """An encoder is missing, damaged, or does not fit the workspace."""

    exit_code = 4


class ProbeError(CaskgError):
    """A prober broke its contract, for example by answering another number of requests."""

    exit_code = 5


class ProviderError(CaskgError):
    """No call to a model's server can succeed: wrong key, no such model, or nobody answers."""

    exit_code = 7


class StoreError(CaskgError):
    """A workspace cannot be read or written."""

    exit_code = 6


class NoWorkspaceError(StoreError):
    """There is no workspace at that path."""


class NoVersionError(StoreError):
    """Nothing has been published yet, or there is no such version."""


class DamagedError(StoreError):
    """Stored bytes are not what was written."""


class FormatError(StoreError):
    """The workspace was written by a newer CaSKG."""


class BusyError(StoreError):
    """Another process is writing to the workspace."""
