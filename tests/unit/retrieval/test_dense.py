from __future__ import annotations

from collections.abc import Callable

import pytest

from ragqa.errors import RetrievalError
from ragqa.ports import SearchQuery
from ragqa.retrieval.embedded import EmbeddedIndex
from ragqa.retrieval.embedding import BATCH
from tests.unit.retrieval.shelf import WordEmbeddings, put, titles

Opened = Callable[..., EmbeddedIndex]

SIMILAR = {"search_type": "similarity"}


def test_similarity_and_hybrid_find_by_meaning(opened: Opened, embeddings: WordEmbeddings) -> None:
    index = opened(embeddings=embeddings)
    put(
        index, {"kettle.md": "kettle boils water", "pan.md": "pan fries", "tea.md": "water for tea"}
    )
    assert titles(index, "boils water", **SIMILAR)[:2] == ["kettle.md", "tea.md"]
    assert titles(index, "boils water")[0] == "kettle.md"


def test_a_search_by_words_needs_no_vector_of_the_question(opened: Opened) -> None:
    class Once(WordEmbeddings):
        def embed_query(self, text: str) -> list[float]:
            assert text != "boils"
            return super().embed_query(text)

    index = opened(embeddings=Once())
    put(index, {"kettle.md": "kettle boils water"})
    assert titles(index, "boils", search_type="keyword") == ["kettle.md"]


def test_only_new_chunks_are_embedded(opened: Opened, embeddings: WordEmbeddings) -> None:
    index = opened(embeddings=embeddings)
    put(index, {"a.md": ["one", "two"], "b.md": "one"})
    assert sorted(embeddings.embedded) == ["a.md\none", "a.md\ntwo", "b.md\none"]
    embeddings.batches.clear()
    put(opened(embeddings=embeddings), {"a.md": ["one", "three"], "c/b.md": "one"})
    assert embeddings.embedded == ["a.md\nthree"]


