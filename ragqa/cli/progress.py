"""A progress bar on standard error, where a person watches it."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

from ragqa.cli import terminal

_BAR_COLUMNS = 24
_REDRAW_S = 0.1


class Bar:
    """Show how far long work is; without a terminal nothing is written.

    >>> with Bar() as bar:
    ...     bar.update(1, 20, "manual.pdf")
    """

    def __init__(self) -> None:
        self._active = terminal.is_terminal(sys.stderr)
        self._drawn_at_s = 0.0
        self._drawn = False

    def __enter__(self) -> Self:
        """Begin; the first update draws."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Wipe the bar, so that what follows stands on a line of its own."""
        if self._drawn:
            self._write("\r\x1b[K")

    def update(self, done: int, total: int, label: str = "") -> None:
        """Show that ``done`` of ``total`` are done."""
        now_s = time.monotonic()
        if not self._active or (now_s - self._drawn_at_s < _REDRAW_S and done < total):
            return
        self._drawn_at_s, self._drawn = now_s, True
        self._write(f"\r{bar_line(done, total, label, terminal.width())}\x1b[K")

    def _write(self, text: str) -> None:
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except (OSError, ValueError):
            self._active = False


def bar_line(done: int, total: int, label: str, width: int) -> str:
    """Return the bar's line, no wider than the terminal.

    >>> bar_line(1, 2, "a.md", 80)
    '[############............] 1/2 a.md'
    """
    from ragqa.cli.wrapping import columns

    filled = _BAR_COLUMNS * done // max(total, 1)
    line = f"[{'#' * filled}{'.' * (_BAR_COLUMNS - filled)}] {done}/{total} "
    for char in terminal.plain(label).replace("\n", " "):
        if columns(line + char) >= width:
            break
        line += char
    return line.rstrip()
