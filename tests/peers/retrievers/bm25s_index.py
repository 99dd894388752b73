"""bm25s with stems, the index in memory."""

from __future__ import annotations

from typing import Any

import bm25s
import Stemmer

from tests.peers.searching import Search, measure


def fill(records: list[dict[str, Any]]) -> Search:
    stemmer = Stemmer.Stemmer("english")
    index = bm25s.BM25()
    texts = [one["text"] for one in records]
    index.index(
        bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False),
        show_progress=False,
    )
    ids = [one["id"] for one in records]

    def search(question: str) -> list[str]:
        tokens = bm25s.tokenize(question, stopwords="en", stemmer=stemmer, show_progress=False)
        found, _ = index.retrieve(tokens, k=5, show_progress=False)
        return [ids[place] for place in found[0]]

    return search


if __name__ == "__main__":
    measure(fill)
