"""Whether a file of SQLite is whole."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from ragqa.storage.faults import damaged, translated


def read_through(path: Path) -> None:
    """Read all of a file, without changing it.

    Raises:
        StorageError: If it is damaged, or cannot be read.
    """
    import sqlite3

    address = f"{path.absolute().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True)) as connection:
            (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.Error as exc:
        raise translated(exc, path) from exc
    if found != "ok":
        raise damaged(path)
