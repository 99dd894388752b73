"""Note what goes to a model and comes back: roles, kinds and sizes, never the text."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing, closing
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ragqa.errors import RagqaError
from ragqa.ports import ChatModel, ModelReply, ModelRequest, Parts, TraceConfig
from ragqa.stages.judging import gates_of
from ragqa.validation.gate import CheckContext
from ragqa.validation.search_output import is_search_output
from ragqa.validation.verdict import Verdict

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

    def judged(self, raw: Any, verdict: Verdict) -> None:
        """Note what the gates said of the last reply."""
        if not self.calls:
            return
        call = self.calls[-1]
        call.verdict, call.code = verdict.attempt.verdict, verdict.code
        codes = {fault.code for fault in verdict.faults}
        is_prose = isinstance(raw, str) and bool(raw.strip()) and "{" not in raw
        call.is_disobedient = not verdict.accepted and (
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


@dataclass(frozen=True)
class RecordingGates:
    """Judge as other gates do, and note what they say."""

    inner: Any
    recorder: Recorder

    def judge(self, raw: Any, context: CheckContext) -> Verdict:
        """Judge one raw reply."""
        verdict: Verdict = self.inner.judge(raw, context)
        self.recorder.judged(raw, verdict)
        return verdict


@dataclass(frozen=True)
class RecordingModel:
    """Ask another model, and note what goes and comes."""

    inner: ChatModel
    recorder: Recorder

    @property
    def name(self) -> str:
        """Name the model that is asked."""
        return self.inner.name

    def complete(self, request: ModelRequest, config: TraceConfig = None) -> ModelReply:
        """Return the whole reply."""
        call = self.recorder.begin(self.name, request)
        try:
            return _noted(call, self.inner.complete(request, config))
        except RagqaError as exc:
            call.error = exc.code
            raise

    async def acomplete(self, request: ModelRequest, config: TraceConfig = None) -> ModelReply:
        """Do the same without blocking the event loop."""
        call = self.recorder.begin(self.name, request)
        try:
            return _noted(call, await self.inner.acomplete(request, config))
        except RagqaError as exc:
            call.error = exc.code
            raise

    def stream(
        self, request: ModelRequest, config: TraceConfig = None
    ) -> Generator[str | ModelReply, None, None]:
        """Yield pieces of the reply as they come, last the whole reply."""
        call = self.recorder.begin(self.name, request)
        with closing(self.inner.stream(request, config)) as pieces:
            for piece in pieces:
                yield piece if isinstance(piece, str) else _noted(call, piece)

    async def astream(
        self, request: ModelRequest, config: TraceConfig = None
    ) -> AsyncGenerator[str | ModelReply, None]:
        """Do the same without blocking the event loop."""
        call = self.recorder.begin(self.name, request)
        async with aclosing(self.inner.astream(request, config)) as pieces:
            async for piece in pieces:
                yield piece if isinstance(piece, str) else _noted(call, piece)


def _noted(call: NotedCall, reply: ModelReply) -> ModelReply:
    call.finish_reason = reply.finish_reason
    said = reply.text if reply.refusal is None else reply.refusal
    kind = "reply" if reply.refusal is None else "refusal"
    call.messages.append(NotedMessage("assistant", kind, len(said)))
    return reply


def recorded(parts: Parts, recorder: Recorder) -> Parts:
    """Return the same parts, whose calls and judgements are noted."""

    def noting(model: ChatModel | None) -> ChatModel | None:
        return None if model is None else RecordingModel(model, recorder)

    return replace(
        parts,
        model=noting(parts.model),
        fallback_model=noting(parts.fallback_model),
        gates=RecordingGates(gates_of(parts), recorder),
        # An exception in place of the preset answer would hide what came before it.
        policy=replace(parts.policy, raise_degraded=False),
    )
