"""Limits hold, whatever the model and its retries do; what is spent is counted, never guessed as nothing."""

import math
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count, islice

import pytest

from caskg.errors import ProviderError, UsageError
from caskg.protocols import ChatModel
from caskg.providers.metered import Limits, Meter, MeteredChat, Prices, Spend
from caskg.providers.openai_compatible import OpenAIChat
from caskg.providers.settings import ChatOptions, Endpoint
from caskg.schema import ChatAnswer, ChatRequest
from providers.faulty_server import Answer, Call, FaultyServer, fails, says

GOOD = ChatAnswer(text="1", prompt_tokens=10, completion_tokens=2, calls=1)
PRICES = Prices(per_million_in=100_000.0, per_million_out=500_000.0)  # a GOOD answer costs 1 + 1


@dataclass
class ScriptedChat:
    """A chat model that holds some requests at a time, and answers each as it is told to."""

    answer: Callable[[ChatRequest], ChatAnswer] = lambda _request: GOOD
    concurrency: int = 1
    n_pulled: int = 0
    fingerprint: str = "scripted"

    def complete_many(self, requests: Iterable[ChatRequest]) -> Iterator[tuple[ChatRequest, ChatAnswer]]:
        source, out = iter(requests), deque[ChatRequest]()
        while True:
            for request in islice(source, self.concurrency - len(out)):
                self.n_pulled += 1
                out.append(request)
            if not out:
                return
            request = out.popleft()
            yield request, self.answer(request)


def asks(n: int | None = None) -> Iterator[ChatRequest]:
    for number in range(n) if n is not None else count():
        yield ChatRequest(id=str(number), messages=(("user", "abc"),), max_tokens=50)


def run(limits: Limits, model: ScriptedChat, *, n: int | None = None) -> tuple[int, Meter]:
    """Return how many answers came."""
    meter = Meter(limits, prices=PRICES)
    return len(list(MeteredChat(model, meter).complete_many(asks(n)))), meter


def test_it_is_a_chat_model_with_the_fingerprint_of_its_own() -> None:
    """A limit changes no answer."""
    metered = MeteredChat(ScriptedChat(), Meter(Limits()))
    assert isinstance(metered, ChatModel)
    assert metered.fingerprint == "scripted"


def test_without_limits_all_is_asked_and_counted() -> None:
    """Calls, tokens both ways, money."""
    n, meter = run(Limits(), ScriptedChat(), n=7)
    assert n == 7
    assert meter.ended_by is None
    assert meter.spend == Spend(calls=7, prompt_tokens=70, completion_tokens=14, answered=7, cost=14.0)
    assert meter.spend.tokens == 84


@pytest.mark.parametrize("limits", [Limits(max_calls=0), Limits(max_tokens=0), Limits(max_cost=0.0)])
def test_a_limit_of_zero_sends_nothing(limits: Limits) -> None:
    """And pulls nothing from the caller."""
    model = ScriptedChat(concurrency=8)
    n, meter = run(limits, model)
    assert n == model.n_pulled == 0
    assert meter.ended_by is not None
    assert "limit of 0" in meter.ended_by


@pytest.mark.parametrize("concurrency", [1, 4, 32])
def test_a_limit_on_calls_is_never_passed(concurrency: int) -> None:
    """Not even by what is out."""
    model = ScriptedChat(concurrency=concurrency)
    n, meter = run(Limits(max_calls=10), model)
    assert n == model.n_pulled == meter.spend.calls == 10
    assert meter.ended_by == "the limit of 10 on calls is reached"


@pytest.mark.parametrize("concurrency", [1, 4, 32])
def test_limits_on_tokens_and_money_are_passed_by_no_more_than_is_out(concurrency: int) -> None:
    """They are known only when an answer comes: 12 tokens and 2 of money each."""
    n, meter = run(Limits(max_tokens=120), ScriptedChat(concurrency=concurrency))
    assert 10 <= n < 10 + concurrency
    assert meter.ended_by == "the limit of 120 on tokens is reached"
    n, meter = run(Limits(max_cost=20.0), ScriptedChat(concurrency=concurrency))
    assert 10 <= n < 10 + concurrency
    assert meter.ended_by == "the limit of 20.0 on cost is reached"


