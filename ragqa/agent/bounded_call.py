"""Call a function with a deadline, and keep hold of it when the deadline has passed.

A thread cannot be stopped: whoever gave up on it can still be told what became of it.
"""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from contextvars import copy_context
from functools import wraps
from typing import Any

GRACE_S = 1.0
"""How long a cancelled coroutine may take to end."""

Ended = Callable[[Any, BaseException | None], None]


class EndedError(Exception):
    """A tool tried to end the program."""

    def __init__(self, exc: BaseException) -> None:
        super().__init__(f"{type(exc).__name__} {exc}".strip())


class BoundedCall:
    """One call of a function, blocking or async, that is waited for no longer than its deadline.

    Args:
        run: The blocking function; None where there is only an async one.
        arun: The async function; None where there is only a blocking one.
        timeout_s: How long to wait.
    """

    def __init__(
        self,
        run: Callable[[], Any] | None,
        arun: Callable[[], Awaitable[Any]] | None,
        timeout_s: float,
    ) -> None:
        assert run is not None or arun is not None, "there is something to call"
        self._run = run
        self._arun = arun
        self._timeout_s = timeout_s
        self._future: Future[Any] | None = None
        self._task: Any = None

    @property
    def is_in_flight(self) -> bool:
        """Tell whether it goes on although nobody waits for it any more."""
        if self._task is not None:
            return not self._task.done()
        return self._future is not None and not self._future.done()

    def when_ended(self, told: Ended) -> None:
        """Have a function told what it returned or raised, as soon as that is known."""
        if self._future is not None:
            self._future.add_done_callback(lambda future: _tell(future, told))
        elif self._task is not None:
            self._task.add_done_callback(lambda task: _tell(task, told))

    def wait(self) -> Any:
        """Call it and wait; a coroutine runs in an event loop of its own.

        Raises:
            TimeoutError: If it has not ended in time.
        """
        try:
            return self._waited()
        except NotImplementedError:
            if self._run is None or self._arun is None:
                raise
            self._run = None  # the tool has the other form only, and says so here
            return self._waited()

    def _waited(self) -> Any:
        if self._run is not None:
            future, timeout_s = self._started(self._run), self._timeout_s
        else:  # it keeps the deadline itself
            future, timeout_s = self._started(self._run_coroutine), self._timeout_s + GRACE_S
        try:
            return future.result(timeout_s)
        except TimeoutError:
            if future.done():  # its own time-out, not ours
                return future.result()
            raise _too_late(self._timeout_s) from None

    async def await_(self) -> Any:
        """Call it and wait; a blocking function runs in a thread of its own.

        Raises:
            TimeoutError: If it has not ended in time.
        """
        try:
            return await self._waited_in_loop()
        except NotImplementedError:
            if self._run is None or self._arun is None:
                raise
            self._arun = self._task = None
            return await self._waited_in_loop()

    async def _waited_in_loop(self) -> Any:
        import asyncio

        if self._arun is None:
            assert self._run is not None, "one of the two is there"
            waited: Any = asyncio.wrap_future(self._started(self._run))
        else:
            waited = self._task = asyncio.ensure_future(_awaited(self._arun))
        try:
            done, _ = await asyncio.wait({waited}, timeout=self._timeout_s)
            if not done:
                waited.cancel()
                await asyncio.wait({waited}, timeout=GRACE_S)
        except BaseException:
            waited.cancel()
            if self._task is not None:
                await asyncio.wait({waited}, timeout=GRACE_S)
            raise
        if not done and (not waited.done() or waited.cancelled()):
            raise _too_late(self._timeout_s)
        if waited.cancelled():  # by the tool itself
            raise ConnectionAbortedError("the call was cancelled on its way")
        return waited.result()

    def _started(self, run: Callable[[], Any]) -> Future[Any]:
        """Run in a daemon thread: one that hangs must not keep the process from ending."""
        future: Future[Any] = Future()
        self._future = future
        future.set_running_or_notify_cancel()
        context = copy_context()

        def work() -> None:
            try:
                future.set_result(context.run(run))
            except StopIteration as exc:  # an event loop's futures refuse it, and never end
                future.set_exception(RuntimeError(f"StopIteration {exc}".strip()))
            except Exception as exc:
                future.set_exception(exc)
            except BaseException as exc:  # such as SystemExit: it ends the tool, not the program
                future.set_exception(EndedError(exc))

        threading.Thread(target=work, name="ragqa-tool", daemon=True).start()
        return future

    def _run_coroutine(self) -> Any:
        import asyncio

        assert self._arun is not None, "one of the two is there"
        arun = self._arun

        async def within_time() -> Any:
            try:
                return await asyncio.wait_for(arun(), self._timeout_s)
            except TimeoutError as exc:
                raise (exc if str(exc) else _too_late(self._timeout_s)) from exc

        return asyncio.run(within_time())


def kept(coroutine: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """Return the function of a tool such that its SystemExit ends the tool, not the event loop.

    LangChain runs it as a task of its own, and no caller of a task can catch that. The same goes
    for any other exception that is none to programs, such as gevent's Timeout.
    """
    from asyncio import CancelledError

    @wraps(coroutine)
    async def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return await coroutine(*args, **kwargs)
        except (Exception, CancelledError, GeneratorExit):
            raise
        except BaseException as exc:
            raise EndedError(exc) from exc

    return run


async def _awaited(arun: Callable[[], Awaitable[Any]]) -> Any:
    return await kept(arun)()


def _too_late(timeout_s: float) -> TimeoutError:
    return TimeoutError(f"no reply within {timeout_s:g} s")


def _tell(ended: Any, told: Ended) -> None:
    if ended.cancelled():
        told(None, ConnectionAbortedError("the call was cancelled on its way"))
    elif (exc := ended.exception()) is not None:
        told(None, exc)
    else:
        told(ended.result(), None)
