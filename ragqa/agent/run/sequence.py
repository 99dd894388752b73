"""The sequence of a run's messages: who said what kind of thing, how much of it, in which call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage

from ragqa.agent.run.messages import unparsable_in


def sequence_of(messages: Sequence[AnyMessage]) -> Iterator[dict[str, Any]]:
    """Yield one entry a message: role, kind, size and the ids of tool calls; no text of any."""
    for message in messages:
        entry: dict[str, Any] = {"role": _role(message), "kind": _kind(message)}
        entry["chars"] = len(str(message.content))
        if isinstance(message, AIMessage):
            entry["finish_reason"] = message.response_metadata.get("finish_reason")
            if message.tool_calls:
                entry["tool_calls"] = [
                    {
                        "id": call["id"],
                        "name": call["name"],
                        "parsed": call["id"] not in unparsable_in(message),
                    }
                    for call in message.tool_calls
                ]
        if isinstance(message, ToolMessage):
            entry |= {"tool_call_id": message.tool_call_id, "name": message.name}
        yield entry


def _role(message: AnyMessage) -> str:
    return {"human": "user", "ai": "assistant"}.get(message.type, message.type)


def _kind(message: AnyMessage) -> str:
    if isinstance(message, ToolMessage):
        return "tool error" if message.status == "error" else "tool result"
    if isinstance(message, AIMessage):
        return "tool calls" if message.tool_calls else "reply"
    return "question" if message.type == "human" else "instructions"
