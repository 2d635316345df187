"""What a failed call says of the next one, and when to give up."""

from dataclasses import dataclass
from enum import Enum
from urllib.parse import urlsplit

from caskg.errors import ProviderError
from caskg.providers.secret import hide_keys

SERVER_FAILURES = 8
"""So many failures of the server in a row end a run; before the first answer one does."""
FAILURES = 3 * SERVER_FAILURES
"""So many failures of any kind in a row do too, since nothing says that another request would succeed."""


class Blame(Enum):
    """Whose fault a failure is, which decides whether to go on."""

    REQUEST = "request"  # another request may well succeed
    SERVER = "server"  # so may the next one, in a while
    HOPELESS = "hopeless"  # no call will succeed


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why an attempt failed.

    Attributes:
        reason: One sentence, without the key.
        blame: Whose fault it is.
        status: The HTTP status, if there was one.
        retry: Whether another attempt may help.
        retry_after_s: What the server asks to wait.
        paid: Whether the server may have worked for it, so that it may be charged.
    """

    reason: str
    blame: Blame
    status: int | None = None
    retry: bool = False
    retry_after_s: float | None = None
    paid: bool = False


class Health:
    """Whether it makes sense to go on asking."""

    def __init__(self, *, greeted: bool) -> None:
        """Start a run; *greeted* = this server has answered before."""
        self.greeted = greeted
        self.n_answered = self.n_failed = self._in_a_row = self._servers = 0
        self.fatal: Failure | None = None
        self._last: Failure | None = None

    def note(self, failure: Failure | None) -> None:
        """Take notice of one answer."""
        if failure is None:
            self.greeted, self.n_answered = True, self.n_answered + 1
            self._in_a_row = self._servers = 0
            return
        self.n_failed, self._in_a_row = self.n_failed + 1, self._in_a_row + 1
        self._servers += failure.blame is Blame.SERVER or not self.greeted
        if failure.blame is Blame.HOPELESS or self._dead(failure):
            self.fatal = self.fatal or failure
        self._last = failure

    def _dead(self, failure: Failure) -> bool:
        alone = failure.blame is Blame.SERVER and not self.greeted
        return alone or self._servers >= SERVER_FAILURES or self._in_a_row >= FAILURES

    def check(self, base_url: str) -> None:
        """Raise a ProviderError if no call can succeed, or most did not: what came is no fair answer."""
        most_failed = self.n_failed >= max(SERVER_FAILURES, self.n_answered)
        if failed := self.fatal or (self._last if most_failed else None):
            reason = failed.reason
            msg = (
                f"Asking {where(base_url)} was given up: {reason}{'' if reason[-1] in '.?!…' else '.'} "
                f"{self.n_answered:,} requests were answered and {self.n_failed:,} failed; "
                "check the base URL, the key and the model."
            )
            raise ProviderError(msg)


def where(base_url: str) -> str:
    """Return host and port of an address, unless a key was typed there.

    >>> where("http://localhost:8080/v1"), where("http://sk-0123456789abcdef/v1")
    ('localhost:8080', '[key]')
    """
    return hide_keys(urlsplit(base_url).netloc)
