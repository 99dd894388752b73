"""One object for each event loop.

An async client keeps connections that die with their loop, so each loop gets its own, closed when
the loop ends: an async generator that waits in the loop is closed by ``asyncio.run`` before the
loop is (``loop.shutdown_asyncgens``).
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable
from typing import Any, Generic, TypeVar

Made = TypeVar("Made")


class PerLoop(Generic[Made]):
    """Keep one object for each event loop, and close it when the loop ends.

    Safe to use from several threads.

    Args:
        make: Makes an object with an async ``close``.
    """

    def __init__(self, make: Callable[[], Made]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._kept: dict[asyncio.AbstractEventLoop, tuple[Made, AsyncGenerator[None, None]]] = {}

    async def get(self) -> Made:
        """Return the object of the running loop."""
        loop = asyncio.get_running_loop()
        kept = self._kept.get(loop)
        if kept is None:
            made = self._make()
            kept = made, self._until_loop_ends(loop, made)
            with self._lock:
                for old in [old for old in self._kept if old.is_closed()]:
                    del self._kept[old]
                self._kept[loop] = kept
            await anext(kept[1])
        return kept[0]

    async def _until_loop_ends(
        self, loop: asyncio.AbstractEventLoop, made: Any
    ) -> AsyncGenerator[None, None]:
        try:
            yield
        finally:
            with self._lock:
                self._kept.pop(loop, None)
            await made.close()
