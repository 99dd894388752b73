"""Builds the text of a document whose file is not text itself: html and Word."""

from __future__ import annotations

import re

from ragqa.ingest.document import Heading

_RAISED = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
_EXPONENT = re.compile(r"\s*[+\-−]?[0-9]+(?:[,;\s]+[0-9]+)*\s*")


def raised(text: str, before: str) -> str:
    """Return superscript text; digits behind a digit stay told apart from its number.

    >>> raised("2", "10"), raised("1", "within 30"), raised("2", "m"), raised("th", "5")
    ('²', '¹', '2', 'th')
    """
    is_power = before[-1:].isdecimal() and _EXPONENT.fullmatch(text)
    return text.translate(_RAISED) if is_power else text


class TextBuilder:
    """Collects blocks of text, and knows where the headings among them stand."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._listing = False
        self.headings: list[Heading] = []

    def add(self, block: str, *, item: bool = False, number: int | None = None) -> None:
        """Append a paragraph, or an item of a list, which stands close to the one before.

        Args:
            block: Its text.
            item: Whether it is an item.
            number: Its number, in a list that has an order.
        """
        if not block.strip():
            return
        if self._parts:
            self._append("\n" if item and self._listing else "\n\n")
        mark = "- " if number is None else f"{number}. "
        self._append(f"{mark}{block}" if item else block)
        self._listing = item

    def heading(self, title: str, level: int) -> None:
        """Append a heading."""
        title = " ".join(title.split())
        if title:
            self.add(title)
            start = self._length - len(title)
            self.headings.append(Heading(start, self._length, level, title))

    @property
    def text(self) -> str:
        """Return all of it."""
        return "".join(self._parts)

    def _append(self, piece: str) -> None:
        self._parts.append(piece)
        self._length += len(piece)
