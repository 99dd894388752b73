"""Carry the steps of an exchange out, blocking or in an event loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from typing import Any

from ragqa.providers.exchange import Admit, Pause, Send, Step, Steps


def carry(steps: Steps, send: Callable[[Send], Any]) -> Any:
    """Return the result of an exchange.

    Args:
        steps: The exchange.
        send: Sends one form and returns the reply.
    """
    outcome, failure = None, None
    with closing(steps):
        while True:
            try:
                step = steps.throw(failure) if failure else steps.send(outcome)
            except StopIteration as stop:
                return stop.value
            outcome, failure = None, None
            try:
                outcome = _performed(step, send)
            except Exception as exc:
                failure = exc


def _performed(step: Step, send: Callable[[Send], Any]) -> Any:
    if isinstance(step, Pause):
        return time.sleep(step.seconds)
    return step.run() if isinstance(step, Admit) else send(step)


async def acarry(steps: Steps, send: Callable[[Send], Awaitable[Any]]) -> Any:
    """Return the result of an exchange without blocking the event loop."""
    outcome, failure = None, None
    with closing(steps):
        while True:
            try:
                step = steps.throw(failure) if failure else steps.send(outcome)
            except StopIteration as stop:
                return stop.value
            outcome, failure = None, None
            try:
                outcome = await _aperformed(step, send)
            except Exception as exc:
                failure = exc


async def _aperformed(step: Step, send: Callable[[Send], Awaitable[Any]]) -> Any:
    if isinstance(step, Pause):
        return await asyncio.sleep(step.seconds)
    if isinstance(step, Admit):
        return await asyncio.to_thread(step.run) if step.may_block else step.run()
    return await send(step)
