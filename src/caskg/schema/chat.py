"""What is sent to a language model, and what comes back."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

TokenAlternatives = tuple[tuple[str, float], ...]
"""One place of an answer: ``(token, log-probability)``, the token that was chosen first."""


def estimated_tokens(text: str) -> int:
    """Return about how many tokens *text* has: one for each three bytes of UTF-8 begun.

    >>> estimated_tokens("boil"), estimated_tokens("煮水"), estimated_tokens("")
    (2, 2, 0)
    """
    return -(-len(text.encode(errors="replace")) // 3)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """One question to a chat model.

    Attributes:
        id: The caller's name for it, unique among those that are out at a time; not sent.
        messages: ``(role, text)``, in order; a role is ``system``, ``user`` or ``assistant``.
        schema: The JSON schema of the wanted answer; None = plain text.
        max_tokens: Most tokens of the answer, at least 1.
    """

    id: str
    messages: tuple[tuple[str, str], ...]
    schema: Mapping[str, Any] | None = None
    max_tokens: int = 256

    @property
    def estimated_prompt_tokens(self) -> int:
        """About how many tokens are read for it, rather too many than too few.

        A token for three bytes of UTF-8, which is a little more than English takes, and one
        a character of Chinese; four for each message around them; and the schema.
        """
        schema = json.dumps(self.schema) if self.schema else ""
        return sum(4 + estimated_tokens(text) for _, text in self.messages) + estimated_tokens(schema)


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
