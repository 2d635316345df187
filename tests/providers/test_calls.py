"""How long a server asks to wait, and what its answers say of tokens."""

from typing import Any

import pytest

from caskg.providers.calls import retry_after_s, usage, used_tokens
from caskg.providers.messages import chat_body
from caskg.providers.settings import OPENAI_URL, ChatOptions
from caskg.schema import ChatRequest


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0.0),
        ("1.5", 1.5),
        ("-3", 0.0),
        ("nan", None),
        ("inf", None),
        ("soon", None),
        ("", None),
        ("Thu, 01 Jan 1970 00:02:00 GMT", 20.0),
        ("Thu, 01 Jan 1970 00:01:00 GMT", 0.0),
    ],
)
def test_retry_after_is_seconds_or_a_date(text: str, seconds: float | None) -> None:
    """What cannot be read, or not be waited for, is none."""
    assert retry_after_s({"retry-after": text}, now=100.0) == seconds
    assert retry_after_s({}, now=100.0) is None


@pytest.mark.parametrize(
    ("reply", "tokens"),
    [
        ({"usage": {"prompt_tokens": 3, "completion_tokens": 4}}, (3, 4)),
        ({"usage": {"prompt_tokens": 3}}, (3, 0)),
        ({"usage": {"prompt_tokens": "3", "completion_tokens": -4}}, (0, 0)),
        ({"usage": None}, (0, 0)),
        ({}, (0, 0)),
        ([], (0, 0)),
        (None, (0, 0)),
    ],
)
def test_tokens_are_read_where_they_are_said(reply: object, tokens: tuple[int, int]) -> None:
    """And are 0 where they are not, or are nonsense."""
    assert usage(reply) == tokens
    assert used_tokens(reply) == sum(tokens)


REQUEST = ChatRequest(
    id="a", messages=(("system", "s"), ("user", "u")), schema={"type": "object"}, max_tokens=9
)


def body(options: dict[str, Any], *, base_url: str = "http://h/v1", by_schema: bool = True) -> dict[str, Any]:
    return chat_body(REQUEST, ChatOptions(model="m", **options), base_url=base_url, by_schema=by_schema)


def test_the_length_is_sent_under_the_name_that_the_address_expects() -> None:
    """OpenAI's newer models refuse the older name, and local servers know that one only."""
    assert body({})["max_tokens"] == 9
    assert "max_completion_tokens" not in body({})
    assert body({}, base_url=OPENAI_URL)["max_completion_tokens"] == 9
    assert "max_tokens" not in body({}, base_url=OPENAI_URL)
    assert body({"max_tokens_name": "n_predict"}, base_url=OPENAI_URL)["n_predict"] == 9


def test_what_is_none_is_not_sent() -> None:
    """Models that reason refuse a temperature."""
    assert not {"temperature", "seed"} & body({"temperature": None, "seed": None}).keys()
    assert (body({"temperature": 0.5, "seed": 3})["temperature"], body({"seed": 3})["seed"]) == (0.5, 3)
    assert not {"logprobs", "top_logprobs"} & body({}).keys()


def test_further_fields_are_sent_too() -> None:
    """None of them is one of ours."""
    assert body({"extra_body": {"think": False}})["think"] is False


def test_a_schema_in_words_follows_the_last_message() -> None:
    """And no field of the call speaks of it; without a schema, nothing does."""
    plain = body({}, by_schema=False)
    assert "response_format" not in plain
    assert plain["messages"][0]["content"] == "s"
    assert plain["messages"][1]["content"].startswith("u\n\nAnswer with one JSON object")
    assert plain["messages"][1]["content"].endswith('{"type": "object"}')
    free = ChatRequest(id="a", messages=REQUEST.messages)
    for by_schema in (True, False):
        sent = chat_body(free, ChatOptions(model="m"), base_url="http://h", by_schema=by_schema)
        assert sent["messages"][1]["content"] == "u"
        assert "response_format" not in sent


def test_tokens_of_a_prompt_are_estimated_with_all_that_is_sent() -> None:
    """Three bytes a token, four for each message, and the schema."""
    assert REQUEST.estimated_prompt_tokens == 4 + 1 + 4 + 1 + 6
    assert ChatRequest(id="a", messages=(("user", "木"),)).estimated_prompt_tokens == 5
