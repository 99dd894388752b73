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
            size = f"{message['kind']}, {message['chars']} characters"
            yield f"  {message['role']:<9} {size}{''.join(_calls(message))}"
        yield f"  {_ending(call)}"


def _calls(message: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a message calls, and which call it is the result of."""
    for called in message.get("tool_calls", ()):
        yield f", {called['name']} {called['id']}"
    if answered := message.get("tool_call_id"):
        yield f", of {answered}"


def _ending(call: Mapping[str, Any]) -> str:
    if call["error"]:
        return f"no reply: {call['error']}"
    ended = f"finish reason {call['finish_reason'] or 'none'}"
    if not call["verdict"]:
        return ended
    return f"{ended}, gates: {call['verdict']} ({call['code']})"
