"""Everything that goes wrong between us and a server, over real sockets on loopback."""

import json
import logging
import math
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from caskg.errors import EncoderError, ProviderError
from caskg.protocols import ChatModel, Encoder
from caskg.providers.failures import FAILURES, SERVER_FAILURES
from caskg.providers.openai_compatible import IN_WORDS_TOO, OpenAIChat, OpenAIEncoder
from caskg.providers.secret import Secret
from caskg.providers.settings import ChatOptions, EmbeddingOptions, Endpoint, SchemaMode
from caskg.schema import ChatAnswer, ChatRequest
from providers.asking import KEY, SCHEMA, answer_to, ask, asks, chat, endpoint, in_turn
from providers.faulty_server import Answer, Call, FaultyServer, completion, fails, says

FOREVER = math.inf
USED_UP = (
    "The model used up its tokens before it answered: allow more with --answer-tokens, or turn its "
    "reasoning down."
)
NO_TEXT = {
    "thoughts": "The model thought, and gave no answer.",
    "tool_calls": "The model called a tool and gave no answer.",
    "content_filter": "The server's filter kept the answer back.",
}
NO_CHOICES = "The server's answer holds no choices, so it is no chat completion."


def until_given_up(model: OpenAIChat, requests: list[ChatRequest]) -> tuple[list[ChatAnswer], str]:
    """Return what was answered, and why the rest was not asked."""
    answers: list[ChatAnswer] = []
    try:
        for _, answer in model.complete_many(requests):
            answers.append(answer)
    except ProviderError as error:
        return answers, str(error)
    return answers, ""


# ---------------------------------------------------------------- what is sent, what comes back


def test_it_is_a_chat_model_and_an_encoder() -> None:
    """The ports that steps see."""
    assert isinstance(OpenAIChat(Endpoint(), ChatOptions(model="m")), ChatModel)
    assert isinstance(OpenAIEncoder(Endpoint(), EmbeddingOptions(model="m")), Encoder)


def test_an_answer_comes_with_what_it_took() -> None:
    """Text as it was said, tokens as the server counts them, one call."""
    answer, server = answer_to(in_turn(says('{"score": 0.5}')))
    assert answer.text == '{"score": 0.5}'
    assert answer.error is None
    assert (answer.prompt_tokens, answer.completion_tokens, answer.calls) == (10, 2, 1)
    assert 0 < answer.seconds < 5
    assert server.calls[0].path == "/v1/chat/completions"
    assert server.calls[0].headers["authorization"] == f"Bearer {KEY}"


def test_a_call_says_all_that_may_change_its_answer() -> None:
    """Model, messages, length, temperature, seed, schema; nothing else."""
    _, server = answer_to(in_turn(says()))
    assert server.calls[0].body == {
        "model": "m",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "0"}],
        "max_tokens": 256,
        "temperature": 0.0,
        "seed": 0,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA},
        },
    }


def test_without_a_key_none_of_the_environment_is_sent() -> None:
    """Key, organisation, project and headers for OpenAI are not for another server; nor is what we run on."""
    script = (
        "from caskg.providers.openai_compatible import OpenAIChat\n"
        "from caskg.providers.settings import ChatOptions, EmbeddingOptions, Endpoint\n"
        "from caskg.schema import ChatRequest\n"
        "from providers.faulty_server import FaultyServer\n"
        "with FaultyServer() as server:\n"
        "    model = OpenAIChat(Endpoint(base_url=server.url), ChatOptions(model='m'))\n"
        "    list(model.complete_many([ChatRequest(id='a', messages=(('user', 'x'),))]))\n"
        "    print(server.calls[0].headers)\n"
    )
    names = ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY")
    headers = {"OPENAI_CUSTOM_HEADERS": "X-Own: planted\nAuthorization: Bearer planted"}
    root = Path(__file__).parents[2]
    path = {"PYTHONPATH": f"{root / 'src'}:{root / 'tests'}"}
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=path | headers | dict.fromkeys(names, "planted"),
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Bearer none" in done.stdout
    assert "planted" not in done.stdout
    assert "stainless" not in done.stdout


def test_log_probabilities_come_with_the_chosen_token_first() -> None:
    """With its alternatives; a server that does not send them, or sends others, loses no answer."""
    place = {
        "token": "1",
        "logprob": -0.5,
        "top_logprobs": [{"token": "0", "logprob": -1}, {"token": "1"}, 7],
    }
    body = completion("1")
    body["choices"][0]["logprobs"] = {"content": [place, "odd"]}
    with FaultyServer(in_turn(Answer(body=body), says("1"))) as server:
        model = chat(server, ChatOptions(model="m", top_logprobs=2))
        given, without = (answer for _, answer in model.complete_many(asks(2)))
        assert server.calls[0].body["logprobs"] is True
        assert server.calls[0].body["top_logprobs"] == 2
    assert given.token_logprobs == ((("1", -0.5), ("0", -1.0)), ())
    assert without.token_logprobs == ()


def test_the_fingerprint_names_what_changes_answers_and_nothing_else() -> None:
    """No address, no key, no limits; each option counts."""
    options = {
        "model": "other",
        "temperature": 0.5,
        "seed": 1,
        "schema_mode": SchemaMode.PLAIN,
        "top_logprobs": 3,
        "extra_body": {"reasoning_effort": "planted"},
    }
    here = Endpoint(base_url="http://localhost:1/v1", api_key=Secret(KEY), concurrency=3)
    plain = OpenAIChat(here, ChatOptions(model="m")).fingerprint
    assert plain == "chat-m-temperature=0-seed=0-schema=auto-logprobs=0-extra=none"
    assert plain == OpenAIChat(here, ChatOptions(model="m", temperature=0)).fingerprint  # not only 0.0
    assert plain == OpenAIChat(Endpoint(), ChatOptions(model="m")).fingerprint
    changed = [
        OpenAIChat(here, ChatOptions(**({"model": "m"} | {name: value}))).fingerprint  # type: ignore[arg-type] # one at a time
        for name, value in options.items()
    ]
    assert len({plain, *changed}) == 7
    assert all("planted" not in fingerprint for fingerprint in changed)
    none = OpenAIChat(here, ChatOptions(model="m", temperature=None, seed=None)).fingerprint
    assert none == "chat-m-temperature=none-seed=none-schema=auto-logprobs=0-extra=none"


