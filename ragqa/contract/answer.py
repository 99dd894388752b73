"""The Answer: a validated response with all that a program may want to know about it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SerializeAsAny

from ragqa.contract.question import EVERYONE, Strategy
from ragqa.contract.response import QAResponse

Status = Literal["answered", "repaired", "abstained", "degraded", "cached", "waiting"]
ScoreKind = Literal["bm25", "fused", "vector", "hybrid", "reranker", "keyword", "unknown"]


class Passage(BaseModel):
    """A piece of a document that was retrieved.

    ``text`` equals the characters ``start`` to ``end`` of its document (of page ``page``, where
    there are pages), so that a quote from it has exact offsets. Its JSON holds only what a
    consumer may see in bulk: ``id, title, score, score_kind``; read back from it, it has no text.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    title: str
    score: float = 0.0
    score_kind: ScoreKind = "unknown"
    text: str = Field(default="", exclude=True)
    chunk_id: str = Field(default="", exclude=True)
    path: str | None = Field(default=None, exclude=True)
    page: int | None = Field(default=None, exclude=True)
    heading: str = Field(default="", exclude=True)
    start: int = Field(default=0, exclude=True)
    end: int = Field(default=0, exclude=True)
    groups: tuple[str, ...] = Field(default=(EVERYONE,), exclude=True)
    highlight: str | None = Field(default=None, exclude=True)
    metadata: dict[str, Any] = Field(default_factory=dict, exclude=True)


class Citation(BaseModel):
    """A verbatim quote that supports the answer, and where it stands.

    ``quote`` is exactly the slice ``start:end`` of the decoded document (of page ``page``, where
    there are pages). ``verified`` says that the quote holds the figures and names of the sentence
    it stands for.
    """

    model_config = ConfigDict(frozen=True)

    title: str
    id: str
    path: str | None = None
    page: int | None = None
    quote: str
    start: int
    end: int
    verified: bool


class Usage(BaseModel):
    """What the model calls of an answer took. ``cost`` is in the unit of the price table."""

    model_config = ConfigDict(frozen=True)

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    cost: float | None = None

    def __add__(self, other: Usage) -> Usage:
        """Add two usages; a cost that neither knows stays unknown."""
        costs = [cost for cost in (self.cost, other.cost) if cost is not None]
        return Usage(
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            cost=sum(costs) if costs else None,
        )


class Attempt(BaseModel):
    """How the gates judged one reply. ``gate`` and ``faults`` are for records: they stay in Python.

    ``gate`` is the one that refused it; ``faults`` are pairs of a code and the field concerned.
    """

    model_config = ConfigDict(frozen=True)

    verdict: Literal["accepted", "rejected"]
    code: str
    repairs: tuple[str, ...] = ()
    gate: str = Field(default="", exclude=True)
    faults: tuple[tuple[str, str], ...] = Field(default=(), exclude=True)


class Answer(BaseModel):
    """A validated response with everything that a program may want to know about it.

    ``model_dump(mode="json")`` is what ``ragqa ask --json`` prints. ``strategy`` says how documents
    were looked up for the question's category; it stays in Python.
    """

    response: SerializeAsAny[QAResponse]
    status: Status
    reason: str | None = None
    chain: str
    citations: tuple[Citation, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    tools: tuple[dict[str, Any], ...] = ()
    passages: tuple[Passage, ...] = ()
    usage: Usage = Usage()
    timings_ms: dict[str, float] = Field(default_factory=dict)
    run_id: str
    session_id: str | None = None
    strategy: Strategy = Field(default=Strategy(), exclude=True)
