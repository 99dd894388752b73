"""Filters from values: nothing that a value holds can leave its literal."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragqa.errors import ConfigError
from ragqa.retrieval.azure.odata import all_of, any_of, as_meant, equals, literal, matching, one_of
from tests.wire.azure.search_filters import parsed

FIELDS = {
    "name": {"name": "name", "type": "Edm.String", "filterable": True},
    "groups": {"name": "groups", "type": "Collection(Edm.String)", "filterable": True},
}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("O'Brien", "'O''Brien'"),
        ("", "''"),
        (True, "true"),
        (False, "false"),
        (None, "null"),
        (3, "3"),
        (1.5, "1.5"),
        (datetime(2024, 5, 1, 12, tzinfo=UTC), "2024-05-01T12:00:00.000Z"),
        (datetime(2024, 5, 1, 12), "2024-05-01T12:00:00.000Z"),
        (datetime(2024, 5, 1, 1, tzinfo=timezone(timedelta(hours=2))), "2024-04-30T23:00:00.000Z"),
        (date(2024, 5, 1), "2024-05-01T00:00:00.000Z"),
    ],
)
def test_literals(value: Any, expected: str) -> None:
    assert literal(value) == expected


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"a": 1}, b"x", object(), "\ud800"])
def test_values_without_literal(value: Any) -> None:
    with pytest.raises(ConfigError):
        literal(value)


def test_text_is_read_as_what_it_means() -> None:
    texts = ("7", "1.5", "TRUE", "2024-05-01T12:00:00Z", "nan", "Infinity", "last")
    noon = datetime(2024, 5, 1, 12, tzinfo=UTC)
    assert [as_meant(text) for text in texts] == [7, 1.5, True, noon, *texts[4:]]


@pytest.mark.parametrize("name", ["a b", "a eq 1 or b", "1a", "", "a'", "名", "_a", "a//b"])
def test_a_field_is_never_an_expression(name: str) -> None:
    with pytest.raises(ConfigError):
        equals(name, 1)


def test_lists_go_through_search_in() -> None:
    assert one_of("author", ["O'Brien", "d'Arc"]) == "search.in(author, 'O''Brien,d''Arc', ',')"
    assert one_of("author", ["a,b", "c"]) == "search.in(author, 'a,b|c', '|')"
    assert one_of("year", [1, 2]) == "(year eq 1 or year eq 2)"
    assert any_of("groups", ["x"]) == "groups/any(g: search.in(g, 'x', ','))"
    assert matching({"author": "x", "year": [1]}) == ["author eq 'x'", "(year eq 1)"]
    assert all_of([None, "a eq 1", "", "b eq 2 or c eq 3"]) == "(a eq 1) and (b eq 2 or c eq 3)"
    assert all_of([None]) is None


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@given(TEXTS, TEXTS)
def test_a_value_fits_itself_alone(value: str, other: str) -> None:
    test = parsed(equals("name", value), FIELDS)
    assert test({"name": value})
    assert test({"name": other}) == (value == other)


MARKS = st.text("ab ,|;'~^", max_size=4)


@given(st.lists(st.one_of(TEXTS, MARKS), max_size=5), MARKS)
def test_a_list_fits_its_values_alone(values: list[str], other: str) -> None:
    if all(any(mark in value for value in values) for mark in ",|;~^"):
        return
    test = parsed(one_of("name", values), FIELDS)
    for value in values:
        assert test({"name": value})
    assert test({"name": other}) == (other in values)


def test_no_separator_left() -> None:
    marks = [",", "|", ";", "\t", "\x1f", "~", "^"]
    with pytest.raises(ConfigError):
        one_of("name", marks)


def test_every_apostrophe_is_doubled() -> None:
    text = equals("author", "'' or 1 eq 1 or '")
    inner = re.fullmatch(r"author eq '(.*)'", text)
    assert inner is not None
    assert "'" not in inner[1].replace("''", "")
