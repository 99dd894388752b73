"""One suite for every store of runs."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from ragqa.contract import Usage
from ragqa.errors import StorageError
from ragqa.ports import Run
from ragqa.records.store import SqliteRuns

DAY_S = 86_400.0
NOW_S = 1_800_000_000.0
RUN = Run(
    id="run_1",
    state="in_progress",
    chain="stuff",
    principal="ann",
    groups=("staff",),
    session_id="s",
    question="水壶可以退货吗？ \ud83d",
    started_s=NOW_S,
    usage=Usage(calls=1, prompt_tokens=5, cost=0.5),
    record={"calls": [{"reply": "a"}], "stage": None},
)


@pytest.fixture(params=[SqliteRuns])
def open_store(request, tmp_path):
    opened = []

    def store(**options):
        opened.append(request.param(tmp_path, **({"wall_clock": lambda: NOW_S} | options)))
        return opened[-1]

    yield store
    for each in opened:
        each.close()


def test_a_run_is_kept_from_its_beginning_to_its_end(open_store):
    runs = open_store()
    assert runs.get("run_1") is None
    assert runs.begin(RUN) is None
    assert runs.get("run_1") == replace(RUN, question="水壶可以退货吗？ ?")
    ended = replace(RUN, state="completed", ended_s=NOW_S + 2, record={"stage": "x"}, question="q")
    runs.save(ended)
    assert open_store().get("run_1") == ended


def test_an_error_stays_with_the_run(open_store):
    runs = open_store()
    error = {"code": "provider.auth", "message": "The key is refused."}
    runs.save(replace(RUN, state="failed", last_error=error))
    assert runs.get("run_1").last_error == error


def test_a_run_that_goes_on_tells_what_was_before(open_store):
    runs = open_store()
    runs.begin(RUN)
    waiting = replace(RUN, state="requires_action", question="q")
    runs.save(waiting)
    again = replace(RUN, started_s=NOW_S + 9, question="q")
    assert runs.begin(again) == waiting
    assert runs.get("run_1").state == "in_progress"
    assert runs.get("run_1").started_s == NOW_S


def test_notes_outlive_what_is_saved(open_store):
    runs = open_store()
    runs.begin(RUN)
    runs.note("run_1", {"thread": "t", "n": 1})
    runs.note("run_1", {"n": {"deep": None}})
    runs.save(replace(RUN, state="completed", record={"stage": None}))
    assert runs.get("run_1").record == {"stage": None, "thread": "t", "n": {"deep": None}}
    runs.note("nobody", {"n": 1})
    assert runs.get("nobody") is None


def test_a_run_is_moved_only_from_where_it_is_expected(open_store):
    runs = open_store()
    assert not runs.move("run_1", ("queued",), "in_progress")
    runs.save(replace(RUN, state="requires_action"))
    assert not runs.move("run_1", ("in_progress",), "cancelled")
    error = {"code": "expired", "message": ""}
    assert runs.move("run_1", ("requires_action", "queued"), "expired", error)
    moved = runs.get("run_1")
    assert (moved.state, moved.last_error, moved.ended_s) == ("expired", error, NOW_S)


def test_one_of_many_moves_a_run(open_store):
    open_store().save(replace(RUN, state="requires_action"))
    won = []

    def move():
        won.append(open_store().move("run_1", ("requires_action",), "in_progress"))

    threads = [threading.Thread(target=move) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(won) == [False] * 7 + [True]


@pytest.mark.parametrize("state", ["cancelled", "expired"])
def test_a_run_that_was_stopped_meanwhile_stays_so(open_store, state):
    runs = open_store()
    runs.begin(RUN)
    runs.move("run_1", ("in_progress",), state, {"code": state, "message": ""})
    runs.save(replace(RUN, state="completed", ended_s=NOW_S))
    assert runs.get("run_1").state == state
    assert runs.get("run_1").last_error["code"] == state


def test_runs_of_a_period_come_in_their_order(open_store):
    runs = open_store()
    for number in range(1203):  # more than a page
        runs.save(
            replace(RUN, id=f"run_{number:04}", state="completed", started_s=NOW_S + number // 2)
        )
    found = [run.id for run in runs.since(NOW_S, NOW_S + 600)]
    assert found == [f"run_{number:04}" for number in range(1200)]
    assert len(list(runs.since(float("-inf")))) == 1203
    assert list(runs.since(NOW_S + 602)) == []


def test_the_latest_come_first(open_store):
    runs = open_store()
    for number in range(5):
        session = "a" if number % 2 else None
        runs.save(
            replace(
                RUN,
                id=f"run_{number}",
                state="completed",
                started_s=NOW_S + number,
                session_id=session,
            )
        )
    assert [run.id for run in runs.latest(2)] == ["run_4", "run_3"]
    assert [run.id for run in runs.latest(-1, session_id="a")] == ["run_3", "run_1"]
    assert runs.ids("run_") == ["run_4", "run_3", "run_2", "run_1", "run_0"]
    assert runs.ids("run_4x") == []


def test_a_forgotten_run_leaves_no_trace(open_store, tmp_path):
    runs = open_store()
    runs.begin(replace(RUN, question="a telltale question"))
    runs.save(replace(RUN, question="a telltale question" * 500, state="completed"))
    assert runs.forget(["run_1", "nobody"]) == 1
    assert runs.get("run_1") is None
    everything = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert b"telltale" not in everything


def test_old_runs_are_deleted_but_for_those_that_wait(open_store):
    runs = open_store(keep_days=30)
    for name, state in (("old", "completed"), ("waits", "requires_action")):
        runs.save(replace(RUN, id=name, state=state, started_s=NOW_S - 31 * DAY_S))
    runs.save(replace(RUN, id="young", state="completed", started_s=NOW_S - 29 * DAY_S))
    runs.save(replace(RUN, id="ahead", state="completed", started_s=NOW_S + 99 * DAY_S))
    open_store(keep_days=30).begin(RUN)
    assert sorted(runs.ids()) == ["ahead", "run_1", "waits", "young"]


HOLDING = """
import sys, time
from pathlib import Path
from ragqa.ports import Run
from ragqa.records.store import SqliteRuns
runs = SqliteRuns(Path(sys.argv[1]))
for state in ("in_progress", "queued", "requires_action"):
    runs.begin(Run(id=state, state="in_progress", started_s=time.time()))
    if state != "in_progress":
        runs.save(Run(id=state, state=state, started_s=time.time()))
