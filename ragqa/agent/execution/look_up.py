"""Find out what became of an operation: by its verifier, before anything is tried again.

"Not found" says nothing within the settling time, after the key's lifetime, or as long as a living
process may still be at it. The commit before an effect waits for the disk; if a later one is lost
in a power cut, the record says ``running``, and is looked up.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ragqa.agent.bounded_call import BoundedCall
from ragqa.agent.execution.driving import Steps, pause
from ragqa.agent.ledger.record import ToolRecord
from ragqa.agent.ledger.store import Ledger
from ragqa.agent.policy import ToolPolicy
from ragqa.agent.results.text import error_text
from ragqa.agent.verification import Operation, Verification, judged
from ragqa.flow import Call
from ragqa.ports import TraceConfig

_FIRST_PAUSE_S = 0.05
_LONGEST_PAUSE_S = 2.0


class LookUp:
    """Looks operations up and moves their records by what is found.

    Args:
        ledger: Holds the records.
        remaining_s: Tells how much time the run has left.
    """

    def __init__(self, ledger: Ledger, remaining_s: Callable[[], float] | None = None) -> None:
        self._ledger = ledger
        self._remaining_s = remaining_s

    def settle(
        self, record: ToolRecord, policy: ToolPolicy, *, keep: bool = False, patient: bool = True
    ) -> Steps[ToolRecord]:
        """Look an operation up until that says what became of it, or patience ends.

        Args:
            record: Unknown, succeeded but to be verified, or a job that is running.
            policy: Its tool's policy.
            keep: Whether a record of which nothing was found stays unknown, since it may be tried
                again.
            patient: Whether to wait for what is not clear yet.
        """
        give_up_s = time.monotonic() + (self._patience_s(policy) if patient else 0.0)
        pause_s = _FIRST_PAUSE_S
        while policy.verifier is not None and _is_open(record):
            record = yield from self._once(record, policy, keep=keep)
            if not _is_open(record) or self.is_absent(record, policy):
                break
            left_s = give_up_s - time.monotonic()
            if left_s <= 0:
                break
            yield pause(min(pause_s, left_s))
            pause_s = min(_LONGEST_PAUSE_S, 2 * pause_s)
        return record

    def _patience_s(self, policy: ToolPolicy) -> float:
        left_s = policy.patience_s if self._remaining_s is None else self._remaining_s()
        return min(policy.patience_s, left_s)

    def is_absent(self, record: ToolRecord, policy: ToolPolicy) -> bool:
        """Tell whether it is certain that an operation did not take place.

        Not so within the settling time, after the key's lifetime at the service, or as long as a
        living process may still be running it.
        """
        if (record.verification or {}).get("finding") != "not_found":
            return False
        now_s = self._ledger.now_s()
        since_s = record.moved_s(record.state) or now_s
        first_s = next((move.at_s for move in record.moves if move.state == "running"), now_s)
        knows_key = policy.key_lifetime_s is None or 0 <= now_s - first_s < policy.key_lifetime_s
        settled = now_s - since_s >= policy.settle_s
        return settled and knows_key and not self._ledger.is_running(record)

    def _once(self, record: ToolRecord, policy: ToolPolicy, *, keep: bool) -> Steps[ToolRecord]:
        operation = Operation(
            tool=record.name,
            key=record.key,
            arguments=record.arguments or {},
            result=record.result,
            request_id=record.request_id,
            attempt=record.attempt,
        )
        try:
            said = yield verifier_call(policy, operation)
            found = judged(said, operation, policy.compared)
        except Exception as exc:  # a look-up that fails says nothing
            found = Verification("error", error_text(exc, 300))
        return self._taken(self._ledger.get(record.id), policy, found, keep=keep)

    def _taken(
        self, record: ToolRecord, policy: ToolPolicy, found: Verification, *, keep: bool
    ) -> ToolRecord:
        """Move a record by what a look-up found; others may have moved it meanwhile."""
        if not _is_open(record):
            return record
        shown = found.shown()
        ids = {"request_id": found.request_id} if found.request_id and not record.request_id else {}
        if found.finding == "found":
            return self._moved(record, "verified", shown, error="", **ids)
        if found.finding in {"mismatch", "failed"}:
            return self._moved(record, "failed", shown, error=found.detail or found.finding, **ids)
        if found.finding == "not_found":
            seen = replace(record, verification=shown)
            if self.is_absent(seen, policy) and not (keep and record.state == "unknown"):
                return self._absent(record, shown)
        return self._ledger.note(record.id, verification=shown, **ids)

    def _absent(self, record: ToolRecord, shown: dict[str, Any]) -> ToolRecord:
        """Move a record of which there is nothing; a job that is gone may still have done it."""
        if record.state == "running":
            return self._moved(record, "unknown", shown, error="the job is not there any more")
        return self._moved(record, "failed", shown, error=record.error or "it did not take place")

    def _moved(
        self, record: ToolRecord, state: Any, shown: dict[str, Any], **changes: Any
    ) -> ToolRecord:
        return self._ledger.move(
            record.id,
            state,
            reason=f"looked up: {shown['finding']}",
            expected={record.state},
            attempt=record.attempt,
            verification=shown,
            **changes,
        )


def verifier_call(policy: ToolPolicy, operation: Operation) -> Call:
    """Return the call of a verifier, blocking or async, within its time."""
    verifier = policy.verifier
    assert verifier is not None, "asked where there is one"

    def run(_: TraceConfig) -> Any:
        if inspect.iscoroutinefunction(verifier):
            return _bounded(None, lambda: verifier(operation), policy).wait()
        said = _bounded(lambda: verifier(operation), None, policy).wait()
        if inspect.isawaitable(said):
            return _bounded(None, lambda: said, policy).wait()
        return said

    async def arun(_: TraceConfig) -> Any:
        if inspect.iscoroutinefunction(verifier):
            return await _bounded(None, lambda: verifier(operation), policy).await_()
        said = await _bounded(lambda: verifier(operation), None, policy).await_()
        if inspect.isawaitable(said):
            return await _bounded(None, lambda: said, policy).await_()
        return said

    return Call(run, arun)


def _bounded(run: Any, arun: Any, policy: ToolPolicy) -> BoundedCall:
    return BoundedCall(run, arun, policy.verifier_timeout_s)


def _is_open(record: ToolRecord) -> bool:
    """Tell whether a look-up may still say more of a record."""
    if record.state == "running":
        return record.asynchronous and record.owner is None
    return record.state == "unknown" or (
        record.state == "succeeded" and record.completes == "verified"
    )
