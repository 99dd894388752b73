"""Faults that others have reported of agents: kinds b, d and e of the reported cases."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from ragqa.agent.policy import ToolPolicy
from ragqa.contract import Passage, response_type
from tests.wire.agent_play import Found, agent_at, calls, search, told
from tests.wire.openai_replies import Reply

CASES = Path(__file__).parents[3] / "shared/data/bug_reports/cases.jsonl"
READ = ToolPolicy(read_only=True)
AROUND = {
    "returns-policy.md": "Unopened items can be returned within 30 days of delivery.",
    "shipping-faq.html": "Standard delivery takes 3 to 5 working days.",
    "kettle-k2-manual.pdf": "The K2 kettle holds 1.7 litres.",
}


def cases(kind: str) -> list[Any]:
    if not CASES.exists():
        return [pytest.param(None, marks=pytest.mark.skip(f"{CASES} is not there"))]
    lines = map(json.loads, CASES.read_text(encoding="utf-8").splitlines())
    return [pytest.param(case, id=case["id"]) for case in lines if case["kind"] == kind]


def around(case: dict[str, Any]) -> dict[str, Any]:
    """Return the passages and the categories of a case."""
    schema = response_type(categories=tuple(case["input"]["categories"]))
    return {"passages": passages_of(case), "schema": schema}


def passages_of(case: dict[str, Any]) -> tuple[Passage, ...]:
    return tuple(
        Passage(id=title, title=title, text=AROUND[title], end=len(AROUND[title]))
        for title in case["input"].get("retrieved", ())
    )


@pytest.mark.parametrize("case", cases("b"))
def test_raw_output_never_becomes_the_answer(openai_server, case):
    said = case["input"]
    replies = said.get("model_replies") or [said["raw"]] * 2
    server = openai_server(search(), *replies)
    answer = agent_at(server, **around(case)).invoke(said["question"])
    assert answer.usage.calls == 3
    assert answer.attempts[0].verdict == "rejected"
    if "model_replies" in said:
        assert answer.status == "repaired"
        assert answer.response.answer == json.loads(replies[1])["answer"]
    else:
        assert answer.status == "degraded"
    for text in ("@search", "Action", "Thought"):
        assert text not in answer.response.answer


class Searching:
    """The reported ``search_docs``: it returns or raises what the report says."""

    def __init__(self, results: dict[str, Any]) -> None:
        self.results = results
        self.ran: list[str] = []

    def tools(self, names: list[str]) -> list[Any]:
        def search_docs(query: str) -> list[Any]:
            """Search the manuals for a query; use it for every question on a product."""
            self.ran.append(query)
            result = self.results.get(query, [])
            if isinstance(result, dict):
                raise TimeoutError("search took too long")
            return result

        def list_sources() -> list[str]:
            """List the titles of all manuals when the user asks for them."""
            return sorted(AROUND)

        known = {"search_docs": search_docs, "list_sources": list_sources}
        return [known[name.partition("(")[0]] for name in names]


def turns(case: dict[str, Any]) -> list[Any]:
    return [
        turn["content"]
        if "content" in turn
        else calls(*((call["name"], call["arguments"]) for call in turn["tool_calls"]))
        for turn in case["input"]["model_turns"]
    ]


@pytest.mark.parametrize("case", cases("d"))
def test_tool_loops_end_in_an_answer(openai_server, case):
    said, expected = case["input"], case["expected_value"]
    searching = Searching(said.get("tool_results", {}))
    tools = searching.tools(said["tools"])
    policies = {tool.__name__: READ for tool in tools}
    if "model_turns_repeat" in said:
        call = said["model_turns_repeat"]["tool_calls"][0]
        server = openai_server(always=calls((call["name"], call["arguments"])))
        answer = agent_at(
            server, tools=tools, policies=policies, max_model_calls=said["max_steps"]
        ).invoke("How long is the warranty?")
        assert len(server.chats) <= expected["max_model_calls"]
        response = answer.response.model_dump()
        assert {name: response[name] for name in expected["result_includes"]} == (
            expected["result_includes"]
        )
        return
    server = openai_server(*turns(case))
    searched = Found(*(Passage(id=t, title=t, text=x, end=len(x)) for t, x in AROUND.items()))
    answer = agent_at(server, tools=tools, policies=policies, retriever=searched).invoke(
        "How much does the K2 kettle hold?"
    )
    results = told(server.chats[-1])
    ids = [
        call["id"]
        for message in server.chats[-1]["messages"]
        for call in message.get("tool_calls") or ()
    ]
    assert [result["tool_call_id"] for result in results] == ids
    for number, wanted in enumerate(expected.get("tool_messages", ())):
        for text in wanted.get("content_contains", ()):
            assert text in results[number]["content"]
        if "is_error" in wanted and number < len(answer.tools):
            failed = answer.tools[number]["state"] == "failed"
            assert failed == wanted["is_error"]
    assert answer.usage.calls >= expected.get("model_calls", 1)


@pytest.mark.parametrize("case", cases("e"))
@pytest.mark.parametrize("asynchronous", [False, True])
def test_streams_and_event_loops(openai_server, case, asynchronous):
    said = case["input"]
    if "steps" in said:
        server = openai_server(always=said["model_replies_each"])
        # nothing is looked up here: the sources of the reply are none of this run
        agent = agent_at(server)
        answers = [agent.invoke(step) for step in said["steps"][:2]]
        answers += [asyncio.run(agent.ainvoke(step)) for step in said["steps"][2:]]
        assert len(answers) == case["expected_value"]["results"]
        return
    is_cut = "stream_end" in said
    reply = Reply(chunks=said["stream"], drop_after=len(said["stream"]) if is_cut else None)
    whole = json.dumps(
        {
            "answer": "Standard delivery takes 3 to 5 working days.",
            "confidence": 0.9,
            "category": said["categories"][1],
            "sources": said["retrieved"],
            "follow_up": [],
            "needs_human": False,
        }
    )
    server = openai_server(search("delivery"), reply, whole)
    agent = agent_at(server, **around(case))
    question = "How long does delivery take?"

    async def collected() -> list[Any]:
        return [event async for event in agent.astream(question)]

    answer = (asyncio.run(collected()) if asynchronous else list(agent.stream(question)))[-1]
    assert answer.status in {"answered", "repaired"}
    assert answer.response.answer == "Standard delivery takes 3 to 5 working days."
    assert len(server.chats) == (3 if is_cut else 2)
