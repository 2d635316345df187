"""Where settings come from, which are refused, and where a key does not go."""

import ast
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from caskg.errors import UsageError
from caskg.providers.secret import Secret
from caskg.providers.settings import (
    OPENAI_URL,
    ChatOptions,
    EmbeddingOptions,
    Endpoint,
    SchemaMode,
    read_chat_settings,
    read_embedding_settings,
)

LOCAL = "http://localhost:8080/v1"


def write(folder: Path, text: str) -> Path:
    file = folder / "config.toml"
    file.write_text(text, encoding="utf-8")
    return file


def revealed(endpoint: Endpoint) -> str | None:
    return endpoint.api_key.reveal() if endpoint.api_key else None


def test_a_name_of_a_model_is_enough() -> None:
    """Then it is OpenAI's, cold and seeded."""
    endpoint, options = read_chat_settings({"model": "m"}, environment={})
    assert endpoint == Endpoint(base_url=OPENAI_URL, api_key=None)
    assert options == ChatOptions(model="m", temperature=0.0, seed=0, schema_mode=SchemaMode.AUTO)
    assert (endpoint.concurrency, endpoint.max_attempts, endpoint.timeout_s) == (8, 4, 120.0)


def test_options_go_before_the_environment_and_that_before_the_file(tmp_path: Path) -> None:
    """What is not given is looked for further away."""
    file = write(tmp_path, f'[llm]\nbase_url = "{LOCAL}"\nmodel = "of file"\nseed = 7\nconcurrency = 3\n')
    given = {"concurrency": 5, "seed": None}
    endpoint, options = read_chat_settings(
        given, environment={"CASKG_LLM_MODEL": "of environment"}, file=file
    )
    assert (endpoint.base_url, endpoint.concurrency) == (LOCAL, 5)
    assert (options.model, options.seed) == ("of environment", 7)
    assert read_chat_settings({"model": "given"}, environment={"CASKG_LLM_MODEL": "x"})[1].model == "given"


def test_a_file_that_is_not_there_says_nothing(tmp_path: Path) -> None:
    """It is looked for at a usual place."""
    endpoint, _ = read_chat_settings({"model": "m"}, environment={}, file=tmp_path / "config.toml")
    assert endpoint.base_url == OPENAI_URL


def test_a_file_that_is_none_is_said(tmp_path: Path) -> None:
    """Not read as if it were empty; a mark of byte order, as some editors write, is none of its text."""
    with pytest.raises(UsageError, match="Is a directory"):
        read_chat_settings({"model": "m"}, environment={}, file=tmp_path)
    file = write(tmp_path, "")
    file.write_bytes('[llm]\nmodel = "m"'.encode("utf-16"))
    with pytest.raises(UsageError, match="no TOML in UTF-8"):
        read_chat_settings({"model": "m"}, environment={}, file=file)
    file.write_bytes(b'\xef\xbb\xbf[llm]\nmodel = "marked"')
    assert read_chat_settings({}, environment={}, file=file)[1].model == "marked"


def test_a_file_may_hold_every_setting(tmp_path: Path) -> None:
    """By the names of the two records."""
    file = write(
        tmp_path,
        '[llm]\nmodel = "m"\nschema_mode = "plain"\ntop_logprobs = 5\nrequests_per_minute = 60\n'
        "tokens_per_minute = 1000\ntimeout_s = 3.5\nextra_body = { reasoning_effort = 'low' }\n",
    )
    endpoint, options = read_chat_settings({}, environment={}, file=file)
    assert (endpoint.requests_per_minute, endpoint.tokens_per_minute, endpoint.timeout_s) == (60, 1000, 3.5)
    assert options.schema_mode is SchemaMode.PLAIN
    assert options.extra_body == {"reasoning_effort": "low"}


@pytest.mark.parametrize("copied", ["{}/", "{}//", " {}\n", "{}/chat/completions", "{}/chat/completions/"])
def test_what_stands_around_an_address_does_not_matter(copied: str) -> None:
    """People copy it with and without."""
    given = {"model": "m", "base_url": copied.format(LOCAL)}
    assert read_chat_settings(given, environment={})[0].base_url == LOCAL


