from __future__ import annotations

import csv

import pytest

from ragqa.ingest.document import TextPage
from ragqa.ingest.parsers import delimited


def page(source: str | bytes) -> TextPage:
    data = source if isinstance(source, bytes) else source.encode()
    return delimited.parse(data).documents[0].pages[0]


def rows(source: str | bytes) -> list[dict[str, str]]:
    return [dict(row.values) for row in page(source).rows]


def lines(source: str | bytes) -> list[str]:
    parsed = page(source)
    starts = [row.start for row in parsed.rows]
    pieces = [
        parsed.text[start:end]
        for start, end in zip(starts, [*starts[1:], len(parsed.text)], strict=True)
    ]
    assert "".join(pieces) == parsed.text
    return [piece.rstrip("\n") for piece in pieces]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_any_delimiter_line_end_and_mark(delimiter: str, end: str, mark: str) -> None:
    table = [
        ["size", "colour", "note"],
        ["M", "red", '"warm, soft; light|dark"'],
        ["L", "blue", ""],
    ]
    source = mark + end.join(delimiter.join(row) for row in table) + end
    assert rows(source) == [
        {"size": "M", "colour": "red", "note": "warm, soft; light|dark"},
        {"size": "L", "colour": "blue"},
    ]
    assert lines(source)[0] == "size: M; colour: red; note: warm, soft; light|dark"


def test_semicolons_with_decimal_commas() -> None:
    assert rows("a;b\n1,5;2,5\n3,5;4,5\n") == [{"a": "1,5", "b": "2,5"}, {"a": "3,5", "b": "4,5"}]


def test_line_breaks_and_quotes_inside_a_field() -> None:
    source = 'model,note\nL9,"first line\r\nsecond ""line"""\nL8,short\n'
    assert lines(source) == ['model: L9; note: first line second "line"', "model: L8; note: short"]


def test_ragged_rows_are_kept() -> None:
    assert lines("a,b,c\n1,2\n1,2,3,4\n\n,,\n") == ["a: 1; b: 2", "a: 1; b: 2; c: 3; 4"]


def test_a_table_without_header() -> None:
    assert lines("L9,39\nL8,29\n") == ["L9; 39", "L8; 29"]
    assert rows("L9,39\nL8,29\n") == [{}, {}]


def test_titles_above_the_header() -> None:
    source = "Price list 2025;;\n;;\nmodel;colour;price\nL9;red;39\n"
    assert lines(source) == ["Price list 2025", "model: L9; colour: red; price: 39"]


def test_excels_own_delimiter_line() -> None:
    assert rows("sep=;\r\na;b\r\n1,5;x\r\n") == [{"a": "1,5", "b": "x"}]


def test_an_unclosed_quote_swallows_nothing() -> None:
    source = 'size,use\n"5,shelf\n6,desk\n7,wall\n'
    assert lines(source) == ['size: "5; use: shelf', "size: 6; use: desk", "size: 7; use: wall"]


def test_gbk_tables() -> None:
    assert rows("型号,价格\nL9,39\n".encode("gbk")) == [{"型号": "L9", "价格": "39"}]


def test_one_column_and_header_alone() -> None:
    assert lines("name\nAnn\nBob\n") == ["name: Ann", "name: Bob"]
    assert lines("name,price\n") == ["name; price"]


def test_fields_larger_than_the_csv_limit_leave_the_limit_as_it_was() -> None:
    before = csv.field_size_limit()
    word = "long " * 40_000
    assert word.strip() in page(f"a,b\n1,{word}\n").text
    assert csv.field_size_limit() == before


def test_long_values_are_text_but_no_columns() -> None:
    assert rows(f"a,b\n1,{'long ' * 50}\n") == [{"a": "1"}]


@pytest.mark.parametrize("source", ["", "\n\n", " , \n,\n", "\ufeff"])
def test_blank_tables_hold_nothing(source: str) -> None:
    assert page(source).text.strip() == ""


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_second_byte_order_mark_is_no_part_of_a_name(encoding: str) -> None:
    data = "\ufeff型号;颜色\r\nL4;白色\r\n".encode(encoding)
    rows = delimited.parse(data).documents[0].pages[0].rows
    assert dict(rows[0].values) == {"型号": "L4", "颜色": "白色"}


def test_a_quote_may_stand_behind_a_blank() -> None:
    assert rows('model, price\n"L9", "39, 90"\n') == [{"model": "L9", "price": "39, 90"}]


@pytest.mark.parametrize("title", ["Prices 2024", "Prices 2024\n\nMay", "价格表"])
def test_titles_do_not_hide_the_delimiter(title: str) -> None:
    table = rows(f"{title}\nmodel;price\nL9;39,90\nL8;29,90\n")
    assert table[-2:] == [{"model": "L9", "price": "39,90"}, {"model": "L8", "price": "29,90"}]


def test_titles_may_hold_the_delimiter() -> None:
    source = "Report\nMade on 1 May, by Bo\n\nmodel,price,stock\nL9,39,3\nL8,29,\n"
    assert lines(source) == [
        "Report",
        "Made on 1 May; by Bo",
        "model: L9; price: 39; stock: 3",
        "model: L8; price: 29",
    ]


def test_a_question_stands_on_a_line_above_its_answer() -> None:
    page = delimited.parse(b"id,Question,Answer\n1,Is there parking?,Behind the shop.\n").documents[
        0
    ]
    assert page.pages[0].text == "id: 1\nQuestion: Is there parking?\nAnswer: Behind the shop.\n"
