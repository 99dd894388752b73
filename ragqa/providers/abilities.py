"""What endpoints were found not to accept, remembered between runs.

Nothing is probed: the first real request is the probe. What it taught is forgotten after a week,
so that an upgraded server is noticed.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

FILE_NAME = "abilities.json"
REMEMBERED_S = 7 * 24 * 3600.0
"""How long a refusal is believed; asking again costs one refused request."""

Wall = Callable[[], float]


class AbilityStore(Protocol):
    """Remembers by endpoint which features of a request it refuses."""

    def refused(self, identity: str) -> frozenset[str]:
        """Return the features that this endpoint was found to refuse."""

    def remember(self, identity: str, refused: frozenset[str]) -> None:
        """Keep what this endpoint refuses; an empty set forgets it."""


class MemoryAbilityStore:
    """Remember for as long as the process lives."""

    def __init__(self) -> None:
        self._refused: dict[str, frozenset[str]] = {}

    def refused(self, identity: str) -> frozenset[str]:
        """Return the features that this endpoint was found to refuse."""
        return self._refused.get(identity, frozenset())

    def remember(self, identity: str, refused: frozenset[str]) -> None:
        """Keep what this endpoint refuses; an empty set forgets it."""
        self._refused[identity] = refused


class FileAbilityStore:
    """Remember in a JSON file of ragqa's home folder.

    The file is a convenience: one that cannot be read or written costs refused requests, never
    an answer.

    Args:
        home: The folder, made when there is something to keep.
        now: Seconds since the epoch.
    """

    def __init__(self, home: Path, now: Wall = time.time) -> None:
        self._path = home / FILE_NAME
        self._now = now

    def refused(self, identity: str) -> frozenset[str]:
        """Return the features that this endpoint was found to refuse."""
        names = self._fresh_entries().get(identity, {}).get("refuses")
        names = names if isinstance(names, list) else []
        return frozenset(name for name in names if isinstance(name, str))

    def remember(self, identity: str, refused: frozenset[str]) -> None:
        """Keep what this endpoint refuses; an empty set forgets it."""
        entries = self._fresh_entries()
        entries.pop(identity, None)
        if refused:
            entries[identity] = {"refuses": sorted(refused), "learned_at": int(self._now())}
        try:
            _replace(self._path, json.dumps(entries, indent=1, ensure_ascii=False))
        except OSError:
            return  # a read-only home: found out again next time

    def _fresh_entries(self) -> dict[str, dict[str, Any]]:
        try:
            entries = json.loads(self._path.read_bytes())
        except (OSError, ValueError):
            return {}
        oldest = self._now() - REMEMBERED_S
        kept = entries.items() if isinstance(entries, dict) else ()
        return {name: entry for name, entry in kept if _learned_at(entry) >= oldest}


def _learned_at(entry: Any) -> float:
    learned_at = entry.get("learned_at") if isinstance(entry, dict) else None
    return float(learned_at) if isinstance(learned_at, int | float) else float("-inf")


def _replace(path: Path, text: str) -> None:
    """Write a file whole or not at all: a reader sees the old or the new one."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
