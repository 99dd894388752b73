"""Calls an embedding model: in batches, checked, errors translated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ragqa.errors import RagqaError, RetrievalError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

BATCH = 128
"""Texts per call: few round trips, and each within what services take at once."""

_NAMES = ("azure_deployment", "deployment", "model", "model_name", "model_id")


class Embeddings(Protocol):
    """The part of LangChain's Embeddings that is used, so that LangChain need not be loaded."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return a vector for each text."""

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a question."""

    async def aembed_query(self, text: str) -> list[float]:
        """Do the same without blocking the event loop."""


def model_name(embeddings: Embeddings) -> str:
    """Name the model behind an Embeddings object, and the size of vectors it was told to make."""
    named = (getattr(embeddings, name, None) for name in _NAMES)
    name = next((str(value) for value in named if isinstance(value, str) and value), "")
    dimensions = getattr(embeddings, "dimensions", None)
    size = f"/{dimensions}" if isinstance(dimensions, int) else ""
    return f"{name or type(embeddings).__name__}{size}"


class EmbeddingModel:
    """An embedding model under its name; its vectors have length 1.

    Args:
        embeddings: Does the work.
        name: Names the model; a change of it asks for indexing again.
    """

    def __init__(self, embeddings: Embeddings, name: str = "") -> None:
        self.name = name or model_name(embeddings)
        self._embeddings = embeddings

    def documents(self, texts: Sequence[str]) -> Matrix:
        """Return a matrix with a row for each text."""
        try:
            vectors = self._embeddings.embed_documents(list(texts))
        except Exception as exc:
            raise self._failed(exc) from exc
        return self._checked(vectors, len(texts))

    def query(self, text: str) -> Matrix:
        """Return the matrix of one row for a question."""
        try:
            vector = self._embeddings.embed_query(text)
        except Exception as exc:
            raise self._failed(exc) from exc
        return self._checked([vector], 1)

    async def aquery(self, text: str) -> Matrix:
        """Do the same without blocking the event loop."""
        try:
            vector = await self._embeddings.aembed_query(text)
        except Exception as exc:
            raise self._failed(exc) from exc
        return self._checked([vector], 1)

    def _failed(self, exc: Exception) -> RagqaError:
        if isinstance(exc, RagqaError):
            return exc
        # Not the foreign message: it may hold a key or the text.
        return RetrievalError(
            f"The embedding model {self.name} failed ({type(exc).__name__}).",
            hint="Check its settings and that it can be reached, or search by keyword: "
            "RAGQA_SEARCH_TYPE=keyword",
        )

    def _checked(self, vectors: Any, expected: int) -> Matrix:
        import numpy as np

        try:
            with np.errstate(over="ignore"):  # it is found below
                matrix = np.asarray(vectors, dtype=np.float32)
        except (ValueError, TypeError) as exc:
            raise self._unusable("rows of different lengths, or no numbers") from exc
        if matrix.ndim != 2 or matrix.shape[0] != expected or matrix.shape[1] == 0:
            raise self._unusable(f"the shape {matrix.shape} for {expected} texts")
        if not np.isfinite(matrix).all():
            raise self._unusable("numbers that are not finite")
        lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
        scaled: Matrix = np.divide(matrix, lengths, out=np.zeros_like(matrix), where=lengths > 0)
        return scaled

    def _unusable(self, what: str) -> RetrievalError:
        return RetrievalError(
            f"The embedding model {self.name} returned {what}.",
            hint="Check that the model is one for embeddings.",
        )
