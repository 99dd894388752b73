"""OpenTelemetry spans of an ask, in the words of the GenAI conventions; never any content.

Source: https://github.com/open-telemetry/semantic-conventions-genai (v0.1.0): a chain is a workflow
(``invoke_workflow``), its calls are ``chat``, ``retrieval`` and ``execute_tool``.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ragqa.contract import Answer, Passage, Turn
from ragqa.errors import RagqaError
from ragqa.flow import Ask, Call, Effect, Effects, Pipeline, observed, surrounded
from ragqa.flow.pipeline import Note
from ragqa.ports import ModelReply, Parts

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer
    from opentelemetry.util.types import AttributeValue

_AGENT = "agent"
_AZURE, _OPENAI = "azure.ai.openai", "openai"
_NS = 1_000_000_000


def traced(pipeline: Pipeline, parts: Parts) -> Pipeline:
    """Return a pipeline whose asks leave spans; the same one where nothing is traced."""
    tracer: Tracer | None = parts.tracer
    if tracer is None:
        return pipeline
    return surrounded(pipeline, lambda turn: _traced(turn, pipeline, tracer))


def _traced(turn: Turn, pipeline: Pipeline, tracer: Tracer) -> Effects:
    operation = "invoke_agent" if turn.chain == _AGENT else "invoke_workflow"
    attributes: dict[str, AttributeValue] = {
        "gen_ai.operation.name": operation,
        "gen_ai.agent.name": turn.chain,
        "ragqa.run.id": turn.run_id,
    }
    if turn.session_id:
        attributes["gen_ai.conversation.id"] = turn.session_id
    span = tracer.start_span(f"{operation} {turn.chain}", attributes=attributes)
    try:
        turn = yield from observed(pipeline.effects(turn), _Spans(tracer, span).begun)
        if turn.answer is not None:
            _describe(span, turn.answer)
            _trace_tools(turn.answer, tracer, span)
        return turn
    except BaseException as exc:
        _fail(span, exc)
        raise
    finally:
        span.end()


class _Spans:
    """Makes the spans of calls once they have ended: only then is it known what they were."""

    def __init__(self, tracer: Tracer, parent: Span) -> None:
        from opentelemetry.trace import set_span_in_context

        self._tracer = tracer
        self._context = set_span_in_context(parent)

    def begun(self, effect: Effect) -> Note:
        """Note when an effect began; return what makes its span from the outcome."""
        started_ns = time.time_ns()
        return lambda result, error: self.add(effect, result, error, started_ns)

    def add(
        self, effect: Effect, result: Any, error: BaseException | None, started_ns: int
    ) -> None:
        """Add the span of an effect, if it is one that people look for."""
        from opentelemetry.trace import SpanKind

        if isinstance(effect, Ask):
            name = f"chat {_model_of(effect.model.name)}"
            self._add(name, SpanKind.CLIENT, _chat(effect, result), error, started_ns)
        elif isinstance(effect, Call) and _is_retrieval(result):
            attributes: dict[str, AttributeValue] = {
                "gen_ai.operation.name": "retrieval",
                "ragqa.retrieval.passages": len(result),
            }
            self._add("retrieval", SpanKind.INTERNAL, attributes, error, started_ns)

    def _add(
        self,
        name: str,
        kind: Any,
        attributes: Mapping[str, AttributeValue],
        error: BaseException | None,
        started_ns: int,
    ) -> None:
        span = self._tracer.start_span(
            name, self._context, kind=kind, attributes=attributes, start_time=started_ns
        )
        if error is not None:
            _fail(span, error)
        span.end()


def _is_retrieval(result: Any) -> bool:
    is_list = isinstance(result, list | tuple)
    return is_list and bool(result) and isinstance(result[0], Passage)


def _chat(effect: Ask, reply: Any) -> dict[str, AttributeValue]:
    request = effect.request
    attributes: dict[str, AttributeValue] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": _AZURE if "azure" in effect.model.name.lower() else _OPENAI,
        "gen_ai.request.model": _model_of(effect.model.name),
        "gen_ai.output.type": "text" if request.schema is None else "json",
    }
    if request.max_tokens is not None:
        attributes["gen_ai.request.max_tokens"] = request.max_tokens
    if request.temperature is not None:
        attributes["gen_ai.request.temperature"] = request.temperature
    if isinstance(reply, ModelReply):
        attributes |= _usage(reply.usage.prompt_tokens, reply.usage.completion_tokens)
        attributes["gen_ai.usage.cache_read.input_tokens"] = reply.usage.cached_tokens
        attributes["gen_ai.response.finish_reasons"] = [reply.finish_reason or "error"]
        if reply.model:
            attributes["gen_ai.response.model"] = reply.model
    return attributes


def _usage(prompt_tokens: int, completion_tokens: int) -> dict[str, AttributeValue]:
    return {
        "gen_ai.usage.input_tokens": prompt_tokens,
        "gen_ai.usage.output_tokens": completion_tokens,
    }


def _model_of(name: str) -> str:
    """Return the model of ``service:model`` or ``service(host:port):model``."""
    mark = "):" if "):" in name else ":"
    return name.partition(mark)[2] or name


def _describe(span: Span, answer: Answer) -> None:
    usage = answer.usage
    span.set_attributes(_usage(usage.prompt_tokens, usage.completion_tokens))
    span.set_attribute("ragqa.status", answer.status)
    span.set_attribute("ragqa.category", answer.response.category)
    span.set_attribute("ragqa.needs_human", answer.response.needs_human)
    if answer.reason:
        span.set_attribute("ragqa.reason", answer.reason)


def _trace_tools(answer: Answer, tracer: Tracer, parent: Span) -> None:
    """Add the span of each tool call, from the times in its record."""
    from opentelemetry.trace import set_span_in_context

    context = set_span_in_context(parent)
    for tool in answer.tools:
        times: Sequence[float] = sorted((tool.get("times") or {}).values())
        if not times:
            continue
        name, state = str(tool.get("name")), str(tool.get("state"))
        attributes: dict[str, AttributeValue] = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.call.id": str(tool.get("call_id")),
            "gen_ai.tool.type": "function",
            "ragqa.tool.state": state,
        }
        if state in ("failed", "unknown"):
            attributes["error.type"] = state
        span = tracer.start_span(
            f"execute_tool {name}",
            context,
            attributes=attributes,
            start_time=int(times[0] * _NS),
        )
        span.end(int(times[-1] * _NS))


def _fail(span: Span, exc: BaseException) -> None:
    """Mark a span as failed by the kind of error; a message may hold content."""
    from opentelemetry.trace import Status, StatusCode

    code = exc.code if isinstance(exc, RagqaError) else type(exc).__name__
    span.set_attribute("error.type", code)
    span.set_status(Status(StatusCode.ERROR))
