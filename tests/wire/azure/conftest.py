"""A search service on this machine, and what reaches it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ragqa.contract import Passage
from ragqa.ports import Chunk, SearchQuery, StoredFile
from ragqa.retrieval.azure.clients import Access
from ragqa.retrieval.azure.retriever import AzureRetriever, azure_retriever
from ragqa.retrieval.azure.store import AzureStore
from tests.unit.retrieval.shelf import WordEmbeddings
from tests.wire.azure.search_server import SearchServer

FIELDS = [
    {"name": "id", "type": "Edm.String", "key": True},
    {"name": "title", "type": "Edm.String", "searchable": True},
    {"name": "content", "type": "Edm.String", "searchable": True, "filterable": False},
    {"name": "page", "type": "Edm.Int32"},
    {"name": "path", "type": "Edm.String"},
    {"name": "category", "type": "Edm.String"},
    {"name": "secret", "type": "Edm.String", "filterable": False},
    {"name": "year", "type": "Edm.Int32"},
    {"name": "current", "type": "Edm.Boolean"},
    {"name": "since", "type": "Edm.DateTimeOffset"},
    {"name": "groups", "type": "Collection(Edm.String)"},
    {
        "name": "content_vector",
        "type": "Collection(Edm.Single)",
        "dimensions": 64,
        "vectorSearchProfile": "p",
    },
]
DEFINITION: dict[str, Any] = {
    "name": "kb",
    "fields": FIELDS,
    "vectorSearch": {
        "algorithms": [{"name": "a", "kind": "hnsw"}],
        "profiles": [{"name": "p", "algorithm": "a"}],
    },
    "semantic": {
        "configurations": [
            {
                "name": "good",
                "prioritizedFields": {"prioritizedContentFields": [{"fieldName": "content"}]},
            }
        ]
    },
}
OLDER: dict[str, Any] = {
    "name": "kb",
    "fields": [
        {"name": "id", "type": "Edm.String", "key": True},
        {"name": "title", "type": "Edm.String", "analyzer": "en.lucene"},
        {"name": "content", "type": "Edm.String", "analyzer": "en.lucene", "filterable": False},
        {"name": "content_zh", "type": "Edm.String", "analyzer": "zh-Hans.lucene"},
        {"name": "heading", "type": "Edm.String", "analyzer": "en.lucene"},
        {"name": "path", "type": "Edm.String", "searchable": False},
        {"name": "page", "type": "Edm.Int32"},
        {"name": "ragqa_file", "type": "Edm.String", "searchable": False},
    ],
    "scoringProfiles": [{"name": "ragqa", "text": {"weights": {"title": 0.7}}}],
    "defaultScoringProfile": "ragqa",
}
"""An index as ragqa made it before it had fields of words."""

MODEL = WordEmbeddings(dimensions=64)
TEXTS = {
    "1": ("returns.md", "A kettle can be returned within 30 days of delivery.", "policy", 2024),
    "2": ("O'Brien's.md", "The warranty of a kettle lasts two years. Lamp: one.", "policy", 2023),
    "3": ("k2.pdf", "The kettle K2 holds 1.7 litres.", "product", 2024),
    "4": ("退货政策.md", "签收后30天内可以退货，需保留包装。", "policy", 2022),
}  # fmt: skip


def documents() -> list[dict[str, Any]]:
    return [
        {
            "id": key,
            "title": title,
            "content": text,
            "category": category,
            "year": year,
            "current": year > 2022,
            "since": f"{year}-05-01T00:00:00Z",
            "page": int(key),
            "groups": ["board"] if key == "3" else ["*"],
            "content_vector": MODEL.embed_query(text),
        }
        for key, (title, text, category, year) in TEXTS.items()
    ]


@pytest.fixture
def server() -> Iterator[SearchServer]:
    """A service with nothing in it."""
    with SearchServer() as started:
        yield started


@pytest.fixture
def shelf(server: SearchServer) -> SearchServer:
    """A service with a foreign index ``kb`` of four documents."""
    server.create(DEFINITION)
    server.put("kb", *documents())
    return server


MakeRetriever = Callable[..., AzureRetriever]


@pytest.fixture
def retriever_at() -> MakeRetriever:
    """Make a retriever with a query key; options are those of ``azure_retriever``."""

    def make(server: SearchServer, index: str = "kb", **options: Any) -> AzureRetriever:
        key = options.pop("key", server.query_key)
        return azure_retriever(Access(server.endpoint, index, key), **options)

    return make


MakeStore = Callable[..., AzureStore]


@pytest.fixture
def store_at() -> MakeStore:
    """Make a store that waits for nothing; options are those of ``AzureStore``."""

    def make(server: SearchServer, index: str = "kb", **options: Any) -> AzureStore:
        access = Access(server.endpoint, index, options.pop("key", server.admin_key))
        return AzureStore(access, sleep=lambda _: None, **options)

    return make


def titles(retriever: AzureRetriever, text: str, **options: Any) -> list[str]:
    return [passage.title for passage in retriever.retrieve(SearchQuery(text, **options))]


def one(retriever: AzureRetriever, text: str, **options: Any) -> Passage:
    return retriever.retrieve(SearchQuery(text, **options))[0]


def file(path: str, content_hash: str = "1", **fields: Any) -> StoredFile:
    return StoredFile(path, content_hash, path, path, **fields)


def chunk(doc_id: str, text: str, **fields: Any) -> Chunk:
    return Chunk(doc_id, fields.pop("title", ""), text, 0, len(text), **fields)
