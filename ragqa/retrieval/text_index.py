"""The folder of the full-text index: made, opened, kept fresh, locked for one writer.

    FOLDER/text-1/       tantivy's files; 1 is the format
    FOLDER/text-1/born   a random name, so that two indexes are never taken for one state
    FOLDER/vectors-…/    see ragqa.retrieval.vectors

tantivy's commit replaces ``meta.json`` in one step. Nothing else says what the index holds.
"""

from __future__ import annotations

import json
import secrets
import shutil
import threading
import time
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from pathlib import Path
from typing import Any, Literal

import tantivy

from ragqa.errors import RetrievalError
from ragqa.retrieval import records
from ragqa.retrieval.analysis import FORMAT
from ragqa.retrieval.faults import INDEX_COMMAND, DamagedIndexError, damaged, is_locked, translated
from ragqa.retrieval.opening import Links, opened, opened_to_read

_HEAP_BYTES = 100_000_000  # what a writer gathers before it starts another segment
_POLL_S = 0.05
_COUNTS_KEPT = 4096
_ABANDONED_S = 3600.0  # a folder under way this long belongs to a process that died

State = Literal["missing", "stale", "damaged", "ready"]
Signature = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class View:
    """One committed state of the index.

    Attributes:
        searcher: Searches that state, whatever is written meanwhile.
        version: Names that state.
        folder: Where the index lies.
    """

    searcher: tantivy.Searcher
    version: str
    folder: Path
    _counts: dict[tuple[str, str], int] = dataclass_field(default_factory=dict, compare=False)

    def count(self, field: str, term: str) -> int:
        """Return how many documents hold a term, including some that are deleted by now."""
        known = self._counts.get((field, term))
        if known is not None:
            return known
        with translated(self.folder, "search"):
            found = self.searcher.doc_freq(field, term)
        if len(self._counts) >= _COUNTS_KEPT:  # questions share most of their words
            self._counts.clear()
        self._counts[field, term] = found
        return found

    def terms(self, field: str, prefix: str, limit: int | None = None) -> list[str]:
        """Return terms that begin so, including some that only deleted documents hold."""
        with translated(self.folder, "search"):
            found = self.searcher.terms_with_prefix(field, prefix, limit=limit)
        return [term for term, _ in found]

    def words(self, field: str, prefix: str, limit: int) -> list[tuple[str, int]]:
        """Return terms that begin so, with how many documents hold them, deleted ones included."""
        with translated(self.folder, "search"):
            return self.searcher.terms_with_prefix(field, prefix, limit=limit)

    def hits(self, query: tantivy.Query, limit: int) -> list[tuple[float, tantivy.DocAddress]]:
        """Return the best hits of a query, best first."""
        with translated(self.folder, "search"):
            return self.searcher.search(query, max(1, limit), count=False).hits

    def all_hits(self, query: tantivy.Query) -> list[tantivy.DocAddress]:
        """Return everything that a query matches, in no order."""
        return [address for _, address in self.hits(query, self.searcher.num_docs)]

    def total(self, query: tantivy.Query) -> int:
        """Return how many documents a query matches."""
        with translated(self.folder, "search"):
            found: Any = self.searcher.search(query, 1, count=True)
            return int(found.count)

    def document(self, address: tantivy.DocAddress) -> tantivy.Document:
        """Return a stored document."""
        with translated(self.folder, "read"):
            return self.searcher.doc(address)

    def keys(self, addresses: list[tantivy.DocAddress]) -> list[int]:
        """Return the keys of chunks."""
        with translated(self.folder, "read"):
            values = self.searcher.fast_field_values(records.KEY, addresses)
        return [int(value or 0) for value in values]


