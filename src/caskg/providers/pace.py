"""When the next call may go: evenly, at a rate that was set, or one that a server's refusals taught.

Used by `calls`. A server that refuses a call for its rate says when to send that one again, and
nothing of the rate itself. Yet of calls that go faster than it allows, the share that it takes
tells it: so many fewer calls must go. Sent much faster, most of them wait to be sent again, and
leave nobody to use what the server would allow.
"""

import math
import time
from collections.abc import Callable

CATCH_UP_S = 0.1
"""What came late may be made good for by so many seconds' worth at once, no more."""

HOLD_S = 0.25
"""Refusals so soon after a slow-down were on their way before it showed."""

FEW = 10
"""As if so many calls more had gone through: a single refusal says little."""

LEAST_KEPT, MOST_KEPT = 0.5, 0.95
"""Bounds of the share of the rate that a slow-down keeps."""

GROWTH_AT_FIRST, GROWTH_BELOW, GROWTH_NEAR = 3.0, 0.3, 0.03
"""How fast the rate grows, in shares a second: before a second slow-down has shown where the limit
is, below that, and from `NEAR` of it on."""

NEAR = 0.95


class Pace:
    """Spaces out what is to keep a rate: the time of the next call that may go.

    With at most a tenth of a second's worth at once to make good for what came late: a server
    that counts by the second sees no burst.
    """

    def __init__(self, per_minute: float | None, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Start now; None = no limit until one is learned."""
        self._least_each_s = self._each_s = 60.0 / per_minute if per_minute else 0.0
        self._clock = clock
        self._began_s = self._free_at = clock()
        self._slowed_s = self._refused_rate = -math.inf
        self._n_taken = self._n_refused = 0  # since the last slow-down

    def wait_s(self, amount: float = 1.0) -> float:
        """Take *amount* and return how long to wait before using it, in seconds."""
        now = self._clock()
        self._n_taken += 1
        if self._free_at > now:
            self._quicken()
        start = max(self._free_at, now - CATCH_UP_S)
        self._free_at = start + amount * self._each_s
        return max(0.0, start - now)

    def give_back(self, amount: float) -> None:
        """Return what was taken and not used."""
        self._free_at -= amount * self._each_s

    def refused(self, sent_s: float) -> None:
        """Slow down: a call that was sent at *sent_s*, by the clock, was refused for its rate."""
        now = self._clock()
        self._n_refused += 1
        if sent_s <= self._slowed_s or now < self._slowed_s + HOLD_S:
            return
        if self._each_s:
            self._refused_rate = 1.0 / self._each_s
            kept = 1.0 - self._n_refused / (self._n_taken + FEW)
            rate = self._refused_rate * min(max(kept, LEAST_KEPT), MOST_KEPT)
        else:
            rate = (self._n_taken + FEW) / max(now - self._began_s, 2 * HOLD_S)
        self._each_s = 1.0 / rate
        self._free_at = max(self._free_at, now)
        self._slowed_s, self._n_taken, self._n_refused = now, 0, 0

    def _quicken(self) -> None:
        """Let a rate that was learned grow by one call's worth, up to the one that was set."""
        if self._each_s <= self._least_each_s:
            return
        rate = 1.0 / self._each_s
        growth = GROWTH_BELOW if rate < NEAR * self._refused_rate else GROWTH_NEAR
        growth = growth if math.isfinite(self._refused_rate) else GROWTH_AT_FIRST
        self._each_s = max(self._least_each_s, 1.0 / (rate + growth))
