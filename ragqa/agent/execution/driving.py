"""Drive steps that call the outside: blocking or async, from one implementation.

Unlike the drivers of a pipeline, these hand an interrupt or a cancellation to the steps, too, so
that they can write down where it found them.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeVar

from ragqa.flow import Call
from ragqa.flow.stepping import Stepping
from ragqa.ports import TraceConfig

T = TypeVar("T")
Steps = Generator[Call, Any, T]


def drive(steps: Steps[T], config: TraceConfig = None) -> T:
    """Run steps to their end and return what they return."""
    stepping = Stepping(steps)
    for call in stepping:
        try:
            stepping.result = call.run(config)
        except BaseException as exc:  # the steps put it down and raise it again
            stepping.error = exc
    return stepping.returned


async def adrive(steps: Steps[T], config: TraceConfig = None) -> T:
    """Run steps to their end without blocking the event loop."""
    stepping = Stepping(steps)
    for call in stepping:
        try:
            assert call.arun is not None, "every call of a tool has an async form"
            stepping.result = await call.arun(config)
        except BaseException as exc:  # the steps put it down and raise it again
            stepping.error = exc
    return stepping.returned


def pause(seconds: float) -> Call:
    """Return the call that waits."""

    def run(_: TraceConfig) -> None:
        import time

        time.sleep(seconds)

    async def arun(_: TraceConfig) -> None:
        import asyncio

        await asyncio.sleep(seconds)

    return Call(run, arun)
