"""Effects: they happen once, and what is not known of them is looked up before anything else."""

import asyncio
import multiprocessing
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from langchain_core.tools import StructuredTool, ToolException

from ragqa.agent.execution.executor import Executor
from ragqa.agent.execution.run_context import RunContext
from ragqa.agent.ledger.store import Ledger
from ragqa.agent.policy import ToolPolicy
from ragqa.agent.tools.call import ApprovalDue, ToolCall
from ragqa.agent.verification import Verification
from ragqa.contract import Caller
from ragqa.errors import StorageError

LOCAL = Caller()


class Mail:
    """A mail service in memory: what it does with the next mails is told by ``script``."""

    def __init__(self, *script):
        self.sent = []
        self.calls = 0
        self.look_ups = 0
        self.script = list(script)
        self.visible = True

    def send(self, to: str, key: str, body: str = "") -> dict[str, object]:
        """Send a mail."""
        self.calls += 1
        step = self.script.pop(0) if self.script else "send"
        if step != "lose":
            self.sent.append({"id": len(self.sent) + 1, "to": to, "body": body, "key": key})
        if isinstance(step, Exception):
            raise step
        if isinstance(step, threading.Event):
            step.wait(10)
        elif step in ("lose", "slow"):
            time.sleep(0.4)
        return self.sent[-1] if self.sent else {}

    async def asend(self, to: str, key: str, body: str = "") -> dict[str, object]:
        return await asyncio.to_thread(self.send, to, key, body)

    def look_up(self, operation):
        self.look_ups += 1
        found = [mail for mail in self.sent if mail["key"] == operation.key]
        return found[0] if found and self.visible else None

    def tool(self):
        return StructuredTool.from_function(self.send, name="send")

    def policy(self, **changes):
        defaults = {
            "effect": "sent mail",
            "key": ("to", "body"),
            "key_parameter": "key",
            "verifier": self.look_up,
            "compares": ("to", "body"),
            "timeout_s": 0.1,
            "patience_s": 0.0,
        }
        return ToolPolicy(**{**defaults, **changes})


@pytest.fixture
def ledger(tmp_path):
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        yield ledger


class Clock:
    def __init__(self):
        self.ahead_s = 0.0

    def __call__(self):
        return time.time() + self.ahead_s


def executor_for(ledger, mail, run_id="run", caller=LOCAL, **changes):
    return Executor(
        [mail.tool()],
        {"send": mail.policy(**changes)},
        ledger=ledger,
        context=RunContext(run_id=run_id, caller=caller),
    )


def call(call_id="1", to="ann", **more):
    return ToolCall(call_id, "send", {"to": to, **more})


@pytest.fixture(params=["blocking", "async"])
def run(request):
    """Run a call in both ways."""
    if request.param == "blocking":
        return lambda executor, call: executor.run(call)
    return lambda executor, call: asyncio.run(executor.arun(call))


# Time-outs


def test_a_time_out_after_the_effect_is_known_after_the_look_up_and_happens_once(ledger, run):
    mail = Mail("slow")
    outcome = run(executor_for(ledger, mail), call())
    assert outcome.record.state == "verified"
    assert not outcome.is_error
    assert len(mail.sent) == 1
    states = [move.state for move in outcome.record.moves]
    assert states == ["requested", "running", "unknown", "verified"]


def test_without_a_verifier_a_time_out_stays_unknown_and_is_never_tried_again(ledger, run):
    mail = Mail("slow")
    executor = executor_for(ledger, mail, verifier=None, compares=())
    outcome = run(executor, call())
    assert outcome.record.state == "unknown"
    assert outcome.is_error
    again = run(executor, call("2"))
    assert again.is_error
    assert mail.calls == 1


def test_a_late_reply_is_put_down(ledger, run):
    goes_on = threading.Event()
    mail = Mail(goes_on)
    record = run(executor_for(ledger, mail, verifier=None, compares=()), call()).record
    assert record.state == "unknown"
    assert ledger.is_running(record)
    goes_on.set()
    record = eventually(lambda: ledger.get(record.id), lambda record: record.state == "succeeded")
    assert record.moves[-1].reason == "a late reply"
    assert record.owner is None


