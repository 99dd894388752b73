import json
import os
import signal
import time
from pathlib import Path

import pytest

from tests.cli.screen import run_on_screen
from tests.cli.test_model import at, reply
from tests.unit.evaluation.test_metrics import NAMES
from tests.unit.evaluation.test_report import read
from tests.wire.openai_server import OpenAIServer

QUESTIONS = [
    {"id": "k", "question": "How long do I have to return a kettle?", "answers": ["30 days"],
     "gold_doc": "returns.md"},
    {"id": "l", "question": "灯具多久内可以退货？", "answers": ["14天"], "gold_doc": "退货政策.md"},
    {"id": "w", "question": "Who won the chess championship in Oslo?", "answers": []},
    {"id": "t", "question": "How long does express delivery take?",
     "truth": "It takes 1 day. [delivery.txt]"},
]  # fmt: skip


@pytest.fixture
def asked(shop, tmp_path):
    """Run eval over some questions, from the shop's folder, with its files elsewhere."""

    def run(*args, questions=QUESTIONS, **env):
        file = tmp_path / "questions.jsonl"
        lines = (q if isinstance(q, str) else json.dumps(q) for q in questions)
        file.write_text("\n".join(lines) + "\n")
        return shop("eval", str(file), *args, **env)

    return run


def test_json_has_the_documented_fields(asked):
    done = asked("--json")
    figures = done.json
    assert done.code == 0
    assert list(figures)[: len(NAMES)] == NAMES
    assert figures["n"] == 4
    assert figures["recall_at_1"] == figures["answer_holds_gold"] == 1
    assert figures["citation_verbatim"] == figures["citation_precision"] == 1
    assert (figures["refused_unanswerable"], figures["false_refusals"]) == (1, 0)
    assert 0 < figures["latency_ms"]["p50"] <= figures["latency_ms"]["p95"]
    assert figures["tokens"]["calls"] == 0


def test_a_person_gets_names_and_intervals(shop, tmp_path):
    file = tmp_path / "q.jsonl"
    file.write_text(json.dumps(QUESTIONS[0]) + "\n")
    code, shown = run_on_screen(shop, "eval", str(file), NO_COLOR="1")
    assert code == 0
    assert "recall@5" in shown
    assert "1.000 – 1.000" in shown
    file.write_text(json.dumps(QUESTIONS[1]) + "\n")
    assert "召回率@5" in run_on_screen(shop, "eval", str(file), NO_COLOR="1")[1]


def test_what_misses_is_named_and_fails_the_build(asked):
    done = asked("--fail-under", "recall_at_5=0.5,token_f1=0.99,ece=0.00001", "--json")
    assert done.code == 1
    assert "token_f1 is" in done.err
    assert "ece is" in done.err
    assert "recall_at_5" not in done.err
    assert done.json["n"] == 4
    assert asked("--fail-under", "recall_at_5=0.5,citation_verbatim=1").code == 0


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--fail-under", "recall=0.9"], "recall_at_5"),
        (["--fail-under", "mrr=much"], "no number"),
        (["--k", "0"], "no whole number"),
        (["--limit", "x"], "no whole number"),
        (["--chain", "none"], "no chain named"),
        (["--report", "none/report.html"], "no such folder"),
        (["--out", "docs"], "is a folder"),
        (["--out", "-"], "--out - is no file"),
        (["--out", "same", "--report", "same"], "different files"),
    ],
)
def test_wrong_options_are_refused_before_any_work(asked, args, said):
    done = asked(*args)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_a_full_disk_is_told_without_a_traceback(asked):
    done = asked("--out", "/dev/full")
    assert (done.code, done.out) == (2, "")
    assert "--out '/dev/full' cannot be written: No space left" in done.err
    assert "This should not happen" not in done.err


def test_a_malformed_line_is_named(asked):
    done = asked(questions=[QUESTIONS[0], '{"question": "Who?"'])
    assert (done.code, done.out) == (2, "")
    assert "Line 2" in done.err


