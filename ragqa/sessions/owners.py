"""Which process holds a session, and whether it still lives.

Times are those of ``time.monotonic``: all processes of a boot share them, and no change of the
clock moves them.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

MAX_HOLD_S = 3600.0
"""The longest that a living process may hold a session: a stream that nobody reads any more."""


@dataclass(frozen=True, slots=True)
class Owner:
    """A process.

    Attributes:
        machine: The boot of the machine, and the space in which process ids count.
        pid: Its id.
        started: When it was started, in the kernel's ticks; empty where that is unknown.
    """

    machine: str
    pid: int
    started: str

    def may_hold(self, until_s: float) -> bool:
        """Tell whether it may still be at work with what it holds until then."""
        if time.monotonic() >= until_s:
            return False
        here = _machine()
        if self.machine.split()[:1] != here.split()[:1]:
            return False  # before the last boot
        if self.machine != here:
            return True  # another container of this machine: its processes cannot be seen
        return _lives(self.pid) and _started(self.pid) == self.started


def this_process() -> Owner:
    """Return the process that runs this."""
    return Owner(_machine(), os.getpid(), _started(os.getpid()))


@cache
def _machine() -> str:
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:  # no Linux
        return "one"


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OSError):
        return True
    return True


def _started(pid: int) -> str:
    """Return field 22 of the process's status, man 5 proc_pid_stat; a zombie has no start."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    fields = stat.rpartition(")")[2].split()
    return "" if fields[0] in "ZX" else fields[19]
