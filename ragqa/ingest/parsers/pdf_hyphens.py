"""Words divided at the end of a line: which hyphen belongs to the word, and which does not."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*")
_LAST = re.compile(r"[^\W_]+(?:[-\u2010][^\W_]+)*$")
_FIRST = re.compile(r"[^\W_]+(?:[-\u2010][^\W_]+)*")
_CONJUNCTIONS = frozenset({"and", "or", "to", "und", "oder", "bis", "et", "ou", "y", "o", "e"})


class Words:
    """The words of a document, which tell how it writes a divided word elsewhere.

    Args:
        lines: All its lines.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = list(lines)

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(
            word.lower().replace("\u2010", "-")
            for line in self._lines
            for word in _WORD.findall(line)
        )

    def joint(self, before: str, after: str) -> str:
        """Return what stands between the halves: a hyphen where it belongs to the word."""
        left, right = _LAST.search(before), _FIRST.match(after)
        if left is None or right is None:
            return ""
        if right.group() in _CONJUNCTIONS:  # "pre- and post-sales"
            return "- "
        return "-" if self._belongs(left.group().lower(), right.group()) else ""

    def _belongs(self, left: str, right: str) -> bool:
        joined, hyphened = left + right.lower(), f"{left}-{right.lower()}"
        if (joined in self._known) != (hyphened in self._known):
            return hyphened in self._known
        if not right[0].islower() or "-" in left:
            return True
        return min(len(left), len(right)) > 2 and {left, right.lower()} <= self._known
