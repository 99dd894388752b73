"""A retriever over an AzureSearch vector store that an app already has.

LangChain's class (langchain-community's, and the same in langchain-azure-ai) is never asked to
search: it drops filters in one mode, mixes kinds of scores, sends two requests for a semantic
query, crashes on missing fields, and its async client dies with its first event loop. What is taken
from it are the settings of its clients, its search type, its semantic configuration and its
embedding model.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any, cast

from ragqa.errors import ConfigError
from ragqa.retrieval.azure.clients import Access, Clients, SearchClients
from ragqa.retrieval.azure.fields import FieldNames
from ragqa.retrieval.azure.queries import SEARCH_TYPES, SearchPlan, SearchType
from ragqa.retrieval.azure.retriever import AzureRetriever

_VECTORS = "Collection(Edm.Single)"


def from_store(
    store: Any,
    *,
    search_type: SearchType | None = None,
    fields: FieldNames | None = None,
    semantic_config: str | None = None,
    filter: str | None = None,
    min_scores: Mapping[str, float] | None = None,
) -> AzureRetriever:
    """Return a retriever over the index behind an AzureSearch vector store. Nothing is sent.

    Args:
        store: LangChain's AzureSearch, or what has its ``client``.
        search_type: The store's own if not given.
        fields: What the index's fields are called; what the store was told if not given.
        semantic_config: The store's own if not given.
        filter: An OData filter that every query carries.
        min_scores: By kind of score: hits that score less are left out.

    Raises:
        ConfigError: If it is no such store, or its search type does not exist.
    """
    plan = SearchPlan(
        fields=fields or _fields(store),
        search_type=search_type or _search_type(store),
        semantic_config=semantic_config or getattr(store, "semantic_configuration_name", None),
        filter=filter,
        min_scores=min_scores,
    )
    return AzureRetriever(_clients(store), plan, _embeddings(store))


def _search_type(store: Any) -> SearchType:
    found = getattr(store, "search_type", None) or "hybrid"
    if found not in SEARCH_TYPES:
        raise ConfigError(
            f"The store's search type is {found!r}.", hint=f"Use one of {', '.join(SEARCH_TYPES)}."
        )
    return cast(SearchType, found)


def _fields(store: Any) -> FieldNames:
    declared = [field for field in getattr(store, "fields", None) or () if _name(field)]
    names = [_name(field) for field in declared]
    if not declared:
        return FieldNames(metadata="metadata")
    keys = [_name(field) for field in declared if getattr(field, "key", False)]
    vectors = [_name(field) for field in declared if str(getattr(field, "type", "")) == _VECTORS]
    texts = [
        _name(field)
        for field in declared
        if getattr(field, "searchable", False) and _name(field) not in vectors
    ]

    def known(name: str) -> str | None:
        return name if name in names else None

    return FieldNames(
        id=next(iter(keys), "id"),
        title=known("title"),
        content=known("content") or next((n for n in texts if n not in keys), "content"),
        vector=next(iter(vectors), "content_vector"),
        path=known("path"),
        page=known("page"),
        metadata=known("metadata"),
    )


def _name(field: Any) -> str:
    return str(getattr(field, "name", "") or "")


def _clients(store: Any) -> SearchClients:
    client = getattr(store, "client", None)
    config = getattr(client, "_config", client)
    endpoint = getattr(config, "endpoint", None) or getattr(store, "_azure_search_endpoint", None)
    index = getattr(config, "index_name", None) or getattr(store, "_index_name", None)
    credential = getattr(config, "credential", None)
    key = getattr(credential, "key", None)
    if credential is None:
        key = getattr(store, "_azure_search_key", None)
    if isinstance(endpoint, str) and isinstance(index, str) and (key or credential):
        return Clients(Access(endpoint, index, key, None if key else credential))
    if hasattr(client, "search"):
        return BorrowedClient(client)
    raise ConfigError(
        f"{type(store).__name__} has no client of Azure AI Search.",
        hint="Hand over LangChain's AzureSearch, or use ragqa.retriever() with AZURE_SEARCH_….",
    )


class BorrowedClient:
    """The store's own client, where its settings cannot be read; async calls run it in threads."""

    index = "of the store"
    host = "The search service"

    def __init__(self, client: Any) -> None:
        self._client = client

    def blocking(self) -> Any:
        """Return the store's client."""
        return self._client

    async def of_this_loop(self) -> Any:
        """Return something that searches like an async client."""
        return _Threaded(self._client)

    def limits(self, timeout_s: float) -> dict[str, Any]:
        """Return nothing: the client brings its own limits."""
        return {}


class _Threaded:
    def __init__(self, client: Any) -> None:
        self._client = client

    async def search(self, **arguments: Any) -> _Hits:
        return _Hits(await asyncio.to_thread(lambda: list(self._client.search(**arguments))))


class _Hits:
    def __init__(self, hits: list[Any]) -> None:
        self._hits = hits

    async def by_page(self) -> AsyncIterator[AsyncIterator[Any]]:
        yield self._page()

    async def _page(self) -> AsyncIterator[Any]:
        for hit in self._hits:
            yield hit


def _embeddings(store: Any) -> Any:
    for name in ("embeddings", "embedding_function"):
        found = getattr(store, name, None)
        if hasattr(found, "embed_query"):
            return found
        if callable(found):
            return FunctionEmbeddings(found)
    return None


class FunctionEmbeddings:
    """A plain function as an embedding model.

    Args:
        function: Returns the vector of a text.
    """

    def __init__(self, function: Any) -> None:
        self._function = function

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return a vector for each text."""
        return [self._function(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a question."""
        return cast("list[float]", self._function(text))

    async def aembed_query(self, text: str) -> list[float]:
        """Do the same without blocking the event loop."""
        return await asyncio.to_thread(self.embed_query, text)
