"""Builds the text of a document whose file is not text itself: html and Word."""

from __future__ import annotations

from ragqa.ingest.document import Heading


class TextBuilder:
    """Collects blocks of text, and knows where the headings among them stand."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._listing = False
        self.headings: list[Heading] = []

    def add(self, block: str, *, item: bool = False) -> None:
        """Append a paragraph, or an item of a list, which stands close to the one before."""
        if not block.strip():
            return
        if self._parts:
            self._append("\n" if item and self._listing else "\n\n")
        self._append(f"- {block}" if item else block)
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
