"""Several calls at a time behind a plain iterator: lazily pulled, cleanly cancelled.

The calls run as coroutines in a thread of their own. Everything else, the pulling of
items included, happens in the caller's thread, so items may come from anything that
is bound to it, such as a database.
"""

import asyncio
from collections.abc import Callable, Coroutine, Generator, Iterable, Iterator
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, contextmanager
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")
R = TypeVar("R")
S = TypeVar("S")


def as_answered(
    items: Iterable[T],
    *,
    session: Callable[[], AbstractAsyncContextManager[S]],
    work: Callable[[S, T], Coroutine[Any, Any, R]],
    width: Callable[[], int],
) -> Generator[tuple[T, R], None, None]:
    """Yield each item with what *work* made of it, as it comes.

    An item is pulled only while fewer than *width* are out, and after the results before it
    were taken: at most that many are held, answered ones included.

    Args:
        items: Pulled in the caller's thread.
        session: Opened once, in the thread of the calls; closed at the end.
        work: One call. It must not raise; what it raises is raised here.
        width: Asked before each pull; 0 = pull no more for now. When nothing is out then, it ends.
    """
    done: SimpleQueue[tuple[T, Future[R]]] = SimpleQueue()
    source, n_out, more = iter(items), 0, True
    with _loop_in_a_thread() as loop, _opened(session(), loop) as opened:
        while True:
            while more and n_out < width():
                try:
                    item = next(source)
                except StopIteration:
                    more = False
                    break
                future = asyncio.run_coroutine_threadsafe(work(opened, item), loop)
                future.add_done_callback(partial(_put, done, item))
                n_out += 1
            if not n_out:
                return
            item, future = done.get()
            n_out -= 1
            yield item, future.result()


def _put(done: SimpleQueue[tuple[T, Future[R]]], item: T, future: Future[R]) -> None:
    done.put((item, future))


@contextmanager
def _loop_in_a_thread() -> Iterator[asyncio.AbstractEventLoop]:
    """Run an event loop until the block is left."""
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever, name="caskg-calls", daemon=True)
    thread.start()
    try:
        yield loop
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@contextmanager
def _opened(session: AbstractAsyncContextManager[S], loop: asyncio.AbstractEventLoop) -> Iterator[S]:
    """Open *session* in *loop*; in the end cancel what is still out, then close it."""
    opened = _result(_enter(session), loop)
    try:
        yield opened
    finally:
        _result(_cancel_others(), loop)
        _result(_leave(session), loop)


async def _enter(session: AbstractAsyncContextManager[S]) -> S:
    return await session.__aenter__()


async def _leave(session: AbstractAsyncContextManager[Any]) -> None:
    await session.__aexit__(None, None, None)


async def _cancel_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


def _result(coroutine: Coroutine[Any, Any, R], loop: asyncio.AbstractEventLoop) -> R:
    return asyncio.run_coroutine_threadsafe(coroutine, loop).result()
