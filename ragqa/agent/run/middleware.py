"""The middleware between create_agent's loop and the outside: one model call, one tool call.

The model is called here, not by LangChain's own node, which completes streamed arguments by
guessing: replies have to be read strictly, and whether a reply is shown, asked again or thrown away
is decided while it comes in. Every hook stands in a blocking and an async form, since create_agent
drives both.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from typing import Any, NotRequired

from langchain.agents.middleware.types import (
    AgentMiddleware,
    AgentState,
    ModelRequest,
    ModelResponse,
    ToolCallRequest,
)
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.types import interrupt

from ragqa.agent.execution.operation_key import digest_of
from ragqa.agent.run.messages import (
    Gathered,
    executed_in,
    is_cut_off,
    strictly_read,
    unparsable_in,
    with_new_ids,
)
from ragqa.agent.run.prompting import prompt_for
from ragqa.agent.run.replies import model_fault, usage_in
from ragqa.agent.run.reply import Piece
from ragqa.agent.run.state import FOUND, MAX_SAME_CALLS, AgentRun, replies_in
from ragqa.agent.tools.call import ApprovalDue, ToolCall, ToolResult
from ragqa.agent.tools.search import NAME as SEARCH
from ragqa.errors import TransportError
from ragqa.instructions import longest_object_tokens
from ragqa.language import language_of

MAX_CUT_OFF = 2
"""Replies that broke off inside a call before the model counts as away."""


_TOO_MANY = {
    "en": "Not carried out: a run may call tools {} times. Answer with what you have.",
    "zh": "未执行：一次运行最多调用工具 {} 次。请根据已有的结果回答。",
}
_REPEATED = {
    "en": "Not carried out: the same call was carried out {} times, and its result stands above. "
    "Use it, or answer.",
    "zh": "未执行：同样的调用已经执行了 {} 次，结果就在上面。请使用该结果，或者直接回答。",
}


class RunState(AgentState[Any]):
    """The state of a run, as checkpoints keep it."""

    turn: NotRequired[str]


class Steps(AgentMiddleware[RunState, AgentRun]):
    """Carries out the steps of a run that is handed over as the runtime's context."""

    state_schema = RunState

    def wrap_model_call(
        self, request: ModelRequest[AgentRun], handler: Callable[..., Any]
    ) -> ModelResponse[Any]:
        """Ask the model once; again where its reply broke off inside a call."""
        run: AgentRun = request.runtime.context
        while True:
            model, messages = _prepared(request, run)
            gathered = Gathered()
            try:
                if not run.is_streamed:
                    reply = strictly_read(model.invoke(messages))
                else:
                    for chunk in model.stream(messages):
                        _pass_on(request, gathered, chunk)
                    reply = gathered.message()
            except Exception as exc:
                raise model_fault(exc, run.parts.model) from exc
            if _is_taken(run, reply, gathered):
                return ModelResponse(result=[_with_own_ids(request, reply)])

    async def awrap_model_call(
        self, request: ModelRequest[AgentRun], handler: Callable[..., Awaitable[Any]]
    ) -> ModelResponse[Any]:
        """Do the same without blocking the event loop."""
        run: AgentRun = request.runtime.context
        while True:
            model, messages = _prepared(request, run)
            gathered = Gathered()
            try:
                if not run.is_streamed:
                    reply = strictly_read(await model.ainvoke(messages))
                else:
                    async for chunk in model.astream(messages):
                        _pass_on(request, gathered, chunk)
                    reply = gathered.message()
            except Exception as exc:
                raise model_fault(exc, run.parts.model) from exc
            if _is_taken(run, reply, gathered):
                return ModelResponse(result=[_with_own_ids(request, reply)])

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[..., Any]) -> ToolMessage:
        """Carry one call out; wait for a person where one has to decide first."""
        run: AgentRun = request.runtime.context  # type: ignore[assignment]
        call = _call_of(request)
        if (refused := _refusal(request, run, call)) is not None:
            return _message(run, call, refused, is_error=True)
        return _outcome(run, call, run.executor.run(call, run.config))

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[..., Awaitable[Any]]
    ) -> ToolMessage:
        """Do the same without blocking the event loop."""
        run: AgentRun = request.runtime.context  # type: ignore[assignment]
        call = _call_of(request)
        if (refused := _refusal(request, run, call)) is not None:
            return _message(run, call, refused, is_error=True)
        return _outcome(run, call, await run.executor.arun(call, run.config))


