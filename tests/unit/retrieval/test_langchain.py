from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler, CallbackManagerForRetrieverRun
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda

from ragqa.contract import Caller, Passage, Strategy
from ragqa.errors import AuthError, RetrievalError
from ragqa.ports import SearchQuery
from ragqa.retrieval.embedded import EmbeddedIndex
from ragqa.retrieval.langchain import (
    as_langchain,
    as_passage,
    from_langchain,
    reranker_from_compressor,
)
from tests.unit.retrieval.shelf import chunks, put


class Listening(BaseCallbackHandler):
    def __init__(self) -> None:
        self.heard: list[str] = []

    def on_retriever_start(self, serialized: Any, query: str, **kwargs: Any) -> None:
        self.heard.append(f"start {query}")

    def on_retriever_end(self, documents: Sequence[Document], **kwargs: Any) -> None:
        self.heard.append(f"end {len(documents)}")


@pytest.fixture
def filled(index: EmbeddedIndex) -> EmbeddedIndex:
    pages = chunks("m.pdf", "A kettle boils.", page=4, heading="Use", metadata={"year": 2024})
    put(index, {"m.pdf": pages, "kettle.md": "More of a kettle."})
    put(index, {"secret.md": "A secret kettle."}, groups=("staff",))
    return index


def test_documents_carry_what_a_chain_needs(filled: EmbeddedIndex) -> None:
    (document,) = as_langchain(filled, k=1).invoke("boiling kettle")
    passage = filled.retrieve(SearchQuery("boiling kettle", 1))[0]
    assert document.page_content == "A kettle boils."
    assert document.id == "m.pdf#0"
    assert document.metadata == {
        "title": "m.pdf",
        "id": "m.pdf",
        "path": "m.pdf",
        "page": 4,
        "heading": "Use",
        "start": 0,
        "end": 15,
        "score": passage.score,
        "score_kind": "bm25",
        "year": 2024,
    }


async def test_it_is_a_runnable_with_callbacks(filled: EmbeddedIndex) -> None:
    retriever = as_langchain(filled)
    assert isinstance(retriever, BaseRetriever)
    listening = Listening()
    found = retriever.invoke("kettle", config={"callbacks": [listening]})
    assert found == await retriever.ainvoke("kettle", config={"callbacks": [listening]})
    assert listening.heard == ["start kettle", "end 2"] * 2
    titles = retriever | RunnableLambda(lambda docs: [d.metadata["title"] for d in docs])
    assert titles.batch(["boils", "more"]) == [["m.pdf"], ["kettle.md"]]


def test_caller_and_strategy_are_passed_on(filled: EmbeddedIndex) -> None:
    staff = as_langchain(filled, caller=Caller(groups=("staff",)))
    assert len(staff.invoke("kettle")) == 3
    assert len(as_langchain(filled).invoke("kettle")) == 2
    narrow = as_langchain(filled, strategy=Strategy(filter={"year": 2024}))
    assert [d.metadata["title"] for d in narrow.invoke("kettle")] == ["m.pdf"]


class Fixed(BaseRetriever):
    """Returns the same documents, or raises."""

    documents: Sequence[Document] = ()
    error: Any = None

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        if self.error:
            raise self.error
        return list(self.documents)


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ({"title": "Returns"}, {"title": "Returns", "id": "unknown", "path": None}),
        ({"source": "/data/docs/a.pdf"}, {"title": "a.pdf", "id": "/data/docs/a.pdf"}),
        ({"source": "C:\\docs\\a.pdf"}, {"title": "a.pdf"}),
        ({"source": "https://example.com/help/"}, {"title": "help"}),
        ({"file_name": "b.md", "source": "x"}, {"title": "b.md", "path": "x"}),
        ({"title": "", "filename": "c.md"}, {"title": "c.md"}),
        ({}, {"title": "unknown", "id": "unknown"}),
        ({"page": 0, "page_label": "1"}, {"page": 1}),
        ({"page": 0, "page_label": "iv"}, {"page": 0}),
        ({"page_number": 3.0}, {"page": 3}),
        ({"page": "x"}, {"page": None}),
        ({"page": -1}, {"page": None}),
        ({"score": "0.5", "score_kind": "vector"}, {"score": 0.5, "score_kind": "vector"}),
        ({"relevance_score": 2, "score_kind": "mine"}, {"score": 2.0, "score_kind": "unknown"}),
        ({"score": float("nan")}, {"score": 0.0, "score_kind": "unknown"}),
        ({"score": True}, {"score": 0.0}),
        ({"start_index": 7}, {"start": 7, "end": 11}),
        ({"groups": "staff"}, {"groups": ("staff",)}),
        ({"groups": ["a", "b"]}, {"groups": ("a", "b")}),
        ({"groups": []}, {"groups": ()}),
        ({"title": 7, "heading": None, "id": 0}, {"title": "7", "heading": "", "id": "0"}),
    ],
)
def test_foreign_documents_become_passages(
    metadata: dict[str, Any], expected: dict[str, Any]
) -> None:
    passage = as_passage(Document(page_content="text", metadata=metadata))
    assert {name: getattr(passage, name) for name in expected} == expected
    assert passage.text == "text"


