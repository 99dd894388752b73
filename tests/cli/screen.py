"""Run a command with a pseudo-terminal for its output, as a person sees it."""

import os
import pty
import select
import subprocess
import time

from tests.cli.conftest import command, environment

TIMEOUT_S = 60


def run_on_screen(shell, *args, stderr_too=True, **env):
    """Return the exit code and all that the terminal got."""
    outer, inner = pty.openpty()
    process = subprocess.Popen(
        command(*args),
        cwd=shell.folder,
        env=environment(TERM="xterm", COLUMNS="80", **env),
        stdin=subprocess.DEVNULL,
        stdout=inner,
        stderr=inner if stderr_too else subprocess.DEVNULL,
    )
    os.close(inner)
    try:
        shown = _read_all(outer, process)
    finally:
        os.close(outer)
        process.kill()
        process.wait(TIMEOUT_S)
    return process.returncode, shown.decode(errors="replace").replace("\r\n", "\n")


def _read_all(outer, process):
    shown, deadline_s = b"", time.monotonic() + TIMEOUT_S
    while time.monotonic() < deadline_s:
        ready, _, _ = select.select([outer], [], [], 0.1)
        if ready:
            try:
                piece = os.read(outer, 65536)
            except OSError:  # the other end is closed
                piece = b""
            if not piece:
                break
            shown += piece
        elif process.poll() is not None:
            break
    process.wait(TIMEOUT_S)
    return shown
