"""Tasks of an event loop that runs in a thread, a few at a time, with the face of an executor.

Questions that wait for a service cost a task less than a thread: threads take turns at the
interpreter, and fifty of them reach half of what one event loop does.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

Result = TypeVar("Result")

ENDING_S = 10.0
"""How long cancelled tasks may take to end; what does not is left to the end of the process."""


class TaskPool:
    """Run coroutines in an event loop of its own.

    Args:
        at_once: How many may be under way.
    """

    def __init__(self, at_once: int) -> None:
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(at_once,), daemon=True)
        self._thread.start()
        self._ready.wait()

    def submit(self, work: Callable[..., Awaitable[Result]], *given: Any) -> Future[Result]:
        """Begin as soon as there is room; the future brings the result."""
        return asyncio.run_coroutine_threadsafe(self._gated(work, given), self._loop)

    def shutdown(self) -> None:
        """Cancel what is under way, and close what belongs to the loop."""
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(ENDING_S)

    def _gated(
        self, work: Callable[..., Awaitable[Result]], given: tuple[Any, ...]
    ) -> Coroutine[Any, Any, Result]:
        async def run() -> Result:
            async with self._gate:
                return await work(*given)

        return run()

    def _run(self, at_once: int) -> None:
        with asyncio.Runner() as runner:
            runner.run(self._serve(at_once))

    async def _serve(self, at_once: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._gate, self._stop = asyncio.Semaphore(at_once), asyncio.Event()
        self._ready.set()
        await self._stop.wait()
