"""``ragqa runs``: real processes over a real state folder."""

import json
import signal
import time

import pytest

from ragqa.ports import Run
from ragqa.records.store import SqliteRuns
from tests.cli.conftest import SilentService
from tests.cli.kettle import GOOD, INVENTED, QUESTION, at
from tests.cli.screen import run_on_screen
from tests.wire.openai_replies import Reply

STAFF_QUESTION = "How much do staff pay for a kettle?"
DAY_S = 86_400


def test_an_ask_is_listed_and_shown(own):
    answer = own("ask", QUESTION).json
    (listed,) = own("runs").json
    assert (listed["run_id"], listed["question"]) == (answer["run_id"], QUESTION)
    assert (listed["state"], listed["status"]) == ("completed", "answered")
    shown = own("runs", "show", answer["run_id"]).json
    assert shown["answer"]["response"] == answer["response"]
    assert [each["id"] for each in shown["passages"]] == [each["id"] for each in answer["passages"]]
    assert shown["timings_ms"] == answer["timings_ms"]
    assert shown["versions"]["ragqa"]
    for named in ("last", answer["run_id"][:-4]):
        assert own("runs", "show", named, "--json").json["run_id"] == answer["run_id"]


def test_the_messages_of_a_run_are_shown_with_the_stage_that_broke(own, serve):
    server = serve("It is 30 days.", "It is 30 days, as I said.")
    answer = own("ask", QUESTION, **at(server)).json
    shown = own("runs", "show", "last").json
    assert shown["stage"] == "instructions ignored"
    assert [call["kind"] for call in shown["calls"]] == ["answer", "repair"]
    sequence = [(m["role"], m["kind"]) for m in shown["calls"][0]["messages"]]
    assert sequence == [
        ("system", "instructions"),
        ("user", "question and passages"),
        ("assistant", "reply"),
    ]
    assert [each["code"] for each in shown["attempts"]] == [a["code"] for a in answer["attempts"]]
    _, text = run_on_screen(own, "runs", "show", "last")
    assert "broke at   instructions ignored" in text
    assert "system    instructions" in text


@pytest.mark.parametrize(
    "action", [("show",), ("show", "--replay"), ("approve",), ("refuse",), ("forget",)]
)
def test_an_unknown_id_is_refused_with_those_that_are_near(own, action):
    run_id = own("ask", QUESTION).json["run_id"]
    wrong = run_id[:-2] + "xx"
    done = own("runs", action[0], wrong, *action[1:])
    assert (done.code, done.out) == (2, "")
    assert wrong in done.err
    assert run_id in done.err


@pytest.mark.parametrize(
    "args",
    [
        ("show",),
        ("nonsense",),
        ("stats", "--since", "yesterday"),
        ("sample", "--n", "0"),
        ("list", "--n", "99999999999999999999"),
        ("forget",),
        ("show", "last", "--grup", "a"),
    ],
)
def test_usage_errors_exit_with_2(own, args):
    own("ask", QUESTION)
    done = own("runs", *args)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("ragqa: ")


def test_without_any_record_it_is_said(shell):
    done = shell("runs")
    assert done.code == 2
    assert "ragqa ask" in done.err
    assert list(shell.folder.iterdir()) == []


@pytest.mark.parametrize("action", ["approve", "refuse"])
def test_a_run_that_waits_for_nothing_cannot_be_decided_on(own, action):
    own("ask", QUESTION)
    done = own("runs", action, "last")
    assert done.code == 2
    assert "waits for no approval" in done.err


def test_what_comes_from_a_document_is_shown_to_its_groups_alone(own):
    answer = own("ask", STAFF_QUESTION, "--group", "staff").json
    run_id = answer["run_id"]
    assert "12 euros" in answer["response"]["answer"]
    seen = own("runs", "show", run_id, "--group", "staff")
    assert "12 euros" in seen.out
    assert not seen.json["hidden_sources"]
    for action in (
        ("show", run_id),
        ("show", run_id, "--group", "guests"),
        ("sample",),
        ("export",),
        (),
    ):
        hidden = own("runs", *action)
        assert hidden.code == 0
        assert run_id in hidden.out
        assert "12 euros" not in hidden.out
        assert "Staff prices" not in hidden.out
    shown = own("runs", "show", run_id).json
    assert (shown["hidden"] >= 1, shown["hidden_sources"]) == (True, True)
    assert shown["answer"]["response"].keys() == {"confidence", "category", "needs_human"}
    refused = own("runs", "show", run_id, "--replay")
    assert (refused.code, refused.out) == (8, "")
    assert own("runs", "show", "--group", "staff", run_id, "--replay").json["same"]


