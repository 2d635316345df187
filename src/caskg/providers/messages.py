"""What is sent to an OpenAI-compatible server, and what its answers say, of whatever shape they are."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from caskg.providers.calls import Reply, usage, utf8
from caskg.providers.settings import OPENAI_URL, ChatOptions
from caskg.schema import ChatAnswer, ChatRequest, TokenAlternatives, VectorArray

_MOST_REASON = 400  # characters
_THOUGHTS = ("reasoning_content", "reasoning")  # where servers put what a model thinks
_NO_TEXT = {
    "length": "The model used up its tokens before it answered: allow more, or turn its reasoning down.",
    "content_filter": "The server's filter kept the answer back.",
    "tool_calls": "The model called a tool and gave no answer.",
}
_LEAST_LOGPROB = 1e6  # servers write -9999 or so for what cannot be; no float holds every integer


def chat_body(
    request: ChatRequest, options: ChatOptions, *, base_url: str, by_schema: bool
) -> dict[str, Any]:
    """Return what is sent for *request*."""
    length = options.max_tokens_name or ("max_completion_tokens" if base_url == OPENAI_URL else "max_tokens")
    body: dict[str, Any] = {
        "model": options.model,
        "messages": [{"role": role, "content": utf8(text)} for role, text in request.messages],
        length: request.max_tokens,
    }
    if options.temperature is not None:
        body["temperature"] = options.temperature
    if options.seed is not None:
        body["seed"] = options.seed
    if options.top_logprobs:
        body |= {"logprobs": True, "top_logprobs": options.top_logprobs}
    if request.schema is not None and by_schema:
        schema = {"name": "answer", "strict": True, "schema": request.schema}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif request.schema is not None:
        wanted = json.dumps(request.schema, ensure_ascii=False)
        words = f"\n\nAnswer with one JSON object that fits this JSON schema, and nothing else:\n{wanted}"
        body["messages"][-1]["content"] += words
    return body | dict(options.extra_body)


def read_answer(reply: Reply, *, seconds: float, clean: Callable[[str], str] = str) -> ChatAnswer:
    """Read a chat completion, of whatever shape it is.

    Args:
        reply: What the server sent.
        seconds: How long it took.
        clean: Takes out of a text what must not be kept.
    """
    read, written = usage(reply.body)
    text = _said(reply.body)
    said = clean(text) if text.strip() else None
    failed = reply.failure.reason if reply.failure else _why_no_text(reply.body)
    return ChatAnswer(
        text=said,
        error=None if said is not None else clean(failed)[:_MOST_REASON],  # not the other way round
        prompt_tokens=read,
        completion_tokens=written,
        calls=reply.calls,
        seconds=seconds,
        token_logprobs=_token_logprobs(reply.body, clean) if said is not None else (),
    )


def ignores_schema(body: object) -> bool:
    """Return whether a completion that was asked for by schema is whole, and no JSON at all.

    >>> ignores_schema({"choices": [{"message": {"content": "Sure! The score is 1."}}]})
    True
    """
    text = _said(body)
    if not text or _at(body, "choices", 0, "finish_reason") == "length":
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return True
    return False


def _said(body: object) -> str:
    """Return the text of a completion, which may come in parts; empty where there is none."""
    content = _at(body, "choices", 0, "message", "content")
    parts = [_at(part, "text") for part in content] if isinstance(content, list) else [content]
    return "".join(part for part in parts if isinstance(part, str))


def _why_no_text(body: object) -> str:
    message = _at(body, "choices", 0, "message")
    if not isinstance(message, Mapping):
        error = _at(body, "error", "message") or _at(body, "error")
        told = f" It says: {error}" if isinstance(error, str) else ""
        return f"The server's answer holds no choices, so it is no chat completion.{told}"
    refusal, reason = message.get("refusal"), str(_at(body, "choices", 0, "finish_reason"))
    if isinstance(refusal, str) and refusal:
        return f"The model refused: {refusal}"
    if reason in _NO_TEXT:
        return _NO_TEXT[reason]
    thoughts = any(message.get(name) for name in _THOUGHTS)
    return "The model thought, and gave no answer." if thoughts else "The answer is empty."


def _token_logprobs(body: object, clean: Callable[[str], str]) -> tuple[TokenAlternatives, ...]:
    places = _at(body, "choices", 0, "logprobs", "content")
    return tuple(_alternatives(place, clean) for place in places) if isinstance(places, list) else ()


def _alternatives(place: object, clean: Callable[[str], str]) -> TokenAlternatives:
    """Return the chosen token and its alternatives; those of the wrong shape are left out."""
    others = _at(place, "top_logprobs")
    tokens = [place, *(others if isinstance(others, list) else [])]
    found = {
        clean(_at(each, "token")): float(chance)
        for each in reversed(tokens)
        if isinstance(_at(each, "token"), str)
        and isinstance(chance := _at(each, "logprob"), int | float)
        and abs(chance) <= _LEAST_LOGPROB
    }
    return tuple(reversed(found.items()))


def _at(document: Any, *path: str | int) -> Any:  # noqa: ANN401 - parsed JSON
    """Return what stands at *path* of parsed JSON; None where there is nothing."""
    for step in path:
        fits = isinstance(document, Mapping if isinstance(step, str) else Sequence) and not isinstance(
            document, str
        )
        try:
            document = document[step] if fits else None
        except LookupError:
            return None
    return document


def read_vectors(body: object, *, n: int) -> VectorArray:
    """Read *n* embeddings, in the order they were asked for, as unit rows.

    Raises:
        ValueError: There are not so many, or they are no vectors of finite numbers.
    """
    items = _at(body, "data")
    if not isinstance(items, list) or len(items) != n:
        msg = f"not {n} vectors for {n} texts"
        raise ValueError(msg)
    places = [_at(item, "index") for item in items]
    if not all(isinstance(place, int) for place in places) or sorted(places) != list(range(n)):
        msg = "they are not numbered as the texts are"
        raise ValueError(msg)
    try:
        found = np.array([_at(item, "embedding") for item in items])
    except ValueError as error:
        msg = "they are vectors of several lengths"
        raise ValueError(msg) from error
    if found.ndim != 2 or found.dtype.kind not in "iuf" or not np.isfinite(found).all():  # noqa: PLR2004 - a matrix
        msg = "they are no vectors of finite numbers"
        raise ValueError(msg)
    vectors = found[np.argsort(places)].astype(np.float64)
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0)
    if not largest.all():
        msg = "a text has a vector of zeros, as if it said nothing"
        raise ValueError(msg)
    vectors /= largest  # so that no square is beyond a float
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)