def test_documents_are_indexed_first_and_their_absence_told(shell):
    question = {"question": "How long to return a lamp?", "answers": ["14 days"]}
    document = "A lamp can be returned within 14 days.\n"
    shell.write({"d/a.md": document, "q.jsonl": json.dumps(question)})
    assert shell("eval", "q.jsonl").code == 4
    assert shell("eval", "q.jsonl", "--docs", "d").json["answer_holds_gold"] == 1


def test_the_page_stands_by_itself(asked, tmp_path):
    page = tmp_path / "report.html"
    assert asked("--report", str(page)).code == 0
    html = page.read_text()
    assert read(html).tags.count("svg") == 3
    assert "A kettle can be returned within 30 days of delivery." in html


def test_out_is_taken_up_again(asked, tmp_path):
    out = tmp_path / "out.jsonl"
    first = asked("--out", str(out), "--json")
    whole = out.read_bytes()
    out.write_bytes(b"".join(whole.splitlines(keepends=True)[:2]) + b'{"number": 3, "id')
    again = asked("--out", str(out), "--json")
    assert "2 of 4 are measured already" in again.err
    assert [json.loads(line)["id"] for line in out.read_text().splitlines()] == list("klwt")
    steady = {name: first.json[name] for name in NAMES if name != "latency_ms"}
    assert {name: again.json[name] for name in steady} == steady
    assert asked("--out", str(out), "--k", "3").code == 2


def test_a_killed_run_goes_on_where_it_was(shop, tmp_path):
    questions, out = tmp_path / "q.jsonl", tmp_path / "out.jsonl"
    line = json.dumps(QUESTIONS[0]) + "\n"
    questions.write_text(line * 3000)
    process = shop.start("eval", str(questions), "--out", str(out))
    try:
        deadline_s = time.monotonic() + 60
        while not (out.exists() and out.read_bytes().count(b"\n") > 5):
            assert time.monotonic() < deadline_s
            time.sleep(0.02)
    finally:
        process.kill()
        process.wait()
    kept = out.read_bytes().count(b"\n")
    questions.write_text(line * (kept + 3))
    done = shop("eval", str(questions), "--out", str(out), "--json")
    assert f"{kept} of {kept + 3} are measured already" in done.err
    assert done.json["n"] == kept + 3


def test_ctrl_c_ends_it_cleanly(shop, tmp_path):
    questions, out = tmp_path / "q.jsonl", tmp_path / "out.jsonl"
    questions.write_text((json.dumps(QUESTIONS[0]) + "\n") * 3000)
    process = shop.start("eval", str(questions), "--out", str(out))
    try:
        while not out.exists():
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(timeout=30) == 130
    finally:
        process.kill()
        process.wait()


def test_limit_draws_by_seed(asked):
    drawn = [asked("--limit", "2", "--seed", seed, "--json").json for seed in "0123"]
    assert [figures["n"] for figures in drawn] == [2, 2, 2, 2]
    assert len({json.dumps(figures["intervals"]) for figures in drawn}) > 1


def test_a_model_is_measured_with_its_repairs_and_tokens(asked):
    invented = reply(answer="A kettle can be returned within 45 days of delivery.")
    with OpenAIServer([invented, reply()]) as server:
        figures = asked("--json", questions=QUESTIONS[:1], **at(server)).json
    assert figures["answer_holds_gold"] == 1
    assert figures["rates"]["repaired_by_call"] == 1
    assert sum(figures["rates"]["rejected"].values()) == 1
    assert figures["rates"]["rejected_by_gate"]
    assert figures["tokens"]["calls"] == 2
    assert figures["tokens"]["prompt"] > 0


@pytest.mark.parametrize("chain", ["retrieval_qa", "two_stage"])
def test_other_chains_are_measured_alike(asked, chain):
    with OpenAIServer([reply()] * 4) as server:
        done = asked("--json", "--chain", chain, questions=QUESTIONS[:1], **at(server))
    assert done.code == 0
    assert done.json["recall_at_1"] == 1


def test_a_refused_key_ends_it(asked):
    with OpenAIServer([reply()], key="sk-test-right") as server:
        done = asked("--json", **at(server, OPENAI_API_KEY="sk-test-x"))
    assert (done.code, done.out) == (3, "")
