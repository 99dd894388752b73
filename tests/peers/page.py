"""Put a measured table into a page of the documentation, between its marks."""

from __future__ import annotations

import platform
import re
from datetime import UTC, datetime
from pathlib import Path


def put(page: Path, name: str, table: str) -> None:
    """Replace what stands between ``<!-- NAME -->`` and ``<!-- /NAME -->``.

    Raises:
        ValueError: If the page has no such marks.
    """
    text = page.read_text(encoding="utf-8")
    marks = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
    held = f"{measured_on()}\n\n{table.rstrip()}\n"
    changed, count = marks.subn(lambda found: f"{found[1]}{held}{found[2]}", text)
    if count != 1:
        raise ValueError(f"{page} has no marks for {name!r}")
    page.write_text(changed, encoding="utf-8")


def measured_on() -> str:
    """Say on what machine and when, so that nobody takes a figure for a promise."""
    import os

    day = datetime.now(UTC).strftime("%Y-%m-%d")
    return (
        f"Measured on {day}: {os.cpu_count()} shared cores, {platform.machine()}, "
        f"{platform.system()}, Python {platform.python_version()}."
    )
