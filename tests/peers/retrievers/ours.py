"""ragqa's embedded index, on disk."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from ragqa.ports import Chunk, SearchQuery, StoredFile
from ragqa.retrieval.embedded import EmbeddedIndex
from tests.peers.searching import Search, measure

PER_FILE = 100


def fill(records: list[dict[str, Any]]) -> Search:
    index = EmbeddedIndex(Path(tempfile.mkdtemp(prefix="ragqa-peers-")))
    with index.writer() as writer:
        for first in range(0, len(records), PER_FILE):
            path = f"{first}.md"
            chunks = [
                Chunk(one["id"], one["title"], one["text"], 0, len(one["text"]))
                for one in records[first : first + PER_FILE]
            ]
            writer.replace(StoredFile(path, "1", path, path, chunks=len(chunks)), chunks)
    return lambda question: [one.id for one in index.retrieve(SearchQuery(question))]


if __name__ == "__main__":
    measure(fill)
