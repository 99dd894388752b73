"""Messages of an agent's run: replies read strictly, histories that every service takes.

LangChain completes the arguments of streamed calls by guessing (``parse_partial_json``), so that a
stream that is cut inside of them would yield a call that the model never made. Here a call counts
only where its arguments are one whole JSON object in a reply that has ended.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    AnyMessage,
    SystemMessage,
    ToolCall,
    ToolMessage,
)

from ragqa.providers.executed import KEY as EXECUTED
from ragqa.providers.tool_calls import MARK, read_arguments

UNPARSABLE = "unparsable_arguments"
"""Key of ``AIMessage.response_metadata``: the arguments that are no object, by call id."""

ENDED_WITH_CALLS = frozenset({"tool_calls", "function_call", "stop"})
"""Finish reasons of a reply whose calls are whole; any other cut it off or filtered it."""

_UNANSWERED = "This call was not carried out: the run was interrupted before."


@dataclass(slots=True)
class Gathered:
    """A reply that is coming in, in chunks or whole."""

    text: list[str] = field(default_factory=list)
    fragments: dict[Any, dict[str, str]] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    executed: list[dict[str, str]] = field(default_factory=list)
    usage: Any = None

    def take(self, chunk: AIMessageChunk) -> str:
        """Keep a chunk and return its text."""
        self.metadata |= chunk.response_metadata
        self.usage = chunk.usage_metadata or self.usage
        self.executed += executed_in(chunk)
        text = chunk.content if isinstance(chunk.content, str) else str(chunk.text)
        self.text.append(text)
        for piece in chunk.tool_call_chunks:
            self._take_fragment(piece)
        return text

    def _take_fragment(self, piece: Any) -> None:
        key = piece.get("index")
        if key is None:  # some servers count nothing: a new id or name begins a new call
            begins = bool(piece.get("id") or piece.get("name")) or not self.fragments
            key = len(self.fragments) if begins else max(self.fragments)
        call = self.fragments.setdefault(key, {"id": "", "name": "", "args": ""})
        call["id"] = call["id"] or piece.get("id") or ""
        name = piece.get("name") or ""
        call["name"] = call["name"] if call["name"] == name else call["name"] + name
        call["args"] += piece.get("args") or ""

    @property
    def calls_tools(self) -> bool:
        """Tell whether a call has begun."""
        return bool(self.fragments)

    def message(self) -> AIMessage:
        """Return the whole reply."""
        calls = [(call["id"], call["name"], call["args"]) for call in self.fragments.values()]
        reply = reply_message("".join(self.text), calls, self.metadata, self.usage)
        return _with_executed(reply, self.executed)


def strictly_read(message: AIMessage) -> AIMessage:
    """Return a reply that came whole with its calls read strictly."""
    text = message.content if isinstance(message.content, str) else str(message.text)
    calls: list[tuple[str, str, str]] = [
        (call["id"] or "", call["name"], json.dumps(call["args"], ensure_ascii=False))
        for call in message.tool_calls
    ]
    calls += [
        (call["id"] or "", call["name"] or "", (call["args"] or "").removesuffix(MARK))
        for call in message.invalid_tool_calls
    ]
    reply = reply_message(text, calls, message.response_metadata, message.usage_metadata)
    return _with_executed(reply, executed_in(message))


def executed_in(message: AIMessage) -> list[dict[str, str]]:
    """Return the tools that the provider ran: ``name``, ``arguments`` and ``output`` of each."""
    executed: list[dict[str, str]] = message.additional_kwargs.get(EXECUTED, [])
    return executed


def _with_executed(reply: AIMessage, executed: list[dict[str, str]]) -> AIMessage:
    if executed:
        reply.additional_kwargs[EXECUTED] = executed
    return reply


def reply_message(
    text: str, calls: Iterable[tuple[str, str, str]], metadata: dict[str, Any], usage: Any
) -> AIMessage:
    """Make the message of a reply: every call with an id of its own, arguments whole or none.

    Args:
        text: What the model wrote.
        calls: Id, name and arguments of each call as they came.
        metadata: Of the reply; its finish reason decides whether calls count.
        usage: Tokens.
    """
    calls = list(calls)
    if calls and metadata.get("finish_reason") not in ENDED_WITH_CALLS:
        # Cut off or filtered: what came of the calls is not what the model meant.
        return AIMessage(text, response_metadata=metadata, usage_metadata=usage)
    taken: set[str] = set()
    tool_calls: list[ToolCall] = []
    unparsable: dict[str, str] = {}
    for number, (given, name, raw) in enumerate(calls):
        call_id = given if given and given not in taken else _new_id(number, taken)
        taken.add(call_id)
        arguments = read_arguments(raw)
        if arguments is None:
            unparsable[call_id] = raw
        tool_calls.append(
            ToolCall(name=name or "unnamed", args=arguments or {}, id=call_id, type="tool_call")
        )
    metadata = {**metadata, UNPARSABLE: unparsable} if unparsable else metadata
    return AIMessage(text, tool_calls=tool_calls, response_metadata=metadata, usage_metadata=usage)


def with_new_ids(message: AIMessage, taken: Collection[str]) -> AIMessage:
    """Return a reply whose call ids no earlier reply of the run bears.

    Small servers number the calls of each reply from one.
    """
    renamed = {
        call["id"] or "": f"{call['id']}_{len(taken)}"
        for call in message.tool_calls
        if call["id"] in taken
    }
    if not renamed:
        return message
    calls = [
        {**call, "id": renamed.get(call["id"] or "", call["id"])} for call in message.tool_calls
    ]
    raw = {renamed.get(call_id, call_id): text for call_id, text in unparsable_in(message).items()}
    metadata = {**message.response_metadata, **({UNPARSABLE: raw} if raw else {})}
    return message.model_copy(update={"tool_calls": calls, "response_metadata": metadata})


def unparsable_in(message: AIMessage) -> dict[str, str]:
    """Return the raw arguments that are no JSON object, by call id."""
    found = message.response_metadata.get(UNPARSABLE)
    return found if isinstance(found, dict) else {}


def _new_id(number: int, taken: set[str]) -> str:
    while (made := f"call_{number + 1}_{len(taken)}") in taken:
        number += 1
    return made


def is_cut_off(message: AIMessage) -> bool:
    """Tell whether a reply ended before it was whole: no finish reason, or the token limit."""
    return message.response_metadata.get("finish_reason") in (None, "length")


def repaired(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """Return a history that every service takes.

    Each assistant message is followed by exactly one tool message for each of its calls, in the
    order of the calls; a call that was never answered gets an answer that says so; tool messages
    that answer nothing are left out, and so are empty replies.
    """
    answers: dict[str, ToolMessage] = {}
    for message in messages:
        if isinstance(message, ToolMessage):
            answers.setdefault(message.tool_call_id, message)
    return list(_in_order(messages, answers))


def _in_order(
    messages: Sequence[AnyMessage], answers: dict[str, ToolMessage]
) -> Iterator[AnyMessage]:
    for message in messages:
        if isinstance(message, ToolMessage | SystemMessage):
            continue
        if not isinstance(message, AIMessage):
            yield message
        elif message.tool_calls:
            yield message
            yield from (_answer(call, answers) for call in message.tool_calls)
        elif message.content:
            yield message


def _answer(call: ToolCall, answers: dict[str, ToolMessage]) -> ToolMessage:
    call_id = call["id"] or ""
    found = answers.get(call_id)
    if found is not None:
        return found
    return ToolMessage(_UNANSWERED, tool_call_id=call_id, name=call["name"], status="error")
