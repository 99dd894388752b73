"""What gives the rows of tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from ragqa.contract import Caller

Rows = Sequence[Mapping[str, Any]]
ReadRows = Callable[[], Rows]
"""Reads the rows of one table when they are wanted."""


@runtime_checkable
class TableSource(Protocol):
    """Gives the tables that a caller may see, by title."""

    def tables(
        self, caller: Caller, conditions: Mapping[str, Any] | None = None
    ) -> Mapping[str, Rows | ReadRows]:
        """Return the tables; nothing of one that the caller may not see.

        Args:
            caller: Who computes.
            conditions: Metadata that a row or its document must have.
        """
