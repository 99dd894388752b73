"""Keeps a vector for every chunk, and finds chunks by them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ragqa.errors import RetrievalError
from ragqa.retrieval import records
from ragqa.retrieval.embedding import BATCH, EmbeddingModel
from ragqa.retrieval.faults import INDEX_COMMAND
from ragqa.retrieval.queries import of_kind
from ragqa.retrieval.records import StoredChunk
from ragqa.retrieval.text_index import View
from ragqa.retrieval.vectors import VectorFiles, Vectors

if TYPE_CHECKING:
    from ragqa.retrieval.vectors import Keys


class DenseIndex:
    """The vectors of one model for the chunks of one index.

    Args:
        folder: Where the index lies.
        model: Makes the vectors.
    """

    def __init__(self, folder: Path, model: EmbeddingModel) -> None:
        self.model = model
        self._folder = folder
        self._files = VectorFiles(folder, model.name)
        self._complete: tuple[str, Vectors] | None = None
        self._known: set[int] = set()
        self._waiting: dict[int, str] = {}

    def vectors(self, view: View) -> Vectors:
        """Return the vectors, at least one for every chunk in view.

        Raises:
            RetrievalError: If some have none: another model was configured, or none, when they
                were indexed.
        """
        vectors = self._files.read()
        if vectors is not None and (vectors.cover(view.version) or self._seen(view, vectors)):
            return vectors
        live = live_keys(view)
        missing = len(live) if vectors is None else _count_missing(live, vectors.keys)
        if missing or vectors is None:
            raise self._incomplete(missing, len(live))
        self._complete = view.version, vectors
        return vectors

    def _seen(self, view: View, vectors: Vectors) -> bool:
        if self._complete is None:
            return False
        version, complete = self._complete
        return version == view.version and complete is vectors

    def is_complete(self, view: View) -> bool:
        """Tell whether every chunk in view has a vector."""
        try:
            self.vectors(view)
        except RetrievalError:
            return False
        return True

    def _incomplete(self, missing: int, total: int) -> RetrievalError:
        return RetrievalError(
            f"{missing} of {total} different passages in {self._folder} have no vector of the "
            f"embedding model {self.model.name}.",
            hint=f"Index the documents again with this model: {INDEX_COMMAND} "
            "(or search by keyword: RAGQA_SEARCH_TYPE=keyword)",
        )

    def begin(self) -> None:
        """Look up which vectors there are, before chunks are added."""
        vectors = self._files.read()
        self._known = set() if vectors is None else set(vectors.keys.tolist())
        self._waiting = {}

    def add(self, stored: StoredChunk) -> None:
        """Make a vector for a chunk that has none, sooner or later before :meth:`flush` ends."""
        if stored.key not in self._known:
            self._known.add(stored.key)
            self._waiting[stored.key] = stored.embedding_text
            if len(self._waiting) >= BATCH:
                self.flush()

    def flush(self) -> None:
        """Make the vectors that are due and put them on disk."""
        import numpy as np

        if self._waiting:
            rows = self.model.documents(list(self._waiting.values()))
            self._files.append(np.array(list(self._waiting), dtype=np.uint64), rows)
            self._waiting = {}

    def settle(self, view: View) -> None:
        """After a commit, mend what is missing and sweep what is left over."""
        import numpy as np

        self.begin()
        live = live_keys(view)
        missing = set(live.tolist()) - self._known
        if missing:
            for address in view.all_hits(of_kind(records.CHUNK)):
                self.add(records.stored_chunk(view.document(address)))
            self.flush()
        self._files.sweep(np.unique(live))
        self._files.covers(view.version)


def live_keys(view: View) -> Keys:
    """Return the different keys of all chunks."""
    import numpy as np

    addresses = view.all_hits(of_kind(records.CHUNK))
    return np.unique(np.array(view.keys(addresses), dtype=np.uint64))


def _count_missing(live: Keys, stored: Keys) -> int:
    import numpy as np

    return int(np.count_nonzero(~np.isin(live, stored)))
