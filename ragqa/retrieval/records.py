"""What the index stores of files and chunks, and how it is found again.

Each chunk has a document of the kind ``chunk``. The first one of a file is of the kind ``file``,
too, and holds the file's record beside its own: a document more per file would count in the
statistics of BM25. Records are JSON; everything is found by the path of the file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from hashlib import blake2b
from typing import Any

import tantivy

from ragqa.contract import EVERYONE, Passage, ScoreKind
from ragqa.ports import Chunk, StoredFile
from ragqa.retrieval.analysis import ANALYZER, indexable, indexable_name, value_text, well_formed

KIND, PATH, GROUPS, TAGS = "kind", "path", "groups", "tags"
TITLE, HEADING, TEXT = "title", "heading", "text"
KEY, RECORD, FILE_RECORD = "key", "record", "file_record"

FILE, CHUNK = "file", "chunk"
RESTRICTED = "restricted"
"""The kind of chunks that are not for everyone, beside their other kinds."""
DOCUMENT_FIELDS = ("heading", "id", "page", "path", "title")
"""The fields that every chunk can be filtered by; the keys of its metadata come on top."""

_CHUNK_FIELDS = tuple(field.name for field in fields(Chunk))
_FILE_FIELDS = tuple(field.name for field in fields(StoredFile))
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str)

_SEPARATOR = "\x1f"
_MAX_TAG_CHARS = 1000  # a longer value is found by its digest


@cache
def schema() -> tantivy.Schema:
    """Return the schema: terms to search and to filter by, and one stored record."""
    builder = tantivy.SchemaBuilder()
    for name in (KIND, PATH, GROUPS, TAGS):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    for name in (TITLE, HEADING):
        builder.add_text_field(name, tokenizer_name=ANALYZER, index_option="freq")
    builder.add_text_field(TEXT, tokenizer_name=ANALYZER, index_option="position")
    builder.add_unsigned_field(KEY, indexed=True, fast=True)
    builder.add_bytes_field(RECORD, stored=True)
    builder.add_bytes_field(FILE_RECORD, stored=True)
    return builder.build()


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk as it lies in the index.

    Attributes:
        chunk: As it was put in, with the title it goes by.
        path: The file it came from.
        number: Which chunk of the file it is, from 0.
    """

    chunk: Chunk
    path: str
    number: int

    @property
    def embedding_text(self) -> str:
        """What an embedding model gets to read: the names above a passage say what it is about."""
        chunk = self.chunk
        return "\n".join(part for part in (chunk.title, chunk.heading, chunk.text) if part)

    @property
    def key(self) -> int:
        """Return 64 bits of a digest of what is embedded: equal passages share a vector."""
        digest = blake2b(self.embedding_text.encode(), digest_size=8).digest()
        return int.from_bytes(digest, "little")

    def passage(self, score: float, score_kind: ScoreKind) -> Passage:
        """Return the passage that a search found here."""
        chunk = self.chunk
        return Passage(
            id=chunk.doc_id,
            title=chunk.title,
            score=score,
            score_kind=score_kind,
            text=chunk.text,
            chunk_id=f"{self.path}#{self.number}",
            path=self.path,
            page=chunk.page,
            heading=chunk.heading,
            start=chunk.start,
            end=chunk.end,
            groups=chunk.groups,
            metadata=_own(chunk.metadata),
        )


