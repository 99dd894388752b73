from __future__ import annotations

import pytest

from ragqa.contract import Caller
from ragqa.errors import RetrievalError
from ragqa.ports import Chunk, SearchQuery
from ragqa.retrieval.embedded import EmbeddedIndex
from ragqa.retrieval.reading import StoredDocument
from tests.unit.retrieval.shelf import chunks, put

TEXT = "Über Kettles.\r\n\r\nThey boil water。水壶\u2028烧水。\n  Tail "


@pytest.fixture
def library(index: EmbeddedIndex) -> EmbeddedIndex:
    pieces = [TEXT[:7], TEXT[7:20], TEXT[20:]]
    pages = [
        *chunks("m.pdf", "Page one, ", "and on.", page=1, heading="Use"),
        *chunks("m.pdf", "Page two.", page=2, heading="Care"),
        *chunks("m.pdf", "Page three.", page=3, heading="Care"),
    ]
    put(index, {"plain.md": pieces, "m.pdf": pages})
    put(index, {"a.jsonl": [Chunk("1", "One", "first", 0, 5), Chunk("2", "Two", "second", 0, 6)]})
    put(index, {"b.jsonl": [Chunk("1", "Eins", "erste", 0, 5, groups=("staff",))]})
    return index


def test_the_text_of_a_document_is_the_slices_that_its_offsets_count_in(
    library: EmbeddedIndex,
) -> None:
    assert library.text_of("plain.md") == TEXT
    for passage in library.retrieve(SearchQuery("kettles water tail 水壶", k=10)):
        text = library.text_of(passage.id, passage.page, path=passage.path)
        assert text[passage.start : passage.end] == passage.text


def test_pages_are_read_one_by_one_or_together(library: EmbeddedIndex) -> None:
    assert library.text_of("m.pdf", 1) == "Page one, and on."
    assert library.text_of("m.pdf", 2) == "Page two."
    assert library.text_of("m.pdf") == "Page one, and on.\fPage two.\fPage three."
    assert library.text_of("m.pdf", 9) == ""


def test_headings_come_in_their_order_once(library: EmbeddedIndex) -> None:
    assert library.headings("m.pdf") == ["Use", "Care"]
    assert library.headings("plain.md") == []


def test_documents(library: EmbeddedIndex) -> None:
    assert library.documents() == [
        StoredDocument("1", "One", "a.jsonl", (), 1),
        StoredDocument("2", "Two", "a.jsonl", (), 1),
        StoredDocument("1", "Eins", "b.jsonl", (), 1),
        StoredDocument("m.pdf", "m.pdf", "m.pdf", (1, 2, 3), 4),
        StoredDocument("plain.md", "plain.md", "plain.md", (), 3),
    ]


def test_an_id_that_two_files_hold_needs_the_path(library: EmbeddedIndex) -> None:
    with pytest.raises(RetrievalError, match=r"a\.jsonl, b\.jsonl"):
        library.text_of("1")
    assert library.text_of("1", path="b.jsonl") == "erste"
    assert library.text_of("1", caller=Caller()) == "first"


def test_what_a_caller_may_not_see_is_not_there(library: EmbeddedIndex) -> None:
    with pytest.raises(RetrievalError, match="no document"):
        library.text_of("1", path="b.jsonl", caller=Caller())
    staff = Caller(groups=("staff",))
    assert library.text_of("1", path="b.jsonl", caller=staff) == "erste"


@pytest.mark.parametrize("doc_id", ["nothing", "*", "m.*", ""])
def test_an_unknown_document(library: EmbeddedIndex, doc_id: str) -> None:
    with pytest.raises(RetrievalError, match="no document"):
        library.headings(doc_id)
