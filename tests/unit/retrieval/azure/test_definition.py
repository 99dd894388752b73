"""Definitions of indexes, and whether an index fits."""

from __future__ import annotations

from typing import Any

import pytest

from ragqa.errors import ConfigError
from ragqa.retrieval.azure.definition import (
    check_vectors,
    definition_of,
    metadata_field,
    metadata_names,
    missing_fields,
    plain_text,
)
from ragqa.retrieval.azure.fields import FieldNames
from ragqa.retrieval.azure.queries import SearchPlan
from ragqa.retrieval.azure.review import faults_of
from tests.wire.azure.search_definitions import completed

NAMES = FieldNames(id="key", content="body", vector="v", groups="acl")


def test_the_service_would_take_it() -> None:
    made = definition_of(
        "kb", NAMES, dimensions=1536, semantic_config="s", metadata=["category", "year"]
    )
    whole = completed(made, "etag")
    fields = {field["name"]: field for field in whole["fields"]}
    assert fields["key"]["key"]
    assert fields["v"]["dimensions"] == 1536
    assert not fields["v"]["retrievable"]
    assert fields["body"]["analyzer"] == "en.lucene"
    assert fields["body_zh"]["analyzer"] == "zh-Hans.lucene"
    words = [fields[name] for name in ("body_words", "title_words", "heading_words")]
    assert {field["indexAnalyzer"] for field in words} == {"ragqa-words"}
    assert not any(field["retrievable"] for field in words)
    assert fields["acl"]["filterable"]
    assert not fields["body"]["filterable"], "a filterable text ends at 32 KB"
    assert whole["semantic"]["configurations"][0]["name"] == "s"
    assert missing_fields(whole, NAMES) == []
    assert list(faults_of(whole, SearchPlan(NAMES, "hybrid", "s"))) == []


def test_an_older_index_needs_nothing_new() -> None:
    """The service takes new analysers into an index only while it is offline."""
    fields = definition_of("kb", NAMES)["fields"]
    older = [field for field in fields if not field["name"].endswith("_words")]
    assert missing_fields({"name": "kb", "fields": older}, NAMES) == []
    foreign = [field for field in older if field["name"] != "body_zh"]
    lacking = missing_fields({"name": "kb", "fields": foreign}, NAMES)
    assert [(f["name"], f["analyzer"]) for f in lacking] == [("body_zh", "zh-Hans.lucene")]


def test_without_vectors() -> None:
    made = completed(definition_of("kb", FieldNames()), "etag")
    assert "vectorSearch" not in made
    with pytest.raises(ConfigError, match="content_vector"):
        check_vectors(made, FieldNames(), 3)


def test_sizes_that_differ_are_both_named() -> None:
    made = definition_of("kb", FieldNames(), dimensions=1536)
    check_vectors(made, FieldNames(), 1536)
    with pytest.raises(ConfigError, match=r"3072.*1536"):
        check_vectors(made, FieldNames(), 3072)


def test_metadata_that_can_be_a_field() -> None:
    metadata: list[dict[str, Any]] = [
        {"category": "x", "价格": 1, "_x": 1, "a b": 1, "Title": "taken", "nested": {"a": 1}},
        {"Category": "again", "year": 2024, "list": ["a"], "long": "x" * 2000, "none": None},
    ]
    assert metadata_names(metadata, FieldNames()) == ["category", "year"]
    assert metadata_names(metadata, FieldNames(), ["year"]) == ["category"]
    many = [{f"f{n}": 1 for n in range(500)}]
    assert len(metadata_names(many, FieldNames(), ["id", "title"])) == 198
    assert metadata_field("year")["filterable"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [(5, "5"), (5.0, "5"), ("5", "5"), (2.5, "2.5"), (True, "true"), (None, None), ([1], None)],
)
def test_values_as_text(value: Any, expected: str | None) -> None:
    assert plain_text(value) == expected


def test_what_an_index_lacks_is_named_with_its_setting() -> None:
    made = completed(definition_of("kb", FieldNames(groups="acl")), "etag")
    plan = SearchPlan(FieldNames(content="text", groups="acl"), "hybrid", "s")
    found = "; ".join(faults_of(made, plan))
    for word in ("_CONTENT", "_VECTOR", "'s'", "known: ragqa"):
        assert word in found
    assert "_GROUPS" not in found


def test_groups_are_a_field_of_several_texts() -> None:
    made = completed(definition_of("kb", FieldNames()), "etag")
    [found] = faults_of(made, SearchPlan(FieldNames(groups="path")))
    assert found == "the field 'path' (AZURE_SEARCH_FIELD_GROUPS) is no Collection(Edm.String)"


def test_fields_inside_complex_ones_are_there() -> None:
    made = completed(definition_of("kb", FieldNames()), "etag")
    text = {"name": "Text", "type": "Edm.String", "searchable": True}
    made["fields"].append({"name": "Doc", "type": "Edm.ComplexType", "fields": [text]})
    assert list(faults_of(made, SearchPlan(FieldNames(content="Doc/Text")))) == []
    [found] = faults_of(made, SearchPlan(FieldNames(content="Doc/Body")))
    assert "there is no field 'Doc/Body' (AZURE_SEARCH_FIELD_CONTENT)" in found