# ---------------------------------------------------------------- trying again


def test_a_429_is_waited_for_as_asked_and_costs_nothing() -> None:
    """Refused before any work: not a paid call, nor one of the attempts."""
    refused = fails(429, headers={"Retry-After": "0.05"})
    answer, server = answer_to(in_turn(*[refused] * 6, says()), max_attempts=2)
    assert answer.text
    assert len(server.calls) == 7
    assert answer.calls == 1
    assert answer.seconds >= 0.3


@pytest.mark.parametrize("wait", ["0", "Thu, 01 Jan 1970 00:00:30 GMT"])
def test_a_429_for_ever_is_a_failure(wait: str) -> None:
    """Though the server asks for no wait that would add up to the longest."""
    refused = fails(429, "busy", headers={"Retry-After": wait})
    answer, server = answer_to(in_turn(refused), backoff_s=0.02, max_wait_s=0.2)
    assert answer.error == "The server answered HTTP 429: busy"
    assert 2 <= len(server.calls) <= 12


@pytest.mark.parametrize(
    "said",
    [
        KEY,
        json.dumps({"score": KEY}).replace("-", "\\u002d"),
        "".join(f"\\u{ord(letter):04x}" for letter in KEY),
        f"{KEY[:9]}\n{KEY[9:]}",
    ],
)
def test_a_key_that_a_server_repeats_is_kept_in_no_disguise(said: str) -> None:
    """In an answer, and at the end of a long refusal, where only a part of it would be shown."""
    answer, _ = answer_to(in_turn(says(said)))
    assert answer.text is not None
    assert "[key]" in answer.text
    refused, _ = answer_to(in_turn(Answer(body=completion(None, refusal="x" * 390 + said))))
    assert refused.error is not None
    assert KEY[:6] not in refused.error


def test_numbers_beyond_all_bounds_are_none() -> None:
    """Tokens that no database holds, and log-probabilities that no float does."""
    body = completion("0.5")
    body["usage"] = {"prompt_tokens": 10**30, "completion_tokens": 7}
    far = {"token": "1", "logprob": 10**401}
    others = [{"token": "0", "logprob": -1.0}, {"token": "2", "logprob": 1e5}]  # e to that is beyond a float
    body["choices"][0]["logprobs"] = {"content": [{**far, "top_logprobs": others}]}
    answer, _ = answer_to(in_turn(Answer(body=body)))
    assert (answer.prompt_tokens, answer.completion_tokens) == (0, 7)
    assert answer.token_logprobs == ((("0", -1.0), ("2", 0.0)),)


def test_a_429_for_longer_than_we_wait_is_a_failure() -> None:
    """An hour is not waited for."""
    answer, server = answer_to(in_turn(fails(429, "slow down", headers={"Retry-After": "3600"})))
    assert answer.error == "The server answered HTTP 429: slow down"
    assert (answer.calls, len(server.calls)) == (0, 1)


def test_500_twice_and_then_200_is_an_answer_of_three_calls() -> None:
    """Each may have been paid."""
    answer, server = answer_to(in_turn(fails(500), fails(500), says()))
    assert answer.text
    assert answer.calls == len(server.calls) == 3


def test_attempts_end() -> None:
    """As many as are set, no more."""
    answer, server = answer_to(in_turn(fails(503)), max_attempts=3)
    assert answer.error == "The server answered HTTP 503: no"
    assert answer.calls == len(server.calls) == 3


@pytest.mark.parametrize(
    ("status", "paid"), [(408, 0), (409, 0), (425, 0), (500, 1), (502, 1), (503, 1), (504, 1)]
)
def test_what_may_pass_is_tried_again(status: int, paid: int) -> None:
    """Without a Retry-After too."""
    answer, server = answer_to(in_turn(fails(status), says()))
    assert answer.text
    assert len(server.calls) == 2
    assert answer.calls == 1 + paid


@pytest.mark.parametrize("status", [400, 403, 405, 413, 418, 422])
def test_other_refusals_are_not_tried_again(status: int) -> None:
    """The same request would be refused again."""
    with FaultyServer(in_turn(says(), fails(status, "too long"), says())) as server:
        answers = [answer for _, answer in chat(server).complete_many(asks(3))]
        assert len(server.calls) == 3
    assert sorted(answer.error or "" for answer in answers) == [
        "",
        "",
        f"The server answered HTTP {status}: too long",
    ]


@pytest.mark.parametrize(
    "message", [{"detail": "x"}, {"error": "x"}, {"message": "x"}, {"error": {"message": "x"}}, b"x"]
)
def test_an_error_in_any_shape_is_shown(message: object) -> None:
    """Servers differ."""
    answer, _ = answer_to(in_turn(Answer(status=418, body=message)))
    assert answer.error is not None
    assert "HTTP 418" in answer.error
    assert "x" in answer.error


def test_no_answer_ends_with_the_time_out() -> None:
    """It may be paid all the same; with a second attempt it is answered."""
    answer, server = answer_to(in_turn(says(after_s=FOREVER), says()), timeout_s=0.2)
    assert answer.text
    assert answer.calls == len(server.calls) == 2
    silent, _ = answer_to(in_turn(says(after_s=FOREVER)), timeout_s=0.1, max_attempts=1)
    assert silent.error == "The server did not answer within 0.1 s."
    assert silent.calls == 1


def test_a_trickle_ends_with_the_time_out() -> None:
    """A byte now and then does not keep a call alive."""
    answer, _ = answer_to(in_turn(says(byte_every_s=0.05)), timeout_s=0.3, max_attempts=1)
    assert answer.error == "The server did not answer within 0.3 s."
    assert answer.seconds < 3


def test_a_slow_trickle_within_the_time_is_an_answer() -> None:
    """It is slow, not wrong."""
    answer, _ = answer_to(in_turn(says("1", byte_every_s=0.0001)))
    assert answer.text == "1"


