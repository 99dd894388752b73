"""LlamaIndex's BM25Retriever."""

from __future__ import annotations

from typing import Any

from llama_index.core.schema import TextNode
from llama_index.retrievers.bm25 import BM25Retriever

from tests.peers.searching import Search, measure


def fill(records: list[dict[str, Any]]) -> Search:
    nodes = [TextNode(text=one["text"], id_=one["id"]) for one in records]
    retriever = BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=5)
    return lambda question: [found.node.node_id for found in retriever.retrieve(question)]


if __name__ == "__main__":
    measure(fill)
