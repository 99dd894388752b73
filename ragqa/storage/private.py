"""The file of a database, beside SQLite: made for its owner alone, and told from another one."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from ragqa.errors import StorageError


def make_private(path: Path) -> None:
    """Make sure that the file exists for its owner alone; SQLite gives its side files that mode.

    The file of an open database must not be opened and closed beside SQLite, or its locks are lost:
    sqlite.org/howtocorrupt.html, section 2.2.
    """
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        with suppress(OSError):
            if path.stat().st_mode & 0o077:
                path.chmod(0o600)
    except OSError as exc:
        raise StorageError(
            f"{path} cannot be made: {exc.strerror}.",
            hint="Name a folder that you may write to in RAGQA_HOME.",
        ) from exc


def identity_of(path: Path) -> tuple[int, int] | None:
    """Return what tells a file from another one of the same name; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
