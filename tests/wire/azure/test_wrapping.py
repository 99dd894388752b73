"""A retriever over LangChain's AzureSearch: none of its faults reaches those who search."""

from __future__ import annotations

import asyncio
import gc
import time
import warnings
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from ragqa.contract import Strategy
from ragqa.errors import ConfigError
from ragqa.ports import SearchQuery
from ragqa.retrieval.azure.fields import FieldNames
from ragqa.retrieval.azure.wrapping import from_store
from tests.wire.azure.conftest import DEFINITION, MODEL, titles
from tests.wire.azure.search_server import SearchServer


@pytest.fixture(scope="module")
def azure_search() -> Any:
    """The class itself; it warns that its package is no longer maintained."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = pytest.importorskip("langchain_community.vectorstores.azuresearch")
    return module.AzureSearch


@pytest.fixture
def make_store(azure_search: Any, shelf: SearchServer) -> Iterator[Any]:
    """Make the app's own store; its clients are closed as an app would."""
    made = []

    def make(**options: Any) -> Any:
        given = {"search_type": "hybrid", "semantic_configuration_name": "good", **options}
        store = azure_search(
            shelf.endpoint, shelf.admin_key, given.pop("index", "kb"), _Embeddings(), **given
        )
        made.append(store)
        shelf.requests.clear()
        return store

    yield make
    for store in made:
        asyncio.run(store.async_client.close())
        store.async_client = None


def _embeddings_class() -> Any:
    from langchain_core.embeddings import Embeddings

    class Words(Embeddings):
        texts: list[str] = []  # noqa: RUF012

        def embed_query(self, text: str) -> list[float]:
            self.texts.append(text)
            return MODEL.embed_query(text)

        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [self.embed_query(text) for text in texts]

    return Words


def _Embeddings() -> Any:
    return _embeddings_class()()


KEPT = {"fields": FieldNames(page=None, path=None)}


@pytest.mark.parametrize(
    ("search_type", "kind"),
    [("similarity", "vector"), ("hybrid", "hybrid"), ("semantic_hybrid", "reranker")],
)
def test_a_search_of_any_type_is_one_request_with_its_filter(
    make_store: Any, shelf: SearchServer, search_type: str, kind: str
) -> None:
    store = make_store(search_type=search_type)
    embedded = len(store.embedding_function.texts)
    retriever = from_store(store, **KEPT)
    assert not shelf.requests
    assert len(store.embedding_function.texts) == embedded, "no probe text"
    query = SearchQuery("warranty kettle", strategy=Strategy(filter={"category": "product"}))
    found = retriever.retrieve(query)
    assert [(p.title, p.score_kind) for p in found] == [("k2.pdf", kind)]
    assert len(shelf.requests) == 1
    assert shelf.searches[0]["filter"] == "category eq 'product'"
    assert "content_vector" not in shelf.searches[0]["select"]


def test_an_index_without_metadata_field(make_store: Any, shelf: SearchServer) -> None:
    retriever = from_store(make_store())
    found = {p.id: p for p in retriever.retrieve(SearchQuery("warranty of a kettle"))}
    assert found["2"].text.startswith("The warranty")
    assert (found["2"].title, found["2"].page) == ("O'Brien's.md", 2)
    shelf.requests.clear()
    assert titles(retriever, "kettle")
    assert len(shelf.requests) == 1, "what the index lacks is asked for once"


def test_an_index_that_the_class_has_made(make_store: Any, shelf: SearchServer) -> None:
    store = make_store(index="own")
    store.add_texts(
        ["A kettle.", "A lamp."],
        metadatas=[{"source": "docs/kettle.md", "title": "Kettle", "page": 3}, {}],
    )
    shelf.requests.clear()
    retriever = from_store(store)
    found = {p.text: p for p in retriever.retrieve(SearchQuery("kettle"))}
    assert (found["A kettle."].title, found["A kettle."].page) == ("Kettle", 3)
    assert found["A kettle."].metadata["source"] == "docs/kettle.md"
    assert found["A lamp."].title
    assert len(shelf.requests) == 1


def test_missing_scores_and_texts_are_tolerated(make_store: Any, shelf: SearchServer) -> None:
    shelf.put("kb", {"id": "9", "title": "kettle kettle"})
    retriever = from_store(make_store(search_type="semantic_hybrid"), **KEPT)
    assert all(p.text for p in retriever.retrieve(SearchQuery("kettle", k=50)))
    hits = [{"id": "1", "content": "text", "@search.score": 0.03}, {"id": "2"}, {"content": "more"}]
    plain = from_store(
        SimpleNamespace(
            client=SimpleNamespace(search=lambda **_: iter(hits)),
            search_type="semantic_hybrid",
            semantic_configuration_name="x",
            embedding_function=MODEL.embed_query,
        )
    )
    found = plain.retrieve(SearchQuery("q"))
    assert [(p.text, p.score_kind) for p in found] == [("text", "hybrid"), ("more", "hybrid")]
    assert asyncio.run(plain.aretrieve(SearchQuery("q"))) == found


def test_every_event_loop_gets_a_client_that_lives(make_store: Any, shelf: SearchServer) -> None:
    store = make_store()
    retriever = from_store(store, **KEPT)
    for _ in range(3):
        assert asyncio.run(retriever.aretrieve(SearchQuery("warranty")))
    store.client.close()
    assert retriever.retrieve(SearchQuery("warranty")), "closing the store's client is its affair"


def test_the_store_may_go(make_store: Any, azure_search: Any, shelf: SearchServer) -> None:
    retriever = from_store(make_store(), **KEPT)
    gc.collect()
    assert retriever.retrieve(SearchQuery("warranty"))
    deadline = time.monotonic() + 2
    while shelf.http.open_sockets > 4 and time.monotonic() < deadline:
        time.sleep(0.01)


def test_nothing_is_made_by_a_mistyped_name(shelf: SearchServer) -> None:
    from azure.core.credentials import AzureKeyCredential
    from azure.search.documents import SearchClient

    from ragqa.errors import RetrievalError

    client = SearchClient(shelf.endpoint, "mistyped", AzureKeyCredential(shelf.admin_key))
    store = SimpleNamespace(client=client, search_type="hybrid", embeddings=MODEL)
    with pytest.raises(RetrievalError, match="mistyped"):
        from_store(store).retrieve(SearchQuery("x"))
    client.close()
    assert set(shelf.indexes) == {"kb"}
    assert [r.method for r in shelf.requests] == ["POST"]


def test_what_is_no_store_is_refused() -> None:
    with pytest.raises(ConfigError, match="no client"):
        from_store(object())
    odd = SimpleNamespace(client=SimpleNamespace(search=print), search_type="semantic")
    with pytest.raises(ConfigError, match="semantic"):
        from_store(odd)


def test_fields_that_the_store_declares_are_asked_for(shelf: SearchServer) -> None:
    declared = [SimpleNamespace(name=f["name"], type=f["type"], key=f.get("key", False),
                                searchable=f.get("searchable", False))
                for f in DEFINITION["fields"]]  # fmt: skip
    store = SimpleNamespace(
        client=None, fields=declared, search_type="similarity", embeddings=MODEL,
        _azure_search_endpoint=shelf.endpoint, _azure_search_key=shelf.query_key, _index_name="kb",
    )  # fmt: skip
    found = from_store(store).retrieve(SearchQuery("warranty of a kettle"))
    assert ("O'Brien's.md", 2) in {(p.title, p.page) for p in found}