def _own(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy that its owner may change, lists and all."""
    nested = any(isinstance(value, list | dict) for value in metadata.values())
    return deepcopy(dict(metadata)) if nested else dict(metadata)


def placed(chunk: Chunk, file: StoredFile, number: int) -> StoredChunk:
    """Return the chunk under its title and place, its texts fit to be encoded."""
    return StoredChunk(
        chunk=Chunk(
            doc_id=well_formed(chunk.doc_id),
            title=well_formed(chunk.title or file.title),
            text=well_formed(chunk.text),
            start=chunk.start,
            end=chunk.end,
            page=chunk.page,
            heading=well_formed(chunk.heading),
            groups=tuple(well_formed(group) for group in chunk.groups),
            metadata=chunk.metadata,
        ),
        path=well_formed(file.path),
        number=number,
    )


def documents(file: StoredFile, chunks: Sequence[StoredChunk]) -> Iterator[tantivy.Document]:
    """Yield the index's documents of a file: one for each chunk, one for a file without any."""
    first = tantivy.Document()
    first.add_text(KIND, FILE)
    first.add_bytes(FILE_RECORD, _encoded(_fields(file)))
    if not chunks:
        first.add_text(PATH, well_formed(file.path))
        yield first
    for stored in chunks:
        document = tantivy.Document() if stored.number else first
        _describe(stored, document)
        yield document


def _describe(stored: StoredChunk, document: tantivy.Document) -> None:
    chunk = stored.chunk
    document.add_text(KIND, CHUNK)
    if EVERYONE not in chunk.groups:
        document.add_text(KIND, RESTRICTED)
    document.add_text(PATH, stored.path)
    for group in chunk.groups:
        document.add_text(GROUPS, group)
    for term in _tags(stored):
        document.add_text(TAGS, term)
    document.add_text(TITLE, indexable_name(chunk.title))
    if chunk.heading:
        document.add_text(HEADING, indexable_name(chunk.heading))
    document.add_text(TEXT, indexable(chunk.text))
    document.add_unsigned(KEY, stored.key)
    record = {**_fields(chunk), "path": stored.path, "number": stored.number}
    document.add_bytes(RECORD, _encoded(record))


def stored_file(document: tantivy.Document) -> StoredFile:
    """Read a file's record back."""
    stored: Any = document.get_first(FILE_RECORD)
    return StoredFile.of_record(json.loads(stored))


def stored_chunk(document: tantivy.Document) -> StoredChunk:
    """Read a chunk's record back."""
    stored: Any = document.get_first(RECORD)
    return _chunk_of(stored)


@lru_cache(maxsize=512)  # a service retrieves the same passages again and again
def _chunk_of(stored: bytes) -> StoredChunk:
    record = json.loads(stored)
    path, number = record.pop("path"), record.pop("number")
    record["groups"] = tuple(record["groups"])
    return StoredChunk(Chunk(**record), path, number)


def tag(field: str, value: Any) -> str:
    """Return the term by which documents with that value in that field are found.

    5, 5.0 and "5" are the same value, as are true and "true".
    """
    text = value_text(value)
    if len(text) > _MAX_TAG_CHARS:
        text = blake2b(text.encode(), digest_size=16).hexdigest()
    return tag_prefix(field) + text


def tag_prefix(field: str) -> str:
    """Return what the terms of a field begin with."""
    return well_formed(field) + _SEPARATOR


def tag_field(term: str) -> str:
    """Return the field that a term belongs to."""
    return term.partition(_SEPARATOR)[0]


def _tags(stored: StoredChunk) -> Iterator[str]:
    chunk = stored.chunk
    values = {
        **chunk.metadata,
        "id": chunk.doc_id,
        "title": chunk.title,
        "path": stored.path,
        "heading": chunk.heading or None,
        "page": chunk.page,
    }
    return iter(dict.fromkeys(_flat_tags(values)))


def _flat_tags(values: Mapping[str, Any], above: str = "") -> Iterator[str]:
    for name, value in values.items():
        field = f"{above}{name}"
        if isinstance(value, Mapping):
            yield from _flat_tags(value, above=f"{field}.")
            continue
        for item in value if isinstance(value, (list, tuple, set, frozenset)) else (value,):
            if item is not None and not isinstance(item, Mapping):
                yield tag(field, item)


def _fields(value: StoredFile | Chunk) -> dict[str, Any]:
    names = _CHUNK_FIELDS if isinstance(value, Chunk) else _FILE_FIELDS
    return {name: getattr(value, name) for name in names}


def _encoded(record: Mapping[str, Any]) -> bytes:
    return _JSON.encode(record).encode("utf-8", "surrogatepass")  # as json.loads decodes it
