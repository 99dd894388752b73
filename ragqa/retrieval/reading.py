"""Reads back what the embedded index holds: files, documents, their texts and headings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import tantivy

from ragqa.contract import Caller, Strategy
from ragqa.errors import RetrievalError
from ragqa.ports import StoredFile
from ragqa.retrieval import records
from ragqa.retrieval.queries import of_kind, scopes
from ragqa.retrieval.records import StoredChunk
from ragqa.retrieval.text_index import View

PAGE_BREAK = "\f"


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document in the index.

    Attributes:
        id: The document's own id.
        title: What it is called.
        path: The file it came from.
        pages: Its page numbers; empty where it has no pages.
        chunks: How many chunks it was split into.
    """

    id: str
    title: str
    path: str
    pages: tuple[int, ...]
    chunks: int


@dataclass(frozen=True, slots=True)
class IndexStats:
    """What an index holds, in figures.

    Attributes:
        files: How many files.
        documents: How many documents; a jsonl file holds many.
        chunks: How many passages can be found.
        size_bytes: What it takes on disk.
        embedding_model: The model whose vectors are searched; empty without one.
        version: Names the state.
    """

    files: int
    documents: int
    chunks: int
    size_bytes: int
    embedding_model: str
    version: str


def files_in(view: View) -> dict[str, StoredFile]:
    """Return every file by its path."""
    found = (
        records.stored_file(view.document(address))
        for address in view.all_hits(of_kind(records.FILE))
    )
    return {file.path: file for file in sorted(found, key=lambda file: file.path)}


def documents_in(view: View) -> list[StoredDocument]:
    """Return every document, by path and id."""
    chunks_of: dict[tuple[str, str], list[StoredChunk]] = {}
    for stored in _chunks(view, of_kind(records.CHUNK)):
        chunks_of.setdefault((stored.path, stored.chunk.doc_id), []).append(stored)
    return [_document(path, doc_id, chunks) for (path, doc_id), chunks in chunks_of.items()]


def _document(path: str, doc_id: str, chunks: list[StoredChunk]) -> StoredDocument:
    pages = dict.fromkeys(c.chunk.page for c in chunks if c.chunk.page is not None)
    return StoredDocument(doc_id, chunks[0].chunk.title, path, tuple(pages), len(chunks))


def chunks_of(
    view: View, doc_id: str, path: str | None, caller: Caller | None
) -> list[StoredChunk]:
    """Return a document's chunks in their order.

    Args:
        view: The state to read.
        doc_id: The document's own id.
        path: Its file, where several files hold a document of that id.
        caller: Who reads; None for all there is.

    Raises:
        RetrievalError: If there is no such document, or several.
    """
    wanted = {"id": doc_id} | ({} if path is None else {"path": path})
    condition = scopes(view, caller, Strategy(filter=wanted))[0]
    found = list(_chunks(view, condition.limit(of_kind(records.CHUNK))))
    paths = list(dict.fromkeys(stored.path for stored in found))
    if len(paths) > 1:
        raise RetrievalError(
            f"Several files hold a document {doc_id!r}: {', '.join(paths[:5])}.",
            hint="Name the file, too.",
        )
    if not found:
        raise RetrievalError(f"The index holds no document {doc_id!r}.")
    return found


def text_of(chunks: Iterable[StoredChunk], page: int | None) -> str:
    """Return the text that chunks make up, of one page or of all."""
    pieces: list[str] = []
    last_page: int | None = None
    for stored in chunks:
        chunk = stored.chunk
        if page is not None and chunk.page != page:
            continue
        if pieces and chunk.page != last_page:
            pieces.append(PAGE_BREAK)
        pieces.append(chunk.text)
        last_page = chunk.page
    return "".join(pieces)


def headings_of(chunks: Iterable[StoredChunk]) -> list[str]:
    """Return the different headings, in their order."""
    return list(dict.fromkeys(c.chunk.heading for c in chunks if c.chunk.heading))


def _chunks(view: View, query: tantivy.Query) -> list[StoredChunk]:
    found = [records.stored_chunk(view.document(a)) for a in view.all_hits(query)]
    return sorted(found, key=lambda stored: (stored.path, stored.number))