def test_a_limit_that_is_reached_in_the_middle_of_an_answer_ends_it_too() -> None:
    """The next is not sent, the one that passed it counts whole."""
    n, meter = run(Limits(max_tokens=13), ScriptedChat())
    assert n == 2
    assert meter.spend.tokens == 24


def test_a_meter_is_shared_by_all_who_ask() -> None:
    """A judge's calls leave fewer for the probes."""
    meter = Meter(Limits(max_calls=5))
    assert len(list(MeteredChat(ScriptedChat(), meter).complete_many(asks(3)))) == 3
    assert meter.ended_by is None
    assert len(list(MeteredChat(ScriptedChat(), meter).complete_many(asks()))) == 2


def test_refused_calls_do_not_count_as_paid() -> None:
    """They cost nothing, so they take nothing from the limit."""
    model = ScriptedChat(answer=lambda r: GOOD if int(r.id) % 2 else ChatAnswer(text=None, error="e"))
    n, meter = run(Limits(max_calls=5), model)
    assert (n, meter.spend.calls, meter.spend.answered, meter.spend.failed) == (10, 5, 5, 5)


@pytest.mark.parametrize(
    ("answer", "prompt", "completion"),
    [
        (GOOD, 10, 2),
        (ChatAnswer(text="abcd", calls=1), 5, 2),  # a server that counts nothing
        (
            ChatAnswer(text="1", prompt_tokens=10, completion_tokens=2, calls=3),
            20,
            102,
        ),  # two attempts were lost
        (ChatAnswer(text="abcd", calls=2), 10, 52),
        (ChatAnswer(text=None, error="e", calls=2), 10, 100),
        (ChatAnswer(text=None, error="e", prompt_tokens=10, completion_tokens=50, calls=1), 10, 50),
        (ChatAnswer(text=None, error="e"), 0, 0),  # refused
    ],
)
def test_what_is_not_known_is_estimated(answer: ChatAnswer, prompt: int, completion: int) -> None:
    """Five tokens of prompt, and the longest answer, for each call that may have been paid."""
    _, meter = run(Limits(), ScriptedChat(answer=lambda _: answer), n=1)
    assert (meter.spend.prompt_tokens, meter.spend.completion_tokens) == (prompt, completion)


def test_stopping_lets_what_is_out_finish() -> None:
    """As on an interrupt: what was paid for is used."""
    meter, model = Meter(Limits()), ScriptedChat(concurrency=4)
    answers = MeteredChat(model, meter).complete_many(asks())
    next(answers)
    meter.stop()
    assert len(list(answers)) == 3
    assert meter.ended_by == "it was interrupted"
    assert meter.spend.calls == model.n_pulled == 4
    for paid in (True, False):
        assert not meter.may_retry(next(asks(1)), paid)


def test_an_attempt_after_one_that_cost_nothing_takes_nothing_from_the_limit() -> None:
    """One after a paid attempt does."""
    meter, request = Meter(Limits(max_calls=2)), next(asks(1))
    meter.sent(request)
    free, paid = False, True
    assert [meter.may_retry(request, free) for _ in range(5)] == [True] * 5
    assert [meter.may_retry(request, paid) for _ in range(2)] == [True, False]
    assert meter.may_retry(request, free)


def test_after_a_stop_nothing_waits_to_be_sent_again() -> None:
    """A server that asks for patience is not asked again, however long the wait was to be."""
    meter = Meter(Limits())
    stopped_at: list[int] = []

    def busy(call: Call) -> Answer:
        if call.number == 3:
            stopped_at.append(call.number)
            meter.stop()
        return fails(429, headers={"Retry-After": "0.6"})

    with FaultyServer(busy) as server:
        endpoint = Endpoint(base_url=server.url, concurrency=1, backoff_s=0.001, max_wait_s=4.0)
        chat = OpenAIChat(endpoint, ChatOptions(model="m"), may_retry=meter.may_retry)
        with suppress(ProviderError):
            list(MeteredChat(chat, meter).complete_many(asks()))
        assert (stopped_at, len(server.calls)) == ([3], 4)


def test_a_stop_ends_a_wait_that_has_begun() -> None:
    """It is looked for twice a second, and more was asked for."""
    meter = Meter(Limits())
    with FaultyServer(lambda _call: fails(429, headers={"Retry-After": "8"})) as server:
        endpoint = Endpoint(base_url=server.url, concurrency=1, max_wait_s=12.0)
        chat = OpenAIChat(endpoint, ChatOptions(model="m"), may_retry=meter.may_retry)
        timer = threading.Timer(0.3, meter.stop)
        timer.start()
        with suppress(ProviderError):
            list(MeteredChat(chat, meter).complete_many(asks()))
        timer.join()
        assert len(server.calls) == 1


