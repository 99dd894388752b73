"""Where buckets are kept for the processes of one machine: SQLite in the state folder."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Protocol

from ragqa.limits.pace import Bucket, after, turn_s
from ragqa.storage import Database

SCHEMA = (
    """
    CREATE TABLE bucket (name TEXT PRIMARY KEY, full_s REAL NOT NULL, written_s REAL NOT NULL);
    CREATE TABLE spent (
        purse TEXT PRIMARY KEY, tokens INTEGER NOT NULL, cost REAL NOT NULL, until_s REAL NOT NULL
    )
    """,
)

Takes = Sequence[tuple[Bucket, float]]


class BucketStore(Protocol):
    """Keeps buckets; safe for threads and processes."""

    def take(self, takes: Takes, within_s: float) -> tuple[bool, float]:
        """Take a request's place, unless its turn comes later than within that time.

        Returns:
            Whether the place was taken, and the seconds until its turn.
        """


class SqliteBuckets:
    """Buckets in a SQLite file.

    Args:
        database: The file.
        now: Seconds since the epoch: the one clock that all processes share.
    """

    def __init__(self, database: Database, now: Callable[[], float] = time.time) -> None:
        self._database = database
        self._now = now

    def take(self, takes: Takes, within_s: float) -> tuple[bool, float]:
        """Take a request's place, unless its turn comes later than within that time."""
        with self._database.transaction():
            now_s = self._now()
            full_s = [self._full_s(bucket, now_s) for bucket, _ in takes]
            start_s = turn_s(now_s, full_s, takes)
            if start_s - now_s > within_s:
                return False, start_s - now_s
            for full, (bucket, amount) in zip(full_s, takes, strict=True):
                self._database.change(
                    "INSERT OR REPLACE INTO bucket VALUES (?, ?, ?)",
                    (bucket.name, after(start_s, full, bucket, amount), now_s),
                )
            return True, start_s - now_s

    def _full_s(self, bucket: Bucket, now_s: float) -> float:
        row = self._database.row(
            "SELECT full_s, written_s FROM bucket WHERE name = ?", (bucket.name,)
        )
        if row is None:
            return now_s
        full_s, written_s = row
        # A clock that was set back would else hold everything up until it catches up.
        return float(full_s - max(0.0, written_s - now_s))
