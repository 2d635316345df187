"""What every test may count on."""

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def hears_signals() -> Iterator[None]:
    """Let a test and its processes hear signals that were ignored: under nohup, in a script's background."""
    deaf = [each for each in (signal.SIGINT, signal.SIGHUP) if signal.getsignal(each) is signal.SIG_IGN]
    for each in deaf:
        signal.signal(each, signal.default_int_handler if each is signal.SIGINT else signal.SIG_DFL)
    yield
    for each in deaf:
        signal.signal(each, signal.SIG_IGN)
