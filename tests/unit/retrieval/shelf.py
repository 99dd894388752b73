"""Small indexes to search in, and an embedding model that needs no service."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from zlib import crc32

from ragqa.contract import Caller, Strategy
from ragqa.ports import Chunk, SearchQuery, StoredFile
from ragqa.retrieval.embedded import EmbeddedIndex


def file(path: str, content_hash: str = "1", **fields: Any) -> StoredFile:
    """Return a file that is called by its name."""
    return StoredFile(path, content_hash, Path(path).name, path, **fields)


def chunks(path: str, *texts: str, **fields: Any) -> list[Chunk]:
    """Return texts as the chunks of one document."""
    start = 0
    made = []
    for text in texts:
        made.append(
            Chunk(
                **{"doc_id": path, "title": "", **fields},
                text=text,
                start=start,
                end=start + len(text),
            )
        )
        start += len(text)
    return made


def put(index: EmbeddedIndex, files: dict[str, Any], **fields: Any) -> None:
    """Index texts, or chunks, under paths; all become visible together."""
    with index.writer() as writer:
        for path, content in files.items():
            several = [content] if isinstance(content, str | Chunk) else content
            texts = [piece for piece in several if isinstance(piece, str)]
            pieces = chunks(path, *texts, **fields) + [c for c in several if isinstance(c, Chunk)]
            writer.replace(file(path, chunks=len(pieces)), pieces)


def titles(
    index: Any, question: str, *, k: int = 5, groups: tuple[str, ...] = (), **strategy: Any
) -> list[str]:
    """Return the titles of what is found, best first."""
    query = SearchQuery(question, k, Caller(groups=groups), Strategy(**strategy))
    return [passage.title for passage in index.retrieve(query)]


class WordEmbeddings:
    """Embeds a text by the words in it: texts that share words are near each other.

    Args:
        model: Its name.
        dimensions: Numbers per vector.
    """

    def __init__(self, model: str = "words", dimensions: int = 64) -> None:
        self.model = model
        self._dimensions = dimensions
        self.batches: list[list[str]] = []

    @property
    def embedded(self) -> list[str]:
        return [text for batch in self.batches for text in batch]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.batches.append(texts)
        return [self.embed_query(text) for text in texts]

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        return self.embed_documents(texts)

    def embed_query(self, text: str) -> list[float]:
        vector = [0.0] * self._dimensions
        for word in re.findall(r"[a-z]+|[\u4e00-\u9fff]", text.lower()):
            vector[crc32(word.encode()) % self._dimensions] += 1.0
        return vector

    async def aembed_query(self, text: str) -> list[float]:
        return self.embed_query(text)
