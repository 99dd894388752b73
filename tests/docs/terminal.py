"""Runs commands as a person sees them: on a terminal, or with their output in a pipe."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

TIMEOUT_S = 90
COLUMNS = 80
_HIDDEN = ("RAGQA_", "OPENAI_", "AZURE_", "LANGSMITH_", "LANGCHAIN_", "LC_", "MAKE", "PYTHON")


@dataclass(frozen=True, slots=True)
class Ran:
    """What a script printed and how it ended; on a terminal both streams are one."""

    code: int
    out: str
    err: str = ""


def environment(**more: str) -> dict[str, str]:
    """Return an environment without settings, in which this Python's programs come first."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_HIDDEN)}
    paths = [str(Path(sys.executable).parent), kept.get("PATH", os.defpath)]
    given = {"PATH": os.pathsep.join(paths), "LANG": "C.UTF-8", "NO_COLOR": "1"}
    return {**kept, **given, "COLUMNS": str(COLUMNS), **more}


def piped(script: str, folder: Path, env: dict[str, str]) -> Ran:
    """Run a shell script with its output in pipes."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=TIMEOUT_S,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def on_terminal(script: str, folder: Path, env: dict[str, str]) -> Ran:
    """Run a shell script on a terminal of its own."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    seen: list[bytes] = []
    reader = threading.Thread(target=_read_all, args=(ours, seen))
    reader.start()
    try:
        code = process.wait(TIMEOUT_S)
    finally:
        process.kill()
        reader.join(TIMEOUT_S)
        os.close(ours)
    return Ran(code, visible(b"".join(seen).decode()))


def _read_all(descriptor: int, seen: list[bytes]) -> None:
    try:
        while piece := os.read(descriptor, 65_536):
            seen.append(piece)
    except OSError:  # Linux says EIO when the last writer has gone
        return


def visible(printed: str) -> str:
    """Return what stands on the screen in the end: a bar that was drawn over is gone."""
    lines = printed.replace("\x1b[K", "").replace("\x1b[2K", "").split("\n")
    shown = [line.rstrip("\r").rpartition("\r")[2].rstrip() for line in lines]
    return "\n".join(shown)
