import asyncio
import json
import logging
import sqlite3
import time
from dataclasses import replace

import pytest

import chains
from ragqa import flow
from ragqa.contract import Caller, Passage
from ragqa.errors import AuthError, OutputError, RateLimitError, TransportError
from ragqa.ports import ModelReply, Parts, Policy
from ragqa.ports.transport import happened
from ragqa.records.store import SqliteRuns
from ragqa.stages.begin import begin
from ragqa.stages.whole import whole

QUESTION = "How long can I return an unopened item?"
TEXT = "Unopened items can be returned within 30 days of delivery."
PUBLIC = Passage(id="returns.md", title="returns.md", text=TEXT, end=len(TEXT), score=7.0)
STAFF = Passage(
    id="staff.md", title="staff.md", text="Staff: 90 days.", end=15, score=8.0, groups=("staff",)
)
GOOD = {
    "answer": TEXT,
    "confidence": 0.9,
    "category": "policy",
    "sources": ["returns.md"],
    "follow_up": [],
    "needs_human": False,
}


class Found:
    """A retriever that finds the same for everybody."""

    def __init__(self, passages=(STAFF, PUBLIC)):
        self.passages = passages

    def retrieve(self, query, config=None):
        return self.passages

    async def aretrieve(self, query, config=None):
        return self.passages

    def version(self):
        return "index-7"


class Says:
    """A model that says one thing after the other; errors are raised."""

    name = "says"

    def __init__(self, *script):
        self.script = list(script)

    def complete(self, request, config=None):
        said = self.script.pop(0)
        if isinstance(said, BaseException):
            raise said
        if callable(said):
            return said()
        return ModelReply(said if isinstance(said, str) else json.dumps(said))

    async def acomplete(self, request, config=None):
        return self.complete(request, config)

    def stream(self, request, config=None):
        reply = self.complete(request, config)
        yield reply.text
        yield reply

    async def astream(self, request, config=None):
        reply = self.complete(request, config)
        yield reply.text
        await asyncio.sleep(0)
        yield reply


@pytest.fixture
def runs(tmp_path):
    store = SqliteRuns(tmp_path)
    yield store
    store.close()


def ready(runs, *script, chain="stuff", policy=Policy(), **more):  # noqa: B008
    parts = Parts(retriever=Found(), model=Says(*script), runs=runs, policy=policy, **more)
    return whole(chains.load(chain).pipeline(parts), parts), begin(parts, chain)


def ask(runs, *script, question=QUESTION, **options):
    pipeline, first = ready(runs, *script, **options)
    caller = Caller(principal="ann", groups=())
    return flow.invoke(pipeline, first({"question": question, "caller": caller})).answer


def only(runs):
    (run,) = runs.since(float("-inf"))
    return run


def test_an_ask_leaves_its_whole_record(runs):
    answer = ask(runs, GOOD)
    run = only(runs)
    assert (run.id, run.state, run.chain) == (answer.run_id, "completed", "stuff")
    assert (run.principal, run.question) == ("ann", QUESTION)
    assert run.started_s <= run.ended_s <= time.time()
    assert run.usage == answer.usage
    record = run.record
    assert record["answer"]["response"] == GOOD
    assert record["answer"]["status"] == "answered"
    assert [each["id"] for each in record["passages"]] == ["returns.md"]
    assert record["attempts"] == [
        {"verdict": "accepted", "code": "ok", "repairs": [], "gate": "", "faults": []}
    ]
    (call,) = record["calls"]
    assert json.loads(call["reply"]) == GOOD
    assert (call["kind"], call["verdict"], call["model"]) == ("answer", "accepted", "says")
    assert [message["role"] for message in call["messages"]] == ["system", "user", "assistant"]
    versions = record["versions"]
    assert (versions["model"], versions["index"]) == ("says", "index-7")
    assert versions["ragqa"]
    assert versions["prompt"]
    assert versions["schema"]
    assert record["timings_ms"]["total"] > 0
    assert record["stage"] is None


def test_what_the_caller_may_not_see_is_not_recorded(runs, tmp_path):
    ask(runs, GOOD)
    runs.close()
    assert b"staff.md" not in (tmp_path / "runs.sqlite").read_bytes()


