"""Notes of what goes to a model and comes back: roles, kinds and sizes, never the text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ragqa.contract import Attempt
from ragqa.ports import ModelReply, ModelRequest
from ragqa.validation.search_output import is_search_output

CallKind = Literal["answer", "again", "repair", "aside"]
_USER_KINDS = {
    "answer": "question and passages",
    "again": "question and passages",
    "repair": "rejected reply and reason",
    "aside": "side question",
}


@dataclass(frozen=True, slots=True)
class NotedMessage:
    """One message: who says what kind of thing, and how much of it.

    Attributes:
        role: Who says it.
        kind: What it is.
        chars: How long it is.
        tool_calls: The tools that it calls: pairs of the call's id and the tool's name.
        tool_call_id: The call whose result it is; empty for other messages.
    """

    role: str
    kind: str
    chars: int
    tool_calls: tuple[tuple[str, str], ...] = ()
    tool_call_id: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return what programs and people are shown."""
        shown: dict[str, Any] = {"role": self.role, "kind": self.kind, "chars": self.chars}
        if self.tool_calls:
            shown["tool_calls"] = [{"id": id_, "name": name} for id_, name in self.tool_calls]
        if self.tool_call_id:
            shown["tool_call_id"] = self.tool_call_id
        return shown


@dataclass
class NotedCall:
    """One call of a model.

    Attributes:
        kind: What it is for: an answer, the same once more, a repair, or something on the side.
        model: Who was asked.
        messages: What was sent, and last what came.
        tools: What tools were offered.
        finish_reason: Why the reply ended.
        verdict: What the gates said: ``accepted`` or ``rejected``; empty where none judged.
        code: The code of the first fault.
        error: The code of the error that came in place of a reply.
        is_disobedient: Whether the reply shows that the rules of the prompt were not followed:
            prose where an object was asked for, search results, or unknown keys.
    """

    kind: CallKind
    model: str
    messages: list[NotedMessage]
    tools: tuple[str, ...] = ()
    finish_reason: str | None = None
    verdict: str = ""
    code: str = ""
    error: str = ""
    is_disobedient: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return what programs and people are shown."""
        sizes = [message.as_json() for message in self.messages]
        names = ("kind", "model", "finish_reason", "verdict", "code", "error")
        shown = {name: getattr(self, name) for name in names}
        return {**shown, "tools": list(self.tools), "messages": sizes}


@dataclass
class Recorder:
    """Notes the calls of one ask.

    Attributes:
        calls: In their order.
    """

    calls: list[NotedCall] = field(default_factory=list)
    _asked: set[Any] = field(default_factory=set)

    def begin(self, model: str, request: ModelRequest) -> NotedCall:
        """Note what is sent."""
        kind = self._kind_of(request)
        messages = [
            NotedMessage(
                message.role,
                "instructions" if message.role == "system" else _USER_KINDS[kind],
                len(message.content),
            )
            for message in request.messages
        ]
        self.calls.append(NotedCall(kind, model, messages))
        return self.calls[-1]

    def _kind_of(self, request: ModelRequest) -> CallKind:
        if request.schema is None:
            return "aside"
        if request.messages in self._asked:
            return "again"
        kind: CallKind = "repair" if self._asked else "answer"
        self._asked.add(request.messages)
        return kind

    def judged(self, raw: Any, attempt: Attempt) -> None:
        """Note what the gates said of the last reply."""
        if self.calls:
            judged(self.calls[-1], raw, attempt)


def judged(call: NotedCall, raw: Any, attempt: Attempt) -> None:
    """Note what the gates said of the reply of a call."""
    call.verdict, call.code = attempt.verdict, attempt.code
    codes = {code for code, _ in attempt.faults}
    is_prose = isinstance(raw, str) and bool(raw.strip()) and "{" not in raw
    call.is_disobedient = attempt.verdict == "rejected" and (
        is_prose
        or "schema.extra" in codes
        or any(code.startswith(("rules.", "context.")) for code in codes)
        or _is_dump(raw)
    )


def _is_dump(raw: Any) -> bool:
    try:
        return is_search_output(json.loads(raw))
    except (TypeError, ValueError, RecursionError):
        return False


def noted(call: NotedCall, reply: ModelReply) -> ModelReply:
    """Note a reply and return it; that of an agent brings the whole sequence of its messages."""
    call.finish_reason = reply.finish_reason
    call.tools = getattr(reply, "offered", call.tools)
    if messages := getattr(reply, "messages", ()):
        call.messages = [_message_of(message) for message in messages]
        return reply
    said = reply.text if reply.refusal is None else reply.refusal
    kind = "reply" if reply.refusal is None else "refusal"
    call.messages.append(NotedMessage("assistant", kind, len(said)))
    return reply


def _message_of(entry: Mapping[str, Any]) -> NotedMessage:
    return NotedMessage(
        role=entry["role"],
        kind=entry["kind"],
        chars=entry["chars"],
        tool_calls=tuple((call["id"], call["name"]) for call in entry.get("tool_calls", ())),
        tool_call_id=entry.get("tool_call_id", ""),
    )
