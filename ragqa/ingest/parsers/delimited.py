"""Tables in text files: csv, tsv and their relatives with semicolons or bars."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from itertools import islice

from ragqa.ingest.decode import decode_data
from ragqa.ingest.document import ParsedFile, Row, single
from ragqa.ingest.tables import Cells, looks_like_header, row_line, tidy

_DELIMITERS = ",;\t|"
_SNIFFED_ROWS = 50
_SNIFFED_CHARS = 100_000
_LONGEST_VALUE_CHARS = 200  # of what is kept as a column to filter by


def parse(data: bytes) -> ParsedFile:
    """Parse a table; every row becomes a line ``header: value; header: value``."""
    rows = read_rows(decode_data(data))
    top = _title_rows(rows)
    table = rows[top:]
    header = table[0] if table and looks_like_header(table[0], table[1:]) else None
    parts, starts, length = [], [], 0
    for at, cells in enumerate(rows):
        if header is None or at != top:
            named = header if at > top else None
            line = row_line(named, cells) + "\n"
            starts.append(Row(length, _columns(named, cells)))
            parts.append(line)
            length += len(line)
    return single("".join(parts), rows=starts)


def _title_rows(rows: Sequence[Cells]) -> int:
    """Return how many rows at the top are titles, a single cell over a wider table."""
    filled = [sum(1 for cell in row if cell) for row in rows[:_SNIFFED_ROWS]]
    return next((at for at, count in enumerate(filled) if count > 1), 0)


def read_rows(text: str) -> list[Cells]:
    """Return the rows of a table that are not blank, their cells tidied.

    The delimiter is the one that cuts the first rows most evenly. A quote that is never closed
    would swallow the rest of the table; then quotes are taken for what they are, inch marks.
    """
    first, _, rest = text.partition("\n")
    if first.startswith("sep=") and len(first.rstrip("\r")) == 5:  # as Excel writes it
        return _tidied(_read(rest, first[4]))
    head = text[:_SNIFFED_CHARS]
    delimiter = max(_DELIMITERS, key=lambda one: _evenness(head, one))
    return _tidied(_read(text, delimiter))


def _read(text: str, delimiter: str) -> Sequence[Cells]:
    before = csv.field_size_limit(max(len(text), 1))
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
        if rows and _is_unclosed(rows[-1], text):
            source = io.StringIO(text, newline="")
            rows = list(csv.reader(source, delimiter=delimiter, quoting=csv.QUOTE_NONE))
        return rows
    finally:
        csv.field_size_limit(before)


def _is_unclosed(last: Cells, text: str) -> bool:
    return bool(last) and "\n" in last[-1].strip() and not text.rstrip().endswith('"')


def _tidied(rows: Sequence[Cells]) -> list[Cells]:
    tidied = ([tidy(cell) for cell in row] for row in rows)
    return [row for row in tidied if any(row)]


def _evenness(text: str, delimiter: str) -> tuple[float, int]:
    """Return the share of rows that have as many cells as the first, and that number."""
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        widths = [len(row) for row in islice(reader, _SNIFFED_ROWS) if row]
    except csv.Error:
        return (0.0, 0)
    if not widths or widths[0] < 2:
        return (0.0, 1)
    return (widths.count(widths[0]) / len(widths), widths[0])


def _columns(header: Cells | None, cells: Cells) -> dict[str, str]:
    named = zip(header or (), cells, strict=False)
    return {
        name: cell for name, cell in named if name and cell and len(cell) <= _LONGEST_VALUE_CHARS
    }
