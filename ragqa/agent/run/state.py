"""One run of the agent while it is under way: its limits, what it found, what it may call.

All of that is read from its messages, so what goes on in another process knows it, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage

from ragqa.agent.execution.executor import Executor
from ragqa.agent.tools.search import FoundPassages
from ragqa.contract import Turn, Usage
from ragqa.errors import RagqaError
from ragqa.ports import Parts

MAX_SAME_CALLS = 2
"""How often the same call with the same arguments is carried out in one run."""

FOUND = "found"
"""Key of a tool message's artifact: the passages that the run's searches have returned so far."""


class StoppedError(Exception):
    """Ends the loop: a limit is reached.

    Attributes:
        reason: ``limit`` or ``budget``, as the Answer shows it.
        what: Which limit.
    """

    def __init__(self, reason: str, what: str) -> None:
        super().__init__(what)
        self.reason = reason
        self.what = what


@dataclass(slots=True)
class AgentRun:
    """One run under way; the middleware gets it as LangGraph's runtime context.

    Attributes:
        turn: Who asks what.
        parts: Limits, retriever, clock.
        executor: Carries tool calls out and keeps their records.
        definitions: The tools as the model is offered them.
        is_streamed: Whether pieces of replies are passed on as they come.
        found: What the searches have returned.
        usage: What the model's replies took so far.
        config: The callbacks and tags of the caller, for the retriever.
        lost_replies: Replies that broke off inside a call.
        fatal: A fault of settings that ends the run.
    """

    turn: Turn
    parts: Parts
    is_streamed: bool = False
    executor: Executor = field(init=False)
    definitions: Sequence[dict[str, Any]] = ()
    found: FoundPassages = field(default_factory=FoundPassages)
    usage: Usage = field(default_factory=Usage)
    config: Any = None
    fatal: RagqaError | None = None
    lost_replies: int = 0

    def remaining_s(self) -> float:
        """Return the seconds left for the ask."""
        if self.turn.deadline_s is None:
            return self.parts.policy.timeout_s
        return self.turn.deadline_s - self.parts.clock()

    def check_limits(self) -> None:
        """Stop the run where nothing may be asked any more.

        Raises:
            StoppedError: If its time, its replies or its tokens are used up.
            RagqaError: If a tool found that settings are wrong.
        """
        policy = self.parts.policy
        if self.fatal is not None:
            raise self.fatal
        if self.remaining_s() <= 0:
            raise StoppedError("limit", f"RAGQA_TIMEOUT_S={policy.timeout_s:g}")
        if self.usage.calls >= policy.max_model_calls:
            raise StoppedError("limit", f"RAGQA_MAX_MODEL_CALLS={policy.max_model_calls}")
        spent = self.usage.prompt_tokens + self.usage.completion_tokens
        if policy.run_budget_tokens is not None and spent >= policy.run_budget_tokens:
            raise StoppedError("budget", f"RAGQA_RUN_BUDGET_TOKENS={policy.run_budget_tokens}")

    def is_last_step(self, messages: Sequence[AnyMessage]) -> bool:
        """Tell whether the next reply has to be the answer."""
        policy = self.parts.policy
        used = sum(len(message.tool_calls) for message in replies_in(messages))
        return self.usage.calls + 1 >= policy.max_model_calls or used >= policy.max_tool_calls

    def restore(self, messages: Sequence[AnyMessage], usage_of: Callable[[Any], Usage]) -> None:
        """Take in what a run had done before it was interrupted."""
        for reply in replies_in(messages):
            self.usage = self.usage + usage_of(reply)
        for message in messages:
            artifact = message.artifact if isinstance(message, ToolMessage) else None
            kept = artifact.get(FOUND) if isinstance(artifact, dict) else None
            if kept is not None and len(kept) > len(self.found.blocks):
                self.found = FoundPassages.of_json(kept)


def replies_in(messages: Sequence[AnyMessage]) -> list[AIMessage]:
    """Return the model's replies among messages."""
    return [message for message in messages if isinstance(message, AIMessage)]