def _prepared(request: ModelRequest[AgentRun], run: AgentRun) -> tuple[Any, list[Any]]:
    """Return the model with its tools and options, and what it is sent."""
    run.check_limits()
    policy = run.parts.policy
    messages = request.state["messages"]
    is_last_step = run.is_last_step(messages)
    sent = prompt_for(
        run.turn,
        run.definitions,
        messages,
        schema=policy.schema,
        is_last_step=is_last_step,
        max_tokens=policy.max_prompt_tokens,
    )
    options: dict[str, Any] = {
        "timeout": run.remaining_s(),
        "max_tokens": max(
            policy.max_answer_tokens or 0,
            3 * longest_object_tokens(policy.schema, tuple(p.title for p in run.found.passages)),
        ),
    }
    if policy.temperature is not None:
        options["temperature"] = policy.temperature
    choice = _tool_choice(run, is_first=not replies_in(messages), is_last_step=is_last_step)
    if choice is not None:
        options["tool_choice"] = choice
    return request.model.bind(tools=list(run.definitions), **options), sent


def _tool_choice(run: AgentRun, *, is_first: bool, is_last_step: bool) -> Any:
    """Force a first search where that is wanted; never a call where the answer is written."""
    if is_last_step:
        return "none"
    if is_first and run.parts.policy.force_search:
        return {"type": "function", "function": {"name": SEARCH}}
    return None


def _pass_on(request: ModelRequest[AgentRun], gathered: Gathered, chunk: Any) -> None:
    """Pass a piece of text on; take back what was shown once the reply turns out to be a call."""
    called_before = gathered.calls_tools
    text = gathered.take(chunk)
    if gathered.calls_tools and not called_before:
        request.runtime.stream_writer(Piece(None))
    elif text and not gathered.calls_tools:
        request.runtime.stream_writer(Piece(text))


def _with_own_ids(request: ModelRequest[AgentRun], reply: AIMessage) -> AIMessage:
    earlier = replies_in(request.state["messages"])
    return with_new_ids(reply, {call["id"] or "" for one in earlier for call in one.tool_calls})


def _is_taken(run: AgentRun, reply: AIMessage, gathered: Gathered) -> bool:
    """Count a reply and record what the provider ran; tell whether it stands, or is asked anew.

    Raises:
        TransportError: If replies keep breaking off inside a call.
    """
    run.usage = run.usage + usage_in(reply, run.parts.model)
    for number, tool in enumerate(executed_in(reply), start=1):
        call = ToolCall(f"executed_{run.usage.calls}_{number}", tool["name"], tool["arguments"])
        run.executor.ran_elsewhere(call, has_result=bool(tool["output"]))
    broke_off = gathered.calls_tools and not reply.tool_calls and is_cut_off(reply)
    if not broke_off:
        return True
    run.lost_replies += 1
    if run.lost_replies >= MAX_CUT_OFF:
        raise TransportError("The model's replies break off inside a tool call.")
    return False


def _call_of(request: ToolCallRequest) -> ToolCall:
    """Return the call as the model sent it: its arguments as text where they are no object."""
    call_id = request.tool_call["id"] or ""
    raw = [unparsable_in(reply).get(call_id) for reply in replies_in(request.state["messages"])]
    sent = next((text for text in reversed(raw) if text is not None), request.tool_call["args"])
    return ToolCall(call_id, request.tool_call["name"], sent)


def _refusal(request: ToolCallRequest, run: AgentRun, call: ToolCall) -> str | None:
    """Say why a call is not even tried: the run's limit, or that it stands above already."""
    calls = list(_calls_until(request.state["messages"], call.id))
    language = language_of(run.turn.question.text)
    if len(calls) > (most := run.parts.policy.max_tool_calls):
        return _TOO_MANY[language].format(most)
    before = calls.count(_digest(call.name, call.arguments)) - 1
    return _REPEATED[language].format(MAX_SAME_CALLS) if before >= MAX_SAME_CALLS else None


def _calls_until(messages: Any, call_id: str) -> Iterator[str]:
    """Yield a digest of each call of the run, up to the one with that id."""
    for reply in replies_in(messages):
        raw = unparsable_in(reply)
        for call in reply.tool_calls:
            arguments: Any = raw.get(call["id"] or "", call["args"])
            yield _digest(call["name"], arguments)
            if call["id"] == call_id:
                return


def _digest(name: str, arguments: Any) -> str:
    return digest_of([name, arguments])


def _outcome(run: AgentRun, call: ToolCall, outcome: ToolResult | ApprovalDue) -> ToolMessage:
    if isinstance(outcome, ToolResult):
        return _message(run, call, outcome.content, is_error=outcome.is_error)
    interrupt({"record": outcome.record.id, "tool": outcome.record.name})
    raise AssertionError("an interrupt leaves the call, to be carried out anew later")


def _message(run: AgentRun, call: ToolCall, text: str, *, is_error: bool) -> ToolMessage:
    return ToolMessage(
        text,
        name=call.name,
        tool_call_id=call.id,
        status="error" if is_error else "success",
        artifact={FOUND: run.found.as_json()} if call.name == SEARCH else None,
    )