class TextIndex:
    """Opens the full-text index of a folder, for many readers and one writer.

    Args:
        folder: Where the index lies; made with the first writer.
        lock_wait_s: How long a writer waits for another one.
    """

    def __init__(
        self,
        folder: Path,
        *,
        lock_wait_s: float = 30.0,
    ) -> None:
        self.folder = folder
        self._text = folder / f"text-{FORMAT}"
        self._meta = self._text / "meta.json"
        self._lock_wait_s = lock_wait_s
        self._guard = threading.Lock()
        self._index: tantivy.Index | None = None
        self._links: Links | None = None
        self._seen: tuple[Signature, View] | None = None

    def state(self) -> State:
        """Tell what lies in the folder."""
        try:
            self.view()
        except DamagedIndexError:
            return "damaged"
        except _MissingIndexError:
            return "missing"
        except _StaleIndexError:
            return "stale"
        return "ready"

    def view(self) -> View:
        """Return the newest committed state.

        Raises:
            RetrievalError: If there is no index, or one of another format, or a damaged one.
        """
        with self._guard:
            signature = self._signature()
            if self._seen is None or self._seen[0] != signature:
                self._seen = (signature, self._load())
            return self._seen[1]

    @property
    def opened(self) -> View | None:
        """Return the last state that was seen; None before the first."""
        seen = self._seen
        return None if seen is None else seen[1]

    def _signature(self) -> Signature:
        try:
            status = self._meta.stat()
        except (FileNotFoundError, NotADirectoryError) as exc:
            self._index = self._seen = None
            raise self._absent() from exc
        except OSError as exc:
            raise RetrievalError(
                f"The index in {self.folder} cannot be read ({exc.strerror}).",
                hint="Check the folder's permissions, or set RAGQA_HOME to another folder.",
            ) from exc
        return status.st_mtime_ns, status.st_ino, status.st_size

    def _load(self) -> View:
        with translated(self.folder, "read"):
            version, newest = "", self._version()
            while version != newest:  # again, where a commit came in between
                version = newest
                index = self._open()
                index.reload()
                newest = self._version()
            view = View(index.searcher(), version, self.folder)
        view.count(records.KIND, records.CHUNK)  # a missing file of a segment shows up here
        return view

    def _open(self) -> tantivy.Index:
        if self._index is None or self._links is not None:  # links show one state only
            self._index, self._links = opened_to_read(self._text)
        return self._index

    def _version(self) -> str:
        born = (self._text / "born").read_text(encoding="ascii").strip()
        meta = json.loads(self._meta.read_bytes())
        stamp = meta.get("opstamp") if isinstance(meta, dict) else None
        return f"{FORMAT}-{born}-{stamp}"

    def _absent(self) -> RetrievalError:
        if self._text.exists():
            return damaged(self.folder)
        if any(self._others()):
            return _StaleIndexError(
                f"The index in {self.folder} was made by another version of ragqa.",
                hint=f"Index the documents again: {INDEX_COMMAND}",
            )
        return _MissingIndexError(
            f"There is no index in {self.folder}.",
            hint=f"Index your documents first: {INDEX_COMMAND}",
        )

    def _others(self) -> list[Path]:
        """Return the folders of other formats and of damaged indexes."""
        if not self.folder.is_dir():
            return []
        return [path for path in self.folder.glob("text-*") if path != self._text]

    def open_writer(self) -> tantivy.IndexWriter:
        """Return the only writer; make the index first, or anew where it is of no use.

        Raises:
            RetrievalError: If another process goes on writing, or the folder cannot be written.
        """
        with translated(self.folder, "write"):
            if (state := self.state()) != "ready":
                self._make(instead=state == "damaged")
            deadline_s = time.monotonic() + self._lock_wait_s
            while True:
                try:
                    return opened(self._text).writer(_HEAP_BYTES, num_threads=1)
                except ValueError as exc:
                    if not is_locked(exc):
                        raise
                    if time.monotonic() >= deadline_s:
                        raise self._busy() from exc
                time.sleep(_POLL_S)

    def _busy(self) -> RetrievalError:
        return RetrievalError(
            f"Another process is indexing into {self.folder}; "
            f"it did not end within {self._lock_wait_s:g} s.",
            hint="Run the same command again when it has ended.",
        )

    def _make(self, *, instead: bool) -> None:
        """Make an empty index beside its place and move it there in one step.

        Args:
            instead: Whether what lies in that place is to make room.
        """
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        born = secrets.token_hex(6)
        fresh = self.folder / f"new-{born}"
        fresh.mkdir()
        tantivy.Index(records.schema(), path=str(fresh))
        (fresh / "born").write_text(born, encoding="ascii")
        if instead:
            self._text.rename(self.folder / f"text-damaged-{born}")
        try:
            fresh.rename(self._text)
        except OSError:
            shutil.rmtree(fresh, ignore_errors=True)
            if not self._text.exists():
                raise
            # another process was quicker: its index will do

    def sweep(self) -> None:
        """Delete what indexes of other formats, damaged ones and dead processes left behind."""
        old_s = time.time() - _ABANDONED_S
        abandoned = [p for p in self.folder.glob("new-*") if p.stat().st_mtime < old_s]
        for path in (*self._others(), *abandoned):
            shutil.rmtree(path, ignore_errors=True)

    def size_bytes(self) -> int:
        """Return what the folder takes on disk."""
        files = (path for path in self.folder.rglob("*") if path.is_file())
        return sum(path.stat().st_size for path in files)


class _MissingIndexError(RetrievalError):
    """Report that nothing was indexed yet."""


class _StaleIndexError(RetrievalError):
    """Report an index of another format."""
