"""What documents are put into."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, fields
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file as an index knows it: the unit that is added, replaced and removed.

    Attributes:
        path: Names the file in the index: relative to the project's folder, else absolute.
        content_hash: Changes whenever its bytes, its groups or the way of splitting do.
        title: What its documents are called, where they have no title of their own.
        relative_path: Its path below the folder that was indexed; the title where names clash.
        documents: How many documents it holds (a jsonl file holds many).
        chunks: How many chunks they were split into.
        problems: What of it could not be used: reasons, each with what to do.
    """

    path: str
    content_hash: str
    title: str
    relative_path: str
    documents: int = 1
    chunks: int = 0
    problems: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of_record(cls, record: Mapping[str, Any]) -> StoredFile:
        """Return the file that a stored record describes; what a later version adds is left out."""
        known = {one.name: record[one.name] for one in fields(cls) if one.name in record}
        known["problems"] = tuple((reason, hint) for reason, hint in known.get("problems", ()))
        return cls(**known)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document, ready for an index.

    ``text`` equals the characters ``start`` to ``end`` of its document (of page ``page``, where
    there are pages). Without gaps and without overlap the chunks of a document make up its text.

    Attributes:
        doc_id: The document's own id: a jsonl record's ``id``, else the file's path.
        title: A record's own title; empty where the file's title counts.
        heading: The headings above it, outermost first, joined by `` > ``.
        groups: Who may see it.
        metadata: Other keys of a jsonl record, or columns that a table gives.
    """

    doc_id: str
    title: str
    text: str
    start: int
    end: int
    page: int | None = None
    heading: str = ""
    groups: tuple[str, ...] = ("*",)
    metadata: Mapping[str, Any] = field(default_factory=dict)


class IndexWriter(Protocol):
    """Changes an index; nothing is visible to readers before the writer is left without error."""

    def replace(self, file: StoredFile, chunks: Sequence[Chunk]) -> None:
        """Put a file's chunks in place of whatever the index holds of it."""

    def remove(self, path: str) -> None:
        """Take everything out that came from this file."""


class DocumentStore(Protocol):
    """An index that documents can be put into, embedded or at a service."""

    def files(self) -> Mapping[str, StoredFile]:
        """Return every file in the index by its path."""

    def writer(self) -> AbstractContextManager[IndexWriter]:
        """Open the only writer; leaving it commits, an exception discards."""
