"""LangChain's BM25Retriever."""

from __future__ import annotations

import warnings
from typing import Any

warnings.simplefilter("ignore")

from langchain_community.retrievers import BM25Retriever  # noqa: E402
from langchain_core.documents import Document  # noqa: E402

from tests.peers.searching import Search, measure  # noqa: E402


def fill(records: list[dict[str, Any]]) -> Search:
    documents = [Document(one["text"], metadata={"id": one["id"]}) for one in records]
    retriever = BM25Retriever.from_documents(documents, k=5)
    return lambda question: [one.metadata["id"] for one in retriever.invoke(question)]


if __name__ == "__main__":
    measure(fill)
