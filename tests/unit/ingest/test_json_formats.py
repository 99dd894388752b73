from __future__ import annotations

import json
from typing import Any

import pytest

from ragqa.errors import RetrievalError
from ragqa.ingest.document import ParsedFile
from ragqa.ingest.parsers import json_document, records


def jsonl(*lines: Any) -> ParsedFile:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    return records.parse(text.encode("utf-8"))


def test_every_line_is_a_document() -> None:
    parsed = jsonl(
        {
            "id": "a",
            "title": "Returns",
            "text": "Thirty days.\n",
            "groups": ["staff"],
            "year": 2025,
        },
        "",
        {"id": 7, "text": "Two years.", "nested": {"k": [1]}},
        {"text": "No id."},
    )
    assert [(d.id, d.title, d.groups, d.line) for d in parsed.documents] == [
        ("a", "Returns", ("staff",), 1),
        ("7", "", None, 3),
        ("", "", None, 4),
    ]
    assert [d.pages[0].text for d in parsed.documents] == ["Thirty days.\n", "Two years.", "No id."]
    assert [d.metadata for d in parsed.documents] == [{"year": 2025}, {"nested": {"k": [1]}}, {}]
    assert parsed.problems == ()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{oops", "not valid JSON"),
        ('{"id": "x", "text": "cut o', "not valid JSON"),
        ("[1]", "not an object"),
        ('"text"', "not an object"),
        ("null", "not an object"),
        ('{"id": "x"}', "no text"),
        ('{"text": null}', "no text"),
        ('{"text": " \\n"}', "no text"),
        ('{"text": 5}', "no text"),
        ('{"text": ["a"]}', "no text"),
        ('{"text": "x", "n": NaN}', "NaN"),
        ('{"text": "half \\ud800"}', "surrogate"),
        ('{"text": "x", "groups": {"a": 1}}', "groups"),
        ('{"text": "x", "groups": [1]}', "groups"),
        ('{"text": "x", "groups": [""]}', "groups"),
        ('{"id": "good", "text": "again"}', "repeats the id 'good' of line 1"),
        ('{"text": "x", "deep": ' + "[" * 100_000 + "]" * 100_000 + "}", "deep"),
    ],
)
def test_a_bad_line_is_reported_by_its_number_and_the_rest_goes_on(line: str, reason: str) -> None:
    parsed = jsonl({"id": "good", "text": "Good."}, line, {"id": "last", "text": "Last."})
    assert [d.id for d in parsed.documents] == ["good", "last"]
    (problem,) = parsed.problems
    assert problem.reason.startswith("line 2 ")
    assert reason in problem.reason
    assert problem.hint


def test_groups_may_be_one_name_or_nobody() -> None:
    parsed = jsonl({"text": "a", "groups": "staff"}, {"text": "b", "groups": []})
    assert [d.groups for d in parsed.documents] == [("staff",), ()]


def test_only_line_feeds_end_a_line() -> None:
    parsed = records.parse('{"text": "a\u2028b\u0085c"}\r\n{"text": "d"}\r\n'.encode())
    assert [d.pages[0].text for d in parsed.documents] == ["a\u2028b\u0085c", "d"]


def test_whole_surrogate_pairs_are_fine() -> None:
    assert jsonl('{"text": "\\ud83d\\ude00"}').documents[0].pages[0].text == "😀"


def test_thousands_of_bad_lines_are_summed_up() -> None:
    parsed = jsonl({"text": "good"}, *["oops"] * 1000)
    assert len(parsed.problems) == 21
    assert parsed.problems[-1].reason == "980 more lines cannot be used"


def test_a_file_without_a_usable_line_is_refused() -> None:
    with pytest.raises(RetrievalError, match="line 1 has no text") as caught:
        jsonl({"question": "a?"}, {"question": "b?"})
    assert '"text"' in caught.value.hint


def text(value: Any) -> str:
    source = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return json_document.parse(source.encode("utf-8")).documents[0].pages[0].text


