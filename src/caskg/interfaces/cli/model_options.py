"""What commands that ask a language model share: options, limits, progress, and how it is stopped."""

import signal
import sys
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import wraps
from types import FrameType
from typing import Any

import click

from caskg.interfaces.cli.output import say
from caskg.providers.metered import Limits, Meter, Prices
from caskg.providers.secret import Secret
from caskg.providers.settings import NOT_SENT, SchemaMode


def _number(text: str) -> float | str:
    return text if text == NOT_SENT else float(text)


def _whole(text: str) -> int | str:
    return text if text == NOT_SENT else int(text)


_PRICE = click.FloatRange(max=1e9)  # a sum of larger ones may be no number


class _KeyFile(click.File):
    """A file whose name is in no message: it may be the key that was typed there."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401 - click's signature
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(
                "this file cannot be opened; the option takes the name of a file, not the key.", param, ctx
            )


_OPTIONS = (
    click.option("--base-url", metavar="URL", help="Address of the server, up to and with /v1."),
    click.option("--model", metavar="NAME", help="The model, as the server knows it."),
    click.option(
        "--api-key-file",
        type=_KeyFile("rb"),
        metavar="FILE",
        help="Read the key from FILE (- = standard input) and not from $CASKG_LLM_API_KEY.",
    ),
    click.option("--temperature", type=_number, help="0 to 2, or none to send none.  [default: 0]"),
    click.option("--seed", type=_whole, help="Sent with each call; none to send none.  [default: 0]"),
    click.option("--schema-mode", type=click.Choice([each.value for each in SchemaMode])),
    click.option("--concurrency", type=int, help="Most calls out at a time.  [default: 8]"),
    click.option("--requests-per-minute", type=float, help="Keep to so many calls a minute."),
    click.option("--tokens-per-minute", type=float, help="Keep to so many tokens a minute."),
    click.option("--timeout", "timeout_s", type=float, help="Seconds for one attempt.  [default: 120]"),
)
_LIMITS = (
    click.option("--max-calls", type=int, help="Send no more calls than this; 0 sends nothing."),
    click.option("--max-tokens", type=int, help="Stop at so many tokens, in and out."),
    click.option("--max-cost", type=float, help="Stop at this cost; needs both prices."),
    click.option("--price-in", type=_PRICE, help="Price of a million tokens in."),
    click.option("--price-out", type=_PRICE, help="Price of a million tokens out."),
)
_ENDS_AT_ONCE = {signal.SIGINT, signal.SIGTERM}
_SAME_STOP_S = 1.0  # who ends a process and then its group, as `timeout` does, sends SIGTERM twice
# A terminal that is closed may say so twice; Windows knows no SIGHUP.
_STOPS = [*_ENDS_AT_ONCE, *([signal.SIGHUP] if sys.platform != "win32" else [])]
_NAMES = (
    "base_url",
    "model",
    "api_key_file",
    "temperature",
    "seed",
    "schema_mode",
    "concurrency",
    "requests_per_minute",
    "tokens_per_minute",
    "timeout_s",
)


answer_option = click.option(
    "--answer-tokens",
    type=click.IntRange(1),
    help="Most tokens of an answer; more where a model thinks before it answers.  [default: 64]",
)
"""The option ``answer_tokens`` of a command."""


def model_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give *command* the options of a model; it gets them as one mapping, ``settings``, of those given."""

    @wraps(command)
    def with_settings(**arguments: Any) -> Any:  # noqa: ANN401 - the arguments of any command
        given = {name: arguments.pop(name) for name in _NAMES}
        key_file = given.pop("api_key_file")
        key = {"api_key": Secret.read(key_file)} if key_file else {}
        settings = {name: value for name, value in given.items() if value is not None} | key
        return command(settings=settings, **arguments)

    return _with(_OPTIONS, with_settings)


def limit_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give *command* the options of a meter; it gets the ``meter``."""

    @wraps(command)
    def with_meter(**arguments: Any) -> Any:  # noqa: ANN401 - the arguments of any command
        limits = Limits(**{name: arguments.pop(name) for name in ("max_calls", "max_tokens", "max_cost")})
        prices = _prices(arguments.pop("price_in"), arguments.pop("price_out"))
        return command(meter=Meter(limits, prices=prices), **arguments)

    return _with(_LIMITS, with_meter)


def _with(options: tuple[Callable[..., Any], ...], command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(options):
        command = option(command)
    return command


def _prices(per_million_in: float | None, per_million_out: float | None) -> Prices | None:
    if per_million_in is None and per_million_out is None:
        return None
    if per_million_in is None or per_million_out is None:
        msg = "--price-in and --price-out go together: give both, 0 where one is free."
        raise click.UsageError(msg)
    return Prices(per_million_in=per_million_in, per_million_out=per_million_out)


@contextmanager
def spending(meter: Meter, *, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """Show what is spent and how long it will take; let Ctrl-C, or a kind kill, finish what is paid for.

    The first such signal stops the meter, so nothing more is sent and what is out is still
    used; a second SIGINT interrupts, and so does a SIGTERM that comes a second later or more. A signal
    that is ignored, as under `nohup`, stays so.

    Yields:
        To be told how many requests are done, and how many there are.
    """
    found = {number: signal.getsignal(number) for number in _STOPS}
    before = {number: handler for number, handler in found.items() if handler is not signal.SIG_IGN}
    for number in before:
        signal.signal(number, lambda _number, _frame: _stop(meter, before))
    try:
        with _bar(meter, quiet=quiet) as show:
            yield show
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _stop(meter: Meter, heard: Collection[int]) -> None:
    meter.stop()
    stopped = time.monotonic()

    def interrupt(number: int, frame: FrameType | None) -> None:
        if number == signal.SIGINT or time.monotonic() - stopped >= _SAME_STOP_S:
            signal.default_int_handler(number, frame)

    for number in _ENDS_AT_ONCE.intersection(heard):
        signal.signal(number, interrupt)
    say(f"caskg: stopping when the {meter.n_out} calls that are out are answered; Ctrl-C again stops now.")


@contextmanager
def _bar(meter: Meter, *, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    if quiet or not (sys.stderr and sys.stderr.isatty()):
        yield lambda _done, _of: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    with Progress(
        BarColumn(), TextColumn("{task.description}"), console=Console(stderr=True), transient=True
    ) as bars:
        task = bars.add_task("", total=None)
        yield lambda done, of: bars.update(
            task, description=progress_text(meter, done, of), completed=done, total=of
        )


def progress_text(meter: Meter, done: int, of: int) -> str:
    """Return what is done, spent, and left.

    >>> progress_text(Meter(Limits()), 0, 20)
    '0 of 20; 0 calls, 0 tokens'
    """
    return f"{done:,} of {of:,}; {meter.spend}{_time_left(meter.remaining_s(of - done))}"


def _time_left(seconds: float | None) -> str:
    if seconds is None:
        return ""
    minutes = round(seconds / 60)
    return f"; about {minutes} min left" if minutes > 1 else f"; about {seconds:.0f} s left"
