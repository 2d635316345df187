"""Chat and embeddings from any server that speaks OpenAI's protocol: OpenAI, vLLM, Ollama, llama.cpp, ...

Comes with the extra ``llm``. What is sent, and how an answer is read, stands here; how a
call is paced, timed and tried again in `calls`; how many are out at a time in `concurrent`.
"""

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial

import numpy as np

from caskg.errors import EncoderError
from caskg.providers.calls import Reply, Session, load_sdk, open_session, utf8
from caskg.providers.concurrent import as_answered
from caskg.providers.failures import Failure, Health
from caskg.providers.messages import (
    chat_body,
    keeps_schema,
    no_text,
    read_answer,
    read_vectors,
    refused_fields,
)
from caskg.providers.pace import Pace
from caskg.providers.settings import ChatOptions, EmbeddingOptions, Endpoint, SchemaMode
from caskg.schema import ChatAnswer, ChatRequest, VectorArray, estimated_tokens

UNKNOWN_SCHEMA = frozenset({400, 404, 405, 415, 422, 500, 501})
"""How servers answer to a schema they do not know; also to other faults, so the same is asked in words."""
IN_WORDS_TOO = "Asked in words it failed too; --schema-mode plain asks so from the start."
EMBEDDED_AT_ONCE = 16
MOST_CHAT_BYTES = 1 << 20
"""Of an answer, and as many for each alternative whose log-probability is asked for."""
MOST_VECTOR_BYTES = 1 << 19
"""Of one embedding: 20,000 numbers as they are written out."""


