"""What indexing did, as text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ragqa.cli import terminal

if TYPE_CHECKING:
    from ragqa.ingest.report import IndexReport

_MAX_NAMED = 20


def report_text(report: IndexReport) -> str:
    """Return the report for a person: counts, and every file that was left out and why."""
    counts = ", ".join(
        f"{getattr(report, name)} {name}" for name in ("added", "updated", "unchanged", "removed")
    )
    head = "Nothing was changed (dry run); it would be: " if report.dry_run else "Indexed: "
    lines = [f"{head}{counts}.", f"The index holds {report.documents} documents."]
    lines += _skipped(report, every=True)
    if report.definition is not None:
        lines += ["A new index would be:", json.dumps(report.definition, indent=2)]
    return "\n".join(lines) + "\n"


def say_skipped(report: IndexReport) -> None:
    """Warn on standard error of files that were left out."""
    for line in _skipped(report, every=False):
        terminal.say(line)


def _skipped(report: IndexReport, *, every: bool) -> Iterator[str]:
    for file in report.skipped[: None if every else _MAX_NAMED]:
        hint = f" {file.hint}" if file.hint else ""
        yield terminal.plain(f"Skipped: {file.path} {file.reason}.{hint}")
    if not every and len(report.skipped) > _MAX_NAMED:
        yield f"and {len(report.skipped) - _MAX_NAMED} more; ragqa index lists them all."
