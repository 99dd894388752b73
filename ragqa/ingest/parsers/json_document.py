"""json: a list of documents, a list of records, or any other tree as readable lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragqa.errors import RetrievalError
from ragqa.ingest.decode import decode_data
from ragqa.ingest.document import ParsedFile, Row, single
from ragqa.ingest.parsers import records
from ragqa.ingest.parsers.json_tree import columns, is_record, loads, readable_lines, record_line


def parse(data: bytes) -> ParsedFile:
    """Parse a json file; an object a line is as good as a list of them."""
    value = _value(decode_data(data))
    if isinstance(value, list) and value:
        if all(isinstance(item, dict) and isinstance(item.get("text"), str) for item in value):
            return records.parsed(list(enumerate(value, start=1)), [], unit="record")
        if all(map(is_record, value)):
            return _table(value)
    return single("\n\n".join(readable_lines(value)))


def _value(text: str) -> Any:
    try:
        return loads(text)
    except ValueError as exc:
        values = _values_by_line(text)
        if values is None:
            raise RetrievalError(str(exc), hint="Correct the file and index it again.") from exc
        return values


def _values_by_line(text: str) -> list[Any] | None:
    lines = [line for line in text.split("\n") if line.strip()]
    try:
        values = [loads(line) for line in lines]
    except ValueError:
        return None
    return values if values and all(isinstance(value, dict) for value in values) else None


def _table(items: Sequence[dict[str, Any]]) -> ParsedFile:
    parts, rows, length = [], [], 0
    for item in items:
        if line := record_line(item):
            rows.append(Row(length, columns(item)))
            parts.append(line + "\n")
            length += len(line) + 1
    return single("".join(parts), rows=rows)
