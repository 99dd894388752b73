"""The file that ``--out`` names: what a run has done so far, so that the next one can go on."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from ragqa.errors import ConfigError


def check_name(name: str) -> None:
    """Refuse the sign for standard output, where nothing can be kept.

    Raises:
        ConfigError: If it is that sign.
    """
    if name == "-":
        raise ConfigError(
            "--out - is no file.",
            hint="Name a file, where a stopped run goes on; /dev/stdout only prints.",
        )


def append(file: BinaryIO, line: bytes, target: Path) -> None:
    """Write a line, and have it written at once.

    Raises:
        ConfigError: If it cannot be written.
    """
    try:
        file.write(line)
        file.flush()
    except OSError as exc:
        with suppress(OSError):  # it tries again to write what is left
            file.close()
        raise unwritable(target, exc) from None


def unwritable(target: Path, exc: OSError) -> ConfigError:
    """Return the error of a file that cannot be written."""
    hint = "What is in it is kept; the same command goes on from there."
    if not target.parent.exists():
        hint = "Make its folder first."
    return ConfigError(f"--out {str(target)!r} cannot be written: {exc.strerror}.", hint=hint)
