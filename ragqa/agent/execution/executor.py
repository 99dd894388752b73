"""Run the tool calls of a model: gates first, then the ledger, then the tool.

    call ─▶ record ─▶ gates ─▶ same operation before? ─▶ approval ─▶ claim ─▶ tool ─▶ look-up
              │         │                │                   │                  │         │
              └─────────┴────────────────┴── a ToolResult ───┴──────────────────┴─────────┘

Nothing raises because of a call: whatever is wrong with it becomes a message for the model.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ragqa.agent.execution.call_flow import CallFlow
from ragqa.agent.execution.driving import adrive, drive
from ragqa.agent.execution.run_context import RunContext
from ragqa.agent.ledger.record import ToolRecord
from ragqa.agent.ledger.store import Ledger
from ragqa.agent.policy import ToolPolicy
from ragqa.agent.tools.call import ApprovalDue, Tool, ToolCall, ToolResult
from ragqa.agent.tools.gates import ModelSchema
from ragqa.agent.tools.registry import Registry
from ragqa.ports import TraceConfig


class Executor:
    """Runs the tool calls of one run.

    Args:
        tools: The tools; a mapping gives the names by which the model calls them.
        policies: What is known of them beside their schemas, by name.
        ledger: Where every call is recorded.
        context: What is known of the run.

    Raises:
        ConfigError: If a policy does not fit its tool.
    """

    def __init__(
        self,
        tools: Iterable[Tool] | Mapping[str, Tool],
        policies: Mapping[str, ToolPolicy] | None = None,
        *,
        ledger: Ledger,
        context: RunContext,
    ) -> None:
        self._registry = Registry(tools, policies)
        self._ledger = ledger
        self._flow = CallFlow(self._registry, ledger, context)
        self._context = context

    def run(self, call: ToolCall, config: TraceConfig = None) -> ToolResult | ApprovalDue:
        """Run one call and return its result, or say that a person has to approve it first.

        Threads may run the calls of one turn at the same time. The same call, run again after
        a decision, a break or a crash, goes on where it stood.

        Raises:
            StorageError: If the ledger cannot be written; then nothing more is run.
        """
        return drive(self._flow.steps(call), config)

    async def arun(self, call: ToolCall, config: TraceConfig = None) -> ToolResult | ApprovalDue:
        """Do the same as :meth:`run` without blocking the event loop."""
        return await adrive(self._flow.steps(call), config)

    def verify_pending(self, config: TraceConfig = None) -> list[ToolRecord]:
        """Look up what earlier runs left open, and return those records as they are now.

        Calls that a dead process left running become unknown first; jobs may have finished.
        """
        return drive(self._flow.pending_steps(), config)

    async def averify_pending(self, config: TraceConfig = None) -> list[ToolRecord]:
        """Do the same as :meth:`verify_pending` without blocking the event loop."""
        return await adrive(self._flow.pending_steps(), config)

    def records(self) -> list[ToolRecord]:
        """Return the run's records, in the order in which the calls were asked for."""
        return self._ledger.of_run(self._context.run_id)

    def schema_for_model(self, name: str) -> ModelSchema:
        """Return what a model is told of a tool's arguments; the operation key is not in it."""
        return self._registry.schema_for_model(name)

    def ran_elsewhere(self, call: ToolCall, *, has_result: bool) -> ToolRecord:
        """Record a tool that the model's provider has run on its side."""
        record = self._flow.requested(call, by_provider=True)
        self._ledger.claim(record.id, "requested")
        self._ledger.let_go(record.id)
        if has_result:
            return self._ledger.move(record.id, "succeeded")
        return self._ledger.move(
            record.id, "unknown", error="the provider returned no result of it"
        )