def test_a_late_failure_is_put_down(ledger):
    goes_on = threading.Event()

    def send(to: str) -> str:
        """Send."""
        goes_on.wait(10)
        raise ToolException("mailbox is full")

    executor = Executor(
        [StructuredTool.from_function(send)],
        {"send": ToolPolicy(timeout_s=0.1)},
        ledger=ledger,
        context=RunContext(run_id="run"),
    )
    record = executor.run(call()).record
    assert record.state == "unknown"
    goes_on.set()
    record = eventually(lambda: ledger.get(record.id), lambda record: record.state == "failed")
    assert "mailbox is full" in record.error


def test_not_found_says_nothing_while_the_call_is_still_on_its_way(ledger, run):
    mail = Mail("lose")
    outcome = run(executor_for(ledger, mail, retries=3), call())
    assert outcome.record.state == "unknown"
    assert outcome.record.verification["finding"] == "not_found"
    assert mail.calls == 1


def eventually(get, holds, timeout_s=5.0):
    give_up_s = time.monotonic() + timeout_s
    while not holds(value := get()):
        assert time.monotonic() < give_up_s, value
        time.sleep(0.01)
    return value


# Faults in the middle, and what is tried again


@pytest.mark.parametrize("fault", [ConnectionResetError("reset"), KeyError("id"), OSError("io")])
def test_a_fault_after_the_effect_is_no_failure(ledger, run, fault):
    mail = Mail(fault)
    outcome = run(executor_for(ledger, mail), call())
    assert (outcome.record.state, outcome.is_error, len(mail.sent)) == ("verified", False, 1)


class Lost(Mail):
    """Loses the first mails without doing anything."""

    def __init__(self, losses):
        super().__init__()
        self.losses = losses

    def send(self, to: str, key: str, body: str = "") -> dict[str, object]:
        """Send a mail."""
        self.calls += 1
        if self.calls <= self.losses:
            raise ConnectionResetError("reset")
        self.calls -= 1
        return super().send(to, key, body)


def test_what_was_not_found_after_settling_is_tried_again_with_the_same_key(ledger, run):
    mail = Lost(2)
    outcome = run(executor_for(ledger, mail, retries=2), call())
    assert outcome.record.state == "verified"
    assert (outcome.record.attempt, len(mail.sent)) == (3, 1)
    assert mail.sent[0]["key"] == outcome.record.key


def test_no_more_is_tried_than_the_policy_allows(ledger, run):
    mail = Lost(9)
    outcome = run(executor_for(ledger, mail, retries=2), call())
    assert (outcome.record.state, mail.calls) == ("failed", 3)
    assert outcome.is_error


def test_without_retries_what_was_not_found_has_failed(ledger, run):
    mail = Lost(1)
    executor = executor_for(ledger, mail)
    assert run(executor, call()).record.state == "failed"
    assert mail.sent == []
    assert run(executor, call("2")).record.state == "verified"  # the model asks again
    assert len(mail.sent) == 1


def test_within_the_settling_time_not_found_is_unknown_and_nothing_is_tried(tmp_path, run):
    clock = Clock()
    mail = Mail(ConnectionResetError("reset"))
    mail.visible = False
    with Ledger(tmp_path / "ledger.sqlite", clock=clock) as ledger:
        executor = executor_for(ledger, mail, retries=3, settle_s=60)
        outcome = run(executor, call())
        assert (outcome.record.state, mail.calls) == ("unknown", 1)
        assert run(executor, call("2")).record.state == "unknown"
        assert mail.calls == 1
        mail.visible = True
        assert [record.state for record in executor.verify_pending()] == ["verified"]
        clock.ahead_s = 61
        assert len(mail.sent) == 1


def test_after_the_settling_time_not_found_has_failed(tmp_path):
    clock = Clock()
    mail = Lost(1)
    with Ledger(tmp_path / "ledger.sqlite", clock=clock) as ledger:
        executor = executor_for(ledger, mail, settle_s=60)
        assert executor.run(call()).record.state == "unknown"
        clock.ahead_s = 61
        assert [record.state for record in executor.verify_pending()] == ["failed"]


