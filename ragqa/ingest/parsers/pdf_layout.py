"""Puts the lines of a PDF together again: paragraphs, list items, headings, hyphenated words.

A PDF knows letters and places only. Two lines are one paragraph where the first is full: where
the first word of the second would not have fitted into it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from ragqa.ingest.document import Heading
from ragqa.ingest.parsers.pdf_hyphens import Words
from ragqa.ingest.parsers.pdf_lines import Line

_ITEM = re.compile(
    r"(?:[•·‣▪◦●○■□▪➢✓*]|[-–—]\s|\d{1,3}[.)、．]\s?(?!\d)|[(（]\w{1,3}[)）]"
    r"|[一二三四五六七八九十]{1,3}[、．.]|[A-Za-z][.)]\s)"
)
_SENTENCE_END = re.compile(r"[.!?。！？；;:：][\"'”’」』）)\]]*$")
_FIGURE = re.compile(r"(?<!\S)[-+(]?[€$£¥]?\d[\d.,%]*\)?(?!\S)")
_NO_HEADING_END = re.compile(r"[.。;；,，]$")
_HAN = re.compile("[\u3000-\u303f\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")
_LETTERS = re.compile(r"[^\W\d_].*[^\W\d_]|[\u3400-\u9fff]")
_HEADING_SCALE = 1.15  # times the size of the body
_MAX_HEADING_CHARS = 120
_MAX_HEADING_LINES = 3
_SHORTEST_FULL_LINE = 12  # in letter heights; a shorter line is not one that was wrapped
_COLUMN_PT = 20  # lines that begin within this belong to one column


class Layout:
    """What is typical of a document, and how its pages read with that in mind.

    Args:
        pages: The lines of every page.
    """

    def __init__(self, pages: Sequence[Sequence[Line]]) -> None:
        lines = [line for page in pages for line in page]
        sizes: Counter[float] = Counter()
        for line in lines:
            sizes[line.size] += len(line.text)
        self._body = sizes.most_common(1)[0][0] if sizes else 0.0
        bold = sum(len(line.text) for line in lines if line.bold)
        self._bold_stands_out = bold < 0.4 * sum(sizes.values())
        self._words = Words(lines)
        styles = {self._style(line) for line in lines if self._stands_out(line)}
        self._levels = {style: at for at, style in enumerate(sorted(styles, reverse=True), start=1)}

    def compose(self, lines: Sequence[Line]) -> tuple[str, tuple[Heading, ...]]:
        """Return the text of a page and the headings in it."""
        page = _Page(lines)
        heads = self._headings(lines)
        parts: list[str] = []
        headings: list[Heading] = []
        length = start = 0
        for at, line in enumerate(lines):
            mark = self._mark(page, lines[at - 1], line, heads) if at else ""
            parts += [mark, line.text]
            if mark.startswith("\n"):
                start = length + len(mark)
            length += len(mark) + len(line.text)
            if id(line) in heads:
                title = "".join(parts)[start - length :]
                if headings and headings[-1].start == start:
                    headings.pop()
                headings.append(Heading(start, length, self._levels[self._style(line)], title))
        return "".join(parts), tuple(headings)

    def _mark(self, page: _Page, before: Line, line: Line, heads: set[int]) -> str:
        """Return what stands between two lines in the text."""
        if (id(before) in heads) != (id(line) in heads):
            return "\n\n"
        if id(line) in heads:
            return " " if self._style(before) == self._style(line) else "\n\n"
        if before.hyphenated:
            return self._words.joint(before.text, line.text)
        if _ITEM.match(line.text):
            return "\n"
        return page.mark(before, line)

    def _headings(self, lines: Sequence[Line]) -> set[int]:
        """Return the lines that are headings: few of one style, none of them a sentence."""
        heads: set[int] = set()
        for stands_out, run in groupby(
            lines, lambda line: self._stands_out(line) and self._style(line)
        ):
            if stands_out and _reads_as_heading(block := list(run)):
                heads.update(map(id, block))
        return heads

    def _stands_out(self, line: Line) -> bool:
        larger = line.size >= _HEADING_SCALE * self._body
        return larger or (line.bold and self._bold_stands_out and line.size >= 0.95 * self._body)

    def _style(self, line: Line) -> tuple[int, bool]:
        return round(line.size), line.bold and line.size < _HEADING_SCALE * self._body


class _Page:
    """The columns and the line spacing of a page."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._right: dict[tuple[int, int], float] = {}
        steps: Counter[int] = Counter()
        for at, line in enumerate(lines):
            column = (round(line.left / _COLUMN_PT), round(line.size))
            self._right[column] = max(self._right.get(column, 0.0), line.right)
            if at and abs(line.size - lines[at - 1].size) < 1:
                step = round(lines[at - 1].baseline - line.baseline)
                steps[step] += 0 < step < 3 * line.size
        self._step = next((step for step, count in steps.most_common() if count), 0)

    def mark(self, before: Line, line: Line) -> str:
        """Return what stands between two lines of running text."""
        differ = abs(before.size - line.size) > 0.1 * max(before.size, line.size)
        if differ or _is_row(before.text) or _is_row(line.text):
            return "\n\n"
        full = self._is_full(before, line)
        step = before.baseline - line.baseline
        tight = 0 < step <= 1.3 * (self._step or 1.2 * line.size)
        goes_on = not _SENTENCE_END.search(before.text) and _goes_on(line.text)
        indented = line.left > before.left + 0.8 * line.size and not _ITEM.match(before.text)
        if full and ((tight and not indented) or goes_on):
            return "" if _HAN.match(before.text[-1]) and _HAN.match(line.text[0]) else " "
        return "\n" if tight and goes_on else "\n\n"

    def _is_full(self, before: Line, line: Line) -> bool:
        column = round(before.left / _COLUMN_PT)
        right = max(
            self._right.get((near, round(before.size)), 0.0)
            for near in (column - 1, column, column + 1)
        )
        width = before.right - before.left
        if width < _SHORTEST_FULL_LINE * before.size:
            return False
        word = 1 if _HAN.match(line.text[0]) else len(line.text.split(maxsplit=1)[0]) + 1
        letter = width / len(before.text)
        return before.right + word * letter > right - letter


def _reads_as_heading(lines: Sequence[Line]) -> bool:
    text = " ".join(line.text for line in lines)
    return (
        len(lines) <= _MAX_HEADING_LINES
        and len(text) <= _MAX_HEADING_CHARS
        and not any(_NO_HEADING_END.search(line.text) for line in lines)
        and not text[0].islower()
        and not text.startswith("•")
        and _LETTERS.search(text) is not None
    )


def _is_row(text: str) -> bool:
    """Tell whether a line is a row of figures."""
    figures = len(_FIGURE.findall(text))
    return figures > 1 and 2 * figures >= text.count(" ") + 1


def _goes_on(text: str) -> bool:
    return text[0].islower() or _HAN.match(text[0]) is not None
