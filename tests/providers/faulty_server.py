"""A small HTTP server on loopback that answers as it is told to, rightly or wrongly.

It speaks just enough of OpenAI's protocol. What it answers is a function of the call, so a
test says in one line what goes wrong; what it received is kept for the test to look at.
"""

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True, kw_only=True)
class Call:
    """What came in; *number* counts from 0, names of headers are in lower case, *body* is the parsed JSON."""

    number: int
    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        """The last message."""
        return str(self.body["messages"][-1]["content"])


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What goes out.

    Attributes:
        status: Of HTTP.
        body: Sent as JSON, bytes as they are.
        headers: Besides type and length.
        after_s: Waits so long before it answers; infinite = for ever.
        cut_at: Closes the connection after so many bytes of the body.
        byte_every_s: Sends a byte, waits so long, sends the next.
        raw: Sent in place of all that, head included; then the connection closes.
    """

    status: int = 200
    body: object = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    after_s: float = 0.0
    cut_at: int | None = None
    byte_every_s: float = 0.0
    raw: bytes | None = None


def completion(text: str | None, **message: object) -> dict[str, Any]:
    """Return a chat completion that took 10 tokens in and 2 out."""
    return {
        "object": "chat.completion",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"content": text} | message}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12},
    }


def says(text: str = '{"score": 0.5}', **how: Any) -> Answer:  # noqa: ANN401 - the fields of an answer
    """Answer with *text*."""
    return Answer(body=completion(text), **how)


def fails(status: int, message: str = "no", **how: Any) -> Answer:  # noqa: ANN401 - the fields of an answer
    """Answer with an error."""
    return Answer(status=status, body={"error": {"message": message}}, **how)


class FaultyServer:
    """The server; a context manager. ``most_at_once`` is how many calls it held at a time."""

    def __init__(self, answer: Callable[[Call], Answer] = lambda _call: says()) -> None:
        """Answer each call as *answer* says, from a thread of its own."""
        self._answer = answer
        self._lock = threading.Lock()
        self._n_open = 0
        self._closing = threading.Event()
        self.calls: list[Call] = []
        self.most_at_once = 0
        self._http = _Http(self)
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def receive(self, path: str, headers: Mapping[str, str], body: dict[str, Any]) -> Answer:
        """Note a call, and say what to answer after the wait that it takes."""
        with self._lock:
            call = Call(number=len(self.calls), path=path, headers=headers, body=body)
            self.calls.append(call)
            self._n_open += 1
            self.most_at_once = max(self.most_at_once, self._n_open)
        try:
            answer = self._answer(call)
            self.wait(answer.after_s)
        finally:
            with self._lock:
                self._n_open -= 1
        return answer

    def wait(self, seconds: float) -> bool:
        """Wait; return whether the server is closing."""
        return self._closing.wait(min(seconds, 60.0)) if seconds else False


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet
    disable_nagle_algorithm = True

    @property
    def _owner(self) -> FaultyServer:
        assert isinstance(self.server, _Http)
        return self.server.owner

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        try:
            content = self.rfile.read(length)
            if len(content) == length:
                headers = {name.lower(): value for name, value in self.headers.items()}
                self._send(self._owner.receive(self.path, headers, json.loads(content)))
                return
        except OSError:
            pass
        self.close_connection = True  # the caller went away

    def _send(self, answer: Answer) -> None:
        if answer.raw is not None:
            self.wfile.write(answer.raw)
            self.close_connection = True
            return
        content = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        self.send_response(answer.status)
        for name, value in {"Content-Type": "application/json", **answer.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if answer.byte_every_s:
            self._trickle(content, answer.byte_every_s)
            return
        self.wfile.write(content[: answer.cut_at])
        self.close_connection = self.close_connection or answer.cut_at is not None

    def _trickle(self, content: bytes, seconds: float) -> None:
        for byte in content:
            self.wfile.write(bytes([byte]))
            self.wfile.flush()
            if self._owner.wait(seconds):
                self.close_connection = True
                return

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, owner: FaultyServer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.owner = owner

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a caller that went away."""
