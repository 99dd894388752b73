"""Reading of the ledger: what is recorded of tool calls."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from ragqa.agent.ledger.record import ToolRecord
from ragqa.agent.ledger.tables import COLUMNS, SCHEMA, record_of, storable
from ragqa.errors import UnknownNameError
from ragqa.storage import Database, Holder

LEDGER_FILE = "ledger.sqlite"
"""The ledger's name in the state folder."""

LOST = "the process ended while it ran"


class LedgerReader:
    """Reads the records of tool calls in a SQLite file, shared by threads and processes.

    Args:
        path: The file; its folder must exist.
        clock: Seconds since the epoch.
    """

    def __init__(self, path: Path, *, clock: Callable[[], float] = time.time) -> None:
        self._database = Database(path, SCHEMA)
        self._holder = Holder(path.parent / f"{path.stem}-holders")
        self._clock = clock
        self._under_way: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; what this process still runs counts as left behind from now on."""
        self._database.close()
        self._holder.close()

    def now_s(self) -> float:
        """Return the time by the ledger's clock, in seconds since the epoch."""
        return self._clock()

    def get(self, record_id: str) -> ToolRecord:
        """Return a record.

        Raises:
            UnknownNameError: If there is none of that id.
        """
        return self._got(record_id, self._database)

    def _got(self, record_id: str, database: Database) -> ToolRecord:
        found = self._found("id = ?", (record_id,), database)
        if not found:
            raise UnknownNameError("tool record", record_id, ())
        return found[0]

    def of_run(self, run_id: str) -> list[ToolRecord]:
        """Return a run's records in the order in which they were asked for.

        A call that another record answers for bears that one's state, result and verification;
        one whose process died while it ran is unknown, whether or not that has been put down.
        """
        return [self._as_known(record) for record in self._found("run_id = ?", (run_id,))]

    def answered(self, record: ToolRecord) -> ToolRecord:
        """Return a record with what is known of the operation that answers for it."""
        return record if record.same_as is None else record.answered_by(self.get(record.same_as))

    def _as_known(self, record: ToolRecord) -> ToolRecord:
        record = self.answered(record)
        is_left = record.state == "running" and record.owner and not self.is_running(record)
        return replace(record, state="unknown", error=LOST) if is_left else record

    def waiting(self, run_id: str | None = None) -> list[ToolRecord]:
        """Return what waits for a person, in one run or in all."""
        if run_id is None:
            return self._found("state = 'waiting_for_approval'", ())
        return self._found("state = 'waiting_for_approval' AND run_id = ?", (run_id,))

    def pending(self, names: Collection[str]) -> list[ToolRecord]:
        """Return the records of these tools on which a look-up may still tell more."""
        return self._found(
            "(state = 'unknown' OR (state = 'running' AND asynchronous AND owner IS NULL)"
            " OR (state = 'succeeded' AND completes = 'verified'))"
            f" AND name IN ({marks(names)})",
            tuple(names),
        )

    def asked_before(self, run_id: str, call_id: str, name: str, digest: str) -> ToolRecord | None:
        """Return the record of this very call, where a run goes on after a break."""
        found = self._found(
            "run_id = ? AND call_id = ? AND name = ? AND digest = ? AND NOT read_only",
            (run_id, storable(call_id), storable(name), digest),
        )
        return found[-1] if found else None

    def answering(self, record: ToolRecord) -> ToolRecord | None:
        """Return another record that answers for this one's operation, so that it must not run.

        That is one that took place, or may have; and in the same run also one that a person is
        asked about or has refused.
        """
        return self._answering(record, self._database)

    def _answering(self, record: ToolRecord, database: Database) -> ToolRecord | None:
        if record.key is None:
            return None
        others = self._found(
            "name = ? AND key = ? AND id != ? AND same_as IS NULL",
            (record.name, storable(record.key), record.id),
            database,
        )
        return next((other for other in reversed(others) if _answers(other, record)), None)

    def is_running(self, record: ToolRecord) -> bool:
        """Tell whether a living process still runs a call."""
        if record.owner is None:
            return False
        if self._holder.is_own(record.owner):
            return record.id in self._under_way
        return self._holder.is_alive(record.owner)

    def _found(
        self, where: str, parameters: Sequence[Any], database: Database | None = None
    ) -> list[ToolRecord]:
        database = database or self._database
        rows = database.rows(
            f"SELECT {COLUMNS} FROM tool_call WHERE {where} ORDER BY number",  # noqa: S608
            parameters,
        )
        if not rows:
            return []
        moves: dict[str, list[tuple[Any, ...]]] = {row[0]: [] for row in rows}
        for record_id, *move in database.rows(
            "SELECT record_id, state, at_s, attempt, reason FROM tool_move"  # noqa: S608
            f" WHERE record_id IN (SELECT id FROM tool_call WHERE {where}) ORDER BY number",
            parameters,
        ):
            moves.setdefault(record_id, []).append(tuple(move))
        return [record_of(row, moves[row[0]]) for row in rows]


def marks(values: Collection[Any]) -> str:
    """Return as many question marks as there are values."""
    return ", ".join("?" * len(values))


def _answers(other: ToolRecord, record: ToolRecord) -> bool:
    if other.holds_key:
        return True
    if other.run_id != record.run_id or other.approval is None:
        return False
    return other.state == "waiting_for_approval" or other.was_declined