def test_a_call_waits_for_a_short_settling_time(ledger, run):
    mail = Lost(1)
    outcome = run(executor_for(ledger, mail, retries=1, settle_s=0.2, patience_s=2), call())
    assert (outcome.record.state, len(mail.sent)) == ("verified", 1)


def test_after_the_keys_lifetime_not_found_says_nothing(tmp_path):
    clock = Clock()
    mail = Mail(ConnectionResetError("reset"))
    mail.visible = False
    with Ledger(tmp_path / "ledger.sqlite", clock=clock) as ledger:
        executor = executor_for(ledger, mail, retries=3, settle_s=1, key_lifetime_s=3600)
        assert executor.run(call()).record.state == "unknown"
        clock.ahead_s = 3601
        assert [record.state for record in executor.verify_pending()] == ["unknown"]
        assert executor.run(call("2")).record.state == "unknown"
        assert mail.calls == 1


def test_a_clock_that_was_set_back_lets_nothing_be_tried_again(tmp_path):
    clock = Clock()
    mail = Mail(ConnectionResetError("reset"))
    mail.visible = False
    with Ledger(tmp_path / "ledger.sqlite", clock=clock) as ledger:
        executor = executor_for(ledger, mail, retries=3, settle_s=1, key_lifetime_s=3600)
        executor.run(call())
        clock.ahead_s = -7200
        assert executor.run(call("2")).record.state == "unknown"
        assert mail.calls == 1


@pytest.mark.parametrize("broken", [ConnectionError("down"), KeyError("id"), TimeoutError()])
def test_a_look_up_that_fails_says_nothing(ledger, run, broken):
    mail = Mail(ConnectionResetError("reset"))

    def look_up(operation):
        raise broken

    outcome = run(executor_for(ledger, mail, retries=3, verifier=look_up), call())
    assert (outcome.record.state, mail.calls) == ("unknown", 1)
    assert outcome.record.verification["finding"] == "error"


def test_a_look_up_that_hangs_ends_in_time(ledger, run):
    mail = Mail(ConnectionResetError("reset"))
    hangs = threading.Event()
    executor = executor_for(
        ledger, mail, verifier=lambda operation: hangs.wait(20), verifier_timeout_s=0.1
    )
    begun_s = time.monotonic()
    assert run(executor, call()).record.state == "unknown"
    assert time.monotonic() - begun_s < 5
    hangs.set()


def test_a_verifier_may_be_async(ledger, run):
    mail = Mail("slow")

    async def look_up(operation):
        await asyncio.sleep(0)
        return mail.look_up(operation)

    assert run(executor_for(ledger, mail, verifier=look_up), call()).record.state == "verified"


def test_what_a_verifier_returns_has_to_make_sense(ledger, run):
    outcome = run(executor_for(ledger, Mail(), verifier=lambda operation: 42), call())
    assert outcome.record.state == "succeeded"
    assert not outcome.record.is_done


def test_a_success_of_which_nothing_is_found_is_none(ledger, run):
    mail = Mail()
    mail.visible = False
    outcome = run(executor_for(ledger, mail), call())
    assert (outcome.record.state, outcome.is_error) == ("failed", True)


def test_a_success_that_is_not_visible_yet_is_not_done(ledger, run):
    mail = Mail()
    mail.visible = False
    executor = executor_for(ledger, mail, settle_s=60)
    outcome = run(executor, call())
    assert (outcome.record.state, outcome.record.is_done) == ("succeeded", False)
    assert "has not confirmed" in outcome.content
    mail.visible = True
    assert [record.is_done for record in executor.verify_pending()] == [True]


def test_a_wrong_target_is_no_success_and_is_not_done_again(ledger, run):
    mail = Mail()
    wrong = {"id": 1, "to": "bob", "body": ""}
    executor = executor_for(ledger, mail, verifier=lambda operation: wrong)
    outcome = run(executor, call())
    assert (outcome.record.state, outcome.is_error) == ("failed", True)
    assert outcome.record.verification["differing"] == {"to": {"asked": "ann", "found": "bob"}}
    assert "bob" in outcome.content
    assert run(executor, call("2")).is_error
    assert mail.calls == 1


