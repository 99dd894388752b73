"""The ledger: one record a tool call, written before and after its effect.

>>> from pathlib import Path
>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as folder, Ledger(Path(folder) / "ledger.sqlite") as ledger:
...     record = ledger.request(NewCall(run_id="run", call_id="1", name="send", digest="d"))
...     _ = ledger.claim(record.id, "requested")
...     ledger.move(record.id, "succeeded", result="sent").state
'succeeded'
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from ragqa.agent.ledger_reader import LedgerReader, marks
from ragqa.agent.ledger_schema import as_text
from ragqa.agent.states import ToolState, may_become
from ragqa.agent.tool_record import Approval, ToolRecord
from ragqa.errors import ConfigError, IllegalMoveError

LOST = "the process ended while it ran"

_CHANGEABLE = frozenset(
    {
        "key",
        "arguments",
        "result",
        "error",
        "request_id",
        "verification",
        "approval",
        "same_as",
        "owner",
    }
)
_JSON = frozenset({"arguments", "verification", "approval"})


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCall:
    """What is known of a call when it is asked for; the fields are those of ToolRecord."""

    run_id: str
    call_id: str
    name: str
    digest: str
    sent: str = ""
    principal: str = "local"
    session_id: str | None = None
    effect: str = ""
    claims: tuple[str, ...] = ()
    read_only: bool = False
    completes: str = "succeeded"
    asynchronous: bool = False
    fallback_for: str | None = None
    by_provider: bool = False


class Ledger(LedgerReader):
    """The records of tool calls. Only the executor and verifiers move them.

    At its first use in a process, calls that a dead process left running become unknown.

    Args:
        path: The file; its folder must exist.
        clock: Seconds since the epoch.
    """

    def __init__(self, path: Path, *, clock: Callable[[], float] = time.time) -> None:
        super().__init__(path, clock=clock)
        self._recovered_by = ""

    def request(self, new: NewCall) -> ToolRecord:
        """Begin a record."""
        record_id = uuid4().hex
        values = asdict(new) | {
            "id": record_id,
            "state": "requested",
            "claims": as_text(new.claims),
        }
        names = ", ".join(values)
        with self._writing():
            self._database.change(
                f"INSERT INTO tool_call ({names}) VALUES ({marks(values)})",  # noqa: S608
                tuple(values.values()),
            )
            self._note(record_id, "requested", 0)
            return self.get(record_id)

    def note(self, record_id: str, **changes: Any) -> ToolRecord:
        """Change what is known of a record without moving it, as :meth:`move` does."""
        with self._writing():
            self._change(record_id, changes)
            return self.get(record_id)

    def decide(self, record_id: str, approved: bool, *, by: str, reason: str = "") -> ToolRecord:
        """Record a person's decision. It moves nothing: the executor does, when the run goes on.

        Raises:
            ConfigError: If nothing waits there, it has been decided, or the time is over.
            UnknownNameError: If there is no such record.
        """
        with self._writing():
            record = self.get(record_id)
            approval = _undecided(record, self._clock())
            approval = replace(
                approval,
                decision="approved" if approved else "refused",
                by=by,
                decided_s=self._clock(),
                reason=reason,
            )
            self._change(record_id, {"approval": asdict(approval)})
            return self.get(record_id)

    def ask(self, record_id: str, lifetime_s: float) -> ToolRecord:
        """Let a call wait for a person, unless another record answers for the same operation.

        Returns:
            This record, or the one that answers for it.
        """
        now_s = self._clock()
        approval = Approval(asked_s=now_s, expires_s=now_s + lifetime_s)
        with self._writing():
            record = self.get(record_id)
            other = self.answering(record)
            if other is not None:
                return other
            self._move(record, "waiting_for_approval", "")
            self._change(record_id, {"approval": asdict(approval)})
            return self.get(record_id)

    def claim(self, record_id: str, expected: ToolState) -> tuple[bool, ToolRecord]:
        """Move a call to running, unless another record answers for the same operation.

        Of several threads and processes that try at once, one succeeds.

        Args:
            record_id: Which one.
            expected: What it has to be.

        Returns:
            True and the record, running now in this process; or False and the record that answers
            for it, which is itself if it is not what it was expected to be.
        """
        owner = self._holder.name()
        with self._writing():
            record = self.get(record_id)
            other = record if record.state != expected else self.answering(record)
            if other is not None:
                return False, other
            self._move(replace(record, attempt=record.attempt + 1), "running", "")
            self._change(record_id, {"owner": owner})
            return True, self.get(record_id)

    def again(self, record_id: str, reason: str) -> ToolRecord:
        """Begin another try of a call that is running and failed in a way that may pass."""
        with self._writing():
            record = self.get(record_id)
            if record.state != "running":
                raise IllegalMoveError(
                    f"The record of {record.name} is {record.state}, not running."
                )
            self._database.change(
                "UPDATE tool_call SET attempt = attempt + 1 WHERE id = ?", (record_id,)
            )
            self._note(record_id, "running", record.attempt + 1, reason)
            return self.get(record_id)

    def move(
        self,
        record_id: str,
        state: ToolState,
        *,
        reason: str = "",
        expected: Collection[ToolState] | None = None,
        attempt: int | None = None,
        **changes: Any,
    ) -> ToolRecord:
        """Move a record and change what is known of it.

        Args:
            record_id: Which one.
            state: What it becomes.
            reason: Why.
            expected: What it has to be; else it is left alone.
            attempt: The try that it has to be at; else it is left alone.
            changes: ``key, arguments, result, error, request_id, verification, owner``.

        Returns:
            The record as it is now.

        Raises:
            IllegalMoveError: If the state cannot become that one.
        """
        with self._writing():
            record = self.get(record_id)
            if expected is not None and record.state not in expected:
                return record
            if attempt is not None and record.attempt != attempt:
                return record
            self._move(record, state, reason)
            self._change(record_id, {"owner": None, **changes})
            return self.get(record_id)

    def recover(self) -> list[ToolRecord]:
        """Move calls whose process died while they ran to unknown, and return them."""
        left = [record for record in self._left_running() if not self.is_running(record)]
        if not left:
            return []
        with self._database.transaction():
            return [self._lost(record.id) for record in left]

    def _lost(self, record_id: str) -> ToolRecord:
        record = self.get(record_id)
        if record.state == "running" and not self.is_running(record):
            self._move(record, "failed" if record.read_only else "unknown", LOST)
            self._change(record_id, {"owner": None, "error": LOST})
        return self.get(record_id)

    def _left_running(self) -> list[ToolRecord]:
        return self._found("state = 'running' AND owner IS NOT NULL", ())

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Hold the write access, with what dead processes left behind put right before."""
        name = self._holder.name()
        if self._recovered_by != name:
            self._recovered_by = name
            self.recover()
        with self._database.transaction():
            yield

    def _move(self, record: ToolRecord, state: ToolState, reason: str) -> None:
        if not may_become(record.state, state):
            raise IllegalMoveError(
                f"The record of {record.name} cannot go from {record.state} to {state}."
            )
        self._database.change(
            "UPDATE tool_call SET state = ?, attempt = ? WHERE id = ?",
            (state, record.attempt, record.id),
        )
        self._note(record.id, state, record.attempt, reason)

    def _note(self, record_id: str, state: str, attempt: int, reason: str = "") -> None:
        self._database.change(
            "INSERT INTO tool_move (record_id, state, at_s, attempt, reason)"
            " VALUES (?, ?, ?, ?, ?)",
            (record_id, state, self._clock(), attempt, reason),
        )

    def _change(self, record_id: str, changes: Mapping[str, Any]) -> None:
        unknown = changes.keys() - _CHANGEABLE
        if unknown:
            raise TypeError(f"no column of a record: {', '.join(sorted(unknown))}")
        if not changes:
            return
        columns = ", ".join(f"{name} = ?" for name in changes)
        values = [as_text(value) if name in _JSON else value for name, value in changes.items()]
        self._database.change(
            f"UPDATE tool_call SET {columns} WHERE id = ?",  # noqa: S608
            (*values, record_id),
        )


def _undecided(record: ToolRecord, now_s: float) -> Approval:
    """Return the approval of a record on which a person may still decide."""
    approval = record.approval
    if record.state != "waiting_for_approval" or approval is None:
        raise ConfigError(f"The call of {record.name} does not wait for an approval.")
    if approval.decision is not None:
        raise ConfigError(f"The call of {record.name} has been {approval.decision} before.")
    if now_s >= approval.expires_s:
        raise ConfigError(
            f"The time to approve the call of {record.name} is over.",
            hint="Ask again to start a new run.",
        )
    return approval
