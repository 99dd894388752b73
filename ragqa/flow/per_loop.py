"""One client for each event loop.

An async client keeps connections that die with their loop, so each loop gets its own, closed when
the loop ends: an async generator that waits in the loop is closed by ``asyncio.run`` before the
loop is (``loop.shutdown_asyncgens``).
"""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import AsyncGenerator, Callable
from typing import Any, Generic, NamedTuple, Protocol, TypeVar


class Closable(Protocol):
    """What is closed in the event loop that it was made in."""

    async def close(self) -> None:
        """Close it."""


Made = TypeVar("Made", bound=Closable)


class PerLoop(Generic[Made]):
    """Keep one object for each event loop; close it when the loop ends, or this is dropped.

    Safe to use from several threads.

    Args:
        make: Makes an object.
    """

    def __init__(self, make: Callable[[], Made]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._kept: dict[asyncio.AbstractEventLoop, _OfLoop] = {}

    async def get(self) -> Made:
        """Return the object of the running loop."""
        loop = asyncio.get_running_loop()
        kept = self._kept.get(loop)
        if kept is None:
            made = self._make()
            dropped = weakref.finalize(self, _close_soon, loop, made)
            dropped.atexit = False
            kept = _OfLoop(made, self._until_loop_ends(loop, made), dropped)
            with self._lock:
                for old in [old for old in self._kept if old.is_closed()]:
                    self._kept.pop(old).dropped.detach()
                self._kept[loop] = kept
            await anext(kept.ended)
        found: Made = kept.made
        return found

    async def _until_loop_ends(
        self, loop: asyncio.AbstractEventLoop, made: Made
    ) -> AsyncGenerator[None, None]:
        try:
            yield
        finally:
            with self._lock:
                if kept := self._kept.pop(loop, None):
                    kept.dropped.detach()
            await made.close()


class _OfLoop(NamedTuple):
    """What was made for an event loop, and what closes it: the loop's end, or that of its owner."""

    made: Any
    ended: AsyncGenerator[None, None]
    dropped: weakref.finalize[..., Any]


def _close_soon(loop: asyncio.AbstractEventLoop, made: Closable) -> None:
    """Close what nobody can use any more, though its loop goes on."""
    if not loop.is_closed():
        loop.call_soon_threadsafe(_start_closing, made)


def _start_closing(made: Closable) -> None:
    task = asyncio.get_running_loop().create_task(made.close())
    _closing.add(task)  # a loop itself holds its tasks weakly
    task.add_done_callback(_closing.discard)


_closing: set[asyncio.Task[None]] = set()
