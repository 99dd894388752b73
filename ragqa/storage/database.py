"""A SQLite file, safe for threads, processes and forks.

One connection a process, one thread at a time; WAL, so that readers and a writer of other
processes do not wait for each other; write access is taken at the start of a transaction. Before a
fork the connection is closed: a child that inherits one holds no locks of its own, and loses what
it writes.

>>> from pathlib import Path
>>> from tempfile import TemporaryDirectory
>>> schema = ("CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT NOT NULL)",)
>>> with TemporaryDirectory() as folder, Database(Path(folder) / "notes.sqlite", schema) as notes:
...     with notes.transaction():
...         _ = notes.change("INSERT INTO note VALUES (?, ?)", ("a", "first"))
...     notes.rows("SELECT id, text FROM note")
[('a', 'first')]
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ragqa.errors import StorageError
from ragqa.storage.faults import busy, is_busy, translated
from ragqa.storage.forks import watched
from ragqa.storage.private import identity_of, make_private

if TYPE_CHECKING:
    import sqlite3  # loaded when a file is opened

Parameters = Sequence[Any] | Mapping[str, Any]

_RETRY_S = 0.02


class Database:
    """A SQLite file in WAL mode that belongs to its owner alone (mode 0600).

    All threads share one connection, one at a time; processes wait for each other's writes. The
    file is opened at its first use. After ``close``, and after a fault of the file, the next use
    opens it afresh. Before a fork the connection is closed, so that no child inherits it.

    Args:
        path: The file; its folder must exist.
        schema: SQL scripts, oldest first. Each brings the file from one version to the next; a
            released script never changes, a new one is appended.
        busy_timeout_s: How long to wait for other threads and processes.
        durable: Whether a commit outlives a power cut (slower: the disk is waited for), not only
            the end of the process.
    """

    def __init__(
        self,
        path: Path,
        schema: Sequence[str],
        *,
        busy_timeout_s: float = 10.0,
        durable: bool = False,
    ) -> None:
        self.path = path
        self._schema = tuple(schema)
        self._busy_timeout_s = busy_timeout_s
        self._durable = durable
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._identity: tuple[int, int] | None = None
        self._depth = 0
        watched().add(self)

    def rows(self, sql: str, parameters: Parameters = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a query.

        Raises:
            StorageBusyError: If others kept the file busy for too long.
            StorageError: If the file cannot be used; says why and what to do.
        """
        with self._using() as connection:
            return connection.execute(sql, parameters).fetchall()

    def row(self, sql: str, parameters: Parameters = ()) -> tuple[Any, ...] | None:
        """Return the first row of a query, or None; raises as :meth:`rows`."""
        return next(iter(self.rows(sql, parameters)), None)

    def change(self, sql: str, parameters: Parameters = ()) -> int:
        """Run one statement and return how many rows it changed; raises as :meth:`rows`.

        Outside a transaction it is committed at once.
        """
        with self._using() as connection:
            return connection.execute(sql, parameters).rowcount

    @contextmanager
    def transaction(self) -> Iterator[Self]:
        """Hold the only write access; leaving commits, an exception takes all back.

        It is taken at the start (BEGIN IMMEDIATE), so what is read inside stays true until the
        commit. One inside another is a part of it that is taken back alone. Other threads wait, so
        nothing slow (and no ``await``) belongs inside. Raises as :meth:`rows`.
        """
        with self._using() as connection:
            begin, commit, rollback = _statements(self._depth)
            owner = os.getpid()
            connection.execute(begin)
            self._depth += 1
            try:
                yield self
                if os.getpid() == owner:
                    connection.execute(commit)
            except BaseException:
                if os.getpid() == owner:
                    _undo(connection, rollback)
                raise
            finally:
                if os.getpid() == owner:
                    self._depth -= 1

    def close(self) -> None:
        """Close the file; a later use opens it again."""
        with self._locked():
            self._drop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        try:  # noqa: SIM105 -- at the interpreter's end even contextlib's names are gone
            self._drop()
        except Exception:  # noqa: S110
            pass

    @contextmanager
    def _locked(self) -> Iterator[None]:
        lock = self._lock  # a forked child gets another one
        if not lock.acquire(timeout=self._busy_timeout_s):
            raise busy(self.path)
        try:
            yield
        finally:
            with suppress(RuntimeError):
                lock.release()

    @contextmanager
    def _using(self) -> Iterator[sqlite3.Connection]:
        """Lend the connection to this thread; translate what SQLite raises."""
        import sqlite3

        with self._locked():
            try:
                if self._depth == 0 and self._connection is not None and self._is_replaced():
                    self._drop()
                if self._connection is None:
                    self._connection = self._opened()
                    self._identity = identity_of(self.path)
                yield self._connection
            except (sqlite3.ProgrammingError, sqlite3.IntegrityError):
                raise  # a fault of ours, or a constraint that the caller relies on
            except sqlite3.Error as exc:
                error = translated(exc, self.path)
                self._drop_faulty(error)
                raise error from exc
            except StorageError as error:
                self._drop_faulty(error)
                raise

    def _opened(self) -> sqlite3.Connection:
        """Open the file and bring it to the current version, waiting for whoever does the same."""
        import sqlite3

        make_private(self.path)
        give_up_s = time.monotonic() + self._busy_timeout_s
        while True:
            connection = sqlite3.connect(
                self.path,
                timeout=self._busy_timeout_s,
                isolation_level=None,
                check_same_thread=False,
            )
            try:
                self._prepare(connection)
                return connection
            except sqlite3.OperationalError as exc:
                connection.close()
                # SQLite does not wait where two open a new file at once: sqlite.org/wal.html
                # section 6 ("Sometimes Queries Return SQLITE_BUSY In WAL Mode").
                if not is_busy(exc) or time.monotonic() >= give_up_s:
                    raise
                time.sleep(_RETRY_S)
            except BaseException:
                connection.close()
                raise

    def _prepare(self, connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {'FULL' if self._durable else 'NORMAL'}")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")  # what is deleted is overwritten, too
        if self._version(connection) == len(self._schema):
            return
        connection.execute("BEGIN IMMEDIATE")
        version = self._version(connection)  # another process may have been faster
        if version > len(self._schema):
            raise StorageError(
                f"{self.path} was written by a newer version of ragqa.",
                hint="Update ragqa, or name another folder in RAGQA_HOME.",
            )
        for script in self._schema[version:]:
            for statement in _split(script):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(self._schema)}")
        connection.execute("COMMIT")

    @staticmethod
    def _version(connection: sqlite3.Connection) -> int:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])

    def _is_replaced(self) -> bool:
        """Tell whether the file was deleted or replaced; SQLite would go on with the old one."""
        return identity_of(self.path) != self._identity

    def _drop_faulty(self, error: StorageError) -> None:
        """Give up the connection, so that the next use finds a file that was mended meanwhile."""
        if self._depth == 0 and not error.retryable:
            self._drop()

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def before_fork(self) -> None:
        """Close the file, so that no child inherits the connection."""
        if self._lock.acquire(timeout=self._busy_timeout_s) and self._depth == 0:
            self._drop()

    def after_fork_in_parent(self) -> None:
        """Let other threads go on."""
        with suppress(RuntimeError):
            self._lock.release()

    def after_fork_in_child(self) -> None:
        """Begin anew: the lock may be held by a thread that the child does not have."""
        self._lock = threading.RLock()
        self._depth = 0
        if self._connection is not None:  # forked inside a transaction
            _inherited.append(self._connection)
            self._connection = None


_inherited: list[Any] = []
"""Connections of a parent process: even closing them here would harm it."""


def _statements(depth: int) -> tuple[str, str, tuple[str, ...]]:
    """Return how to begin, commit and take back a transaction inside ``depth`` others."""
    if depth == 0:
        return "BEGIN IMMEDIATE", "COMMIT", ("ROLLBACK",)
    name = f"inner_{depth}"
    return f"SAVEPOINT {name}", f"RELEASE {name}", (f"ROLLBACK TO {name}", f"RELEASE {name}")


def _undo(connection: sqlite3.Connection, rollback: Sequence[str]) -> None:
    """Take a transaction back, as far as SQLite has not done so itself."""
    import sqlite3

    for statement in rollback:
        with suppress(sqlite3.Error):
            connection.execute(statement)


def _split(script: str) -> Iterator[str]:
    """Yield the statements of a script; ``executescript`` would commit before it runs."""
    import sqlite3

    statement = ""
    for piece in script.split(";"):
        statement += f"{piece};"
        if sqlite3.complete_statement(statement):
            if statement.strip(" \n\t;"):
                yield statement
            statement = ""
