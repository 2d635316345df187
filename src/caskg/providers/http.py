"""The HTTP client below the SDK: takes no more than was asked for, and goes nowhere else.

Imported with the SDK, when the first call is made. The SDK reads every body whole, those of
errors and redirects too; here it is read first, counted as it is unpacked.
"""

import contextlib
from http.cookiejar import CookieJar
from typing import Any

import httpx2

from caskg.providers.failures import Blame, Failure

MOST_REDIRECTS = 10
OWN_HEADERS = frozenset({"accept", "accept-encoding", "connection", "host", "user-agent"}) | frozenset(
    {"authorization", "content-length", "content-type"}
)
"""All that a server gets that is not OpenAI's: the SDK adds what it runs on, and what is meant for OpenAI."""


class RefusedReplyError(Exception):
    """A reply that is not taken; *failure* says why."""

    def __init__(self, reason: str, *, blame: Blame) -> None:
        """Say why."""
        super().__init__(reason)
        self.failure = Failure(reason=reason, blame=blame, paid=blame is Blame.REQUEST)


class _NoCookies(CookieJar):
    """Takes none: a server gets what we say, and a cookie that cannot be read does no harm."""

    def extract_cookies(self, response: object, request: object) -> None:
        """Leave them."""


class BoundedClient(httpx2.AsyncClient):
    """Reads at most so many bytes of a reply, as unpacked, and is redirected within a host only."""

    def __init__(self, *, key: str, foreign: bool, most_bytes: int, connect_s: float) -> None:
        """Open no connection yet.

        Args:
            key: Sent as the authorization, whatever the environment says.
            foreign: Whether the server is not OpenAI's.
            most_bytes: Of a reply.
            connect_s: Seconds until a connection counts as not to be had.
        """
        # A reply as a whole is timed in `calls`: a read time-out here would start anew with each byte.
        timeout = httpx2.Timeout(None, connect=connect_s)
        super().__init__(timeout=timeout, limits=httpx2.Limits(), cookies=_NoCookies())
        self._authorization, self._foreign, self._most_bytes = f"Bearer {key}", foreign, most_bytes

    async def send(self, request: httpx2.Request, **how: Any) -> httpx2.Response:  # noqa: ANN401 - as the client's own
        """Send *request*, and return the whole reply, whatever type it is said to have, as one of JSON.

        Raises:
            RefusedReplyError: It is too long, cannot be unpacked or sends us elsewhere, or none can come.
        """
        for name in set(request.headers) - OWN_HEADERS if self._foreign else ():
            del request.headers[name]
        request.headers["authorization"] = self._authorization  # once: a redirect may have to go without
        for _ in range(MOST_REDIRECTS):
            try:
                response = await super().send(request, **how | {"stream": True})
            except (ValueError, OverflowError, ExceptionGroup) as error:  # as of a port beyond all ports
                msg = "No connection can be made: check the base URL, and the proxies of the environment."
                raise RefusedReplyError(msg, blame=Blame.HOPELESS) from error
            try:
                if response.next_request is None:
                    return await self._whole(response)
            finally:
                await response.aclose()
            _refuse_foreign(request.url, response.next_request.url)
            request = response.next_request
        msg = "The server sends us round in circles."
        raise RefusedReplyError(msg, blame=Blame.HOPELESS)

    async def _whole(self, response: httpx2.Response) -> httpx2.Response:
        kept = [each for each in response.headers.raw if each[0].lower() == b"retry-after"]
        return httpx2.Response(
            response.status_code,
            headers=[(b"content-type", b"application/json"), *kept],
            content=await self._content(response),
            request=response.request,
        )

    async def _content(self, response: httpx2.Response) -> bytes:
        """Return what was sent; of an error, whose status says enough, what could be read."""
        content, wrong = bytearray(), None
        try:
            async with contextlib.aclosing(response.aiter_bytes()) as pieces:
                async for piece in pieces:
                    content += piece
                    if len(content) > self._most_bytes:
                        wrong = f"is longer than {self._most_bytes:,} bytes, more than was asked for"
                        break
        except httpx2.DecodingError as error:
            wrong = f"cannot be unpacked ({error})"
        if wrong and response.is_success:
            msg = f"The server's answer {wrong}."
            raise RefusedReplyError(msg, blame=Blame.REQUEST)
        return bytes(content)


def _refuse_foreign(here: httpx2.URL, there: httpx2.URL) -> None:
    """Follow a redirect within a host, and from http to https there: texts and key go nowhere else."""
    same_origin = (here.scheme, here.port) == (there.scheme, there.port)
    if here.host != there.host or not (same_origin or there.scheme == "https"):
        address = f"{there.scheme}://{there.netloc.decode()}"
        msg = f"The server sends us to {address}: if you trust that, name it as base URL."
        raise RefusedReplyError(msg, blame=Blame.HOPELESS)
