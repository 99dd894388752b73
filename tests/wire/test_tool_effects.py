"""Effects at a real service over HTTP: faults on both sides of the effect, several processes."""

import asyncio
import multiprocessing
import os
import signal
import time

import pytest

from ragqa.agent.execution.executor import Executor
from ragqa.agent.execution.run_context import RunContext
from ragqa.agent.ledger.store import Ledger
from ragqa.agent.policy import ToolPolicy
from ragqa.agent.tools.call import ApprovalDue, ToolCall
from tests.wire.ticket_service import TicketService
from tests.wire.ticket_tools import (
    export_policy,
    export_tool,
    find_tool,
    ticket_policy,
    ticket_tool,
)

CALL = ToolCall("call_1", "create_ticket", {"title": "printer"})


@pytest.fixture(scope="module")
def running_service(tmp_path_factory):
    with TicketService(tmp_path_factory.mktemp("service") / "tickets.sqlite") as service:
        yield service


@pytest.fixture
def service(running_service):
    running_service.faults()
    running_service.before = len(running_service.tickets())
    return running_service


@pytest.fixture
def ledger(tmp_path):
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        yield ledger


def executor_at(service, ledger, run_id="run", **changes):
    return Executor(
        [ticket_tool(service.url)],
        {"create_ticket": ticket_policy(service.url, **{"key_scope": "run", **changes})},
        ledger=ledger,
        context=RunContext(run_id=f"{run_id}-{ledger._database.path}"),
    )


def made(service):
    return service.tickets()[service.before :]


@pytest.fixture(params=["blocking", "async"])
def run(request):
    if request.param == "blocking":
        return lambda executor, call=CALL: executor.run(call)
    return lambda executor, call=CALL: asyncio.run(executor.arun(call))


def test_a_ticket_is_made_and_verified(service, ledger, run):
    outcome = run(executor_at(service, ledger))
    assert (outcome.record.state, outcome.is_error) == ("verified", False)
    assert [ticket["key"] for ticket in made(service)] == [outcome.record.key]


@pytest.mark.parametrize(
    "faults",
    [
        {"delay_after_s": 1.0},
        {"drop_after": True},
        {"status_after": 500},
        {"status_after": 504},
        {"status_after": 409},
    ],
    ids=str,
)
def test_a_fault_after_the_effect_is_seen_through(service, ledger, run, faults):
    service.faults(**faults)
    outcome = run(executor_at(service, ledger, timeout_s=0.4, retries=2))
    assert (outcome.record.state, outcome.is_error) == ("verified", False)
    assert len(made(service)) == 1


@pytest.mark.parametrize("status", [400, 403, 422, 429])
def test_a_refusal_is_a_failure_at_once(service, ledger, run, status):
    service.faults(status=status)
    outcome = run(executor_at(service, ledger, settle_s=60))
    assert (outcome.record.state, outcome.is_error, made(service)) == ("failed", True, [])
    assert outcome.record.verification is None


def test_a_fault_before_the_effect_is_tried_again_once_that_is_sure(service, ledger, run):
    service.faults(status=503)
    outcome = run(executor_at(service, ledger, retries=1))
    assert (outcome.record.state, outcome.record.attempt, made(service)) == ("failed", 2, [])
    service.faults()
    again = ToolCall("call_2", "create_ticket", {"title": "printer"})
    assert run(executor_at(service, ledger), again).record.state == "verified"
    assert len(made(service)) == 1


def test_what_the_service_does_not_show_yet_stays_unknown(service, ledger, run):
    service.faults(drop_after=True, invisible_s=0.8)
    executor = executor_at(service, ledger, retries=3, settle_s=60, patience_s=0.1)
    assert run(executor).record.state == "unknown"
    assert len(made(service)) == 1
    time.sleep(0.8)
    assert [record.state for record in executor.verify_pending()] == ["verified"]
    assert len(made(service)) == 1


def test_a_wrong_priority_is_no_success(service, ledger, run):
    service.faults(priority="low")
    outcome = run(executor_at(service, ledger))
    assert (outcome.record.state, outcome.is_error) == ("failed", True)
    assert outcome.record.verification["differing"]["priority"]["found"] == "low"


def test_a_look_up_that_is_down_leaves_unknown(service, ledger, run):
    service.faults(drop_after=True, look_up_status=500)
    executor = executor_at(service, ledger, retries=2, patience_s=0.1)
    assert run(executor).record.state == "unknown"
    service.faults()
    assert [record.state for record in executor.verify_pending()] == ["verified"]
    assert len(made(service)) == 1


