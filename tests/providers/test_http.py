"""How much of a reply is read, in whatever wrapping it comes, and where a redirect may lead."""

import asyncio
import gzip
import json
import tracemalloc
import zlib

import pytest

from caskg.errors import EncoderError, ProviderError, UsageError
from caskg.providers.http import BoundedClient, RefusedReplyError
from caskg.providers.openai_compatible import MOST_CHAT_BYTES, OpenAIEncoder
from caskg.providers.settings import ChatOptions, EmbeddingOptions
from providers.asking import KEY, answer_to, ask, asks, chat, endpoint, in_turn
from providers.faulty_server import Answer, FaultyServer, completion, fails, says

TOO_LONG = "The server's answer is longer than 1,048,576 bytes, more than was asked for."
GZIP = {"Content-Encoding": "gzip"}
RIGHT = json.dumps(completion("1")).encode()


def bomb(megabytes: int = 32) -> bytes:
    """Return blanks, packed a thousand to one."""
    packing = zlib.compressobj(wbits=31)
    return b"".join(packing.compress(b" " * 2**20) for _ in range(megabytes)) + packing.flush()


def chunked(content: bytes) -> Answer:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    return Answer(raw=head + b"%x\r\n%b\r\n0\r\n\r\n" % (len(content), content))


TOO_LONG_ANSWERS = {
    "as it is": Answer(body=json.dumps(completion("x" * 20_000_000)).encode()),
    "of a length that nobody said": Answer(raw=b"HTTP/1.0 200 OK\r\n\r\n" + b" " * 20_000_000),
    "in chunks": chunked(b" " * 20_000_000),
    "packed": Answer(body=bomb(), headers=GZIP),
    "packed twice": Answer(body=gzip.compress(bomb()), headers={"Content-Encoding": "gzip, gzip"}),
    "packed otherwise": Answer(body=zlib.compress(b" " * 2**25), headers={"Content-Encoding": "deflate"}),
}


@pytest.mark.parametrize("answer", TOO_LONG_ANSWERS.values(), ids=TOO_LONG_ANSWERS)
def test_an_answer_without_end_is_not_taken(answer: Answer) -> None:
    """It was paid, is not tried again, and costs no memory; the next request is another matter."""
    with FaultyServer(in_turn(says(), answer, says())) as server:
        model = chat(server, concurrency=1)
        list(model.complete_many(asks(1)))  # what is imported then is not counted
        tracemalloc.start()
        try:
            long, next_one = (said for _, said in model.complete_many(asks(2)))
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert len(server.calls) == 3
    assert (long.text, long.error, long.calls) == (None, TOO_LONG, 1)
    assert next_one.text
    assert peak < 12_000_000


def test_the_bound_itself_is_taken() -> None:
    """A byte more is not."""

    async def read(length: int) -> bytes:
        with FaultyServer(in_turn(Answer(body=b"x" * length))) as server:
            async with BoundedClient(key="k", foreign=True, most_bytes=1000, connect_s=5) as client:
                return (await client.post(server.url, json={})).content

    assert asyncio.run(read(1000)) == b"x" * 1000
    with pytest.raises(RefusedReplyError, match="longer than 1,000 bytes"):
        asyncio.run(read(1001))


def test_log_probabilities_that_are_asked_for_have_room() -> None:
    """As much as the answer, for each alternative."""
    body = completion("1")
    body["choices"][0]["logprobs"] = {"content": [{"token": "x" * MOST_CHAT_BYTES, "logprob": -1}]}
    with FaultyServer(in_turn(Answer(body=body))) as server:
        (_, answer), *_ = chat(server, ChatOptions(model="m", top_logprobs=1)).complete_many(asks(1))
        assert answer.text == "1"
        (_, answer), *_ = chat(server).complete_many(asks(1))
        assert answer.error == TOO_LONG


def test_embeddings_are_bounded_too() -> None:
    """By more than any encoder says of so many texts."""
    wide = {"data": [{"index": at, "embedding": [-0.01234567890123456] * 8192} for at in range(16)]}
    texts = [str(number) for number in range(16)]
    with FaultyServer(in_turn(Answer(body=wide), Answer(body=bomb(), headers=GZIP))) as server:
        encoder = OpenAIEncoder(endpoint(server), EmbeddingOptions(model="m"))
        assert encoder.encode(texts).shape == (16, 8192)
        with pytest.raises(EncoderError, match="longer than 8,388,608 bytes, more than was asked for"):
            encoder.encode(texts)
        assert len(server.calls) == 2


