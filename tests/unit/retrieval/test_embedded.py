from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragqa.contract import MAX_QUESTION_CHARS, Strategy
from ragqa.errors import ConfigError, RetrievalError, UnknownNameError
from ragqa.ports import DocumentStore, Retriever, SearchQuery
from ragqa.retrieval.embedded import EmbeddedIndex
from tests.unit.retrieval.shelf import WordEmbeddings, chunks, file, put, titles

Opened = Callable[..., EmbeddedIndex]


def test_it_is_a_retriever_and_a_document_store(index: EmbeddedIndex) -> None:
    retriever: Retriever = index
    store: DocumentStore = index
    assert retriever is store


def test_english_is_found_by_stems(index: EmbeddedIndex) -> None:
    put(index, {"returns.md": "Kettles can be returned within 30 days.", "pans.md": "Pans fry."})
    assert titles(index, "May I return a kettle?") == ["returns.md"]


def test_chinese_is_found_by_words(index: EmbeddedIndex) -> None:
    put(index, {"退货政策.md": "签收后30天内可以退货。", "价格.md": "水壶的价格是200元。"})
    assert titles(index, "退货期限是几天？")[0] == "退货政策.md"
    assert titles(index, "水壶") == ["价格.md"]
    assert titles(index, "货") == []


def test_a_passage_carries_all_that_a_citation_needs(index: EmbeddedIndex) -> None:
    first, second = "Kettles boil water.\r\n", "They switch off on their own."
    put(index, {"m/kettle.pdf": chunks("m/kettle.pdf", first, second, page=7, heading="Use")})
    (passage,) = index.retrieve(SearchQuery("switch"))
    assert passage.text == second
    assert (passage.start, passage.end) == (len(first), len(first) + len(second))
    assert (passage.id, passage.title, passage.path) == (
        "m/kettle.pdf",
        "kettle.pdf",
        "m/kettle.pdf",
    )
    assert (passage.page, passage.heading, passage.groups) == (7, "Use", ("*",))
    assert passage.chunk_id == "m/kettle.pdf#1"
    assert passage.score > 0
    assert passage.score_kind == "bm25"


