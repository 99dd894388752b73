"""The writer of an index at Azure AI Search.

There are no transactions: passages of a file are sent first, outdated ones deleted next, and the
first passage, which carries the file's record, comes last. What a break leaves is mended by the
next run. A document's key holds path, id, page, offset and headings, so that a search needs no
field that only our indexes have.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from ragqa.contract import EVERYONE
from ragqa.language import has_han
from ragqa.ports import Chunk, StoredFile
from ragqa.retrieval.analysis import well_formed
from ragqa.retrieval.azure import definition as definitions
from ragqa.retrieval.azure.definition import FILE_FIELD, HEADING_FIELD, Definition
from ragqa.retrieval.azure.fields import Place
from ragqa.retrieval.azure.store import FailedUpload
from ragqa.retrieval.azure.values import field_value
from ragqa.retrieval.azure.words import cut
from ragqa.retrieval.embedding import BATCH

if TYPE_CHECKING:
    from ragqa.retrieval.azure.store import AzureStore

_FLUSH_CHUNKS = 1000
_SLICE = 4 * BATCH

_RESTRICTED = "it is for some groups only, and the index would show it to everybody"
_SET_GROUPS = "Set AZURE_SEARCH_FIELD_GROUPS to the field that holds the groups."
_LOOK = "Correct the document, or the index, and run ragqa index again."


@dataclass(frozen=True, slots=True)
class _Row:
    """A chunk with its key, on its way to the index."""

    key: str
    file: StoredFile
    chunk: Chunk

    @property
    def embedding_text(self) -> str:
        chunk = self.chunk
        parts = (chunk.title or self.file.title, chunk.heading, chunk.text)
        return well_formed("\n".join(part for part in parts if part))


class AzureWriter:
    """Collects files and sends them many at a time. Use :meth:`AzureStore.writer`.

    Args:
        store: The index.
    """

    def __init__(self, store: AzureStore) -> None:
        self._store = store
        self._fields = store.fields
        self._files: dict[str, tuple[StoredFile, Sequence[Chunk]]] = {}
        self._gone: list[str] = []
        self._chunks = 0
        self._held: Definition | None = None
        self._words: dict[str, str] | None = None
        self._metadata: dict[str, str] = {}
        self._dimensions: int | None = None
        self._ready: dict[str, list[float]] = {}

    def replace(self, file: StoredFile, chunks: Sequence[Chunk]) -> None:
        """Put a file's chunks in place of whatever the index holds of it."""
        if file.path in self._files or file.path in self._gone:
            self.flush()
        self._files[file.path] = (file, chunks)
        self._chunks += max(1, len(chunks))
        if self._chunks >= _FLUSH_CHUNKS:
            self.flush()

    def remove(self, path: str) -> None:
        """Take everything out that came from this file."""
        if path in self._files:
            self.flush()
        self._gone.append(path)

    def flush(self) -> None:
        """Send what has been collected."""
        if self._gone:
            self._delete_gone()
        if self._files:
            self._put_files()
        self._files, self._gone, self._chunks = {}, [], 0

    def _delete_gone(self) -> None:
        """Delete files, last of each the chunk that says that it is there."""
        records = self._store.keys_of(self._gone, records_only=True)
        held = self._store.keys_of(self._gone)
        last = {key for keys in records.values() for key in keys}
        paths = {key: path for path, keys in held.items() for key in keys}
        for some in ([key for key in paths if key not in last], list(last)):
            for refusal in self._store.uploads.delete(some):
                self._fail(paths.get(refusal.key, ""), refusal.key, refusal.reason, _LOOK)

    def _put_files(self) -> None:
        files = [file for file, _ in self._files.values()]
        rows = {file.path: self._rows(file, chunks) for file, chunks in self._files.values()}
        is_new = self._define([row for own in rows.values() for row in own])
        old = {} if is_new else self._store.keys_of([file.path for file in files])
        refused = self._put(row for own in rows.values() for row in own[1:])
        self._delete_old(files, rows, old)
        self._put_records(files, rows, refused)

    def _define(self, rows: Sequence[_Row]) -> bool:
        """Make sure that the index takes what is to be sent; tell whether it is new.

        Raises:
            ConfigError: If the index, or the size of its vectors, does not fit.
        """
        first = self._held is None
        held = self._held or self._store.held_definition()
        if first:
            self._try_vectors(rows[:BATCH], held)
        taken = [] if held is None else [str(field["name"]) for field in held["fields"]]
        metadata = (row.chunk.metadata for row in rows)
        new = definitions.metadata_names(metadata, self._fields, taken)
        if held is None:
            held = self._store.definition(new, self._dimensions)
            self._store.define(held, new=True)
        else:
            more = definitions.missing_fields(held, self._fields) if first else []
            more += [definitions.metadata_field(name) for name in new]
            if more:
                held = {**held, "fields": [*held["fields"], *more]}
                self._store.define(held, new=False)
        self._held = held
        has_words = definitions.has_words(held, self._fields)
        self._words = definitions.words_of(self._fields) if has_words else None
        own = definitions.names_of(self._fields)
        kinds = {str(field["name"]): str(field["type"]) for field in held["fields"]}
        self._metadata = {name: kind for name, kind in kinds.items() if name.lower() not in own}
        return first and not taken

    def _try_vectors(self, rows: Sequence[_Row], held: Definition | None) -> None:
        """Embed the first chunks before anything is made or sent: their size must fit."""
        if self._store.model is None or not rows:
            return
        vectors = self._store.model.documents([row.embedding_text for row in rows]).tolist()
        self._ready = {row.key: vector for row, vector in zip(rows, vectors, strict=True)}
        self._dimensions = len(vectors[0])
        if held is not None:
            definitions.check_vectors(held, self._fields, self._dimensions)

    def _delete_old(
        self,
        files: Sequence[StoredFile],
        rows: Mapping[str, list[_Row]],
        old: Mapping[str, list[str]],
    ) -> None:
        for file in files:
            kept = {row.key for row in rows[file.path]}
            outdated = [key for key in old.get(well_formed(file.path), []) if key not in kept]
            for refusal in self._store.uploads.delete(outdated):
                self._fail(file.path, refusal.key, refusal.reason, _LOOK)

    def _put_records(
        self, files: Sequence[StoredFile], rows: Mapping[str, list[_Row]], refused: set[str]
    ) -> None:
        """Write each file's first chunk, and in it what is known of the file."""
        firsts = [rows[file.path][0] for file in files if rows[file.path]]
        failed = {failure.path for failure in self._store.failures}
        # A file that is not wholly there counts as changed in the next run.
        records = {
            file.path: self._store.file_record(
                replace(file, content_hash="") if file.path in failed else file
            )
            for file in files
        }
        refused = refused | self._put(firsts, records)
        for file in files:
            own = rows[file.path]
            if own and own[0].key in refused:
                self._put_record_elsewhere(file, [r for r in own[1:] if r.key not in refused])

    def _put_record_elsewhere(self, file: StoredFile, rows: Sequence[_Row]) -> None:
        record = self._store.file_record(replace(file, content_hash=""))
        for row in rows:
            if not self._store.uploads.merge([{self._fields.id: row.key, FILE_FIELD: record}]):
                return

    def _rows(self, file: StoredFile, chunks: Sequence[Chunk]) -> list[_Row]:
        """Return a file's chunks under their keys, without those that nobody may be shown."""
        seen: Counter[tuple[Any, ...]] = Counter()
        rows = []
        for chunk in chunks or (Chunk(file.path, "", "", 0, 0),):
            if self._fields.groups is None and EVERYONE not in chunk.groups:
                self._hold_back(file.path, chunk.doc_id)
                continue
            page, place = chunk.page or 0, (chunk.doc_id, chunk.page or 0, chunk.start)
            where = Place(file.path, chunk.doc_id, page, chunk.start, chunk.heading, seen[place])
            seen[place] += 1
            rows.append(_Row(where.key, file, chunk))
        return rows

    def _put(self, rows: Iterable[_Row], records: Mapping[str, str] | None = None) -> set[str]:
        """Embed and send rows, a slice at a time; return the keys of those that were refused."""
        refused: set[str] = set()
        left = iter(rows)
        while some := list(islice(left, _SLICE)):
            vectors = self._vectors(some)
            documents = [
                self._document(row, vector, (records or {}).get(row.file.path))
                for row, vector in zip(some, vectors, strict=True)
            ]
            by_key = {row.key: row for row in some}
            for refusal in self._store.uploads.put(documents):
                row = by_key[refusal.key]
                self._fail(row.file.path, row.chunk.doc_id, refusal.reason, _LOOK)
                refused.add(refusal.key)
        return refused

    def _vectors(self, rows: Sequence[_Row]) -> list[list[float] | None]:
        model = self._store.model
        if model is None:
            return [None] * len(rows)
        made = self._ready
        missing = [row for row in rows if row.key not in made]
        for at in range(0, len(missing), BATCH):
            some = missing[at : at + BATCH]
            vectors = model.documents([row.embedding_text for row in some]).tolist()
            made |= {row.key: vector for row, vector in zip(some, vectors, strict=True)}
        found: list[list[float] | None] = [made.pop(row.key) for row in rows]
        return found

    def _document(
        self, row: _Row, vector: list[float] | None, record: str | None
    ) -> dict[str, Any]:
        names, chunk = self._fields, row.chunk
        text = well_formed(chunk.text)
        document: dict[str, Any] = {
            names.id: row.key,
            names.title or "title": well_formed(chunk.title or row.file.title),
            names.content: text,
            HEADING_FIELD: well_formed(chunk.heading),
            names.path or "path": well_formed(row.file.path),
            names.page or "page": chunk.page,
            FILE_FIELD: record,
            **self._metadata_of(chunk),
        }
        if not chunk.text.strip():  # it only says that the file is there: nothing to be found
            document[names.title or "title"] = None
        elif vector is not None:
            document[names.vector] = vector
        if names.groups is not None:
            document[names.groups] = [well_formed(group) for group in chunk.groups]
        return document | self._searched(document)

    def _searched(self, document: Mapping[str, Any]) -> dict[str, str | None]:
        """Return the fields that repeat others so that a search finds what is in them."""
        text = document[self._fields.content]
        chinese = {definitions.chinese_field(self._fields): text if has_han(text) else None}
        words = {name: cut(document[of] or "") for name, of in (self._words or {}).items()}
        return {**chinese, **words}

    def _metadata_of(self, chunk: Chunk) -> dict[str, Any]:
        found = (
            (name, field_value(chunk.metadata.get(name), kind))
            for name, kind in self._metadata.items()
        )
        return {name: value for name, value in found if value is not None}

    def _fail(self, path: str, document: str, reason: str, hint: str) -> None:
        self._store.failures.append(FailedUpload(path, document, reason, hint))

    def _hold_back(self, path: str, document: str) -> None:
        self._store.failures.append(
            FailedUpload(path, document, _RESTRICTED, _SET_GROUPS, held_back=True)
        )
