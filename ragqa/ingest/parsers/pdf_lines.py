"""The lines of a PDF page: what stands in them, where, how large and how bold."""

from __future__ import annotations

import ctypes
import math
import re
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

_LINE = re.compile("([^\r\n\ufffe\x02]+)([\r\n\ufffe\x02]?)")
_HYPHENS = "\ufffe\x02"  # what PDFium puts for a hyphen at the end of a line, new and old
_DIVIDED = re.compile("[^\\W\\d_][-\u2010]$")
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
    wide = not text.isascii() and max(text) > "\uffff"
    lines: list[Line] = []
    for match in _LINE.finditer(text):
        raw = match.group(1)
        stripped = raw.strip()
        if not stripped.translate(_INVISIBLE).strip():
            continue
        first = match.start() + len(raw) - len(raw.lstrip())
        last = first + len(stripped) - 1
        if wide:
            first, last = _units(text, first), _units(text, last)
        letters = _Letters(textpage, first, last)
        hyphen = stripped.endswith("\u00ad") or match.group(2) in {*_HYPHENS}
        lines.append(letters.line(stripped.replace("\u00ad", "").translate(_INVISIBLE), hyphen))
    return [_divided(line, after) for line, after in zip_longest(lines, lines[1:])]


def _divided(line: Line, after: Line | None) -> Line:
    """Take the hyphen from a line that ends inside a word; it comes back where it belongs."""
    if after is None or _DIVIDED.search(line.text) is None or not after.text[0].islower():
        return line
    return replace(line, text=line.text[:-1], hyphenated=True)


def _units(text: str, at: int) -> int:
    """Return a position in UTF-16 units, in which PDFium counts."""
    return len(text[:at].encode("utf-16-le")) // 2


class _Letters:
    """The first and the last letter of a line, as PDFium describes them."""

    def __init__(self, textpage: Any, first: int, last: int) -> None:
        from pypdfium2 import raw

        self._raw = raw
        self._page = textpage
        self._first = raw.FPDFText_GetCharIndexFromTextIndex(textpage, first)
        self._last = raw.FPDFText_GetCharIndexFromTextIndex(textpage, last)

    def line(self, text: str, hyphenated: bool) -> Line:
        """Return the line that stands between them."""
        return Line(
            text=text,
            left=self._edge(self._first, 0),
            right=self._edge(self._last, 1),
            baseline=self._baseline(),
            size=self._size(),
            bold=self._is_bold(self._first) and self._is_bold(self._last),
            hyphenated=hyphenated,
        )

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

    def _baseline(self) -> float:
        x, y = ctypes.c_double(), ctypes.c_double()
        self._raw.FPDFText_GetCharOrigin(self._page, self._first, x, y)
        return y.value

    def _size(self) -> float:
        """Return the size as printed: many producers set size 1 and scale the text instead."""
        matrix = self._raw.FS_MATRIX()
        size = float(self._raw.FPDFText_GetFontSize(self._page, self._first))
        if self._raw.FPDFText_GetMatrix(self._page, self._first, matrix):
            size *= math.hypot(matrix.c, matrix.d) or 1.0
        return round(size, 1)
