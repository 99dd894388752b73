"""A drop-in for LangChain's RetrievalQA: its keys, our gates.

Takes ``{"query": …}`` (or a string) and gives ``{"query", "result", "source_documents"}``; beside
these, ``response`` is the QAResponse and ``answer`` the whole Answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chains.stuff import pipeline
from ragqa.contract import Passage, Turn
from ragqa.flow import answer_of
from ragqa.ports import Parts
from ragqa.stages.begin import begin
from ragqa.stages.whole import whole

if TYPE_CHECKING:
    from langchain_core.documents import Document

    from ragqa.flow.runnable import ChainRunnable


def build(parts: Parts) -> ChainRunnable:
    """Return the chain as a LangChain Runnable with RetrievalQA's keys."""
    from ragqa.flow.runnable import ChainRunnable

    return ChainRunnable(
        "retrieval_qa", whole(pipeline(parts), parts), begin(parts, "retrieval_qa"), finish=result
    )


def result(turn: Turn) -> dict[str, Any]:
    """Return an answered turn under RetrievalQA's keys."""
    answer = answer_of(turn)
    return {
        "query": turn.question.text,
        "result": answer.response.answer,
        "source_documents": [_document(passage) for passage in turn.passages],
        "response": answer.response,
        "answer": answer,
    }


def _document(passage: Passage) -> Document:
    from langchain_core.documents import Document

    own = {"title": passage.title, "id": passage.id, "path": passage.path, "page": passage.page}
    return Document(page_content=passage.text, metadata={**passage.metadata, **own})
