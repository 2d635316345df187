"""The pace of calls: as it was set, or as a server's refusals teach it."""

from heapq import heappop, heappush
from itertools import count

import pytest

from caskg.providers.pace import Pace


class Clock:
    """A clock that stands still unless it is set."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def pace(per_minute: float | None) -> tuple[Pace, Clock]:
    clock = Clock()
    return Pace(per_minute, clock=clock), clock


def test_calls_are_spaced_evenly() -> None:
    """Six a minute: one each ten seconds, the first at once."""
    calls, clock = pace(6)
    assert [calls.wait_s() for _ in range(3)] == pytest.approx([0, 10, 20])
    clock.now += 25
    assert calls.wait_s() == pytest.approx(5)


def test_an_idle_time_is_not_made_good_for() -> None:
    """But for a tenth of a second: a server that counts by the second sees no burst."""
    calls, clock = pace(6000)
    calls.wait_s()
    clock.now += 60
    waits = [calls.wait_s() for _ in range(13)]
    assert waits[:11] == pytest.approx([0.0] * 11)
    assert waits[11:] == pytest.approx([0.01, 0.02])


def test_large_amounts_take_longer() -> None:
    """Sixty tokens a minute: one a second; the wait is for what was taken before."""
    tokens, _ = pace(60)
    assert [tokens.wait_s(30), tokens.wait_s(90), tokens.wait_s(1)] == pytest.approx([0, 30, 120])


def test_what_was_not_used_is_given_back() -> None:
    """A short answer lets the next call go sooner."""
    tokens, _ = pace(60)
    tokens.wait_s(30)
    tokens.give_back(20)
    assert tokens.wait_s(1) == pytest.approx(10)


def test_without_a_limit_nothing_waits() -> None:
    """Whatever is taken."""
    tokens, _ = pace(None)
    assert [tokens.wait_s(10**9) for _ in range(3)] == [0, 0, 0]


# ---------------------------------------------------------------- what refusals teach


def rate(calls: Pace) -> float:
    """Return how many calls a second may go now; the look itself lets it grow by three calls' worth."""
    calls.wait_s(1000)  # nothing is left to be made good for
    start, end = calls.wait_s(100), calls.wait_s(0)
    return 100 / (end - start)


def test_a_first_refusal_sets_the_rate_at_which_calls_went() -> None:
    """Ninety calls in two seconds, and ten for luck: fifty a second, which grow by three with each call."""
    calls, clock = pace(None)
    waits = [calls.wait_s() for _ in range(90)]
    assert waits == [0.0] * 90
    clock.now += 2
    calls.refused(clock.now)
    assert [calls.wait_s() for _ in range(3)] == pytest.approx([0, 1 / 50, 1 / 50 + 1 / 53])


def test_a_refusal_at_the_start_counts_as_after_half_a_second() -> None:
    """A burst within an instant is no rate."""
    calls, clock = pace(None)
    for _ in range(32):
        calls.wait_s()
    calls.refused(clock.now)
    calls.wait_s()
    assert calls.wait_s() == pytest.approx(0.5 / 42)


def slowed() -> tuple[Pace, Clock]:
    """Return a pace of 1,000 a second, refused once a second ago: of ten calls for luck nine are kept.

    It has grown by .3 with each of 90 calls since that had to wait: 900 + 89 * .3.
    """
    calls, clock = pace(60_000)
    calls.refused(clock.now)
    for _ in range(90):
        calls.wait_s()
    clock.now += 1
    return calls, clock


BEFORE = 926.7


@pytest.mark.parametrize(
    ("n_refused", "kept"), [(1, 0.95), (5, 0.95), (20, 0.8), (49, 0.51), (60, 0.5), (500, 0.5)]
)
def test_a_slow_down_keeps_the_share_that_the_server_takes(n_refused: int, kept: float) -> None:
    """Of 90 calls, and ten for luck; never more than nineteen twentieths, nor less than a half."""
    calls, clock = slowed()
    for _ in range(n_refused - 1):
        calls.refused(0.0)  # sent before the slow-down: counted, no more
    calls.refused(clock.now)
    assert rate(calls) == pytest.approx(BEFORE * kept, abs=1)