def test_replies_that_may_draw_on_a_hidden_document_are_hidden(own, serve):
    said = GOOD | {"answer": "Staff pay 12 euros for a kettle.", "sources": ["Staff prices"]}
    server = serve(said)
    own("ask", STAFF_QUESTION, "--group", "staff", **at(server))
    assert "12 euros" not in own("runs", "show", "last").out
    assert "12 euros" in own("runs", "show", "last", "--group", "staff").out


def test_a_replay_of_the_same_code_shows_no_difference(own, serve):
    server = serve(INVENTED, GOOD)
    answer = own("ask", QUESTION, **at(server)).json
    assert answer["status"] == "repaired"
    replay = own("runs", "show", "last", "--replay")  # no model is configured, none is asked
    assert replay.code == 0
    assert replay.json["same"]
    assert replay.json["unused_replies"] == 0
    assert len(own("runs").json) == 1  # a replay leaves no record


def test_a_replay_shows_what_differs(own, serve):
    server = serve(GOOD)
    own("ask", QUESTION, **at(server))
    (own.folder / "docs" / "returns.md").write_text(
        "# Returns\n\nA kettle can be returned within 20 days of delivery.\n"
    )
    assert own("index", "docs").code == 0
    replay = own("runs", "show", "last", "--replay").json
    assert not replay["same"]
    differing = {each["what"]: each for each in replay["differences"]}
    assert differing["status"]["then"] == "answered"
    assert differing["status"]["now"] == "degraded"
    assert differing["attempts"]["now"][0]["verdict"] == "rejected"
    _, text = run_on_screen(own, "runs", "show", "last", "--replay")
    assert "  then  " in text


def test_a_replay_of_a_failed_call_fails_again(own, serve):
    server = serve(*[Reply(status=500)] * 9)
    own("ask", QUESTION, **at(server))
    assert own("runs", "show", "last", "--replay").json["same"]


def test_without_text_nothing_can_be_replayed_and_it_says_so(own):
    own("ask", QUESTION, RAGQA_RECORDS="none")
    database = (own.folder / ".ragqa" / "runs.sqlite").read_bytes()
    assert QUESTION.encode() not in database
    replay = own("runs", "show", "last", "--replay")
    assert replay.code == 0
    assert not replay.json["replayed"]
    assert "RAGQA_RECORDS" in replay.json["reason"]


def test_secrets_are_masked_in_what_is_recorded(own, serve):
    secrets = [
        "sk-proj-abcdefghijklmnop1234",
        "ann@example.com",
        "13812345678",
        "11010119900307451X",
    ]
    said = GOOD | {"answer": f"{GOOD['answer']} {' '.join(secrets)}"}
    server = serve(said, said)
    own("ask", f"{QUESTION} {' '.join(secrets)}", **at(server))
    everything = b"".join(p.read_bytes() for p in (own.folder / ".ragqa").glob("runs.sqlite*"))
    shown = own("runs", "export").out
    for secret in secrets:
        assert secret.encode() not in everything
        assert secret not in shown
    assert "[email]" in shown


def test_a_sample_can_be_drawn_again(own):
    store = SqliteRuns(own.folder / ".ragqa")
    for number in range(60):
        store.save(Run(id=f"run_{number}", state="completed", started_s=time.time()))
    store.close()
    drawn = own("runs", "sample", "--n", "3", "--seed", "7").json
    assert len(drawn) == 3
    assert own("runs", "sample", "--n", "3", "--seed", "7").json == drawn
    assert len(own("runs", "sample").json) == 30


def test_runs_are_exported_a_line_each_and_forgotten(own):
    ids = [own("ask", QUESTION).json["run_id"] for _ in range(3)]
    lines = own("runs", "export").out.splitlines()
    assert [json.loads(line)["run_id"] for line in lines] == ids
    assert own("runs", "forget", ids[0], ids[1]).json == {"forgotten": 2}
    assert [run["run_id"] for run in own("runs").json] == ids[2:]
    assert own("runs", "forget", "--principal", "local").json == {"forgotten": 1}
    assert own("runs").json == []


