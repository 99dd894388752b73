"""Carry the steps of an exchange out, blocking or in an event loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

from ragqa.providers.exchange import Pause, Send, Steps


def carry(steps: Steps, send: Callable[[Send], Any]) -> Any:
    """Return the result of an exchange.

    Args:
        steps: The exchange.
        send: Sends one form and returns the reply.
    """
    outcome, failure = None, None
    while True:
        try:
            step = steps.throw(failure) if failure else steps.send(outcome)
        except StopIteration as stop:
            return stop.value
        outcome, failure = None, None
        if isinstance(step, Pause):
            time.sleep(step.seconds)
            continue
        try:
            outcome = send(step)
        except Exception as exc:
            failure = exc


async def acarry(steps: Steps, send: Callable[[Send], Awaitable[Any]]) -> Any:
    """Return the result of an exchange without blocking the event loop."""
    outcome, failure = None, None
    while True:
        try:
            step = steps.throw(failure) if failure else steps.send(outcome)
        except StopIteration as stop:
            return stop.value
        outcome, failure = None, None
        if isinstance(step, Pause):
            await asyncio.sleep(step.seconds)
            continue
        try:
            outcome = await send(step)
        except Exception as exc:
            failure = exc