def test_temperature_and_seed_can_be_left_out() -> None:
    """By a word, as TOML has none for nothing."""
    _, options = read_chat_settings({"model": "m", "temperature": "none", "seed": "none"}, environment={})
    assert (options.temperature, options.seed) == (None, None)


def test_an_encoder_has_settings_of_its_own(tmp_path: Path) -> None:
    """Another server, as a rule; nothing is shared, so no key goes astray."""
    file = write(
        tmp_path, f'[llm]\nmodel = "m"\napi_key = "k"\n[embeddings]\nbase_url = "{LOCAL}"\nmax_chars = 9\n'
    )
    around = {"CASKG_EMBEDDINGS_MODEL": "e", "CASKG_LLM_API_KEY": "x", "OPENAI_API_KEY": "y"}
    endpoint, options = read_embedding_settings({}, environment=around, file=file)
    assert endpoint == Endpoint(base_url=LOCAL)
    assert options == EmbeddingOptions(model="e", max_chars=9)
    assert read_embedding_settings({"model": "e"}, environment={})[1].max_chars == 8_000
    with pytest.raises(UsageError, match=r"\$CASKG_EMBEDDINGS_MODEL, or `model` below \[embeddings\]"):
        read_embedding_settings({}, environment={})
    for wrong in ({"max_chars": 0}, {"model": " "}, {"seed": 1}, {"max_chars": "9"}):
        with pytest.raises(UsageError, match=r"max_chars|model|seed"):
            read_embedding_settings({"model": "e"} | wrong, environment={})


# ---------------------------------------------------------------- the key


def test_the_key_of_openai_goes_to_openai_only() -> None:
    """It stands in many environments, and other servers are not to have it."""
    environment = {"OPENAI_API_KEY": "sk-openai"}
    assert revealed(read_chat_settings({"model": "m"}, environment=environment)[0]) == "sk-openai"
    assert revealed(read_chat_settings({"model": "m", "base_url": LOCAL}, environment=environment)[0]) is None
    own = environment | {"CASKG_LLM_API_KEY": "own"}
    assert revealed(read_chat_settings({"model": "m", "base_url": LOCAL}, environment=own)[0]) == "own"
    assert revealed(read_chat_settings({"model": "m"}, environment=own)[0]) == "own"


def test_the_key_of_a_file_goes_to_the_address_of_the_file_only(tmp_path: Path) -> None:
    """A command may name another."""
    file = write(tmp_path, f'[llm]\nmodel = "m"\nbase_url = "{LOCAL}/"\napi_key = "of-file"\n')
    assert revealed(read_chat_settings({}, environment={}, file=file)[0]) == "of-file"
    assert revealed(read_chat_settings({"base_url": LOCAL}, environment={}, file=file)[0]) == "of-file"
    elsewhere = {"base_url": "http://other/v1"}
    assert revealed(read_chat_settings(elsewhere, environment={}, file=file)[0]) is None
    around = {"CASKG_LLM_API_KEY": "around"}
    assert revealed(read_chat_settings(elsewhere, environment=around, file=file)[0]) == "around"
    assert (
        revealed(read_chat_settings(elsewhere | {"api_key": Secret("given")}, environment={}, file=file)[0])
        == "given"
    )


