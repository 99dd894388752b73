"""Tables in text files: csv, tsv and their relatives with semicolons or bars."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
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
    """Return how many rows at the top are titles: a single cell, and all above the full width."""
    head = rows[:_SNIFFED_ROWS]
    wide = [len(row) if sum(map(bool, row)) > 1 else 0 for row in head]
    if not any(wide) or wide[0]:
        return 0
    usual = max(filter(None, wide), key=wide.count)
    return next(at for at, width in enumerate(wide) if width >= usual)


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
        rows = list(_reader(text, delimiter))
        if rows and _is_unclosed(rows[-1], text):
            source = io.StringIO(text, newline="")
            rows = list(csv.reader(source, delimiter=delimiter, quoting=csv.QUOTE_NONE))
        return rows
    finally:
        csv.field_size_limit(before)


def _reader(text: str, delimiter: str) -> Iterator[list[str]]:
    """Read rows; a quote may stand behind a blank, as people write tables by hand."""
    source = io.StringIO(text, newline="")
    return csv.reader(source, delimiter=delimiter, skipinitialspace=True)


def _is_unclosed(last: Cells, text: str) -> bool:
    return bool(last) and "\n" in last[-1].strip() and not text.rstrip().endswith('"')


def _tidied(rows: Sequence[Cells]) -> list[Cells]:
    tidied = ([tidy(cell) for cell in row] for row in rows)
    return [row for row in tidied if any(row)]


def _evenness(text: str, delimiter: str) -> tuple[float, int]:
    """Return the share of rows that have as many cells as the first wider one, and that number."""
    try:
        rows = islice(_reader(text, delimiter), _SNIFFED_ROWS)
        widths = [len(row) for row in rows if any(map(str.strip, row))]
    except csv.Error:
        return (0.0, 0)
    width = next((width for width in widths if width > 1), 1)  # titles stand above a table
    return (widths.count(width) / len(widths), width) if width > 1 else (0.0, 1)


def _columns(header: Cells | None, cells: Cells) -> dict[str, str]:
    named = zip(header or (), cells, strict=False)
    return {
        name: cell for name, cell in named if name and cell and len(cell) <= _LONGEST_VALUE_CHARS
    }
