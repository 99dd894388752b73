import pytest

from ragqa.ports import Chunk
from ragqa.retrieval.records import (
    FILE_RECORD,
    documents,
    placed,
    stored_chunk,
    stored_file,
    tag,
)
from tests.unit.retrieval.shelf import chunks, file


def test_a_chunk_comes_back_as_it_was() -> None:
    chunk = Chunk(
        doc_id="r-7",
        title="Rückgabe 退货",
        text="Line one\r\nline two\u2028 {x} %s <script>\x00",
        start=10,
        end=46,
        page=3,
        heading="Returns > Kettles",
        groups=("staff", "*"),
        metadata={"year": 2024, "tags": ["a", "b"], "deep": {"er": None}, "bad": "\ud800"},
    )
    stored = placed(chunk, file("a/b.md"), 4)
    (document,) = documents(file("a/b.md"), [stored])
    assert stored_chunk(document) == stored
    assert stored.chunk == chunk
    passage = stored.passage(1.5, "bm25")
    assert (passage.id, passage.path, passage.chunk_id) == ("r-7", "a/b.md", "a/b.md#4")
    assert (passage.start, passage.end, passage.page) == (10, 46, 3)
    assert passage.metadata == chunk.metadata


def test_a_file_lies_with_its_first_chunk() -> None:
    kept = file("a/b.md", documents=2, chunks=2)
    pieces = [placed(c, kept, n) for n, c in enumerate(chunks("a/b.md", "one", "two"))]
    first, second = documents(kept, pieces)
    assert stored_file(first) == kept
    assert second.get_first(FILE_RECORD) is None


def test_a_file_without_chunks_has_a_document_of_its_own() -> None:
    (document,) = documents(file("empty.md"), [])
    assert stored_file(document) == file("empty.md")


def test_the_title_of_a_record_goes_before_that_of_its_file() -> None:
    (own,) = chunks("p.md", "text", title="Record")
    (none,) = chunks("p.md", "text")
    assert placed(own, file("d/p.md"), 0).chunk.title == "Record"
    assert placed(none, file("d/p.md"), 0).chunk.title == "p.md"


def test_lone_surrogates_do_not_move_offsets() -> None:
    (chunk,) = chunks("p.md", "a\ud800b")
    stored = placed(chunk, file("p.md"), 0)
    assert stored.chunk.text == "a\ufffdb"
    assert stored.passage(0.0, "bm25").text == "a\ufffdb"


def test_equal_passages_share_a_key_and_others_do_not() -> None:
    first, second, other = (
        placed(c, file("p.md"), n) for n, c in enumerate(chunks("p.md", "same", "same", "other"))
    )
    assert first.key == second.key != other.key
    (titled,) = chunks("p.md", "same", title="Another title")
    assert placed(titled, file("p.md"), 0).key != first.key


@pytest.mark.parametrize(
    ("one", "other"), [(5, 5.0), (5, "5"), (True, "true"), ("x" * 5000, "x" * 5000)]
)
def test_values_that_mean_the_same_have_one_term(one: object, other: object) -> None:
    assert tag("field", one) == tag("field", other)


@pytest.mark.parametrize(
    ("one", "other"), [(5, 6), (True, 1), ("a", "A"), ("x" * 5000, "x" * 5001), (0.5, 0.25)]
)
def test_other_values_have_other_terms(one: object, other: object) -> None:
    assert tag("field", one) != tag("field", other)
