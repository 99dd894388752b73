"""A tool call as a model asked for it, and what is handed back."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from inspect import isawaitable, signature
from itertools import islice
from typing import Any, Protocol

from ragqa.agent.ledger.record import ToolRecord
from ragqa.agent.results.text import MAX_ITEMS
from ragqa.ports import TraceConfig


class Tool(Protocol):
    """What the executor needs of a tool; LangChain's tools have it."""

    @property
    def name(self) -> str:
        """Return the name by which a model calls it."""

    def invoke(self, input: Any, config: Any = None) -> Any:
        """Run it on a tool call: ``{"type": "tool_call", "id", "name", "args"}``."""

    def ainvoke(self, input: Any, config: Any = None) -> Any:
        """Run it without blocking; awaited."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as the model sent it.

    Attributes:
        id: The model's id of the call. Within one run it has to be unique, since by it a call is
            known again after a break.
        name: The tool's name.
        arguments: An object, or the JSON text as the model wrote it.
        injected: More arguments for the tool that neither the model sent nor a gate sees.
    """

    id: str
    name: str
    arguments: Mapping[str, Any] | str
    injected: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a call came to.

    Attributes:
        content: One bounded text for the model.
        is_error: Whether the model is to take it for an error.
        record: The call's record in the ledger.
        raw: What the tool returned; None where it did not run now.
    """

    content: str
    is_error: bool
    record: ToolRecord
    raw: Any = None


@dataclass(frozen=True, slots=True)
class ApprovalDue:
    """A call that waits for a person's decision: decide on ``record.id``, then run it again.

    Attributes:
        record: The record that waits; of the same operation, if the model asked for it twice.
    """

    record: ToolRecord


def functions_of(
    tool: Tool, call_id: str, arguments: Mapping[str, Any], config: TraceConfig
) -> tuple[Callable[[], Any] | None, Callable[[], Awaitable[Any]] | None]:
    """Return the two functions that run a tool: blocking and async, each None if it has not it."""
    asked = dict(arguments)
    if not _returns_as_it_is(tool):
        asked = {"type": "tool_call", "id": call_id, "name": tool.name, "args": asked}

    def run() -> Any:
        result = tool.invoke(asked, config)
        if _is_begun(result):
            import asyncio

            result = asyncio.run(_completed(result))
        return _listed(result)

    async def arun() -> Any:
        import asyncio

        result = await _completed(await tool.ainvoke(asked, config))
        return await asyncio.to_thread(_listed, result) if _only_yields(result) else result

    return (run if _blocks(tool) else None, arun if _is_async(tool) else None)


def _is_begun(result: Any) -> bool:
    """Tell whether a result has still to come about: a decorator may hide that a tool is async."""
    return isawaitable(result) or isinstance(result, AsyncIterator)


async def _completed(result: Any) -> Any:
    """Return what a result comes to: awaited, or what it yields, which can be read once only."""
    if isawaitable(result):
        result = await result
    if not isinstance(result, AsyncIterator):
        return result
    items: list[Any] = []
    async for item in result:
        items.append(item)
        if len(items) >= MAX_ITEMS:
            break
    return items


def _only_yields(result: Any) -> bool:
    return isinstance(result, Iterator)


def _listed(result: Any) -> Any:
    """Return what a generator yields, which can be read once only; anything else as it is."""
    return list(islice(result, MAX_ITEMS)) if _only_yields(result) else result


def _returns_as_it_is(tool: Any) -> bool:
    """Tell whether a tool can be called without a call id, and then loses nothing by it.

    With one, LangChain makes a message of the result: ``str`` of what is no JSON. Without one it
    drops artifacts and the mark of an error that the tool handles itself.
    """
    if getattr(tool, "response_format", None) != "content":
        return False
    if tool.handle_tool_error or tool.handle_validation_error:
        return False
    fields = getattr(tool.args_schema, "model_fields", {}).values()
    wanted = {
        str(getattr(mark, "__name__", type(mark).__name__)) for f in fields for mark in f.metadata
    }
    return "InjectedToolCallId" not in wanted and not _takes_call_id(tool)


def _takes_call_id(tool: Any) -> bool:
    functions = (getattr(tool, "func", None), getattr(tool, "coroutine", None), tool._run)
    return any("tool_call_id" in signature(each).parameters for each in functions if each)


def _is_async(tool: Any) -> bool:
    """Tell whether a tool has an async form of its own, not only a thread around the other."""
    if hasattr(tool, "coroutine"):
        return tool.coroutine is not None
    if hasattr(type(tool), "_arun"):
        return not _is_default(type(tool)._arun)
    return hasattr(tool, "ainvoke")


def _blocks(tool: Any) -> bool:
    if hasattr(tool, "coroutine") and hasattr(tool, "func"):
        return tool.func is not None
    return hasattr(tool, "invoke")


def _is_default(method: Any) -> bool:
    return str(getattr(method, "__module__", "")) == "langchain_core.tools.base"