def test_a_connection_that_closes_in_the_middle_is_tried_again() -> None:
    """It may have been paid."""
    answer, server = answer_to(in_turn(says(cut_at=10), says()))
    assert answer.text
    assert answer.calls == len(server.calls) == 2
    cut, _ = answer_to(in_turn(says(cut_at=10)), max_attempts=1)
    assert cut.error is not None
    assert "closed the connection before it answered" in cut.error


# ---------------------------------------------------------------- answers that are none


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"{not json", "The server's answer is no JSON."),
        (b"", "The server's answer is no JSON."),
        (b"[" * 100_000, "The server's answer is no JSON."),
        (b'{"a": "\xff"}', "The server's answer is no JSON."),
        ([1, 2], NO_CHOICES),
        (
            {"object": "list", "data": []},
            NO_CHOICES,
        ),
        ({"choices": []}, NO_CHOICES),
        ({"choices": {"0": 1}}, NO_CHOICES),
        (
            {"choices": [{"message": "hi"}]},
            NO_CHOICES,
        ),
        (completion(""), "The answer is empty."),
        (completion(" \n"), "The answer is empty."),
        (completion(None), "The answer is empty."),
        (completion(None, refusal="I would rather not."), "The model refused: I would rather not."),
        ({"choices": [{"message": {"content": ""}, "finish_reason": "length"}]}, USED_UP),
        (completion(None, reasoning_content="Hm."), NO_TEXT["thoughts"]),
        (completion("", reasoning="Hm."), NO_TEXT["thoughts"]),
        (completion(None, refusal={"odd": 1}), "The answer is empty."),
        ({"choices": [{"message": {}, "finish_reason": "tool_calls"}]}, NO_TEXT["tool_calls"]),
        ({"choices": [{"message": {}, "finish_reason": "content_filter"}]}, NO_TEXT["content_filter"]),
        ({"choices": [{"message": {}, "finish_reason": {"odd": 1}}]}, "The answer is empty."),
        ({"choices": [{"message": {"content": 5}}]}, "The answer is empty."),
        ({"choices": [{"message": {"content": [None, 5, {"text": None}]}}]}, "The answer is empty."),
        ({"error": {"message": f"No {KEY}"}}, f"{NO_CHOICES} It says: No [key]"),
        ({"error": "overloaded"}, f"{NO_CHOICES} It says: overloaded"),
        (b'{"usage": ' + b"9" * 5000 + b"}", "The server's answer is no JSON."),
        (b'{"choices": [{"message": {"content": NaN}}]}', "The answer is empty."),
        (b"data: {}", "The server's answer is no JSON."),
        (b"null", NO_CHOICES),
    ],
)
def test_what_is_no_answer_is_said_and_was_paid(body: object, error: str) -> None:
    """One call, not tried again."""
    answer, server = answer_to(in_turn(Answer(body=body)))
    assert answer.text is None
    assert answer.error == error
    assert answer.calls == len(server.calls) == 1


def test_an_answer_in_parts_is_read() -> None:
    """Some servers send a list, with what the model thought as a part of its own."""
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
    parts = [thought, {"type": "text", "text": '{"score": '}, {"type": "text", "text": "1}"}]
    body = {"choices": [{"message": {"content": parts}}]}
    answer, _ = answer_to(in_turn(Answer(body=body)))
    assert answer.text == '{"score": 1}'


def test_what_utf8_cannot_hold_is_neither_sent_nor_kept() -> None:
    """A database would refuse it, after it was paid."""
    with FaultyServer(in_turn(Answer(body=b'{"choices": [{"message": {"content": "a\\ud800"}}]}'))) as server:
        (_, answer), *_ = chat(server).complete_many([ask("b\udc80")])
        assert server.calls[0].prompt == "b?"
    assert answer.text == "a?"


@pytest.mark.parametrize("text", ["{not json", '{"other": 1}', '{"score": 7}', "1.0 " * 50])
def test_a_text_is_handed_on_as_it_is(text: str) -> None:
    """Whether it can be read, and whether a score is one of the enum, is for the caller to judge."""
    answer, _ = answer_to(in_turn(says(text)))
    assert answer.text == text


def test_an_empty_answer_counts_its_tokens() -> None:
    """They were paid."""
    answer, _ = answer_to(in_turn(Answer(body=completion(""))))
    assert (answer.prompt_tokens, answer.completion_tokens) == (10, 2)


# ---------------------------------------------------------------- schemas


def knows_no_schemas(call: Call) -> Answer:
    return fails(400, "response_format?") if "response_format" in call.body else says()


def test_a_server_without_schemas_is_found_out_once_and_asked_in_words() -> None:
    """One refused call for a run and for those after it, however many are out at a time."""
    with FaultyServer(knows_no_schemas) as server:
        model = chat(server, concurrency=8)
        requests = [ask(str(number), schema=SCHEMA) for number in range(20)]
        answers = [*model.complete_many(requests), *model.complete_many(requests)]
        by_schema = [call for call in server.calls if "response_format" in call.body]
        assert len(by_schema) == 1
        assert len(server.calls) == 41
        assert json.dumps(SCHEMA) in server.calls[-1].prompt
    assert all(answer.text and answer.calls == 1 for _, answer in answers)


NO_SCHEMAS: dict[str, Answer] = {
    **{f"HTTP {status}": fails(status) for status in (400, 404, 405, 415, 422, 500, 501)},
    "talk": says("Sure! The score is 1."),
    "empty": says(""),
    "only thoughts": Answer(body=completion("", reasoning_content='{"score": 1}')),
    "an error with status 200": Answer(body={"error": {"message": "response_format?"}}),
}


@pytest.mark.parametrize("refusal", NO_SCHEMAS.values(), ids=NO_SCHEMAS)
def test_a_schema_that_leads_to_no_answer_is_put_in_words_once_and_then_always(refusal: Answer) -> None:
    """However a server shows that it knows none, after the attempts that it gets; nothing is missing."""

    def respond(call: Call) -> Answer:
        return refusal if "response_format" in call.body else says()

    with FaultyServer(respond) as server:
        answers = list(chat(server, max_attempts=2).complete_many([ask(n, schema=SCHEMA) for n in "abc"]))
        n_tried = 2 if refusal.status >= 500 else 1
        by_schema = ["response_format" in call.body for call in server.calls]
        assert by_schema == [*[True] * n_tried, False, False, False]
    assert [answer.text for _, answer in answers] == ['{"score": 0.5}'] * 3
    paid = n_tried if refusal.status in (200, 500, 501) else 0
    assert [answer.calls for _, answer in answers] == [paid + 1, 1, 1]


