import argparse
import json
import threading
from pathlib import Path

import pytest

from ragqa.cli.batch import (
    Item,
    _answers,
    _is_done,
    _kept_answers,
    _line,
    _opened,
    read_items,
)
from ragqa.cli.kept_file import append
from ragqa.errors import ConfigError
from ragqa.ports import Parts


def test_questions_are_objects_or_strings_one_a_line(tmp_path):
    source = tmp_path / "q.jsonl"
    source.write_bytes(
        b'\xef\xbb\xbf{"id": "a", "question": "How long?", "other": 1}\r\n\r\n"Why?"\n'
    )
    assert read_items(source) == [Item("a", "How long?"), Item(3, "Why?")]


def test_a_question_may_hold_what_other_programs_take_for_line_breaks(tmp_path):
    source = tmp_path / "q.jsonl"
    source.write_text(json.dumps("How\u2028long\x85?", ensure_ascii=False), "utf-8")
    assert read_items(source) == [Item(1, "How\u2028long\x85?")]


@pytest.mark.parametrize("encoding", ["gb18030", "utf-16"])
def test_questions_may_be_in_the_encoding_of_their_system(tmp_path, encoding):
    source = tmp_path / "q.jsonl"
    source.write_bytes('{"question": "退货要几天？"}\r\n'.encode(encoding))
    assert read_items(source) == [Item(1, "退货要几天？")]


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "3",
        "null",
        "[]",
        "{}",
        "[" * 100_000,
        '{"question": 3}',
        '{"question": "  "}',
        '""',
        "why?",
    ],
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
    assert set(_kept_answers(target)) == {Item(1, "Why?").key, Item("x", "How?").key}
    assert target.read_bytes() == b"".join(good)


@pytest.mark.parametrize(
    "tail", [b"{", b'{"id"', b'{"id": 3, "question": "W', row(3, response={})[:-1]]
)
def test_a_line_cut_off_anywhere_is_taken_out(tmp_path, tail):
    target = tmp_path / "a.jsonl"
    target.write_bytes(row(1, response={}) + tail)
    assert set(_kept_answers(target)) == {Item(1, "Why?").key}
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


def test_a_question_that_stands_twice_is_done_when_it_was_answered_twice(tmp_path):
    target = tmp_path / "a.jsonl"
    twice = Item(1, "Why?")
    target.write_bytes(row(1, response={}))
    done = _kept_answers(target)
    assert [_is_done(twice, done), _is_done(twice, done)] == [True, False]


def test_a_file_that_another_run_writes_is_left_to_it(tmp_path):
    target = tmp_path / "a.jsonl"
    with _opened(target), pytest.raises(ConfigError, match="another run"):
        _opened(target)
    with _opened(target):
        pass


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full disk to write to")
def test_a_full_disk_is_named_and_what_is_there_stays():
    with Path("/dev/full").open("ab") as file:
        with pytest.raises(ConfigError, match="No space") as told:
            append(file, b"x", Path("a.jsonl"))
        assert file.closed
    assert "goes on" in told.value.hint


def test_a_slow_answer_does_not_hold_up_the_next_ones():
    slow, asked, lock = threading.Event(), [], threading.Lock()

    class Asker:
        parts = Parts(retriever=None)

        def turn(self, question, **given):
            return question

        def ask(self, question):
            with lock:
                asked.append(question)
            if question == "0" and not slow.wait(5):
                raise AssertionError("nothing else was asked meanwhile")
            if len(asked) > 6:
                slow.set()
            return Answered(question)

    class Answered:
        def __init__(self, question):
            self.question = question

        def model_dump(self, mode):
            return {"response": self.question}

    items = [Item(number, str(number)) for number in range(12)]
    args = argparse.Namespace(session=None, group=None)
    rows = [row for row, _ in _answers(items, Asker(), args, 2)]
    assert [row["id"] for row in rows] == list(range(12))


def test_a_device_is_not_read_to_its_end():
    assert not _kept_answers(Path("/dev/zero"))


def test_a_folder_that_is_not_there_is_to_be_made(tmp_path):
    with pytest.raises(ConfigError) as caught:
        _opened(tmp_path / "none" / "a.jsonl")
    assert "folder" in caught.value.hint