def test_a_defaulted_argument_is_compared_too(ledger):
    found = {"to": "ann", "body": "something else"}
    outcome = executor_for(ledger, Mail(), verifier=lambda operation: found).run(call())
    assert outcome.record.verification["finding"] == "mismatch"


# The same operation


def test_a_model_that_asks_twice_gets_the_record(ledger, run):
    mail = Mail()
    executor = executor_for(ledger, mail)
    first, second = run(executor, call("1")), run(executor, call("2"))
    assert mail.calls == 1
    assert not second.is_error
    assert second.record.same_as == first.record.id
    assert "not run again" in second.content
    assert [record.state for record in executor.records()] == ["verified", "verified"]


def test_the_same_operation_in_another_run_is_not_done_again(ledger, run):
    mail = Mail()
    run(executor_for(ledger, mail, "one"), call())
    outcome = run(executor_for(ledger, mail, "two"), call())
    assert (mail.calls, outcome.record.run_id, outcome.record.state) == (1, "two", "verified")


def test_somebody_elses_result_is_not_shown(ledger):
    mail = Mail()
    executor_for(ledger, mail, "one", Caller("ann"), verifier=None, compares=()).run(
        call(body="secret plan")
    )
    outcome = executor_for(ledger, mail, "two", Caller("bob"), verifier=None, compares=()).run(
        call(body="secret plan")
    )
    assert mail.calls == 1
    assert "secret plan" not in outcome.content


def test_a_key_may_hold_within_a_run_only(ledger):
    mail = Mail()
    for run_id in ("one", "two"):
        executor_for(ledger, mail, run_id, key_scope="run").run(call())
        executor_for(ledger, mail, run_id, key_scope="run").run(call("2"))
    assert mail.calls == 2


def test_without_a_key_the_same_arguments_are_the_same_operation_within_a_run(ledger):
    mail = Mail()
    for run_id in ("one", "two"):
        executor = executor_for(ledger, mail, run_id, key=None)
        executor.run(call("1"))
        executor.run(call("2"))
        executor.run(call("3", to="bob"))
    assert mail.calls == 4


def test_a_repeatable_effect_runs_each_time_but_never_twice_for_one_call(ledger):
    mail = Mail()
    executor = executor_for(ledger, mail, key=None, repeatable=True)
    for call_id in ("1", "2", "2"):
        executor.run(call(call_id))
    assert mail.calls == 2


def test_a_function_makes_the_key_that_the_service_knows(ledger):
    mail = Mail()
    executor_for(ledger, mail, key=lambda arguments: f"mail-to-{arguments['to']}").run(call())
    assert mail.sent[0]["key"] == "mail-to-ann"


@pytest.mark.parametrize("key", [lambda a: a["nothing"], lambda a: "", lambda a: 5])
def test_without_a_usable_key_nothing_runs(ledger, key):
    mail = Mail()
    outcome = executor_for(ledger, mail, key=key).run(call())
    assert outcome.is_error
    assert mail.calls == 0


@pytest.mark.parametrize("parallel", ["threads", "tasks", "runs"])
def test_of_parallel_calls_for_one_operation_one_runs(ledger, parallel):
    mail = Mail("slow")
    policy = {"timeout_s": 5.0, "patience_s": 2.0}
    calls = [call(str(number)) for number in range(5)]
    executors = [executor_for(ledger, mail, **policy)] * 5
    if parallel == "runs":
        executors = [executor_for(ledger, mail, str(number), **policy) for number in range(5)]
    if parallel == "tasks":

        async def at_once():
            return await asyncio.gather(*(executors[0].arun(each) for each in calls))

        outcomes = asyncio.run(at_once())
    else:
        with ThreadPoolExecutor(5) as pool:
            outcomes = list(pool.map(lambda e, c: e.run(c), executors, calls))
    assert mail.calls == 1
    assert [outcome.is_error for outcome in outcomes] == [False] * 5
    assert {outcome.record.state for outcome in outcomes} == {"verified"}


