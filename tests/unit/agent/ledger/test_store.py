"""Records of tool calls: their moves, who may run what, and what is shown of them."""

import multiprocessing
import os
import signal
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import pytest

from ragqa.agent.ledger.reader import LOST, LedgerReader
from ragqa.agent.ledger.record import NewCall
from ragqa.agent.ledger.states import MOVES
from ragqa.agent.ledger.store import Ledger
from ragqa.errors import ConfigError, IllegalMoveError, UnknownNameError

STATES = tuple(MOVES)
WAY_TO = {
    "requested": (),
    "waiting_for_approval": ("waiting_for_approval",),
    "running": ("running",),
    "succeeded": ("running", "succeeded"),
    "verified": ("running", "succeeded", "verified"),
    "failed": ("failed",),
    "unknown": ("running", "unknown"),
}


@pytest.fixture
def ledger(tmp_path):
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        yield ledger


def new(ledger, *, run_id="run", call_id="1", name="send", key=None, **more):
    record = ledger.request(NewCall(run_id=run_id, call_id=call_id, name=name, digest="d", **more))
    return ledger.note(record.id, key=key, arguments={}) if key else record


def in_state(ledger, state, **more):
    record = new(ledger, **more)
    for step in WAY_TO[state]:
        record = ledger.move(record.id, step)
    return record


@pytest.mark.parametrize(("old", "state"), list(product(STATES, STATES)))
def test_only_legal_moves_are_made(ledger, old, state):
    record = in_state(ledger, old)
    if state in MOVES[old]:
        assert ledger.move(record.id, state).state == state
        return
    with pytest.raises(IllegalMoveError, match=f"from {old} to {state}"):
        ledger.move(record.id, state)
    assert ledger.get(record.id) == record


def test_what_is_over_is_over():
    assert MOVES["verified"] == MOVES["failed"] == frozenset()
    assert "requested" not in frozenset().union(*MOVES.values())


def test_every_move_is_kept_with_its_time_and_try(tmp_path):
    times = iter(range(100, 200))
    with Ledger(tmp_path / "ledger.sqlite", clock=lambda: float(next(times))) as ledger:
        record = new(ledger, key="k")
        ledger.claim(record.id, "requested")
        ledger.move(record.id, "unknown", reason="no reply")
        ledger.claim(record.id, "unknown")
        record = ledger.move(record.id, "succeeded", result="ok", request_id="r-1")
    moves = [(move.state, move.attempt, move.reason) for move in record.moves]
    assert moves == [
        ("requested", 0, ""),
        ("running", 1, ""),
        ("unknown", 1, "no reply"),
        ("running", 2, ""),
        ("succeeded", 2, ""),
    ]
    assert [move.at_s for move in record.moves] == sorted(move.at_s for move in record.moves)
    assert (record.attempt, record.result, record.request_id) == (2, "ok", "r-1")


def test_a_move_from_another_state_or_try_than_expected_changes_nothing(ledger):
    record = in_state(ledger, "running", key="k")
    assert ledger.move(record.id, "succeeded", expected={"unknown"}) == record
    assert ledger.move(record.id, "succeeded", attempt=7) == record


def test_a_record_that_is_not_there_is_named(ledger):
    with pytest.raises(UnknownNameError, match="nothing"):
        ledger.get("nothing")


def test_only_known_columns_can_be_changed(ledger):
    with pytest.raises(TypeError, match="state"):
        ledger.note(new(ledger).id, state="verified")


def test_one_operation_is_claimed_once(ledger):
    first, second = new(ledger, key="k"), new(ledger, call_id="2", key="k")
    assert ledger.claim(first.id, "requested")[0]
    claimed, other = ledger.claim(second.id, "requested")
    assert (claimed, other.id) == (False, first.id)


@pytest.mark.parametrize("state", ["unknown", "succeeded", "verified"])
def test_an_operation_that_may_have_taken_place_is_never_claimed_again(ledger, state):
    first = in_state(ledger, state, key="k")
    second = new(ledger, run_id="another", key="k")
    assert ledger.claim(second.id, "requested") == (False, first)