def test_a_long_error_is_what_its_status_says() -> None:
    """Cut where it is too long: waited for, tried again, or the end."""
    refused = Answer(status=429, body=bomb(), headers=GZIP | {"Retry-After": "0.05"})
    broken = Answer(status=500, body=b"nonsense", headers=GZIP)
    answer, server = answer_to(in_turn(refused, broken, Answer(status=503, body=b"x" * 3_000_000), says()))
    assert answer.text
    assert (answer.calls, len(server.calls)) == (3, 4)
    assert answer.seconds >= 0.05
    cut, _ = answer_to(in_turn(Answer(status=418, body=f"{KEY} ".encode() * 100_000)))
    assert cut.error is not None
    assert cut.error.startswith("The server answered HTTP 418: [key]")
    assert len(cut.error) < 400
    blank, _ = answer_to(in_turn(Answer(status=418, body=bomb(), headers=GZIP)))
    assert blank.error == "The server answered HTTP 418: Error code: 418"


@pytest.mark.parametrize("headers", [GZIP, {"Content-Encoding": "gzip, " * 6}])
def test_what_cannot_be_unpacked_is_no_answer(headers: dict[str, str]) -> None:
    """It was paid; the same would come again."""
    answer, server = answer_to(in_turn(Answer(body=RIGHT, headers=headers)))
    assert answer.error is not None
    assert answer.error.startswith("The server's answer cannot be unpacked (")
    assert (answer.calls, len(server.calls)) == (1, 1)


RIGHT_ANSWERS = {
    "packed": Answer(body=gzip.compress(RIGHT), headers=GZIP),
    "said to be packed in a way that nobody knows": Answer(body=RIGHT, headers={"Content-Encoding": "odd"}),
    "of another type": Answer(body=RIGHT, headers={"Content-Type": "text/plain"}),
    "of a type with an odd encoding": Answer(body=RIGHT, headers={"Content-Type": "a/b; charset=idna"}),
    "of no type": Answer(raw=b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(RIGHT), RIGHT)),
    "in an older protocol": Answer(raw=b"HTTP/1.0 200 OK\r\n\r\n" + RIGHT),
    "in a chunk": chunked(RIGHT),
    "after a word that it goes on": Answer(
        raw=b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 200 OK\r\n\r\n" + RIGHT
    ),
    "with a header that is no text": Answer(body=RIGHT, headers={"X-Odd": "\xff"}),
    "after a mark of byte order": Answer(body=b"\xef\xbb\xbf" + RIGHT),
}


@pytest.mark.parametrize("answer", RIGHT_ANSWERS.values(), ids=RIGHT_ANSWERS)
def test_an_answer_is_read_in_every_wrapping(answer: Answer) -> None:
    """Servers and what stands before them differ."""
    assert answer_to(in_turn(answer))[0].text == "1"


BROKEN = {
    "nothing": b"",
    "no HTTP": b"SSH-2.0\r\n\r\n",
    "no status": b"HTTP/1.1 odd OK\r\n\r\n",
    "two lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 7\r\n\r\n{}",
    "a length below 0": b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{}",
    "less than it says": b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n{}",
    "no chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nodd\r\n{}",
    "a chunk beyond all bounds": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    + b"F" * 21
    + b"\r\n",
    "headers without end": b"HTTP/1.1 200 OK\r\n" + b"X: x\r\n" * 100_000,
    "a status without end": b"HTTP/1.1 200 " + b"x" * 1_000_000,
    "another protocol": b"HTTP/1.1 101 Switching Protocols\r\n\r\n",
}


@pytest.mark.parametrize("raw", BROKEN.values(), ids=BROKEN)
def test_what_is_no_http_is_tried_again(raw: bytes) -> None:
    """As a connection that broke."""
    answer, server = answer_to(in_turn(Answer(raw=raw), says()))
    assert answer.text
    assert answer.calls == len(server.calls) == 2


@pytest.mark.parametrize("status", [204, 205, 300, 302, 304, 307, 418])
def test_a_status_without_an_answer_is_a_failure_of_the_request(status: int) -> None:
    """None leads elsewhere, and none is tried again."""
    answer, server = answer_to(in_turn(Answer(status=status)))
    assert answer.error is not None
    assert (answer.error == "The server's answer is no JSON.") == (status < 300)
    assert len(server.calls) == 1


