"""Notes of what goes to a model and comes back: roles, kinds and sizes, never the text."""

from __future__ import annotations

import json
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
    """One message: who says what kind of thing, and how much of it."""

    role: str
    kind: str
    chars: int


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
        sizes = [{"role": m.role, "kind": m.kind, "chars": m.chars} for m in self.messages]
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
    """Note a reply and return it."""
    call.finish_reason = reply.finish_reason
    said = reply.text if reply.refusal is None else reply.refusal
    kind = "reply" if reply.refusal is None else "refusal"
    call.messages.append(NotedMessage("assistant", kind, len(said)))
    return reply
