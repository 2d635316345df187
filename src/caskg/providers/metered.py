"""Hard limits on what a run may cost, kept by a meter that every call goes past.

One `Meter` is shared by all that ask (judge, probes), so the limits hold for the run. It
ends the stream of requests when a limit is reached: a limit on calls is never passed;
those on tokens and money, which are known only afterwards, by no more than the calls that
are out. What a server does not say is counted as estimated, never as nothing.
"""

import math
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from threading import Lock

from caskg.errors import UsageError
from caskg.protocols import ChatModel
from caskg.schema import ChatAnswer, ChatRequest, estimated_tokens

MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """What tokens cost, in any currency, for each million; 0 or more.

    >>> Prices(per_million_in=2.0, per_million_out=8.0).cost(500_000, 250_000)
    3.0
    """

    per_million_in: float
    per_million_out: float

    def __post_init__(self) -> None:
        for name in ("per_million_in", "per_million_out"):
            _check(name, getattr(self, name))

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Return the price of so many tokens."""
        return (prompt_tokens * self.per_million_in + completion_tokens * self.per_million_out) / MILLION


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The most a run may take; None = no limit, 0 = nothing is sent.

    Attributes:
        max_calls: HTTP calls that may be paid.
        max_tokens: Tokens in and out.
        max_cost: Money, in the currency of the prices.
    """

    max_calls: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None

    def __post_init__(self) -> None:
        for name in ("max_calls", "max_tokens", "max_cost"):
            _check(name, getattr(self, name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Spend:
    """What was spent so far, of answers that have come.

    Attributes:
        calls: HTTP calls that may have been paid.
        prompt_tokens: Tokens in; estimated where the server did not say.
        completion_tokens: Tokens out, likewise.
        answered: Requests answered with a text.
        failed: Requests that failed.
        cost: Money; None without prices.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    answered: int = 0
    failed: int = 0
    cost: float | None = None

    @property
    def tokens(self) -> int:
        """Tokens in and out."""
        return self.prompt_tokens + self.completion_tokens

    def __str__(self) -> str:
        """In words, for people.

        >>> str(Spend(calls=1200, prompt_tokens=34000, completion_tokens=500, failed=1, cost=0.25))
        '1,200 calls, 34,500 tokens, cost 0.2500, 1 failed'
        """
        cost = [f"cost {self.cost:,.4f}"] if self.cost is not None else []
        failed = [f"{self.failed:,} failed"] if self.failed else []
        return ", ".join([f"{self.calls:,} calls", f"{self.tokens:,} tokens", *cost, *failed])


def most_expected(requests: Iterable[ChatRequest], *, prices: Prices | None = None) -> Spend:
    """Return what *requests* would take if each were answered at once and at its full length.

    >>> short = ChatRequest(id="a", messages=(("user", "boil"),), max_tokens=50)
    >>> most_expected([short, short], prices=Prices(per_million_in=1.0, per_million_out=10.0)).cost
    0.001012
    """
    calls = prompt = completion = 0
    for request in requests:
        calls, prompt = calls + 1, prompt + request.estimated_prompt_tokens
        completion += request.max_tokens
    cost = prices.cost(prompt, completion) if prices else None
    return Spend(calls=calls, prompt_tokens=prompt, completion_tokens=completion, cost=cost)


class Meter:
    """Counts what was spent, and says whether one more call may go. Safe across threads."""

    def __init__(
        self,
        limits: Limits,
        *,
        prices: Prices | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start at nothing.

        Raises:
            UsageError: Money is limited, and no price is given.
        """
        if limits.max_cost is not None and prices is None:
            msg = "A limit on cost needs prices: give those of a million tokens in and out."
            raise UsageError(msg)
        self._limits, self._prices, self._clock = limits, prices, clock
        self._spend = Spend(cost=prices.cost(0, 0) if prices else None)
        self._out: dict[str, int] = {}  # calls that each request that is out may have made
        self._lock = Lock()
        self._began_s: float | None = None
        self._stopped: str | None = None
        self._ended_by: str | None = None

    @property
    def spend(self) -> Spend:
        """What was spent so far."""
        return self._spend

    @property
    def prices(self) -> Prices | None:
        """What tokens cost; None where that is not known."""
        return self._prices

    @property
    def n_out(self) -> int:
        """How many requests are out."""
        return len(self._out)

    @property
    def ended_by(self) -> str | None:
        """Why nothing more is sent, in words; None while more may be. All may have just fitted."""
        return self._ended_by

    def stop(self, reason: str = "it was interrupted") -> None:
        """Let no further call go; what is out is still answered. Safe in a signal handler."""
        self._stopped = reason

    def remaining_s(self, n_left: int) -> float | None:
        """Return about how long *n_left* requests will take, in seconds; None before the first answer."""
        done = self._spend.answered + self._spend.failed
        if self._began_s is None or not done:
            return None
        return (self._clock() - self._began_s) / done * n_left

    def allows(self) -> bool:
        """Return whether another request may be sent; if not, `ended_by` says why."""
        with self._lock:
            self._ended_by = self._stopped or self._reached()
            return self._ended_by is None

    def may_retry(self, request: ChatRequest, paid: bool) -> bool:  # noqa: FBT001 - as the provider calls it
        """Return whether *request* may be sent once more; counts that if the call before was *paid*."""
        with self._lock:
            if self._stopped or (paid and self._reached()):
                return False
            self._out[request.id] = self._out.get(request.id, 0) + paid
            return True

    def sent(self, request: ChatRequest) -> None:
        """Count a request that is now out."""
        with self._lock:
            self._began_s = self._clock() if self._began_s is None else self._began_s
            self._out[request.id] = 1

    def answered(self, request: ChatRequest, answer: ChatAnswer) -> None:
        """Count what came of it."""
        read, written = _tokens_taken(request, answer)
        with self._lock:
            self._out.pop(request.id, None)
            was = self._spend
            prompt, completion = was.prompt_tokens + read, was.completion_tokens + written
            self._spend = replace(
                was,
                calls=was.calls + answer.calls,
                prompt_tokens=prompt,
                completion_tokens=completion,
                answered=was.answered + (answer.text is not None),
                failed=was.failed + (answer.text is None),
                cost=self._prices.cost(prompt, completion) if self._prices else None,
            )

    def _reached(self) -> str | None:
        limits, spend = self._limits, self._spend
        used = {
            "calls": (spend.calls + sum(self._out.values()), limits.max_calls),
            "tokens": (spend.tokens, limits.max_tokens),
            "cost": (spend.cost or 0.0, limits.max_cost),
        }
        for name, (value, most) in used.items():
            if most is not None and value >= most:
                return f"the limit of {most:,} on {name} is reached"
        return None


class MeteredChat:
    """A `ChatModel` that goes past a meter."""

    def __init__(self, model: ChatModel, meter: Meter) -> None:
        """Wrap *model*, whose retries should ask `Meter.may_retry`."""
        self._model, self._meter = model, meter

    @property
    def fingerprint(self) -> str:
        """That of the model: a limit changes no answer."""
        return self._model.fingerprint

    def complete_many(self, requests: Iterable[ChatRequest]) -> Iterator[tuple[ChatRequest, ChatAnswer]]:
        """Yield answers until the requests or the limits end; see `Meter.ended_by`."""
        for request, answer in self._model.complete_many(self._within_limits(requests)):
            self._meter.answered(request, answer)
            yield request, answer

    def _within_limits(self, requests: Iterable[ChatRequest]) -> Iterator[ChatRequest]:
        source = iter(requests)
        while self._meter.allows():  # asked first: what is pulled is sent
            request = next(source, None)
            if request is None:
                return
            self._meter.sent(request)
            yield request


def _tokens_taken(request: ChatRequest, answer: ChatAnswer) -> tuple[int, int]:
    """Return tokens in and out, with an estimate for each call of which none are known."""
    told = bool(answer.prompt_tokens or answer.completion_tokens)
    read, written = answer.prompt_tokens, answer.completion_tokens
    silent = answer.calls - told
    if silent > 0 and answer.text is not None and not told:
        read, written = request.estimated_prompt_tokens, estimated_tokens(answer.text)
        silent -= 1
    silent = max(0, silent)
    return read + silent * request.estimated_prompt_tokens, written + silent * request.max_tokens


def _check(name: str, value: float | None) -> None:
    if value is not None and not (0 <= value < math.inf):
        msg = f"{name} must be 0 or more, not {value!r}."
        raise UsageError(msg)