def test_rates_are_counted_and_a_drop_exits_with_1(own, serve):
    store = SqliteRuns(own.folder / ".ragqa")
    record = {
        "attempts": [
            {"verdict": "accepted", "code": "ok", "repairs": [], "gate": "", "faults": []}
        ],
        "answer": {"status": "answered", "reason": None, "response": {"needs_human": False}},
    }
    for number in range(6):
        before_s = time.time() - 8 * DAY_S
        store.save(Run(id=f"r{number}", state="completed", started_s=before_s, record=record))
    store.close()
    server = serve(*[GOOD | {"confidence": "high"}, GOOD] * 2, "prose", "prose")
    for number in range(3):
        own("ask", f"{QUESTION} {number}", **at(server))
    done = own("runs", "stats", "--since", "7d")
    assert done.code == 1
    stats = done.json
    assert (stats["runs"], stats["before"]["runs"]) == (3, 6)
    rates = stats["rates"]
    assert (rates["valid_at_first_try"], rates["repaired_by_call"]) == (0.0, 0.6667)
    assert (rates["degraded"], rates["needs_human"]) == (0.3333, 0.3333)
    assert stats["failures"]["gate"] == {"schema": 2, "syntax": 2}
    assert stats["failures"]["field"]["confidence"] == 2
    assert stats["degraded_reasons"] == {"invalid_output": 1}
    assert stats["needs_human_by"]["chain"]["stuff"] == {"rate": 0.3333, "runs": 3}
    assert stats["usage"]["calls"] == 6
    assert stats["latency_ms"]["p50"] > 0
    assert [drop["rate"] for drop in stats["drops"]] == ["valid_at_first_try"]
    assert "valid_at_first_try" in done.err
    code, text = run_on_screen(own, "runs", "stats", "--since", "7d")
    assert code == 1
    assert "DROPPED: valid_at_first_try" in text
    assert own("runs", "stats", "--since", "30d").code == 0


def test_limits_and_failures_on_the_way_are_counted(own, serve):
    server = serve(
        Reply(status=429, headers={"retry-after": "0"}),
        Reply(status=503, headers={"retry-after": "0"}),
        GOOD,
    )
    assert own("ask", QUESTION, **at(server)).json["status"] == "answered"
    transport = own("runs", "stats").json["transport"]
    assert (transport["429"], transport["5xx"]) == (1, 1)


def test_a_killed_ask_is_incomplete_and_a_living_one_is_not_touched(own):
    service = SilentService()
    try:
        env = {"OPENAI_BASE_URL": service.url, "RAGQA_CHAT_MODEL": "m"}
        asking = own.start("ask", QUESTION, env=env)
        service.wait_for_request()
        assert own("runs", "show", "last").json["state"] == "in_progress"
        own("ask", QUESTION)
        assert {run["state"] for run in own("runs").json} == {"in_progress", "completed"}
        asking.send_signal(signal.SIGKILL)
        asking.wait(30)
        assert {run["state"] for run in own("runs").json} == {"incomplete", "completed"}
        own("ask", QUESTION)
        lost = [run for run in own("runs").json if run["state"] == "incomplete"]
        assert len(lost) == 1
        assert own("runs", "show", lost[0]["run_id"]).json["last_error"]["code"] == "process_lost"
    finally:
        service.close()


def test_an_interrupted_ask_is_cancelled(own):
    service = SilentService()
    try:
        env = {"OPENAI_BASE_URL": service.url, "RAGQA_CHAT_MODEL": "m"}
        asking = own.start("ask", QUESTION, env=env)
        service.wait_for_request()
        time.sleep(0.2)
        asking.send_signal(signal.SIGINT)
        assert asking.wait(30) == 130
        assert own("runs", "show", "last").json["state"] == "cancelled"
    finally:
        service.close()


def test_a_damaged_file_of_runs_breaks_no_answer(own):
    (own.folder / ".ragqa" / "runs.sqlite").write_bytes(b"no database " * 500)
    done = own("ask", QUESTION)
    assert (done.code, done.json["status"]) == (0, "answered")
    broken = own("runs")
    assert (broken.code, broken.out) == (2, "")
    assert "Move it away" in broken.err
