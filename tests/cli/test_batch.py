"""``ask --file``: many questions, bounded, resumed where it stopped."""

import json
import signal
import subprocess
import time

import pytest

from tests.cli.kettle import GOOD, GOOD_TEXT
from tests.wire.load_server import serving

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


@pytest.fixture
def own_shop(shell):
    """An index that is not shared: answers are kept beside it."""
    shell.write({"docs/returns.md": "A kettle can be returned within 30 days of delivery."})
    assert shell("index", "docs").code == 0
    return shell


def with_model(service, **more):
    return {"OPENAI_BASE_URL": service.base_url, "RAGQA_CHAT_MODEL": "m", **more}


def test_with_a_model_a_killed_run_is_resumed_in_order(own_shop, tmp_path):
    source, target = tmp_path / "q.jsonl", tmp_path / "a.jsonl"
    asked = [
        {"id": n, "question": f"How long do I have to return a kettle, asks {chr(97 + n)}?"}
        for n in range(24)
    ]
    write_lines(source, asked)
    args = ("ask", "--file", str(source), "--out", str(target))
    with serving(GOOD_TEXT, delay_s=0.2) as service:
        environ = with_model(service, RAGQA_CONCURRENCY="3")
        process = own_shop.start(
            *args, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environ
        )
        deadline_s = time.monotonic() + 60
        while not (target.exists() and target.read_bytes().count(b"\n") >= 4):
            assert time.monotonic() < deadline_s
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait(60)
        written = len(target.read_bytes().splitlines())
        assert written < 24
        done = own_shop(*args, **environ)
        report = service.report()
    assert done.code == 0, done.err
    answered = rows(target)
    assert [row["id"] for row in answered] == list(range(24))
    assert all(row["response"] == GOOD for row in answered)
    assert report["most_at_once"] <= 3
    assert report["requests"] <= 24 + 3  # what was under way is asked again, nothing else


def test_a_question_that_stands_many_times_is_asked_once(own_shop, tmp_path):
    source, target = tmp_path / "q.jsonl", tmp_path / "a.jsonl"
    write_lines(source, ["How long do I have to return a kettle?"] * 40)
    with serving(GOOD_TEXT, delay_s=0.1) as service:
        done = own_shop("ask", "--file", str(source), "--out", str(target), **with_model(service))
        assert service.report()["requests"] == 1
    assert done.code == 0
    answered = rows(target)
    assert [row["id"] for row in answered] == list(range(1, 41))
    assert {row["status"] for row in answered} == {"answered", "cached"}
    assert len({row["run_id"] for row in answered}) == 1
    assert sum(row["usage"]["calls"] for row in answered) == 1


def test_an_answer_is_reused_until_the_index_changes(own_shop, tmp_path):
    question = "How long do I have to return a kettle?"
    with serving(GOOD_TEXT) as service:
        environ = with_model(service)
        first = own_shop("ask", question, **environ).json
        second = own_shop("ask", "how long do I have to return a kettle", **environ).json
        other = own_shop("ask", question, "--group", "staff", **environ).json
        more = tmp_path / "more.md"
        more.write_text("Lamps glow for ten hours.")
        third = own_shop("ask", question, "--docs", str(more), **environ).json
        off = own_shop("ask", question, **environ, RAGQA_CACHE="off").json
    assert (first["status"], second["status"]) == ("answered", "cached")
    assert second["run_id"] == first["run_id"]
    assert second["usage"]["calls"] == 0
    assert (other["status"], third["status"], off["status"]) == ("answered",) * 3


def test_a_day_budget_is_kept_over_processes(own_shop):
    with serving(GOOD_TEXT) as service:
        environ = with_model(service, RAGQA_DAY_BUDGET_TOKENS="3000", RAGQA_CACHE="off")
        outcomes = [
            own_shop("ask", f"How long do I have to return a {what}?", **environ)
            for what in ("kettle", "lamp", "tent", "grinder", "lantern", "backpack", "kettle")
        ]
    answers = [done.json for done in outcomes]
    assert answers[0]["status"] == "answered"
    assert answers[-1]["reason"] == "budget"
    assert "UTC" in answers[-1]["response"]["answer"]
    assert "RAGQA_DAY_BUDGET_TOKENS" in outcomes[-1].err
    assert all(done.code == 0 for done in outcomes)
