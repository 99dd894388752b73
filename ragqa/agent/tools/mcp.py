"""Tools of MCP servers (Model Context Protocol), for ``chain("agent", tools=mcp_tools(…))``.

>>> tools = mcp_tools({"notes": {"transport": "stdio", "command": "notes-server", "args": []}})
... # doctest: +SKIP

What the servers answer is data like any tool's; a result that is marked as an error is one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from ragqa.errors import ConfigError, MissingExtraError

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

TIMEOUT_S = 30.0


def mcp_tools(servers: Mapping[str, Any], *, timeout_s: float = TIMEOUT_S) -> list[BaseTool]:
    """Return the tools of MCP servers; each call opens a session of its own.

    Args:
        servers: Connections by name, as langchain-mcp-adapters' MultiServerMCPClient takes them.
        timeout_s: How long the servers may take to tell their tools.

    Raises:
        MissingExtraError: If langchain-mcp-adapters is not installed.
        ConfigError: If a server cannot be reached.
    """
    with ThreadPoolExecutor(1) as pool:  # the caller may be inside an event loop
        return pool.submit(asyncio.run, amcp_tools(servers, timeout_s=timeout_s)).result()


async def amcp_tools(servers: Mapping[str, Any], *, timeout_s: float = TIMEOUT_S) -> list[BaseTool]:
    """Do the same as :func:`mcp_tools` without blocking the event loop."""
    try:
        from langchain_mcp_adapters.client import MultiServerMCPClient
    except ImportError as exc:
        raise MissingExtraError("mcp", "langchain-mcp-adapters") from exc
    try:
        async with asyncio.timeout(timeout_s):
            tools: list[BaseTool] = await MultiServerMCPClient(dict(servers)).get_tools()
            return tools
    except Exception as exc:  # whatever a transport raises, often a group of exceptions
        raise ConfigError(
            f"The MCP servers {', '.join(servers)} do not tell their tools: {_reason(exc)}.",
            hint="Check how they are started, or their addresses.",
        ) from exc


def _reason(exc: BaseException) -> str:
    while isinstance(exc, BaseExceptionGroup):
        exc = exc.exceptions[0]
    return f"{type(exc).__name__}: {exc}".rstrip(": ")
