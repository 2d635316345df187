"""Where a server is, what it is asked for, and the key to it; from options, environment and a file.

The key is a `Secret`, which no ``repr``, ``asdict`` or JSON shows. A key is sent only to
the address it was given for: that of a file not to another address than the file's, and
``OPENAI_API_KEY`` to OpenAI alone.
"""

import difflib
import tomllib
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from caskg.errors import UsageError
from caskg.providers.further import LENGTH_NAMES, check_further
from caskg.providers.secret import Secret, hide_keys, refuse_key

OPENAI_URL = "https://api.openai.com/v1"
OPENAI_KEY_VARIABLE = "OPENAI_API_KEY"
NOT_SENT = "none"
_LIKE = 0.65  # of 1; "max_chars" is not meant for "max_wait_s"
MOST_TIMES = 1000
"""So many files may a process open, as a rule, and so often may a wait be doubled."""
MOST_NUMBER = 1e9
"""No wait and no rate is larger."""
IN_ENVIRONMENT = ("base_url", "model", "api_key")
"""These may stand in the environment: ``CASKG_LLM_MODEL``, ``CASKG_EMBEDDINGS_MODEL`` and so on."""
_KEY_VARIABLES = (OPENAI_KEY_VARIABLE, "CASKG_LLM_API_KEY", "CASKG_EMBEDDINGS_API_KEY")
_KINDS: tuple[tuple[str, Any, tuple[str, ...]], ...] = (
    ("a text", str, ("base_url", "model", "max_tokens_name")),
    ("a text", str | Secret, ("api_key",)),
    ("a whole number", int, ("concurrency", "max_attempts", "seed", "top_logprobs", "max_chars")),
    ("a number", int | float, ("requests_per_minute", "tokens_per_minute", "timeout_s")),
    ("a number", int | float, ("backoff_s", "max_wait_s", "temperature")),
    ("a table", Mapping, ("extra_body",)),
)


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
        concurrency: Most calls out at a time, 1 to 1,000.
        requests_per_minute: Calls are spaced evenly to keep it, above 0; None = no limit.
        tokens_per_minute: Likewise, for tokens in and out.
        timeout_s: Seconds until a call counts as never answered, from sending to the last byte, above 0.
        max_attempts: Most times that a request is sent, 1 to 1,000; refusals for its rate do not count.
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
            value = getattr(self, name)
            _check(name, value, 1 <= value <= MOST_TIMES, "must be at least 1, at most 1,000")
        for name in ("requests_per_minute", "tokens_per_minute", "timeout_s"):
            value = getattr(self, name)
            _check(name, value, value is None or 0 < value <= MOST_NUMBER, "must be above 0, at most 1e9")
        for name in ("backoff_s", "max_wait_s"):
            value = getattr(self, name)
            _check(name, value, 0 <= value <= MOST_NUMBER, "must be 0 or more, at most 1e9")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatOptions:
    """What a chat model is asked for. Everything here may change an answer.

    Attributes:
        model: Its name, as the server knows it.
        temperature: None = the server's own, for models that refuse one.
        seed: None = none is sent.
        schema_mode: How JSON is asked for.
        top_logprobs: How many alternatives of each token are asked for, 0 to 20; 0 = none.
        max_tokens_name: Under which of `LENGTH_NAMES` the length is sent; None = what the address expects.
        extra_body: Further fields of each call, such as ``reasoning_effort``; none that is set otherwise.
    """

    model: str
    temperature: float | None = 0.0
    seed: int | None = 0
    schema_mode: SchemaMode = SchemaMode.AUTO
    top_logprobs: int = 0
    max_tokens_name: str | None = None
    extra_body: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_model(self.model)
        in_range = self.temperature is None or 0 <= self.temperature <= 2  # noqa: PLR2004 - the API's range
        _check("temperature", self.temperature, in_range, "must be within 0 and 2")
        _check("top_logprobs", self.top_logprobs, 0 <= self.top_logprobs <= 20, "must be within 0 and 20")  # noqa: PLR2004 - the API's range
        name = self.max_tokens_name
        _check(
            "max_tokens_name",
            name,
            name in (None, *LENGTH_NAMES),
            f"must be one of {', '.join(LENGTH_NAMES)}",
        )
        check_further(self.extra_body)


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
        _check_model(self.model)
        _check("max_chars", self.max_chars, self.max_chars >= 1, "must be at least 1")


Options = TypeVar("Options", ChatOptions, EmbeddingOptions)
_TABLES = {"llm": ChatOptions, "embeddings": EmbeddingOptions}
"""Of the config file, with the records whose names may stand there beside those of `Endpoint`."""


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
        UsageError: A name or value cannot be used, no model is named, the file cannot be read, or
            something else stands in it.
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
    meant = {name for name in environment if name.startswith(f"CASKG_{table}_".upper())}
    if strange := meant - set(variables.values()):
        msg = hide_keys(
            f"Unknown variable {', '.join(sorted(strange))}: there are {', '.join(variables.values())}."
        )
        raise UsageError(msg)
    nearer = around | {name: value for name, value in given.items() if value is not None}
    values = written | nearer
    keys = [environment[name] for name in _KEY_VARIABLES if name in environment]
    _refuse_keys(values, [*keys, values.get("api_key"), written.get("api_key")])
    _check_kinds(values)
    values["base_url"] = _address(values)
    if "api_key" not in nearer and _address(written) != values["base_url"]:
        values.pop("api_key", None)
    if values["base_url"] == OPENAI_URL and environment.get(OPENAI_KEY_VARIABLE):
        values.setdefault("api_key", environment[OPENAI_KEY_VARIABLE])
    if not values.get("model"):
        where = f"an option, ${variables['model']}, or `model` below [{table}] in the config file"
        msg = f"No model is named: name it by {where}."
        raise UsageError(msg)
    return values