@pytest.mark.parametrize(
    "question",
    [
        "a AND (",
        "title:x",
        '"unclosed kettle',
        "kettle~2 ^3 [1 TO 2} NOT -kettle +(",
        "*",
        "?",
        "\\",
        "kettle\x00\x1f\x7f",
        "😀🫖 kettle",
        "\ud800 kettle \udfff",
        "",
        " \t\r\n",
        "{0} {kettle} %s %(x)s",
        "kettle " * (MAX_QUESTION_CHARS // 7),
        " ".join(f"kettle{n} boils" for n in range(300))[:MAX_QUESTION_CHARS],
        "水" * MAX_QUESTION_CHARS,
        "k" * MAX_QUESTION_CHARS,
        "ﬁ ﷺ Ω ℌ",
        "a b " * 100_000,
    ],
)
@pytest.mark.parametrize("search_type", ["keyword", "similarity", "hybrid"])
def test_no_question_is_an_operator_or_an_error(
    opened: Opened, embeddings: WordEmbeddings, question: str, search_type: str
) -> None:
    index = opened(embeddings=embeddings)
    put(index, {"kettle.md": "A kettle boils water.", "pan.md": "A pan fries. 水"})
    query = SearchQuery(question, strategy=Strategy(search_type=search_type))
    passages = index.retrieve(query)
    assert len(passages) <= 2
    if "kettle" in question and search_type == "keyword":
        assert passages[0].title == "kettle.md" or "kettle" not in question.split()


def test_async_search_finds_the_same(opened: Opened, embeddings: WordEmbeddings) -> None:
    for index in (opened(embeddings=embeddings), opened()):
        put(index, {"kettle.md": "A kettle boils water.", "pan.md": "A pan fries."})
        query = SearchQuery("boiling kettle")
        found = asyncio.run(index.aretrieve(query))
        assert found == index.retrieve(query)
        assert found[0].title == "kettle.md"


def test_replacing_and_removing(index: EmbeddedIndex) -> None:
    put(index, {"a.md": ["kettle one", "kettle two"], "b.md": "kettle three"})
    put(index, {"a.md": "pan"})
    assert titles(index, "kettle") == ["b.md"]
    assert titles(index, "pan") == ["a.md"]
    with index.writer() as writer:
        writer.remove("b.md")
        writer.remove("never/there.md")
    assert titles(index, "kettle") == []
    assert list(index.files()) == ["a.md"]


def test_two_files_of_one_name_stay_two(index: EmbeddedIndex) -> None:
    put(index, {"de/returns.md": "kettle", "en/returns.md": "kettle", "returns.md": "kettle"})
    with index.writer() as writer:
        writer.remove("returns.md")
    assert sorted(p.path or "" for p in index.retrieve(SearchQuery("kettle"))) == [
        "de/returns.md",
        "en/returns.md",
    ]


def test_the_same_file_twice_in_one_go_counts_once(index: EmbeddedIndex) -> None:
    with index.writer() as writer:
        for text in ("kettle", "pan"):
            writer.replace(file("a.md"), chunks("a.md", text))
    assert titles(index, "kettle pan") == ["a.md"]
    assert titles(index, "kettle") == []


def test_nothing_is_there_before_the_first_writer(index: EmbeddedIndex) -> None:
    assert dict(index.files()) == {}
    assert index.version() == "none"
    with pytest.raises(RetrievalError) as caught:
        index.retrieve(SearchQuery("kettle"))
    assert "no index" in caught.value.message
    assert "ragqa index PATH" in caught.value.hint
    assert not index.folder.exists()


def test_an_empty_index_says_how_to_fill_it(index: EmbeddedIndex) -> None:
    put(index, {"a.md": "kettle"})
    with index.writer() as writer:
        writer.remove("a.md")
    with pytest.raises(RetrievalError, match="empty") as caught:
        index.retrieve(SearchQuery("kettle"))
    assert "ragqa index PATH" in caught.value.hint


def test_the_version_changes_with_the_documents_only(opened: Opened) -> None:
    writing, reading = opened(), opened()
    put(writing, {"a.md": "kettle"})
    seen = [reading.version()]
    for content in ("pan", "pan", "pot"):
        put(writing, {"a.md": content})
        seen.append(reading.version())
    assert len(set(seen)) == 4
    with writing.writer():
        pass
    assert reading.version() == writing.version() == opened().version() == seen[-1]


def test_another_index_in_the_same_place_has_another_version(
    opened: Opened, tmp_path: Path
) -> None:
    put(opened(), {"a.md": "kettle"})
    first = opened().version()
    other = EmbeddedIndex(tmp_path / "other")
    put(other, {"a.md": "kettle"})
    assert other.version() != first


def test_the_version_is_the_same_in_another_process(index: EmbeddedIndex) -> None:
    put(index, {"a.md": "kettle"})
    code = (
        "import sys; from pathlib import Path; from ragqa.retrieval.embedded import EmbeddedIndex;"
        "print(EmbeddedIndex(Path(sys.argv[1])).version())"
    )
    said = subprocess.run(
        [sys.executable, "-c", code, str(index.folder)], capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() == index.version()


def test_an_open_searcher_sees_a_commit_at_once(opened: Opened) -> None:
    reading, writing = opened(), opened()
    put(writing, {"a.md": "kettle"})
    assert titles(reading, "pan") == []
    put(writing, {"b.md": "pan"})
    assert titles(reading, "pan") == ["b.md"]


def test_threads_share_a_searcher(opened: Opened) -> None:
    reading, writing = opened(), opened()
    put(writing, {"a.md": "kettle 0"})
    wrong: list[str] = []

    def search() -> None:
        for _ in range(100):
            if titles(reading, "kettle") != ["a.md"]:
                wrong.append("lost")

    threads = [threading.Thread(target=search) for _ in range(4)]
    for thread in threads:
        thread.start()
    for round_ in range(10):
        put(writing, {"a.md": f"kettle {round_}"})
    for thread in threads:
        thread.join()
    assert wrong == []


def test_search_types_need_what_they_need(opened: Opened, embeddings: WordEmbeddings) -> None:
    with pytest.raises(ConfigError, match="embedding model"):
        opened(search_type="hybrid")
    with pytest.raises(UnknownNameError) as caught:
        opened(search_type="semantic_hybrid")
    assert "keyword" in caught.value.hint
    index = opened(embeddings=embeddings, search_type="keyword")
    put(index, {"a.md": "kettle"})
    assert embeddings.batches == []
    with pytest.raises(ConfigError, match="similarity"):
        titles(index, "kettle", search_type="similarity")


def test_scores_say_what_they_are(opened: Opened, embeddings: WordEmbeddings) -> None:
    index = opened(embeddings=embeddings)
    put(index, {"a.md": "kettle", "b.md": "pan"})

    def kind(search_type: str | None) -> str:
        query = SearchQuery("kettle", strategy=Strategy(search_type=search_type))
        return index.retrieve(query)[0].score_kind

    assert [kind(t) for t in (None, "keyword", "similarity", "hybrid")] == [
        "fused",
        "bm25",
        "vector",
        "fused",
    ]


def test_stats(opened: Opened, embeddings: WordEmbeddings) -> None:
    index = opened(embeddings=embeddings)
    put(index, {"a.md": ["one", "two"], "b.md": "three"})
    stats = index.stats()
    assert (stats.files, stats.documents, stats.chunks) == (2, 2, 3)
    assert stats.embedding_model == "words"
    assert stats.version == index.version()
    on_disk = sum(p.stat().st_size for p in index.folder.rglob("*") if p.is_file())
    assert stats.size_bytes == on_disk > 0
    with pytest.raises(RetrievalError, match="no index"):
        EmbeddedIndex(index.folder / "nowhere").stats()


def test_a_keyword_search_loads_no_heavy_package(index: EmbeddedIndex) -> None:
    put(index, {"a.md": "kettle"})
    code = (
        "import sys; from pathlib import Path;"
        "from ragqa.retrieval.embedded import EmbeddedIndex; from ragqa.ports import SearchQuery;"
        "assert EmbeddedIndex(Path(sys.argv[1])).retrieve(SearchQuery('kettle'));"
        "print([m for m in ('numpy', 'langchain_core', 'rjieba', 'asyncio', 'httpx', 'rich')"
        " if m in sys.modules])"
    )
    said = subprocess.run(
        [sys.executable, "-c", code, str(index.folder)], capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() == "[]"


async def test_a_small_index_that_is_open_is_searched_in_the_event_loop(tmp_path: Path) -> None:
    threads: list[int] = []

    class Watched(EmbeddedIndex):
        def _begin(self, query: SearchQuery) -> Any:
            threads.append(threading.get_ident())
            return super()._begin(query)

    put(Watched(tmp_path), {"a.md": "A kettle can be returned."})
    index = Watched(tmp_path)
    for _ in range(2):
        assert [p.title for p in await index.aretrieve(SearchQuery("kettle"))] == ["a.md"]
    assert threads[0] != threading.get_ident(), "opening an index takes longer"
    assert threads[1] == threading.get_ident()
