"""The embedded index: full text on disk, with vectors beside it where a model is configured.

>>> from pathlib import Path
>>> from tempfile import mkdtemp
>>> from ragqa.ports import Chunk, SearchQuery, StoredFile
>>> index = EmbeddedIndex(Path(mkdtemp()) / "index")
>>> text = "A kettle can be returned within 30 days."
>>> with index.writer() as writer:
...     file = StoredFile("returns.md", "1f3a", "returns.md", "returns.md", chunks=1)
...     writer.replace(file, [Chunk("returns.md", "", text, 0, len(text))])
>>> [passage.title for passage in index.retrieve(SearchQuery("returning kettles"))]
['returns.md']
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragqa.contract import Caller, Passage, ScoreKind
from ragqa.errors import ConfigError, RetrievalError, UnknownNameError
from ragqa.ports import SearchQuery, StoredFile, TraceConfig
from ragqa.retrieval import queries, ranking, reading, records
from ragqa.retrieval.analysis import QueryTerms, query_terms
from ragqa.retrieval.dense import DenseIndex
from ragqa.retrieval.embedding import EmbeddingModel, Embeddings
from ragqa.retrieval.faults import INDEX_COMMAND
from ragqa.retrieval.queries import Scope
from ragqa.retrieval.ranking import Hit
from ragqa.retrieval.reading import IndexStats
from ragqa.retrieval.spelling import corrected
from ragqa.retrieval.text_index import TextIndex, View
from ragqa.retrieval.writing import EmbeddedWriter, writing

if TYPE_CHECKING:
    from ragqa.retrieval.embedding import Matrix
    from ragqa.retrieval.vectors import Vectors

SEARCH_TYPES = ("keyword", "similarity", "hybrid")
_QUICK_PASSAGES = 100_000
"""Up to here the time of a search was measured: docs/benchmarks.md."""


class EmbeddedIndex:
    """Finds passages in an index on disk, and lets documents be put into it.

    Implements the ports Retriever and DocumentStore. Cheap to make: nothing is opened before it
    is used. Any number of processes may search while one writes; a searcher sees the new state
    with the first search after a commit.

    Args:
        folder: Where the index lies; made with the first writer.
        embeddings: A LangChain Embeddings object; without it, search is by keyword alone, and
            with the search type ``keyword`` it is not used.
        embedding_model: Names the model, where the object's own name does not tell it apart.
        search_type: ``keyword``, ``similarity`` or ``hybrid``; by default ``hybrid`` with
            embeddings, else ``keyword``.
        lock_wait_s: How long a writer waits for another one.

    Raises:
        ConfigError: If the search type is unknown, or needs an embedding model.
    """

    def __init__(
        self,
        folder: Path,
        *,
        embeddings: Embeddings | None = None,
        search_type: str | None = None,
        lock_wait_s: float = 30.0,
    ) -> None:
        self.folder = folder
        self._text = TextIndex(folder, lock_wait_s=lock_wait_s)
        self._model = self._dense = None
        if embeddings is not None and search_type != "keyword":
            self._model = EmbeddingModel(embeddings)
            self._dense = DenseIndex(folder, self._model)
        self._search_type = self._checked(search_type or ("hybrid" if self._dense else "keyword"))

    def retrieve(self, query: SearchQuery, config: TraceConfig = None) -> list[Passage]:
        """Return at most ``query.k`` passages that the caller may see, best first.

        Raises:
            RetrievalError: If the index is missing, empty, damaged, or lacks vectors that the
                search needs.
            ConfigError: If the query's strategy cannot be carried out.
        """
        search = self._begin(query)
        vector = self._model.query(query.text) if self._model and search.needs_vector else None
        return self._finish(search, vector)

    async def aretrieve(self, query: SearchQuery, config: TraceConfig = None) -> list[Passage]:
        """Do the same without blocking the event loop."""
        import asyncio

        if self._model is None:  # nothing to wait for in between
            if self._is_quick:
                return self.retrieve(query, config)
            return await asyncio.to_thread(self.retrieve, query, config)
        search = await asyncio.to_thread(self._begin, query)
        vector = await self._model.aquery(query.text) if search.needs_vector else None
        return await asyncio.to_thread(self._finish, search, vector)

    @property
    def _is_quick(self) -> bool:
        """Tell whether a search takes less than handing it to a thread: a millisecond or two.

        Opening the index takes longer, so the first search goes to a thread.
        """
        opened = self._text.opened
        return opened is not None and opened.searcher.num_docs <= _QUICK_PASSAGES

    def _begin(self, query: SearchQuery) -> _Search:
        view = self._view()
        kind = self._checked(query.strategy.search_type or self._search_type)
        scopes = queries.scopes(view, query.caller, query.strategy)
        vectors = self._dense.vectors(view) if self._dense and kind != "keyword" else None
        return _Search(query, view, kind, scopes, vectors)

    def _finish(self, search: _Search, vector: Matrix | None) -> list[Passage]:
        k = search.query.k
        if k < 1:
            return []
        hits, score_kind = search.ranked(vector)
        return [
            records.stored_chunk(search.view.document(hit.address)).passage(hit.score, score_kind)
            for hit in hits[:k]
        ]

    def _view(self) -> View:
        view = self._text.view()
        if not view.searcher.num_docs:
            raise RetrievalError(
                f"The index in {self.folder} is empty.",
                hint=f"Index your documents first: {INDEX_COMMAND}",
            )
        return view

    def _checked(self, search_type: str) -> str:
        if search_type not in SEARCH_TYPES:
            raise UnknownNameError("search type of the embedded index", search_type, SEARCH_TYPES)
        if search_type != "keyword" and self._dense is None:
            raise ConfigError(
                f"The search type {search_type!r} needs an embedding model.",
                hint="Set RAGQA_EMBEDDING_MODEL, or RAGQA_SEARCH_TYPE=keyword.",
            )
        return search_type

    def version(self) -> str:
        """Name the state of the index; equal in every process, ``none`` where there is none."""
        try:
            return self._text.view().version
        except RetrievalError:
            return "none"

    def files(self) -> Mapping[str, StoredFile]:
        """Return every file in the index by its path.

        Where the index cannot be used as it is (made by another version, damaged, or without
        vectors of the embedding model), none counts as indexed: their hashes are empty, or the
        mapping is. Indexing again then mends it.
        """
        if self._text.state() != "ready":
            return {}
        view = self._text.view()
        files = reading.files_in(view)
        if self._dense is None or self._dense.is_complete(view):
            return files
        return {path: replace(file, content_hash="") for path, file in files.items()}

    def writer(self) -> AbstractContextManager[EmbeddedWriter]:
        """Open the only writer; leaving it commits, an exception discards.

        Raises:
            RetrievalError: If another process goes on writing, the folder cannot be written or
                the disk is full.
        """
        return writing(self._text, self._dense)

    def tables(
        self, caller: Caller, conditions: Mapping[str, Any] | None = None
    ) -> Mapping[str, Callable[[], list[dict[str, Any]]]]:
        """Return the csv files of which a caller may see rows, by title, read when wanted.

        Args:
            caller: Who computes.
            conditions: Metadata that a row or its document must have.
        """
        from ragqa.retrieval.tables import tables_in

        return tables_in(self._view(), caller, conditions or {})

    def stats(self) -> IndexStats:
        """Return what the index holds, in figures."""
        view = self._text.view()
        files = reading.files_in(view)
        return IndexStats(
            files=len(files),
            documents=sum(file.documents for file in files.values()),
            chunks=view.total(queries.of_kind(records.CHUNK)),
            size_bytes=self._text.size_bytes(),
            embedding_model=self._model.name if self._model else "",
            version=view.version,
        )


@dataclass(frozen=True, slots=True)
class _Search:
    """A search under way: everything but the question's vector."""

    query: SearchQuery
    view: View
    kind: str
    scopes: list[Scope]
    vectors: Vectors | None

    @property
    def needs_vector(self) -> bool:
        return self.vectors is not None

    @property
    def _terms(self) -> QueryTerms:
        return corrected(self.view, query_terms(self.query.text))

    def ranked(self, vector: Matrix | None) -> tuple[list[Hit], ScoreKind]:
        """Return the hits, and what kind their scores are of."""
        view, scopes, k = self.view, self.scopes, self.query.k
        if self.vectors is None or vector is None:
            return ranking.by_words(view, self._terms, scopes, k), "bm25"
        if self.kind == "similarity":
            return ranking.by_vector(view, self.vectors, vector, scopes, k), "vector"
        depth = max(k, ranking.FUSED)
        words = ranking.by_words(view, self._terms, scopes, depth)
        near = ranking.by_vector(view, self.vectors, vector, scopes, depth)
        return ranking.fused(words, near), "fused"
