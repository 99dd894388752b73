"""Turns what tantivy and the file system report into RetrievalErrors that say what to do."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from json import JSONDecodeError
from pathlib import Path

from ragqa.errors import RetrievalError

INDEX_COMMAND = "ragqa index PATH"

_LOCKED = "LockBusy"
_NO_SPACE = ("No space left", "os error 28", "quota exceeded", "os error 122", "File too large")
_KILLED = "index writer was killed"  # by an error while it wrote in the background, not told which
_NOT_ALLOWED = ("Permission denied", "Read-only file system", "Not a directory", "os error 13")
_TOO_MANY = ("Too many open files",)
_BROKEN = ("corrupt", "No such file", "DoesNotExist", "does not exist", "Incompatible", "Schema")


@contextmanager
def translated(folder: Path, doing: str) -> Iterator[None]:
    """Turn foreign errors into a RetrievalError.

    tantivy raises ValueError for nearly everything, and pyo3 turns a Rust panic (met on damaged
    files) into a PanicException, which is no Exception.

    Args:
        folder: Where the index lies.
        doing: What was under way: ``read``, ``search`` or ``write``.

    Raises:
        RetrievalError: In place of what tantivy or the operating system raised.
    """
    try:
        yield
    except (ValueError, OSError) as exc:
        raise translate(folder, doing, exc) from exc
    except BaseException as exc:
        if type(exc).__name__ != "PanicException":
            raise
        raise damaged(folder) from exc


def translate(folder: Path, doing: str, exc: BaseException) -> RetrievalError:
    """Return the RetrievalError for what tantivy or the operating system raised."""
    said = str(exc)
    if any(sign in said for sign in _NO_SPACE):
        return RetrievalError(
            f"The disk is full: the index in {folder} could not be written.",
            hint=f"The index is as it was before. Make room, then run again: {INDEX_COMMAND}",
        )
    if _KILLED in said:
        free_mb = _free_bytes(folder) // 1_000_000
        return RetrievalError(
            f"The index in {folder} could not be written, most likely because the disk is full "
            f"({free_mb} MB are free).",
            hint=f"The index is as it was before. Make room, then run again: {INDEX_COMMAND}",
        )
    if any(sign in said for sign in _NOT_ALLOWED) or isinstance(exc, PermissionError):
        return RetrievalError(
            f"The index in {folder} could not be opened to {doing}: access is denied.",
            hint="Give this user the right to write there, or set RAGQA_HOME to another folder.",
        )
    if any(sign in said for sign in _TOO_MANY):
        return RetrievalError(
            f"The index in {folder} could not be opened: too many files are open.",
            hint="Raise the limit (ulimit -n) and try again.",
        )
    if isinstance(exc, UnicodeError | JSONDecodeError) or any(sign in said for sign in _BROKEN):
        return damaged(folder)
    return RetrievalError(
        f"The index in {folder} could not be opened to {doing}: {said[:200] or type(exc).__name__}",
        hint=f"Try again; if it stays so, delete {folder} and run: {INDEX_COMMAND}",
    )


def _free_bytes(folder: Path) -> int:
    return shutil.disk_usage(folder).free if folder.exists() else 0


def is_locked(exc: BaseException) -> bool:
    """Tell whether tantivy refused a writer because there is another one."""
    return _LOCKED in str(exc)


def is_denied(exc: BaseException) -> bool:
    """Tell whether tantivy could not write where it has to lock."""
    return any(sign in str(exc) for sign in _NOT_ALLOWED)


class DamagedIndexError(RetrievalError):
    """Report an index whose files are broken."""


def damaged(folder: Path) -> DamagedIndexError:
    """Return the error for an index whose files are broken."""
    return DamagedIndexError(
        f"The index in {folder} is damaged.",
        hint=f"Make it anew with: {INDEX_COMMAND} "
        f"(where that does not help, delete {folder} before)",
    )
