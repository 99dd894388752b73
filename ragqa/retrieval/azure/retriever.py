"""Search an Azure AI Search index: one request a query, none when it is made.

>>> retriever = azure_retriever(Access(endpoint, "kb", key))        # doctest: +SKIP
>>> retriever.retrieve(SearchQuery("How long is delivery?", k=3))   # doctest: +SKIP
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ragqa.contract import Passage
from ragqa.errors import ConfigError
from ragqa.ports import SearchQuery, TraceConfig
from ragqa.retrieval.azure.boosts import boosted
from ragqa.retrieval.azure.clients import Access, Clients, SearchClients
from ragqa.retrieval.azure.faults import (
    RETRYABLE,
    headers_of,
    is_broken_off,
    is_of_other_type,
    missing_field,
    names_collection,
    status_of,
    translate,
)
from ragqa.retrieval.azure.fields import USUAL_FIELDS, FieldNames
from ragqa.retrieval.azure.hits import passage_of
from ragqa.retrieval.azure.queries import WITH_VECTORS, SearchPlan, SearchType
from ragqa.retrieval.azure.words import MATTERS
from ragqa.retrieval.embedding import EmbeddingModel
from ragqa.waiting import retry_after_s, wait_s

if TYPE_CHECKING:
    from ragqa.retrieval.embedding import Embeddings

DEFAULT_TIMEOUT_S = 30.0
MAX_RETRIES = 3
"""How often a query that the service could not serve is sent again."""


@dataclass(frozen=True)
class AzureRetriever:
    """Find passages in an index of Azure AI Search.

    Attributes:
        clients: Make the SDK's clients.
        plan: How the index is searched.
        embeddings: Make the vectors of questions, where the search type needs one.
    """

    clients: SearchClients
    plan: SearchPlan
    embeddings: Embeddings | None = None
    _ways: dict[tuple[str, ...], int] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _absent: set[str] = field(default_factory=set, init=False, repr=False, compare=False)

    def retrieve(self, query: SearchQuery, config: TraceConfig = None) -> Sequence[Passage]:
        """Return at most ``query.k`` passages that the caller may see, best first.

        Raises:
            ConfigError: If the index does not fit the settings.
            AuthError: If the service refuses the key or the identity.
            RetrievalError: If there is no such index, or the service is given up.
        """
        search_type = self.plan.type_of(query)
        tries = self._tries(query)
        timeout_s = next(tries)
        vector = None
        if search_type in WITH_VECTORS:
            vector = self._model().query(query.text)[0].tolist()
        arguments = self._arguments(query, search_type, vector)
        while True:
            try:
                client = self.clients.blocking()
                pages = client.search(**arguments, **self.clients.limits(timeout_s))
                hits = _first_page(pages)
                break
            except Exception as exc:
                if not self._corrected(exc, arguments, query):
                    time.sleep(tries.send(exc))
                    timeout_s = next(tries)
        return self._passages(hits, query, search_type)

    async def aretrieve(self, query: SearchQuery, config: TraceConfig = None) -> Sequence[Passage]:
        """Do the same without blocking the event loop."""
        search_type = self.plan.type_of(query)
        tries = self._tries(query)
        timeout_s = next(tries)
        vector = None
        if search_type in WITH_VECTORS:
            vector = (await self._model().aquery(query.text))[0].tolist()
        arguments = self._arguments(query, search_type, vector)
        while True:
            try:
                async with asyncio.timeout(timeout_s):
                    client = await self.clients.of_this_loop()
                    pages = await client.search(**arguments, **self.clients.limits(timeout_s))
                    hits = await _first_page_of(pages)
                break
            except Exception as exc:
                if not self._corrected(exc, arguments, query):
                    await asyncio.sleep(tries.send(exc))
                    timeout_s = next(tries)
        return self._passages(hits, query, search_type)

    def version(self) -> str:
        """Name the index; the service does not tell when its documents change."""
        return f"azure:{self.clients.host}/{self.clients.index}"

    def _tries(self, query: SearchQuery) -> Generator[float, Exception | None, None]:
        """Yield the seconds that a try may take; sent its error, the seconds to wait.

        Raises:
            RagqaError: The error itself, where another try is no use or does not fit the time.
        """
        deadline_s = time.monotonic() + (query.timeout_s or DEFAULT_TIMEOUT_S)
        for failed in range(1, MAX_RETRIES + 2):
            error = yield max(0.001, deadline_s - time.monotonic())
            assert error is not None, "a try ends with an error or with the result"
            asked = retry_after_s(headers_of(error))
            wait = wait_s(failed, asked)
            may_pass = status_of(error) in RETRYABLE or is_broken_off(error)
            if not may_pass or failed > MAX_RETRIES or wait >= deadline_s - time.monotonic():
                raise self._translated(error) from _shown_cause(error)
            yield wait

    def _translated(self, error: Exception) -> Exception:
        return translate(error, index=self.clients.index, host=self.clients.host)

    def _arguments(
        self, query: SearchQuery, search_type: SearchType, vector: list[float] | None
    ) -> dict[str, Any]:
        arguments = self.plan.arguments(query, search_type, vector)
        self._choose_fields(arguments)
        if way := self._ways.get(self._shape(query)):
            arguments["filter"] = self._all_ways(query)[way]
        return arguments

    def _choose_fields(self, arguments: dict[str, Any]) -> None:
        """Ask for nothing that the index is known to lack."""
        names = list(arguments["select"])
        if self.plan.fields.metadata in self._absent:
            names += [name for name in USUAL_FIELDS if name not in names]
        arguments["select"] = [name for name in names if name not in self._absent]

    def _corrected(self, error: Exception, arguments: dict[str, Any], query: SearchQuery) -> bool:
        """Tell whether the request has been changed so that another try makes sense."""
        return self._left_out(error, arguments) or self._rewritten(error, arguments, query)

    def _rewritten(self, error: Exception, arguments: dict[str, Any], query: SearchQuery) -> bool:
        """Write a filter's values in the next way, where they are of another type than the field.

        An index of ours keeps all metadata as text; settings give text where a field holds numbers,
        and one value where it holds several.
        """
        if not is_of_other_type(error):
            return False
        ways, plain = self._all_ways(query), len(self.plan.filters(query))
        tried, several = ways.index(arguments["filter"]), names_collection(error)
        left = range(tried + 1, len(ways))
        if tried < plain and several is not None:  # the service says which of the two kinds it is
            left = range(plain, len(ways)) if several else range(tried + 1, plain)
        way = next((way for way in left if ways[way] not in ways[:way]), None)
        if way is None:
            return False
        arguments["filter"] = ways[way]
        self._ways[self._shape(query)] = way
        return True

    def _all_ways(self, query: SearchQuery) -> list[str | None]:
        return [*self.plan.filters(query), *self.plan.filters_of_collections(query)]

    def _shape(self, query: SearchQuery) -> tuple[str, ...]:
        return tuple(f"{name}:{type(v).__name__}" for name, v in query.strategy.filter.items())

    def _left_out(self, error: Exception, arguments: dict[str, Any]) -> bool:
        """Ask no more for a field that the index lacks, if it can be done without."""
        name = missing_field(error)
        optional = self.plan.fields.optional
        if self.plan.fields.metadata in self._absent:
            optional |= set(USUAL_FIELDS)
        if name is None or name not in optional or name not in arguments["select"]:
            return False
        self._absent.add(name)
        self._choose_fields(arguments)
        return True

    def _passages(
        self, hits: list[Any], query: SearchQuery, search_type: SearchType
    ) -> Sequence[Passage]:
        kind = self.plan.score_kind(search_type)
        found = [passage_of(hit, self.plan.fields, kind) for hit in hits]
        lowest = self._lowest(found)
        good = (hit for hit in found if hit.score >= lowest.get(hit.score_kind, float("-inf")))
        seen = [hit for hit in good if hit.text.strip() and query.caller.may_see(hit.groups)]
        if query.strategy.boost:
            seen = boosted(seen, query.strategy.boost)
        return seen[: query.k]

    def _lowest(self, found: Sequence[Passage]) -> Mapping[str, float]:
        """Return what a hit has to score, by the kind of its score."""
        best = max((hit.score for hit in found if hit.score_kind == "keyword"), default=0.0)
        return {"keyword": MATTERS * best, **(self.plan.min_scores or {})}

    def _model(self) -> EmbeddingModel:
        if self.embeddings is None:
            raise ConfigError(
                "This search type needs an embedding model.",
                hint="Set AZURE_OPENAI_EMBEDDING_DEPLOYMENT, or RAGQA_SEARCH_TYPE=keyword.",
            )
        return EmbeddingModel(self.embeddings)


def _shown_cause(error: Exception) -> Exception | None:
    """Return the SDK's error as a cause, unless a response's body could repeat what was sent."""
    return None if status_of(error) is not None else error


def azure_retriever(
    access: Access,
    *,
    embeddings: Embeddings | None = None,
    search_type: SearchType | None = None,
    fields: FieldNames = FieldNames(),  # noqa: B008  (frozen)
    semantic_config: str | None = None,
    filter: str | None = None,
    min_scores: Mapping[str, float] | None = None,
) -> AzureRetriever:
    """Return a retriever over an index of Azure AI Search. Nothing is sent yet.

    Args:
        access: How the service is reached; a query key is enough.
        embeddings: Makes the vectors of questions.
        search_type: By default ``hybrid`` with embeddings, else ``keyword``.
        fields: What the index's fields are called.
        semantic_config: The semantic configuration, for ``semantic_hybrid``.
        filter: An OData filter that every query carries.
        min_scores: By kind of score: hits that score less are left out.

    Raises:
        ConfigError: If the search type lacks what it needs.
    """
    kind: SearchType = search_type or ("keyword" if embeddings is None else "hybrid")
    plan = SearchPlan(fields, kind, semantic_config, filter, min_scores)
    plan.type_of(SearchQuery(""))
    if kind in WITH_VECTORS and embeddings is None:
        AzureRetriever(Clients(access), plan)._model()
    return AzureRetriever(Clients(access), plan, embeddings)


def _first_page(pages: Any) -> list[Any]:
    """Return the hits of one request: a plain loop would go on to further pages."""
    by_page = getattr(pages, "by_page", None)
    return list(pages) if by_page is None else list(next(by_page(), ()))


async def _first_page_of(pages: Any) -> list[Any]:
    """Do the same for an async client."""
    async for page in pages.by_page():
        return [hit async for hit in page]
    return []
