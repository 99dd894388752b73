"""What a stage may ask of the world while it runs. The drivers alone carry effects out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass
from typing import Any, Protocol

from ragqa.contract import Turn
from ragqa.ports import AskedModel, ModelRequest, TraceConfig


class TextReveal(Protocol):
    """Turns the raw pieces of a reply into the text that a person may read."""

    def feed(self, piece: str) -> str:
        """Return what became readable with this piece; often nothing."""

    def withdraw(self) -> bool:
        """Start over with another reply; tell whether anything was readable of this one."""


@dataclass(frozen=True, slots=True)
class Call:
    """Call something outside and send its result back into the stage.

    Attributes:
        run: Called by the blocking drivers.
        arun: Called by the async drivers; without it ``run`` goes to a thread.
    """

    run: Callable[[TraceConfig], Any]
    arun: Callable[[TraceConfig], Awaitable[Any]] | None = None


def quick(run: Callable[[TraceConfig], Any]) -> Call:
    """Return a call that takes well under a millisecond: event loops make it in place.

    A thread for it costs more than the call: each one has to wait for the interpreter twice.
    """

    async def arun(config: TraceConfig) -> Any:
        return run(config)

    return Call(run, arun)


@dataclass(frozen=True, slots=True)
class Ask:
    """Call a chat model and send its ModelReply back into the stage.

    Attributes:
        model: Whom to ask.
        request: What to ask.
        reveal: Makes the text to show while it streams; without it nothing is shown.
    """

    model: AskedModel
    request: ModelRequest
    reveal: TextReveal | None = None


@dataclass(frozen=True, slots=True)
class Show:
    """Show a piece of the answer's text to whoever watches the stream."""

    text: str


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """Take back all text shown so far. Also what a stream yields when that happens."""

    reason: str


Effect = Call | Ask | Show | Withdrawn
Effects = Generator[Effect, Any, Turn]
"""A running stage: yields effects, is sent their results, returns the next Turn."""
