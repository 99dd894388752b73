"""Note what goes to a model and comes back: roles, kinds and sizes, never the text."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing, closing
from dataclasses import dataclass, replace
from typing import Any

from ragqa.errors import RagqaError
from ragqa.ports import ChatModel, ModelReply, ModelRequest, Parts, TraceConfig
from ragqa.stages.judging import gates_of
from ragqa.stages.noted import Recorder, noted
from ragqa.validation.gate import CheckContext
from ragqa.validation.verdict import Verdict


@dataclass(frozen=True)
class RecordingGates:
    """Judge as other gates do, and note what they say."""

    inner: Any
    recorder: Recorder

    def judge(self, raw: Any, context: CheckContext) -> Verdict:
        """Judge one raw reply."""
        verdict: Verdict = self.inner.judge(raw, context)
        self.recorder.judged(raw, verdict.attempt)
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
            return noted(call, self.inner.complete(request, config))
        except RagqaError as exc:
            call.error = exc.code
            raise

    async def acomplete(self, request: ModelRequest, config: TraceConfig = None) -> ModelReply:
        """Do the same without blocking the event loop."""
        call = self.recorder.begin(self.name, request)
        try:
            return noted(call, await self.inner.acomplete(request, config))
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
                yield piece if isinstance(piece, str) else noted(call, piece)

    async def astream(
        self, request: ModelRequest, config: TraceConfig = None
    ) -> AsyncGenerator[str | ModelReply, None]:
        """Do the same without blocking the event loop."""
        call = self.recorder.begin(self.name, request)
        async with aclosing(self.inner.astream(request, config)) as pieces:
            async for piece in pieces:
                yield piece if isinstance(piece, str) else noted(call, piece)


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
