"""The events of a streamed reply that are part of it.

Servers and gateways keep streams open with events that hold no chunk: none or other data
(``data: ping``), or an id alone. The SDK hands all of them over, and fails where they are no JSON.
Those of no use are dropped; a chunk that is broken is left to it.
"""

from __future__ import annotations

from openai._streaming import ServerSentEvent, SSEDecoder

from ragqa.providers.event_text import BYTE_ORDER_MARK, is_part


class Events(SSEDecoder):
    """The SDK's decoder without the events that are no part of a reply."""

    def decode(self, line: str) -> ServerSentEvent | None:
        """Take a line; return the event that it ends."""
        event = super().decode(line.removeprefix(BYTE_ORDER_MARK))
        return event if event is not None and is_part(event.data) else None