class OpenAIChat:
    """A `ChatModel` behind an OpenAI-compatible server.

    Until the first answer one call is out at a time, so that a wrong key, a wrong model or
    a server without schemas costs one call and not as many as there may be.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        options: ChatOptions,
        *,
        may_retry: Callable[[ChatRequest, bool], bool] = lambda _request, _paid: True,
    ) -> None:
        """Name the server and what is asked; nothing is sent.

        Args:
            endpoint: Where the server is.
            options: What it is asked for.
            may_retry: Asked, in another thread, before a request is sent again, with whether the attempt
                before may have been paid.

        Raises:
            ProviderError: The extra is not installed.
        """
        load_sdk()
        self._endpoint, self._options, self._may_retry = endpoint, options, may_retry
        self._requests, self._tokens = Pace(endpoint.requests_per_minute), Pace(endpoint.tokens_per_minute)
        self._by_schema = options.schema_mode is not SchemaMode.PLAIN
        self._schema_known = options.schema_mode is not SchemaMode.AUTO
        self._refused: frozenset[str] = frozenset()
        self._greeted = False

    @property
    def fingerprint(self) -> str:
        """The model and every option, as it was given: not whether the server knows schemas or takes it.

        Further fields stand in it by their hash: one of them might be a secret.
        """
        options = self._options
        temperature = "none" if options.temperature is None else f"{options.temperature:g}"
        seed = "none" if options.seed is None else options.seed
        further = json.dumps(options.extra_body, sort_keys=True).encode()
        extra = hashlib.blake2b(further, digest_size=6).hexdigest() if options.extra_body else "none"
        return (
            f"chat-{options.model}-temperature={temperature}-seed={seed}"
            f"-schema={options.schema_mode}-logprobs={options.top_logprobs}-extra={extra}"
        )

    def complete_many(self, requests: Iterable[ChatRequest]) -> Iterator[tuple[ChatRequest, ChatAnswer]]:
        """Yield each request with its answer, as `ChatModel` says.

        When no call can succeed, nothing more is pulled, what is out is still yielded, and
        the error comes last.

        Raises:
            ProviderError: See `ChatModel`.
        """
        health = Health(greeted=self._greeted)
        answers = as_answered(
            requests,
            session=partial(
                open_session,
                self._endpoint,
                most_bytes=MOST_CHAT_BYTES * (1 + self._options.top_logprobs),
                requests=self._requests,
                tokens=self._tokens,
            ),
            work=partial(self._complete, health=health),
            width=lambda: self._width(health),
        )
        with closing(answers) as stream:
            for request, (answer, failure) in stream:
                health.note(failure)
                self._greeted = health.greeted
                yield request, answer
        health.check(self._endpoint.base_url)

    def _width(self, health: Health) -> int:
        if health.fatal:
            return 0
        return self._endpoint.concurrency if health.greeted else 1

    async def _complete(
        self, session: Session, request: ChatRequest, *, health: Health
    ) -> tuple[ChatAnswer, Failure | None]:
        began = time.monotonic()
        reply = await self._ask(session, request, health)
        answer = read_answer(
            reply, seconds=time.monotonic() - began, clean=session.without_key, refused=self._refused
        )
        failure = reply.failure or no_text(reply.body)
        # Whoever worded it: what is kept and shown is without the key.
        return answer, failure and replace(failure, reason=session.without_key(failure.reason))

    async def _ask(self, session: Session, request: ChatRequest, health: Health) -> Reply:
        """Ask by schema; where the server may not know schemas, ask the same in words, once."""

        def may_retry(paid: bool) -> bool:  # noqa: FBT001 - as `Session.post` calls it
            return health.fatal is None and self._may_retry(request, paid)

        by_schema = self._by_schema and request.schema is not None
        reply = await self._adapted(session, request, by_schema=by_schema, may_retry=may_retry)
        if not by_schema or self._schema_known:
            return reply
        kept = keeps_schema(reply.body) if reply.failure is None else None
        self._schema_known |= kept is True
        doubtful = reply.failure.status in UNKNOWN_SCHEMA if reply.failure else kept is False
        if not doubtful or not self._may_retry(request, reply.calls > 0):
            return reply
        in_words = await self._adapted(
            session, request, by_schema=False, may_retry=lambda paid: not paid and may_retry(paid)
        )
        if (in_words.failure or no_text(in_words.body)) is None:
            self._by_schema, self._schema_known = False, True
            return replace(in_words, calls=reply.calls + in_words.calls)
        return _told_of_words(reply, calls=reply.calls + in_words.calls)

    async def _adapted(
        self,
        session: Session,
        request: ChatRequest,
        *,
        by_schema: bool,
        may_retry: Callable[[bool], bool],
    ) -> Reply:
        """Send *request*; until the first answer also without the settings that a refusal names."""
        calls, refused = 0, self._refused
        while True:
            body = chat_body(
                request,
                self._options,
                base_url=self._endpoint.base_url,
                by_schema=by_schema,
                refused=refused,
            )
            expected = request.estimated_prompt_tokens + request.max_tokens
            reply = await session.post("/chat/completions", body, tokens=expected, may_retry=may_retry)
            calls += reply.calls
            named = refused_fields(reply.failure, body) - refused
            if self._greeted or not named:
                break
            refused |= named
        if reply.failure is None:
            self._refused = refused
        return replace(reply, calls=calls)


def _told_of_words(reply: Reply, *, calls: int) -> Reply:
    """Return what came of a schema, told what to do about it: to ask in words did not help."""
    why = reply.failure or no_text(reply.body)
    told = why and replace(why, reason=f"{why.reason} {IN_WORDS_TOO}")
    return replace(reply, calls=calls, failure=told)


class OpenAIEncoder:
    """An `Encoder` behind an OpenAI-compatible server. Every text is needed, so one failure ends it."""

    def __init__(self, endpoint: Endpoint, options: EmbeddingOptions) -> None:
        """Name the server and the model; nothing is sent.

        Raises:
            ProviderError: The extra is not installed.
        """
        load_sdk()
        self._dimension: int | None = None
        self._endpoint, self._model, self._max_chars = endpoint, options.model, options.max_chars
        self._requests, self._tokens = Pace(endpoint.requests_per_minute), Pace(endpoint.tokens_per_minute)

    @property
    def fingerprint(self) -> str:
        """The model and the length; what a server does under one name is the server's."""
        return f"embeddings-{self._model}-{self._max_chars}"

    def encode(self, texts: Sequence[str]) -> VectorArray:
        """Encode *texts*, each by its first characters and once; blank ones as zeros, without asking.

        Returns:
            Shape ``(len(texts), d)``, float32, unit rows. Where all are blank, and no text was
            encoded before, a word is sent to learn *d*.

        Raises:
            EncoderError: A call failed, or the answer is not as many vectors of one length.
            ProviderError: No call can succeed.
        """
        beginnings = [utf8(text[: self._max_chars]) for text in texts]
        asked = list(dict.fromkeys(text for text in beginnings if text.strip()))
        if texts and not asked and self._dimension is None:
            asked = ["a"]
        rows = dict(self._rows(asked))
        lengths = {len(row) for row in rows.values()} | ({self._dimension} if self._dimension else set())
        if len(lengths) > 1:
            msg = f"Model {self._model!r} gave vectors of {len(lengths)} lengths: it is no encoder."
            raise EncoderError(msg)
        self._dimension = next(iter(lengths), None)
        vectors = np.zeros((len(texts), self._dimension or 0), dtype=np.float32)
        for at, text in enumerate(beginnings):
            if text in rows:
                vectors[at] = rows[text]
        return vectors

    def _rows(self, texts: Sequence[str]) -> Iterator[tuple[str, VectorArray]]:
        """Yield each text with its vector."""
        health = Health(greeted=self._dimension is not None)
        answers = as_answered(
            (texts[start : start + EMBEDDED_AT_ONCE] for start in range(0, len(texts), EMBEDDED_AT_ONCE)),
            session=partial(
                open_session,
                self._endpoint,
                most_bytes=MOST_VECTOR_BYTES * EMBEDDED_AT_ONCE,
                requests=self._requests,
                tokens=self._tokens,
            ),
            work=self._embed,
            width=lambda: self._endpoint.concurrency if health.greeted else 1,
        )
        with closing(answers) as stream:
            for batch, reply in stream:
                health.note(reply.failure)
                health.check(self._endpoint.base_url)
                yield from zip(batch, self._vectors(reply, n=len(batch)), strict=True)

    async def _embed(self, session: Session, texts: Sequence[str]) -> Reply:
        body = {"model": self._model, "input": list(texts), "encoding_format": "float"}
        return await session.post("/embeddings", body, tokens=sum(map(estimated_tokens, texts)))

    def _vectors(self, reply: Reply, *, n: int) -> VectorArray:
        if reply.failure:
            msg = f"Texts could not be embedded: {reply.failure.reason}"
            raise EncoderError(msg)
        try:
            return read_vectors(reply.body, n=n)
        except ValueError as error:
            msg = f"Model {self._model!r} gave no embeddings ({error}): is it an encoder?"
            raise EncoderError(msg) from error
