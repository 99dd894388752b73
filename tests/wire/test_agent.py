"""The agent's life cycle over real HTTP: calls, results, limits, and what reaches the caller."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from itertools import pairwise
from typing import Any

import pytest

import ragqa
from ragqa.agent.policy import ToolPolicy
from ragqa.agent.run.checkpoints import FILE_NAME
from ragqa.contract import Passage
from ragqa.errors import (
    AgentLimitError,
    AuthError,
    ConfigError,
    StorageError,
    ToolsRefusedError,
)
from tests.wire.agent_play import (
    QUESTION,
    RETURNS,
    Found,
    acted,
    agent_at,
    calls,
    final,
    search,
    states,
    told,
)
from tests.wire.openai_refusals import invalid
from tests.wire.openai_replies import Reply

READ = ToolPolicy(read_only=True)


def stock(item: str) -> dict[str, Any]:
    """Look up how many pieces of an item are in stock."""
    return {"item": item, "pieces": 12}


def test_no_tool_call_is_judged_like_any_reply(openai_server):
    server = openai_server(acted("Hello, how can I help?", confidence=0.4))
    answer = agent_at(server).invoke("Hello!")
    assert (answer.status, answer.chain, answer.tools) == ("answered", "agent", ())
    assert len(server.chats) == answer.usage.calls == 1


def test_one_call_goes_back_under_its_id_and_is_cited(openai_server):
    server = openai_server(search(), final())
    answer = agent_at(server).invoke(QUESTION)
    assert answer.status == "answered"
    assert answer.response.sources == ["returns.md"]
    assert answer.citations[0].quote == RETURNS.text
    assert [passage.title for passage in answer.passages] == ["returns.md"]
    assert states(answer) == [("search_documents", "succeeded")]
    (call,) = server.chats[1]["messages"][2]["tool_calls"]
    (result,) = told(server.chats[1])
    assert result["tool_call_id"] == call["id"] == answer.tools[0]["call_id"]
    assert "[1] returns.md" in result["content"]
    assert RETURNS.text in result["content"]
    assert "score" not in result["content"]


def test_attempts_count_judged_replies_and_usage_all(openai_server):
    server = openai_server(search(), final(confidence="90%"), final())
    answer = agent_at(server).invoke(QUESTION)
    assert (answer.status, len(answer.attempts), answer.usage.calls) == ("repaired", 2, 3)
    assert "tools" not in server.chats[2]
    assert answer.response.sources == ["returns.md"]


def test_the_format_stands_once_and_last(openai_server):
    server = openai_server(search(), final())
    agent_at(server).invoke(QUESTION)
    for chat in server.chats:
        *earlier, last = chat["messages"]
        assert last["role"] == "user"
        assert "needs_human" in last["content"]
        assert "follow_up" in last["content"]
        assert not any("follow_up" in str(m.get("content")) for m in earlier)
        assert chat["temperature"] == 0.2
        assert "response_format" not in chat
        assert "tool_choice" not in chat


@pytest.mark.parametrize(
    ("question", "word"),
    [(QUESTION, "Which tool for what"), ("未拆封的商品多久能退？", "各工具的用途")],
)
def test_instructions_are_in_the_language_of_the_question(openai_server, question, word):
    server = openai_server(acted("?", confidence=0.1, needs_human=True))
    agent_at(server, tools=[stock], policies={"stock": READ}).invoke(question)
    system = server.chats[0]["messages"][0]["content"]
    assert word in system
    assert "- stock: Look up how many pieces" in system
    assert {tool["function"]["name"] for tool in server.chats[0]["tools"]} == {
        "search_documents",
        "calculate",
        "stock",
    }


@pytest.mark.parametrize("asynchronous", [False, True])
def test_three_at_once_run_at_once_and_one_may_fail(openai_server, asynchronous):
    together = threading.Barrier(3)

    def slow(item: str) -> str:
        """Look something up that takes its time."""
        together.wait(5)
        if item == "b":
            raise RuntimeError("the shelf is broken")
        return f"{item} is there"

    asked = calls(*(("slow", {"item": name}) for name in "abc"))
    server = openai_server(asked, acted("a and c are there.", confidence=0.5))
    agent = agent_at(server, tools=[slow], policies={"slow": READ})
    answer = asyncio.run(agent.ainvoke("?a")) if asynchronous else agent.invoke("?a")
    assert [state for _, state in states(answer)] == ["succeeded", "failed", "succeeded"]
    results = told(server.chats[1])
    assert [r["tool_call_id"] for r in results] == [
        call["id"] for call in server.chats[1]["messages"][2]["tool_calls"]
    ]
    assert "a is there" in results[0]["content"]
    assert "the shelf is broken" in results[1]["content"]
    assert "c is there" in results[2]["content"]
    assert answer.status == "answered"


@pytest.mark.parametrize("raw", ['{"item": "kettle"', "kettle", "[1]", '{"item": }'])
@pytest.mark.parametrize("streamed", [False, True])
def test_malformed_arguments_are_told_and_the_run_goes_on(openai_server, raw, streamed):
    ran = []

    def pieces(item: str) -> str:
        """Look up how many pieces of an item there are."""
        ran.append(item)
        return "12 pieces"

    server = openai_server(
        calls(("pieces", raw)), calls(("pieces", {"item": "kettle"})), acted("12 pieces.")
    )
    agent = agent_at(server, tools=[pieces], policies={"pieces": READ})
    answer = list(agent.stream("How many?"))[-1] if streamed else agent.invoke("How many?")
    assert ran == ["kettle"]
    assert [state for _, state in states(answer)] == ["failed", "succeeded"]
    (result,) = told(server.chats[1])
    assert result["tool_call_id"] == server.chats[1]["messages"][2]["tool_calls"][0]["id"]
    assert "JSON" in result["content"] or "object" in result["content"]
    assert answer.status == "answered"


@pytest.mark.parametrize(
    ("raw", "is_run", "told_of"),
    [
        ('{"item": "a", "item": "kettle"}', False, "'item' stands there twice"),
        ("[1]", False, "you sent [1]"),
        ('"{\\"item\\": \\"kettle\\"}"', True, "12 pieces"),  # encoded twice
    ],
)
@pytest.mark.parametrize("streamed", [False, True])
def test_arguments_are_read_alike_whole_and_in_pieces(
    openai_server, raw, is_run, told_of, streamed
):
    server = openai_server(calls(("pieces_of", raw)), acted("There is nothing.", confidence=0.3))

    def pieces_of(item: str) -> str:
        """Look up how many pieces of an item there are."""
        return "12 pieces"

    agent = agent_at(server, tools=[pieces_of], policies={"pieces_of": READ})
    answer = list(agent.stream("How many?"))[-1] if streamed else agent.invoke("How many?")
    assert states(answer) == [("pieces_of", "succeeded" if is_run else "failed")]
    (result,) = told(server.chats[1])
    assert told_of in result["content"]


def test_an_unknown_tool_is_told_with_the_known_ones(openai_server):
    server = openai_server(calls(("doc_lookup", {})), search(), final())
    answer = agent_at(server).invoke(QUESTION)
    (result,) = told(server.chats[1])
    for name in ("doc_lookup", "search_documents", "calculate"):
        assert name in result["content"]
    assert states(answer)[0] == ("doc_lookup", "failed")
    assert answer.status == "answered"


def test_wrong_types_are_told(openai_server):
    server = openai_server(
        calls(("stock", {"item": 5, "colour": "red"})), acted("I do not know.", confidence=0.2)
    )
    answer = agent_at(server, tools=[stock], policies={"stock": READ}).invoke("How many?")
    (result,) = told(server.chats[1])
    assert "item" in result["content"]
    assert states(answer) == [("stock", "failed")]


@pytest.mark.parametrize("same", [True, False])
def test_an_endless_loop_ends_at_the_limit_with_what_is_known(openai_server, same):
    server = openai_server()

    class Looping:
        count = 0

    def turn(body):
        Looping.count += 1
        return search("warranty" if same else f"warranty {Looping.count}")

    server._next = turn
    answer = agent_at(server, passages=(), max_model_calls=5).invoke("Warranty?")
    assert (answer.status, answer.reason) == ("degraded", "limit")
    assert answer.response.needs_human
    assert answer.response.sources == []
    assert len(server.chats) == answer.usage.calls == 5
    assert server.chats[-1]["tool_choice"] == "none"
    if same:
        assert [state for _, state in states(answer)] == ["succeeded"] * 2
        assert "2 times" in told(server.chats[-1])[-1]["content"]


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_step_limit_of_the_callers_is_no_second_one(openai_server, asynchronous):
    """Callers hand theirs down unknowingly: a chain around this one passes 25 on."""
    turns = [search(f"warranty {number}") for number in range(4)]
    agent = agent_at(openai_server(*turns, final()))
    config = {"recursion_limit": 2}
    asked = agent.ainvoke(QUESTION, config) if asynchronous else None
    answer = asyncio.run(asked) if asked else agent.invoke(QUESTION, config)
    assert (answer.status, answer.usage.calls) == ("answered", 5)


def test_the_limit_may_be_an_error(openai_server):
    server = openai_server(always=search())
    with pytest.raises(AgentLimitError, match="RAGQA_MAX_MODEL_CALLS") as error:
        agent_at(server, max_model_calls=2, raise_degraded=True).invoke(QUESTION)
    assert error.value.exit_code == 6


def test_tool_calls_are_bounded_within_one_reply_too(openai_server):
    asked = calls(*(("stock", {"item": f"i{n}"}) for n in range(5)))
    server = openai_server(asked, acted("Three are known."))
    answer = agent_at(server, tools=[stock], policies={"stock": READ}, max_tool_calls=3).invoke(
        "How many?"
    )
    results = told(server.chats[1])
    assert len(results) == 5
    assert ["3 times" in result["content"] for result in results] == [False] * 3 + [True] * 2
    assert len(answer.tools) == 3
    assert server.chats[1]["tool_choice"] == "none"


def test_the_budget_of_tokens_ends_the_run(openai_server):
    server = openai_server(always=search())
    answer = agent_at(server, run_budget_tokens=500).invoke(QUESTION)
    assert (answer.status, answer.reason) == ("degraded", "budget")
    assert len(server.chats) == 1


def test_the_time_of_the_ask_ends_the_run(openai_server):
    server = openai_server(search(), Reply(final(), delay_s=5))
    started = time.monotonic()
    answer = agent_at(server, timeout_s=1.5).invoke(QUESTION)
    assert answer.status == "degraded"
    assert time.monotonic() - started < 4


def test_a_first_search_can_be_forced_and_later_steps_are_free(openai_server):
    server = openai_server(search(), final())
    agent_at(server, force_search=True).invoke(QUESTION)
    assert server.chats[0]["tool_choice"]["function"]["name"] == "search_documents"
    assert "tool_choice" not in server.chats[1]


def test_raw_tool_output_is_no_answer(openai_server):
    raw = json.dumps([{"@search.score": 3.1, "title": "returns.md", "content": RETURNS.text}])
    server = openai_server(search(), raw, final())
    answer = agent_at(server).invoke(QUESTION)
    assert answer.status == "repaired"
    assert "@search" not in answer.response.answer
    server = openai_server(search(), raw, raw)
    answer = agent_at(server).invoke(QUESTION)
    assert (answer.status, answer.reason) == ("degraded", "invalid_output")
    assert RETURNS.text not in answer.response.answer


def test_only_what_the_search_returned_may_be_cited(openai_server):
    server = openai_server(
        acted(RETURNS.text, sources=["returns.md"]),
        acted("I do not know.", confidence=0.1, needs_human=True),
    )
    answer = agent_at(server).invoke(QUESTION)
    assert answer.response.sources == []
    assert answer.passages == ()


def test_passages_of_others_are_not_shown(openai_server):
    secret = Passage(id="s", title="s.md", text="Secret returns in 99 days.", groups=("board",))
    server = openai_server(search(), final())
    answer = agent_at(server, retriever=Found(secret, RETURNS)).invoke(QUESTION)
    assert "99" not in told(server.chats[1])[0]["content"]
    assert [passage.title for passage in answer.passages] == ["returns.md"]


def test_passages_of_several_searches_are_numbered_through(openai_server):
    other = Passage(id="d", title="d.md", text="Delivery takes 5 days.", start=0, end=22)

    class ByQuery(Found):
        def retrieve(self, query, config=None):
            return (other,) if "delivery" in query.text else (RETURNS,)

    server = openai_server(search("returns"), search("delivery"), search("returns?"), final())
    answer = agent_at(server, retriever=ByQuery()).invoke(QUESTION)
    heads = [result["content"].splitlines()[0] for result in told(server.chats[3])]
    assert [head.split()[1] for head in heads] == ["[1]", "[2]", "[1]"]
    assert [passage.title for passage in answer.passages] == ["returns.md", "d.md"]


def test_figures_of_tools_support_an_answer(openai_server):
    server = openai_server(calls(("stock", {"item": "kettle"})), acted("There are 12 kettles."))
    answer = agent_at(server, tools=[stock], policies={"stock": READ}).invoke("How many kettles?")
    assert (answer.status, answer.response.confidence) == ("answered", 0.9)


def test_calculate_computes(openai_server):
    server = openai_server(
        calls(("calculate", {"code": "round(1200 * 1.25)"})), acted("1,500 euros.")
    )
    answer = agent_at(server).invoke("What is 1,200 euros plus 25 %?")
    assert "1500" in told(server.chats[1])[0]["content"]
    assert answer.status == "answered"


def test_ids_that_repeat_are_made_unique(openai_server):
    def turn(text):
        call = {
            "id": "call_0",
            "type": "function",
            "function": {"name": "stock", "arguments": json.dumps({"item": text})},
        }
        message = {"role": "assistant", "content": None, "tool_calls": [call, call]}
        return Reply(choices=[{"index": 0, "message": message, "finish_reason": "tool_calls"}])

    server = openai_server(turn("a"), turn("b"), acted("12 each."))
    answer = agent_at(server, tools=[stock], policies={"stock": READ}).invoke("How many?")
    ids = [record["call_id"] for record in answer.tools]
    assert len(ids) == len(set(ids)) == 4
    results = [result["content"] for result in told(server.chats[2])]
    assert ["'a'" in r or '"a"' in r for r in results] == [True, True, False, False]


@pytest.mark.parametrize("call_id", ["", None, 0])
def test_calls_without_ids_or_with_numbers_get_some(openai_server, call_id):
    call = {
        "id": call_id,
        "type": "function",
        "function": {"name": "stock", "arguments": '{"item": "a"}'},
    }
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    first = Reply(choices=[{"index": 0, "message": message, "finish_reason": "tool_calls"}])
    server = openai_server(first, acted("12 pieces."))
    answer = agent_at(server, tools=[stock], policies={"stock": READ}).invoke("How many?")
    assert answer.tools[0]["call_id"]
    assert answer.status == "answered"


def test_a_model_that_takes_no_tools_still_answers_from_the_documents(openai_server):
    server = openai_server(final(), final(), refuse={"tools"})
    agent = agent_at(server)
    answer = agent.invoke(QUESTION)
    assert (answer.status, answer.response.sources) == ("answered", ["returns.md"])
    assert agent.invoke(QUESTION).status == "answered"
    assert sum("tools" in request.body for request in server.requests) == 1


@pytest.mark.parametrize("is_streamed", [False, True])
def test_a_service_that_lets_no_user_speak_after_results(openai_server, is_streamed):
    server = openai_server(search(), search("warranty"), final())
    answered = server._next

    def strict(body):
        roles = [message["role"] for message in body["messages"]]
        if ("tool", "user") in pairwise(roles):
            raise invalid("Unexpected role 'user' after role 'tool'")
        return answered(body)

    server._next = strict
    agent = agent_at(server)
    answer = list(agent.stream(QUESTION))[-1] if is_streamed else agent.invoke(QUESTION)
    assert (answer.status, answer.usage.calls) == ("answered", 3)
    assert [item.status for item in server.requests] == [200, 400, 200, 200]
    system, *rest = server.chats[-1]["messages"]
    assert "needs_human" in system["content"]
    assert rest[-1]["role"] == "tool"


def test_with_tools_of_the_callers_own_that_is_an_error(openai_server):
    server = openai_server(refuse={"tools"})
    with pytest.raises(ToolsRefusedError, match="tools"):
        agent_at(server, tools=[stock]).invoke("How many?")


def test_a_wrong_key_is_an_error(openai_server):
    server = openai_server(final(), key="right-key")
    with pytest.raises(AuthError):
        agent_at(server).invoke(QUESTION)


def test_a_model_that_is_away_degrades_quickly(openai_server):
    server = openai_server(*[Reply(status=500, body={"error": {"message": "down"}})] * 3)
    answer = agent_at(server).invoke(QUESTION)
    assert (answer.status, answer.reason) == ("degraded", "model_unavailable")


def test_settings_that_are_wrong_end_the_run(openai_server):
    class Broken(Found):
        def retrieve(self, query, config=None):
            raise ConfigError("The index has other vectors.")

    server = openai_server(search(), final())
    with pytest.raises(ConfigError, match="other vectors"):
        agent_at(server, retriever=Broken()).invoke(QUESTION)


def test_without_a_model_it_says_what_to_set():
    import chains
    from ragqa.ports import Parts

    with pytest.raises(ConfigError, match="chat model"):
        chains.agent.build(Parts(retriever=Found()))


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_damaged_file_of_steps_is_named(openai_server, tmp_path, asynchronous):
    (tmp_path / FILE_NAME).write_bytes(b"no database " * 400)
    agent = agent_at(openai_server(search(), final()), home=tmp_path)
    with pytest.raises(StorageError, match=f"{FILE_NAME} is damaged"):
        asyncio.run(agent.ainvoke(QUESTION)) if asynchronous else agent.invoke(QUESTION)


def test_runs_side_by_side_do_not_mix(openai_server):
    class Echo:
        def __call__(self, body):
            asked = next(m["content"] for m in body["messages"] if m["role"] == "user")
            number = asked.split("#")[1].split("?")[0]
            if told({"messages": body["messages"]}):
                return Reply(acted(f"Number {number} has 12 pieces.", confidence=0.5))
            return calls(("stock", {"item": number}))

    server = openai_server()
    server._next = Echo()
    agent = agent_at(server, tools=[stock], policies={"stock": READ})
    answers = agent.batch([f"#{n}?" for n in range(6)])
    assert [a.response.answer.split()[1] for a in answers] == [str(n) for n in range(6)]
    assert all(len(a.tools) == 1 for a in answers)
    more = asyncio.run(agent.abatch([f"#{n}?" for n in range(6, 12)]))
    assert [a.tools[0]["arguments"]["item"] for a in more] == [str(n) for n in range(6, 12)]


def test_the_public_names_stand():
    assert ragqa.ToolPolicy is ToolPolicy
    assert callable(ragqa.resume)
