"""From and to LangChain: retrievers either way, and document compressors as rerankers.

The only module of ragqa.retrieval that imports LangChain.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from typing import Any, cast

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableConfig
from pydantic import ConfigDict

from ragqa.contract import Caller, Passage, Strategy
from ragqa.errors import RagqaError, RetrievalError
from ragqa.ports import Reranker, Retriever, SearchQuery, TraceConfig
from ragqa.retrieval.foreign import as_passage, fits, number

_POSITION = "ragqa_position"


def as_langchain(
    retriever: Retriever,
    *,
    k: int = 5,
    caller: Caller = Caller(),  # noqa: B008  (frozen)
    strategy: Strategy = Strategy(),  # noqa: B008
) -> BaseRetriever:
    """Return a LangChain retriever that looks up the same passages.

    Its documents carry ``title, id, path, page, heading, score, score_kind, start, end`` in their
    metadata, beside what the document itself brings along.

    Args:
        retriever: Looks passages up.
        k: How many at most.
        caller: Who may see what.
        strategy: Filter, search type and boosts.
    """
    return PassageRetriever(retriever=retriever, k=k, caller=caller, strategy=strategy)


class PassageRetriever(BaseRetriever):
    """A LangChain retriever over a ragqa one. Use :func:`as_langchain`."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    retriever: Any
    k: int = 5
    caller: Caller = Caller()
    strategy: Strategy = Strategy()

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        config = {"callbacks": run_manager.get_child()}
        return [as_document(p) for p in self.retriever.retrieve(self._query(query), config)]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        config = {"callbacks": run_manager.get_child()}
        return [as_document(p) for p in await self.retriever.aretrieve(self._query(query), config)]

    def _query(self, text: str) -> SearchQuery:
        return SearchQuery(text, self.k, self.caller, self.strategy)


def as_document(passage: Passage) -> Document:
    """Return a passage as a LangChain document."""
    own = passage.model_dump(include={"title", "id", "score", "score_kind"})
    own |= {key: getattr(passage, key) for key in ("path", "page", "heading", "start", "end")}
    return Document(
        id=passage.chunk_id or None,
        page_content=passage.text,
        metadata={**passage.metadata, **own},
    )


def from_langchain(retriever: BaseRetriever, *, version: str = "") -> Retriever:
    """Return a ragqa retriever over any LangChain one, so that it can serve a chain.

    Titles come from ``title``, else a file's name, else ``source`` and the like. Documents that
    the caller may not see (metadata ``groups``) and those that a filter excludes are dropped
    after retrieval, boosts are not applied: the foreign retriever knows nothing of them.

    Args:
        retriever: Looks documents up; its own settings decide how many.
        version: Names the state of its documents; change it when they change. Without it,
            nothing that depends on the state is shared between processes.
    """
    return LangChainRetriever(retriever, version=version)


class LangChainRetriever:
    """A ragqa retriever over a LangChain one. Use :func:`from_langchain`."""

    def __init__(self, retriever: BaseRetriever, *, version: str = "") -> None:
        self._retriever = retriever
        self._version = version or f"unversioned-{secrets.token_hex(6)}"

    def retrieve(self, query: SearchQuery, config: TraceConfig = None) -> list[Passage]:
        """Return at most ``query.k`` passages that the caller may see, best first."""
        try:
            found = self._retriever.invoke(query.text, _runnable_config(config))
            documents = _documents(self._retriever, found)
        except Exception as exc:
            raise _failed(self._retriever, exc) from exc
        return _wanted(documents, query)

    async def aretrieve(self, query: SearchQuery, config: TraceConfig = None) -> list[Passage]:
        """Do the same without blocking the event loop."""
        try:
            found = await self._retriever.ainvoke(query.text, _runnable_config(config))
            documents = _documents(self._retriever, found)
        except Exception as exc:
            raise _failed(self._retriever, exc) from exc
        return _wanted(documents, query)

    def version(self) -> str:
        """Name the state of the documents as far as it is known."""
        return self._version