@pytest.mark.parametrize("refusal", NO_SCHEMAS.values(), ids=NO_SCHEMAS)
def test_where_words_fail_too_the_first_failure_is_told_with_what_to_try(refusal: Answer) -> None:
    """The attempt in words is one call; what was said in words other than JSON is an answer."""

    def respond(call: Call) -> Answer:
        return refusal if "response_format" in call.body else fails(503, "in words")

    with FaultyServer(respond) as server:
        answer = next(chat(server, max_attempts=2).complete_many([ask(schema=SCHEMA)]))[1]
        assert ["response_format" in call.body for call in server.calls].count(False) == 1
        assert answer.calls == sum(call.body is not None for call in server.calls) - (
            refusal.status in range(400, 500)
        )
    if refusal is NO_SCHEMAS["talk"]:
        assert answer.text == "Sure! The score is 1."
        return
    assert answer.error is not None
    assert answer.error.endswith("--schema-mode plain asks so from the start.")
    assert "in words" not in answer.error.removesuffix(IN_WORDS_TOO).casefold()


@pytest.mark.parametrize("status", [401, 402, 403, 408, 429, 502, 503])
def test_who_refuses_for_another_reason_is_not_asked_in_words(status: int) -> None:
    """A wrong key, a rate, a server that is down: nor where nobody is there."""
    with FaultyServer(in_turn(fails(status))) as server:
        asked = chat(server, max_attempts=1, max_wait_s=0).complete_many([ask(schema=SCHEMA)])
        assert "--schema-mode" not in str(next(asked)[1].error)
        assert len(server.calls) == 1
        gone = endpoint(server, max_attempts=1)
    answer = next(OpenAIChat(gone, ChatOptions(model="m")).complete_many([ask(schema=SCHEMA)]))[1]
    assert "--schema-mode" not in str(answer.error)


def test_a_server_that_once_kept_to_a_schema_is_not_asked_in_words() -> None:
    """What fails later has another reason."""
    later = [fails(500), says(""), fails(404), says()]
    with FaultyServer(in_turn(says("{}"), *later)) as server:
        until_given_up(chat(server, concurrency=1, max_attempts=1), [ask(n, schema=SCHEMA) for n in "abcde"])
        assert all("response_format" in call.body for call in server.calls)


def test_a_setting_that_is_refused_by_name_is_left_out_from_then_on() -> None:
    """One refusal each, which costs nothing; the answers say so, and stand under the name as before."""

    def picky(call: Call) -> Answer:
        for name in ("max_tokens", "temperature", "seed", "logprobs"):
            if name in call.body:
                return fails(400, f"Unsupported parameter: '{name}' is not supported with this model.")
        return says()

    with FaultyServer(picky) as server:
        model = chat(server, ChatOptions(model="m", top_logprobs=2), concurrency=8)
        before = model.fingerprint
        answers = [answer for _, answer in model.complete_many([ask(n, schema=SCHEMA) for n in "abcdef"])]
        assert len(server.calls) == 4 + 6
        assert server.calls[-1].body.keys() == {
            "model",
            "messages",
            "max_completion_tokens",
            "response_format",
        }
    assert [answer.calls for answer in answers] == [1] * 6
    assert {answer.left_out for answer in answers} == {("logprobs", "seed", "temperature", "top_logprobs")}
    assert model.fingerprint == before


@pytest.mark.parametrize(
    ("status", "body", "left_out"),
    [
        (
            400,
            {"error": {"message": "'temperature' does not support 0.", "param": "temperature"}},
            "temperature",
        ),
        (400, [{"error": {"code": 400, "message": 'Unknown name "seed": Cannot find field.'}}], "seed"),
        (422, {"detail": [{"type": "extra_forbidden", "loc": ["body", "seed"], "input": 0}]}, "seed"),
        (400, {"error": "Logprobs is not enabled for models/m"}, "logprobs, top_logprobs"),
        (400, b"temperature must be positive", "temperature"),
    ],
)
def test_a_setting_is_refused_in_many_shapes(status: int, body: object, left_out: str) -> None:
    """As OpenAI, Google, a validator of the web server, and plain text say it."""
    with FaultyServer(in_turn(Answer(status=status, body=body), says())) as server:
        (_, answer), *_ = chat(server, ChatOptions(model="m", top_logprobs=2)).complete_many(asks(1))
        assert server.calls[0].body.keys() - server.calls[1].body.keys() == set(left_out.split(", "))
    assert answer.text
    assert ", ".join(answer.left_out) == left_out


def test_a_setting_and_the_schema_may_both_be_refused() -> None:
    """In either order."""

    def picky(call: Call) -> Answer:
        known = {"model", "messages", "max_tokens"}
        first, *_ = [*sorted(call.body.keys() - known, reverse=call.number % 2 == 1), ""]
        return fails(422, f"{first}: no such field") if first else says()

    with FaultyServer(picky) as server:
        answers = [answer for _, answer in chat(server).complete_many([ask(n, schema=SCHEMA) for n in "abc"])]
        assert server.calls[-1].body.keys() == {"model", "messages", "max_tokens"}
        assert len(server.calls) <= 3 + 4
    assert all(answer.text for answer in answers)


def test_what_is_refused_all_the_same_is_left_out_of_nothing() -> None:
    """The words of a refusal may be about something else; and once a server has answered they are."""
    refusals = [fails(400, "seed, temperature and max_tokens grow"), fails(400, "seed")]
    with FaultyServer(in_turn(*refusals, says(), fails(400, "seed"), says())) as server:
        answers = [answer for _, answer in chat(server, concurrency=1).complete_many(asks(4))]
        assert ["seed" in call.body for call in server.calls] == [True, False, True, True, True]
    assert [answer.text is None for answer in answers] == [True, False, True, False]
    assert all(answer.left_out == () for answer in answers if answer.text)


