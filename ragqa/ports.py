"""What a chain needs from the outside world, as Protocols, and the frozen Parts it gets.

Whatever does I/O or is configured stands here; pure modules are imported where they are used.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from ragqa.contract import Caller, Passage, QAResponse, Strategy, Usage

Clock = Callable[[], float]
"""Seconds that only grow, as ``time.monotonic``."""

TraceConfig = Mapping[str, Any] | None
"""A LangChain RunnableConfig, passed on untouched so that callbacks and tags reach the parts."""


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


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file as an index knows it: the unit that is added, replaced and removed.

    Attributes:
        path: Names the file in the index: relative to the project's folder, else absolute.
        content_hash: Changes whenever its bytes, its groups or the way of splitting do.
        title: What its documents are called, where they have no title of their own.
        relative_path: Its path below the folder that was indexed; the title where names clash.
        documents: How many documents it holds (a jsonl file holds many).
        chunks: How many chunks they were split into.
    """

    path: str
    content_hash: str
    title: str
    relative_path: str
    documents: int = 1
    chunks: int = 0


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document, ready for an index.

    ``text`` equals the characters ``start`` to ``end`` of its document (of page ``page``, where
    there are pages). Without gaps and without overlap the chunks of a document make up its text.

    Attributes:
        doc_id: The document's own id: a jsonl record's ``id``, else the file's path.
        title: A record's own title; empty where the file's title counts.
        heading: The headings above it, outermost first, joined by `` > ``.
        groups: Who may see it.
        metadata: Other keys of a jsonl record, or columns that a table gives.
    """

    doc_id: str
    title: str
    text: str
    start: int
    end: int
    page: int | None = None
    heading: str = ""
    groups: tuple[str, ...] = ("*",)
    metadata: Mapping[str, Any] = field(default_factory=dict)


class IndexWriter(Protocol):
    """Changes an index; nothing is visible to readers before the writer is left without error."""

    def replace(self, file: StoredFile, chunks: Sequence[Chunk]) -> None:
        """Put a file's chunks in place of whatever the index holds of it."""

    def remove(self, path: str) -> None:
        """Take everything out that came from this file."""


class DocumentStore(Protocol):
    """An index that documents can be put into, embedded or at a service."""

    def files(self) -> Mapping[str, StoredFile]:
        """Return every file in the index by its path."""

    def writer(self) -> AbstractContextManager[IndexWriter]:
        """Open the only writer; leaving it commits, an exception discards."""


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


Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call of a chat model.

    Attributes:
        messages: The prompt.
        schema: What the reply must look like, where the endpoint can enforce it.
        max_tokens: The longest reply.
        temperature: 0 for the most likely reply.
        timeout_s: Seconds until the call is given up.
    """

    messages: tuple[Message, ...]
    schema: type[QAResponse] | None = None
    max_tokens: int | None = None
    temperature: float | None = None
    timeout_s: float | None = None


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a chat model sent back, whole.

    Attributes:
        text: The reply, whichever way the endpoint carried it.
        finish_reason: Why it ended; ``None`` means that the stream broke off.
        refusal: The model's own words, where it declined.
        usage: Tokens, one call.
        model: What the service says it ran.
    """

    text: str
    finish_reason: str | None = "stop"
    refusal: str | None = None
    usage: Usage = Usage(calls=1)
    model: str = ""


class ChatModel(Protocol):
    """A chat model behind any provider. Every failure is a ProviderError."""

    @property
    def name(self) -> str:
        """Name model and endpoint kind, for records and cache keys; never a key."""

    def complete(self, request: ModelRequest, config: TraceConfig = None) -> ModelReply:
        """Return the whole reply."""

    async def acomplete(self, request: ModelRequest, config: TraceConfig = None) -> ModelReply:
        """Do the same without blocking the event loop."""

    def stream(
        self, request: ModelRequest, config: TraceConfig = None
    ) -> Generator[str | ModelReply, None, None]:
        """Yield pieces of the reply as they come, last the whole reply."""

    def astream(
        self, request: ModelRequest, config: TraceConfig = None
    ) -> AsyncGenerator[str | ModelReply, None]:
        """Do the same without blocking the event loop."""


@dataclass(frozen=True, slots=True)
class Category:
    """A kind of question, and how to recognise it without a model.

    Attributes:
        name: As it stands in QAResponse.category.
        description: One line for the model's prompt.
        keywords: Words that speak for it, any language.
        examples: Questions of that kind.
        strategy: How documents are looked up for it.
    """

    name: str
    description: str = ""
    keywords: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    strategy: Strategy = Strategy()


@dataclass(frozen=True, slots=True)
class Policy:
    """What is configured and does no I/O.

    Attributes:
        schema: The response class, with its categories and lengths.
        categories: How each category is recognised.
        top_k: Passages per question.
        max_context_chars: Budget of all passages in the prompt.
        max_prompt_tokens: Budget of the whole prompt.
        max_answer_tokens: Budget of one answer; ``None`` derives it from the schema.
        temperature: Of answer-writing calls.
        timeout_s: Of a whole ask.
        run_budget_tokens: What all calls of one ask may take; ``None`` for no budget.
        handling: Overrides of the table from code to handling.
        price_unit: The one unit that entity prices are in.
        strict_confidence: Whether confidence without evidence is rejected rather than lowered.
        fallback: What answers when no model can: the preset text or quoted sentences.
        raise_degraded: Whether an ask without a valid reply raises OutputError.
    """

    schema: type[QAResponse] = QAResponse
    categories: tuple[Category, ...] = ()
    top_k: int = 5
    max_context_chars: int = 1200
    max_prompt_tokens: int = 4000
    max_answer_tokens: int | None = None
    temperature: float | None = 0.2
    timeout_s: float = 60.0
    run_budget_tokens: int | None = None
    handling: Mapping[str, str] = field(default_factory=dict)
    price_unit: str = ""
    strict_confidence: bool = True
    fallback: Literal["preset", "extractive"] = "preset"
    raise_degraded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """All that a chain gets from outside.

    Attributes:
        retriever: Finds passages.
        policy: What is configured.
        model: Writes answers; ``None`` where none is configured.
        fallback_model: Asked when handling says ``fallback``.
        reranker: Cuts the retrieved passages to the best few.
        gates: A ``ragqa.validation.Gates`` in place of the default gates.
        clock: Tells the time, for deadlines and timings.
    """

    retriever: Retriever
    policy: Policy = Policy()
    model: ChatModel | None = None
    fallback_model: ChatModel | None = None
    reranker: Reranker | None = None
    gates: Any = None
    clock: Clock = time.monotonic
