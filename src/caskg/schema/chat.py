"""What is sent to a language model, and what comes back."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

TokenAlternatives = tuple[tuple[str, float], ...]
"""One place of an answer: ``(token, log-probability)``, the token that was chosen first."""

_THOUGHTS = "think|thinking|thought|thoughts|reasoning|reflection|analysis|scratchpad"
_MARK = re.compile(rf"[<\[◁](?P<closes>/?)(?:{_THOUGHTS})[>\]▷]", re.IGNORECASE)


def estimated_tokens(text: str) -> int:
    """Return about how many tokens *text* has: one for each three bytes of UTF-8 begun.

    >>> estimated_tokens("boil"), estimated_tokens("煮水"), estimated_tokens("")
    (2, 2, 0)
    """
    return -(-len(text.encode(errors="replace")) // 3)


def json_within(text: str) -> str | None:
    r"""Return the JSON object that *text* ends with, which a model may have led up to aloud.

    What is thought between marks such as ``<think>`` is no answer, nor are words before the object and
    a block of code around it. Where there is no object, all that is not thought is returned; None where
    a model thinks to the end. Nothing is parsed.

    >>> json_within('<think>Is it {1}?</think>So:\n```json\n{"score": "1"}\n```')
    '{"score": "1"}'
    >>> json_within("<think>Hm, let me") is None
    True
    """
    marks = list(_MARK.finditer(text))
    if marks and not marks[-1]["closes"]:
        return None
    said = text[marks[-1].end() :] if marks else text
    begins = said.find("{")
    return said.strip() if begins < 0 else said[begins:].strip().removesuffix("```").rstrip()


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
        token_logprobs: One entry for each token, which some servers give of what was thought too; empty
            where not asked for, or not given.
        left_out: Names of settings that may change an answer and that the server refuses, so it was
            asked without them.
        cut_off: The server ended it at the most tokens that were allowed.
    """

    text: str | None
    error: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    calls: int = 0
    seconds: float = 0.0
    token_logprobs: tuple[TokenAlternatives, ...] = ()
    left_out: tuple[str, ...] = ()
    cut_off: bool = False
