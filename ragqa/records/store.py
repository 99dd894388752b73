"""Runs kept in SQLite: one row each, private, deleted when they are old enough.

Groups stand beside passages. Without the groups of every passage that a run has read, its texts
stay hidden, since any of them may draw on any passage.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from ragqa.errors import StorageError
from ragqa.ports import ENDED, KeptText, Run, RunState
from ragqa.records.rows import COLUMNS, LOST, encoded, from_row, to_row
from ragqa.storage import Database, Holder

_SCHEMA = (
    """
    CREATE TABLE run (
        id TEXT PRIMARY KEY,
        state TEXT NOT NULL,
        started_s REAL NOT NULL,
        ended_s REAL,
        holder TEXT,
        chain TEXT NOT NULL,
        principal TEXT NOT NULL,
        session_id TEXT,
        last_error TEXT,
        rest TEXT NOT NULL,
        notes TEXT NOT NULL DEFAULT '{}'
    );
    CREATE INDEX run_started ON run (started_s, id);
    CREATE INDEX run_session ON run (session_id) WHERE session_id IS NOT NULL;
    CREATE INDEX run_open ON run (holder) WHERE state IN ('queued', 'in_progress');
    """,
)
_FILE, _HOLDERS = "runs.sqlite", "holders"
_SETTLED = "('cancelled', 'expired')"
_DAY_S = 86_400
_PAGE = 500

_SELECT = f"SELECT {', '.join(COLUMNS)} FROM run"  # noqa: S608 -- names of ours
_INSERT = (
    f"INSERT INTO run ({', '.join(COLUMNS[:-1])}) "  # noqa: S608 -- names of ours
    f"VALUES ({', '.join('?' * (len(COLUMNS) - 1))}) "
)
_REPLACE = (
    "ON CONFLICT (id) DO UPDATE SET ended_s = excluded.ended_s, holder = excluded.holder, "
    "chain = excluded.chain, rest = excluded.rest, "
)
_BEGIN = _INSERT + "ON CONFLICT (id) DO NOTHING"
_AGAIN = (
    _INSERT + _REPLACE + "state = excluded.state, last_error = excluded.last_error, "
    "started_s = min(run.started_s, excluded.started_s)"
)
_OPEN_HOLDERS = "SELECT DISTINCT holder FROM run WHERE state IN ('queued', 'in_progress')"
_LOSE = (
    "UPDATE run SET state = 'incomplete', last_error = ?, holder = NULL "
    "WHERE state IN ('queued', 'in_progress') AND holder IS ?"
)
_SAVE = (
    _INSERT
    + _REPLACE
    + f"state = CASE WHEN run.state IN {_SETTLED} THEN run.state ELSE excluded.state END, "
    + f"last_error = CASE WHEN run.state IN {_SETTLED} THEN run.last_error "
    + "ELSE excluded.last_error END"
)


class SqliteRuns:
    """Keeps runs in a folder of this machine; for any number of threads and processes.

    Args:
        folder: The state folder; it must exist, or be made by ``make_folder``.
        keeps: What the caller means to keep of texts.
        keep_days: Days after which a run is deleted, unless it waits for an approval.
        make_folder: Called before the first run is kept.
        wall_clock: Tells the seconds since the epoch.
    """

    def __init__(
        self,
        folder: Path,
        *,
        keeps: KeptText = "masked",
        keep_days: int = 30,
        make_folder: Callable[[], object] = lambda: None,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        self._keeps: KeptText = keeps
        self._keep_days = keep_days
        self._make_folder = make_folder
        self._wall_clock = wall_clock
        self._database = Database(folder / _FILE, _SCHEMA, busy_timeout_s=1.0)
        self._holder = Holder(folder / _HOLDERS)

    @property
    def keeps(self) -> KeptText:
        """Say what is kept of texts."""
        return self._keeps

    def begin(self, run: Run) -> Run | None:
        """Keep a run that begins, or goes on; return what was kept of it before."""
        _ = self._tidied
        row = to_row(run, self._holder.name())
        if self._database.change(_BEGIN, row):
            return None
        with self._database.transaction():
            before = self.get(run.id)
            self._database.change(_AGAIN, row)
        return before

    def save(self, run: Run) -> None:
        """Replace what is kept of a run; a run that was cancelled or expired stays so."""
        holder = None if run.state in ENDED else self._holder.name()
        self._database.change(_SAVE, to_row(run, holder))

    def move(
        self,
        run_id: str,
        expected: Collection[RunState],
        state: RunState,
        last_error: Mapping[str, str] | None = None,
    ) -> bool:
        """Move a run from one of the expected states; tell whether this call did it."""
        ended_s = self._wall_clock() if state in ENDED else None
        holder = None if state in ENDED else self._holder.name()
        with self._database.transaction():
            run = self.get(run_id)
            if run is None or run.state not in expected:
                return False
            self._database.change(
                "UPDATE run SET state = ?, ended_s = ?, holder = ?, last_error = ? WHERE id = ?",
                (state, ended_s, holder, encoded(last_error) if last_error else None, run_id),
            )
        return True

    def note(self, run_id: str, values: Mapping[str, Any]) -> None:
        """Keep more under keys of the record; a key that is there is replaced."""
        with self._database.transaction():
            row = self._database.row("SELECT notes FROM run WHERE id = ?", (run_id,))
            if row is not None:
                notes = encoded({**json.loads(row[0]), **values})
                self._database.change("UPDATE run SET notes = ? WHERE id = ?", (notes, run_id))

    def get(self, run_id: str) -> Run | None:
        """Return a run; None where none bears that id."""
        row = self._database.row(f"{_SELECT} WHERE id = ?", (run_id,))
        return None if row is None else from_row(row, self._holder.is_alive)

    def since(self, since_s: float, until_s: float | None = None) -> Iterator[Run]:
        """Yield the runs that began in a period, oldest first."""
        alive = _remembered(self._holder.is_alive)
        at: tuple[float, str] = (since_s, "")
        until_s = float("inf") if until_s is None else until_s
        while True:
            rows = self._database.rows(
                f"{_SELECT} WHERE (started_s, id) > (?, ?) AND started_s < ? "
                f"ORDER BY started_s, id LIMIT {_PAGE}",
                (*at, until_s),
            )
            for row in rows:
                run = from_row(row, alive)
                at = (run.started_s, run.id)
                yield run
            if len(rows) < _PAGE:
                return

    def latest(self, limit: int, **only: str) -> list[Run]:
        """Return the runs that began last, newest first.

        Args:
            limit: How many at most.
            only: What columns must hold: ``session_id``, ``principal``, ``chain`` or ``state``.
        """
        where, values = _where(only)
        rows = self._database.rows(
            f"{_SELECT} WHERE 1{where} ORDER BY started_s DESC, id DESC LIMIT ?",
            (*values, limit),
        )
        alive = _remembered(self._holder.is_alive)
        return [from_row(row, alive) for row in rows]

    def ids(self, prefix: str = "", limit: int = 2000, **only: str) -> list[str]:
        """Return the ids that begin so, newest first; damaged rows have one, too.

        Args:
            prefix: Their beginning.
            limit: How many at most; -1 for all.
            only: What columns must hold, as for :meth:`latest`.
        """
        where, values = _where(only)
        found = self._database.rows(
            f"SELECT id FROM run WHERE id >= ? AND id < ?{where} ORDER BY id DESC LIMIT ?",  # noqa: S608 -- names of ours
            (prefix, prefix + "\U0010ffff", *values, limit),
        )
        return [run_id for (run_id,) in found]

    def forget(self, run_ids: Collection[str]) -> int:
        """Delete runs, so that nothing of them is left in the files; return how many."""
        with self._database.transaction():
            count = sum(
                self._database.change("DELETE FROM run WHERE id = ?", (run_id,))
                for run_id in run_ids
            )
        self._database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        return count

    def close(self) -> None:
        """Close the file."""
        self._database.close()
        self._holder.close()

    @cached_property
    def _tidied(self) -> bool:
        """Once per process: delete old runs, and settle those whose process was killed."""
        self._make_folder()
        with suppress(StorageError):  # the next process tries again
            self._delete_old()
            self._settle()
        return True

    def _delete_old(self) -> None:
        oldest_s = self._wall_clock() - self._keep_days * _DAY_S
        self._database.change(
            "DELETE FROM run WHERE started_s < ? AND state != 'requires_action'", (oldest_s,)
        )

    def _settle(self) -> None:
        holders = self._database.rows(_OPEN_HOLDERS)
        for (holder,) in holders:
            if holder is None or not self._holder.is_alive(holder):
                self._database.change(_LOSE, (encoded(LOST), holder))


def _where(only: Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    assert set(only) <= set(COLUMNS), "names of columns"
    return "".join(f" AND {name} = ?" for name in only), tuple(only.values())


def _remembered(is_alive: Callable[[str], bool]) -> Callable[[str], bool]:
    """Ask for each process once."""
    known: dict[str, bool] = {}

    def answer(name: str) -> bool:
        if name not in known:
            known[name] = is_alive(name)
        return known[name]

    return answer