def test_a_refusal_is_recorded_with_its_gate_and_field(runs):
    ask(runs, GOOD | {"confidence": 7}, GOOD)
    record = only(runs).record
    first, second = record["attempts"]
    assert (first["gate"], first["code"]) == ("schema", "schema.range")
    assert ["schema.range", "confidence"] in first["faults"]
    assert second["verdict"] == "accepted"
    assert [call["kind"] for call in record["calls"]] == ["answer", "repair"]
    assert [call["verdict"] for call in record["calls"]] == ["rejected", "accepted"]
    assert record["answer"]["status"] == "repaired"


def test_a_degraded_ask_says_at_which_stage_it_broke(runs):
    ask(runs, "It is 30 days.", "It is 30 days, I said.")
    run = only(runs)
    assert (run.state, run.last_error) == ("failed", {"code": "invalid_output", "message": ""})
    assert run.record["stage"] == "instructions ignored"
    assert run.record["calls"][0]["reply"] == "It is 30 days."


def test_an_ask_that_came_to_a_limit_is_incomplete(runs):
    ask(runs, GOOD, policy=Policy(timeout_s=0.0))
    assert (only(runs).state, only(runs).last_error["code"]) == ("incomplete", "limit")


def test_a_call_that_failed_is_recorded_by_its_code(runs):
    ask(runs, RateLimitError("Slow down."))
    run = only(runs)
    assert run.record["calls"][0]["error"] == "provider.rate_limit"
    assert run.record["stage"] == "model unavailable"
    assert run.record["answer"]["reason"] == "model_unavailable"


def test_an_exception_is_recorded_and_raised(runs):
    with pytest.raises(AuthError):
        ask(runs, AuthError("The key sk-abcdefghijklmnop1234 is refused."))
    run = only(runs)
    assert run.state == "failed"
    assert run.last_error == {"code": "provider.auth", "message": "The key [secret] is refused."}
    assert [each["id"] for each in run.record["passages"]] == ["returns.md"]


def test_an_answer_that_is_raised_is_recorded(runs):
    with pytest.raises(OutputError):
        ask(runs, "no", "no", policy=Policy(raise_degraded=True))
    assert only(runs).state == "failed"
    assert only(runs).usage.calls == 2


def test_an_interrupted_ask_is_cancelled(runs):
    with pytest.raises(KeyboardInterrupt):
        ask(runs, KeyboardInterrupt())
    assert only(runs).state == "cancelled"


async def test_a_cancelled_task_is_cancelled(runs):
    pipeline, first = ready(runs, GOOD)

    class Slow(Found):
        async def aretrieve(self, query, config=None):
            await asyncio.sleep(60)

    parts = Parts(retriever=Slow(), model=Says(GOOD), runs=runs)
    pipeline = whole(chains.stuff.pipeline(parts), parts)
    task = asyncio.create_task(flow.ainvoke(pipeline, first(QUESTION)))
    await asyncio.sleep(0.2)
    assert only(runs).state == "in_progress"
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert only(runs).state == "cancelled"


async def test_every_driver_records_the_same(runs):
    pipeline, first = ready(runs, GOOD, GOOD, GOOD, GOOD)
    flow.invoke(pipeline, first(QUESTION))
    await flow.ainvoke(pipeline, first(QUESTION))
    list(flow.stream(pipeline, first(QUESTION)))
    async for _ in flow.astream(pipeline, first(QUESTION)):
        pass
    records = [run.record for run in runs.since(float("-inf"))]
    assert [run.state for run in runs.since(float("-inf"))] == ["completed"] * 4
    assert len({json.dumps([r["attempts"], r["passages"], r["versions"]]) for r in records}) == 1
    assert all(record["calls"][0]["reply"] for record in records)


def test_a_stream_that_nobody_reads_to_its_end_is_cancelled(runs):
    pipeline, first = ready(runs, GOOD)
    events = flow.stream(pipeline, first(QUESTION))
    next(events)
    events.close()
    assert only(runs).state == "cancelled"


def test_tries_that_failed_are_counted(runs):
    def after_failures():
        happened("429")
        happened("429")
        happened("timeout")
        return ModelReply(json.dumps(GOOD))

    ask(runs, after_failures)
    assert only(runs).record["transport"] == {"429": 2, "timeout": 1}
    happened("429")  # nobody listens any more


def test_an_extractive_ask_is_recorded_without_calls(runs):
    ask(runs, chain="extractive")
    run = only(runs)
    assert (run.chain, run.state, run.record["calls"]) == ("extractive", "completed", [])


SECRETS = [
    "sk-proj-abcdefghijklmnop1234",
    "ann@example.com",
    "13812345678",
    "4111 1111 1111 1111",
    "11010119900307451X",
    "身份证号110101900307451",
    "123-45-6789",
]


