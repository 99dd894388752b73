"""Streamed replies with calls: fragments, text beside a call, streams that are cut."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from ragqa.agent.policy import ToolPolicy
from ragqa.contract import Answer
from ragqa.flow import Withdrawn
from tests.wire.agent_play import QUESTION, RETURNS, acted, agent_at, calls, final, search, states
from tests.wire.openai_replies import Reply

BOTH = pytest.mark.parametrize("asynchronous", [False, True])
CREATE = ("create_note", {"text": "The kettle of the kitchen on the third floor is broken."})


class Notes:
    """A tool that remembers what it was given."""

    def __init__(self) -> None:
        self.kept: list[str] = []

    def tool(self) -> Any:
        def create_note(text: str) -> str:
            """Write a note down when the user asks for one."""
            self.kept.append(text)
            return f"note {len(self.kept)}"

        return create_note


@pytest.fixture
def notes() -> Notes:
    return Notes()


def streamed(agent: Any, question: str, *, asynchronous: bool) -> tuple[list[Any], Answer]:
    if not asynchronous:
        *events, answer = agent.stream(question)
        return events, answer

    async def collected() -> list[Any]:
        return [event async for event in agent.astream(question)]

    *events, answer = asyncio.run(collected())
    return events, answer


def shown(events: list[Any]) -> str:
    """Return what stands on the screen in the end."""
    at = max((n for n, event in enumerate(events) if isinstance(event, Withdrawn)), default=-1)
    return "".join(events[at + 1 :])


@BOTH
def test_the_answer_is_shown_while_it_is_written(openai_server, asynchronous):
    server = openai_server(search(), final())
    events, answer = streamed(agent_at(server), QUESTION, asynchronous=asynchronous)
    assert len(events) > 1
    assert "".join(events) == answer.response.answer == RETURNS.text


@BOTH
def test_fragments_are_put_together_before_anything_runs(openai_server, notes, asynchronous):
    server = openai_server(
        calls(CREATE, (*CREATE[:1], {"text": "second"})), acted("Two notes.", confidence=0.5)
    )
    events, answer = streamed(
        agent_at(server, tools=[notes.tool()]), "Note it.", asynchronous=asynchronous
    )
    assert sorted(notes.kept) == sorted([CREATE[1]["text"], "second"])
    assert states(answer) == [("create_note", "succeeded")] * 2
    assert shown(events) == answer.response.answer


def chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


def fragment(index: int | None, **call: Any) -> dict[str, Any]:
    place = {} if index is None else {"index": index}
    return chunk({"tool_calls": [{**place, **call}]})


INTERLEAVED = [
    fragment(0, id="a", type="function", function={"name": "create_note", "arguments": ""}),
    fragment(1, id="b", type="function", function={"name": "create_note", "arguments": '{"te'}),
    fragment(0, function={"arguments": '{"text": "fi'}),
    fragment(1, function={"arguments": 'xt": "second"}'}),
    fragment(0, function={"arguments": 'rst"}'}),
    chunk({}, "tool_calls"),
]
WITHOUT_INDEX = [
    fragment(
        None, id="a", type="function", function={"name": "create_note", "arguments": '{"text": '}
    ),
    fragment(None, function={"arguments": '"first"}'}),
    fragment(
        None,
        id="b",
        type="function",
        function={"name": "create_note", "arguments": '{"text": "second"}'},
    ),
    chunk({}, "tool_calls"),
]
SAME_INDEX = [
    fragment(
        0, id=name, type="function", function={"name": "create_note", "arguments": json.dumps(said)}
    )
    for name, said in (("a", {"text": "first"}), ("b", {"text": "second"}))
] + [chunk({}, "tool_calls")]


@BOTH
@pytest.mark.parametrize(
    "chunks",
    [INTERLEAVED, WITHOUT_INDEX, SAME_INDEX],
    ids=["interleaved", "no index", "same index"],
)
def test_fragments_may_come_in_any_way(openai_server, notes, chunks, asynchronous):
    server = openai_server(Reply(chunks=chunks), acted("Two notes.", confidence=0.5))
    agent = agent_at(server, tools=[notes.tool()])
    _, answer = streamed(agent, "Note it.", asynchronous=asynchronous)
    assert sorted(notes.kept) == ["first", "second"]
    assert [record["call_id"] for record in answer.tools] == ["a", "b"]


@BOTH
@pytest.mark.parametrize(
    "text",
    ["I will note that down.", acted("I noted it down.", confidence=0.4)],
    ids=["prose", "object"],
)
def test_text_beside_a_call_is_no_answer(openai_server, notes, text, asynchronous):
    server = openai_server(calls(CREATE, text=text), acted("One note.", confidence=0.5))
    events, answer = streamed(
        agent_at(server, tools=[notes.tool()]), "Note it.", asynchronous=asynchronous
    )
    assert shown(events) == answer.response.answer == "One note."
    if text.startswith("{"):
        assert any(isinstance(event, Withdrawn) and event.reason == "tools" for event in events)
    else:
        assert events == [e for e in events if isinstance(e, str)]
        assert text not in "".join(events)


@BOTH
@pytest.mark.parametrize("drop_after", [2, 3, 5, 7])
def test_a_stream_cut_inside_arguments_runs_nothing(openai_server, notes, drop_after, asynchronous):
    server = openai_server(
        Reply(None, tool_calls=(("create_note", json.dumps(CREATE[1])),), drop_after=drop_after),
        acted("I could not do it.", confidence=0.3),
    )
    _, answer = streamed(
        agent_at(server, tools=[notes.tool()]), "Note it.", asynchronous=asynchronous
    )
    assert notes.kept == []
    assert answer.tools == ()
    assert answer.usage.calls == len(server.chats) == 2


@BOTH
@pytest.mark.parametrize("reason", ["length", "content_filter", None])
def test_calls_of_a_reply_that_was_stopped_do_not_run(openai_server, notes, reason, asynchronous):
    cut = calls(("create_note", '{"text": "The kettle"}'), finish_reason=reason)
    server = openai_server(cut, *[acted("I could not do it.", confidence=0.3)] * 2)
    streamed(agent_at(server, tools=[notes.tool()]), "Note it.", asynchronous=asynchronous)
    assert notes.kept == []


@BOTH
def test_cut_again_and_again_degrades(openai_server, notes, asynchronous):
    cut = Reply(None, tool_calls=(("create_note", json.dumps(CREATE[1])),), drop_after=4)
    server = openai_server(cut, cut, cut, cut)
    events, answer = streamed(
        agent_at(server, tools=[notes.tool()]), "Note it.", asynchronous=asynchronous
    )
    assert (answer.status, answer.reason) == ("degraded", "model_unavailable")
    assert notes.kept == []
    assert len(server.chats) == 2
    assert shown(events) == answer.response.answer


@BOTH
def test_an_answer_that_breaks_off_is_asked_for_again_without_tools(openai_server, asynchronous):
    server = openai_server(search(), Reply(final(), drop_after=4), final())
    events, answer = streamed(agent_at(server), QUESTION, asynchronous=asynchronous)
    assert answer.status in {"answered", "repaired"}
    assert shown(events) == answer.response.answer == RETURNS.text
    assert "tools" not in server.chats[2]
    assert RETURNS.text in server.chats[2]["messages"][-1]["content"]


@BOTH
def test_what_is_rejected_is_withdrawn(openai_server, asynchronous):
    server = openai_server(search(), final("Within 99 days of delivery."), final())
    events, answer = streamed(agent_at(server), QUESTION, asynchronous=asynchronous)
    assert answer.status == "repaired"
    assert any(isinstance(event, Withdrawn) for event in events)
    assert shown(events) == answer.response.answer


@BOTH
def test_waiting_and_limits_are_shown_too(openai_server, notes, asynchronous):
    server = openai_server(calls(CREATE))
    agent = agent_at(
        server, tools=[notes.tool()], policies={"create_note": ToolPolicy(approval=True)}
    )
    events, answer = streamed(agent, "Note it.", asynchronous=asynchronous)
    assert (answer.status, answer.reason) == ("waiting", "approval")
    assert shown(events) == answer.response.answer
    assert notes.kept == []
    server = openai_server(always=search())
    events, answer = streamed(
        agent_at(server, max_model_calls=2), QUESTION, asynchronous=asynchronous
    )
    assert (answer.status, answer.reason) == ("degraded", "limit")
    assert shown(events) == answer.response.answer


def test_leaving_a_stream_early_leaves_the_agent_usable(openai_server):
    server = openai_server(search(), final(), search(), final())
    agent = agent_at(server)
    stream = agent.stream(QUESTION)
    next(stream)
    stream.close()
    assert agent.invoke(QUESTION).status == "answered"
