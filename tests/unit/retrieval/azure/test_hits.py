"""Any search hit becomes a passage, whatever it lacks."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from ragqa.retrieval.azure.fields import FieldNames
from ragqa.retrieval.azure.hits import passage_of
from ragqa.retrieval.langchain import as_document


def test_an_index_without_metadata_field() -> None:
    hit = {
        "@search.score": 0.0328,
        "id": "k2-3",
        "title": "kettle-k2-manual.pdf",
        "content": "The kettle holds 1.7 litres.",
        "page": 3,
        "maker": "K",
        "content_vector": [0.1] * 64,
        "empty": None,
    }
    passage = passage_of(hit, FieldNames(), "hybrid")
    assert passage.text == "The kettle holds 1.7 litres."
    assert (passage.title, passage.page, passage.id) == ("kettle-k2-manual.pdf", 3, "k2-3")
    assert passage.metadata == {"maker": "K"}
    assert as_document(passage).metadata["page"] == 3


@pytest.mark.parametrize(
    ("extra", "score", "kind"),
    [
        ({"@search.score": 0.03}, 0.03, "hybrid"),
        ({"@search.score": 0.03, "@search.reranker_score": 2.5}, 2.5, "reranker"),
        ({"@search.score": 0.03, "@search.reranker_score": 0.0}, 0.0, "reranker"),
        ({"@search.score": 0.03, "@search.reranker_score": None}, 0.03, "hybrid"),
        ({}, 0.0, "hybrid"),
    ],
)
def test_scores_of_each_kind(extra: dict[str, Any], score: float, kind: str) -> None:
    passage = passage_of({"id": "1", "content": "x", **extra}, FieldNames(), "hybrid")
    assert (passage.score, passage.score_kind) == (score, kind)


@pytest.mark.parametrize(
    ("metadata", "title", "page"),
    [
        ('{"source": "a.md", "page": 4}', "a.md", 4),
        ({"title": "A", "page": "7"}, "A", 7),
        ("no json", "1", None),
        ("[1]", "1", None),
        (None, "1", None),
        ({"page": True}, "1", None),
        ({"page": -1}, "1", None),
        ({"page": "²"}, "1", None),
        ({"title": ["Kettles", "K2"]}, "Kettles, K2", None),
    ],
)
def test_metadata_as_langchain_keeps_it(metadata: Any, title: str, page: int | None) -> None:
    passage = passage_of({"id": "1", "content": "x", "metadata": metadata}, FieldNames(), "vector")
    assert (passage.title, passage.page) == (title, page)


def test_a_text_in_pieces_is_no_list_to_the_reader() -> None:
    hit = {"id": "1", "title": ["a.md"], "content": ["One.", None, "Two."], "path": []}
    passage = passage_of(hit, FieldNames(), "keyword")
    assert (passage.title, passage.text, passage.path) == ("a.md", "One.\nTwo.", None)


def test_groups_fail_closed() -> None:
    names = FieldNames(groups="acl")
    for groups in (None, [], "board"):
        assert passage_of({"id": "1", "acl": groups}, names, "keyword").groups == ()
    assert passage_of({"id": "1", "acl": ["*"]}, names, "keyword").groups == ("*",)


def test_captions() -> None:
    hit: dict[str, Any] = {"id": "1", "content": "x"}
    for captions in (None, [], [SimpleNamespace(text=None)], [{}]):
        found = passage_of({**hit, "@search.captions": captions}, FieldNames(), "hybrid")
        assert found.highlight is None
    hit["@search.captions"] = [SimpleNamespace(text=""), SimpleNamespace(text="best")]
    assert passage_of(hit, FieldNames(), "hybrid").highlight == "best"


@pytest.mark.parametrize(("score", "shown"), [("1.5", 1.5), ("high", 0.0), ([], 0.0), (None, 0.0)])
def test_a_score_that_is_no_number_is_none(score: Any, shown: float) -> None:
    assert passage_of({"id": "1", "@search.score": score}, FieldNames(), "keyword").score == shown


@pytest.mark.parametrize(("page", "shown"), [(3.0, 3), ("3.0", 3), (3.5, None), (-3, None)])
def test_a_page_may_be_a_float(page: Any, shown: int | None) -> None:
    assert passage_of({"id": "1", "page": page}, FieldNames(), "keyword").page == shown


def test_metadata_that_nests_without_end_are_text() -> None:
    deep = "[" * 100_000
    passage = passage_of({"id": "1", "metadata": deep}, FieldNames(), "keyword")
    assert passage.metadata == {"metadata": deep}


def test_fields_inside_complex_ones_are_read() -> None:
    names = FieldNames(title="Doc/Name", content="Doc/Body/Text", page="Doc/Page", groups="Doc/Acl")
    inner = {"Name": "k2.pdf", "Body": {"Text": "1.7 litres"}, "Page": 3, "Acl": ["*"]}
    passage = passage_of({"id": "1", "Doc": inner, "year": 2024}, names, "keyword")
    assert (passage.title, passage.text, passage.page) == ("k2.pdf", "1.7 litres", 3)
    assert (passage.groups, passage.metadata) == (("*",), {"year": 2024})
    assert passage_of({"id": "1", "Doc": None}, names, "keyword").text == ""