@pytest.mark.parametrize("keeps", ["masked", "none"])
def test_no_secret_is_written_anywhere(tmp_path, keeps, caplog):
    caplog.set_level(logging.DEBUG)
    runs = SqliteRuns(tmp_path, keeps=keeps)
    for secret in SECRETS:
        said = f"{TEXT} {secret}"
        ask(runs, GOOD | {"answer": said}, GOOD | {"follow_up": [secret]}, question=said)
        with pytest.raises(AuthError):
            ask(runs, AuthError(f"{secret} is refused."), question=f"Is {secret} fine?")
        ask(runs, TransportError(secret), question=secret + "?")
    runs.close()
    everything = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    for secret in SECRETS:
        assert secret.encode() not in everything
        assert json.dumps(secret).strip('"').encode() not in everything
        assert secret not in caplog.text


def test_full_keeps_what_was_said(tmp_path):
    runs = SqliteRuns(tmp_path, keeps="full")
    ask(runs, GOOD, question="Is ann@example.com right?")
    assert only(runs).question == "Is ann@example.com right?"
    assert only(runs).record["kept"] == "full"
    runs.close()


def test_none_keeps_no_text_at_all(tmp_path):
    runs = SqliteRuns(tmp_path, keeps="none")
    answer = ask(runs, GOOD)
    run = only(runs)
    assert (run.question, run.record["kept"]) == ("", "none")
    assert run.record["calls"][0]["reply"] == ""
    response = run.record["answer"]["response"]
    assert response == {"confidence": 0.9, "category": "policy", "needs_human": False}
    assert [each["id"] for each in run.record["passages"]] == ["returns.md"]
    runs.close()
    everything = (tmp_path / "runs.sqlite").read_bytes()
    for text in (QUESTION, TEXT, answer.response.answer):
        assert text.encode() not in everything


def test_a_masked_record_says_so(runs):
    ask(runs, GOOD, question="Is ann@example.com right?")
    assert only(runs).record["is_masked"]
    assert only(runs).question == "Is [email] right?"


@pytest.mark.parametrize("content", [b"This is no database." * 300])
def test_a_store_that_fails_breaks_no_answer(tmp_path, caplog, content):
    (tmp_path / "runs.sqlite").write_bytes(content)
    runs = SqliteRuns(tmp_path)
    assert ask(runs, GOOD).status == "answered"
    assert "not recorded" in caplog.text
    assert "damaged" in caplog.text
    runs.close()


def test_a_store_that_is_held_by_another_delays_no_answer_for_long(tmp_path, caplog):
    runs = SqliteRuns(tmp_path)
    pipeline, first = ready(runs, *[GOOD] * 5)
    flow.invoke(pipeline, first(QUESTION))
    other = sqlite3.connect(tmp_path / "runs.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    started_s = time.monotonic()
    assert flow.invoke(pipeline, first(QUESTION)).answer.status == "answered"
    first_s = time.monotonic() - started_s
    for _ in range(3):
        assert flow.invoke(pipeline, first(QUESTION)).answer.status == "answered"
    later_s = time.monotonic() - started_s - first_s
    other.execute("ROLLBACK")
    other.close()
    assert first_s < 2
    assert later_s < 0.5
    assert "busy" in caplog.text
    runs.close()


def test_a_run_that_goes_on_keeps_its_earlier_calls(runs):
    pipeline, first = ready(runs, GOOD, GOOD | {"answer": "Unopened items: 30 days."})
    turn = first(QUESTION)
    flow.invoke(pipeline, turn)
    flow.invoke(pipeline, turn)
    run = only(runs)
    assert len(run.record["calls"]) == 2
    assert run.usage.calls == 2


def test_an_answer_of_another_run_is_named(runs):
    from ragqa.flow import Pipeline, Stage
    from ragqa.stages.record import recorded

    parts = Parts(retriever=Found(), model=Says(GOOD), runs=None)
    first = begin(parts, "stuff")
    kept = flow.invoke(chains.stuff.pipeline(parts), first(QUESTION)).answer
    cached = kept.model_copy(update={"status": "cached"})
    stage = Stage("reuse", lambda turn: replace(turn, answer=cached))
    flow.invoke(recorded(Pipeline((stage,)), replace(parts, runs=runs)), first(QUESTION))
    run = only(runs)
    assert run.id != kept.run_id
    assert run.record["answered_by"] == kept.run_id
    assert run.usage.calls == 0