def test_an_operation_that_failed_can_be_claimed_again(ledger):
    in_state(ledger, "failed", key="k")
    assert ledger.claim(new(ledger, call_id="2", key="k").id, "requested")[0]


def test_what_took_place_on_a_wrong_target_is_not_claimed_again(ledger):
    record = in_state(ledger, "succeeded", key="k")
    ledger.move(record.id, "failed", verification={"finding": "mismatch"})
    assert not ledger.claim(new(ledger, call_id="2", key="k").id, "requested")[0]


def test_other_keys_and_other_tools_are_other_operations(ledger):
    in_state(ledger, "succeeded", key="k")
    assert ledger.claim(new(ledger, call_id="2", key="other").id, "requested")[0]
    assert ledger.claim(new(ledger, call_id="3", name="book", key="k").id, "requested")[0]


def test_of_many_threads_one_claims(ledger):
    records = [new(ledger, call_id=str(n), key="k") for n in range(20)]
    with ThreadPoolExecutor(20) as pool:
        claims = list(pool.map(lambda record: ledger.claim(record.id, "requested"), records))
    assert [claimed for claimed, _ in claims].count(True) == 1
    assert len({record.id for _, record in claims}) == 1


def _claim_in_process(path, started, results):
    with Ledger(path) as ledger:
        record = new(ledger, run_id=f"run-{os.getpid()}", key="k")
        started.wait(20)
        results.put(ledger.claim(record.id, "requested")[0])
        time.sleep(0.5)  # a process that is gone would not count as running


def test_of_many_processes_one_claims(tmp_path):
    context = multiprocessing.get_context("spawn")
    started, results = context.Barrier(4), context.Queue()
    arguments = (tmp_path / "ledger.sqlite", started, results)
    processes = [context.Process(target=_claim_in_process, args=arguments) for _ in range(4)]
    for process in processes:
        process.start()
    claims = [results.get(timeout=30) for _ in processes]
    for process in processes:
        process.join(30)
    assert claims.count(True) == 1


def _hold(path, ready):
    with Ledger(path) as ledger:
        record = new(ledger, key="k")
        ledger.claim(record.id, "requested")
        ready.put(record.id)
        time.sleep(60)


@pytest.fixture
def running_elsewhere(tmp_path):
    """Give the path of a ledger, the process that runs a call in it, and the call's record."""
    context = multiprocessing.get_context("spawn")
    ready = context.Queue()
    path = tmp_path / "ledger.sqlite"
    process = context.Process(target=_hold, args=(path, ready), daemon=True)
    process.start()
    yield path, process, ready.get(timeout=30)
    process.kill()
    process.join(10)


def test_a_call_of_a_living_process_is_left_alone(running_elsewhere):
    path, _, record_id = running_elsewhere
    with Ledger(path) as ledger:
        assert ledger.recover() == []
        record = ledger.get(record_id)
        assert record.state == "running"
        assert ledger.is_running(record)


def test_a_call_of_a_killed_process_becomes_unknown_at_the_next_start(running_elsewhere):
    path, process, record_id = running_elsewhere
    os.kill(process.pid, signal.SIGKILL)
    process.join(10)
    with Ledger(path) as ledger:
        other = new(ledger, run_id="next", key="k")  # the first thing that is written recovers
        record = ledger.get(record_id)
        assert (record.state, record.owner, record.moves[-1].reason) == ("unknown", None, LOST)
        assert ledger.claim(other.id, "requested") == (False, record)


def test_a_stopped_process_still_runs(running_elsewhere):
    path, process, record_id = running_elsewhere
    os.kill(process.pid, signal.SIGSTOP)
    try:
        with Ledger(path) as ledger:
            assert ledger.recover() == []
            assert ledger.get(record_id).state == "running"
    finally:
        os.kill(process.pid, signal.SIGCONT)


