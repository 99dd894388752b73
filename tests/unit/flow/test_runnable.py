"""The LangChain face: invoke, batch, stream, ``|``, callbacks and tags."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.runnables import RunnableLambda

from ragqa.contract import Answer, QAResponse, Question, Turn
from ragqa.errors import ConfigError
from ragqa.flow import Call, Show, Stage
from ragqa.flow.runnable import ChainRunnable


def echo_step(state: Turn):
    config = yield Call(lambda config: config)
    yield Show(state.question.text)
    response = QAResponse(
        answer=state.question.text,
        confidence=0.5,
        category="other",
        sources=[],
        follow_up=[],
        needs_human=False,
    )
    answer = Answer(response=response, status="answered", chain="echo", run_id="run_1")
    return replace(state, answer=answer, notes={"tags": config.get("tags")})


def echo(finish=None) -> ChainRunnable:
    def begin(given):
        return Turn(question=Question(given), run_id="run_1")

    return ChainRunnable(
        "echo", Stage("echo", echo_step) | Stage("end", lambda t: t), begin, finish
    )


class Recorder(BaseCallbackHandler):
    def __init__(self) -> None:
        self.seen: list[str] = []

    def on_chain_start(self, serialized, inputs, **kwargs):
        self.seen.append(f"start {kwargs.get('name')} {kwargs.get('tags')}")

    def on_chain_end(self, outputs, **kwargs):
        self.seen.append("end")


def test_it_answers_blocking_async_and_in_batches():
    chain = echo()
    assert chain.invoke("a").response.answer == "a"
    assert asyncio.run(chain.ainvoke("a")).response.answer == "a"
    assert [answer.response.answer for answer in chain.batch(["a", "b"])] == ["a", "b"]
    answers = asyncio.run(chain.abatch(["a", "b"], {"max_concurrency": 1}))
    assert [answer.response.answer for answer in answers] == ["a", "b"]


def test_it_streams_text_and_last_the_answer():
    text, answer = echo().stream("a")
    assert text == "a"
    assert isinstance(answer, Answer)

    async def collected():
        return [event async for event in echo().astream("a")]

    assert asyncio.run(collected())[0] == "a"


def test_it_composes_with_other_runnables():
    chain = RunnableLambda(str.upper) | echo() | (lambda answer: answer.response.answer + "!")
    assert chain.invoke("a") == "A!"
    assert list(chain.stream("a"))[-1] == "A!"


def test_config_reaches_callbacks_and_parts():
    recorder = Recorder()
    chain = echo(finish=lambda turn: turn.notes["tags"])
    tags = chain.invoke("a", {"callbacks": [recorder], "tags": ["mine"]})
    assert tags == ["mine"]
    assert recorder.seen == ["start echo ['mine']", "end"]


def test_an_error_reaches_the_caller_and_the_callbacks():
    def fail(given):
        raise ValueError("no question")

    chain = ChainRunnable("bad", echo().pipeline, fail)
    with pytest.raises(ValueError, match="no question"):
        chain.invoke("a")


@pytest.mark.parametrize("way", ["ainvoke", "astream"])
def test_without_asyncio_it_says_what_to_do(way):
    """A host with a loop of its own drives coroutines like this."""
    chain = echo()
    step = chain.ainvoke("a") if way == "ainvoke" else anext(chain.astream("a"))
    with pytest.raises(ConfigError, match="asyncio") as raised:
        step.send(None)
    assert "to_thread" in raised.value.hint
