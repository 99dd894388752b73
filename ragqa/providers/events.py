"""The events of a streamed reply that are part of it.

Servers and gateways keep streams open with events that hold no chunk: none or other data
(``data: ping``), or an id alone. The SDK hands all of them over, and fails where they are no JSON.
Those of no use are dropped; a chunk that is broken is left to it.
"""

from __future__ import annotations

from itertools import takewhile

from openai._streaming import ServerSentEvent, SSEDecoder

_BYTE_ORDER_MARK = "\ufeff"


class Events(SSEDecoder):
    """The SDK's decoder without the events that are no part of a reply."""

    def decode(self, line: str) -> ServerSentEvent | None:
        """Take a line; return the event that it ends."""
        event = super().decode(line.removeprefix(_BYTE_ORDER_MARK))
        is_part = event is not None and event.data.lstrip().startswith(("{", "[DONE]"))
        return event if is_part else None


def events_in(body: str) -> list[str]:
    """Return what the events of a whole stream hold; nothing where a body is none."""
    if not body.lstrip(f"{_BYTE_ORDER_MARK} \r\n").startswith(("data:", "event:", ":")):
        return []
    events = [event.data for event in Events().iter_bytes(iter([body.encode()]))]
    return list(takewhile(lambda data: not data.startswith("[DONE]"), events))
