"""What finds passages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ragqa.contract import Caller, Passage, Strategy
from ragqa.ports.running import TraceConfig


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What to look up, for whom.

    Attributes:
        text: What to look for.
        k: How many passages at most.
        caller: Who may see what.
        strategy: Filter, search type and boosts that the category asks for.
        timeout_s: Seconds that the search may take.
    """

    text: str
    k: int = 5
    caller: Caller = Caller()
    strategy: Strategy = Strategy()
    timeout_s: float | None = None


class Retriever(Protocol):
    """Finds passages, best first."""

    def retrieve(self, query: SearchQuery, config: TraceConfig = None) -> Sequence[Passage]:
        """Return at most ``query.k`` passages that the caller may see, best first."""

    async def aretrieve(self, query: SearchQuery, config: TraceConfig = None) -> Sequence[Passage]:
        """Do the same without blocking the event loop."""

    def version(self) -> str:
        """Name the state of the index: changes whenever its documents do."""


class Reranker(Protocol):
    """Reorders passages by how well they fit the question."""

    def rerank(
        self, question: str, passages: Sequence[Passage], config: TraceConfig = None
    ) -> Sequence[Passage]:
        """Return the fitting passages, best first; fewer than given is fine."""

    async def arerank(
        self, question: str, passages: Sequence[Passage], config: TraceConfig = None
    ) -> Sequence[Passage]:
        """Do the same without blocking the event loop."""
