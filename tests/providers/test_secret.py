"""Where a key does not go, and what is taken for one."""

import copy
import html
import json
import pickle
from base64 import b64encode
from collections.abc import Callable
from dataclasses import asdict
from io import BytesIO
from urllib.parse import quote

import pytest

from caskg.errors import UsageError
from caskg.providers.secret import MOST_KEY_BYTES, Secret, hide_keys
from caskg.providers.settings import Endpoint


def test_nothing_but_reveal_shows_a_key() -> None:
    """Neither a repr, nor a copy, nor a document of a record that holds it."""
    key = Secret("sk-planted")
    endpoint = Endpoint(api_key=key)
    shown = [repr(endpoint), str(key), f"{key}", f"{key!r:>20}", repr(asdict(endpoint)), repr([key])]
    assert all("planted" not in text for text in shown)
    refused: list[Callable[[], object]] = [
        lambda: json.dumps(asdict(endpoint)),
        lambda: vars(key),
        lambda: key.__getstate__(),
    ]
    for attempt in refused:
        with pytest.raises(TypeError) as told:
            attempt()
        assert "planted" not in str(told.value)
    assert key.scrub("it is sk-planted.") == "it is [key]."


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_key_is_not_pickled(protocol: int) -> None:
    """Nor a record that holds it: it would go to a file, or to another process."""
    for held in (Secret("sk-planted"), Endpoint(api_key=Secret("sk-planted"))):
        with pytest.raises(TypeError, match=r"key|pickle"):
            pickle.dumps(held, protocol)


def test_a_key_can_be_copied() -> None:
    """With the record that holds it."""
    key = Secret("sk-planted")
    assert copy.copy(key).reveal() == copy.deepcopy([key])[0].reveal() == "sk-planted"
    assert copy.deepcopy(Endpoint(api_key=key)).api_key is key


def test_a_word_that_stands_in_for_a_key_is_left_in_texts() -> None:
    """Local servers take any, and an answer must not lose its numbers."""
    assert Secret("1").scrub('{"score": 1}') == '{"score": 1}'
    assert Secret("EMPTY").scrub("EMPTY") == "EMPTY"
    assert Secret("nothing").scrub("nothing") == "nothing"
    assert Secret("123").scrub("123") == "123"


@pytest.mark.parametrize("key", ["hunter2", "1234", "1234567", "12345678", "wordword"])
def test_any_other_key_is_hidden_however_short(key: str) -> None:
    """A person's own server may have a short one."""
    assert Secret(key).scrub(f"<{key}>") == "<[key]>"


@pytest.mark.parametrize("key", ["hunter22", "0123456789abcdef", "justlettersbutlongones"])
def test_a_key_is_found_within_a_text(key: str) -> None:
    """In any disguise, so that what holds it is kept nowhere."""
    for text in (key, f" {key}\n", f"org/{key}-7b", key.upper(), b64encode(key.encode()).decode()):
        assert Secret(key).is_in(text)
    assert not Secret(key).is_in("org/another-7b")


@pytest.mark.parametrize("word", ["ollama", "lm-studio", "EMPTY", "1234"])
def test_a_word_in_place_of_a_key_may_stand_within_a_text(word: str) -> None:
    """Local servers take any, and may be called so; alone it is out of place."""
    assert not Secret(word).is_in(f"http://{word}:1234/v1")
    assert Secret(word).is_in(f"{word} ")


KEY = "sk-Ab+cd/ef&0123456789"


@pytest.mark.parametrize(
    "disguise",
    [
        quote(KEY, safe=""),
        KEY.replace("/", "\\/"),
        html.escape(KEY),
        KEY.upper(),
        KEY.lower(),
        b64encode(KEY.encode()).decode(),
        "".join(f"\\u{ord(character):04x}" for character in KEY),
        "".join(f"\\x{ord(character):02x}" for character in KEY),
        KEY[:15],
        KEY[-15:],
        KEY[3:18],
        f"http://{KEY[:16].lower()}.example",
    ],
)
def test_of_a_text_that_holds_a_key_in_disguise_nothing_is_left(disguise: str) -> None:
    """A server may say it back in any form."""
    assert Secret(KEY).scrub(f"no such key: {disguise}!") == "[key]"


def test_a_text_that_shares_little_with_a_key_stays() -> None:
    """Such as what keys begin with."""
    for text in ("keys begin with sk-", KEY[:11], "0123456789", '{"score": "0.5"}'):
        assert Secret(KEY).scrub(text) == text


def test_space_around_a_key_is_none_of_it() -> None:
    """A file of a key ends with a line break."""
    assert Secret(" sk-planted\n").reveal() == "sk-planted"