@pytest.mark.parametrize("said", ['{"score": 1}', "1", '{"score": 7}', "<think>?</think>{}", '{"score'])
def test_an_answer_in_json_or_cut_off_does_not_turn_schemas_off(said: str) -> None:
    """Whatever it says; an answer that ran out of room says nothing of schemas."""
    body = completion(said)
    body["choices"][0]["finish_reason"] = "length" if said == '{"score' else "stop"
    with FaultyServer(in_turn(Answer(body=body), says())) as server:
        list(chat(server).complete_many([ask(n, schema=SCHEMA) for n in "ab"]))
        assert ["response_format" in call.body for call in server.calls] == [True, True]


def test_a_request_that_is_at_fault_itself_does_not_turn_schemas_off() -> None:
    """An over-long prompt is refused in words as well; the next one is asked by schema."""
    with FaultyServer(in_turn(fails(400), fails(400), says())) as server:
        answers = [a for _, a in chat(server).complete_many([ask(n, schema=SCHEMA) for n in "ab"])]
        assert ["response_format" in call.body for call in server.calls] == [True, False, True]
    assert [answer.text is None for answer in answers] == [True, False]


def test_once_schemas_are_known_a_refusal_is_the_requests_own() -> None:
    """It is not sent twice."""
    with FaultyServer(in_turn(says(), fails(400), says())) as server:
        list(chat(server).complete_many([ask(n, schema=SCHEMA) for n in "abc"]))
        assert len(server.calls) == 3


@pytest.mark.parametrize(("mode", "by_schema"), [(SchemaMode.JSON_SCHEMA, True), (SchemaMode.PLAIN, False)])
def test_how_json_is_asked_for_can_be_set(mode: SchemaMode, by_schema: bool) -> None:  # noqa: FBT001 - a table
    """Then nothing is found out."""
    with FaultyServer(knows_no_schemas) as server:
        answers = list(
            chat(server, ChatOptions(model="m", schema_mode=mode)).complete_many([ask(schema=SCHEMA)])
        )
        assert ["response_format" in call.body for call in server.calls] == [by_schema]
    assert (answers[0][1].text is None) == by_schema


# ---------------------------------------------------------------- giving up


@pytest.mark.parametrize("status", [401, 402, 403, 404])
def test_a_wrong_key_or_model_ends_the_run_after_one_call(status: int) -> None:
    """No other call will fare better, and what was refused is still told."""
    with FaultyServer(in_turn(fails(status, "who are you?"))) as server:
        answers = chat(server, concurrency=16).complete_many(asks(100))
        assert next(answers)[1].error == f"The server answered HTTP {status}: who are you?"
        with pytest.raises(
            ProviderError, match=rf"HTTP {status}: who are you\? 0 requests were answered and 1 failed"
        ):
            next(answers)
        assert len(server.calls) == 1


def test_an_account_without_money_is_not_waited_for() -> None:
    """One server says so with a 429."""
    body = {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}
    with FaultyServer(in_turn(Answer(status=429, body=body))) as server:
        with pytest.raises(ProviderError, match="exceeded your quota"):
            list(chat(server).complete_many(asks(3)))
        assert len(server.calls) == 1


def test_a_403_later_on_is_that_requests_own() -> None:
    """Gateways refuse a flagged text so."""
    with FaultyServer(in_turn(says(), fails(403), says())) as server:
        assert len(list(chat(server).complete_many(asks(5)))) == 5


def test_a_dead_endpoint_ends_the_run_with_a_count() -> None:
    """Nobody listens there; nothing is paid."""
    with FaultyServer() as server:
        gone = endpoint(server, max_attempts=2)
    answers = OpenAIChat(gone, ChatOptions(model="m")).complete_many(asks(100))
    _, answer = next(answers)
    assert answer.error is not None
    assert "cannot be reached" in answer.error
    assert answer.calls == 0
    with pytest.raises(ProviderError, match="0 requests were answered and 1 failed"):
        next(answers)


def test_an_endpoint_that_dies_ends_the_run_and_loses_no_answer() -> None:
    """After so many failures in a row; one success between them starts the count anew."""
    failures = SERVER_FAILURES - 1
    script = [says(), *[fails(500)] * failures, says(), *[fails(500)] * (failures + 1)]
    with FaultyServer(in_turn(*script)) as server:
        answers, error = until_given_up(chat(server, concurrency=1, max_attempts=1), asks(100))
        assert len(answers) == len(server.calls) == 2 * failures + 3
    assert f"2 requests were answered and {2 * failures + 1} failed" in error


def test_what_is_out_when_a_run_ends_is_still_answered() -> None:
    """It may be paid: a key that is withdrawn costs no answer that is under way."""

    def withdrawn(call: Call) -> Answer:
        return fails(401) if call.prompt == "2" else says(after_s=0.2 * (call.number > 0))

    with FaultyServer(withdrawn) as server:
        answers, error = until_given_up(chat(server, concurrency=4), asks(100))
        assert len(answers) == len(server.calls) == 5
    assert sum(answer.text is not None for answer in answers) == 4
    assert "HTTP 401" in error


def test_nothing_is_tried_again_once_a_run_has_ended() -> None:
    """Not even what was refused for its rate and costs nothing: it would keep the user waiting."""

    def refused_and_withdrawn(call: Call) -> Answer:
        if call.prompt == "0":
            return says()
        return fails(401) if call.prompt == "1" else fails(429, headers={"Retry-After": "0.3"})

    with FaultyServer(refused_and_withdrawn) as server:
        answers, error = until_given_up(chat(server, concurrency=3, max_wait_s=60), asks(9))
        assert len(answers) == 4
        assert len(server.calls) < 20  # for each that waited one more, or a few where this thread is slow
    assert "HTTP 401" in error


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_run_of_bad_requests_ends_later_than_one_of_a_failing_server(status: int) -> None:
    """A library may hold many long texts; a server that refuses everything is another matter."""
    with FaultyServer(in_turn(fails(status))) as server:
        answers, error = until_given_up(chat(server), asks(100))
    assert len(answers) == SERVER_FAILURES
    assert f"0 requests were answered and {SERVER_FAILURES} failed" in error
    with FaultyServer(in_turn(says(), *[fails(status)] * (FAILURES - 1), says())) as server:
        answers, error = until_given_up(chat(server, concurrency=1), asks(2 * FAILURES))
    assert (len(answers), error) == (2 * FAILURES, "")
    with FaultyServer(in_turn(says(), fails(status))) as server:
        answers, error = until_given_up(chat(server, concurrency=1), asks(100))
    assert len(answers) == 1 + FAILURES
    assert f"1 requests were answered and {FAILURES} failed" in error


