"""The calls of models, as people read them: role, kind and size of each message."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any


def sequence(calls: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the messages of all calls, line by line."""
    for number, call in enumerate(calls, 1):
        tools = ", ".join(call["tools"]) or "none"
        yield f"call {number} ({call['kind']}) to {call['model']}, tools offered: {tools}"
        for message in call["messages"]:
            ids = f", {', '.join(message['call_ids'])}" if message.get("call_ids") else ""
            yield f"  {message['role']:<9} {message['kind']}, {message['chars']} characters{ids}"
        yield f"  {_ending(call)}"


def _ending(call: Mapping[str, Any]) -> str:
    if call["error"]:
        return f"no reply: {call['error']}"
    ended = f"finish reason {call['finish_reason'] or 'none'}"
    if not call["verdict"]:
        return ended
    return f"{ended}, gates: {call['verdict']} ({call['code']})"
