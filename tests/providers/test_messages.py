"""Whatever JSON a server sends, it is an answer, a failure in words, or vectors: never an error of ours."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caskg.providers.calls import Reply, used_tokens
from caskg.providers.failures import Blame, Failure
from caskg.providers.messages import keeps_schema, no_text, read_answer, read_vectors, refused_fields
from providers.faulty_server import completion

OUTER = ["choices", "message", "content", "text", "refusal", "finish_reason", "reasoning_content", "error"]
NUMBERS = ["usage", "prompt_tokens", "completion_tokens", "logprobs", "top_logprobs", "token", "logprob"]
KEYS = [*OUTER, *NUMBERS, "data", "index", "embedding"]
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**400, -(10**400), 2**63, 2**64])
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["\ud800", "\x00", "length", "stop", "content_filter", "1"])
)
ANY_JSON: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=20,
)
CHOICES = st.fixed_dictionaries(
    {
        "choices": st.lists(
            st.fixed_dictionaries(
                {
                    "message": st.dictionaries(st.sampled_from(KEYS), ANY_JSON, max_size=4),
                    "logprobs": ANY_JSON | st.fixed_dictionaries({"content": ANY_JSON}),
                    "finish_reason": ANY_JSON,
                }
            ),
            max_size=2,
        ),
        "usage": ANY_JSON,
    }
)
ITEMS = st.lists(
    st.fixed_dictionaries(
        {"index": st.integers(0, 3) | SCALARS, "embedding": st.lists(st.floats(), max_size=3) | ANY_JSON}
    )
    | ANY_JSON,
    max_size=3,
)


@settings(deadline=None, max_examples=100)
@given(ANY_JSON | CHOICES)
def test_every_reply_is_an_answer_or_says_why_it_is_none(body: object) -> None:
    """With numbers that a database holds."""
    answer = read_answer(Reply(body=body, calls=1), seconds=0.5)
    assert (answer.text is None) != (answer.error is None)
    assert (answer.text or answer.error or "").strip()
    assert 0 <= answer.prompt_tokens <= 2**40
    assert 0 <= answer.completion_tokens <= 2**40
    assert answer.prompt_tokens + answer.completion_tokens == used_tokens(body)
    assert all(math.isfinite(chance) for place in answer.token_logprobs for _, chance in place)
    assert keeps_schema(body) in (True, False, None)
    assert (no_text(body) is None) == (answer.text is not None)


@settings(deadline=None, max_examples=100)
@given(ITEMS | st.fixed_dictionaries({"data": ITEMS}))
def test_every_reply_is_vectors_or_says_why_it_is_none(body: object) -> None:
    """As unit rows, one for each text."""
    n = len(body["data"]) if isinstance(body, dict) else 1
    try:
        vectors = read_vectors(body, n=n)
    except ValueError as error:
        assert str(error)  # noqa: PT017 - either way is right
        return
    assert vectors.dtype == np.float32
    assert len(vectors) == n
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(n), abs=1e-6)


def test_a_reason_is_short_and_clean() -> None:
    """Cleaned first, then cut, or half a key would stay."""
    body = completion(None, refusal="x" * 370 + "secret" * 100)
    answer = read_answer(Reply(body=body), seconds=0.0, clean=lambda text: text.replace("secret", "[key]"))
    assert answer.error is not None
    assert len(answer.error) == 400
    assert "secr" not in answer.error


def test_a_text_that_is_no_json_shows_that_a_schema_is_ignored() -> None:
    """In parts as well; what was cut, kept back or declined shows nothing, nor does a thought without end."""
    assert keeps_schema(completion("Sure!")) is False
    assert keeps_schema(completion("")) is False
    assert keeps_schema(completion(None, reasoning_content='{"score": 1}')) is False
    assert keeps_schema({"error": "response_format?"}) is False
    for fits in ('{"score": 1}', "1", '<think>{}?</think>\n{"score": 7}', '```json\n{"score": 1}\n```'):
        assert keeps_schema(completion(fits)) is True, fits
    parts = [{"type": "text", "text": '{"score": '}, {"type": "text", "text": "1}"}]
    assert keeps_schema({"choices": [{"message": {"content": parts}}]}) is True
    assert keeps_schema({"choices": [{"message": {"content": parts[:1]}}]}) is False
    for why in ("length", "content_filter"):
        assert keeps_schema({"choices": [{"message": {"content": "{"}, "finish_reason": why}]}) is None
    assert keeps_schema(completion(None, refusal="I would rather not.")) is None
    assert keeps_schema(completion("<think>Hm")) is None


@pytest.mark.parametrize(
    ("reason", "fields"),
    [
        ("Unsupported value: 'temperature' does not support 0 with this model.", {"temperature"}),
        ('Unknown name "seed": Cannot find field.', {"seed"}),
        ('{"detail":[{"loc":["body","seed"],"msg":"Extra inputs are not permitted"}]}', {"seed"}),
        ("temperature and seed: unknown", {"temperature", "seed"}),
        ("Logprobs is not enabled for models/m", {"logprobs", "top_logprobs"}),
        ("top_logprobs must be at most 5", {"logprobs", "top_logprobs"}),
        ("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", {"max_tokens"}),
        ("max_completion_tokens is too large", set()),
        ("the seeds of temperatures", set()),
        ("'messages' are too long", set()),
    ],
)
def test_a_refusal_names_what_a_call_can_do_without(reason: str, fields: set[str]) -> None:
    """As a word of its own, if it was sent, with a status that says so."""
    sent = dict.fromkeys(
        ["model", "messages", "temperature", "seed", "logprobs", "top_logprobs", "max_tokens"]
    )
    failed = Failure(reason=reason, blame=Blame.REQUEST, status=400)
    assert refused_fields(failed, sent) == fields
    assert refused_fields(replace(failed, status=422), sent) == fields
    assert refused_fields(failed, {}) == refused_fields(None, sent) == set()
    for status in (401, 404, 429, 500, None):
        assert refused_fields(replace(failed, status=status), sent) == set()
