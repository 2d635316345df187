"""Several calls at a time behind an iterator, without any server."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from itertools import count

import pytest

from caskg.providers.concurrent import as_answered


class Log:
    """What happened to the session and the calls, and in which thread."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.threads: set[int] = set()

    @asynccontextmanager
    async def session(self) -> AsyncIterator["Log"]:
        """Note when it is opened and closed."""
        self.events.append("open")
        yield self
        self.events.append("close")


async def double(log: Log, item: int) -> int:
    log.threads.add(threading.get_ident())
    await asyncio.sleep(0)
    return 2 * item


def always(width: int) -> Callable[[], int]:
    return lambda: width


def test_each_item_comes_with_its_result() -> None:
    """Whatever the order; the session is opened once and closed."""
    log = Log()
    found = as_answered(range(50), session=log.session, work=double, width=always(7))
    assert sorted(found) == [(item, 2 * item) for item in range(50)]
    assert log.events == ["open", "close"]
    assert len(log.threads) == 1
    assert threading.get_ident() not in log.threads


def test_no_more_than_the_width_are_out() -> None:
    """And as many as that: the first six wait for each other."""
    barrier: list[asyncio.Barrier] = []

    async def together(_log: Log, item: int) -> int:
        barrier[:] = barrier or [asyncio.Barrier(6)]
        if item < 6:
            async with asyncio.timeout(10):
                await barrier[0].wait()
        return item

    pulled = iter(range(30))
    found = as_answered(pulled, session=Log().session, work=together, width=always(6))
    next(found)
    assert next(pulled) == 6  # taken from under it: it had pulled six, no more
    assert len(list(found)) == 28


def test_a_width_of_zero_ends_it_when_nothing_is_out() -> None:
    """What is out is still taken."""
    widths = iter([3, 3, 3, 3, 0, 0, 0, 0])
    found = as_answered(count(), session=Log().session, work=double, width=lambda: next(widths))
    assert len(list(found)) == 3


def test_closing_cancels_the_calls_and_closes_the_session() -> None:
    """In this order, and before it returns."""

    async def for_ever(log: Log, item: int) -> int:
        if not item:
            return item
        log.events.append("start")
        try:
            await asyncio.sleep(3600)
        finally:
            log.events.append("cancelled")
        return item

    log = Log()
    found = as_answered(count(), session=log.session, work=for_ever, width=always(3))
    assert next(found) == (0, 0)
    found.close()
    started = log.events.count("start")
    assert log.events == ["open", *["start"] * started, *["cancelled"] * started, "close"]


def test_what_a_call_raises_is_raised_here() -> None:
    """A call should not; if it does, it is not lost, and all is cleaned up."""

    async def broken(_log: Log, _item: int) -> int:
        msg = "mine"
        raise KeyError(msg)

    log = Log()
    with pytest.raises(KeyError, match="mine"):
        list(as_answered([1], session=log.session, work=broken, width=always(1)))
    assert log.events == ["open", "close"]


def test_an_interrupt_of_the_caller_cleans_up() -> None:
    """As Ctrl-C in the middle of the caller's own work."""

    def interrupted() -> Iterator[int]:
        yield 1
        raise KeyboardInterrupt

    log = Log()
    with pytest.raises(KeyboardInterrupt):
        list(as_answered(interrupted(), session=log.session, work=double, width=always(4)))
    assert log.events == ["open", "close"]
    assert not any(thread.name == "caskg-calls" for thread in threading.enumerate())


def test_a_session_that_does_not_open_leaves_no_thread() -> None:
    """Its error is raised here."""

    @asynccontextmanager
    async def closed() -> AsyncIterator[Log]:
        msg = "closed"
        raise ConnectionError(msg)
        yield Log()

    with pytest.raises(ConnectionError, match="closed"):
        list(as_answered([1], session=closed, work=double, width=always(1)))
    assert not any(thread.name == "caskg-calls" for thread in threading.enumerate())