def test_a_read_only_call_of_a_killed_process_has_failed(tmp_path):
    path = tmp_path / "ledger.sqlite"
    with Ledger(path) as ledger:
        record = new(ledger, read_only=True)
        ledger.claim(record.id, "requested")
    with Ledger(path) as ledger:  # closing let go of it, as the end of the process does
        assert [each.state for each in ledger.recover()] == ["failed"]
        assert ledger.get(record.id).state == "failed"


def test_a_job_that_was_only_accepted_outlives_its_process(tmp_path):
    path = tmp_path / "ledger.sqlite"
    with Ledger(path) as ledger:
        record = new(ledger, key="k", asynchronous=True)
        ledger.claim(record.id, "requested")
        ledger.note(record.id, owner=None)
    with Ledger(path) as ledger:
        assert ledger.recover() == []
        assert [each.id for each in ledger.pending(["send"])] == [record.id]


def test_a_decision_moves_nothing(ledger):
    record = ledger.ask(new(ledger, key="k").id, 60)
    decided = ledger.decide(record.id, True, by="ann")
    assert decided.state == "waiting_for_approval"
    assert (decided.approval.decision, decided.approval.by) == ("approved", "ann")


def test_a_decision_is_made_once(ledger):
    record = ledger.ask(new(ledger, key="k").id, 60)
    ledger.decide(record.id, False, by="ann", reason="too expensive")
    with pytest.raises(ConfigError, match="has been refused before"):
        ledger.decide(record.id, True, by="bob")
    assert ledger.get(record.id).approval.decision == "refused"


def test_of_many_deciders_one_decides(ledger):
    record = ledger.ask(new(ledger, key="k").id, 60)

    def decide(number):
        try:
            return ledger.decide(record.id, number % 2 == 0, by=str(number)).approval.by
        except ConfigError:
            return None

    with ThreadPoolExecutor(8) as pool:
        deciders = [by for by in pool.map(decide, range(8)) if by is not None]
    assert deciders == [ledger.get(record.id).approval.by]


@pytest.mark.parametrize("state", ["requested", "running", "succeeded", "failed", "unknown"])
def test_only_what_waits_is_decided(ledger, state):
    with pytest.raises(ConfigError, match="does not wait"):
        ledger.decide(in_state(ledger, state).id, True, by="ann")


def test_after_its_time_nothing_can_be_approved(tmp_path):
    now = [1000.0]
    with Ledger(tmp_path / "ledger.sqlite", clock=lambda: now[0]) as ledger:
        record = ledger.ask(new(ledger, key="k").id, 60)
        now[0] += 60
        with pytest.raises(ConfigError, match="time to approve"):
            ledger.decide(record.id, True, by="ann")


def test_waiting_calls_are_listed_by_run(ledger):
    first = ledger.ask(new(ledger, key="a").id, 60)
    second = ledger.ask(new(ledger, run_id="other", key="b").id, 60)
    assert [record.id for record in ledger.waiting()] == [first.id, second.id]
    assert [record.id for record in ledger.waiting("other")] == [second.id]


def test_a_person_is_asked_once_about_an_operation_of_a_run(ledger):
    first, second = new(ledger, key="k"), new(ledger, call_id="2", key="k")
    assert ledger.ask(first.id, 60).id == first.id
    assert ledger.ask(second.id, 60).id == first.id


def test_arguments_are_masked_where_they_are_shown_and_real_for_the_approver(ledger):
    real = {
        "to": "ann@example.com",
        "card": 4111111111111111,
        "password": "hunter2!",
        "note": "call 13812345678",
        "nested": [{"api_key": "sk-abcdefghijklmnop"}],
        "amount": 12.5,
        "urgent": True,
    }
    record = new(ledger, sent='{"to": "ann@example.com"}')
    record = ledger.ask(ledger.note(record.id, arguments=real, key="k").id, 60)
    shown = record.shown()
    for secret in ("ann@", "4111", "hunter2", "138123", "sk-abc"):
        assert secret not in str(shown)
        assert secret not in repr(record)
    assert shown["arguments"]["amount"] == 12.5
    assert shown["arguments"]["urgent"] is True
    assert record.for_approver()["arguments"] == real