def test_refusals_of_what_was_on_its_way_slow_down_once() -> None:
    """Those sent before it did, and all within a quarter of a second."""
    calls, clock = slowed()
    began = clock.now
    calls.refused(began)
    for later, sent in ((0.24, began + 0.24), (0.25, began)):
        clock.now = began + later
        calls.refused(sent)
    assert rate(calls) == pytest.approx(BEFORE * 0.95, abs=1)
    calls.refused(began + 0.01)
    assert rate(calls) == pytest.approx(BEFORE * 0.95 * (1 - 3 / 13), abs=3)


def test_after_a_slow_down_nothing_is_made_good_for() -> None:
    """The server has just refused what went too fast."""
    calls, clock = slowed()
    calls.refused(clock.now)
    assert [calls.wait_s() > 0 for _ in range(3)] == [False, True, True]


def test_a_rate_grows_only_while_it_holds_calls_up() -> None:
    """Fewer calls than may go say nothing of what more would meet."""
    calls, clock = slowed()
    for _ in range(500):
        clock.now += 1
        calls.wait_s()
    assert rate(calls) == pytest.approx(BEFORE, abs=1)


def test_near_the_rate_that_was_refused_it_grows_a_tenth_as_fast() -> None:
    """From 950 a second on, by .03 with each call."""
    calls, _ = slowed()
    for _ in range(300):
        calls.wait_s(0.0)
    calls.wait_s(5000)  # however long the wait, the growth is by calls
    for _ in range(100):
        calls.wait_s(0.0)
    assert rate(calls) == pytest.approx(950 + 0.03 * 200, abs=10)


def test_a_rate_that_was_set_is_never_passed() -> None:
    """What was learned grows up to it and no further."""
    calls, clock = pace(600)
    calls.refused(clock.now)
    assert rate(calls) < 10
    for _ in range(200):
        calls.wait_s()
    assert rate(calls) == pytest.approx(10)


def served(calls: Pace, clock: Clock, *, per_s: float, n: int) -> tuple[float, int]:
    """Return at what rate a server that allows *per_s* answers *n* calls, 32 at a time, and its refusals.

    It answers after .05 s, holds a tenth of a second's worth of calls, and asks to wait for a second.
    """
    began = at = clock.now
    room, n_refused, left, ticket = per_s / 10, 0, n, count()
    events = [(began, next(ticket), False) for _ in range(32)]
    while events:
        clock.now, _, arrives = heappop(events)
        if not arrives:  # its place is free for the next one
            if left:
                left -= 1
                heappush(events, (clock.now + calls.wait_s(), next(ticket), True))
            continue
        room, at = min(per_s / 10, room + (clock.now - at) * per_s), clock.now
        passes = room >= 1
        if passes:
            room -= 1
        else:
            n_refused, left = n_refused + 1, left + 1
            calls.refused(clock.now)
        heappush(events, (clock.now + (0.05 if passes else 1.05), next(ticket), False))
    return n / (clock.now - began), n_refused


class Unlearning(Pace):
    """What each call for itself would do."""

    def refused(self, sent_s: float) -> None:
        """Do nothing."""


@pytest.mark.parametrize("per_s", [20, 50, 100])
def test_the_rate_of_a_server_is_learned(per_s: float) -> None:
    """To nine tenths of it over a thousand calls, the time it takes to learn it included."""
    clock = Clock()
    reached, n_refused = served(Pace(None, clock=clock), clock, per_s=per_s, n=1000)
    assert 0.9 * per_s < reached <= 1.02 * per_s
    assert n_refused < 120


@pytest.mark.parametrize(("per_s", "share"), [(20, 0.7), (50, 0.85)])
def test_calls_that_learn_nothing_wait_for_one_another(per_s: float, share: float) -> None:
    """Most of them sleep at the same time: they reach less, and are refused ten times as often."""
    clock = Clock()
    reached, n_refused = served(Unlearning(None, clock=clock), clock, per_s=per_s, n=1000)
    assert reached < share * per_s
    assert n_refused > 600
