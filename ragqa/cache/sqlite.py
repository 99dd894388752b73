"""Kept answers in a SQLite file of the state folder."""

from __future__ import annotations

import time
from array import array
from collections.abc import Sequence

from ragqa.ports.reuse import KeptQuestion
from ragqa.storage import Database

SCHEMA = (
    """
    CREATE TABLE answer (key TEXT PRIMARY KEY, answer TEXT NOT NULL, until_s REAL NOT NULL);
    CREATE INDEX answer_until ON answer (until_s);
    CREATE TABLE question (
        scope TEXT NOT NULL, text TEXT NOT NULL, vector BLOB NOT NULL, key TEXT NOT NULL,
        until_s REAL NOT NULL, PRIMARY KEY (scope, text)
    );
    CREATE INDEX question_until ON question (until_s)
    """,
)
MAX_ANSWERS = 50_000
"""Beyond that, the answers that expire first are dropped: some 200 MB."""
MAX_QUESTIONS = 5_000
"""As many of a scope are compared."""
_SWEEP_EVERY = 200


class SqliteAnswers:
    """Answers in a SQLite file; safe for threads and processes.

    Args:
        database: The file, with ``SCHEMA``.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._puts = 0

    def get(self, key: str) -> str | None:
        """Return the answer's JSON; None where there is none, or it has expired."""
        row = self._database.row(
            "SELECT answer FROM answer WHERE key = ? AND until_s > ?", (key, time.time())
        )
        return None if row is None else str(row[0])

    def put(self, key: str, answer_json: str, lifetime_s: float) -> None:
        """Keep an answer for a time."""
        with self._database.transaction():
            self._database.change(
                "INSERT OR REPLACE INTO answer VALUES (?, ?, ?)",
                (key, answer_json, time.time() + lifetime_s),
            )
            if self._puts % _SWEEP_EVERY == 0:
                self._sweep()
            self._puts += 1

    def note(self, scope: str, question: KeptQuestion, lifetime_s: float) -> None:
        """Keep a question, so that it is found by its vector among those of its scope."""
        vector = array("f", question.vector).tobytes()
        self._database.change(
            "INSERT OR REPLACE INTO question VALUES (?, ?, ?, ?, ?)",
            (scope, question.text, vector, question.key, time.time() + lifetime_s),
        )

    def noted(self, scope: str) -> Sequence[KeptQuestion]:
        """Return the questions of a scope that have not expired, newest first."""
        rows = self._database.rows(
            "SELECT text, vector, key FROM question WHERE scope = ? AND until_s > ? "
            "ORDER BY until_s DESC LIMIT ?",
            (scope, time.time(), MAX_QUESTIONS),
        )
        return [KeptQuestion(text, array("f", vector), key) for text, vector, key in rows]

    def _sweep(self) -> None:
        now = (time.time(),)
        self._database.change("DELETE FROM answer WHERE until_s <= ?", now)
        self._database.change("DELETE FROM question WHERE until_s <= ?", now)
        self._database.change(
            "DELETE FROM answer WHERE key IN "
            "(SELECT key FROM answer ORDER BY until_s DESC LIMIT -1 OFFSET ?)",
            (MAX_ANSWERS,),
        )
