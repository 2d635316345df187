"""What is sent to an OpenAI-compatible server, and what its answers say, of whatever shape they are."""

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from caskg.providers.calls import Reply, usage, utf8
from caskg.providers.failures import Blame, Failure
from caskg.providers.settings import OPENAI_URL, ChatOptions
from caskg.schema import ChatAnswer, ChatRequest, TokenAlternatives, VectorArray, json_within

_MOST_REASON = 400  # characters
_REFUSABLE = ("temperature", "seed", "logprobs", "top_logprobs", "max_tokens")
_NO_SUCH_FIELD = frozenset({400, 422})
_THOUGHTS = ("reasoning_content", "reasoning")  # where servers put what a model thinks
_NO_TEXT = {
    "length": (
        "The model used up its tokens before it answered: allow more with --answer-tokens, or turn its "
        "reasoning down."
    ),
    "content_filter": "The server's filter kept the answer back.",
    "tool_calls": "The model called a tool and gave no answer.",
}
_LEAST_LOGPROB = 1e6  # servers write -9999 or so for what cannot be; no float holds every integer


def chat_body(
    request: ChatRequest,
    options: ChatOptions,
    *,
    base_url: str,
    by_schema: bool,
    refused: Collection[str] = (),
) -> dict[str, Any]:
    """Return what is sent for *request*, without the fields that the server *refused*."""
    length = options.max_tokens_name or ("max_completion_tokens" if base_url == OPENAI_URL else "max_tokens")
    if length in refused:
        length = "max_completion_tokens"
    body: dict[str, Any] = {
        "model": options.model,
        "messages": [{"role": role, "content": utf8(text)} for role, text in request.messages],
        length: request.max_tokens,
    }
    may_go = {
        "temperature": options.temperature,
        "seed": options.seed,
        "logprobs": options.top_logprobs > 0 or None,
        "top_logprobs": options.top_logprobs or None,
    }
    body |= {name: value for name, value in may_go.items() if value is not None and name not in refused}
    if request.schema is not None and by_schema:
        schema = {"name": "answer", "strict": True, "schema": request.schema}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif request.schema is not None:
        wanted = json.dumps(request.schema, ensure_ascii=False)
        words = f"\n\nAnswer with one JSON object that fits this JSON schema, and nothing else:\n{wanted}"
        body["messages"][-1]["content"] += words
    return body | dict(options.extra_body)


def refused_fields(failure: Failure | None, body: Mapping[str, Any]) -> frozenset[str]:
    """Return which fields of *body* a refusal names, of those that a call can do without.

    >>> from caskg.providers.failures import Blame
    >>> no = Failure(reason='HTTP 400: Unknown name "seed".', blame=Blame.REQUEST, status=400)
    >>> sorted(refused_fields(no, {"seed": 0, "temperature": 0.0}))
    ['seed']
    """
    if failure is None or failure.status not in _NO_SUCH_FIELD:
        return frozenset()
    named = {name.lower() for name in re.findall(r"\w+", failure.reason)}
    if named & {"logprobs", "top_logprobs"}:
        named |= {"logprobs", "top_logprobs"}  # neither goes alone
    return frozenset(name for name in _REFUSABLE if name in named and name in body)


def read_answer(
    reply: Reply, *, seconds: float, clean: Callable[[str], str] = str, refused: Collection[str] = ()
) -> ChatAnswer:
    """Read a chat completion, of whatever shape it is.

    Args:
        reply: What the server sent.
        seconds: How long it took.
        clean: Takes out of a text what must not be kept.
        refused: Fields that were not sent since the server refuses them.
    """
    read, written = usage(reply.body)
    text = _said(reply.body)
    said = clean(text) if text.strip() else None
    failed = reply.failure or no_text(reply.body)
    return ChatAnswer(
        text=said,
        error=clean(failed.reason)[:_MOST_REASON] if failed else None,  # not the other way round
        prompt_tokens=read,
        completion_tokens=written,
        calls=reply.calls,
        seconds=seconds,
        token_logprobs=_token_logprobs(reply.body, clean) if said is not None else (),
        left_out=tuple(sorted(set(refused) - {"max_tokens"})),  # whose other name says the same
        cut_off=_at(reply.body, "choices", 0, "finish_reason") == "length",
    )


def no_text(body: object) -> Failure | None:
    """Return why a completion says nothing, in words that may hold the key; None where it says something.

    An error with the status of a success is the server's, all else of the one request.

    >>> no_text({"error": {"message": "no credits"}}).blame
    <Blame.SERVER: 'server'>
    """
    if _said(body).strip():
        return None
    is_error = _at(body, "error") and not isinstance(_at(body, "choices", 0, "message"), Mapping)
    return Failure(reason=_why_no_text(body), blame=Blame.SERVER if is_error else Blame.REQUEST)


def keeps_schema(body: object) -> bool | None:
    """Return whether a completion that was asked for by schema is JSON; None where that cannot be known.

    What was cut off, kept back or declined says nothing of schemas. One that is empty although
    nothing of that is said may be of a decoder that let the model think, and no more.

    >>> keeps_schema({"choices": [{"message": {"content": "Sure! The score is 1."}}]})
    False
    """
    found = json_within(_said(body))
    try:
        json.loads(found or "")
    except (ValueError, RecursionError):
        declined = _at(body, "choices", 0, "message", "refusal")
        unknown = declined or _at(body, "choices", 0, "finish_reason") in ("length", "content_filter")
        return None if unknown or found is None else False
    return True


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
        clean(_at(each, "token")): min(float(chance), 0.0)
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