def test_a_file_without_an_address_means_openai(tmp_path: Path) -> None:
    """So its key goes there."""
    file = write(tmp_path, '[llm]\nmodel = "m"\napi_key = "of-file"\n')
    assert revealed(read_chat_settings({}, environment={}, file=file)[0]) == "of-file"
    assert revealed(read_chat_settings({"base_url": LOCAL}, environment={}, file=file)[0]) is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[lllm]\nmodel = "m"', r"Unknown table or setting lllm \(did you mean llm\?\) besides \[llm\]"),
        ('[LLM]\nmodel = "m"', r"LLM \(did you mean llm\?\)"),
        ('[embedding]\nmodel = "m"', r"embedding \(did you mean embeddings\?\)"),
        ('[openai]\napi_key = "sk-planted"', "Unknown table or setting openai besides"),
        ('model = "m"\nbase_url = "planted"', "Unknown table or setting base_url, model besides"),
        ('"sk-planted-0123456789" = 1', r"Unknown table or setting \[key\] besides"),
        ('[llm]\nmodle = "planted"', r"Unknown setting modle \(did you mean model\?\) below \[llm\] in"),
        ("[llm]\nmax_chars = 9", r"Unknown setting max_chars below \[llm\]"),
        ("[llm]\nTemperature = 1", r"Temperature \(did you mean temperature\?\)"),
        ("[llm.extra]\nx = 1", r"extra \(did you mean extra_body\?\) below \[llm\]"),
        ("[embeddings]\nseed = 1", r"Unknown setting seed below \[embeddings\]"),  # by who needs [llm] too
        ('embeddings = "planted"', r"'embeddings' in .* is no table: write \[embeddings\]"),
    ],
)
def test_what_no_setting_is_in_the_file_is_said(tmp_path: Path, text: str, told: str) -> None:
    """Wherever it stands there, with the name that it looks like, and without its value."""
    with pytest.raises(UsageError, match=told) as refused:
        read_chat_settings({"model": "m"}, environment={}, file=write(tmp_path, text))
    assert str(tmp_path / "config.toml") in str(refused.value)
    assert "planted" not in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        "api_key = sk-planted",
        "[llm\napi_key = 'sk-planted'",
        "llm = 'sk-planted'",
        "[[llm]]\napi_key = 'sk-planted'",
        "a = " + "[" * 5000 + "'sk-planted'",
    ],
)
def test_a_file_that_cannot_be_read_does_not_show_its_key(tmp_path: Path, text: str) -> None:
    """Its name is enough to mend it."""
    with pytest.raises(UsageError, match=r"config\.toml") as refused:
        read_chat_settings({"model": "m"}, environment={}, file=write(tmp_path, text))
    assert "planted" not in str(refused.value)


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("model", "", r"No model is named: name it by an option, \$CASKG_LLM_MODEL"),
        ("model", " ", "model must name a model"),
        ("concurrency", 0, "concurrency must be at least 1, at most 1,000, not 0"),
        ("concurrency", 1001, "concurrency must be at least 1, at most 1,000"),
        ("max_attempts", 1001, "max_attempts must be at least 1, at most 1,000"),
        ("max_attempts", 0, "max_attempts must be at least 1"),
        ("requests_per_minute", 0, "requests_per_minute must be above 0"),
        ("tokens_per_minute", -1, "tokens_per_minute must be above 0"),
        ("timeout_s", 0, "timeout_s must be above 0"),
        ("timeout_s", float("inf"), "timeout_s must be above 0"),
        ("timeout_s", float("nan"), "timeout_s must be above 0"),
        ("timeout_s", 10**400, "timeout_s must be above 0"),
        ("timeout_s", 1.1e9, "timeout_s must be above 0, at most 1e9"),
        ("backoff_s", 1e10, "backoff_s must be 0 or more, at most 1e9"),
        ("timeout_s", "5", "timeout_s must be a number, not '5': docs/llm.md lists the settings"),
        ("concurrency", 1.5, "concurrency must be a whole number, not 1.5"),
        ("concurrency", True, "concurrency must be a whole number, not True"),
        ("temperature", "warm", "temperature must be a number, not 'warm'"),
        ("temperature", True, "temperature must be a number"),
        ("seed", 0.5, "seed must be a whole number"),
        ("base_url", 5, "base_url must be a text"),
        ("base_url", ["x"], "base_url must be a text"),
        ("model", 5, "model must be a text, not 5"),
        ("model", "a\nb", "model must name a model"),
        ("model", "\udc80", "model must name a model"),
        ("max_tokens_name", {}, "max_tokens_name must be a text"),
        ("max_tokens_name", {"a": 1}, "max_tokens_name must be a text"),
        ("extra_body", "text", "extra_body must be a table, not 'text'"),
        ("extra_body", [1], "extra_body must be a table"),
        ("extra_body", {"day": date(2026, 1, 1)}, "extra_body holds what JSON cannot"),
        ("extra_body", {"number": float("inf")}, "extra_body holds what JSON cannot"),
        ("extra_body", {"stream": True}, "extra_body must not hold 'stream': an answer is read as a whole"),
        ("extra_body", {"max_tokens": 9000}, "extra_body must not hold 'max_tokens': use --answer-tokens"),
        ("extra_body", {"n_predict": 9000}, "extra_body must not hold 'n_predict'"),
        ("extra_body", {"n": 5}, "extra_body must not hold 'n': one answer is read"),
        ("extra_body", {"messages": []}, "extra_body must not hold 'messages'"),
        ("extra_body", {"model": "m"}, "extra_body must not hold 'model': set the setting of that name"),
        (
            "extra_body",
            {"response_format": {}},
            "extra_body must not hold 'response_format': set schema_mode",
        ),
        ("max_tokens_name", "", "max_tokens_name must be one of max_tokens, max_completion_tokens"),
        ("max_tokens_name", "messages", "max_tokens_name must be one of"),
        ("backoff_s", -1, "backoff_s must be 0 or more"),
        ("max_wait_s", -0.1, "max_wait_s must be 0 or more"),
        ("temperature", 2.1, "temperature must be within 0 and 2"),
        ("temperature", -0.1, "temperature must be within 0 and 2"),
        ("top_logprobs", 21, "top_logprobs must be within 0 and 20"),
        ("top_logprobs", -1, "top_logprobs must be within 0 and 20"),
        ("schema_mode", "no", "Unknown schema_mode 'no': choose one of auto, json_schema, plain"),
        ("schema_mode", [1], "Unknown schema_mode"),
        ("temprature", 1, r"Unknown setting temprature \(did you mean temperature\?\): docs"),
        ("colour", 1, "Unknown setting colour: docs"),
        ("api_key", 5, "api_key must be a text: docs"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused(name: str, value: Any, message: str) -> None:  # noqa: ANN401 - a table of any values
    """By its name, before anything is sent."""
    with pytest.raises(UsageError, match=message):
        read_chat_settings({"model": "m"} | {name: value}, environment={})


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"num_predict": 9000}, "'num_predict': use --answer-tokens, so that a plan can tell"),
        ({"options": {"num_predict": 9000}}, "'options.num_predict': use --answer-tokens"),
        ({"parameters": {"max_new_tokens": 9000}}, "'parameters.max_new_tokens': use --answer-tokens"),
        ({"generationConfig": {"maxOutputTokens": 9000}}, "'generationConfig.maxOutputTokens': use --answer"),
        ({"a": [{"b": {"max-tokens": 9000}}]}, "'a.b.max-tokens': use --answer-tokens"),
        ({"max_new_tokens": 9000}, "'max_new_tokens': use --answer-tokens"),
        ({"min_tokens": 60}, "'min_tokens': an answer ends by itself, and at --answer-tokens"),
        ({"ignore_eos": True}, "'ignore_eos': an answer ends by itself"),
        ({"tools": []}, "'tools': a score is to be answered from the prompt alone"),
        ({"functions": []}, "'functions': a score"),
        ({"tool_choice": "none"}, "'tool_choice': a score"),
        ({"plugins": [{"id": "web"}]}, "'plugins': a score"),
        ({"models": ["a", "b"]}, "'models': answers are kept under the name of the one model"),
        ({"options": {"temperature": 1}}, "'options.temperature': set the setting of that name"),
        ({"options": {"seed": 1}}, "'options.seed': set the setting of that name"),
        ({"grammar": "root ::= 1"}, "'grammar': set schema_mode"),
        ({"format": "json"}, "'format': set schema_mode"),
    ],
)
def test_a_further_field_that_makes_a_plan_untrue_is_refused(body: dict[str, Any], message: str) -> None:
    """Or that makes the answer something else: under each name, and in the tables that servers look into."""
    with pytest.raises(UsageError, match=f"extra_body must not hold {message}"):
        ChatOptions(model="m", extra_body=body)


