"""Run a tool, once or again, and put down what came of it before anything else happens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ragqa.agent.bounded_call import BoundedCall
from ragqa.agent.execution.driving import Steps, pause
from ragqa.agent.execution.look_up import LookUp
from ragqa.agent.execution.outcome import Outcome, outcome_of_error, outcome_of_result, pauses
from ragqa.agent.ledger.reader import LOST
from ragqa.agent.ledger.record import ToolRecord
from ragqa.agent.ledger.store import Ledger
from ragqa.agent.policy import ToolPolicy
from ragqa.agent.tools.call import Tool, functions_of
from ragqa.errors import RagqaError
from ragqa.flow import Call
from ragqa.ports import TraceConfig
from ragqa.waiting import wait_s

INTERRUPTED = "it was interrupted"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A call that may run: it passed the gates and has a record.

    Attributes:
        tool: What runs.
        policy: How.
        call_id: The model's id of the call.
        injected: More arguments, which nobody sees.
    """

    tool: Tool
    policy: ToolPolicy
    call_id: str
    injected: Mapping[str, Any]

    def arguments(self, record: ToolRecord) -> dict[str, Any]:
        """Return what the tool is called with."""
        key = {self.policy.key_parameter: record.key} if self.policy.key_parameter else {}
        return {**(record.arguments or {}), **key, **self.injected}


