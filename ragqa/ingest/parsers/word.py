"""docx: paragraphs and tables in the order of the document, with its headings."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ragqa.errors import RetrievalError
from ragqa.ingest.document import ParsedDocument, ParsedFile, TextPage
from ragqa.ingest.parsers.word_lists import ListNumbers, Place, is_item, place_of
from ragqa.ingest.parsers.word_text import Notes, blocks, cell_paragraphs, text_boxes, text_of
from ragqa.ingest.parsers.word_text import W as _W
from ragqa.ingest.tables import table_lines, tidy
from ragqa.ingest.text_builder import TextBuilder

if TYPE_CHECKING:
    from docx.document import Document

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")  # a stream's name in an OLE file
_MAX_UNPACKED_BYTES = 500 * 1024 * 1024
_MAX_ENTRIES = 10_000
_SAVE_AGAIN = "Open it in Word, save it as .docx again and index that."
_HEADING_NAME = re.compile(r"heading (\d)|title|标题\s*(\d)", re.I)


def parse(data: bytes) -> ParsedFile:
    """Parse a Word document."""
    document = _opened(data)
    builder = TextBuilder()
    styles, notes, numbers = _Styles(document), Notes(document), ListNumbers(document)
    for element in blocks(document.element.body):
        if element.tag == f"{_W}tbl":
            _add_table(builder, element, notes)
        else:
            _add_paragraph(builder, element, styles, notes, numbers)
    page = TextPage(builder.text, headings=tuple(builder.headings))
    return ParsedFile((ParsedDocument((page,)),))


def _opened(data: bytes) -> Document:
    import docx  # 150 ms with lxml

    if data.startswith(_OLE):
        if _ENCRYPTED in data:
            raise RetrievalError(
                "is locked with a password", hint="Save it without the password and index that."
            )
        raise RetrievalError("is a Word document of the old kind (.doc)", hint=_SAVE_AGAIN)
    try:
        _check_size(data)
        return docx.Document(io.BytesIO(data))
    except RetrievalError:
        raise
    except Exception as exc:  # zipfile, lxml and python-docx each have their own
        raise RetrievalError("is broken or no Word document", hint=_SAVE_AGAIN) from exc


def _check_size(data: bytes) -> None:
    """Refuse a file that would fill the memory; zipfile never unpacks more than is declared."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        unpacked = sum(entry.file_size for entry in entries)
    if unpacked > _MAX_UNPACKED_BYTES or len(entries) > _MAX_ENTRIES:
        raise RetrievalError(
            f"unpacks to {unpacked // 2**20:,} MB, more than a document holds",
            hint="Remove its images, or save it as plain text.",
        )


def _add_paragraph(
    builder: TextBuilder, paragraph: Any, styles: _Styles, notes: Notes, numbers: ListNumbers
) -> None:
    text = text_of(paragraph).strip()
    level, place = styles.level_and_place(paragraph)
    if level is not None:
        builder.heading(text, level)
    elif text:
        number = numbers.next(place) if place else None
        builder.add(text, item=place is not None, number=number)
    for note in notes.of(paragraph):
        builder.add(note)
    for box in text_boxes(paragraph):
        for inner in blocks(box):
            builder.add(text_of(inner).strip())


def _add_table(builder: TextBuilder, table: Any, notes: Notes) -> None:
    rows: list[list[str]] = []
    header_rows = 0
    for row in table.iter(f"{_W}tr"):
        if next(row.iterancestors(f"{_W}tbl")) is table:
            if header_rows == len(rows) and row.find(f"{_W}trPr/{_W}tblHeader") is not None:
                header_rows += 1
            rows.append(list(_cells(row, rows[-1] if rows else [], notes)))
    for line in table_lines(rows, header_rows):
        builder.add(line)


def _cells(row: Any, above: list[str], notes: Notes) -> Iterator[str]:
    """Yield a row's cells; a merged one fills all the columns and rows that it covers."""
    column = _number(row.find(f"{_W}trPr/{_W}gridBefore"), 0)
    yield from [""] * column
    for cell in row.iter(f"{_W}tc"):
        if next(cell.iterancestors(f"{_W}tr")) is not row:
            continue  # of a table inside a cell, whose text belongs to that cell
        merged = cell.find(f"{_W}tcPr/{_W}vMerge")
        continued = merged is not None and merged.get(f"{_W}val", "continue") == "continue"
        if continued and column < len(above):
            text = above[column]
        else:
            parts = (text_of(part) for part in cell_paragraphs(cell))
            text = tidy(" ".join((*parts, *notes.of(cell))))
        for _ in range(max(_number(cell.find(f"{_W}tcPr/{_W}gridSpan"), 1), 1)):
            yield text
            column += 1


def _number(element: Any, default: int) -> int:
    """Return the number that an element of a layout gives, if it gives one."""
    value = element.get(f"{_W}val", "") if element is not None else ""
    return min(int(value), 100) if value.isascii() and value.isdigit() else default


class _Styles:
    """Tells headings and list items by their own properties, or by those of their style."""

    def __init__(self, document: Document) -> None:
        self._styles = {style.style_id: style for style in document.styles}
        self._known: dict[str, tuple[int | None, Place | None]] = {}

    def level_and_place(self, paragraph: Any) -> tuple[int | None, Place | None]:
        """Return a heading's level (0 for the title, else ``None``), and its place in a list."""
        properties = paragraph.find(f"{_W}pPr")
        if properties is None:
            return None, None
        style = properties.find(f"{_W}pStyle")
        level, place = self._of(style.get(f"{_W}val", "")) if style is not None else (None, None)
        outline = _outline_level(properties)
        place = place_of(properties, place)
        return (level if outline is None else outline), place if is_item(place) else None

    def _of(self, style_id: str) -> tuple[int | None, Place | None]:
        if style_id not in self._known:
            chain = list(self._chain(style_id))
            levels = (_style_level(style) for style in chain)
            level = next((level for level in levels if level is not None), None)
            self._known[style_id] = level, next(filter(None, map(_place_of_style, chain)), None)
        return self._known[style_id]

    def _chain(self, style_id: str) -> Iterator[Any]:
        seen: set[str] = set()
        while style_id in self._styles and style_id not in seen:
            seen.add(style_id)
            style = self._styles[style_id]
            yield style
            based_on = style.element.find(f"{_W}basedOn")
            style_id = based_on.get(f"{_W}val", "") if based_on is not None else ""


def _style_level(style: Any) -> int | None:
    if match := _HEADING_NAME.fullmatch(style.name or ""):
        return int(match.group(1) or match.group(2) or 0)
    properties = style.element.find(f"{_W}pPr")
    return None if properties is None else _outline_level(properties)


def _place_of_style(style: Any) -> Place | None:
    properties = style.element.find(f"{_W}pPr")
    return None if properties is None else place_of(properties)


def _outline_level(properties: Any) -> int | None:
    level = _number(properties.find(f"{_W}outlineLvl"), 9)
    return level + 1 if level < 9 else None  # 9 is body text
