"""A tool that changes something, and what is known of it. A file stands for the ticket service."""

import json
from pathlib import Path
from typing import Annotated

from langchain_core.tools import InjectedToolArg, tool

from ragqa import ToolPolicy

TICKETS = Path("tickets.json")


def held() -> dict[str, dict]:
    return json.loads(TICKETS.read_text()) if TICKETS.exists() else {}


@tool
def create_ticket(title: str, idempotency_key: Annotated[str, InjectedToolArg]) -> dict:
    """Create a ticket when the user asks for help from a person."""
    tickets = held()
    ticket = tickets.setdefault(idempotency_key, {"number": len(tickets) + 1, "title": title})
    TICKETS.write_text(json.dumps(tickets))
    return ticket


def look_up(operation) -> dict | None:
    return held().get(operation.key)


def tools():
    policy = ToolPolicy(
        effect="created ticket",
        approval=True,
        key=("title",),
        key_parameter="idempotency_key",
        verifier=look_up,
        compares=("title",),
    )
    return [create_ticket], {"create_ticket": policy}
