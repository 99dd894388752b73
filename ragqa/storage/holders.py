"""Tell a process that still runs from one that was killed.

A process that holds something writes its holder's name beside it. The name is that of a file which
the process keeps locked; the system takes the lock away when the process ends, however it ends.
Process ids alone would not do: they are used again, and differ between containers.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from threading import Lock

from ragqa.errors import StorageError
from ragqa.storage.forks import watched

_SUFFIX = ".held"


class Holder:
    """This process, under a name by which others can tell whether it is still alive.

    Args:
        folder: Where the locked files lie; made at the first use.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._name: str | None = None
        self._descriptor: int | None = None
        self._lock = Lock()
        watched().add(self)

    def name(self) -> str:
        """Return the name of this process; another one after a fork.

        Raises:
            StorageError: If the file cannot be made.
        """
        with self._lock:
            if self._name is None:
                self._name = self._taken(f"{os.getpid()}-{os.urandom(6).hex()}")
            return self._name

    def _taken(self, name: str) -> str:
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            path = self._folder / f"{name}{_SUFFIX}"
            self._descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
            _lock(self._descriptor)
        except OSError as exc:
            raise StorageError(
                f"{self._folder} cannot be used: {exc.strerror}.",
                hint="Name a folder that you may write to in RAGQA_HOME.",
            ) from exc
        return name

    def is_own(self, name: str) -> bool:
        """Tell whether it is the name of this process."""
        return name == self._name

    def is_alive(self, name: str) -> bool:
        """Tell whether the process of that name still runs; remove what a dead one left."""
        if name == self._name:
            return True
        path = self._folder / f"{name}{_SUFFIX}"
        try:
            descriptor = os.open(path, os.O_RDWR)
        except FileNotFoundError:
            return False
        except OSError:
            return True  # somebody else's: in doubt it runs
        try:
            _lock(descriptor)
        except OSError:
            return True
        finally:
            os.close(descriptor)
        with suppress(OSError):
            path.unlink()
        return False

    def close(self) -> None:
        """Let go: what this process holds may be taken over."""
        if self._descriptor is not None and self._name is not None:
            with suppress(OSError):
                (self._folder / f"{self._name}{_SUFFIX}").unlink()
        self._release()

    def before_fork(self) -> None:
        """Nothing to do: the lock stays with the parent as long as the child lets go of it."""

    def after_fork_in_parent(self) -> None:
        """Nothing to do."""

    def after_fork_in_child(self) -> None:
        """Be another process: holding on would keep the parent alive after its death."""
        self._lock = Lock()
        self._release()

    def _release(self) -> None:
        descriptor, self._descriptor, self._name = self._descriptor, None, None
        if descriptor is not None:
            with suppress(OSError):
                os.close(descriptor)

    def __del__(self) -> None:
        with suppress(Exception):
            self.close()


def _lock(descriptor: int) -> None:
    """Lock a file or raise OSError; on Windows its first byte."""
    try:
        import fcntl
    except ModuleNotFoundError:
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        return
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