@pytest.mark.parametrize("answer", [fails(403), fails(410), fails(451), fails(200, "no credits left")])
def test_a_server_that_refuses_whoever_asks_ends_the_run_after_an_answer_too(answer: Answer) -> None:
    """Also where it says so with the status of a success."""
    with FaultyServer(in_turn(says(), answer)) as server:
        answers, error = until_given_up(chat(server, concurrency=1), asks(100))
    assert len(answers) == 1 + SERVER_FAILURES
    assert f"1 requests were answered and {SERVER_FAILURES} failed" in error


def test_an_error_that_comes_as_a_success_does_not_tell_the_key() -> None:
    """By schema and in words; neither in an answer nor in what ends the run."""
    for mode in SchemaMode:
        with FaultyServer(in_turn(fails(200, f"no credits for {KEY} left"))) as server:
            model = OpenAIChat(endpoint(server), ChatOptions(model="m", schema_mode=mode))
            answers, error = until_given_up(model, asks(10))
        assert answers
        assert "no credits for [key] left" in error
        assert KEY not in error + "".join(answer.error or "" for answer in answers)


def test_a_run_of_which_most_failed_is_no_success() -> None:
    """However few were asked: what came is used, and said to be too little."""
    with FaultyServer(in_turn(says(), says(), fails(400))) as server:
        answers, error = until_given_up(chat(server, concurrency=1), asks(12))
    assert len(answers) == 12
    assert "2 requests were answered and 10 failed" in error


@pytest.mark.parametrize("status", [400, 413, 422])
def test_bad_requests_among_failures_of_the_server_do_not_count_with_them(status: int) -> None:
    """Seven failures and as many bad requests are not yet eight in a row; the next failure is the eighth."""
    mixed = [answer for _ in range(SERVER_FAILURES - 1) for answer in (fails(503), fails(status))]
    with FaultyServer(in_turn(says(), *mixed, says())) as server:
        answers, error = until_given_up(chat(server, concurrency=1, max_attempts=1), asks(40))
    assert (len(answers), error) == (40, "")
    with FaultyServer(in_turn(says(), *mixed, fails(503))) as server:
        answers, error = until_given_up(chat(server, concurrency=1, max_attempts=1), asks(40))
    assert len(answers) == 2 * SERVER_FAILURES
    assert "HTTP 503" in error


def test_a_redirect_to_another_host_is_refused() -> None:
    """Neither texts nor key go where nobody sent them."""
    with FaultyServer() as other:
        elsewhere = other.url.replace("127.0.0.1", "localhost") + "/chat/completions"
        with FaultyServer(in_turn(Answer(status=307, headers={"Location": elsewhere}))) as server:
            with pytest.raises(ProviderError, match=r"sends us to http://localhost:\d+: if you trust that"):
                list(chat(server).complete_many(asks(3)))
            assert len(server.calls) == 1
        assert other.calls == []


def test_a_redirect_to_another_port_is_refused() -> None:
    """Whoever listens there is another server."""
    with (
        FaultyServer() as other,
        FaultyServer(
            in_turn(Answer(status=307, headers={"Location": f"{other.url}/chat/completions"}))
        ) as server,
    ):
        with pytest.raises(ProviderError, match="sends us to"):
            list(chat(server).complete_many(asks(1)))
        assert other.calls == []


def test_a_redirect_on_the_same_server_is_followed() -> None:
    """Gateways move their paths."""
    moved = Answer(status=307, headers={"Location": "/elsewhere"})
    answer, server = answer_to(in_turn(moved, says()))
    assert answer.text
    assert [call.path for call in server.calls] == ["/v1/chat/completions", "/elsewhere"]


# ---------------------------------------------------------------- many at a time


def test_requests_are_pulled_only_while_there_is_room() -> None:
    """One until the first answer, then as many as may be out: nothing is held besides."""
    pulled = count()
    last = -1

    def requests() -> Iterator[ChatRequest]:
        nonlocal last
        for number in pulled:
            last = number
            yield ask(str(number))

    with FaultyServer() as server:
        answers = chat(server, concurrency=4).complete_many(requests())
        for n_taken in range(1, 30):
            next(answers)
            assert last + 1 - n_taken <= (0 if n_taken == 1 else 4)
        answers.close()  # type: ignore[attr-defined] # a generator
        assert server.most_at_once <= 4


def test_requests_are_pulled_in_the_callers_thread() -> None:
    """They may come from a database that is bound to it."""
    threads = set()

    def requests() -> Iterator[ChatRequest]:
        for request in asks(10):
            threads.add(threading.current_thread())
            yield request

    with FaultyServer() as server:
        list(chat(server).complete_many(requests()))
    assert threads == {threading.current_thread()}


def test_a_caller_can_decide_by_the_answers_so_far() -> None:
    """By ending what it gives; what is out then is still answered."""
    seen: list[str] = []

    def until_enough() -> Iterator[ChatRequest]:
        for number in count():
            if len(seen) >= 5:
                return
            yield ask(str(number))

    with FaultyServer() as server:
        for request, _ in chat(server, concurrency=3).complete_many(until_enough()):
            seen.append(request.id)
        assert len(server.calls) == len(seen) <= 5 + 3


def test_closing_cancels_what_is_out_at_once() -> None:
    """Although the server would never answer, and leaves no thread behind."""
    with FaultyServer(lambda call: says(after_s=FOREVER if call.prompt > "1" else 0)) as server:
        answers = chat(server, concurrency=4, timeout_s=60).complete_many(asks(9))
        assert [next(answers)[0].id, next(answers)[0].id] == ["0", "1"]
        answers.close()  # type: ignore[attr-defined] # a generator
        assert not any(thread.name == "caskg-calls" for thread in threading.enumerate())