@pytest.mark.parametrize("wait", ["\xb2", "9" * 500, "1e400", "Thu, 99 Foo", "-1", "1,2", "0x10"])
def test_a_wait_that_cannot_be_read_is_none(wait: str) -> None:
    """It is tried again after our own."""
    answer, server = answer_to(in_turn(fails(429, headers={"Retry-After": wait}), says()))
    assert answer.text
    assert len(server.calls) == 2


@pytest.mark.parametrize("foreign", [True, False])
def test_only_openai_gets_what_the_environment_says_for_openai(foreign: bool) -> None:  # noqa: FBT001 - both of them
    """The key is ours to choose at either."""

    async def sent() -> dict[str, str]:
        own = {"X-Own": "planted", "OpenAI-Project": "planted", "Authorization": "planted"}
        with FaultyServer() as server:
            async with BoundedClient(key="k", foreign=foreign, most_bytes=1000, connect_s=5) as client:
                await client.post(server.url, json={}, headers=own)
            return dict(server.calls[0].headers)

    headers = asyncio.run(sent())
    assert headers["authorization"] == "Bearer k"
    assert (headers.get("x-own"), headers.get("openai-project")) == (None if foreign else "planted",) * 2


@pytest.mark.parametrize("cookie", ["a=b", "\xff=\xff", "a=b; expires=Thu, 99", "a=b; version=9e9"])
def test_no_cookie_is_kept(cookie: str) -> None:
    """Some cannot be read, and some cannot be sent back."""
    with FaultyServer(in_turn(says(headers={"Set-Cookie": cookie}))) as server:
        assert all(answer.text for _, answer in chat(server).complete_many(asks(3)))
        assert all("cookie" not in call.headers for call in server.calls)


# ---------------------------------------------------------------- redirects


def test_of_a_redirect_nothing_is_read_but_where_it_leads() -> None:
    """Its body may be without end."""
    away = Answer(status=307, body=bomb(), headers=GZIP | {"Location": "/else"})
    answer, server = answer_to(in_turn(away, says()))
    assert answer.text
    assert [call.path for call in server.calls] == ["/v1/chat/completions", "/else"]


def test_redirects_end() -> None:
    """Ten are more than any gateway has."""
    around = Answer(status=308, headers={"Location": "/v1/chat/completions"})
    with (
        FaultyServer(in_turn(around)) as server,
        pytest.raises(ProviderError, match="round in circles"),
    ):
        list(chat(server).complete_many(asks(3)))
    assert len(server.calls) == 10


@pytest.mark.parametrize("port", ["99999", "-1"])
def test_a_port_beyond_all_ports_is_no_connection(port: str) -> None:
    """Nothing is sent, and nobody is asked again."""
    away = Answer(status=307, headers={"Location": f"https://127.0.0.1:{port}/v1"})
    with FaultyServer(in_turn(away)) as server:
        with pytest.raises(ProviderError, match="No connection can be made"):
            list(chat(server).complete_many([ask()]))
        assert len(server.calls) == 1


# ---------------------------------------------------------------- proxies and certificates


PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ALL_PROXY", "socks5://user:planted@127.0.0.1:9"),
        ("ALL_PROXY", "ftp://user:planted@127.0.0.1"),
        ("HTTP_PROXY", "http://user:planted@ho st"),
        ("HTTP_PROXY", "http://[planted"),
        ("HTTP_PROXY", "http://127.0.0.1:planted"),
        ("HTTP_PROXY", "http://user:planted@127.0.0.1:99999"),
        ("SSL_CERT_FILE", "/planted/certificates"),
    ],
)
def test_an_environment_that_cannot_be_used_is_said_without_its_password(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    """Before anything is sent; for socks a package is missing."""
    for each in PROXIES:
        monkeypatch.delenv(each, raising=False)
        monkeypatch.delenv(each.lower(), raising=False)
    monkeypatch.setenv(name, value)
    with FaultyServer() as server:
        with pytest.raises(
            (UsageError, ProviderError), match=r"o connection can be made|cannot be reached"
        ) as refused:
            list(chat(server).complete_many(asks(2)))
        assert server.calls == []
    assert "planted" not in str(refused.value)
