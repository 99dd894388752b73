"""Words divided at the end of a line: which hyphen belongs to the word, and which does not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

from ragqa.ingest.parsers.pdf_lines import Line

_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*")
_LAST = re.compile(r"[^\W_]+(?:[-\u2010][^\W_]+)*$")
_FIRST = re.compile(r"[^\W_]+(?:[-\u2010][^\W_]+)*")
_CONJUNCTIONS = frozenset({"and", "or", "to", "und", "oder", "bis", "et", "ou", "y", "o", "e"})


class Words:
    """The words of a document, which tell how it writes a divided word elsewhere.

    Where a word stands nowhere else, the document's other line ends decide: some programs divide
    words, others break lines only at hyphens that are there anyway.

    Args:
        lines: All its lines.
    """

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines

    def joint(self, before: str, after: str) -> str:
        """Return what stands between the halves: a hyphen where it belongs to the word."""
        left, right = _LAST.search(before), _FIRST.match(after)
        if left is None or right is None:
            return ""
        if right.group() in _CONJUNCTIONS:  # "pre- and post-sales"
            return "- "
        belongs = self._seen_with_hyphen(left.group(), right.group())
        if belongs is None:
            belongs = self._looks_compound(left.group().lower(), right.group())
        return "-" if belongs else ""

    def _seen_with_hyphen(self, left: str, right: str) -> bool | None:
        joined, hyphened = (left + right).lower(), f"{left}-{right}".lower()
        if (joined in self._known) == (hyphened in self._known):
            return None
        return hyphened in self._known

    def _looks_compound(self, left: str, right: str) -> bool:
        if not right[0].islower() or "-" in left or "-" in right:
            return True
        if self._balance:
            return self._balance > 0
        return min(len(left), len(right)) > 2 and {left, right} <= self._known

    @cached_property
    def _known(self) -> frozenset[str]:
        known: set[str] = set()
        goes_on = False
        for line in self._lines:
            words = _WORD.findall(line.text.lower().replace("\u2010", "-"))
            known.update(words[goes_on : len(words) - line.hyphenated])  # halves are no words
            goes_on = line.hyphenated
        return frozenset(known)

    @cached_property
    def _balance(self) -> int:
        """Return how many more of the line ends that are certain keep their hyphen than lose it."""
        certain: Counter[bool | None] = Counter()
        for line, after in pairwise(self._lines):
            left, right = _LAST.search(line.text), _FIRST.match(after.text)
            if line.hyphenated and left and right:
                certain[self._seen_with_hyphen(left.group(), right.group())] += 1
        return certain[True] - certain[False]