async def test_a_foreign_retriever_serves_as_one_of_ours() -> None:
    found = [
        Document(page_content="first", metadata={"title": "A"}),
        Document(page_content="  ", metadata={"title": "blank"}),
        Document(page_content="second", metadata={"title": "B", "groups": ["staff"]}),
        Document(page_content="third", metadata={"title": "C", "kind": "x"}),
    ]
    retriever = from_langchain(Fixed(documents=found))

    def titles(passages: Sequence[Passage]) -> list[str]:
        return [passage.title for passage in passages]

    assert titles(retriever.retrieve(SearchQuery("q"))) == ["A", "C"]
    assert titles(await retriever.aretrieve(SearchQuery("q", k=1))) == ["A"]
    staff = SearchQuery("q", caller=Caller(groups=("staff",)))
    assert titles(retriever.retrieve(staff)) == ["A", "B", "C"]
    narrow = SearchQuery("q", strategy=Strategy(filter={"kind": ["x", "y"]}))
    assert titles(retriever.retrieve(narrow)) == ["C"]
    listening = Listening()
    retriever.retrieve(SearchQuery("q"), {"callbacks": [listening]})
    assert listening.heard == ["start q", "end 4"]


def test_the_version_of_a_foreign_retriever_is_not_shared_unless_given() -> None:
    first, second = from_langchain(Fixed()), from_langchain(Fixed())
    assert first.version() == first.version() != second.version()
    assert from_langchain(Fixed(), version="2024-05").version() == "2024-05"


async def test_failures_of_foreign_retrievers_are_ours() -> None:
    failing = from_langchain(Fixed(error=KeyError("sk-123")))
    with pytest.raises(RetrievalError, match="Fixed failed") as caught:
        failing.retrieve(SearchQuery("q"))
    assert "sk-123" not in str(caught.value)
    with pytest.raises(RetrievalError):
        await failing.aretrieve(SearchQuery("q"))
    with pytest.raises(AuthError):
        from_langchain(Fixed(error=AuthError("refused"))).retrieve(SearchQuery("q"))


async def test_there_and_back(filled: EmbeddedIndex) -> None:
    back = from_langchain(as_langchain(filled))
    ours, theirs = (r.retrieve(SearchQuery("kettle")) for r in (filled, back))
    kept = {"title", "id", "text", "score", "score_kind", "path", "page", "heading", "start", "end"}
    for one, other in zip(ours, theirs, strict=True):
        assert {n: getattr(one, n) for n in kept} == {n: getattr(other, n) for n in kept}


class Odd(BaseRetriever):
    found: Any

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> Any:
        return self.found


@pytest.mark.parametrize(("found", "kind"), [(None, "NoneType"), (["text"], "str"), ([{}], "dict")])
async def test_what_is_no_document_is_named(found: Any, kind: str) -> None:
    retriever = from_langchain(Odd(found=found))
    with pytest.raises(RetrievalError, match=f"Odd returned {kind}") as caught:
        retriever.retrieve(SearchQuery("q"))
    assert "Document" in caught.value.hint
    with pytest.raises(RetrievalError, match=f"Odd returned {kind}"):
        await retriever.aretrieve(SearchQuery("q"))


def test_half_a_character_is_written_as_the_mark_for_it() -> None:
    passage = as_passage(Document("a\ud800b", metadata={"title": "\udcff.md"}))
    assert (passage.text, passage.title, passage.end) == ("a\ufffdb", "\ufffd.md", 3)


class ByLength(BaseDocumentCompressor):
    """Keeps passages of more than ten characters, longest first, shortened and scored."""

    error: Any = None

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Any = None
    ) -> Sequence[Document]:
        if self.error:
            raise self.error
        best = sorted((d for d in documents if len(d.page_content) > 10), key=_minus_length)
        return [
            Document(
                page_content=d.page_content[:5],
                metadata={**d.metadata, "relevance_score": len(d.page_content)},
            )
            for d in best
        ]


def _minus_length(document: Document) -> int:
    return -len(document.page_content)


async def test_a_compressor_reranks_and_texts_stay_whole() -> None:
    texts = ["short", "a longer passage", "the longest passage of all", "middle passage"]
    passages = [Passage(id=t, title=t, text=t, start=3, end=3 + len(t)) for t in texts]
    reranker = reranker_from_compressor(ByLength(), 2)
    best = reranker.rerank("q", passages)
    assert [p.text for p in best] == [texts[2], texts[1]]
    assert [(p.score, p.score_kind) for p in best] == [(26.0, "reranker"), (16.0, "reranker")]
    assert (best[0].start, best[0].end) == (3, 29)
    assert best == await reranker.arerank("q", passages)
    assert reranker.rerank("q", []) == await reranker.arerank("q", []) == []
    assert reranker.rerank("q", passages[:1]) == []


class Bare(BaseDocumentCompressor):
    """Keeps texts only, the last one first, and adds one of its own."""

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Any = None
    ) -> Sequence[Document]:
        kept = [Document(page_content=document.page_content) for document in documents]
        return [*reversed(kept), Document(page_content="of its own")]


def test_a_compressor_may_drop_the_metadata() -> None:
    passages = [Passage(id=t, title=t, text=t) for t in ("a", "b")]
    assert reranker_from_compressor(Bare(), 5).rerank("q", passages) == passages[::-1]


async def test_failures_of_compressors_are_ours() -> None:
    passages = [Passage(id="a", title="a", text="a")]
    reranker = reranker_from_compressor(ByLength(error=ValueError("sk-123")), 2)
    with pytest.raises(RetrievalError, match="ByLength failed") as caught:
        reranker.rerank("q", passages)
    assert "sk-123" not in str(caught.value)
    with pytest.raises(RetrievalError):
        await reranker.arerank("q", passages)