@pytest.mark.parametrize("text", ["", " ", "sk planted", "sk-plänted", "sk-\nplanted", "sk-\x00planted"])
def test_what_is_no_key_is_refused_and_not_shown(text: str) -> None:
    """An HTTP library would complain of it, and quote it."""
    with pytest.raises(UsageError) as refused:
        Secret(text)
    assert "planted" not in str(refused.value)


@pytest.mark.parametrize("content", [b"sk-planted", b" sk-planted \r\n", b"\xef\xbb\xbfsk-planted\n"])
def test_a_key_is_read_from_a_file(content: bytes) -> None:
    """As editors of every system write it."""
    assert Secret.read(BytesIO(content)).reveal() == "sk-planted"
    assert len(Secret.read(BytesIO(b"x" * MOST_KEY_BYTES)).reveal()) == MOST_KEY_BYTES


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"sk-planted\xff",
        "sk-planted".encode("utf-16"),
        b"sk-planted\nsk-planted",
        b"sk-planted\0",
        b"KEY = sk-planted",
        b"x" * (MOST_KEY_BYTES + 1),
    ],
)
def test_a_file_that_holds_no_key_is_refused_and_not_shown(content: bytes) -> None:
    """Of whatever it holds, and however long it is."""
    with pytest.raises(UsageError, match="must hold the key alone") as refused:
        Secret.read(BytesIO(content))
    assert "planted" not in str(refused.value)


@pytest.mark.parametrize(
    "key",
    [
        "sk-0123456789abcdef",
        "sk-proj-abcdefghijklmnop0_-",
        "gsk_0123456789abcdef",
        "hf_abcdefghijklmnop1",
        "xai-0123456789abcdef",
        "AIza" + "Sy" * 16,
        "aB3" * 10 + "aB",
        "fw_3Zb9AbCdEfGhIjKlMnOpQr",
        "fw_0123456789abcdef",
        "tgp_v1_AbCdEfGh-IjKlMnOp_QrStUv1",
        "or-v1-0123456789abcdef0123456789abcdef",
        "csk-0123456789abcdef",
        "eyJhbGciOiJIUzI1NiJ9abc.eyJzdWIiOiIxIn0.abc-_1",
    ],
)
def test_what_looks_like_a_key_is_hidden(key: str) -> None:
    """Wherever it stands in a text."""
    for text in ("{}", "no '{}' here", "http://{}/v1", "--{}", "{}: no such file", "a/{}/b"):
        assert hide_keys(text.format(key)) == text.format("[key]")


HEX = "0123456789abcdef" * 2


@pytest.mark.parametrize("key", [HEX, "0a" * 42, HEX.upper()])
def test_letters_and_digits_alone_are_a_key(key: str) -> None:
    """As servers make them that give their keys no beginning."""
    for text in ("{}", "no '{}' here", "--{}", "--key={}", "{}: no such file", "No such model: {}."):
        assert hide_keys(text.format(key)) == text.format("[key]")


@pytest.mark.parametrize(
    "text",
    [
        "qwen2.5-coder-32b-instruct-q4_k_m.gguf",
        "accounts/fireworks/models/llama-v3p1-405b-instruct",
        "ft:gpt-4o-mini-2024-07-18:org::AbCdEf12",
        "fw-llama-v3p1-405b-instruct-turbo",
        f"snapshots/{HEX}/model.gguf",
        f"sha256:{HEX}",
        f"https://gateway/v1/{HEX}/openai",
        f"{HEX}.gguf",
        HEX[:31],
        "a" * 40,
        "1" * 40,
        "Qwen2.5-Coder-32B-Instruct-GPTQ-Int4",
        "meta-llama/Llama-3.3-70B-Instruct",
        "ft:gpt-4.1-mini-2025-04-14:my-org::AbC12345",
        "sk-0123456789abcde",
        "sk-learn-model-evaluation-guide",
        "task-0123456789abcdef",
        "deploy-a-service-to-kubernetes-with-helm",
        "/home/user/.config/caskg/config.toml",
        "aB3" * 10 + "a",
    ],
)
def test_other_names_are_left(text: str) -> None:
    """Models, paths, skills and hashes are what an error is about."""
    assert hide_keys(text) == text


def test_of_a_file_without_end_no_more_is_read_than_a_key_may_have() -> None:
    """Such as a device."""
    file = BytesIO(b"x" * 100_000)
    with pytest.raises(UsageError, match="must hold the key alone"):
        Secret.read(file)
    assert file.tell() == MOST_KEY_BYTES + 1
