"""What the events of a stream hold, by their text alone; see ``events`` for those that come in."""

from __future__ import annotations

from itertools import takewhile

BYTE_ORDER_MARK = "\ufeff"
END = "[DONE]"


def is_part(data: str) -> bool:
    """Tell whether an event is part of a reply: a chunk, or its end."""
    return data.lstrip().startswith(("{", END))


def events_in(body: str) -> list[str]:
    """Return what the events of a whole stream hold; nothing where a body is none."""
    text = body.lstrip(f"{BYTE_ORDER_MARK} \r\n").replace("\r\n", "\n").replace("\r", "\n")
    if not text.startswith(("data:", "event:", ":")):
        return []
    held = (_data_of(event) for event in text.split("\n\n"))
    return list(takewhile(lambda data: not data.startswith(END), filter(is_part, held)))


def _data_of(event: str) -> str:
    lines = [line for line in event.split("\n") if line.startswith("data:")]
    return "\n".join(line.removeprefix("data:").removeprefix(" ") for line in lines)
