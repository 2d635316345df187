"""Which fields a call may have besides those that CaSKG sets: none that makes a plan or a setting untrue.

Read by `settings`, as ``extra_body``.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from caskg.errors import UsageError
from caskg.providers.secret import hide_keys

LENGTH_NAMES = ("max_tokens", "max_completion_tokens", "max_new_tokens", "max_output_tokens", "n_predict")
"""Under what names servers take the most tokens of an answer."""
_OWN_FIELDS = {
    **dict.fromkeys(("model", "temperature", "seed", "top_logprobs"), "set the setting of that name"),
    **dict.fromkeys(
        (*LENGTH_NAMES, "num_predict", "max_length", "max_gen_len"),
        "use --answer-tokens, so that a plan can tell what is paid at most",
    ),
    **dict.fromkeys(
        ("min_tokens", "min_new_tokens", "min_length", "ignore_eos"),
        "an answer ends by itself, and at --answer-tokens",
    ),
    **dict.fromkeys(("n", "best_of"), "one answer is read, and all would be paid"),
    **dict.fromkeys(("stream", "stream_options"), "an answer is read as a whole"),
    **dict.fromkeys(
        ("tools", "tool_choice", "functions", "function_call", "plugins", "web_search_options"),
        "a score is to be answered from the prompt alone, and a call of a tool is none",
    ),
    "models": "answers are kept under the name of the one model; set model",
    "messages": "the questions are put there",
    **dict.fromkeys(
        ("response_format", "format", "json_schema", "grammar", "structured_outputs"), "set schema_mode"
    ),
    **dict.fromkeys(("guided_json", "guided_regex", "guided_choice", "guided_grammar"), "set schema_mode"),
    "logprobs": "set top_logprobs",
}
"""Fields of a call that are no further ones, and what to do instead; whatever their case and underscores."""
_OF_THEIR_OWN = ("reasoning", "thinking", "metadata", "logit_bias")
"""Further fields in whose tables such names mean something else."""


def check_further(body: Mapping[str, Any]) -> None:
    """Check the fields that a call is to have besides those of a chat.

    Raises:
        UsageError: One cannot be sent, or is no further one.
    """
    try:
        json.dumps(dict(body), allow_nan=False)
        paths = list(_paths(body))
    except (TypeError, ValueError, RecursionError):
        msg = "extra_body holds what JSON cannot: leave out dates, and numbers without end."
        raise UsageError(msg) from None
    advice = {_plain(name): told for name, told in _OWN_FIELDS.items()}
    for path in paths:
        if told := advice.get(_plain(path[-1])):
            msg = f"extra_body must not hold {hide_keys('.'.join(path))!r}: {told}."
            raise UsageError(msg)


def _paths(table: object, *above: str) -> Iterator[tuple[str, ...]]:
    """Yield the names of all fields, with those of the tables they stand in: servers look there too."""
    if isinstance(table, list | tuple):
        for each in table:
            yield from _paths(each, *above)
    if isinstance(table, Mapping):
        for name, value in table.items():
            yield (*above, str(name))
            if name not in _OF_THEIR_OWN:
                yield from _paths(value, *above, str(name))


def _plain(name: str) -> str:
    """Return *name* as all who write it may: ``maxTokens`` is ``max_tokens``."""
    return name.replace("_", "").replace("-", "").lower()
