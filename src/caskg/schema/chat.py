"""What is sent to a language model, and what comes back."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

TokenAlternatives = tuple[tuple[str, float], ...]
"""One place of an answer: ``(token, log-probability)``, the token that was chosen first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """One question to a chat model.

    Attributes:
        id: The caller's name for it; it comes back beside the answer, and is not sent.
        messages: ``(role, text)``, in order; a role is ``system``, ``user`` or ``assistant``.
        schema: The JSON schema of the wanted answer; None = plain text.
        max_tokens: Most tokens of the answer, at least 1.
    """

    id: str
    messages: tuple[tuple[str, str], ...]
    schema: Mapping[str, Any] | None = None
    max_tokens: int = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatAnswer:
    """What a chat model said, or why it said nothing. Whether the text can be read is the caller's question.

    Attributes:
        text: The raw answer; None = the call failed.
        error: One sentence; set exactly when *text* is None.
        prompt_tokens: Tokens read, over all attempts that were answered; 0 where the server does not say.
        completion_tokens: Tokens written, likewise.
        calls: HTTP attempts that may have been paid: all but refused ones and those that never connected.
        seconds: From the first attempt to the answer, waits included.
        token_logprobs: One entry for each token of *text*; empty where not asked for, or not given.
    """

    text: str | None
    error: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    calls: int = 0
    seconds: float = 0.0
    token_logprobs: tuple[TokenAlternatives, ...] = ()
