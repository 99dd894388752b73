"""``ask --file``: many questions, bounded, resumed where it stopped."""

import json
import signal
import subprocess
import time

import pytest

QUESTIONS = [
    {"id": "k", "question": "How long do I have to return a kettle?"},
    {"id": "d", "question": "How long does express delivery take?"},
    {"question": "多少天内可以退货？"},
]


def write_lines(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def rows(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def files(tmp_path):
    source, target = tmp_path / "q.jsonl", tmp_path / "a.jsonl"
    write_lines(source, QUESTIONS)
    return source, target


def test_answers_come_in_the_order_of_the_questions(shop, files):
    source, target = files
    done = shop("ask", "--file", str(source), "--out", str(target))
    assert (done.code, done.out) == (0, "")
    assert "3 answered, 0 failed" in done.err
    answers = rows(target)
    assert [row["id"] for row in answers] == ["k", "d", 3]
    assert [row["question"] for row in answers] == [item["question"] for item in QUESTIONS]
    assert "30 days" in answers[0]["response"]["answer"]
    assert "30天" in answers[2]["response"]["answer"]


def test_what_is_answered_is_not_asked_again(shop, files):
    source, target = files
    write_lines(source, QUESTIONS[:2])
    assert shop("ask", "--file", str(source), "--out", str(target)).code == 0
    before = target.read_bytes()
    write_lines(source, QUESTIONS)
    done = shop("ask", "--file", str(source), "--out", str(target))
    assert done.code == 0
    assert "2 of 3 are answered already" in done.err
    assert target.read_bytes().startswith(before)
    assert len(rows(target)) == 3


def test_a_killed_run_is_resumed_without_loss_or_doubles(shop, tmp_path):
    source, target = tmp_path / "q.jsonl", tmp_path / "a.jsonl"
    asked = [{"id": n, "question": f"How long is delivery of order {n}?"} for n in range(300)]
    write_lines(source, asked)
    args = ("ask", "--file", str(source), "--out", str(target))
    process = shop.start(*args, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline_s = time.monotonic() + 60
    while not (target.exists() and target.read_bytes().count(b"\n") >= 20):
        assert time.monotonic() < deadline_s
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait(60)
    assert 0 < len(target.read_bytes().splitlines()) < 300
    with target.open("ab") as file:
        file.write(b'{"id": 299, "question": "How lo')  # as a machine that went down leaves it
    assert shop(*args).code == 0
    answered = rows(target)
    assert [row["id"] for row in answered] == list(range(300))
    assert all("response" in row for row in answered)


def test_a_missing_index_ends_it_all_and_leaves_no_answers(shell):
    write_lines(shell.folder / "q.jsonl", QUESTIONS)
    done = shell("ask", "--file", "q.jsonl", "--out", "a.jsonl")
    assert done.code == 4
    assert "ragqa index" in done.err
    assert not (shell.folder / "a.jsonl").exists() or not rows(shell.folder / "a.jsonl")


def test_groups_hold_for_every_question(shop, tmp_path):
    source = tmp_path / "q.jsonl"
    write_lines(source, ["What do staff pay for a kettle?"])
    for group, seen in (("other", False), ("staff", True)):
        target = tmp_path / f"{group}.jsonl"
        shop("ask", "--file", str(source), "--out", str(target), "--group", group)
        assert ("12 euros" in target.read_text()) is seen
