"""The drivers: the same stages blocking, async and streamed; effects, errors, clean-up."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from ragqa.contract import Answer, QAResponse, Question, Turn
from ragqa.errors import TransportError
from ragqa.flow import (
    Ask,
    Call,
    Show,
    Stage,
    Withdrawn,
    ainvoke,
    astream,
    invoke,
    stream,
)
from ragqa.ports import Message, ModelReply, ModelRequest

REQUEST = ModelRequest(messages=(Message("user", "?"),))


def turn() -> Turn:
    return Turn(question=Question("How long?"), run_id="run_1")


def sealed(state: Turn, text: str) -> Turn:
    response = QAResponse(
        answer=text,
        confidence=0.5,
        category="other",
        sources=[],
        follow_up=[],
        needs_human=False,
    )
    answer = Answer(response=response, status="answered", chain="t", run_id=state.run_id)
    return replace(state, answer=answer)


class Pieces:
    """A model that sends pieces, and knows whether its stream was closed."""

    name = "pieces"

    def __init__(self, *pieces: str, fail: Exception | None = None) -> None:
        self.pieces, self.fail, self.closed = pieces, fail, False

    def complete(self, request, config=None):
        if self.fail:
            raise self.fail
        return ModelReply("".join(self.pieces))

    async def acomplete(self, request, config=None):
        return self.complete(request, config)

    def stream(self, request, config=None):
        try:
            yield from self.pieces
            if self.fail:
                raise self.fail
            yield ModelReply("".join(self.pieces))
        finally:
            self.closed = True

    async def astream(self, request, config=None):
        try:
            for piece in self.pieces:
                yield piece
            if self.fail:
                raise self.fail
            yield ModelReply("".join(self.pieces))
        finally:
            self.closed = True


class Everything:
    def feed(self, piece: str) -> str:
        return piece


def writer(model: Pieces) -> Stage:
    def step(state):
        try:
            reply = yield Ask(model, REQUEST, Everything())
        except TransportError:
            yield Withdrawn("model_unavailable")
            yield Show("preset")
            return sealed(state, "preset")
        return sealed(state, reply.text)

    return Stage("write", step)


def adding(name: str) -> Stage:
    return Stage(name, lambda state: replace(state, notes={**state.notes, name: True}))


async def collected(events) -> list:
    return [event async for event in events]


def all_ways(pipeline) -> list[Answer]:
    """Run a pipeline in every way and return the four answers."""
    return [
        invoke(pipeline, turn()).answer,
        asyncio.run(ainvoke(pipeline, turn())).answer,
        list(stream(pipeline, turn()))[-1],
        asyncio.run(collected(astream(pipeline, turn())))[-1],
    ]


def test_every_driver_comes_to_the_same_answer():
    answers = all_ways(adding("a") | adding("b") | writer(Pieces("30 ", "days")))
    assert [answer.response.answer for answer in answers] == ["30 days"] * 4


def test_timings_name_every_stage_and_reach_the_answer():
    for answer in all_ways(adding("a") | writer(Pieces("x"))):
        assert set(answer.timings_ms) == {"a", "write", "total"}


def test_streams_yield_the_text_in_pieces_and_last_the_answer():
    pipeline = adding("a") | writer(Pieces("30 ", "days"))
    *pieces, answer = stream(pipeline, turn())
    assert pieces == ["30 ", "days"]
    assert isinstance(answer, Answer)
    *async_pieces, _ = asyncio.run(collected(astream(pipeline, turn())))
    assert async_pieces == pieces


def test_an_error_of_a_call_is_thrown_into_the_stage():
    model = Pieces("30 ", fail=TransportError("broke off"))
    pipeline = adding("a") | writer(model)
    assert [answer.response.answer for answer in all_ways(pipeline)] == ["preset"] * 4
    events = list(stream(pipeline, turn()))
    assert events[:3] == ["30 ", Withdrawn("model_unavailable"), "preset"]


def test_an_error_that_no_stage_handles_reaches_the_caller():
    pipeline = adding("a") | writer(Pieces(fail=ValueError("mine")))
    with pytest.raises(ValueError, match="mine"):
        invoke(pipeline, turn())
    with pytest.raises(ValueError, match="mine"):
        list(stream(pipeline, turn()))
    with pytest.raises(ValueError, match="mine"):
        asyncio.run(ainvoke(pipeline, turn()))


def test_a_call_without_an_async_twin_runs_in_a_thread():
    def step(state):
        import threading

        main = yield Call(lambda config: threading.current_thread() is threading.main_thread())
        return sealed(state, str(main))

    pipeline = adding("a") | Stage("call", step)
    assert invoke(pipeline, turn()).answer.response.answer == "True"
    assert asyncio.run(ainvoke(pipeline, turn())).answer.response.answer == "False"


def test_leaving_a_stream_early_closes_the_models_stream_and_the_stage():
    model = Pieces("a", "b", "c")
    cleaned = []

    def step(state):
        try:
            reply = yield Ask(model, REQUEST, Everything())
        finally:
            cleaned.append(True)
        return sealed(state, reply.text)

    events = stream(adding("a") | Stage("write", step), turn())
    assert next(events) == "a"
    events.close()
    assert model.closed
    assert cleaned


async def test_leaving_an_async_stream_early_closes_the_models_stream():
    model = Pieces("a", "b", "c")
    events = astream(adding("a") | writer(model), turn())
    assert await anext(events) == "a"
    await events.aclose()
    assert model.closed


async def test_cancelling_runs_the_stages_clean_up():
    cleaned = []

    async def forever(config):
        await asyncio.sleep(3600)

    def step(state):
        try:
            yield Call(lambda config: None, forever)
        finally:
            cleaned.append(True)
        return state

    task = asyncio.create_task(ainvoke(adding("a") | Stage("wait", step), turn()))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert cleaned


def test_a_stage_is_tested_by_sending_it_values():
    running = writer(Pieces()).effects(turn())
    effect = next(running)
    assert isinstance(effect, Ask)
    with pytest.raises(StopIteration) as stop:
        running.send(ModelReply("sent by hand"))
    assert stop.value.value.answer.response.answer == "sent by hand"