print("ready", flush=True)
time.sleep(60)
"""


def test_a_run_of_a_killed_process_is_incomplete(open_store, tmp_path):
    child = subprocess.Popen(
        [sys.executable, "-c", HOLDING, tmp_path], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout.readline() == "ready\n"
    runs = open_store(keep_days=10_000)
    runs.begin(RUN)  # a new process does not take over what a living one works on
    assert [runs.get(state).state for state in ("in_progress", "queued")] == [
        "in_progress",
        "queued",
    ]
    child.send_signal(signal.SIGKILL)
    child.communicate(timeout=30)
    lost = runs.get("in_progress")
    assert (lost.state, lost.last_error["code"], lost.ended_s) == (
        "incomplete",
        "process_lost",
        None,
    )
    assert not runs.move("in_progress", ("in_progress",), "completed")
    later = open_store(keep_days=10_000)
    later.begin(replace(RUN, id="run_2"))
    states = {run.id: run.state for run in later.latest(9)}
    assert states == {
        "in_progress": "incomplete",
        "queued": "incomplete",
        "requires_action": "requires_action",
        "run_1": "in_progress",
        "run_2": "in_progress",
    }


WRITING = """
import sys, threading, time
from pathlib import Path
from ragqa.ports import Run
from ragqa.records.store import SqliteRuns
runs = SqliteRuns(Path(sys.argv[1]))
def work(name):
    for number in range(25):
        run = Run(id=f"{name}-{number}", state="in_progress", started_s=time.time())
        runs.begin(run)
        runs.save(Run(id=run.id, state="completed", started_s=run.started_s, question="q" * 500))
threads = [threading.Thread(target=work, args=(f"{sys.argv[2]}-{n}",)) for n in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


def test_eight_threads_of_two_processes_lose_no_run(open_store, tmp_path):
    children = [
        subprocess.Popen([sys.executable, "-c", WRITING, tmp_path, name]) for name in ("a", "b")
    ]
    assert [child.wait(60) for child in children] == [0, 0]
    runs = list(open_store().since(float("-inf")))
    assert len(runs) == 400
    assert {run.state for run in runs} == {"completed"}


def test_what_is_kept_is_json_whatever_it_holds(open_store):
    runs = open_store()
    runs.save(replace(RUN, state="completed", record={"path": Path("a"), "nan": float("nan")}))
    assert json.dumps(dict(runs.get("run_1").record))


def test_a_damaged_row_is_named_and_can_be_deleted(open_store, tmp_path):
    runs = open_store()
    runs.save(RUN)
    runs.close()
    with closing(sqlite3.connect(tmp_path / "runs.sqlite")) as file:
        for rest in ("{cut", "[]", '{"groups": 3}', '"text"'):
            file.execute("UPDATE run SET rest = ?", (rest,))
            file.commit()
            with pytest.raises(StorageError, match="run_1"):
                open_store().get("run_1")
            with pytest.raises(StorageError, match="run_1"):
                open_store().latest(3)
    assert open_store().ids(principal=RUN.principal) == ["run_1"]
    assert open_store().ids(principal="nobody") == []
    assert open_store().forget(["run_1"]) == 1