class Tries:
    """Runs claimed calls.

    Args:
        ledger: Holds the records.
        look_up: Finds out what became of a call that broke off.
        remaining_s: Tells how much time the run has left.
    """

    def __init__(
        self, ledger: Ledger, look_up: LookUp, remaining_s: Callable[[], float] | None = None
    ) -> None:
        self._ledger = ledger
        self._look_up = look_up
        self._remaining_s = remaining_s
        self._in_flight: set[str] = set()

    def run(self, prepared: Prepared, record: ToolRecord) -> Steps[tuple[ToolRecord, Any]]:
        """Run a call that has been claimed, as often as its policy allows.

        Returns:
            The record as it is then, and what the tool returned in the end.
        """
        try:
            return (yield from self._runs(prepared, record))
        finally:
            if record.id not in self._in_flight:
                self._ledger.let_go(record.id)

    def _runs(self, prepared: Prepared, record: ToolRecord) -> Steps[tuple[ToolRecord, Any]]:
        policy = prepared.policy
        while True:
            outcome = yield from self._try(prepared, record)
            if policy.read_only and outcome.may_pass and self._has_more(record, policy):
                yield from self._wait(prepared, record)
                record = self._ledger.again(record.id, outcome.text[:300])
                continue
            record = self._put_down(record, policy, outcome)
            record = yield from self._look_up.settle(
                record, policy, keep=self._has_more(record, policy)
            )
            if not self.may_try_again(record, policy):
                return record, outcome.result
            claimed, record = self._ledger.claim(record.id, "unknown")
            if not claimed:
                return record, None

    def may_try_again(self, record: ToolRecord, policy: ToolPolicy) -> bool:
        """Tell whether an effect of which nothing was found may run once more."""
        if record.state != "unknown" or not self._look_up.is_absent(record, policy):
            return False
        return was_lost(record) or self._has_more(record, policy)

    def _has_more(self, record: ToolRecord, policy: ToolPolicy) -> bool:
        return record.attempt <= policy.retries and self._left_s(policy) > 0

    def _left_s(self, policy: ToolPolicy) -> float:
        left_s = self._remaining_s() if self._remaining_s is not None else policy.timeout_s
        return min(policy.timeout_s, left_s)

    def _wait(self, prepared: Prepared, record: ToolRecord) -> Steps[None]:
        """Wait before a read-only tool is tried again; an interrupt is put down."""
        try:
            yield pause(min(wait_s(record.attempt, None), max(0.0, self._left_s(prepared.policy))))
        except BaseException:
            self._ledger.move(record.id, "failed", error=INTERRUPTED, expected={"running"})
            raise

    def _try(self, prepared: Prepared, record: ToolRecord) -> Steps[Outcome]:
        policy = prepared.policy
        bounded: list[BoundedCall] = []
        try:
            result = yield self._call(prepared, record, bounded)
        except Exception as exc:
            if pauses(exc):
                self._move(record, "waiting_for_approval", reason="the tool asks a person itself")
                raise
            outcome = outcome_of_error(exc, policy)
        except BaseException:  # an interrupt or a cancellation, in the middle of the call
            self._interrupted(record, policy, bounded)
            raise
        else:
            outcome = outcome_of_result(result, policy)
        if outcome.kind == "uncertain":
            self._put_down(record, policy, outcome, in_flight=_in_flight(bounded))
            self._listen(record, policy, bounded)
        return outcome

    def _call(self, prepared: Prepared, record: ToolRecord, bounded: list[BoundedCall]) -> Call:
        arguments = prepared.arguments(record)
        timeout_s = max(0.001, self._left_s(prepared.policy))

        def made(config: TraceConfig) -> BoundedCall:
            run, arun = functions_of(prepared.tool, prepared.call_id, arguments, config)
            bounded.append(BoundedCall(run, arun, timeout_s))
            return bounded[0]

        def run(config: TraceConfig) -> Any:
            return made(config).wait()

        async def arun(config: TraceConfig) -> Any:
            return await made(config).await_()

        return Call(run, arun)

    def _put_down(
        self, record: ToolRecord, policy: ToolPolicy, outcome: Outcome, *, in_flight: bool = False
    ) -> ToolRecord:
        """Write down what a try came to; an uncertain one that goes on keeps its owner."""
        told = _told(outcome)
        if outcome.kind == "uncertain":
            owner = record.owner if in_flight else None
            return self._move(record, "unknown", reason=outcome.text[:300], owner=owner, **told)
        if outcome.kind == "succeeded" and policy.asynchronous:
            return self._ledger.note(record.id, owner=None, **told)
        return self._move(record, outcome.kind, **told)

    def _move(self, record: ToolRecord, state: Any, **changes: Any) -> ToolRecord:
        return self._ledger.move(
            record.id, state, expected={"running"}, attempt=record.attempt, **changes
        )

    def _interrupted(
        self, record: ToolRecord, policy: ToolPolicy, bounded: list[BoundedCall]
    ) -> None:
        if policy.read_only or not bounded:  # nothing has been sent
            self._move(record, "failed", error=INTERRUPTED)
            return
        owner = record.owner if _in_flight(bounded) else None
        self._move(record, "unknown", error=INTERRUPTED, owner=owner)
        self._listen(record, policy, bounded)

    def _listen(self, record: ToolRecord, policy: ToolPolicy, bounded: list[BoundedCall]) -> None:
        """Take a reply that comes after its time: the record then says what is true."""

        def told(result: Any, exc: BaseException | None) -> None:
            late = outcome_of_error(exc, policy) if exc else outcome_of_result(result, policy)
            with suppress(RagqaError):  # a thread that ends has nobody to tell
                self._late(record, policy, late)
            self._in_flight.discard(record.id)
            self._ledger.let_go(record.id)

        if bounded and not policy.read_only:
            self._in_flight.add(record.id)
            bounded[0].when_ended(told)

    def _late(self, record: ToolRecord, policy: ToolPolicy, outcome: Outcome) -> None:
        now = self._ledger.get(record.id)
        if now.state != "unknown" or now.attempt != record.attempt:
            return
        if outcome.kind == "uncertain":
            self._ledger.note(record.id, owner=None)
            return
        is_job = outcome.kind == "succeeded" and policy.asynchronous
        self._ledger.move(
            record.id,
            "running" if is_job else outcome.kind,
            reason="a late reply",
            expected={"unknown"},
            attempt=record.attempt,
            **_told(outcome),
        )


def _told(outcome: Outcome) -> dict[str, Any]:
    """Return what a record learns of a try."""
    told: dict[str, Any] = {"request_id": outcome.request_id} if outcome.request_id else {}
    if outcome.kind == "succeeded":
        return told | {"result": outcome.text, "error": ""}
    return told | {"error": outcome.text}


def was_lost(record: ToolRecord) -> bool:
    """Tell whether the process died while the call ran."""
    return any(
        move.state == "unknown" and move.reason == LOST and move.attempt == record.attempt
        for move in record.moves
    )


def _in_flight(bounded: list[BoundedCall]) -> bool:
    return bool(bounded) and bounded[0].is_in_flight
