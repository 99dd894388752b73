"""Retrieval alone: passages, and a LangChain retriever."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ragqa.app.given import settings_of
from ragqa.contract import Caller, Passage
from ragqa.ports import SearchQuery
from ragqa.settings import Settings
from ragqa.settings.resolve import missing_for_retriever, require

if TYPE_CHECKING:
    from langchain_core.retrievers import BaseRetriever


def search(
    question: str,
    *,
    k: int | None = None,
    groups: Iterable[str] = (),
    settings: Settings | None = None,
) -> Sequence[Passage]:
    """Find passages, best first. No answer is written.

    Args:
        question: What to look for.
        k: How many at most; ``RAGQA_TOP_K`` if not given.
        groups: What the caller belongs to: decides which documents may be found.
        settings: All settings; read from their sources if not given.

    Raises:
        ConfigError: If settings are wrong or missing, or the question is empty or too long.
        RetrievalError: If there is no index, or it is empty.
    """
    from ragqa.app.parts import retriever_for
    from ragqa.stages.begin import question_of

    text = question_of({"question": question}).text
    settings = settings_of(settings)
    require(settings, missing_for_retriever(settings), purpose="to search documents")
    query = SearchQuery(
        text,
        k=k or settings.top_k,
        caller=Caller(groups=tuple(groups)),
        timeout_s=settings.timeout_s,
    )
    found = retriever_for(settings).retrieve(query)
    # The index has trimmed already; one that did not must not leak.
    return tuple(passage for passage in found if query.caller.may_see(passage.groups))


def retriever(settings: Settings | None = None) -> BaseRetriever:
    """Return a LangChain retriever over the index; k is ``RAGQA_TOP_K``.

    Its documents carry ``title, id, path, page`` in their metadata.

    Raises:
        ConfigError: If settings are wrong or missing.
    """
    from ragqa.app.parts import retriever_for
    from ragqa.retrieval.langchain import as_langchain

    settings = settings_of(settings)
    require(settings, missing_for_retriever(settings), purpose="to search documents")
    return as_langchain(retriever_for(settings), k=settings.top_k)
