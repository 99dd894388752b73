"""What a retrieval from Azure AI Search costs beyond a bare SearchClient call.

Both take turns against the same local server, in a process of its own.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from azure.core.credentials import AzureKeyCredential
from azure.search.documents import SearchClient

from ragqa.ports import Chunk, SearchQuery, StoredFile
from ragqa.retrieval.azure.clients import Access
from ragqa.retrieval.azure.queries import SearchType
from ragqa.retrieval.azure.retriever import azure_retriever
from ragqa.retrieval.azure.store import AzureStore
from tests.unit.retrieval.shelf import WordEmbeddings

ROOT = Path(__file__).parents[2]
ROUNDS = int(os.environ.get("RAGQA_BENCH_ROUNDS", "200"))
QUESTION = "How long does the warranty of kettle 7 last?"
MOST_MS = 1.0
MODEL = WordEmbeddings(dimensions=256)


@pytest.fixture(scope="module")
def access() -> Iterator[Access]:
    command = [sys.executable, "-m", "tests.wire.azure.search_server"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        about = json.loads(process.stdout.readline())
        made = Access(about["endpoint"], "kb", about["admin"])
        with AzureStore(made, embeddings=MODEL).writer() as writer:
            for n in range(50):
                text = f"The warranty of kettle {n} lasts {n} years."
                writer.replace(
                    StoredFile(f"{n}", "1", f"{n}", f"{n}"), [Chunk(f"{n}", "", text, 0, len(text))]
                )
        yield made
        process.communicate(timeout=10)


@pytest.mark.parametrize("search_type", ["keyword", "hybrid"])
def test_overhead_over_a_bare_client(
    access: Access, search_type: SearchType, benchmark: Any
) -> None:
    retriever = azure_retriever(access, embeddings=MODEL, search_type=search_type)
    query = SearchQuery(QUESTION)
    vector = MODEL.embed_query(QUESTION) if search_type == "hybrid" else None
    arguments = retriever.plan.arguments(query, search_type, vector)
    with SearchClient(
        access.endpoint, access.index, AzureKeyCredential(access.key or "")
    ) as client:
        bare, ours = _in_turns(
            lambda: (MODEL.embed_query(QUESTION), list(client.search(**arguments))),
            lambda: retriever.retrieve(query),
        )
    bare_ms = statistics.median(bare) * 1000
    overhead_ms = statistics.median(ours) * 1000 - bare_ms
    benchmark.extra_info |= {"bare_p50_ms": bare_ms, "overhead_ms": overhead_ms}
    print(f"{search_type}: bare p50 {bare_ms:.2f} ms, ours {overhead_ms:+.2f} ms")
    assert overhead_ms <= MOST_MS
    benchmark(retriever.retrieve, query)


def _in_turns(*calls: Callable[[], Any]) -> list[list[float]]:
    taken: list[list[float]] = [[] for _ in calls]
    for _ in range(ROUNDS):
        for call, times in zip(calls, taken, strict=True):
            started = time.perf_counter()
            call()
            times.append(time.perf_counter() - started)
    return taken