def test_an_error_of_the_caller_goes_through() -> None:
    """With what is out cancelled."""

    def broken() -> Iterator[ChatRequest]:
        yield from asks(2)
        msg = "mine"
        raise KeyError(msg)

    with FaultyServer(lambda call: says(after_s=FOREVER if call.number else 0)) as server:
        with pytest.raises(KeyError, match="mine"):
            list(chat(server, timeout_s=60).complete_many(broken()))
        assert len(server.calls) <= 2


def test_no_requests_send_nothing() -> None:
    """And open no connection that could fail."""
    with FaultyServer() as server:
        assert list(chat(server).complete_many([])) == []
        assert server.calls == []


class Bucket:
    """Allows so many calls a second, a tenth of them at once, and refuses the others for a second."""

    def __init__(self, per_s: float) -> None:
        self._per_s, self._room, self._at = per_s, per_s / 10, time.monotonic()
        self._lock = threading.Lock()
        self.n_refused = 0

    def __call__(self, _call: Call) -> Answer:
        with self._lock:
            now = time.monotonic()
            self._room = min(self._per_s / 10, self._room + (now - self._at) * self._per_s)
            self._at = now
            if self._room >= 1:
                self._room -= 1
                return says()
            self.n_refused += 1
            return fails(429, headers={"Retry-After": "1"})


def rate_of(n: int, *, per_s: float) -> float:
    """Return at what share of the rate that the server allows *n* requests were answered."""
    bucket = Bucket(per_s)
    with FaultyServer(bucket) as server:
        model = chat(server, concurrency=32, requests_per_minute=60 * per_s, max_wait_s=60)
        began = time.monotonic()
        answers = [answer for _, answer in model.complete_many(asks(n))]
        seconds = time.monotonic() - began
        assert all(answer.text for answer in answers)
        assert server.most_at_once <= 32
    return n / seconds / per_s


def test_calls_are_spaced_to_the_rate_that_is_set() -> None:
    """Not faster; a slow machine may well be slower than half of it."""
    assert 0.1 < rate_of(60, per_s=100) <= 60 / 49  # the first tenth of a second's worth goes at once


@pytest.mark.full
def test_a_thousand_requests_reach_nine_tenths_of_the_rate_that_a_server_allows(tmp_path: Path) -> None:
    """At 32 at a time, by a server that refuses whatever is faster; so does a run that keeps each answer.

    A machine on which a bare client does not reach it either is no place to measure.
    """
    script = Path(__file__).parents[2] / "benchmarks" / "calls.py"
    call = [sys.executable, str(script), "--case", "100", "0.05", "--out", str(tmp_path / "rows.json")]
    subprocess.run(call, check=True, capture_output=True)
    rows = json.loads((tmp_path / "rows.json").read_text())
    reached = {row["client"]: row["reached"] for row in rows}
    least = min(0.9, reached["bare"])
    assert least <= reached["ours, told"] <= 1.1
    assert least <= reached["ours, recorded"] <= 1.1
    assert min(0.8, reached["bare"]) <= reached["ours, not told"] <= 1.1
    assert max(row["peak_mb"] for row in rows) < 200


def test_memory_does_not_grow_with_the_number_of_requests() -> None:
    """Fifteen megabytes go by; what is out at a time is held, a few times over, and nothing else."""

    def forgetful(_call: Call) -> Answer:
        server.calls.clear()
        return says()

    requests = (ChatRequest(id=str(n), messages=(("user", f"{n:0100000}"),)) for n in range(150))
    with FaultyServer(forgetful) as server:
        model = chat(server, concurrency=4)
        list(model.complete_many(asks(1)))  # what is imported then is not counted
        tracemalloc.start()
        try:
            n_answered = sum(answer.text is not None for _, answer in model.complete_many(requests))
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert n_answered == 150
    assert peak < 4_000_000


# ---------------------------------------------------------------- the key


def test_a_planted_key_is_in_no_answer_error_or_log(caplog: pytest.LogCaptureFixture) -> None:
    """Although the server repeats it in all it says."""
    caplog.set_level(logging.DEBUG)

    def parrot(call: Call) -> Answer:
        said = f"{call.headers['authorization']} " * 40
        body = completion(said)
        body["choices"][0]["logprobs"] = {"content": [{"token": said, "logprob": -1}]}
        return [Answer(body=body), fails(418, said), fails(500, said), fails(401, said)][min(call.number, 3)]

    with FaultyServer(parrot) as server:
        model = chat(server, concurrency=1, max_attempts=1)
        answers = model.complete_many(asks(4))
        four = [next(answers) for _ in range(4)]
        with pytest.raises(ProviderError) as refused:
            next(answers)
    shown = [repr(four), str(refused.value), repr(model), model.fingerprint, caplog.text]
    assert all("planted" not in text for text in shown)
    assert all("[key]" in repr(answer) for _, answer in four)


