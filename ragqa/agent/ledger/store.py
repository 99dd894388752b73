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
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from ragqa.agent.ledger.decision import is_too_late, undecided
from ragqa.agent.ledger.reader import LOST, LedgerReader, marks
from ragqa.agent.ledger.record import Approval, NewCall, ToolRecord
from ragqa.agent.ledger.states import ToolState, may_become
from ragqa.agent.ledger.tables import (
    CHANGEABLE,
    FORGET_REASONS,
    FORGET_TEXTS,
    JSON_COLUMNS,
    SCHEMA,
    as_text,
    storable,
)
from ragqa.errors import IllegalMoveError
from ragqa.storage import Database

NOT_APPROVED = "nobody approved it in time"


class Ledger(LedgerReader):
    """The records of tool calls. Only the executor and verifiers move them.

    At its first use in a process, calls that a dead process left running become unknown.

    Args:
        path: The file; its folder must exist.
        clock: Seconds since the epoch.
    """

    def __init__(self, path: Path, *, clock: Callable[[], float] = time.time) -> None:
        super().__init__(path, clock=clock)
        # That an effect begins must not be forgotten in a power cut, so that commit waits for the
        # disk. All others may be lost with it: then the record says running, and is looked up.
        self._lasting = Database(path, SCHEMA, durable=True)
        self._recovered_by = ""

    def close(self) -> None:
        """Close the file; what this process still runs counts as left behind from now on."""
        self._lasting.close()
        super().close()

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
                tuple(map(storable, values.values())),
            )
            record = self.get(record_id)
            self._note(record)
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
            approval = undecided(record, self._clock())
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
            This record, which somebody else may have moved on, or the one that answers for it.
        """
        now_s = self._clock()
        approval = Approval(asked_s=now_s, expires_s=now_s + lifetime_s)
        with self._writing():
            record = self.get(record_id)
            other = record if record.state != "requested" else self.answering(record)
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
        database = self._database if self.get(record_id).read_only else self._lasting
        with self._writing(database):
            record = self._got(record_id, database)
            other = record if record.state != expected else self._answering(record, database)
            if other is not None:
                return False, other
            tried = replace(record, attempt=record.attempt + 1)
            self._move(tried, "running", "", database)
            self._change(record_id, {"owner": owner}, database)
            self._under_way.add(record_id)
        return True, self.get(record_id)

    def let_go(self, record_id: str) -> None:
        """Say that this process does not run a call any more, whatever its record says."""
        self._under_way.discard(record_id)

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
            self._note(replace(record, attempt=record.attempt + 1), reason)
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

    def forget(self, run_ids: Collection[str]) -> int:
        """Erase what runs sent and got back, and return how many calls that concerns.

        That an operation was done, and its key, stay: forgetting must not let it be done again.
        What is not clear yet stays as it is.
        """
        with self._writing():
            self._database.change(FORGET_REASONS.format(marks(run_ids)), tuple(run_ids))
            count = self._database.change(FORGET_TEXTS.format(marks(run_ids)), tuple(run_ids))
        self._database.rows("PRAGMA wal_checkpoint(TRUNCATE)")  # it holds what was erased
        return count

    def recover(self) -> list[ToolRecord]:
        """Put right what was left behind, and return it.

        Calls whose process died while they ran become unknown; those that nobody approved in time
        have failed.
        """
        left = [record for record in self._left_running() if not self.is_running(record)]
        late = [record for record in self.waiting() if is_too_late(record, self._clock())]
        if not left and not late:
            return []
        with self._database.transaction():
            return [self._lost(record.id) for record in left] + [
                self._expired(record.id) for record in late
            ]

    def _expired(self, record_id: str) -> ToolRecord:
        record = self.get(record_id)
        if record.state == "waiting_for_approval" and is_too_late(record, self._clock()):
            self._move(record, "failed", "")
            self._change(record_id, {"error": NOT_APPROVED})
        return self.get(record_id)

    def _lost(self, record_id: str) -> ToolRecord:
        record = self.get(record_id)
        if record.state == "running" and not self.is_running(record):
            self._move(record, "failed" if record.read_only else "unknown", LOST)
            self._change(record_id, {"owner": None, "error": LOST})
        return self.get(record_id)

    def _left_running(self) -> list[ToolRecord]:
        return self._found("state = 'running' AND owner IS NOT NULL", ())

    @contextmanager
    def _writing(self, database: Database | None = None) -> Iterator[None]:
        """Hold the write access, with what dead processes left behind put right before."""
        name = self._holder.name()
        if self._recovered_by != name:
            self._recovered_by = name
            self.recover()
        with (database or self._database).transaction():
            yield

    def _move(
        self,
        record: ToolRecord,
        state: ToolState,
        reason: str,
        database: Database | None = None,
    ) -> None:
        if not may_become(record.state, state):
            raise IllegalMoveError(
                f"The record of {record.name} cannot go from {record.state} to {state}."
            )
        (database or self._database).change(
            "UPDATE tool_call SET state = ?, attempt = ? WHERE id = ?",
            (state, record.attempt, record.id),
        )
        self._note(replace(record, state=state), reason, database)

    def _note(self, record: ToolRecord, reason: str = "", database: Database | None = None) -> None:
        (database or self._database).change(
            "INSERT INTO tool_move (record_id, state, at_s, attempt, reason)"
            " VALUES (?, ?, ?, ?, ?)",
            (record.id, record.state, self._clock(), record.attempt, storable(reason)),
        )

    def _change(
        self, record_id: str, changes: Mapping[str, Any], database: Database | None = None
    ) -> None:
        unknown = changes.keys() - CHANGEABLE
        if unknown:
            raise TypeError(f"no column of a record: {', '.join(sorted(unknown))}")
        if not changes:
            return
        columns = ", ".join(f"{name} = ?" for name in changes)
        values = [
            as_text(value) if name in JSON_COLUMNS else storable(value)
            for name, value in changes.items()
        ]
        (database or self._database).change(
            f"UPDATE tool_call SET {columns} WHERE id = ?",  # noqa: S608
            (*values, record_id),
        )
