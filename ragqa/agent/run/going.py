"""One run of the loop: what it is made of, how it ends, and the reply that comes of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver

from ragqa.agent.arguments.schema import normal_schema
from ragqa.agent.calculator.calculate import NAME as CALCULATE
from ragqa.agent.calculator.calculate import Calculator, calculate_policy, calculate_tool
from ragqa.agent.execution.executor import Executor
from ragqa.agent.execution.run_context import RunContext
from ragqa.agent.ledger.record import ToolRecord
from ragqa.agent.run.checkpoints import opened_steps
from ragqa.agent.run.loop import RESUMES
from ragqa.agent.run.messages import executed_in, repaired
from ragqa.agent.run.middleware import Steps
from ragqa.agent.run.own_tools import search_of, search_policy, tables_of
from ragqa.agent.run.prompting import prompt_for
from ragqa.agent.run.replies import langchain_model, usage_in
from ragqa.agent.run.reply import AgentReply
from ragqa.agent.run.sequence import sequence_of
from ragqa.agent.run.state import AgentRun, StoppedError, replies_in
from ragqa.agent.run.turn_json import turn_json
from ragqa.agent.tools.search import NAME as SEARCH
from ragqa.agent.tools.toolbox import wire_definition
from ragqa.contract import Turn
from ragqa.errors import RagqaError
from ragqa.language import language_of
from ragqa.ports import TraceConfig
from ragqa.providers.normal import REFUSAL

if TYPE_CHECKING:
    from ragqa.agent.run.loop import Agent

_STEPS_OF_A_CALL = 4
"""Steps of the graph that a reply of the model takes at most, its tools among them."""


class Going:
    """A run under way.

    Args:
        agent: What all runs share.
        turn: The ask.
        config: Callbacks and tags of the caller.
        is_streamed: Whether pieces of replies are passed on.
    """

    def __init__(self, agent: Agent, turn: Turn, config: TraceConfig, *, is_streamed: bool) -> None:
        with ExitStack() as stack:  # what is opened sees how beginning fails
            self._stack = stack
            self._begin(agent, turn, config, is_streamed=is_streamed)
            self._stack = stack.pop_all()

    def _begin(self, agent: Agent, turn: Turn, config: TraceConfig, *, is_streamed: bool) -> None:
        parts = agent.parts
        self._ledger = agent.ledger
        self._saver: BaseCheckpointSaver[Any] = (
            self._stack.enter_context(opened_steps(agent.folder))
            if agent.may_keep
            else InMemorySaver()
        )
        self._may_keep = agent.may_keep
        self._ended_by: StoppedError | RagqaError | None = None
        self._waits = False
        self.run = AgentRun(turn, parts, config=config, is_streamed=is_streamed)
        self._offer(agent)
        self.graph: Any = create_agent(
            langchain_model(parts.model),
            tools=[],  # the middleware carries calls out, known or not
            middleware=[Steps()],
            checkpointer=self._saver,
            context_schema=AgentRun,
        )
        self.config: Any = {
            **(config or {}),
            "configurable": {"thread_id": turn.run_id},
            # The run's own limits end it, with an answer; LangGraph's only raises.
            "recursion_limit": _STEPS_OF_A_CALL * (parts.policy.max_model_calls + 1),
        }
        self.options = {"context": self.run, "durability": "sync"}
        self.input = self._first_input(turn)

    def _offer(self, agent: Agent) -> None:
        """Put the tools together: ragqa's own and the caller's."""
        run, turn = self.run, self.run.turn
        language = language_of(turn.question.text)
        calculator = self._stack.enter_context(Calculator(tables_of(run, agent.descriptions)))
        own = {SEARCH: search_of(run), CALCULATE: calculate_tool(calculator, language=language)}
        policies = {SEARCH: search_policy(run), CALCULATE: calculate_policy()}
        tools = {**own, **agent.box.tools}
        run.executor = Executor(
            tools,
            {**policies, **agent.box.policies},
            ledger=agent.ledger,
            context=RunContext(
                run_id=turn.run_id,
                caller=turn.caller,
                session_id=turn.session_id,
                question=turn.question.text,
                state=turn.notes.get("state"),
                language=language,
                remaining_s=run.remaining_s,
                can_wait=agent.may_keep,
            ),
        )
        run.definitions = [
            wire_definition(
                name, tool.description, normal_schema(run.executor.schema_for_model(name))
            )
            for name, tool in tools.items()
        ]

    def _first_input(self, turn: Turn) -> dict[str, Any] | None:
        """Return what the loop begins with; None where it goes on."""
        if not turn.notes.get(RESUMES):
            self._saver.delete_thread(turn.run_id)
            return {"messages": [HumanMessage(turn.question.text)], "turn": turn_json(turn)}
        messages = self.graph.get_state(self.config).values.get("messages", [])
        self.run.restore(messages, lambda reply: usage_in(reply, self.run.parts.model))
        return None

    @contextmanager
    def ending(self) -> Iterator[None]:
        """Take in what ends the loop before the model has answered."""
        try:
            yield
        except (StoppedError, RagqaError) as exc:
            self._ended_by = exc

    def reply(self, state: Any) -> AgentReply:
        """Return what the run came to."""
        run, ended_by = self.run, self._ended_by
        messages: list[AnyMessage] = state.values.get("messages", [])
        records = _in_order(run.executor.records(), messages)
        waiting = dict.fromkeys(interrupt.value["record"] for interrupt in state.interrupts)
        self._waits = bool(waiting) and ended_by is None
        last = messages[-1] if messages and ended_by is None else None
        answer = last if isinstance(last, AIMessage) and not last.tool_calls else AIMessage("")
        text = str(answer.content)
        reason = answer.response_metadata.get("finish_reason")
        is_refusal = reason == REFUSAL
        return AgentReply(
            text="" if is_refusal else text,
            finish_reason="stop" if is_refusal else reason,
            refusal=text if is_refusal else None,
            usage=run.usage,
            model=answer.response_metadata.get("model_name") or "",
            records=records,
            passages=run.found.passages,
            blocks=tuple(run.found.blocks),
            outcomes=tuple(_outcomes(messages)),
            waiting=tuple(self._ledger.get(record_id) for record_id in waiting),
            stopped=(ended_by.reason, ended_by.what)
            if isinstance(ended_by, StoppedError)
            else None,
            error=ended_by if isinstance(ended_by, RagqaError) else None,
            messages=tuple(sequence_of([*self._instructions(), *messages])),
            offered=tuple(definition["function"]["name"] for definition in run.definitions),
        )

    def _instructions(self) -> list[AnyMessage]:
        run = self.run
        sent = prompt_for(
            run.turn,
            run.definitions,
            [],
            schema=run.parts.policy.schema,
            is_last_step=False,
            max_tokens=run.parts.policy.max_prompt_tokens,
        )
        return sent[:1]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        run_id = self.run.turn.run_id
        with self._stack:
            if not self._waits:
                self._saver.delete_thread(run_id)
            if not self._may_keep:
                self._ledger.forget([run_id])


def _outcomes(messages: list[AnyMessage]) -> Iterator[tuple[str, bool, str]]:
    """Yield what became of the calls, in their order; passages of searches are kept as such."""
    for message in repaired(messages):
        if isinstance(message, AIMessage):
            yield from ((it["name"], False, it["output"]) for it in executed_in(message))
        if isinstance(message, ToolMessage) and message.name != SEARCH:
            yield message.name or "", message.status == "error", str(message.content)


def _in_order(records: list[ToolRecord], messages: list[AnyMessage]) -> tuple[ToolRecord, ...]:
    """Return records in the order of their calls; calls of one reply are recorded as they come."""
    ids = [call["id"] for reply in replies_in(messages) for call in reply.tool_calls]
    place = {call_id: number for number, call_id in enumerate(ids)}
    return tuple(sorted(records, key=lambda record: place.get(record.call_id, len(ids))))