@pytest.mark.parametrize("approval", [False, True])
def test_the_same_call_run_by_many_at_once_runs_once(ledger, approval):
    mail = Mail("slow")
    changes = {"timeout_s": 5.0, "patience_s": 2.0, "approval": approval}
    executors = [executor_for(ledger, mail, **changes) for _ in range(8)]

    def at_once():
        with ThreadPoolExecutor(8) as pool:
            return list(pool.map(lambda executor: executor.run(call()), executors))

    outcomes = at_once()
    if approval:
        assert {type(outcome) for outcome in outcomes} == {ApprovalDue}
        for record in ledger.waiting("run"):
            ledger.decide(record.id, True, by="ann")
        outcomes = at_once()
    assert {outcome.record.state for outcome in outcomes} == {"verified"}
    assert mail.calls == 1


def test_a_call_that_is_run_anew_after_a_break_is_answered_with_its_record(ledger, run):
    mail = Mail()
    first = run(executor_for(ledger, mail), call())
    again = run(executor_for(ledger, mail), call())
    assert again.record == first.record
    assert mail.calls == 1


# Interrupts


def test_a_cancelled_effect_is_unknown_and_then_looked_up(ledger):
    mail = Mail("slow")
    executor = executor_for(ledger, mail, timeout_s=5.0)

    async def cancelled():
        task = asyncio.create_task(executor.arun(call()))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return executor.records()[0]

    record = asyncio.run(cancelled())
    assert record.state == "unknown"
    assert record.moves[-1].state == "unknown"
    assert [each.state for each in executor.verify_pending()] == ["verified"]
    assert len(mail.sent) == 1


def test_a_cancelled_coroutine_of_a_tool_leaves_unknown(ledger):
    async def send(to: str) -> str:
        """Send."""
        await asyncio.sleep(10)
        return "sent"

    executor = Executor(
        [StructuredTool.from_function(coroutine=send)],
        ledger=ledger,
        context=RunContext(run_id="run"),
    )

    async def cancelled():
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(executor.arun(call()), 0.1)

    asyncio.run(cancelled())
    record = executor.records()[0]
    assert (record.state, record.owner) == ("unknown", None)


def test_cancelling_parallel_calls_leaves_each_record_true(ledger):
    mail = Mail("send", "slow")
    executor = executor_for(ledger, mail, timeout_s=5.0)

    async def cancelled():
        tasks = [asyncio.create_task(executor.arun(call(n, to=n))) for n in ("1", "2")]
        await asyncio.sleep(0.25)
        for task in tasks:
            task.cancel()
        return await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(cancelled())
    assert sorted(record.state for record in executor.records()) == ["unknown", "verified"]
    executor.verify_pending()
    assert [record.state for record in executor.records()] == ["verified", "verified"]


