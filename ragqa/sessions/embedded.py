"""Conversations in a SQLite file of the state folder.

The holder of a conversation is a process, told by its id and start, and times are those of the
boot: neither a kill nor a change of the clock leaves a session locked or takes it from who works. A
turn that ends late is appended, never written over another's. Whoever waits in an event loop keeps
no thread: the holder needs them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from ragqa.errors import SessionError, StorageError
from ragqa.ports import History, PastTurn, Summary
from ragqa.sessions.holding import Hold, held_within
from ragqa.sessions.owners import MAX_HOLD_S, Owner, this_process
from ragqa.sessions.records import (
    MAX_TURNS,
    checked_id,
    exported,
    not_yours,
    state_json,
    state_of,
    summary_json,
    summary_of,
    turn_json,
    turn_of,
)
from ragqa.storage import Database

SCHEMA = (
    """
    CREATE TABLE session (
        id TEXT PRIMARY KEY,
        principal TEXT NOT NULL,
        begun_s REAL NOT NULL,
        used_s REAL NOT NULL,
        summary TEXT NOT NULL DEFAULT '',
        state TEXT NOT NULL DEFAULT ''
    );
    CREATE INDEX session_used ON session (used_s);
    CREATE TABLE turn (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
        run_id TEXT NOT NULL,
        record TEXT NOT NULL,
        UNIQUE (session_id, run_id)
    );
    CREATE TABLE hold (
        session_id TEXT PRIMARY KEY,
        run_id TEXT NOT NULL,
        token TEXT NOT NULL,
        machine TEXT NOT NULL,
        pid INTEGER NOT NULL,
        started TEXT NOT NULL,
        until_s REAL NOT NULL,
        forgotten INTEGER NOT NULL DEFAULT 0
    );
    """,
)


class EmbeddedSessions:
    """Keep conversations in one SQLite file, for all threads and processes of a machine.

    Args:
        path: The file; its folder must exist.
        lifetime_s: A session that nobody used for so long is deleted.
        max_turns: So many turns of a session are kept.
        now: Seconds since the epoch.
    """

    def __init__(
        self,
        path: Path,
        *,
        lifetime_s: float,
        max_turns: int = MAX_TURNS,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._database = Database(path, SCHEMA)
        self._lifetime_s = lifetime_s
        self._max_turns = max_turns
        self._now = now

    def recall(self, session_id: str, principal: str) -> History:
        """Return what is remembered; an empty History of a session that is new or expired."""
        with self._reading():
            kept = self._kept(session_id, principal)
            if kept is None:
                return History()
            rows = self._database.rows(
                "SELECT record FROM turn WHERE session_id = ? ORDER BY number", (session_id,)
            )
        summary, state = kept
        turns = tuple(turn_of(record) for (record,) in rows)
        return History(turns, summary_of(summary), state_of(state))

    def remember(self, session_id: str, principal: str, turn: PastTurn) -> None:
        """Append a turn, or replace what was kept of the same run."""
        with self._writing() as database:
            gone = "SELECT 1 FROM hold WHERE session_id = ? AND run_id = ? AND forgotten"
            if database.row(gone, (checked_id(session_id), turn.run_id)):
                return
            self._claim(session_id, principal)
            database.change(
                "INSERT INTO turn (session_id, run_id, record) VALUES (?, ?, ?) "
                "ON CONFLICT (session_id, run_id) DO UPDATE SET record = excluded.record",
                (session_id, turn.run_id, turn_json(turn)),
            )
            database.change(
                "DELETE FROM turn WHERE session_id = ? AND number <= (SELECT number FROM turn "
                "WHERE session_id = ? ORDER BY number DESC LIMIT 1 OFFSET ?)",
                (session_id, session_id, self._max_turns),
            )

    def summarise(self, session_id: str, principal: str, summary: Summary) -> None:
        """Keep a summary in place of the one before."""
        self._set("summary", summary_json(summary), session_id, principal)

    def keep_state(self, session_id: str, principal: str, state: Mapping[str, Any]) -> None:
        """Keep what later turns need; replaces what was kept before."""
        self._set("state", state_json(state), session_id, principal)

    def try_hold(
        self, session_id: str, principal: str, run_id: str
    ) -> AbstractContextManager[None] | None:
        """Hold the session for one run; None where another run holds it."""
        owner, token = this_process(), os.urandom(12).hex()
        until_s = time.monotonic() + MAX_HOLD_S
        with self._writing() as database:
            self._claim(session_id, principal)
            held = database.row(
                "SELECT machine, pid, started, until_s FROM hold WHERE session_id = ?",
                (session_id,),
            )
            if held is not None and Owner(*held[:3]).may_hold(held[3]):
                return None
            database.change(
                "INSERT OR REPLACE INTO hold VALUES (?, ?, ?, ?, ?, ?, ?, 0)",
                (session_id, run_id, token, owner.machine, owner.pid, owner.started, until_s),
            )
        return Hold(lambda: self._release(session_id, token))

    def hold(
        self, session_id: str, principal: str, run_id: str, wait_s: float
    ) -> AbstractContextManager[None]:
        """Hold the session for one run, waiting for the run that holds it."""
        return held_within(session_id, wait_s, lambda: self.try_hold(session_id, principal, run_id))

    def forget(self, session_id: str, principal: str) -> bool:
        """Delete a session and tell whether there was one."""
        with self._writing() as database:
            if self._kept(session_id, principal) is None:
                return False
            database.change("UPDATE hold SET forgotten = 1 WHERE session_id = ?", (session_id,))
            return database.change("DELETE FROM session WHERE id = ?", (session_id,)) > 0

    def export(self, session_id: str, principal: str) -> Mapping[str, Any]:
        """Return all that is kept of a session, as JSON takes it."""
        kept = self.recall(session_id, principal)
        return exported(session_id, principal, kept.turns, kept.summary, kept.state)

    def close(self) -> None:
        """Close the file; a later use opens it again."""
        self._database.close()

    def _release(self, session_id: str, token: str) -> None:
        with _translated():
            self._database.change(
                "DELETE FROM hold WHERE session_id = ? AND token = ?", (session_id, token)
            )

    def _set(self, column: str, value: str, session_id: str, principal: str) -> None:
        with self._writing() as database:
            self._claim(session_id, principal)
            database.change(
                f"UPDATE session SET {column} = ? WHERE id = ?",  # noqa: S608 -- names of ours
                (value, session_id),
            )

    def _kept(self, session_id: str, principal: str) -> tuple[str, str] | None:
        """Return summary and state of a session; None where there is none that lives."""
        row = self._database.row(
            "SELECT principal, used_s, summary, state FROM session WHERE id = ?",
            (checked_id(session_id),),
        )
        if row is None or self._now() - row[1] > self._lifetime_s:
            return None
        if row[0] != principal:
            raise not_yours(session_id)
        return row[2], row[3]

    def _claim(self, session_id: str, principal: str) -> None:
        """Begin the session, or note its use; sessions that have expired go."""
        now_s = self._now()
        if self._kept(session_id, principal) is not None:
            # A clock that was set back for a while must not make a session look old.
            used = "UPDATE session SET used_s = max(used_s, ?) WHERE id = ?"
            self._database.change(used, (now_s, session_id))
            return
        self._database.change(
            "DELETE FROM session WHERE used_s < ? OR id = ?", (now_s - self._lifetime_s, session_id)
        )
        self._database.change(
            "INSERT INTO session (id, principal, begun_s, used_s) VALUES (?, ?, ?, ?)",
            (session_id, principal, now_s, now_s),
        )

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Read without taking the write access; what is read in two steps may be apart."""
        with _translated():
            yield

    @contextmanager
    def _writing(self) -> Iterator[Database]:
        with _translated(), self._database.transaction() as database:
            yield database


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except StorageError as exc:
        raise SessionError(f"Sessions cannot be kept: {exc.message}", hint=exc.hint) from exc