def test_the_time_left_follows_from_the_pace_so_far() -> None:
    """Counted from the first request; failures took time too."""
    now = [100.0]
    meter = Meter(Limits(), clock=lambda: now[0])
    now[0] = 150.0
    assert meter.remaining_s(10) is None
    first, second = asks(2)
    meter.sent(first)
    assert meter.remaining_s(10) is None
    now[0] = 156.0
    meter.sent(second)
    meter.answered(first, GOOD)
    assert meter.remaining_s(10) == pytest.approx(60.0)
    meter.answered(second, ChatAnswer(text=None, error="e"))
    assert meter.remaining_s(10) == pytest.approx(30.0)


@pytest.mark.parametrize("value", [-1, math.nan, math.inf])
def test_limits_and_prices_that_are_none_are_refused(value: float) -> None:
    """Rather than taken for no limit."""
    with pytest.raises(UsageError, match="max_cost must be 0 or more"):
        Limits(max_cost=value)
    with pytest.raises(UsageError, match="per_million_out must be 0 or more"):
        Prices(per_million_in=0, per_million_out=value)
    with pytest.raises(UsageError, match="per_million_in must be 0 or more"):
        Prices(per_million_in=value, per_million_out=0)


def test_calls_and_tokens_below_zero_are_refused() -> None:
    """As money is."""
    with pytest.raises(UsageError, match="max_calls must be 0 or more, not -1"):
        Limits(max_calls=-1)
    with pytest.raises(UsageError, match="max_tokens"):
        Limits(max_tokens=-1)


def test_a_limit_on_money_needs_prices() -> None:
    """Else nothing would ever reach it."""
    with pytest.raises(UsageError, match="needs prices"):
        Meter(Limits(max_cost=1.0))
    assert Meter(Limits()).spend.cost is None


# ---------------------------------------------------------------- with a server


@pytest.mark.parametrize("concurrency", [1, 8])
@pytest.mark.parametrize(
    "answer",
    [
        lambda _call: says(),
        lambda call: says() if call.number % 3 == 0 else fails(500),
        lambda call: says() if call.number == 0 else fails(500),
        lambda call: says() if call.number % 2 else says(cut_at=3),
    ],
    ids=["well", "a third", "dies", "half cut"],
)
def test_a_server_sees_no_more_calls_than_the_limit(
    answer: Callable[[Call], Answer], concurrency: int
) -> None:
    """However often requests are tried again: each further attempt asks the meter."""
    meter = Meter(Limits(max_calls=20))
    with FaultyServer(answer) as server:
        endpoint = Endpoint(base_url=server.url, concurrency=concurrency, backoff_s=0.001)
        chat = OpenAIChat(endpoint, ChatOptions(model="m"), may_retry=meter.may_retry)
        with suppress(ProviderError):
            list(MeteredChat(chat, meter).complete_many(asks()))
        assert len(server.calls) == meter.spend.calls <= 20
        assert len(server.calls) == 20 or meter.ended_by is None


@pytest.mark.parametrize("refusal", [fails(501), fails(500), says("Sure!"), says("")])
@pytest.mark.parametrize("most", [1, 2, 3, 5])
def test_the_second_attempt_in_words_asks_the_meter_too(most: int, refusal: Answer) -> None:
    """Where a server has no schemas and its refusal may be paid for: one more would be one too many."""

    def without_schemas(call: Call) -> Answer:
        return refusal if "response_format" in call.body else says()

    meter = Meter(Limits(max_calls=most))
    with FaultyServer(without_schemas) as server:
        endpoint = Endpoint(base_url=server.url, concurrency=4, max_attempts=1)
        chat = OpenAIChat(endpoint, ChatOptions(model="m"), may_retry=meter.may_retry)
        schema = {"type": "object"}
        requests = (replace(request, schema=schema) for request in islice(asks(), 20))
        with suppress(ProviderError):
            list(MeteredChat(chat, meter).complete_many(requests))
        assert len(server.calls) == meter.spend.calls == most