@pytest.mark.parametrize(
    "body",
    [
        {"reasoning_effort": "none"},
        {"chat_template_kwargs": {"enable_thinking": False}},
        {"reasoning": {"max_tokens": 100}},
        {"thinking": {"type": "enabled", "budget_tokens": 100}},
        {"metadata": {"model": "mine"}},
        {"top_p": 0.9, "top_k": 20, "stop": ["\n\n"], "options": {"num_ctx": 16384}},
        {"provider": {"order": ["a"], "allow_fallbacks": False}},
    ],
)
def test_other_further_fields_are_sent(body: dict[str, Any]) -> None:
    """Those that turn thinking down among them."""
    assert ChatOptions(model="m", extra_body=body).extra_body == body


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:8080",
        "ftp://host/v1",
        "http://",
        "http://user:planted@host/v1",
        "http://planted@host/v1",
        "http://host/v1?key=planted",
        "http://host/v1#planted",
        "http://host:0/v1",
        "http://host:planted/v1",
        "http://[planted/v1",
        "http://pla nted/v1",
        "http://planted\n/v1",
        "http://plänted/v1",
        "http://127.0.0.1\\planted/v1",
        "http://host:99999/v1",
        "http://host/v1?",
        "file:///planted",
    ],
)
def test_an_address_that_is_none_or_hides_a_key_is_refused(url: str) -> None:
    """And not repeated."""
    with pytest.raises(UsageError, match="base URL must look like") as refused:
        Endpoint(base_url=url)
    assert "planted" not in str(refused.value)


