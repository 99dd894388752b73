from __future__ import annotations

import pytest

from ragqa.ingest.tables import looks_like_header, row_line, table_lines


@pytest.mark.parametrize(
    ("first", "below", "expected"),
    [
        (["model", "price"], [["L9", "39"]], True),
        (["型号", "价格（欧元）"], [["L9", "39"]], True),
        (["Region", "2023", "2024"], [["North", "5", "6"]], True),
        (["", "EU", "US"], [["L9", "39", "45"]], True),
        (["L9", "39"], [["L8", "29"]], False),
        (["L9", "39 €"], [["L8", "29 €"]], False),
        (["L9", "1,299.00"], [["L8", "29"]], False),
        (["a@b.example", "Ann"], [["c@d.example", "Bob"]], False),
        (["https://x.example", "Ann"], [["y", "z"]], False),
        (["name", "name"], [["a", "b"]], False),
        (["Price list", "", "", ""], [["a", "b", "c", "d"]], False),
        (["2023", "2024"], [["5", "6"]], False),
        (["x" * 61, "b"], [["c", "d"]], False),
        (["model", "price"], [], False),
        ([], [], False),
    ],
)
def test_headers_are_told_from_values(
    first: list[str], below: list[list[str]], expected: bool
) -> None:
    assert looks_like_header(first, below) is expected


def test_a_row_leaves_out_what_is_empty_and_keeps_what_is_ragged() -> None:
    assert row_line(["a", "b", "c"], ["1", "", "3"]) == "a: 1; c: 3"
    assert row_line(["a"], ["1", "2"]) == "a: 1; 2"
    assert row_line(["a", "b"], ["1"]) == "a: 1"
    assert row_line(None, ["1", "2"]) == "1; 2"
    assert row_line(["", "b"], ["Oil", "2"]) == "Oil; b: 2"


def test_prose_in_a_row_stands_apart() -> None:
    prose = "A long story about the lamp. " * 6
    assert row_line(["id", "story", "price"], ["1", prose, "39"]) == (
        f"id: 1\nstory: {prose}\nprice: 39"
    )


def test_two_columns_without_a_header_are_names_and_values() -> None:
    rows = [["Weight:", "1 kg"], ["Warranty", "two years"], ["", ""], ["Note", ""]]
    assert table_lines(rows) == ["Weight: 1 kg", "Warranty: two years", "Note"]


def test_two_columns_with_figures_below_words_have_a_header() -> None:
    assert table_lines([["Model", "Price"], ["L8", "29"], ["L9", "39"]]) == [
        "Model: L8; Price: 29",
        "Model: L9; Price: 39",
    ]


def test_a_table_of_headers_alone_is_kept() -> None:
    assert table_lines([["Model", "Price"]], header_rows=1) == ["Model; Price"]
