"""Tools that call the ticket service, with policies as a team would write them."""

from __future__ import annotations

from typing import Annotated, Any

import httpx
from langchain_core.tools import BaseTool, InjectedToolArg, StructuredTool

from ragqa.agent.policy import ToolPolicy
from ragqa.agent.verification import Operation, Verification

TIMEOUT_S = 20.0


def ticket_tool(url: str, *, timeout_s: float = TIMEOUT_S) -> BaseTool:
    """Return the tool that makes a ticket, blocking and async."""

    def create_ticket(
        title: str, idempotency_key: Annotated[str, InjectedToolArg], priority: str = "normal"
    ) -> dict[str, Any]:
        """Create a ticket when the user asks for help from a person."""
        reply = httpx.post(
            f"{url}/tickets",
            json={"title": title, "priority": priority},
            headers={"idempotency-key": idempotency_key},
            timeout=timeout_s,
        )
        return _object(reply)

    async def acreate_ticket(
        title: str, idempotency_key: Annotated[str, InjectedToolArg], priority: str = "normal"
    ) -> dict[str, Any]:
        async with httpx.AsyncClient(timeout=timeout_s) as client:
            return _object(
                await client.post(
                    f"{url}/tickets",
                    json={"title": title, "priority": priority},
                    headers={"idempotency-key": idempotency_key},
                )
            )

    return StructuredTool.from_function(create_ticket, acreate_ticket)


def export_tool(url: str) -> BaseTool:
    """Return the tool that only has a job accepted."""

    def start_export(
        title: str, idempotency_key: Annotated[str, InjectedToolArg]
    ) -> dict[str, Any]:
        """Start the export of a report when the user asks for one."""
        headers = {"idempotency-key": idempotency_key}
        return _object(
            httpx.post(f"{url}/exports", json={"title": title}, headers=headers, timeout=TIMEOUT_S)
        )

    return StructuredTool.from_function(start_export)


def find_tool(url: str) -> BaseTool:
    """Return the read-only tool that shows a ticket."""

    def find_ticket(number: int) -> dict[str, Any]:
        """Show a ticket by its number when the user asks about one."""
        return _object(httpx.get(f"{url}/tickets/{number}", timeout=TIMEOUT_S))

    return StructuredTool.from_function(find_ticket)


def ticket_policy(url: str, **changes: Any) -> ToolPolicy:
    """Return the policy of the ticket tool."""

    def look_up(operation: Operation) -> dict[str, Any] | None:
        found = httpx.get(f"{url}/tickets", params={"key": operation.key}, timeout=TIMEOUT_S)
        return next(iter(found.raise_for_status().json()), None)

    return ToolPolicy(
        **{
            "effect": "created ticket",
            "claims": ("created", "创建"),
            "key": ("title",),
            "key_parameter": "idempotency_key",
            "verifier": look_up,
            "compares": ("title", "priority"),
            **changes,
        }
    )


def export_policy(url: str, **changes: Any) -> ToolPolicy:
    """Return the policy of the export tool: accepted is not finished."""

    def look_up(operation: Operation) -> Verification:
        found = httpx.get(f"{url}/exports", params={"key": operation.key}, timeout=TIMEOUT_S)
        if found.status_code == 404:
            return Verification("not_found")
        is_finished = found.raise_for_status().json()["state"] == "finished"
        return Verification("found" if is_finished else "pending")

    return ToolPolicy(
        **{
            "effect": "exported report",
            "key": ("title",),
            "key_parameter": "idempotency_key",
            "verifier": look_up,
            "asynchronous": True,
            "patience_s": 0.2,
            **changes,
        }
    )


def _object(reply: httpx.Response) -> dict[str, Any]:
    found: dict[str, Any] = reply.raise_for_status().json()
    return found