def _made(values: dict[str, Any], kind: type[Options]) -> tuple[Endpoint, Options]:
    _refuse_unknown("setting", values, _settings(kind))
    if isinstance(key := values.get("api_key"), str):
        values["api_key"] = Secret(key)
    of_endpoint = {each.name for each in fields(Endpoint)}
    endpoint = Endpoint(**{name: value for name, value in values.items() if name in of_endpoint})
    return endpoint, kind(**{name: value for name, value in values.items() if name not in of_endpoint})


def _settings(kind: type[ChatOptions] | type[EmbeddingOptions]) -> list[str]:
    return [each.name for record in (Endpoint, kind) for each in fields(record)]


def _refuse_unknown(what: str, names: Collection[str], known: Collection[str], *, where: str = "") -> None:
    """Refuse *names* that are not *known*, with those that they look like."""
    unknown = sorted(set(names) - set(known))
    if not unknown:
        return
    near = (difflib.get_close_matches(name.lower(), known, n=1, cutoff=_LIKE) for name in unknown)
    said = [
        f"{name} (did you mean {like[0]}?)" if like else name
        for name, like in zip(unknown, near, strict=True)
    ]
    msg = hide_keys(f"Unknown {what} {', '.join(said)}{where}: docs/llm.md lists them.")
    raise UsageError(msg)


def _schema_mode(value: object) -> SchemaMode:
    if value not in list(SchemaMode):
        msg = f"Unknown schema_mode {hide_keys(repr(value))}: choose one of {', '.join(SchemaMode)}."
        raise UsageError(msg)
    return SchemaMode(str(value))


def _read_table(file: Path, table: str) -> dict[str, Any]:
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        # What a parser complains of may hold the key.
        reason = error.strerror if isinstance(error, OSError) else "it is no TOML in UTF-8"
        msg = f"Cannot read {file} ({reason}): mend it, or name another."
        raise UsageError(msg) from None
    _refuse_unknown("table or setting", document, _TABLES, where=f" besides [llm] and [embeddings] in {file}")
    for name, found in document.items():
        if not isinstance(found, dict):
            msg = f"{name!r} in {file} is no table: write [{name}]."
            raise UsageError(msg)
        _refuse_unknown("setting", found, _settings(_TABLES[name]), where=f" below [{name}] in {file}")
    return dict(document.get(table, {}))


def _refuse_keys(values: Mapping[str, Any], keys: Collection[object]) -> None:
    """Refuse one of *keys*, of whatever shape, where another setting should stand, or within it."""
    known = list[Secret]()
    for key in keys:
        with suppress(UsageError):  # it is refused where it is used
            known += [key] if isinstance(key, Secret) else [Secret(key)] if isinstance(key, str) else []
    for name, value in values.items():
        if name == "api_key":
            continue
        if any(key.is_in(name) for key in known):
            msg = "The name of a setting is the API key, or holds it, and is not repeated: mend that name."
            raise UsageError(msg)
        if any(key.is_in(text) for text in _texts(value) if text != NOT_SENT for key in known):
            msg = (
                f"{hide_keys(name)} is the API key, or holds it, and is not repeated: name what it should be."
            )
            raise UsageError(msg)


def _texts(value: object) -> Iterator[str]:
    """Yield all texts within *value*, however deep, the names of tables included."""
    waiting, seen = [value], set[int]()
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            yield each
        elif id(each) not in seen:
            seen.add(id(each))
            waiting += [*each, *each.values()] if isinstance(each, Mapping) else []
            waiting += each if isinstance(each, list | tuple) else []


def _check_kinds(values: Mapping[str, Any]) -> None:
    for words, kind, names in _KINDS:
        for name in names:
            value = values.get(name)
            not_sent = value is None or (name in ("temperature", "seed") and value == NOT_SENT)
            if not not_sent and (isinstance(value, bool) or not isinstance(value, kind)):
                shown = "" if name == "api_key" else f", not {hide_keys(repr(value))}"
                msg = f"{name} must be {words}{shown}: docs/llm.md lists the settings."
                raise UsageError(msg)


def _address(values: Mapping[str, Any]) -> str:
    """Return the base URL as it is meant, also where it was copied with what stands around it."""
    return str(values.get("base_url", OPENAI_URL)).strip().rstrip("/").removesuffix("/chat/completions")


def _check_url(url: str) -> None:
    """Refuse what is no plain address; what stands in it might be a key, so it is not repeated."""
    try:
        parts = urlsplit(url)
        plain = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        plain = False
    odd = not url.isascii() or not url.isprintable() or set(url) & set(' "<>\\^`{|}@?#')
    if not plain or odd:
        msg = (
            "The base URL must look like http://host:port/v1, in ASCII, without user, key, query or fragment."
        )
        raise UsageError(msg)
    for part in (url, str(parts.hostname)):
        refuse_key("base_url", part)


def _check_model(model: str) -> None:
    _check("model", model, model.strip() != "" and model.isprintable(), "must name a model")
    refuse_key("model", model)


def _check(name: str, value: object, fine: bool, rule: str) -> None:  # noqa: FBT001 - a test's result
    if not fine:
        msg = f"{name} {rule}, not {hide_keys(repr(value))}."
        raise UsageError(msg)
