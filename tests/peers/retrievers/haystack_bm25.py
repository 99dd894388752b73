"""Haystack's BM25 over its store in memory."""

from __future__ import annotations

import os
from typing import Any

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

from haystack import Document
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.document_stores.in_memory import InMemoryDocumentStore

from tests.peers.searching import Search, measure


def fill(records: list[dict[str, Any]]) -> Search:
    store = InMemoryDocumentStore()
    store.write_documents([Document(id=one["id"], content=one["text"]) for one in records])
    retriever = InMemoryBM25Retriever(store, top_k=5)
    return lambda question: [one.id for one in retriever.run(query=question)["documents"]]


if __name__ == "__main__":
    measure(fill)
