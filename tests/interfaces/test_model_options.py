"""The options that commands with a language model share, and what Ctrl-C does to a run."""

import signal
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from caskg.errors import UsageError
from caskg.interfaces.cli.model_options import limit_options, model_options, progress_text, spending
from caskg.providers.metered import Limits, Meter, MeteredChat, Prices
from caskg.providers.openai_compatible import OpenAIChat
from caskg.providers.settings import ChatOptions, Endpoint
from caskg.schema import ChatAnswer, ChatRequest
from interfaces.kitchen import Run
from providers.faulty_server import FaultyServer, says

KEY = "sk-planted"
LIKE_A_KEY = "sk-planted-0123456789"
REQUEST = ChatRequest(id="a", messages=(("user", "a"),))


def called(*arguments: str, standard_input: str = "") -> dict[str, Any]:
    """Return what a command with these options gets."""
    got: dict[str, Any] = {}

    @click.command()
    @model_options
    @limit_options
    def command(**found: object) -> None:
        got.update(found)

    result = CliRunner().invoke(command, arguments, input=standard_input)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return got if result.exit_code == 0 else {"failed": result.output}


def test_only_what_was_given_is_a_setting() -> None:
    """The rest is for environment and file to say."""
    assert called()["settings"] == {}
    arguments = ["--model", "m", "--base-url", "http://h/v1", "--timeout", "3", "--seed", "0"]
    assert called(*arguments)["settings"] == {
        "model": "m",
        "base_url": "http://h/v1",
        "timeout_s": 3.0,
        "seed": 0,
    }


def test_temperature_and_seed_can_be_left_out() -> None:
    """For models that refuse them."""
    assert called("--temperature", "none", "--seed", "none")["settings"] == {
        "temperature": "none",
        "seed": "none",
    }
    assert called("--temperature", "0.5", "--seed", "3")["settings"] == {"temperature": 0.5, "seed": 3}
    assert "--temperature" in called("--temperature", "warm")["failed"]
    assert "--seed" in called("--seed", "0.5")["failed"]


def test_a_key_is_read_from_a_file_or_standard_input(tmp_path: Path) -> None:
    """Not from the command line, which other users of a machine can see; it is not shown."""
    (tmp_path / "key").write_text(KEY + "\n", encoding="utf-8")
    for got in (
        called("--api-key-file", str(tmp_path / "key")),
        called("--api-key-file", "-", standard_input=KEY),
    ):
        assert got["settings"]["api_key"].reveal() == KEY
        assert KEY not in repr(got)


@pytest.mark.parametrize("content", [b"", b"sk-planted\xff", b"sk-planted\nsk-planted\n", b"sk planted"])
def test_a_file_that_holds_no_key_is_said(run: Run, tmp_path: Path, content: bytes) -> None:
    """In one line, and without what it holds."""
    file = tmp_path / "key"
    file.write_bytes(content)
    result = run("probe", "--model", "m", "--api-key-file", file)
    assert (result.code, result.out) == (2, "")
    assert result.err == "caskg: The file of the API key must hold the key alone: one line of plain text.\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["probe", "--model", "m", "--api-key-file", "KEY"],
        ["probe", "--model", "KEY"],
        ["judge-check", "--model", "KEY"],
        ["probe", "--model", "m", "--base-url", "KEY"],
        ["probe", "--model", "m", "--base-url", "http://KEY@127.0.0.1:9/v1"],
        ["probe", "--model", "m", "--base-url", "http://KEY/v1"],
        ["probe", "--model", "m", "--seed", "KEY"],
        ["probe", "--model", "m", "--concurrency", "KEY"],
        ["probe", "--model", "m", "--schema-mode", "KEY"],
        ["probe", "--model", "m", "--wording", "KEY"],
        ["probe", "--KEY"],
        ["probe", "--api-key=KEY"],
        ["probe", "KEY"],
        ["ledger", "list", "--prober", "KEY"],
        ["KEY"],
    ],
)
@pytest.mark.parametrize("key", [LIKE_A_KEY, "planted0" * 4, "fw_planted0123456789"])
def test_a_key_in_the_wrong_place_is_not_repeated(run: Run, arguments: list[str], key: str) -> None:
    """It would stand on a screen, in a log, or in an issue."""
    result = run(*[argument.replace("KEY", key) for argument in arguments])
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("caskg: ")
    assert result.err.count("\n") == 1
    assert "planted" not in result.err


def test_a_key_typed_as_its_file_is_not_repeated() -> None:
    """Whatever it looks like."""
    said = called("--api-key-file", "0123456789abcdef" * 4)["failed"]
    assert "cannot be opened" in said
    assert "0123456789abcdef" not in said


def test_limits_and_prices_make_a_meter() -> None:
    """With nothing spent; limits of money need both prices."""
    meter = called("--max-cost", "0", "--price-in", "1", "--price-out", "2")["meter"]
    assert isinstance(meter, Meter)
    assert not meter.allows()
    assert called()["meter"].allows()
    assert not called("--max-calls", "0")["meter"].allows()
    assert not called("--max-tokens", "0")["meter"].allows()
    assert "go together" in called("--price-in", "1")["failed"]
    assert "go together" in called("--price-out", "1")["failed"]
    with pytest.raises(UsageError, match="needs prices"):
        called("--max-cost", "1")


def test_progress_says_what_is_done_spent_and_left() -> None:
    """Seconds while it is short, minutes where it is long."""
    now = [0.0]
    meter = Meter(Limits(), prices=Prices(per_million_in=1.0, per_million_out=1.0), clock=lambda: now[0])
    meter.sent(REQUEST)
    now[0] = 10.0
    meter.answered(REQUEST, ChatAnswer(text="1", prompt_tokens=1000, completion_tokens=0, calls=1))
    assert progress_text(meter, 1, 6) == "1 of 6; 1 calls, 1,000 tokens, cost 0.0010; about 50 s left"
    assert progress_text(meter, 1, 61) == "1 of 61; 1 calls, 1,000 tokens, cost 0.0010; about 10 min left"


def test_the_first_interrupt_stops_the_meter_and_the_second_interrupts(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What is out is paid for, so it is waited for unless the user insists."""
    before = signal.getsignal(signal.SIGINT)
    meter = Meter(Limits())
    meter.sent(REQUEST)
    with spending(meter, quiet=True) as show:
        show(1, 2)
        signal.raise_signal(signal.SIGINT)
        assert meter.allows() is False
        assert "the 1 calls that are out" in capsys.readouterr().err
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_an_interrupted_run_uses_what_is_paid_for() -> None:
    """Every call that reached the server comes back as an answer; nothing more is sent."""
    meter = Meter(Limits())
    answers = []
    with FaultyServer(lambda call: says(after_s=0.1 * (call.number > 3))) as server:
        endpoint = Endpoint(base_url=server.url, concurrency=4)
        chat = MeteredChat(OpenAIChat(endpoint, ChatOptions(model="m"), may_retry=meter.may_retry), meter)
        requests = (ChatRequest(id=str(number), messages=(("user", "a"),)) for number in range(100))
        with spending(meter, quiet=True):
            for _, answer in chat.complete_many(requests):
                answers.append(answer)
                if len(answers) == 3:
                    signal.raise_signal(signal.SIGINT)
        assert len(server.calls) == len(answers) == meter.spend.answered
    assert 3 < len(answers) <= 3 + 4
    assert meter.ended_by == "it was interrupted"


def test_an_error_gives_the_interrupt_back() -> None:
    """To whoever had it before."""
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyError), spending(Meter(Limits()), quiet=False):
        raise KeyError
    assert signal.getsignal(signal.SIGINT) is before
