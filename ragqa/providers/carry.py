"""Carry the steps of an exchange out, blocking or in an event loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from typing import Any

from ragqa.flow.stepping import Stepping
from ragqa.providers.exchange import Admit, Pause, Send, Step, Steps


def carry(steps: Steps, send: Callable[[Send], Any]) -> Any:
    """Return the result of an exchange.

    Args:
        steps: The exchange.
        send: Sends one form and returns the reply.
    """
    with closing(Stepping(steps)) as stepping:
        for step in stepping:
            try:
                stepping.result = _performed(step, send)
            except Exception as exc:
                stepping.error = exc
        return stepping.returned


def _performed(step: Step, send: Callable[[Send], Any]) -> Any:
    if isinstance(step, Pause):
        return time.sleep(step.seconds)
    return step.run() if isinstance(step, Admit) else send(step)


async def acarry(steps: Steps, send: Callable[[Send], Awaitable[Any]]) -> Any:
    """Return the result of an exchange without blocking the event loop."""
    with closing(Stepping(steps)) as stepping:
        for step in stepping:
            try:
                stepping.result = await _aperformed(step, send)
            except Exception as exc:
                stepping.error = exc
        return stepping.returned


async def _aperformed(step: Step, send: Callable[[Send], Awaitable[Any]]) -> Any:
    if isinstance(step, Pause):
        return await asyncio.sleep(step.seconds)
    if isinstance(step, Admit):
        return await asyncio.to_thread(step.run) if step.may_block else step.run()
    return await send(step)