LIKE_KEYS = ("sk-planted-0123456789", "fw_planted0123456789", "or-v1-planted0123456789", "planted0" * 4)


@pytest.mark.parametrize("key", LIKE_KEYS)
def test_what_looks_like_a_key_is_refused_and_not_repeated(key: str) -> None:
    """As a model, an address or its host, a choice, a number, or the name of a setting."""
    wrong: list[dict[str, Any]] = [
        {"model": key},
        {"base_url": key},
        {"base_url": f"http://{key}/v1"},
        {"base_url": f"http://{key.upper()}:8080/v1"},
        {"schema_mode": key},
        {"max_tokens_name": key},
        {"seed": key},
        {"timeout_s": key},
        {"extra_body": key},
        {key: 1},
    ]
    for given in wrong:
        with pytest.raises(UsageError) as refused:
            read_chat_settings({"model": "m"} | given, environment={})
        assert "planted" not in str(refused.value).lower()


def test_an_account_may_stand_in_an_address() -> None:
    """Gateways put its number there, which is a hash; keys of more kinds of characters are refused."""
    assert Endpoint(base_url=f"https://gateway/v1/{'0123456789abcdef' * 2}/openai")
    assert Endpoint(base_url=f"https://a{'0123456789abcdef' * 2}.elb.example/v1")
    with pytest.raises(UsageError, match="base_url looks like an API key"):
        Endpoint(base_url=f"https://gateway/v1/{'0123456789abcDEF' * 2}/openai")


@pytest.mark.parametrize("url", ["http://[::1]:8080/v1", "http://xn--bcher-kva.example/v1", "HTTP://H/a/b;c"])
def test_an_odd_address_may_be_one(url: str) -> None:
    """Of the sixth version, of letters that ASCII has not, or of a gateway."""
    assert Endpoint(base_url=url).base_url == url


@pytest.mark.parametrize("name", ["model", "schema_mode", "concurrency", "sk-planted-0123456789", "seed"])
def test_a_key_in_the_wrong_place_is_not_repeated(name: str) -> None:
    """Nor sent as the name of a model, and kept with each answer."""
    with pytest.raises(UsageError) as refused:
        read_chat_settings({"model": "m"} | {name: "sk-planted-0123456789"}, environment={})
    assert "planted" not in str(refused.value)


@pytest.mark.parametrize("name", ["model", "base_url", "max_tokens_name", "schema_mode", "seed"])
def test_the_key_itself_is_refused_as_anything_else(tmp_path: Path, name: str) -> None:
    """Of no known shape, typed twice: whether it is known from the environment, the file or an option."""
    key = "planted"
    given = {"model": "m"} | {name: f"{key} "}
    file = write(tmp_path, f"[llm]\napi_key = '{key}'")
    for environment, path, more in (
        ({"CASKG_LLM_API_KEY": key}, None, {}),
        ({"OPENAI_API_KEY": key}, None, {}),
        ({}, file, {}),
        ({}, None, {"api_key": Secret(key)}),
    ):
        with pytest.raises(UsageError, match=f"{name} is the API key") as refused:
            read_chat_settings(given | more, environment=environment, file=path)
        assert key not in str(refused.value)
    assert read_chat_settings({"model": key + "-7b"}, environment={"CASKG_LLM_API_KEY": key})[1].model


