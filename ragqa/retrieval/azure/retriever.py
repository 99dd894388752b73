"""Search an Azure AI Search index: one request a query, none when it is made.

>>> retriever = AzureRetriever(Access(endpoint, "kb", key), SearchPlan())     # doctest: +SKIP
>>> retriever.retrieve(SearchQuery("How long is delivery?", k=3))             # doctest: +SKIP
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragqa.contract import Passage
from ragqa.errors import ConfigError
from ragqa.ports import SearchQuery, TraceConfig
from ragqa.retrieval.azure.clients import SearchClients
from ragqa.retrieval.azure.faults import RETRYABLE, headers_of, status_of, translate
from ragqa.retrieval.azure.hits import passage_of
from ragqa.retrieval.azure.queries import WITH_VECTORS, SearchPlan, SearchType
from ragqa.waiting import retry_after_s, wait_s

if TYPE_CHECKING:
    from ragqa.retrieval.embedding import Embeddings

DEFAULT_TIMEOUT_S = 30.0
MAX_RETRIES = 3


@dataclass(frozen=True)
class AzureRetriever:
    """Find passages in an index of Azure AI Search.

    Attributes:
        clients: Make the SDK's clients.
        plan: How the index is searched.
        embeddings: Make the vectors of questions, where the search type needs one.
        max_retries: How often a query that the service could not serve is sent again.
        clock: Seconds that only grow.
    """

    clients: SearchClients
    plan: SearchPlan
    embeddings: Embeddings | None = None
    max_retries: int = MAX_RETRIES
    clock: Callable[[], float] = time.monotonic

    def retrieve(self, query: SearchQuery, config: TraceConfig = None) -> Sequence[Passage]:
        """Return at most ``query.k`` passages that the caller may see, best first."""
        search_type = self.plan.type_of(query)
        vector = None
        if search_type in WITH_VECTORS:
            vector = self._embeddings().embed_query(query.text)
        arguments = self.plan.arguments(query, search_type, vector)
        tries = self._tries(query)
        timeout_s = next(tries)
        while True:
            try:
                pages = self.clients.blocking().search(**arguments, **_limits(timeout_s))
                return self._passages(list(pages), query, search_type)
            except Exception as exc:
                wait = tries.send(exc)
                time.sleep(wait)
                timeout_s = next(tries)

    async def aretrieve(self, query: SearchQuery, config: TraceConfig = None) -> Sequence[Passage]:
        """Do the same without blocking the event loop."""
        search_type = self.plan.type_of(query)
        vector = None
        if search_type in WITH_VECTORS:
            vector = await self._embeddings().aembed_query(query.text)
        arguments = self.plan.arguments(query, search_type, vector)
        tries = self._tries(query)
        timeout_s = next(tries)
        while True:
            try:
                async with asyncio.timeout(timeout_s):
                    client = await self.clients.of_this_loop()
                    pages = await client.search(**arguments, **_limits(timeout_s))
                    hits = [hit async for hit in pages]
                return self._passages(hits, query, search_type)
            except Exception as exc:
                wait = tries.send(exc)
                await asyncio.sleep(wait)
                timeout_s = next(tries)

    def version(self) -> str:
        """Name the index; the service does not tell when its documents change."""
        return f"azure:{self.clients.host}/{self.clients.index}"

    def _tries(self, query: SearchQuery) -> Generator[float, Exception | None, None]:
        """Yield the seconds that a try may take; sent its error, the seconds to wait.

        Raises:
            RagqaError: The error itself, where another try is no use or does not fit the time.
        """
        deadline_s = self.clock() + (query.timeout_s or DEFAULT_TIMEOUT_S)
        for failed in range(1, self.max_retries + 2):
            error = yield max(0.001, deadline_s - self.clock())
            assert error is not None, "a try ends with an error or with the result"
            asked = retry_after_s(headers_of(error))
            wait = wait_s(failed, asked)
            hopeless = status_of(error) not in RETRYABLE or failed > self.max_retries
            if hopeless or wait >= deadline_s - self.clock():
                raise self._translated(error) from _shown_cause(error)
            yield wait

    def _translated(self, error: Exception) -> Exception:
        return translate(error, index=self.clients.index, host=self.clients.host)

    def _passages(
        self, hits: list[Any], query: SearchQuery, search_type: SearchType
    ) -> Sequence[Passage]:
        kind = self.plan.score_kind(search_type)
        found = (passage_of(hit, self.plan.fields, kind) for hit in hits)
        lowest = self.plan.min_scores or {}
        good = (hit for hit in found if hit.score >= lowest.get(hit.score_kind, float("-inf")))
        seen = [hit for hit in good if hit.text.strip() and query.caller.may_see(hit.groups)]
        return seen[: query.k]

    def _embeddings(self) -> Embeddings:
        if self.embeddings is None:
            raise ConfigError(
                "This search type needs an embedding model.",
                hint="Set AZURE_OPENAI_EMBEDDING_DEPLOYMENT, or RAGQA_SEARCH_TYPE=keyword.",
            )
        return self.embeddings


def _limits(timeout_s: float) -> dict[str, float]:
    return {"connection_timeout": min(10.0, timeout_s), "read_timeout": timeout_s}


def _shown_cause(error: Exception) -> Exception | None:
    """Return the SDK's error as a cause, unless a response's body could repeat what was sent."""
    return None if status_of(error) is not None else error
