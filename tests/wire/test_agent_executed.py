"""Tools that the provider runs on its side, over real HTTP: they get records, too."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.wire.agent_play import acted, agent_at, calls, final, search, states
from tests.wire.openai_replies import Reply, chunks

RATE = {
    "index": 0,
    "type": "search",
    "arguments": '{"query": "EUR USD"}',
    "output": "On 2 March 2026 one euro cost 1.0837 US dollars.",
    "search_results": {"results": [{"title": "Rates", "score": 0.93}]},
}
QUESTION = "What does one euro cost in US dollars?"
TOLD = acted("One euro costs 1.0837 US dollars.")


def _asked(agent: Any, how: str) -> Any:
    if how == "invoke":
        return agent.invoke(QUESTION)
    if how == "ainvoke":
        return asyncio.run(agent.ainvoke(QUESTION))
    if how == "stream":
        return list(agent.stream(QUESTION))[-1]

    async def last() -> Any:
        return [event async for event in agent.astream(QUESTION)][-1]

    return asyncio.run(last())


@pytest.mark.parametrize("how", ["invoke", "ainvoke", "stream", "astream"])
def test_what_the_provider_ran_is_recorded_and_bears_figures(openai_server, how):
    answer = _asked(agent_at(openai_server(Reply(TOLD, executed=(RATE,)))), how)
    assert answer.status == "answered"
    (record,) = answer.tools
    assert (record["name"], record["state"], record["by_provider"]) == ("search", "succeeded", True)
    assert record["sent"] == '{"query": "EUR USD"}'
    assert record["read_only"]


@pytest.mark.parametrize("how", ["invoke", "stream"])
def test_pages_that_a_reply_cites_tell_of_a_search(openai_server, how):
    pages = (("Opening hours", "https://example.org/hours"), ("Map", "https://example.org/map"))
    reply = Reply(acted("Hello, how can I help?", confidence=0.4), cited=(*pages, pages[0]))
    answer = _asked(agent_at(openai_server(reply)), how)
    (record,) = answer.tools
    assert (record["name"], record["state"], record["by_provider"]) == (
        "web_search",
        "succeeded",
        True,
    )


def test_the_figures_stand_nowhere_without_it(openai_server):
    answer = agent_at(openai_server(TOLD, TOLD)).invoke(QUESTION)
    assert answer.status == "degraded"


def test_it_may_run_beside_calls_of_own_tools(openai_server):
    asks = search()
    reply = calls(("search_documents", {"query": "return"}), executed=(RATE,))
    answer = agent_at(openai_server(reply, asks, final())).invoke("How long can I return it?")
    assert answer.status == "answered"
    assert states(answer) == [
        ("search_documents", "succeeded"),
        ("search_documents", "succeeded"),
        ("search", "succeeded"),
    ]


def test_it_is_no_proof_of_an_effect(openai_server):
    claim = acted("I created a ticket for you.")
    ran = {"index": 0, "type": "function", "name": "create_ticket", "output": "created a ticket"}
    server = openai_server(Reply(claim, executed=(ran,)), claim)
    answer = agent_at(server).invoke("Please create a ticket.")
    assert answer.status == "degraded"
    assert states(answer) == [("create_ticket", "succeeded")]


def test_a_stream_where_a_whole_reply_was_due_tells_it_too(openai_server):
    reply = Reply(TOLD, executed=(RATE,))
    pieces = [f"data: {json.dumps(piece)}\n\n" for piece in chunks(reply, {"model": "m"})]
    answer = agent_at(openai_server(Reply(body="".join(pieces)))).invoke(QUESTION)
    assert (answer.status, states(answer)) == ("answered", [("search", "succeeded")])


@pytest.mark.parametrize("how", ["invoke", "stream"])
def test_without_a_result_nobody_knows(openai_server, how):
    ran = {"index": 0, "type": "browser", "arguments": None, "output": None}
    reply = Reply(acted("Hello, how can I help?", confidence=0.4), executed=(ran,))
    answer = _asked(agent_at(openai_server(reply)), how)
    assert (answer.status, states(answer)) == ("answered", [("browser", "unknown")])
    assert answer.tools[0]["error"] == "the provider returned no result of it"


def test_code_and_its_results_may_stand_elsewhere(openai_server):
    ran = {
        "index": 0,
        "type": "function",
        "name": "python",
        "arguments": "print(17 * 23)",
        "output": None,
        "code_results": [{"text": "391"}],
    }
    reply = Reply(acted("17 times 23 is 391."), executed=(ran,))
    answer = agent_at(openai_server(reply)).invoke("What is 17 times 23?")
    assert (answer.status, states(answer)) == ("answered", [("python", "succeeded")])
