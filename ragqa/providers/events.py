"""The events of a streamed reply that are part of it.

Servers and gateways keep streams open with events that hold no chunk: none or other data
(``data: ping``), or an id alone. The SDK hands all of them over, and fails where they are no JSON.
Those of no use are dropped; a chunk that is broken is left to it. Others send one JSON object, the
whole reply or a fault, under a label that does not say so: it counts as the only event. Nor has
the last event to end in an empty line: what broke off inside of it is no JSON.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from itertools import chain

from openai._streaming import ServerSentEvent, SSEDecoder

from ragqa.providers.event_text import BYTE_ORDER_MARK, is_part

_END = b"\n\n"


class Events(SSEDecoder):
    """The SDK's decoder without the events that are no part of a reply."""

    def __init__(self) -> None:
        super().__init__()
        self._bare: list[str] = []
        self._came = False

    def decode(self, line: str) -> ServerSentEvent | None:
        """Take a line; return the event that it ends."""
        line = line.removeprefix(BYTE_ORDER_MARK)
        if self._bare or (line.lstrip().startswith("{") and not self._came):
            self._bare.append(line)
            return None
        event = super().decode(line)
        self._came |= event is not None
        return event if event is not None and is_part(event.data) else None

    def iter_bytes(self, iterator: Iterator[bytes]) -> Iterator[ServerSentEvent]:
        """Yield the events of a body."""
        yield from super().iter_bytes(chain(iterator, (_END,)))
        yield from self._whole()

    async def aiter_bytes(self, iterator: AsyncIterator[bytes]) -> AsyncIterator[ServerSentEvent]:
        """Do the same without blocking the event loop."""
        async for event in super().aiter_bytes(_ended(iterator)):
            yield event
        for event in self._whole():
            yield event

    def _whole(self) -> list[ServerSentEvent]:
        return [ServerSentEvent(data="\n".join(self._bare))] if self._bare else []


async def _ended(iterator: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    async for data in iterator:
        yield data
    yield _END
