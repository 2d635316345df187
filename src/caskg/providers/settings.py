"""Where a server is, what it is asked for, and the key to it; from options, environment and a file.

The key is a `Secret`, which no ``repr``, ``asdict`` or JSON shows. A key is sent only to
the address it was given for: that of a file not to another address than the file's, and
``OPENAI_API_KEY`` to OpenAI alone.
"""

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from caskg.errors import UsageError

OPENAI_URL = "https://api.openai.com/v1"
OPENAI_KEY_VARIABLE = "OPENAI_API_KEY"
LEAST_KEY_CHARS = 8
NOT_SENT = "none"
_ESCAPED = re.compile(r"\\+u([0-9a-fA-F]{4})")
IN_ENVIRONMENT = ("base_url", "model", "api_key")
"""These may stand in the environment: ``CASKG_LLM_MODEL``, ``CASKG_EMBEDDINGS_MODEL`` and so on."""


class Secret:
    """A key to a server. Only `reveal` shows it."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        """Keep *text*, without space around it.

        Raises:
            UsageError: It is empty, or cannot stand in an HTTP header.
        """
        self._text = text.strip()
        if not self._text or not self._text.isascii() or not self._text.isprintable() or " " in self._text:
            msg = "The API key is empty, or holds characters that no key has: check where it is set."
            raise UsageError(msg)

    def reveal(self) -> str:
        """Return the key."""
        return self._text

    def scrub(self, text: str) -> str:
        r"""Return *text* without the key, unless that is a short word in place of one, such as ``EMPTY``.

        Of a text that holds it in disguise, parted by blanks or in escapes of JSON, nothing is left.

        >>> key = Secret("sk-0123456789")
        >>> key.scrub("got sk-0123456789."), key.scrub("sk-01\n23456789")
        ('got [key].', '[key]')
        """
        if len(self._text) < LEAST_KEY_CHARS:
            return text
        clean = text.replace(self._text, "[key]")
        bare = _ESCAPED.sub(lambda code: chr(int(code[1], 16)), clean)
        return "[key]" if self._text in "".join(bare.replace("\\n", "").split()) else clean

    def __repr__(self) -> str:
        return "Secret()"


class SchemaMode(StrEnum):
    """How an answer in JSON is asked for."""

    AUTO = "auto"  # by schema, and in words from when the server is found to know no schemas
    JSON_SCHEMA = "json_schema"
    PLAIN = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A server, and how it is called. Nothing here changes an answer.

    Attributes:
        base_url: Up to and with ``/v1``, as a rule.
        api_key: None = none is needed.
        concurrency: Most calls out at a time, at least 1.
        requests_per_minute: Calls are spaced evenly to keep it, above 0; None = no limit.
        tokens_per_minute: Likewise, for tokens in and out.
        timeout_s: Seconds until a call counts as never answered, from sending to the last byte, above 0.
        max_attempts: Most times that a request is sent, at least 1; refusals for its rate do not count.
        backoff_s: The first wait before another attempt, doubled each time; 0 or more.
        max_wait_s: Longest wait before an attempt, and for all refused for their rate; 0 or more.
    """

    base_url: str = OPENAI_URL
    api_key: Secret | None = None
    concurrency: int = 8
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    timeout_s: float = 120.0
    max_attempts: int = 4
    backoff_s: float = 0.5
    max_wait_s: float = 120.0

    def __post_init__(self) -> None:
        _check_url(self.base_url)
        for name in ("concurrency", "max_attempts"):
            _check(name, getattr(self, name), getattr(self, name) >= 1, "must be at least 1")
        for name in ("requests_per_minute", "tokens_per_minute", "timeout_s"):
            value = getattr(self, name)
            _check(name, value, value is None or 0 < value < math.inf, "must be above 0")
        for name in ("backoff_s", "max_wait_s"):
            _check(name, getattr(self, name), 0 <= getattr(self, name) < math.inf, "must be 0 or more")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatOptions:
    """What a chat model is asked for. Everything here may change an answer.

    Attributes:
        model: Its name, as the server knows it.
        temperature: None = the server's own, for models that refuse one.
        seed: None = none is sent.
        schema_mode: How JSON is asked for.
        top_logprobs: How many alternatives of each token are asked for, 0 to 20; 0 = none.
        max_tokens_name: Under what name the length is sent; None = the one that the address expects.
        extra_body: Further fields of each call, such as ``reasoning_effort``.
    """

    model: str
    temperature: float | None = 0.0
    seed: int | None = 0
    schema_mode: SchemaMode = SchemaMode.AUTO
    top_logprobs: int = 0
    max_tokens_name: str | None = None
    extra_body: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check("model", self.model, bool(self.model.strip()), "must name a model")
        in_range = self.temperature is None or 0 <= self.temperature <= 2  # noqa: PLR2004 - the API's range
        _check("temperature", self.temperature, in_range, "must be within 0 and 2")
        _check("top_logprobs", self.top_logprobs, 0 <= self.top_logprobs <= 20, "must be within 0 and 20")  # noqa: PLR2004 - the API's range


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingOptions:
    """What an encoder is asked for.

    Attributes:
        model: Its name, as the server knows it.
        max_chars: How much of a text is sent, at least 1: servers refuse what is longer than the model reads.
    """

    model: str
    max_chars: int = 8_000

    def __post_init__(self) -> None:
        _check("model", self.model, bool(self.model.strip()), "must name a model")
        _check("max_chars", self.max_chars, self.max_chars >= 1, "must be at least 1")


