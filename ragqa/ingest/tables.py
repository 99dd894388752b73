"""Tables as text: every row a readable line of ``header: value``, so that it can be quoted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest

from ragqa.ingest.faq import asks

Cells = Sequence[str]

_NUMBER = re.compile(
    r"[-+±<>≤≥~≈]?\s*[€$£¥￥]?\s*\d[\d.,:/'\s-]*\s*(?:[%‰°€$£¥￥元]|[A-Za-z]{1,4}\b)?\.?"
)
_YEAR = re.compile(r"(?:19|20)\d\d(?:\s*年)?")
_VALUE = re.compile(
    r"https?://|[^\s@]+@[^\s@]+\.[a-z]+$|(?:true|false|yes|no|n/a|null|是|否)$", re.I
)
_LONGEST_NAME_CHARS = 60
_LONGEST_FIGURE_CHARS = 120  # a longer cell is prose


def tidy(cell: str) -> str:
    """Return a cell's text on one line."""
    return " ".join(cell.split())


def row_line(header: Cells | None, cells: Cells) -> str:
    """Return a row as ``header: value; header: value``, without its empty cells.

    A cell of prose stands on a line of its own, so that the others can be quoted without it, and
    so does a question, so that its answer can.

    >>> row_line(["model", "price"], ["L5", "39"])
    'model: L5; price: 39'
    """
    line, mark = "", ""
    for name, cell in zip_longest(header or (), cells, fillvalue=""):
        if cell:
            is_prose = len(cell) > _LONGEST_FIGURE_CHARS or asks(name)
            mark = "\n" if mark and is_prose else mark
            line += f"{mark}{name}: {cell}" if name else f"{mark}{cell}"
            mark = "\n" if is_prose else "; "
    return line


def table_lines(rows: Sequence[Cells], header_rows: int = 0) -> list[str]:
    """Return the rows of a table in a document as lines, one a row.

    Args:
        rows: Tidied cells.
        header_rows: How many rows at the top the document marks as header; 0 if none is marked.
    """
    rows = [row for row in rows if any(row)] if not header_rows else list(rows)
    if not header_rows and len(rows) > 1 and _has_unmarked_header(rows):
        header_rows = 1
    if header_rows >= len(rows):
        return [line for row in rows if (line := row_line(None, row))]
    if not header_rows and all(len(row) == 2 for row in rows):
        return [": ".join(cell.rstrip(":：") for cell in row if cell) for row in rows if any(row)]
    header = _joined(rows[:header_rows]) if header_rows else None
    return [line for row in rows[header_rows:] if (line := row_line(header, row))]


def looks_like_header(first: Cells, below: Sequence[Cells]) -> bool:
    """Tell whether the first row names the columns: short different names, none of them a value."""
    names = [name.casefold() for name in first if name]
    if not names or not below or len(set(names)) < len(names) or 2 * len(names) < len(first):
        return False
    years = [bool(_YEAR.fullmatch(name)) for name in names]
    if all(years):
        return False
    return not any(_is_value(name) for name, year in zip(names, years, strict=True) if not year)


def _is_value(text: str) -> bool:
    return (
        len(text) > _LONGEST_NAME_CHARS
        or _NUMBER.fullmatch(text) is not None
        or _VALUE.match(text) is not None
    )


def _has_unmarked_header(rows: Sequence[Cells]) -> bool:
    """Look for a header that nothing marks; two columns are more often names and values."""
    first, below = rows[0], rows[1:]
    if not looks_like_header(first, below) or len(first) < 2:
        return False
    if len(first) > 2:
        return True
    figures = sum(any(char.isdigit() for char in row[-1]) for row in below if row)
    return not any(char.isdigit() for char in first[-1]) and 2 * figures > len(below)


def _joined(header_rows: Sequence[Cells]) -> list[str]:
    """Join the names that stand above each other."""
    columns = zip_longest(*header_rows, fillvalue="")
    return [" ".join(dict.fromkeys(name for name in column if name)) for column in columns]
