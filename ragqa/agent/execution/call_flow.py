"""The way of a tool call from its record to its result, as steps that the executor drives."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ragqa.agent.execution.driving import Steps, pause
from ragqa.agent.execution.look_up import LookUp
from ragqa.agent.execution.operation_key import digest_of, operation_key
from ragqa.agent.execution.run_context import RunContext
from ragqa.agent.execution.tries import Prepared, Tries, was_lost
from ragqa.agent.ledger.record import NewCall, ToolRecord
from ragqa.agent.ledger.states import ToolState
from ragqa.agent.ledger.store import NOT_APPROVED, Ledger
from ragqa.agent.policy import ToolPolicy
from ragqa.agent.results.phrases import phrase, state_phrase
from ragqa.agent.results.text import bounded, text_of
from ragqa.agent.tools.call import ApprovalDue, ToolCall, ToolResult
from ragqa.agent.tools.gates import full_arguments
from ragqa.agent.tools.registry import Registry
from ragqa.errors import ConfigError
from ragqa.validation.gate import CheckContext

Outcome = ToolResult | ApprovalDue

_POLL_S = 0.05
_MAX_SENT_CHARS = 20_000
_MAX_ERROR_CHARS = 1000
_BY_PROVIDER = ToolPolicy(read_only=True)
"""Of a tool that a provider runs: nobody declared an effect, so it bears out no claim of one."""

_NOTHING_KEPT = "it waits for an approval, and RAGQA_RECORDS=none keeps nothing to wait with"


@dataclass(frozen=True, slots=True)
class _Refused:
    """What a gate refused: for the record, and for the model."""

    reason: str
    feedback: str


class CallFlow:
    """Takes tool calls from their records to their results.

    Args:
        registry: The tools with their policies and gates.
        ledger: Where every call is recorded.
        context: What is known of the run.
    """

    def __init__(self, registry: Registry, ledger: Ledger, context: RunContext) -> None:
        self._registry = registry
        self._ledger = ledger
        self._context = context
        self._look_up = LookUp(ledger, context.remaining_s)
        self._tries = Tries(ledger, self._look_up, context.remaining_s)

    def steps(self, call: ToolCall) -> Steps[Outcome]:
        """Take one call to its result, or to a person who has to approve it."""
        record = None
        if not self._registry.policy(call.name).read_only:
            digest = digest_of(call.arguments)
            record = self._ledger.asked_before(self._context.run_id, call.id, call.name, digest)
        if record is None:
            record = self.requested(call)
        if call.name not in self._registry.tools:
            known = ", ".join(sorted(self._registry.tools))
            if not record.has_ended:
                record = self._ledger.move(record.id, "failed", error="there is no such tool")
            return ToolResult(self._phrase("unknown_tool", call.name, known), True, record)
        return (yield from self._go_on(record, call))

    def pending_steps(self) -> Steps[list[ToolRecord]]:
        """Look up what earlier runs left open."""
        self._ledger.recover()
        found = []
        for record in self._ledger.pending(tuple(self._registry.tools)):
            policy = self._registry.policy(record.name)
            found.append((yield from self._look_up.settle(record, policy, patient=False)))
        return found

    def requested(
        self, call: ToolCall, *, fallback_for: str | None = None, by_provider: bool = False
    ) -> ToolRecord:
        """Begin the record of a call."""
        policy = _BY_PROVIDER if by_provider else self._registry.policy(call.name)
        sent = call.arguments
        if not isinstance(sent, str):
            sent = json.dumps(sent, ensure_ascii=False, default=str)
        return self._ledger.request(
            NewCall(
                run_id=self._context.run_id,
                call_id=call.id,
                name=call.name,
                digest=digest_of(call.arguments),
                sent=bounded(sent, _MAX_SENT_CHARS),
                principal=self._context.caller.principal,
                session_id=self._context.session_id,
                effect=policy.effect,
                claims=policy.claims,
                read_only=policy.read_only,
                completes=policy.completes_when,
                asynchronous=policy.asynchronous,
                fallback_for=fallback_for,
                by_provider=by_provider,
            )
        )

    def _go_on(self, record: ToolRecord, call: ToolCall) -> Steps[Outcome]:
        """Go on with a record where it stands, until it has ended or waits for a person."""
        policy = self._registry.policy(record.name)
        if record.same_as is not None:
            return (yield from self._follow(record, self._ledger.get(record.same_as), call))
        if record.state == "requested":
            return (yield from self._first(record, call, policy))
        if record.state == "waiting_for_approval":
            return (yield from self._decided(record, call, policy))
        if not (record.is_done or record.state == "failed"):  # what succeeded may lack its look-up
            keep = record.attempt <= policy.retries or was_lost(record)
            record = yield from self._settled(record, policy, keep=keep)
            if self._tries.may_try_again(record, policy):
                return (yield from self._run(record, "unknown", call, policy))
        return self._result(record)

    def _first(self, record: ToolRecord, call: ToolCall, policy: ToolPolicy) -> Steps[Outcome]:
        """Let a new call pass the gates, and give it the key of its operation."""
        judged = self._judged(record.name, call.arguments)
        if isinstance(judged, _Refused):
            return self._refused(record, judged)
        try:
            key = None if policy.read_only else self._key(record, policy, judged)
        except ConfigError as exc:
            return self._refused(record, _Refused(exc.message, exc.message))
        record = self._ledger.note(record.id, arguments=judged, key=key)
        return (yield from self._proceed(record, call, policy))

    def _proceed(self, record: ToolRecord, call: ToolCall, policy: ToolPolicy) -> Steps[Outcome]:
        """Ask a person where one has to say yes, then run; unless it was done before."""
        other = self._ledger.answering(record)
        if other is None and _needs_approval(policy, record.arguments or {}):
            if not self._context.can_wait:
                return self._refused(record, _Refused(_NOTHING_KEPT, self._phrase("no_wait", "")))
            asked = self._ledger.ask(record.id, policy.approval_lifetime_s)
            if asked.id == record.id:
                return (yield from self._go_on(asked, call))
            other = asked
        if other is not None:
            return (yield from self._follow(record, other, call))
        return (yield from self._run(record, "requested", call, policy))

    def _decided(self, record: ToolRecord, call: ToolCall, policy: ToolPolicy) -> Steps[Outcome]:
        """Do what the person decided; what was approved runs, with these very arguments."""
        approval = record.approval
        if approval is None:  # the tool itself asked somebody, and runs again with the reply
            return (yield from self._run(record, "waiting_for_approval", call, policy))
        if approval.decision is None and self._ledger.now_s() < approval.expires_s:
            return ApprovalDue(record)
        if approval.decision != "approved":
            why = "a person refused it" if approval.decision else NOT_APPROVED
            return self._result(self._failed(record, why))
        judged = self._judged(record.name, record.arguments or {})
        if isinstance(judged, _Refused):  # the caller or the session may have lost what it takes
            return self._refused(record, judged)
        return (yield from self._run(record, "waiting_for_approval", call, policy))

    def _run(
        self, record: ToolRecord, state: ToolState, call: ToolCall, policy: ToolPolicy
    ) -> Steps[Outcome]:
        """Claim the operation and run it; whoever was faster answers for it."""
        if self._context.is_over() and state != "unknown":
            return self._refused(record, _Refused("no time is left", self._phrase("no_time", "")))
        claimed, found = self._ledger.claim(record.id, state)
        if not claimed and found.id == record.id:
            return (yield from self._go_on(found, call))
        if not claimed:
            return (yield from self._follow(record, found, call))
        tool = self._registry.tools[record.name]
        prepared = Prepared(tool, policy, record.call_id, call.injected)
        found, raw = yield from self._tries.run(prepared, found)
        if found.state == "failed" and policy.fallback is not None:
            instead = yield from self._fallen_back(found, call, policy.fallback)
            if instead is not None:
                return instead
        return self._result(found, raw)

    def _follow(self, record: ToolRecord, other: ToolRecord, call: ToolCall) -> Steps[Outcome]:
        """Answer a call with the record of the same operation, once that is clear."""
        policy = self._registry.policy(record.name)
        if record.same_as is None:
            record = self._ledger.note(record.id, same_as=other.id)
        if other.state == "waiting_for_approval":
            outcome = yield from self._go_on(other, call)
            if isinstance(outcome, ApprovalDue):
                return outcome
            other = outcome.record
        other = yield from self._settled(other, policy)
        if not (other.holds_key or other.was_declined):
            record = self._ledger.note(record.id, same_as=None)
            return (yield from self._proceed(record, call, policy))
        return self._repeated(record.answered_by(other), policy)

    def _settled(
        self, record: ToolRecord, policy: ToolPolicy, *, keep: bool = False
    ) -> Steps[ToolRecord]:
        """Wait for whoever runs an operation now, then look up what became of it."""
        waited_s, longest_s = 0.0, policy.timeout_s + policy.patience_s
        while record.state == "running" and self._ledger.is_running(record):
            if waited_s >= longest_s or self._context.is_over():
                return record
            yield pause(_POLL_S)
            waited_s += _POLL_S
            record = self._ledger.get(record.id)
        if record.state == "running" and record.owner is not None:
            self._ledger.recover()
            record = self._ledger.get(record.id)
        return (yield from self._look_up.settle(record, policy, keep=keep))

    def _fallen_back(
        self, record: ToolRecord, call: ToolCall, name: str
    ) -> Steps[ToolResult | None]:
        """Ask the read-only tool in the place of one that failed; None if that fails, too."""
        names = self._registry.parameters(name)
        arguments = {key: value for key, value in (record.arguments or {}).items() if key in names}
        instead = ToolCall(call.id, name, arguments, call.injected)
        asked = self.requested(instead, fallback_for=record.id)
        outcome = yield from self._go_on(asked, instead)
        if isinstance(outcome, ApprovalDue) or outcome.is_error:
            return None
        content = self._phrase("substitute", record.name, outcome.content)
        return ToolResult(content, not record.read_only, outcome.record, outcome.raw)

    def _judged(self, name: str, arguments: Mapping[str, Any] | str) -> dict[str, Any] | _Refused:
        """Let arguments pass the gates before the tool; they come out in full."""
        try:
            state = self._context.held()
        except Exception as exc:  # a function of the caller's
            reason = f"the session's state cannot be read: {type(exc).__name__}"
            return _Refused(reason, reason)
        context = CheckContext(
            question=self._context.question, caller=self._context.caller, state=state
        )
        verdict = self._registry.gates[name].judge(arguments, context)
        if not verdict.accepted:
            return _Refused("; ".join(f.reason for f in verdict.faults), verdict.feedback)
        return full_arguments(verdict.response, self._registry.schema_for_model(name))

    def _key(self, record: ToolRecord, policy: ToolPolicy, arguments: Mapping[str, Any]) -> str:
        return operation_key(
            record.name,
            policy,
            arguments,
            run_id=self._context.run_id,
            session_id=self._context.session_id,
            record_id=record.id,
        )

    def _refused(self, record: ToolRecord, refused: _Refused) -> ToolResult:
        record = self._failed(record, refused.reason)
        return ToolResult(self._phrase("not_run", record.name, refused.feedback), True, record)

    def _failed(self, record: ToolRecord, reason: str) -> ToolRecord:
        return self._ledger.move(
            record.id,
            "failed",
            error=bounded(reason, _MAX_ERROR_CHARS),
            expected={"requested", "waiting_for_approval"},
        )

    def _result(self, record: ToolRecord, raw: Any = None) -> ToolResult:
        policy = self._registry.policy(record.name)
        content, is_error = state_phrase(self._context.language, record, policy.max_result_chars)
        if record.read_only and not is_error:  # what was only read is not kept in the ledger
            content = text_of(raw, policy.max_result_chars) or content
        return ToolResult(content, is_error, record, raw)

    def _repeated(self, record: ToolRecord, policy: ToolPolicy) -> ToolResult:
        content, is_error = state_phrase(self._context.language, record, policy.max_result_chars)
        if record.is_done:
            content = self._phrase("repeated", record.name, content)
        return ToolResult(content, is_error, record)

    def _phrase(self, part: str, tool: str, detail: str = "") -> str:
        return phrase(self._context.language, part, tool, detail, len(detail) + 1)


def _needs_approval(policy: ToolPolicy, arguments: Mapping[str, Any]) -> bool:
    """Tell whether a person has to say yes; where the policy's function fails, one has to."""
    if not callable(policy.approval):
        return policy.approval
    try:
        return policy.approval(dict(arguments)) is not False
    except Exception:
        return True