def reranker_from_compressor(compressor: BaseDocumentCompressor, n: int) -> Reranker:
    """Return a reranker that lets a LangChain document compressor choose the best passages.

    The compressor decides which passages stay and in which order; their texts stay as they are,
    so that offsets of citations hold, even where it shortens its documents.

    Args:
        compressor: Any document compressor, for instance a cross-encoder reranker.
        n: How many passages stay at most.
    """
    return CompressorReranker(compressor, n)


class CompressorReranker:
    """A reranker over a document compressor. Use :func:`reranker_from_compressor`."""

    def __init__(self, compressor: BaseDocumentCompressor, n: int) -> None:
        self._compressor = compressor
        self._n = n

    def rerank(
        self, question: str, passages: Sequence[Passage], config: TraceConfig = None
    ) -> list[Passage]:
        """Return the fitting passages, best first."""
        if not passages:
            return []
        try:
            found = self._compressor.compress_documents(
                _numbered(passages), question, callbacks=(config or {}).get("callbacks")
            )
            kept = _documents(self._compressor, found)
        except Exception as exc:
            raise _failed(self._compressor, exc) from exc
        return self._chosen(passages, kept)

    async def arerank(
        self, question: str, passages: Sequence[Passage], config: TraceConfig = None
    ) -> list[Passage]:
        """Do the same without blocking the event loop."""
        if not passages:
            return []
        try:
            found = await self._compressor.acompress_documents(
                _numbered(passages), question, callbacks=(config or {}).get("callbacks")
            )
            kept = _documents(self._compressor, found)
        except Exception as exc:
            raise _failed(self._compressor, exc) from exc
        return self._chosen(passages, kept)

    def _chosen(self, passages: Sequence[Passage], kept: Sequence[Document]) -> list[Passage]:
        by_text = {passage.text: position for position, passage in enumerate(passages)}
        chosen: dict[int, Passage] = {}
        for document in kept:  # some compressors drop the metadata
            position = document.metadata.get(_POSITION, by_text.get(document.page_content))
            if position is not None:
                chosen.setdefault(position, _rescored(passages[position], document))
        return list(chosen.values())[: self._n]


def _numbered(passages: Sequence[Passage]) -> list[Document]:
    documents = [as_document(passage) for passage in passages]
    for position, document in enumerate(documents):
        document.metadata[_POSITION] = position
    return documents


def _rescored(passage: Passage, document: Document) -> Passage:
    score = number(document.metadata.get("relevance_score"))
    if score is None:
        return passage
    return passage.model_copy(update={"score": score, "score_kind": "reranker"})


def _wanted(documents: Sequence[Document], query: SearchQuery) -> list[Passage]:
    passages = [as_passage(document) for document in documents if document.page_content.strip()]
    return [
        passage
        for passage in passages
        if query.caller.may_see(passage.groups) and fits(passage, query.strategy.filter)
    ][: max(0, query.k)]


def _runnable_config(config: TraceConfig) -> RunnableConfig | None:
    return None if config is None else cast(RunnableConfig, dict(config))


def _documents(part: object, found: Any) -> list[Document]:
    """Return what a part returned, where that is documents."""
    documents = list(found) if isinstance(found, Iterable) else [found]
    for each in documents:
        if not isinstance(each, Document):
            raise RetrievalError(
                f"{type(part).__name__} returned {type(each).__name__} in place of documents.",
                hint="Have it return a list of langchain_core.documents.Document.",
            )
    return documents


def _failed(part: object, exc: Exception) -> RagqaError:
    if isinstance(exc, RagqaError):
        return exc
    # Not the foreign message: it may hold a key or the text.
    return RetrievalError(
        f"{type(part).__name__} failed ({type(exc).__name__}).",
        hint="Its own settings and logs tell more.",
    )