def test_a_record_shows_what_a_page_needs(ledger):
    record = in_state(ledger, "succeeded", key="k", effect="sent mail")
    shown = record.shown()
    assert (shown["name"], shown["call_id"], shown["state"]) == ("send", "1", "succeeded")
    assert (shown["done"], shown["effect"]) == (True, "sent mail")
    assert shown["times"].keys() == {"requested", "running", "succeeded"}


def test_success_is_not_done_where_it_has_to_be_verified(ledger):
    record = in_state(ledger, "succeeded", completes="verified")
    assert not record.is_done
    assert ledger.move(record.id, "verified").is_done


def test_hostile_values_come_back_as_they_were(ledger):
    values = {"sql": "'; DROP TABLE tool_call; --", "nul": "a\x00b", "half": "\ud800", "zh": "你好"}
    record = ledger.note(new(ledger).id, arguments=values, key="k'; --")
    assert ledger.get(record.id).arguments == values
    assert [each.id for each in ledger.of_run("run")] == [record.id]


def test_threads_may_write_at_the_same_time(ledger):
    def whole_life(number):
        record = new(ledger, call_id=str(number), key=str(number))
        ledger.claim(record.id, "requested")
        return ledger.move(record.id, "succeeded").state

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(whole_life, range(40))) == {"succeeded"}
    assert len(ledger.of_run("run")) == 40


def test_no_thread_is_left_behind(ledger):
    before = threading.active_count()
    in_state(ledger, "verified")
    assert threading.active_count() == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_fork_is_another_process(ledger):
    record = new(ledger, key="k")
    ledger.claim(record.id, "requested")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads
        pid = os.fork()
    if pid == 0:
        try:
            alone = ledger.recover() == [] and ledger.is_running(ledger.get(record.id))
            other = new(ledger, call_id="2", key="k")
            os._exit(0 if alone and not ledger.claim(other.id, "requested")[0] else 1)
        except BaseException:
            os._exit(2)
    assert os.waitpid(pid, 0)[1] == 0
    assert ledger.move(record.id, "succeeded").state == "succeeded"


def test_what_this_process_let_go_of_is_looked_up(ledger):
    record = new(ledger, key="k")
    ledger.claim(record.id, "requested")
    assert ledger.recover() == []
    ledger.let_go(record.id)
    assert [each.state for each in ledger.recover()] == ["unknown"]


def test_what_nobody_approved_in_time_has_failed_at_the_next_start(tmp_path):
    now = [1000.0]
    with Ledger(tmp_path / "ledger.sqlite", clock=lambda: now[0]) as ledger:
        waits = ledger.ask(new(ledger, key="k").id, 60)
        decided = ledger.ask(new(ledger, call_id="2", key="l").id, 60)
        ledger.decide(decided.id, True, by="ann")
        now[0] += 61
        assert [record.id for record in ledger.recover()] == [waits.id]
        assert ledger.get(waits.id).state == "failed"
        assert ledger.get(decided.id).state == "waiting_for_approval"


def test_a_reader_sees_a_dead_processs_call_as_unknown(tmp_path):
    path = tmp_path / "ledger.sqlite"
    with Ledger(path) as ledger:
        ledger.claim(new(ledger, key="k").id, "requested")
        assert [record.state for record in ledger.of_run("run")] == ["running"]
    with LedgerReader(path) as reader:
        assert [record.state for record in reader.of_run("run")] == ["unknown"]


def test_forgetting_erases_what_was_said_but_not_that_it_was_done(ledger):
    done = in_state(ledger, "succeeded", key="k", sent='{"to": "ann"}')
    ledger.note(done.id, arguments={"to": "ann"}, result="sent to ann", verification=None)
    open_ = in_state(ledger, "unknown", key="l", sent="open")
    assert ledger.forget(["run"]) == 1
    done = ledger.get(done.id)
    assert (done.sent, done.arguments, done.result, done.state) == ("", None, "", "succeeded")
    assert ledger.get(open_.id).sent == "open"
    assert not ledger.claim(new(ledger, call_id="2", key="k").id, "requested")[0]
    assert ledger.forget([]) == 0