def test_a_missing_extra_is_named_with_its_remedy() -> None:
    """In a process in which the SDK cannot be imported."""
    script = (
        "import sys; sys.modules['openai'] = None\n"
        "from caskg.errors import ProviderError\n"
        "from caskg.providers.openai_compatible import OpenAIChat\n"
        "from caskg.providers.settings import ChatOptions, EmbeddingOptions, Endpoint\n"
        "try:\n"
        "    OpenAIChat(Endpoint(), ChatOptions(model='m'))\n"
        "except ProviderError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "run pip install '.[llm]' in the checkout" in done.stdout


# ---------------------------------------------------------------- embeddings


def vectors(call: Call) -> Answer:
    """Two numbers for each text, its length and 1, in another order than asked for."""
    data = [{"index": at, "embedding": [len(text), 1]} for at, text in enumerate(call.body["input"])]
    return Answer(body={"data": data[::-1], "usage": {"prompt_tokens": 3}})


def test_vectors_are_unit_and_in_the_order_of_the_texts() -> None:
    """Over several calls; a blank text is zeros, and is not sent."""
    texts = ["", "abc", " \n", *("x" * n for n in range(1, 100))]
    with FaultyServer(vectors) as server:
        rows = OpenAIEncoder(endpoint(server), EmbeddingOptions(model="m")).encode(texts)
        assert [call.path for call in server.calls] == ["/v1/embeddings"] * 7
        assert sum(len(call.body["input"]) for call in server.calls) == 100
    assert rows.shape == (102, 2)
    assert rows.dtype == "float32"
    assert rows[[0, 2]].tolist() == [[0, 0], [0, 0]]
    assert (rows[3:, 0] / rows[3:, 1]).tolist() == pytest.approx(list(range(1, 100)))
    assert (rows[1:2] ** 2).sum() == pytest.approx(1)


def test_a_text_is_sent_up_to_its_last_character_that_counts() -> None:
    """Servers refuse what is longer than the model reads."""
    with FaultyServer(vectors) as server:
        OpenAIEncoder(endpoint(server), EmbeddingOptions(model="m", max_chars=4)).encode(["abcdefg"])
        assert server.calls[0].body["input"] == ["abcd"]
    assert OpenAIEncoder(Endpoint(), EmbeddingOptions(model="m", max_chars=4)).fingerprint == "embeddings-m-4"


def test_blank_texts_have_as_many_numbers_as_others() -> None:
    """The number is asked for once, if it is not known; no text needs no server."""
    with FaultyServer(vectors) as server:
        encoder = OpenAIEncoder(endpoint(server), EmbeddingOptions(model="m"))
        assert encoder.encode([]).shape == (0, 0)
        assert server.calls == []
        for _ in range(2):
            rows = encoder.encode(["", " "])
            assert rows.shape == (2, 2)
            assert not rows.any()
        assert encoder.encode([]).shape == (0, 2)
        assert [call.body["input"] for call in server.calls] == [["a"]]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"data": []}, "not 1 vectors for 1 texts"),
        ({"data": [{"index": 1, "embedding": [1.0]}]}, "not numbered as the texts"),
        ({"data": [{"embedding": [1.0]}]}, "not numbered as the texts"),
        ({"data": [{"index": [0], "embedding": [1.0]}]}, "not numbered as the texts"),
        ({"data": [{"index": 0, "embedding": ["a"]}]}, "finite"),
        ({"data": [{"index": 0, "embedding": "AACAPw=="}]}, "finite"),
        ({"data": [{"index": 0, "embedding": [True]}]}, "finite"),
        ({"data": [{"index": 0, "embedding": [None]}]}, "finite"),
        ({"data": [{"index": 0, "embedding": [10**400]}]}, "finite"),
        ({"data": [{"index": 0, "embedding": [math.nan]}]}, "finite"),
        ({"data": [{"index": 0, "embedding": [math.inf]}]}, "finite"),
        ({"data": [{"index": 0, "embedding": [[1.0]]}]}, "no vectors"),
        ({"data": [{"index": 0, "embedding": [0, 0.0]}]}, "a vector of zeros"),
        ({"data": [{"index": 0, "embedding": []}]}, "a vector of zeros"),
        ({"data": [None]}, "not numbered as the texts"),
        ({"data": [{"index": 0, "embedding": 1.0}]}, "no vectors"),
        ({"choices": []}, "not 1 vectors for 1 texts"),
    ],
)
def test_what_is_no_embedding_is_refused(body: object, why: str) -> None:
    """Rather than built upon."""
    with FaultyServer(in_turn(Answer(body=body))) as server, pytest.raises(EncoderError, match=why):
        OpenAIEncoder(endpoint(server), EmbeddingOptions(model="m")).encode(["a"])


def test_numbers_at_the_ends_of_a_float_make_a_unit_vector() -> None:
    """Their squares are beyond a float."""
    for number in (1e308, 1e-320):
        data = [{"index": 0, "embedding": [number, number]}]
        with FaultyServer(in_turn(Answer(body={"data": data}))) as server:
            rows = OpenAIEncoder(endpoint(server), EmbeddingOptions(model="m")).encode(["a"])
        assert rows[0].tolist() == pytest.approx([0.5**0.5] * 2)


def test_a_text_is_embedded_once() -> None:
    """What is the same, or is from its beginning as far as it is sent, is paid once."""
    with FaultyServer(vectors) as server:
        encoder = OpenAIEncoder(endpoint(server), EmbeddingOptions(model="m", max_chars=3))
        rows = encoder.encode(["abcd", "x", "abce", "x", "abc"])
        assert [call.body["input"] for call in server.calls] == [["abc", "x"]]
    assert (rows[:, 0] / rows[:, 1]).tolist() == pytest.approx([3, 1, 3, 1, 3])


def test_vectors_of_several_lengths_are_refused() -> None:
    """Within a call and between calls."""
    ragged = [{"index": at, "embedding": [1] * (at + 1)} for at in range(2)]
    with (
        FaultyServer(in_turn(Answer(body={"data": ragged}))) as server,
        pytest.raises(EncoderError, match="several lengths"),
    ):
        OpenAIEncoder(endpoint(server), EmbeddingOptions(model="m")).encode(["a", "b"])

    def longer_each_time(call: Call) -> Answer:
        vector = [1] * (1 + call.number)
        return Answer(
            body={"data": [{"index": i, "embedding": vector} for i in range(len(call.body["input"]))]}
        )

    with FaultyServer(longer_each_time) as server, pytest.raises(EncoderError, match="2 lengths"):
        OpenAIEncoder(endpoint(server), EmbeddingOptions(model="m")).encode([*map(str, range(20))])


def test_a_failed_call_ends_an_embedding() -> None:
    """Every text is needed; a wrong key is told apart."""
    with FaultyServer(in_turn(fails(400, "too long"))) as server:
        encoder = OpenAIEncoder(endpoint(server), EmbeddingOptions(model="m"))
        with pytest.raises(
            EncoderError, match="could not be embedded: The server answered HTTP 400: too long"
        ):
            encoder.encode(["a"])
    with FaultyServer(in_turn(fails(401))) as server, pytest.raises(ProviderError, match="401"):
        OpenAIEncoder(endpoint(server), EmbeddingOptions(model="m")).encode(["a"])