def test_texts_are_embedded_in_batches(opened: Opened, embeddings: WordEmbeddings) -> None:
    index = opened(embeddings=embeddings)
    put(index, {f"{n}.md": [f"text {n} {m}" for m in range(10)] for n in range(30)})
    sizes = [len(batch) for batch in embeddings.batches]
    assert sum(sizes) == 300
    assert max(sizes) == BATCH
    assert len(sizes) == -(-300 // BATCH)


def test_vectors_of_what_is_gone_are_swept(opened: Opened, embeddings: WordEmbeddings) -> None:
    index = opened(embeddings=embeddings)
    put(index, {f"{n}.md": f"kettle {n}" for n in range(10)})
    (rows,) = index.folder.rglob("*.rows")
    size = rows.stat().st_size
    with index.writer() as writer:
        for n in range(5):
            writer.remove(f"{n}.md")
    (rows,) = index.folder.rglob("*.rows")
    assert rows.stat().st_size == size // 2
    assert set(titles(index, "kettle", k=20, **SIMILAR)) == {f"{n}.md" for n in range(5, 10)}


def test_vectors_follow_filters_groups_and_boosts(
    opened: Opened, embeddings: WordEmbeddings
) -> None:
    index = opened(embeddings=embeddings)
    put(index, {f"secret/{n}.md": "kettle" for n in range(400)}, groups=("board",))
    put(index, {"open/a.md": "kettle water"}, metadata={"kind": "a"})
    put(index, {"open/b.md": "kettle water tea"}, metadata={"kind": "b"})
    for kind in ("similarity", "hybrid"):
        assert titles(index, "kettle", search_type=kind) == ["a.md", "b.md"]
        assert titles(index, "kettle", search_type=kind, filter={"kind": "b"}) == ["b.md"]
        assert titles(index, "kettle", search_type=kind, boost={"kind=b": 5.0})[0] == "b.md"
        assert titles(index, "kettle", search_type=kind, filter={"path": "secret/*"}) == []
        assert len(titles(index, "kettle", k=600, search_type=kind, groups=("board",))) == 402


def test_a_boost_helps_where_a_cosine_is_below_zero(opened: Opened) -> None:
    class Opposed(WordEmbeddings):
        def embed_query(self, text: str) -> list[float]:
            return {"near": [1.0, 0.0], "a.md\nfar": [-0.9, 0.1], "b.md\nfar": [-1.0, 0.2]}[text]

    index = opened(embeddings=Opposed())
    put(index, {"a.md": "far", "b.md": "far"})
    assert titles(index, "near", boost={"a.md": 3.0}, **SIMILAR) == ["a.md", "b.md"]
    assert titles(index, "near", boost={"b.md": 3.0}, **SIMILAR) == ["b.md", "a.md"]


def test_equal_passages_are_all_found(opened: Opened, embeddings: WordEmbeddings) -> None:
    index = opened(embeddings=embeddings)
    put(index, {"a/x.md": "kettle", "b/x.md": "kettle"})
    passages = index.retrieve(SearchQuery("kettle"))
    assert sorted(p.path or "" for p in passages) == ["a/x.md", "b/x.md"]


def asks_for_indexing(index: EmbeddedIndex, name: str) -> None:
    for kind in ("similarity", "hybrid"):
        with pytest.raises(RetrievalError) as caught:
            titles(index, "kettle", search_type=kind)
        assert name in caught.value.message
        assert "ragqa index PATH" in caught.value.hint
    assert {file.content_hash for file in index.files().values()} == {""}
    assert titles(index, "kettle", search_type="keyword")


@pytest.mark.parametrize(
    "other",
    [WordEmbeddings(model="other"), WordEmbeddings(model="other", dimensions=32)],
    ids=["another model", "another model and size"],
)
def test_another_model_asks_for_indexing(
    opened: Opened, embeddings: WordEmbeddings, other: WordEmbeddings
) -> None:
    put(opened(embeddings=embeddings), {"a.md": "kettle", "b.md": "pan"})
    index = opened(embeddings=other)
    asks_for_indexing(index, "other")
    other.batches.clear()
    put(index, {"a.md": "kettle"})
    assert sorted(other.embedded) == ["a.md\nkettle", "b.md\npan"], (
        "files not named are mended, too"
    )
    assert titles(index, "kettle", **SIMILAR)[0] == "a.md"
    assert index.files()["b.md"].content_hash == "1"
    asks_for_indexing(opened(embeddings=embeddings), "words")


def test_another_size_of_the_same_model_asks_for_indexing(opened: Opened) -> None:
    put(opened(embeddings=WordEmbeddings(dimensions=64)), {"a.md": "kettle", "b.md": "pan"})
    index = opened(embeddings=WordEmbeddings(dimensions=32))
    with pytest.raises(RetrievalError, match="32") as caught:
        titles(index, "kettle")
    assert "ragqa index PATH" in caught.value.hint
    put(index, {"a.md": "kettle anew"})
    assert titles(index, "anew", **SIMILAR)[0] == "a.md"
    assert len(titles(index, "anew", **SIMILAR)) == 2


def test_an_index_made_without_a_model_asks_for_indexing(
    opened: Opened, embeddings: WordEmbeddings
) -> None:
    put(opened(), {"a.md": "kettle", "b.md": "pan"})
    index = opened(embeddings=embeddings)
    asks_for_indexing(index, "2 of 2")
    put(index, {"a.md": "kettle"})
    put(opened(), {"c.md": "kettle written without the model"})
    asks_for_indexing(index, "1 of 3")
    with index.writer():
        pass
    assert titles(index, "kettle", **SIMILAR)[0] == "a.md"
    assert set(index.files()) == {"a.md", "b.md", "c.md"}


def test_a_model_that_fails_leaves_the_old_index(
    opened: Opened, embeddings: WordEmbeddings
) -> None:
    put(opened(embeddings=embeddings), {"a.md": "kettle"})

    class Failing(WordEmbeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            raise ConnectionError("no route to host")

    index = opened(embeddings=Failing())
    before = index.version()
    with pytest.raises(RetrievalError, match="ConnectionError"):
        put(index, {"a.md": "pan", "b.md": "pot"})
    assert index.version() == before
    assert titles(opened(embeddings=embeddings), "kettle") == ["a.md"]
    put(opened(embeddings=embeddings), {"b.md": "pot"})


def test_vectors_that_were_lost_ask_for_indexing(
    opened: Opened, embeddings: WordEmbeddings
) -> None:
    index = opened(embeddings=embeddings)
    put(index, {"a.md": "kettle"})
    next(index.folder.rglob("*.rows")).write_bytes(b"")
    fresh = opened(embeddings=embeddings)
    asks_for_indexing(fresh, "1 of 1")
    put(fresh, {"b.md": "pan"})
    assert titles(fresh, "kettle", **SIMILAR)[0] == "a.md"


def test_keys_that_do_not_fit_are_damage(opened: Opened, embeddings: WordEmbeddings) -> None:
    index = opened(embeddings=embeddings)
    put(index, {"a.md": "kettle", "b.md": "pan"}, metadata={"kind": "x"})
    path = next(index.folder.rglob("*.keys"))
    path.write_bytes(bytes(path.stat().st_size))
    fresh = opened(embeddings=embeddings)
    with pytest.raises(RetrievalError, match="damaged") as caught:
        titles(fresh, "kettle", filter={"kind": "x"})
    assert "delete" in caught.value.hint


def test_completeness_is_looked_up_once(opened: Opened, embeddings: WordEmbeddings) -> None:
    put(opened(embeddings=embeddings), {"a.md": "kettle", "b.md": "pan"})
    with opened().writer() as writer:
        writer.remove("b.md")
    index = opened(embeddings=embeddings)
    assert titles(index, "kettle") == ["a.md"]
    seen = index._dense._complete if index._dense else None
    assert seen is not None
    assert titles(index, "kettle") == ["a.md"]
    assert index._dense is not None
    assert index._dense._complete is seen
