"""What every Retriever does, whatever is behind it. Made from the same documents each time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ragqa.contract import Caller, Passage, Strategy
from ragqa.ports import Chunk, Retriever, SearchQuery, StoredFile
from ragqa.retrieval.azure.clients import Access
from ragqa.retrieval.azure.fields import FieldNames
from ragqa.retrieval.azure.queries import SearchType
from ragqa.retrieval.azure.retriever import azure_retriever
from ragqa.retrieval.azure.store import AzureStore
from ragqa.retrieval.embedded import EmbeddedIndex
from ragqa.retrieval.langchain import as_langchain, from_langchain
from tests.unit.retrieval.shelf import WordEmbeddings
from tests.wire.azure.search_server import SearchServer

RETURNS = "A kettle can be returned within 30 days of delivery."
WARRANTY = "The warranty of a kettle lasts two years."
BOARD = "The board plans a new kettle."
CHINESE = "签收后30天内可以退货，需保留包装。"
BRACES = "Use {order_id} in the kettle <script>alert(1)</script> subject %s."


def chunk(doc_id: str, text: str, **fields: Any) -> Chunk:
    return Chunk(doc_id, "", text, 0, len(text), **fields)


DOCUMENTS = [
    chunk("returns.md", RETURNS, heading="Returns > Kettles", metadata={"category": "policy"}),
    chunk("warranty.pdf", WARRANTY, page=7, metadata={"category": "policy"}),
    chunk("board.md", BOARD, groups=("board",)),
    chunk("退货政策.md", CHINESE),
    chunk("braces.md", BRACES),
]


def embedded(folder: Path, search_type: str) -> EmbeddedIndex:
    index = EmbeddedIndex(folder, embeddings=WordEmbeddings(), search_type=search_type)
    with index.writer() as writer:
        for one in DOCUMENTS:
            file = StoredFile(one.doc_id, "1", one.doc_id, one.doc_id)
            writer.replace(file, [one])
    return index


def at_azure(stack: ExitStack, search_type: SearchType) -> Retriever:
    """Search a local server that speaks Azure AI Search's protocol."""
    server = stack.enter_context(SearchServer())
    fields = FieldNames(groups="groups")
    store = AzureStore(
        Access(server.endpoint, "kb", server.admin_key),
        fields=fields,
        embeddings=WordEmbeddings(),
    )
    with store.writer() as writer:
        for one in DOCUMENTS:
            writer.replace(StoredFile(one.doc_id, "1", one.doc_id, one.doc_id), [one])
    return azure_retriever(
        Access(server.endpoint, "kb", server.query_key),
        fields=fields,
        embeddings=WordEmbeddings(),
        search_type=search_type,
    )


def behind_langchain(folder: Path) -> Retriever:
    """Go through both adapters; groups are trimmed by the inner one."""
    inner = as_langchain(embedded(folder, "keyword"), k=50)

    class Passing:
        def retrieve(self, query: SearchQuery, config: Any = None) -> Any:
            return self._for(query).retrieve(query, config)

        async def aretrieve(self, query: SearchQuery, config: Any = None) -> Any:
            return await self._for(query).aretrieve(query, config)

        def version(self) -> str:
            return "1"

        def _for(self, query: SearchQuery) -> Retriever:
            return from_langchain(inner.model_copy(update={"caller": query.caller}))

    return Passing()


IMPLEMENTATIONS: dict[str, Callable[[Path, ExitStack], Retriever]] = {
    "embedded keyword": lambda folder, _: embedded(folder, "keyword"),
    "embedded similarity": lambda folder, _: embedded(folder, "similarity"),
    "embedded hybrid": lambda folder, _: embedded(folder, "hybrid"),
    "Azure keyword": lambda _, stack: at_azure(stack, "keyword"),
    "Azure similarity": lambda _, stack: at_azure(stack, "similarity"),
    "Azure hybrid": lambda _, stack: at_azure(stack, "hybrid"),
    "LangChain": lambda folder, _: behind_langchain(folder),
}


@pytest.fixture(params=IMPLEMENTATIONS)
def retriever(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Retriever]:
    with ExitStack() as stack:
        yield IMPLEMENTATIONS[request.param](tmp_path / "index", stack)


def ask(retriever: Retriever, text: str, **options: Any) -> dict[str, Passage]:
    return {p.title: p for p in retriever.retrieve(SearchQuery(text, **options))}


def test_the_best_comes_first(retriever: Retriever) -> None:
    assert next(iter(ask(retriever, "how long does the warranty last"))) == "warranty.pdf"
    assert next(iter(ask(retriever, "退货要保留包装吗"))) == "退货政策.md"
    scores = [p.score for p in retriever.retrieve(SearchQuery("kettle", k=10))]
    assert scores == sorted(scores, reverse=True)


def test_passages_are_whole(retriever: Retriever) -> None:
    passage = ask(retriever, "warranty of a kettle")["warranty.pdf"]
    assert passage.text == WARRANTY
    assert (passage.start, passage.end) == (0, len(WARRANTY))
    assert (passage.id, passage.path, passage.page) == ("warranty.pdf", "warranty.pdf", 7)
    assert passage.chunk_id
    assert passage.score_kind != "unknown"
    assert ask(retriever, "returned kettle")["returns.md"].heading == "Returns > Kettles"
    assert ask(retriever, "kettle subject script")["braces.md"].text == BRACES


@pytest.mark.parametrize("k", [1, 2, 50])
def test_at_most_k(retriever: Retriever, k: int) -> None:
    assert 1 <= len(ask(retriever, "kettle", k=k)) <= k


def test_nothing_is_retrieved_that_the_caller_may_not_see(retriever: Retriever) -> None:
    for caller in (Caller(), Caller(groups=("staff",))):
        found = ask(retriever, "the board plans a new kettle", k=50, caller=caller)
        assert "board.md" not in found
        assert all(caller.may_see(p.groups) for p in found.values())
    board = Caller(groups=("staff", "board"))
    assert "board.md" in ask(retriever, "the board plans a new kettle", caller=board)


def test_a_filter_keeps_the_rest_out(retriever: Retriever) -> None:
    policy = Strategy(filter={"category": "policy"})
    assert set(ask(retriever, "kettle", k=50, strategy=policy)) == {"returns.md", "warranty.pdf"}
    either = Strategy(filter={"title": ["braces.md", "returns.md"]})
    assert set(ask(retriever, "kettle", k=50, strategy=either)) == {"returns.md", "braces.md"}


@pytest.mark.parametrize("text", ['a AND ("', "title:kettle^2 -x", "{kettle} %s", "🫖", "水" * 300])
def test_a_question_is_no_program(retriever: Retriever, text: str) -> None:
    assert len(ask(retriever, text)) <= 5


async def test_async_finds_the_same(retriever: Retriever) -> None:
    query = SearchQuery("returning a kettle", caller=Caller(groups=("board",)))
    assert list(await retriever.aretrieve(query)) == list(retriever.retrieve(query))


def test_the_version_is_stable(retriever: Retriever) -> None:
    before = retriever.version()
    assert before
    retriever.retrieve(replace(SearchQuery("kettle"), k=1))
    assert retriever.version() == before
