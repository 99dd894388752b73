import json

import pytest

from ragqa.cli.batch import Item, _kept_answers, _line, read_items
from ragqa.errors import ConfigError


def test_questions_are_objects_or_strings_one_a_line(tmp_path):
    source = tmp_path / "q.jsonl"
    source.write_bytes(
        b'\xef\xbb\xbf{"id": "a", "question": "How long?", "other": 1}\r\n\r\n"Why?"\n'
    )
    assert read_items(source) == [Item("a", "How long?"), Item(3, "Why?")]


@pytest.mark.parametrize(
    "line", ["{", "3", "null", "[]", "{}", '{"question": 3}', '{"question": "  "}', '""', "why?"]
)
def test_a_line_that_is_no_question_is_named_before_any_work(tmp_path, line):
    source = tmp_path / "q.jsonl"
    source.write_text(f'"Why?"\n{line}\n')
    with pytest.raises(ConfigError, match="Line 2"):
        read_items(source)


@pytest.mark.parametrize("content", [None, b"", b"\n\n", b"\xff\xfe\xff"])
def test_a_file_without_questions_is_refused(tmp_path, content):
    source = tmp_path / "q.jsonl"
    if content is not None:
        source.write_bytes(content)
    with pytest.raises(ConfigError, match="--file"):
        read_items(source)


def row(id, question="Why?", **fields):
    return json.dumps({"id": id, "question": question, **fields}).encode() + b"\n"


def test_answers_are_kept_errors_and_a_cut_off_line_are_asked_again(tmp_path):
    target = tmp_path / "a.jsonl"
    good = row(1, response={}), row("x", "How?", response={})
    target.write_bytes(good[0] + row(2, error={}) + good[1] + row(3, response={})[:20])
    assert _kept_answers(target) == {Item(1, "Why?").key, Item("x", "How?").key}
    assert target.read_bytes() == b"".join(good)


@pytest.mark.parametrize(
    "tail", [b"{", b'{"id"', b'{"id": 3, "question": "W', row(3, response={})[:-1]]
)
def test_a_line_cut_off_anywhere_is_taken_out(tmp_path, tail):
    target = tmp_path / "a.jsonl"
    target.write_bytes(row(1, response={}) + tail)
    assert _kept_answers(target) == {Item(1, "Why?").key}
    assert target.read_bytes() == row(1, response={})


@pytest.mark.parametrize(
    "content", [b"my diary", b"my diary\n", b"{}\n", b'{"id": 1}\n', b"\xff\n"]
)
def test_a_file_that_is_not_ours_is_left_alone(tmp_path, content):
    target = tmp_path / "diary.txt"
    target.write_bytes(content)
    with pytest.raises(ConfigError, match="--out"):
        _kept_answers(target)
    assert target.read_bytes() == content


def test_the_same_id_with_another_question_is_asked_again(tmp_path):
    target = tmp_path / "a.jsonl"
    target.write_bytes(row(1, "Why?", response={}))
    assert Item(1, "How?").key not in _kept_answers(target)


def test_a_row_can_carry_any_text():
    written = {"question": "Menu → 设置 \udcff"}
    assert json.loads(_line(written)) == written