@pytest.mark.parametrize(
    "given",
    [
        {"model": "org/{}"},
        {"model": "m:{}-7b"},
        {"base_url": "http://localhost/{}/v1"},
        {"base_url": "http://{}.example/v1"},
        {"extra_body": {"user": "{}"}},
        {"extra_body": {"metadata": {"tags": ["x", {"deep": "Bearer {}"}]}}},
        {"extra_body": {"{}": 1}},
        {"seed": "{}"},
        {"schema_mode": ["{}"]},
        {"{}": 1},
        {"x-{}": 1},
    ],
)
@pytest.mark.parametrize("variable", ["CASKG_LLM_API_KEY", "CASKG_EMBEDDINGS_API_KEY", "OPENAI_API_KEY"])
def test_what_holds_the_key_is_refused(given: dict[str, Any], variable: str) -> None:
    """Within another setting, at any depth, and as a name: it would be sent, or kept with each answer."""
    key = "planted-0-planted"
    typed = ast.literal_eval(repr(given).replace("{}", key))
    with pytest.raises(UsageError, match="is the API key, or holds it") as refused:
        read_chat_settings({"model": "m"} | typed, environment={variable: key})
    assert key not in str(refused.value)
    assert "planted" not in str(refused.value)


def test_the_key_of_the_file_is_refused_elsewhere_too(tmp_path: Path) -> None:
    """Also where another key is used."""
    file = write(tmp_path, "[llm]\napi_key = 'planted-0-planted'")
    with pytest.raises(UsageError, match="model is the API key, or holds it"):
        read_chat_settings({"model": "planted-0-planted", "api_key": "other"}, environment={}, file=file)


def test_a_word_in_place_of_a_key_does_no_harm() -> None:
    """Nor one of OpenAI that cannot be used where it is not used."""
    around = {"CASKG_LLM_API_KEY": "none", "OPENAI_API_KEY": "sk planted"}
    endpoint, options = read_chat_settings(
        {"model": "none-7b", "seed": "none", "base_url": "http://none/v1"}, environment=around
    )
    assert (revealed(endpoint), options.seed) == ("none", None)


def test_further_fields_without_end_are_refused() -> None:
    """Those that hold themselves, or lie too deep to be written."""
    body: dict[str, Any] = {}
    body["again"] = [body]
    deep: dict[str, Any] = {}
    for _ in range(10_000):
        deep = {"a": deep}
    for each in (body, deep):
        with pytest.raises(UsageError, match="holds what JSON cannot"):
            read_chat_settings({"model": "m", "extra_body": each}, environment={"CASKG_LLM_API_KEY": "k"})


def test_a_variable_that_says_nothing_is_refused() -> None:
    """It looks as if it did; those of the other table, and of others, are not looked at."""
    around = {"CASKG_LLM_TEMPERATURE": "1", "CASKG_EMBEDDINGS_X": "1", "CASKG_LLMS": "1", "CASKG_CONFIG": "x"}
    told = "^Unknown variable CASKG_LLM_TEMPERATURE: there are CASKG_LLM_BASE_URL, CASKG_LLM_MODEL, "
    with pytest.raises(UsageError, match=told):
        read_chat_settings({"model": "m"}, environment=around)


def test_the_bounds_themselves_are_fine() -> None:
    """Nothing is refused that could be meant."""
    Endpoint(base_url="https://host:1/v1", concurrency=1, max_attempts=1, backoff_s=0, max_wait_s=0)
    Endpoint(concurrency=1000, max_attempts=1000, timeout_s=1e9, backoff_s=1e9, max_wait_s=1e9)
    for temperature, n in ((0, 0), (2, 20), (None, 1)):
        ChatOptions(model="m", temperature=temperature, top_logprobs=n)