Options = TypeVar("Options", ChatOptions, EmbeddingOptions)


def read_chat_settings(
    given: Mapping[str, Any], *, environment: Mapping[str, str], file: Path | None = None
) -> tuple[Endpoint, ChatOptions]:
    """Return the settings of a chat model: those *given*, else of the environment, else of the file.

    Args:
        given: Values by the names of `Endpoint` and `ChatOptions`; None = not given. For temperature
            and seed, ``"none"`` = send none.
        environment: Such as ``os.environ``; names begin with ``CASKG_LLM_``.
        file: TOML with a table ``[llm]`` of the same names; need not exist.

    Raises:
        UsageError: A name or value cannot be used, no model is named, or the file cannot be read.
    """
    values = _values(given, environment, file, table="llm")
    values |= {name: None for name in ("temperature", "seed") if values.get(name) == NOT_SENT}
    if "schema_mode" in values:
        values["schema_mode"] = _schema_mode(values["schema_mode"])
    return _made(values, ChatOptions)


def read_embedding_settings(
    given: Mapping[str, Any], *, environment: Mapping[str, str], file: Path | None = None
) -> tuple[Endpoint, EmbeddingOptions]:
    """Return those of an encoder, likewise: ``CASKG_EMBEDDINGS_`` and ``[embeddings]``.

    Raises:
        UsageError: As of `read_chat_settings`.
    """
    return _made(_values(given, environment, file, table="embeddings"), EmbeddingOptions)


def _values(
    given: Mapping[str, Any], environment: Mapping[str, str], file: Path | None, *, table: str
) -> dict[str, Any]:
    written = _read_table(file, table) if file else {}
    variables = {name: f"CASKG_{table}_{name}".upper() for name in IN_ENVIRONMENT}
    around = {
        name: environment[variable] for name, variable in variables.items() if environment.get(variable)
    }
    nearer = around | {name: value for name, value in given.items() if value is not None}
    values = written | nearer
    values["base_url"] = str(values.get("base_url", OPENAI_URL)).rstrip("/")
    if "api_key" not in nearer and str(written.get("base_url", OPENAI_URL)).rstrip("/") != values["base_url"]:
        values.pop("api_key", None)
    if values["base_url"] == OPENAI_URL and environment.get(OPENAI_KEY_VARIABLE):
        values.setdefault("api_key", environment[OPENAI_KEY_VARIABLE])
    if not values.get("model"):
        where = f"an option, ${variables['model']}, or `model` below [{table}] in the config file"
        msg = f"No model is named: name it by {where}."
        raise UsageError(msg)
    return values


def _made(values: dict[str, Any], kind: type[Options]) -> tuple[Endpoint, Options]:
    of_endpoint, of_kind = ({each.name for each in fields(record)} for record in (Endpoint, kind))
    if unknown := values.keys() - of_endpoint - of_kind:
        msg = f"Unknown setting {', '.join(sorted(unknown))}: docs/llm.md lists them."
        raise UsageError(msg)
    try:
        if not isinstance(values.get("api_key"), Secret | None):
            values["api_key"] = Secret(values["api_key"])
        endpoint = Endpoint(**{name: value for name, value in values.items() if name in of_endpoint})
        return endpoint, kind(**{name: value for name, value in values.items() if name in of_kind})
    except (TypeError, AttributeError) as error:
        msg = f"A setting has the wrong type ({error}): docs/llm.md lists them."
        raise UsageError(msg) from error


def _schema_mode(value: object) -> SchemaMode:
    if value not in list(SchemaMode):
        msg = f"Unknown schema_mode {value!r}: choose one of {', '.join(SchemaMode)}."
        raise UsageError(msg)
    return SchemaMode(str(value))


def _read_table(file: Path, table: str) -> dict[str, Any]:
    try:
        found = tomllib.loads(file.read_text(encoding="utf-8")).get(table, {})
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        # What a parser complains of may hold the key.
        reason = error.strerror if isinstance(error, OSError) else "it is no TOML in UTF-8"
        msg = f"Cannot read {file} ({reason}): mend it, or name another."
        raise UsageError(msg) from None
    if not isinstance(found, dict):
        msg = f"{table!r} in {file} is no table: write [{table}]."
        raise UsageError(msg)
    return found


def _check_url(url: str) -> None:
    """Refuse what is no plain address; what stands in it might be a key, so it is not repeated."""
    try:
        parts = urlsplit(url)
        plain = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        plain = False
    if not plain or parts.username or parts.password or parts.query or parts.fragment:
        msg = "The base URL must look like http://host:port/v1, without user, key, query or fragment in it."
        raise UsageError(msg)


def _check(name: str, value: object, fine: bool, rule: str) -> None:  # noqa: FBT001 - a test's result
    if not fine:
        msg = f"{name} {rule}, not {value!r}."
        raise UsageError(msg)
