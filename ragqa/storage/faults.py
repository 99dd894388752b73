"""What a fault of SQLite means, and what to do about it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ragqa.errors import StorageBusyError, StorageError

if TYPE_CHECKING:
    import sqlite3


def busy(path: Path) -> StorageBusyError:
    """Return the error of a file that others keep busy."""
    return StorageBusyError(
        f"{path} is kept busy by another thread or process.", hint="Try again in a moment."
    )


def is_busy(exc: sqlite3.Error) -> bool:
    """Tell whether waiting may help."""
    return _name(exc).startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))


def _name(exc: sqlite3.Error) -> str:
    return str(getattr(exc, "sqlite_errorname", ""))


_DAMAGED = (
    ("SQLITE_CORRUPT", "SQLITE_NOTADB"),
    "is damaged, or no database of ragqa",
    "Move it away (with its -wal and -shm files); a new one is begun.",
)
_FAULTS = (
    _DAMAGED,
    (
        ("SQLITE_FULL",),
        "cannot grow: the disk is full",
        "Make room on it; nothing that was kept before is lost.",
    ),
    (
        ("SQLITE_READONLY", "SQLITE_PERM", "SQLITE_AUTH"),
        "cannot be written to",
        "Allow writing to it and its folder, or name another folder in RAGQA_HOME.",
    ),
    (
        ("SQLITE_CANTOPEN",),
        "cannot be opened",
        "Name a folder that exists and that you may write to in RAGQA_HOME.",
    ),
    (
        ("SQLITE_IOERR",),
        "cannot be read or written by the system",
        "Look whether the disk is full, failing, or limits the size of files.",
    ),
)


def damaged(path: Path) -> StorageError:
    """Return the error for a file that is not what SQLite wrote."""
    _, what, hint = _DAMAGED
    return StorageError(f"{path} {what}.", hint=hint)


def translated(exc: sqlite3.Error, path: Path) -> StorageError:
    """Say what a fault of SQLite means and what to do about it."""
    if is_busy(exc):
        return busy(path)
    name = _name(exc)
    for prefixes, what, hint in _FAULTS:
        if name.startswith(prefixes):
            return StorageError(f"{path} {what}.", hint=hint)
    return StorageError(
        f"{path} cannot be used: {exc}.", hint="Move it away if it is not a file of ragqa."
    )
