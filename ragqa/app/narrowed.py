"""A retriever with the filter and the score threshold of the settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ragqa.contract import Caller, Passage
from ragqa.ports import Retriever, SearchQuery, TraceConfig
from ragqa.ports.tables import ReadRows, Rows, TableSource


def narrowed(
    retriever: Retriever, conditions: Mapping[str, Any], min_score: float | None
) -> Retriever:
    """Return the retriever itself, or one that also holds to a filter and a threshold."""
    if not conditions and min_score is None:
        return retriever
    return NarrowedRetriever(retriever, conditions, min_score)


@dataclass(frozen=True, slots=True)
class NarrowedRetriever:
    """Find what another retriever finds, within a filter and above a score.

    Attributes:
        inner: Finds the passages.
        conditions: Metadata that a document must have, beside what a category asks for.
        min_score: Passages that score less are left out.
    """

    inner: Retriever
    conditions: Mapping[str, Any]
    min_score: float | None

    def retrieve(self, query: SearchQuery, config: TraceConfig = None) -> Sequence[Passage]:
        """Return at most ``query.k`` passages that the caller may see, best first."""
        return self._good(self.inner.retrieve(self._within(query), config))

    async def aretrieve(self, query: SearchQuery, config: TraceConfig = None) -> Sequence[Passage]:
        """Do the same without blocking the event loop."""
        return self._good(await self.inner.aretrieve(self._within(query), config))

    def version(self) -> str:
        """Name the state of the index; filter and threshold belong to it."""
        return f"{self.inner.version()}|{sorted(self.conditions.items())}|{self.min_score}"

    def tables(
        self, caller: Caller, conditions: Mapping[str, Any] | None = None
    ) -> Mapping[str, Rows | ReadRows]:
        """Return the tables of the other one, rows that the filter lets through."""
        if not isinstance(self.inner, TableSource):
            return {}
        return self.inner.tables(caller, {**(conditions or {}), **self.conditions})

    def _within(self, query: SearchQuery) -> SearchQuery:
        both = {**query.strategy.filter, **self.conditions}
        return replace(query, strategy=replace(query.strategy, filter=both))

    def _good(self, passages: Sequence[Passage]) -> Sequence[Passage]:
        if self.min_score is None:
            return passages
        return tuple(passage for passage in passages if passage.score >= self.min_score)