def test_an_export_is_done_when_it_is_finished(service, ledger, run):
    service.faults(finish_after_s=0.8)
    executor = Executor(
        [export_tool(service.url)],
        {"start_export": export_policy(service.url, key_scope="run")},
        ledger=ledger,
        context=RunContext(run_id=str(ledger._database.path)),
    )
    outcome = run(executor, ToolCall("1", "start_export", {"title": "sales"}))
    assert (outcome.record.state, outcome.record.is_done) == ("running", False)
    assert outcome.record.request_id.startswith("job-")
    time.sleep(0.8)
    assert [record.state for record in executor.verify_pending()] == ["verified"]


def test_a_ticket_that_is_not_there_is_an_error(service, ledger):
    executor = Executor(
        [find_tool(service.url)],
        {"find_ticket": ToolPolicy(read_only=True)},
        ledger=ledger,
        context=RunContext(run_id="run"),
    )
    outcome = executor.run(ToolCall("1", "find_ticket", {"number": 10**6}))
    assert (outcome.record.state, outcome.is_error) == ("failed", True)
    assert "404" in outcome.content
    assert outcome.record.request_id.startswith("req-")


def test_what_succeeded_but_was_not_looked_up_is_looked_up_where_the_run_goes_on(
    service, ledger, run
):
    service.faults(look_up_status=500)
    first = run(executor_at(service, ledger, patience_s=0.0))
    assert (first.record.state, first.record.is_done) == ("succeeded", False)
    service.faults()
    again = run(executor_at(service, ledger))
    assert (again.record.id, again.record.state) == (first.record.id, "verified")
    assert len(made(service)) == 1


# Several processes


def _run_in_process(url, database, path, run_id, changes, done):
    service = TicketService(database)
    service.url = url
    with Ledger(path) as ledger:
        executor = Executor(
            [ticket_tool(url)],
            {"create_ticket": ticket_policy(url, **changes)},
            ledger=ledger,
            context=RunContext(run_id=run_id),
        )
        outcome = executor.run(CALL)
        done.put((type(outcome).__name__, outcome.record.state))


def processes(service, path, run_ids, **changes):
    context = multiprocessing.get_context("spawn")
    done = context.Queue()
    started = [
        context.Process(
            target=_run_in_process,
            args=(service.url, service.database, path, run_id, changes, done),
            daemon=True,
        )
        for run_id in run_ids
    ]
    for process in started:
        process.start()
    return started, done


# Verifiers are functions, which do not go to another process: the policy is made there.


def test_of_several_processes_at_once_one_makes_the_ticket(service, tmp_path):
    service.faults(delay_before_s=0.5)
    path = tmp_path / "ledger.sqlite"
    changes = {"key": None, "key_scope": "run", "patience_s": 50.0}
    started, done = processes(service, path, ["same", "same", "same"], **changes)
    outcomes = [done.get(timeout=60) for _ in started]
    assert [state for _, state in outcomes] == ["verified"] * 3
    assert len(made(service)) == 1


def test_a_run_goes_on_after_its_process_was_killed_and_makes_one_ticket(service, tmp_path):
    service.faults(delay_after_s=5.0)
    path = tmp_path / "ledger.sqlite"
    started, _ = processes(service, path, ["killed"], key=None)
    give_up_s = time.monotonic() + 30
    while not made(service):
        assert time.monotonic() < give_up_s
        time.sleep(0.02)
    os.kill(started[0].pid, signal.SIGKILL)
    started[0].join(10)
    service.faults()
    with Ledger(path) as ledger:
        assert [record.state for record in ledger.of_run("killed")] == ["unknown"]
        executor = Executor(
            [ticket_tool(service.url)],
            {"create_ticket": ticket_policy(service.url, key=None)},
            ledger=ledger,
            context=RunContext(run_id="killed"),
        )
        outcome = executor.run(CALL)
        states = [move.state for move in outcome.record.moves]
    assert states == ["requested", "running", "unknown", "verified"]
    assert len(made(service)) == 1


def test_an_approval_in_one_process_lets_another_go_on(service, tmp_path):
    path = tmp_path / "ledger.sqlite"
    _, done = processes(service, path, ["waits"], key=None, approval=True)
    assert done.get(timeout=60) == (ApprovalDue.__name__, "waiting_for_approval")
    assert made(service) == []
    with Ledger(path) as ledger:
        ledger.decide(ledger.waiting("waits")[0].id, True, by="ann")
    _, done = processes(service, path, ["waits"], key=None, approval=True)
    assert done.get(timeout=60) == ("ToolResult", "verified")
    assert len(made(service)) == 1
