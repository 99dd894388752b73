"""An async generator in a task of its own, in step with whoever reads it.

Where an event loop ends, asyncio closes all async generators at once, also those that others are
reading; these then complain that they run already, a page of text for each. Tasks are cancelled
before that, and what is cancelled ends from the inside.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

LEAVING_S = 5.0
"""How long a generator may take to end that is left early; then it is left to the event loop."""

_END = object()


async def in_lockstep(events: AsyncGenerator[Any, None]) -> AsyncGenerator[Any, None]:
    """Yield what a generator yields; it goes on only while the next event is waited for.

    Args:
        events: Runs in a task, which is cancelled where its reader leaves early.
    """
    steps = _Steps()
    task = asyncio.create_task(steps.answer(events))
    task.add_done_callback(steps.give_up)
    try:
        while (event := await steps.next()) is not _END:
            yield event
    finally:
        if task.cancel():
            await asyncio.wait({task}, timeout=LEAVING_S)


class _Steps:
    """What goes between a reader and the task: one future for each event that is asked for."""

    def __init__(self) -> None:
        self._asked: asyncio.Queue[asyncio.Future[Any]] = asyncio.Queue()
        self._step: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    async def next(self) -> Any:
        """Return the next event; ``_END`` after the last."""
        self._step = asyncio.get_running_loop().create_future()
        self._asked.put_nowait(self._step)
        return await self._step

    async def answer(self, events: AsyncGenerator[Any, None]) -> None:
        """Set one future after the other: to an event, the error that ends them, or the end."""
        step = await self._asked.get()
        try:
            async with aclosing(events):
                async for event in events:
                    if not step.done():  # a reader that is cancelled waits for nothing any more
                        step.set_result(event)
                    step = await self._asked.get()
        except Exception as exc:
            if not step.done():
                step.set_exception(exc)
        else:
            if not step.done():
                step.set_result(_END)

    def give_up(self, task: asyncio.Task[None]) -> None:
        """Cancel what is waited for: somebody else has cancelled the task, as a loop's end does."""
        self._step.cancel()
