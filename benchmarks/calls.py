"""How near to the rate that a server allows a run of calls comes, beside a bare client of the same run.

    python benchmarks/calls.py [--calls 1000] [--case PER_S LATENCY_S] [--out FILE]

A server in a process of its own holds each call for some time, and allows so many a second: a tenth of
a second's worth at once, the others are refused with a 429 and are to come again in a second. It is asked
1,000 times, 32 calls at a time, back to back by

* a bare client: httpx, a semaphore and the same even pace;
* ours, told the rate by `requests_per_minute`;
* ours, not told: it learns from what is refused;
* ours through the prober and the ledger, as `caskg probe` does it, told the rate.

A line is a rate, how much of it each of them reached, its refused calls and its CPU time for a call. What
32 calls at a time can reach at all, 32 / latency, bounds the rate.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import httpx2

from caskg.graph.llm_prober import LlmProber
from caskg.graph.prompts import Wording, chat_request
from caskg.judging import check_questions
from caskg.paid import ask_paid
from caskg.providers.calls import load_sdk
from caskg.providers.openai_compatible import OpenAIChat
from caskg.providers.pace import Pace
from caskg.providers.settings import ChatOptions, Endpoint
from caskg.schema import ChatRequest, ProbeRequest
from caskg.store.workspace import Workspace

AT_A_TIME = 32
RETRY_AFTER_S = 1
REFUSED = 429
CASES = ((50.0, 0.02), (100.0, 0.05), (200.0, 0.1))
"""Calls a second that are allowed, and seconds that an answer takes."""

_SAID = {
    "object": "chat.completion",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"content": '{"score": "0.5"}'}}],
    "usage": {"prompt_tokens": 700, "completion_tokens": 8, "total_tokens": 708},
}


def main() -> None:
    """Measure, print, and write the figures."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--calls", type=int, default=1000)
    options.add_argument("--case", type=float, nargs=2, action="append")
    options.add_argument("--out", type=Path, default=Path("benchmarks/results/calls.json"))
    options.add_argument("--serve", type=float, nargs=2, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.serve:
        asyncio.run(serve(*chosen.serve))
        return
    load_sdk()  # the time of an import is no call's
    plan()
    rows = [row for case in chosen.case or CASES for row in measure(*case, n=chosen.calls)]
    chosen.out.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def measure(per_s: float, latency_s: float, *, n: int) -> Iterator[dict[str, Any]]:
    """Run each client against a server of its own, and print what it reached."""
    clients: dict[str, Callable[[str], None]] = {
        "bare": lambda url: asyncio.run(bare(url, n=n, per_s=per_s)),
        "ours, told": lambda url: ours(url, n=n, per_s=per_s),
        "ours, not told": lambda url: ours(url, n=n, per_s=None),
        "ours, recorded": lambda url: recorded(url, n=n, per_s=per_s),
    }
    for name, client in clients.items():
        with a_server(per_s, latency_s) as url:
            began_s, cpu_s = time.perf_counter(), time.process_time()
            client(url)
            seconds, cpu_s = time.perf_counter() - began_s, time.process_time() - cpu_s
            refused = httpx2.get(f"{url}/refused").json()
        row = {
            "per_s": per_s,
            "latency_s": latency_s,
            "client": name,
            "reached": round(n / seconds / per_s, 3),
            "refused": refused,
            "cpu_ms": round(1000 * cpu_s / n, 2),
            "peak_mb": peak_mb(),
        }
        print(
            f"{per_s:5.0f} a second, {latency_s:g} s each  {name:15}  reached {row['reached']:.1%}, "
            f"{refused:4} refused, {row['cpu_ms']:.2f} CPU ms a call, {row['peak_mb']} MB at most"
        )
        yield row


# ---------------------------------------------------------------- the clients


@cache
def peak_mb() -> int:
    """Return the peak resident set of this program; `getrusage` would count that of who started it, too."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))) // 1024


def plan() -> list[ProbeRequest]:
    """Return the questions of a judge check."""
    return check_questions(Wording.CONTROL)


def chats(n: int) -> Iterator[ChatRequest]:
    """Yield *n* of them as a model is asked, over and over."""
    for number, request in enumerate(islice(cycle(plan()), n)):
        yield chat_request(request, wording=Wording.CONTROL, request_id=str(number))


def model(url: str, per_s: float | None) -> OpenAIChat:
    """Return our client."""
    limit = 60 * per_s if per_s else None
    endpoint = Endpoint(base_url=url, concurrency=AT_A_TIME, requests_per_minute=limit)
    return OpenAIChat(endpoint, ChatOptions(model="m"))


def ours(url: str, *, n: int, per_s: float | None) -> None:
    """Ask through the provider."""
    answered = sum(answer.text is not None for _, answer in model(url, per_s).complete_many(chats(n)))
    assert answered == n, f"{n - answered} calls failed"


def recorded(url: str, *, n: int, per_s: float) -> None:
    """Ask as `caskg probe` does: each answer is read, and in the ledger before the next is looked at."""
    prober = LlmProber(model(url, per_s), wording=Wording.CONTROL)
    left = n
    while left:  # a workspace for each round of the plan, which is shorter than the run
        with tempfile.TemporaryDirectory() as folder, Workspace.create(Path(folder) / "ws") as workspace:
            answers = ask_paid(plan()[:left], prober=prober, ledger=workspace.ledger)
            left -= sum(answer.score is not None for _, answer in answers)


async def bare(url: str, *, n: int, per_s: float) -> None:
    """Send each call when its turn comes, and again if it is refused."""
    gate = asyncio.Semaphore(AT_A_TIME)
    bodies = (
        {"model": "m", "messages": [{"role": role, "content": text} for role, text in chat.messages]}
        for chat in chats(n)
    )
    pace = Pace(60 * per_s)
    async with httpx2.AsyncClient(timeout=60) as client:

        async def call(body: dict[str, Any]) -> None:
            async with gate:
                await asyncio.sleep(pace.wait_s())
                while (
                    reply := await client.post(f"{url}/chat/completions", json=body)
                ).status_code == REFUSED:
                    await asyncio.sleep(RETRY_AFTER_S)
                reply.json()

        async with asyncio.TaskGroup() as group:
            for body in bodies:
                group.create_task(call(body))


# ---------------------------------------------------------------- the server


@dataclass
class Allowance:
    """How many calls may come now."""

    per_s: float
    room: float = 0.0
    at_s: float = 0.0
    refused: int = 0

    def take(self) -> bool:
        """Let a call pass, or refuse it."""
        now = time.monotonic()
        self.room = min(self.per_s / 10, self.room + (now - self.at_s) * self.per_s)
        self.at_s = now
        passes = self.room >= 1
        self.room -= passes
        self.refused += not passes
        return passes


async def serve(per_s: float, latency_s: float) -> None:
    """Answer until the process is ended; the port is printed."""
    allowance = Allowance(per_s)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await _head(reader):
            await reader.readexactly(_length(head))
            if head.startswith(b"GET"):
                writer.write(_response("200 OK", allowance.refused))
            elif allowance.take():
                await asyncio.sleep(latency_s)
                writer.write(_response("200 OK", _SAID))
            else:
                writer.write(_response(f"{REFUSED} Too Many Requests", {}))
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


async def _head(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return b""


def _length(head: bytes) -> int:
    lines = head.lower().split(b"\r\n")
    return next((int(line.split(b":")[1]) for line in lines if line.startswith(b"content-length")), 0)


def _response(status: str, said: object) -> bytes:
    body = json.dumps(said).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nRetry-After: {RETRY_AFTER_S}\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


@contextmanager
def a_server(per_s: float, latency_s: float) -> Iterator[str]:
    """Run the server in a process; its base URL."""
    command = [sys.executable, __file__, "--serve", str(per_s), str(latency_s)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
        finally:
            process.terminate()


if __name__ == "__main__":
    main()