def test_trees_become_readable_lines() -> None:
    value = {
        "shop": {"name": "Fern", "open": True, "days": ["Mon", "Tue"], "fax": None},
        "staff": [{"name": "Ann", "desk": 4}, {"name": "Bob", "skills": {"pascal": 2}}],
        "rates": [1.5, 2],
    }
    assert text(value).split("\n\n") == [
        "shop > name: Fern",
        "shop > open: true",
        "shop > days: Mon, Tue",
        "staff > name: Ann; desk: 4",
        "staff > Bob > name: Bob",
        "staff > Bob > skills > pascal: 2",
        "rates: 1.5, 2",
    ]


def test_a_list_of_records_is_a_table() -> None:
    parsed = json_document.parse(b'[{"model": "L9", "price": 39}, {}, {"model": "L8", "tags": []}]')
    page = parsed.documents[0].pages[0]
    assert page.text == "model: L9; price: 39\nmodel: L8\n"
    assert [(row.start, row.values["model"]) for row in page.rows] == [(0, "L9"), (21, "L8")]


def test_a_list_of_documents_is_read_like_jsonl() -> None:
    parsed = json_document.parse(b'[{"id": "a", "text": "One."}, {"id": "a", "text": "Two."}]')
    assert [d.id for d in parsed.documents] == ["a"]
    assert parsed.problems[0].reason == "record 2 repeats the id 'a' of record 1"


def test_an_object_a_line_is_as_good_as_a_list() -> None:
    assert text('{"model": "L9"}\n{"model": "L8"}\n') == "model: L9\nmodel: L8\n"


def test_deep_and_wide_trees_are_linear() -> None:
    deep: Any = "leaf"
    for _ in range(400):
        deep = {"k": deep}
    assert text(deep).endswith("k: leaf")
    assert text([{"a": {"b": 1}}] * 50_000).count("a > b: 1") == 50_000


@pytest.mark.parametrize("source", ["{", '{"a": 1} trailing', "", "[NaN]", "[" * 100_000])
def test_what_is_no_json_is_refused(source: str) -> None:
    with pytest.raises(RetrievalError):
        json_document.parse(source.encode())


@pytest.mark.parametrize("value", [{}, [], None, '""', [[]], {"a": None}])
def test_json_without_values_holds_no_text(value: Any) -> None:
    assert text(value) == ""


@pytest.mark.parametrize("parser", [json_document, records])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_second_byte_order_mark_is_no_fault(parser: Any, encoding: str) -> None:
    data = '\ufeff{"id": "a", "text": "The kettle holds 2 litres."}'.encode(encoding)
    assert "2 litres" in parser.parse(data).documents[0].pages[0].text


def test_numbers_are_shown_as_the_file_has_them() -> None:
    long = "9" * 5000
    source = f'{{"price": 49.90, "big": 1e999, "n": {long}, "list": [1.50, 2.0], "year": 2025}}'
    page = json_document.parse(source.encode()).documents[0].pages[0]
    assert page.text == (
        f"price: 49.90\n\nbig: 1e999\n\nn: {long}\n\nlist: 1.50, 2.0\n\nyear: 2025"
    )


def test_numbers_of_a_record_stay_numbers() -> None:
    [document] = jsonl('{"text": "x", "price": 49.90, "big": -1e999}').documents
    assert json.dumps(document.metadata) == '{"price": 49.9, "big": "-1e999"}'


def test_a_question_with_its_answer_is_a_text() -> None:
    parsed = jsonl(
        {"id": 1, "question": "Is there parking?", "answer": "Behind the shop.", "topic": "visit"},
        {"问题": "可以退货吗？", "答案": "15 天内可以。"},
        {"question": "What is the answer?", "answers": ["42"]},
        {"question": "Is it new?", "answer": ""},
    )
    texts = [document.pages[0].text for document in parsed.documents]
    assert texts == ["Is there parking?\nBehind the shop.", "可以退货吗？\n15 天内可以。"]
    assert parsed.documents[0].metadata["topic"] == "visit"
    assert [problem.reason[:7] for problem in parsed.problems] == ["line 3 ", "line 4 "]


def test_a_question_stands_above_its_answer_in_a_list_of_records() -> None:
    items = [{"question": "Is there parking?", "answer": "Yes. It is free."}]
    parsed = json_document.parse(json.dumps(items).encode())
    assert parsed.documents[0].pages[0].text == (
        "question: Is there parking?\nanswer: Yes. It is free.\n"
    )
