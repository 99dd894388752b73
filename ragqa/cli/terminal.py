"""The three standard streams: made safe at the start, written to in one place."""

from __future__ import annotations

import os
import sys
from errno import EBADF
from typing import Any, TextIO

_MAX_WIDTH = 100
_STYLES = {"bold": "1", "dim": "2", "warn": "33", "bad": "31", "good": "32"}


class OutputLostError(OSError):
    """Report that standard output is closed or full."""


def prepare() -> None:
    """Make the streams safe: no closed descriptor to be reused, no character that cannot be shown.

    With a closed standard output the next file that is opened would get its number, and what a
    library prints there would land in that file.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def write(text: str) -> None:
    """Write to standard output at once.

    Raises:
        BrokenPipeError: If the reader has gone.
        OutputLostError: If it is closed or full.
    """
    if sys.stdout is None:
        raise OutputLostError(EBADF, "it is closed")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as exc:
        raise OutputLostError(exc.errno, exc.strerror) from exc


def write_json(value: Any, *, indent: int | None = None) -> None:
    """Write one JSON value and a line break; escaped where the encoding cannot hold it."""
    import json

    text = json.dumps(value, ensure_ascii=False, indent=indent)
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value, ensure_ascii=True, indent=indent)
    write(text + "\n")


def say(text: str) -> None:
    """Tell the person something on standard error; nothing happens where it is closed."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(plain(text) + "\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        return


def is_terminal(stream: TextIO | None) -> bool:
    """Tell whether a person watches this stream."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


def for_people(*, as_json: bool) -> bool:
    """Tell whether output is text for a person: pipes and ``--json`` get JSON."""
    return not as_json and is_terminal(sys.stdout)


def width() -> int:
    """Return how many columns a line of text may take."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdigit() and int(columns) > 0:
        return max(20, min(int(columns), _MAX_WIDTH))
    try:
        return max(20, min(os.get_terminal_size(1).columns or 80, _MAX_WIDTH))
    except (OSError, ValueError):
        return 80


def styled(text: str, style: str) -> str:
    """Colour a text where a terminal shows it and nobody asked for none (no-color.org)."""
    if not is_terminal(sys.stdout) or os.environ.get("NO_COLOR") or _is_dumb():
        return text
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m"


def _is_dumb() -> bool:
    return os.environ.get("TERM", "") == "dumb"


def plain(text: str) -> str:
    """Return text that cannot steer a terminal: control characters of documents are shown."""
    if text.isprintable():
        return text
    return "".join(_UNSAFE if _steers(char) else char for char in text)


_UNSAFE = "\N{REPLACEMENT CHARACTER}"


def _steers(char: str) -> bool:
    """Tell whether a character moves the cursor, starts an escape or turns the direction."""
    code = ord(char)
    control = (code < 0x20 and char not in "\n\t") or 0x7F <= code < 0xA0
    return control or 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069
