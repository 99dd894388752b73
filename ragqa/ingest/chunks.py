"""Documents to chunks, ready for an index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ragqa.contract import EVERYONE
from ragqa.ingest.document import ParsedDocument, ParsedFile, TextPage
from ragqa.ingest.split import CHUNK_SIZES, PAGE_SIZES, Piece, split, split_rows
from ragqa.ports import Chunk


def chunks_of(file: ParsedFile, *, path: str, groups: tuple[str, ...] = (EVERYONE,)) -> list[Chunk]:
    """Return the chunks of all documents of a file.

    Args:
        file: What parsing it gave.
        path: Names it in the index; a record without an id is named ``path#line``.
        groups: Who may see documents that do not say it themselves.
    """
    return [
        Chunk(
            doc_id=document.id or (path if document.line is None else f"{path}#{document.line}"),
            title=document.title,
            text=page.text[piece.start : piece.end],
            start=piece.start,
            end=piece.end,
            page=page.number,
            heading=piece.heading,
            groups=groups if document.groups is None else document.groups,
            metadata=metadata,
        )
        for document in file.documents
        for page in document.pages
        for piece, metadata in _pieces(document, page)
    ]


def _pieces(
    document: ParsedDocument, page: TextPage
) -> Iterator[tuple[Piece, Mapping[str, object]]]:
    sizes = CHUNK_SIZES if page.number is None else PAGE_SIZES
    if page.rows:
        for piece, row in split_rows(page.text, page.rows, sizes=sizes):
            yield piece, row.values
    else:
        for piece in split(page.text, page.headings, above=page.above, sizes=sizes):
            yield piece, document.metadata
