"""Every kind of tool that a caller may hand over: decorated, plain, async only, of MCP servers."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from functools import partial, wraps
from pathlib import Path
from typing import Annotated, Any

import pytest
from langchain_core.tools import BaseTool, InjectedToolArg, StructuredTool, ToolException, tool

from ragqa.agent.policy import ToolPolicy
from ragqa.agent.tools.mcp import mcp_tools
from ragqa.errors import ConfigError, MissingExtraError, UnknownNameError
from tests.wire.agent_play import acted, agent_at, calls, states, told

READ = ToolPolicy(read_only=True)
SHELF = {
    "shelf": {
        "transport": "stdio",
        "command": sys.executable,
        "args": [str(Path(__file__).with_name("mcp_stdio.py"))],
    }
}
ASYNC = pytest.mark.parametrize("asynchronous", [False, True])


def asked(agent: Any, *, asynchronous: bool) -> Any:
    question = "How many kettles are there?"
    return asyncio.run(agent.ainvoke(question)) if asynchronous else agent.invoke(question)


@tool
def decorated(item: str) -> dict[str, int]:
    """Tell how many pieces of an item there are when the user asks."""
    return {item: 12}


def plain(item: str) -> str:
    """Tell how many pieces of an item there are when the user asks."""
    return f"{item}: 12"


async def async_only(item: str) -> str:
    """Tell how many pieces of an item there are when the user asks."""
    await asyncio.sleep(0)
    return f"{item}: 12"


class OneForm(BaseTool):
    """A tool whose other form only says that it is none, as has long been the custom."""

    name: str = "one_form"
    description: str = "Tell how many pieces of an item there are when the user asks."

    def _run(self, item: str) -> str:
        raise NotImplementedError("only in an event loop")

    async def _arun(self, item: str) -> str:
        return f"{item}: 12"


class OtherForm(OneForm):
    """The same the other way round."""

    def _run(self, item: str) -> str:
        return f"{item}: 12"

    async def _arun(self, item: str) -> str:
        raise NotImplementedError("not in an event loop")


@tool
def needs_state(item: str, state: Annotated[dict[str, Any], InjectedToolArg]) -> str:
    """Tell how many pieces of an item there are when the user asks."""
    return item


@wraps(async_only)
def hidden(*args: Any, **kwargs: Any) -> Any:
    return async_only(*args, **kwargs)


hidden.__name__ = "hidden"


async def yielding(item: str) -> AsyncIterator[str]:
    """Tell how many pieces of an item there are when the user asks."""
    for piece in (item, "12"):
        yield piece


@ASYNC
@pytest.mark.parametrize(
    "given",
    [decorated, plain, async_only, hidden, yielding, OneForm(), OtherForm()],
    ids=[
        "tool",
        "def",
        "async def",
        "async behind a decorator",
        "async generator",
        "only async",
        "only blocking",
    ],
)
def test_each_kind_runs_blocking_and_in_a_loop(openai_server, given, asynchronous):
    name = getattr(given, "name", None) or given.__name__
    server = openai_server(calls((name, {"item": "kettle"})), acted("There are 12 kettles."))
    answer = asked(
        agent_at(server, tools=[given], policies={name: READ}), asynchronous=asynchronous
    )
    assert "12" in told(server.chats[1])[0]["content"]
    assert (answer.status, states(answer)) == ("answered", [(name, "succeeded")])


@ASYNC
def test_a_tool_that_handles_its_errors_still_failed(openai_server, asynchronous):
    def shelf(item: str) -> str:
        """Tell how many pieces of an item are on the shelf when asked."""
        raise ToolException("the shelf is broken")

    handled = StructuredTool.from_function(shelf, handle_tool_error=True)
    server = openai_server(
        calls(("shelf", {"item": "kettle"})), acted("I cannot say.", confidence=0.2)
    )
    answer = asked(
        agent_at(server, tools=[handled], policies={"shelf": READ}), asynchronous=asynchronous
    )
    assert states(answer) == [("shelf", "failed")]
    assert "broken" in told(server.chats[1])[0]["content"]


@ASYNC
def test_tools_of_an_mcp_server(openai_server, asynchronous):
    both = calls(("get_pieces", {"item": "kettle"}), ("get_pieces", {"item": "broken"}))
    server = openai_server(both, acted("There are 12 kettles."))
    agent = agent_at(server, tools=mcp_tools(SHELF), policies={"get-pieces": READ})
    answer = asked(agent, asynchronous=asynchronous)
    assert states(answer) == [("get_pieces", "succeeded"), ("get_pieces", "failed")]
    results = [result["content"] for result in told(server.chats[1])]
    assert "kettle: 12 pieces" in results[0]
    assert "the shelf is broken" in results[1]
    assert answer.status == "answered"


def test_an_mcp_server_that_is_not_there():
    with pytest.raises(ConfigError, match="shelf"):
        mcp_tools({"shelf": {"transport": "stdio", "command": "/no/such/program", "args": []}})


def test_without_the_package_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "langchain_mcp_adapters.client", None)
    with pytest.raises(MissingExtraError, match=r"ragqa\[mcp\]"):
        mcp_tools(SHELF)


def nameless(item):
    return item


@pytest.mark.parametrize(
    ("given", "policies", "kind", "said"),
    [
        ([nameless], {}, ConfigError, "docstring|description"),
        ([3], {}, ConfigError, "int"),
        ([decorated, decorated], {}, ConfigError, "decorated"),
        ([decorated], {"other": READ}, UnknownNameError, "other"),
        ([partial(nameless, 3)], {}, ConfigError, "partial"),
        (nameless, {}, ConfigError, "no list of tools"),
        (decorated, {}, ConfigError, "no list of tools"),
        ([decorated], {"decorated": {"read_only": True}}, ConfigError, "no mapping"),
        ([decorated], [READ], ConfigError, "no mapping"),
        ([needs_state], {}, ConfigError, "'state' of the tool 'needs_state' is hidden"),
    ],
)
def test_what_is_wrong_is_told_when_the_chain_is_made(openai_server, given, policies, kind, said):
    with pytest.raises(kind, match=said):
        agent_at(openai_server(), tools=given, policies=policies)
