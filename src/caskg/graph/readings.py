"""The reader of a model's answers: one score of a closed list, or why there is none.

Beside `prompts`, which asks. Reading is strict: a score outside the list, another
shape, or text after it is a missing answer with its reason, never 0.5.
"""

import json
import math
import re
from dataclasses import dataclass
from typing import Any

from caskg.graph.prompts import CANNOT_TELL, SCORES
from caskg.schema import ChatAnswer, json_within

UNTOLD = "The model cannot tell."
"""The reason of an answer that is missing because the model says so; all others are failures."""

UNFINISHED = (
    "The model was still thinking when its answer ended: allow more with --answer-tokens, or turn its "
    "reasoning down."
)
_MORE_TOKENS = 1000  # what thinking takes at least

_QUOTED = 60  # characters of an unreadable answer that its reason quotes
_VALUE = re.compile(r'"score"\s*:\s*"?(?P<value>[0-9.]+)')


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A score in ``[0, 1]``, or None and the reason."""

    score: float | None = None
    missing_reason: str | None = None


def read_score(text: str) -> Reading:
    """Read an answer, which the one JSON object of a text ends (`json_within`).

    A number counts as the score that is written like it: 0.7 as "0.7".

    >>> read_score('{"score": "0.7"}')
    Reading(score=0.7, missing_reason=None)
    >>> read_score('{"score": "0.75"}').missing_reason
    'The score "0.75" is none of those that were offered.'
    """
    said = json_within(text)
    if said is None:
        return _missing(UNFINISHED)
    try:
        found = json.loads(said, object_pairs_hook=_Pairs)
    except (ValueError, RecursionError):
        return _missing(f"The answer is no JSON: {_quote(said)}.")
    if not isinstance(found, _Pairs) or [name for name, _ in found] != ["score"]:
        return _missing(f"The answer is no object with a score alone: {_quote(said)}.")
    value = found[0][1]
    if value == CANNOT_TELL:
        return _missing(UNTOLD)
    score = SCORES.get(value) if isinstance(value, str) else _as_offered(value)
    if score is None:
        return _missing(f"The score {_quote(json.dumps(value))} is none of those that were offered.")
    return Reading(score=score)


def cut_off(max_tokens: int) -> str:
    """Return the reason of an answer that was ended, unreadable, for its length.

    >>> cut_off(64)[:76]
    'The answer was cut off for its length, at most 64 tokens: allow more, such a'
    """
    more = max(_MORE_TOKENS, 4 * max_tokens)
    return (
        f"The answer was cut off for its length, at most {max_tokens:,} tokens: allow more, such as "
        f"--answer-tokens {more}, or turn the model's reasoning down."
    )


def expected_score(answer: ChatAnswer) -> Reading:
    """Read an answer as the mean of all scores, by the probabilities of their tokens.

    At each token of the score the alternatives that were not taken stand for the
    scores that begin so, in equal parts. "cannot tell" has no part in the mean;
    where it was the answer, the answer is missing. Without log-probabilities, or
    where their tokens are not those of the answer, the score is the one that was written.

    Returns:
        A score in ``[0, 1]``, or the reason why there is none.
    """
    reading, said = read_score(answer.text or ""), json_within(answer.text or "")
    if reading.score is None or said is None or not all(answer.token_logprobs):
        return reading
    text = "".join(place[0][0] for place in answer.token_logprobs)  # some servers count thoughts in
    found = _VALUE.search(text, text.rfind(said)) if said in text else None
    if found is None:
        return reading
    start = found.start("value")
    weights, path, at = dict.fromkeys(SCORES, 0.0), 1.0, 0
    for place in answer.token_logprobs:
        (token, logprob), *others = place
        if at + len(token) > start and at <= found.end("value"):
            for other, other_logprob in others:
                begun = _begun(text, start, at=at, token=other)
                meant = [] if begun is None or other == token else _meant(begun)
                for score in meant:
                    weights[score] += path * math.exp(other_logprob) / len(meant)
            path *= math.exp(logprob)
        at += len(token)
    weights[f"{reading.score:g}"] += path
    total = sum(weights.values())
    if not total:  # as where a grammar forced a token that the model gave no chance
        return reading
    return Reading(score=sum(SCORES[score] * weight for score, weight in weights.items()) / total)


class _Pairs(list[tuple[str, Any]]):
    """A JSON object as it was written: a name may come twice."""


def _as_offered(value: object) -> float | None:
    """Return a number that was offered as text; True and 0.70000001 were not."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return next((score for score in SCORES.values() if is_number and score == value), None)


def _begun(text: str, start: int, *, at: int, token: str) -> str | None:
    """Return the score as it begins with *token* at *at*; None where that breaks what stands before it."""
    if at >= start:
        return text[start:at] + token
    before = text[at:start]
    return token[len(before) :] if token.startswith(before) and len(token) > len(before) else None


def _meant(begun: str) -> list[str]:
    """Return the scores that *begun* may become; one that is closed is that one alone."""
    value, closed = re.subn(r'["}\s,].*', "", begun, flags=re.DOTALL)
    if closed:
        return [value] if value in SCORES else []
    return [score for score in SCORES if score.startswith(value)]


def _missing(reason: str) -> Reading:
    return Reading(missing_reason=reason)


def _quote(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _QUOTED else f"{flat[:_QUOTED]}..."
