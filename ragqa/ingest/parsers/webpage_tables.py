"""Tables of a web page: the ones that hold data, not the ones that lay out the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_LAYOUT = "h1,h2,h3,h4,h5,h6,pre,blockquote,form,hr,article,section,main,aside"
_MAX_SPAN = 100  # an attribute can claim any number


def is_data_table(table: LexborNode) -> bool:
    """Tell whether a table has rows of at least two cells, and no page inside its cells."""
    if table.attributes.get("role") == "presentation" or table.css_first(_LAYOUT) is not None:
        return False
    if len(table.css("table")) > 1:  # itself counts
        return False
    return any(len(_cells(row)) > 1 for row in table.css("tr"))


def data_rows(
    table: LexborNode, text_of: Callable[[LexborNode], str]
) -> tuple[str, list[list[str]], int]:
    """Return caption, rows and the number of header rows; a spanning cell fills all it spans.

    Args:
        table: A data table.
        text_of: Gives the text of a cell on one line.
    """
    caption = table.css_first("caption")
    rows: list[list[str]] = []
    header_rows = 0
    spans: dict[int, tuple[int, str]] = {}  # by column: rows still to fill, and with what
    for row in table.css("tr"):
        cells = _cells(row)
        if header_rows == len(rows) and cells and _is_header(row, cells):
            header_rows += 1
        rows.append(list(_spread(cells, spans, text_of)))
    return (text_of(caption) if caption is not None else ""), rows, header_rows


def _spread(
    cells: list[LexborNode],
    spans: dict[int, tuple[int, str]],
    text_of: Callable[[LexborNode], str],
) -> Iterator[str]:
    column = 0
    for cell in cells:
        yield from (filled := list(_from_above(spans, column)))
        column += len(filled)
        text = text_of(cell)
        for _ in range(_span(cell, "colspan")):
            if (below := _span(cell, "rowspan") - 1) > 0:
                spans[column] = (below, text)
            yield text
            column += 1
    yield from _from_above(spans, column)


def _from_above(spans: dict[int, tuple[int, str]], column: int) -> Iterator[str]:
    while column in spans:
        left, text = spans.pop(column)
        if left > 1:
            spans[column] = (left - 1, text)
        yield text
        column += 1


def _span(cell: LexborNode, attribute: str) -> int:
    value = cell.attributes.get(attribute) or "1"
    return min(max(int(value), 1), _MAX_SPAN) if value.isascii() and value.isdigit() else 1


def _cells(row: LexborNode) -> list[LexborNode]:
    cells, node = [], row.first_child
    while node is not None:
        if node.tag in {"td", "th"}:
            cells.append(node)
        node = node.next
    return cells


def _is_header(row: LexborNode, cells: list[LexborNode]) -> bool:
    in_head = row.parent is not None and row.parent.tag == "thead"
    return in_head or all(cell.tag == "th" for cell in cells)