@pytest.fixture
def heeded_interrupts():
    """Heed Ctrl-C, which processes in the background of a shell ignore."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="no signals to threads")
@pytest.mark.usefixtures("heeded_interrupts")
def test_a_keyboard_interrupt_leaves_unknown(ledger):
    mail = Mail("slow")
    executor = executor_for(ledger, mail, timeout_s=5.0)
    interrupt = (threading.main_thread().ident, signal.SIGINT)
    threading.Timer(0.1, signal.pthread_kill, interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        executor.run(call())
    assert executor.records()[0].state == "unknown"
    eventually(executor.records, lambda records: records[0].state == "succeeded")  # it goes on


def test_a_cancelled_read_has_failed(ledger):
    async def look() -> str:
        """Look."""
        await asyncio.sleep(10)
        return "seen"

    executor = Executor(
        [StructuredTool.from_function(coroutine=look)],
        {"look": ToolPolicy(read_only=True)},
        ledger=ledger,
        context=RunContext(run_id="run"),
    )

    async def cancelled():
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(executor.arun(ToolCall("1", "look", {})), 0.1)

    asyncio.run(cancelled())
    assert executor.records()[0].state == "failed"


# Approval


def test_a_call_waits_for_a_yes_and_then_runs_once(ledger, run):
    mail = Mail()
    executor = executor_for(ledger, mail, approval=True)
    due = run(executor, call())
    assert isinstance(due, ApprovalDue)
    assert (due.record.state, mail.calls) == ("waiting_for_approval", 0)
    assert isinstance(run(executor, call()), ApprovalDue)  # nothing has been decided yet
    ledger.decide(due.record.id, True, by="ann")
    outcome = run(executor, call())
    assert (outcome.record.state, mail.calls) == ("verified", 1)
    assert outcome.record.id == due.record.id


def test_a_no_ends_as_failed_and_is_not_asked_again(ledger, run):
    mail = Mail()
    executor = executor_for(ledger, mail, approval=True)
    due = run(executor, call())
    ledger.decide(due.record.id, False, by="ann", reason="too dear")
    for call_id in ("1", "2"):
        outcome = run(executor, call(call_id))
        assert (outcome.record.state, outcome.is_error, mail.calls) == ("failed", True, 0)
        assert "refused" in outcome.content
        assert "too dear" in outcome.content


def test_an_approval_that_nobody_gave_in_time_ends_as_failed(tmp_path, run):
    clock = Clock()
    mail = Mail()
    with Ledger(tmp_path / "ledger.sqlite", clock=clock) as ledger:
        executor = executor_for(ledger, mail, approval=True, approval_lifetime_s=60)
        run(executor, call())
        clock.ahead_s = 61
        outcome = run(executor, call())
        assert (outcome.record.state, mail.calls) == ("failed", 0)
        assert "in time" in outcome.content


def test_a_yes_that_came_in_time_counts_later(tmp_path):
    clock = Clock()
    mail = Mail()
    with Ledger(tmp_path / "ledger.sqlite", clock=clock) as ledger:
        executor = executor_for(ledger, mail, approval=True, approval_lifetime_s=60)
        due = executor.run(call())
        ledger.decide(due.record.id, True, by="ann")
        clock.ahead_s = 600
        assert executor.run(call()).record.state == "verified"


def test_an_approval_goes_on_in_another_start(tmp_path):
    mail = Mail()
    path = tmp_path / "ledger.sqlite"
    with Ledger(path) as ledger:
        executor_for(ledger, mail, approval=True).run(call())
    with Ledger(path) as ledger:
        waiting = ledger.waiting("run")
        ledger.decide(waiting[0].id, True, by="ann")
    with Ledger(path) as ledger:
        assert executor_for(ledger, mail, approval=True).run(call()).record.state == "verified"
    assert mail.calls == 1


def test_what_was_approved_runs_and_nothing_else(ledger):
    seen = []

    def permitted(caller, arguments):
        seen.append(arguments)
        return len(seen) < 2

    mail = Mail()
    executor = executor_for(ledger, mail, approval=True, permission=permitted)
    due = executor.run(call())
    ledger.decide(due.record.id, True, by="ann")
    assert executor.run(call()).is_error  # the permission is gone
    assert mail.calls == 0


def test_a_forbidden_call_is_never_put_before_a_person(ledger, run):
    executor = executor_for(ledger, Mail(), approval=True, groups=("staff",))
    assert run(executor, call()).record.state == "failed"
    assert ledger.waiting() == []


def test_the_arguments_decide_whether_a_person_is_asked(ledger):
    mail = Mail()
    executor = executor_for(ledger, mail, approval=lambda arguments: arguments["to"] == "all")
    assert executor.run(call()).record.state == "verified"
    assert isinstance(executor.run(call("2", to="all")), ApprovalDue)


def test_where_that_cannot_be_decided_a_person_is_asked(ledger):
    executor = executor_for(ledger, Mail(), approval=lambda arguments: arguments["nothing"])
    assert isinstance(executor.run(call()), ApprovalDue)


def test_one_operation_asked_twice_needs_one_yes(ledger, run):
    mail = Mail()
    executor = executor_for(ledger, mail, approval=True)
    first, second = run(executor, call("1")), run(executor, call("2"))
    assert first.record.id == second.record.id
    ledger.decide(first.record.id, True, by="ann")
    outcomes = [run(executor, call("2")), run(executor, call("1"))]
    assert [outcome.record.state for outcome in outcomes] == ["verified", "verified"]
    assert mail.calls == 1


def test_what_was_done_before_is_not_put_before_a_person(ledger):
    mail = Mail()
    executor_for(ledger, mail, "one").run(call())
    outcome = executor_for(ledger, mail, "two", approval=True).run(call())
    assert outcome.record.state == "verified"
    assert ledger.waiting() == []


# Jobs


def job(ledger, findings, **changes):
    def export(title: str, key: str) -> dict[str, str]:
        """Export."""
        return {"job_id": "job-1", "state": "accepted"}

    policy = ToolPolicy(
        effect="exported report",
        key_parameter="key",
        asynchronous=True,
        patience_s=0.0,
        verifier=lambda operation: Verification(findings.pop(0)),
        **changes,
    )
    return Executor(
        [StructuredTool.from_function(export)],
        {"export": policy},
        ledger=ledger,
        context=RunContext(run_id="run"),
    )


def test_an_accepted_job_is_running_until_its_verifier_says_so(ledger, run):
    executor = job(ledger, ["pending", "pending", "found"])
    outcome = run(executor, ToolCall("1", "export", {"title": "x"}))
    assert (outcome.record.state, outcome.record.request_id) == ("running", "job-1")
    assert "not finished" in outcome.content
    assert not outcome.record.is_done
    assert [record.state for record in executor.verify_pending()] == ["running"]
    assert [record.state for record in executor.verify_pending()] == ["verified"]


def test_a_job_that_failed_has_failed(ledger, run):
    outcome = run(job(ledger, ["failed"]), ToolCall("1", "export", {"title": "x"}))
    assert (outcome.record.state, outcome.is_error) == ("failed", True)


def test_a_job_that_is_gone_is_unknown(ledger, run):
    outcome = run(job(ledger, ["not_found"] * 9), ToolCall("1", "export", {"title": "x"}))
    assert (outcome.record.state, outcome.is_error) == ("unknown", True)


def test_a_job_is_not_started_twice(ledger):
    executor = job(ledger, ["pending"] * 9)
    executor.run(ToolCall("1", "export", {"title": "x"}))
    outcome = executor.run(ToolCall("2", "export", {"title": "x"}))
    assert outcome.record.state == "running"
    assert outcome.record.same_as is not None


# A disk that is full


def _fill_the_disk_during_the_call(path, results):
    import resource

    resource_limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    mail = Mail()
    send = mail.send

    def full(to: str, key: str, body: str = "") -> dict[str, object]:
        """Send a mail."""
        sent = send(to, key, body)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1, resource_limits[1]))
        return sent

    mail.send = full
    with Ledger(path) as ledger:
        executor = executor_for(ledger, mail, timeout_s=5.0)
        try:
            executor.run(call())
            results.put("no fault")
        except StorageError as exc:
            results.put(type(exc).__name__)
        resource.setrlimit(resource.RLIMIT_FSIZE, resource_limits)
        outcome = executor_for(ledger, mail, timeout_s=5.0).run(call("2"))
        results.put((outcome.record.state, mail.calls))


@pytest.mark.skipif(not hasattr(signal, "SIGXFSZ"), reason="no limit on the size of files")
def test_an_effect_that_could_not_be_written_down_is_looked_up(tmp_path):
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    path = tmp_path / "ledger.sqlite"
    process = context.Process(target=_fill_the_disk_during_the_call, args=(path, results))
    process.start()
    assert results.get(timeout=60) == "StorageError"
    assert results.get(timeout=60) == ("verified", 1)
    process.join(10)


def test_an_effect_that_cannot_be_written_down_before_does_not_begin(tmp_path):
    path = tmp_path / "ledger.sqlite"
    mail = Mail()
    with Ledger(path) as ledger:
        executor = executor_for(ledger, mail)
        path.write_bytes(b"no database at all" * 100)
        with pytest.raises(StorageError):
            executor.run(call())
    assert mail.calls == 0
