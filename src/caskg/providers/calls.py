"""One call to a server: paced, timed, tried again where that may help, and what failed in one sentence."""

import asyncio
import math
import random
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from caskg.errors import ProviderError, UsageError
from caskg.providers.failures import Blame, Failure, where
from caskg.providers.pace import Pace
from caskg.providers.settings import OPENAI_URL, Endpoint

if TYPE_CHECKING:
    import openai

RETRIED = frozenset({408, 409, 425, 429})
RATE_LIMITED = 429
FIRST_SERVER_ERROR = 500
HOPELESS = frozenset({401, 402, 404})
"""Wrong key, no money, no such model or address: no other call will fare better."""
REFUSED = frozenset({403, 410, 451})
"""Not allowed, gone, barred: perhaps of one request, of several in a row of the server."""
_MOST_TOKENS = 1 << 40  # of one call; more is no count
_CONNECT_S = 10.0
_POLL_S = 0.5  # how soon a wait ends that became pointless
_MESSAGE_CHARS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came of a call, over all its attempts: *body* as parsed JSON, or *failure*."""

    body: object = None
    failure: Failure | None = None
    calls: int = 0


class Session:
    """An open connection to an endpoint; lives in the event loop that opened it."""

    def __init__(
        self, client: "openai.AsyncOpenAI", endpoint: Endpoint, *, requests: Pace, tokens: Pace
    ) -> None:
        """Take an open client, whose own retries are off, and the paces, which outlive the session."""
        self._client, self._endpoint = client, endpoint
        self._requests, self._tokens = requests, tokens

    async def post(
        self,
        path: str,
        body: Mapping[str, Any],
        *,
        tokens: int,
        may_retry: Callable[[bool], bool] = lambda _paid: True,
    ) -> Reply:
        """Send *body* until it is answered, refused, or not worth another attempt.

        Args:
            path: Below the base URL.
            body: Sent as JSON.
            tokens: About how many tokens it will take.
            may_retry: Asked before each further attempt, told whether the one before may have been paid;
                and while it waits, told that none was, whether to wait on.
        """
        calls = attempts = 0
        held_s = 0.0
        while True:
            reply, failure = await self._attempt(path, body, tokens=tokens)
            calls += failure is None or failure.paid
            if failure is None or not failure.retry:
                return Reply(body=reply, failure=failure, calls=calls)
            limited = failure.status == RATE_LIMITED
            attempts += not limited
            delay_s = _delay_s(failure, attempts, first_s=self._endpoint.backoff_s)
            # A server may ask for no wait at all, for ever.
            held_s += max(delay_s, self._endpoint.backoff_s) if limited else 0.0
            spent = (
                attempts >= self._endpoint.max_attempts or max(held_s, delay_s) > self._endpoint.max_wait_s
            )
            if spent or not may_retry(failure.paid):
                return Reply(failure=failure, calls=calls)
            if not await _waited(delay_s, may_retry):
                return Reply(failure=failure, calls=calls)

    async def _attempt(
        self, path: str, body: Mapping[str, Any], *, tokens: int
    ) -> tuple[object, Failure | None]:
        """Send once, when the paces allow it."""
        import openai

        from caskg.providers.http import RefusedReplyError

        await asyncio.sleep(max(self._requests.wait_s(), self._tokens.wait_s(tokens)))
        sent_s = time.monotonic()
        try:
            async with asyncio.timeout(self._endpoint.timeout_s):
                reply = await self._client.post(path, cast_to=object, body=body)
        except TimeoutError:
            reason = f"The server did not answer within {self._endpoint.timeout_s:g} s."
            return None, Failure(reason=reason, blame=Blame.SERVER, retry=True, paid=True)
        except RefusedReplyError as error:
            return None, replace(error.failure, reason=self._scrubbed(str(error)))
        except openai.APIStatusError as error:
            failure = self._refused(error)
            if failure.status == RATE_LIMITED and failure.retry:
                self._requests.refused(sent_s)
            return None, failure
        except openai.APIConnectionError as error:
            return None, self._broken(error)
        except (openai.OpenAIError, ValueError, RecursionError):
            return None, Failure(reason="The server's answer is no JSON.", blame=Blame.REQUEST, paid=True)
        self._tokens.give_back(max(0, tokens - used_tokens(reply)) if used_tokens(reply) else 0)
        return reply, None

    def _refused(self, error: "openai.APIStatusError") -> Failure:
        """Return what an HTTP status says."""
        status = error.status_code
        out_of_money = error.code == "insufficient_quota"  # OpenAI's 429 that waiting does not help
        hopeless = status in HOPELESS or out_of_money
        again = not hopeless and (status in RETRIED or status >= FIRST_SERVER_ERROR)
        of_server = again or status in REFUSED
        return Failure(
            reason=f"The server answered HTTP {status}: {self._scrubbed(_server_message(error))}",
            blame=Blame.HOPELESS if hopeless else Blame.SERVER if of_server else Blame.REQUEST,
            status=status,
            retry=again,
            retry_after_s=retry_after_s(error.response.headers, now=time.time()),
            paid=status >= FIRST_SERVER_ERROR,
        )

    def _broken(self, error: "openai.APIConnectionError") -> Failure:
        """Return what became of a connection: never opened, too slow, or closed before the answer."""
        cause = error.__cause__
        never_sent = type(cause).__name__ in ("ConnectError", "ConnectTimeout", "PoolTimeout")
        what = "cannot be reached" if never_sent else "closed the connection before it answered"
        detail = self._scrubbed(str(cause or error)) or type(cause).__name__
        reason = f"The server at {where(self._endpoint.base_url)} {what} ({detail})."
        return Failure(reason=reason, blame=Blame.SERVER, retry=True, paid=not never_sent)

    def _scrubbed(self, text: str) -> str:
        """Return the beginning of *text* on one line, without the key."""
        clean = self.without_key(" ".join(text.split()))
        return clean if len(clean) <= _MESSAGE_CHARS else clean[: _MESSAGE_CHARS - 1] + "…"

    def without_key(self, text: str) -> str:
        """Return *text* without the key, should the server repeat it, and without what no UTF-8 can hold."""
        return self._endpoint.api_key.scrub(utf8(text)) if self._endpoint.api_key else utf8(text)


@asynccontextmanager
async def open_session(
    endpoint: Endpoint, *, most_bytes: int, requests: Pace, tokens: Pace
) -> AsyncIterator[Session]:
    """Open the connections to *endpoint*; of a reply at most so many bytes are read.

    Raises:
        ProviderError: The extra ``llm`` is not installed.
        UsageError: The address, or what the environment says of proxies and certificates, cannot be used.
    """
    async with _client(endpoint, most_bytes) as client:
        yield Session(client, endpoint, requests=requests, tokens=tokens)


def _client(endpoint: Endpoint, most_bytes: int) -> "openai.AsyncOpenAI":
    sdk = load_sdk()
    import httpx2

    from caskg.providers.http import BoundedClient

    key = endpoint.api_key.reveal() if endpoint.api_key else "none"  # the SDK insists on one
    foreign = endpoint.base_url != OPENAI_URL
    connect_s = min(endpoint.timeout_s, _CONNECT_S)
    try:
        http = BoundedClient(key=key, foreign=foreign, most_bytes=most_bytes, connect_s=connect_s)
        client: openai.AsyncOpenAI = sdk.AsyncOpenAI(
            base_url=endpoint.base_url,
            api_key=key,
            max_retries=0,
            timeout=http.timeout,
            http_client=http,
        )
    except (ImportError, OSError, ValueError, httpx2.InvalidURL, sdk.OpenAIError):
        # What is complained of may hold a password.
        msg = (
            "No connection can be made ready: check the base URL, and in the environment SSL_CERT_FILE and "
            "the proxies, such as HTTPS_PROXY and ALL_PROXY (for socks run pip install 'httpx2[socks]')."
        )
        raise UsageError(msg) from None
    return client


def load_sdk() -> Any:  # noqa: ANN401 - a module
    """Import the SDK.

    Raises:
        ProviderError: It is not installed.
    """
    try:
        import openai
    except ImportError as error:
        msg = f"Language models need the extra 'llm' ({error}): run pip install '.[llm]' in the checkout."
        raise ProviderError(msg) from error
    return openai


async def _waited(delay_s: float, may_retry: Callable[[bool], bool]) -> bool:
    """Wait so long, and return whether it still makes sense to send again; soon, where it does not."""
    until_s, paid = time.monotonic() + delay_s, False  # nothing was paid while waiting
    while (left_s := until_s - time.monotonic()) > 0:
        await asyncio.sleep(min(left_s, _POLL_S))
        if not may_retry(paid):
            return False
    return True


def _server_message(error: "openai.APIStatusError") -> str:
    """Return what the server said, out of the shapes that servers give it."""
    body = error.body if isinstance(error.body, Mapping) else {}
    said = (body.get(name) for name in ("message", "detail", "error"))
    return next(
        (text for text in said if isinstance(text, str) and text), error.response.text.strip() or str(error)
    )


def _delay_s(failure: Failure, attempts: int, *, first_s: float) -> float:
    """Return how long to wait: what the server asks for, else twice as long each time; never all at once."""
    if failure.retry_after_s is not None:
        return failure.retry_after_s * random.uniform(1.0, 1.1)
    return first_s * 2.0 ** max(0, attempts - 1) * random.uniform(0.5, 1.0)


def retry_after_s(headers: Mapping[str, str], *, now: float) -> float | None:
    """Read ``Retry-After``: seconds, or a date; None where there is none that can be read.

    >>> retry_after_s({"retry-after": "2"}, now=0.0)
    2.0
    >>> retry_after_s({"retry-after": "Thu, 01 Jan 1970 00:00:30 GMT"}, now=10.0)
    20.0
    """
    text = headers.get("retry-after", "")
    with suppress(ValueError):
        seconds = float(text)
        return max(0.0, seconds) if math.isfinite(seconds) else None
    with suppress(ValueError, OverflowError):
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    return None


def utf8(text: str) -> str:
    r"""Return *text* as UTF-8 can hold it: with a question mark for half of a pair of surrogates.

    >>> utf8("a\ud800")
    'a?'
    """
    return text.encode(errors="replace").decode()


def used_tokens(reply: object) -> int:
    """Return how many tokens a reply says it took, in and out; 0 where it does not say."""
    return sum(usage(reply))


def usage(reply: object) -> tuple[int, int]:
    """Return the tokens that were read and written, 0 where the reply does not say.

    >>> usage({"usage": {"prompt_tokens": 5, "completion_tokens": None}})
    (5, 0)
    """
    said = reply.get("usage") if isinstance(reply, Mapping) else None
    counts = said if isinstance(said, Mapping) else {}
    read, written = (counts.get(f"{part}_tokens") for part in ("prompt", "completion"))
    return _count(read), _count(written)


def _count(value: object) -> int:
    return value if isinstance(value, int) and 0 < value <= _MOST_TOKENS else 0
