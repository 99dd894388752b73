"""The lines of a PDF page: what stands in them, where, how large and how bold."""

from __future__ import annotations

import ctypes
import math
import re
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

from ragqa.ingest.text_builder import raised

_LINE = re.compile("([^\r\n\ufffe\x02]+)([\r\n\ufffe\x02]?)")
_HYPHENS = "\ufffe\x02"  # what PDFium puts for a hyphen at the end of a line, new and old
_DIVIDED = re.compile("[^\\W\\d_][-\u2010]$")
_DIGITS = re.compile(r"[0-9]+ [0-9]{1,2}(?![0-9])|[0-9]{2,}")
_EXPONENT_SCALE = 0.85  # of the number's size, at most
_EXPONENT_RISE = 0.15  # of its size above its baseline, at least
_LEVEL = 0.05  # times the size: parts of one line
_BLANK = 0.12  # times the size; the blanks of fonts are 0.25 wide
_BOLD_WEIGHT = 600
_BOLD_NAME = re.compile(rb"bold|black|heavy", re.I)
_FONT_NAME_BYTES = 128
_INVISIBLE = dict.fromkeys({*range(0x20), 0x7F, 0x200B, 0x2060, 0xFEFF, 0xFFFE, 0xFFFF} - {*b"\t"})


@dataclass(frozen=True, slots=True)
class Line:
    """A line, in points from the lower left of its page.

    Attributes:
        text: Without blanks at its edges.
        left, right: Where it begins and ends.
        baseline: Height of the line on which its letters stand.
        size: Of its first letter.
        bold: Whether its first and last letters are bold.
        hyphenated: Whether its last word goes on in the next line.
    """

    text: str
    left: float
    right: float
    baseline: float
    size: float
    bold: bool
    hyphenated: bool = False


def read_lines(textpage: Any) -> list[Line]:
    """Return the lines of a page that are not blank, in PDFium's reading order."""
    text = textpage.get_text_range()
    letters = _Letters(textpage, text)
    lines: list[Line] = []
    for match in _LINE.finditer(text):
        raw = match.group(1)
        stripped = raw.strip()
        if not stripped.translate(_INVISIBLE).strip():
            continue
        first = match.start() + len(raw) - len(raw.lstrip())
        shown = letters.with_exponents(first, stripped).replace("\u00ad", "").translate(_INVISIBLE)
        hyphen = stripped.endswith("\u00ad") or match.group(2) in {*_HYPHENS}
        line = letters.line(first, first + len(stripped) - 1, shown, hyphen)
        if lines and (gap := _gap(lines[-1], line)) is not None:
            lines[-1] = _joined(lines[-1], line, gap)
        else:
            lines.append(line)
    return [_divided(line, after) for line, after in zip_longest(lines, lines[1:])]


def _gap(before: Line, line: Line) -> str | None:
    """Return what stands between two parts of one line, if they are; a ² makes PDFium cut it."""
    points = line.left - before.right
    level = abs(before.baseline - line.baseline) < _LEVEL * line.size
    if before.hyphenated or not level or not -0.5 < points < line.size:
        return None
    return " " if points > _BLANK * line.size else ""


def _joined(before: Line, line: Line, gap: str) -> Line:
    return replace(
        before,
        text=f"{before.text}{gap}{line.text}",
        right=line.right,
        bold=before.bold and line.bold,
        hyphenated=line.hyphenated,
    )


def _divided(line: Line, after: Line | None) -> Line:
    """Take the hyphen from a line that ends inside a word; it comes back where it belongs."""
    if after is None or _DIVIDED.search(line.text) is None or not after.text[0].islower():
        return line
    return replace(line, text=line.text[:-1], hyphenated=True)


class _Letters:
    """The letters of a page, as PDFium describes them.

    Args:
        textpage: Where they stand.
        text: All of them.
    """

    def __init__(self, textpage: Any, text: str) -> None:
        from pypdfium2 import raw

        self._raw = raw
        self._page = textpage
        self._text = text
        self._wide = not text.isascii() and max(text) > "\uffff"

    def line(self, first: int, last: int, text: str, hyphenated: bool) -> Line:
        """Return the line from one letter to another."""
        begin, end = self._index(first), self._index(last)
        return Line(
            text=text,
            left=self._edge(begin, 0),
            right=self._edge(end, 1),
            baseline=self._baseline(begin),
            size=self._size(begin),
            bold=self._is_bold(begin) and self._is_bold(end),
            hyphenated=hyphenated,
        )

    def with_exponents(self, first: int, text: str) -> str:
        """Return a line with small raised digits told apart from the number before them."""
        return _DIGITS.sub(lambda match: self._told_apart(first + match.start(), match[0]), text)

    def _told_apart(self, at: int, digits: str) -> str:
        number = self._index(at)
        size, baseline = self._size(number), self._baseline(number)

        def stands_above(place: int) -> bool:
            index = self._index(at + place)
            small = self._size(index) < _EXPONENT_SCALE * size
            return small and self._baseline(index) > baseline + _EXPONENT_RISE * size

        if not stands_above(len(digits) - 1):
            return digits
        begin = next(p for p, char in enumerate(digits) if char != " " and stands_above(p))
        return digits[:begin].rstrip() + raised(digits[begin:], digits[:begin].rstrip())

    def _index(self, at: int) -> int:
        """Return the number that PDFium gives a letter; it counts in UTF-16 units."""
        units = len(self._text[:at].encode("utf-16-le")) // 2 if self._wide else at
        return int(self._raw.FPDFText_GetCharIndexFromTextIndex(self._page, units))

    def _is_bold(self, at: int) -> bool:
        """Tell by the weight, or by the font's name where no weight is given."""
        weight = self._raw.FPDFText_GetFontWeight(self._page, at)
        if weight > 0:
            return bool(weight >= _BOLD_WEIGHT)
        name, flags = ctypes.create_string_buffer(_FONT_NAME_BYTES), ctypes.c_int()
        self._raw.FPDFText_GetFontInfo(self._page, at, name, _FONT_NAME_BYTES, flags)
        return _BOLD_NAME.search(name.value) is not None

    def _edge(self, at: int, side: int) -> float:
        box = [ctypes.c_double() for _ in range(4)]  # left, right, bottom, top
        self._raw.FPDFText_GetCharBox(self._page, at, *box)
        return box[side].value

    def _baseline(self, at: int) -> float:
        x, y = ctypes.c_double(), ctypes.c_double()
        self._raw.FPDFText_GetCharOrigin(self._page, at, x, y)
        return y.value

    def _size(self, at: int) -> float:
        """Return the size as printed: many producers set size 1 and scale the text instead."""
        matrix = self._raw.FS_MATRIX()
        size = float(self._raw.FPDFText_GetFontSize(self._page, at))
        if self._raw.FPDFText_GetMatrix(self._page, at, matrix):
            size *= math.hypot(matrix.c, matrix.d) or 1.0
        return round(size, 1)
