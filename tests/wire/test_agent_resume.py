"""Runs that go on with a schema and rules of one's own; runs of which nothing may be kept."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import Field

import ragqa
from ragqa import QAResponse
from ragqa.agent.run.checkpoints import FILE_NAME
from ragqa.app.resuming import decide, waiting
from ragqa.app.runs import runs_for
from ragqa.errors import ConfigError
from ragqa.settings import Settings
from ragqa.validation.rules import Refuse
from tests.wire.agent_play import acted, calls, states, told
from tests.wire.ticket_service import TicketService
from tests.wire.ticket_tools import ticket_policy, ticket_tool

WISH = "Please create a ticket for the broken kettle."
CALL = ("create_ticket", {"title": "Broken kettle"})
DONE = "I created the ticket for the broken kettle."


class TicketResponse(QAResponse):
    """An answer that names the ticket."""

    ticket: str | None = Field(default=None, description="The ticket's number, as T-1.")


def is_malformed(response: Any) -> bool:
    return response.ticket is not None and not response.ticket.startswith("T-")


OWN: dict[str, Any] = {
    "schema": TicketResponse,
    "rules": [Refuse(is_malformed, "A ticket begins with T-.", "ticket_form", field="ticket")],
}


@pytest.fixture
def service(tmp_path: Path) -> Iterator[TicketService]:
    with TicketService(tmp_path / "tickets.sqlite") as running:
        yield running


@pytest.fixture
def desk(tmp_path: Path, openai_server: Any, service: TicketService) -> Any:
    """Return what makes a server, the settings and the tools of a desk that needs a yes."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "returns.md").write_text("Unopened items can be returned within 30 days.\n")

    def made(*script: Any, **options: Any) -> tuple[Any, Settings, dict[str, Any]]:
        server = openai_server(*script)
        settings = Settings.load(
            cwd=tmp_path,
            environ={},
            home=str(tmp_path / "state"),
            openai_base_url=server.base_url,
            chat_model="m",
            **options,
        )
        ragqa.index([str(docs)], settings=settings)
        policies = {"create_ticket": ticket_policy(service.url, approval=True)}
        return server, settings, {"tools": [ticket_tool(service.url)], "policies": policies}

    return made


@pytest.mark.parametrize("asynchronous", [False, True])
def test_schema_and_rules_hold_for_the_rest_of_the_run(desk, asynchronous):
    server, settings, given = desk(calls(CALL), acted(DONE, ticket="1"), acted(DONE, ticket="T-1"))
    run_id = ragqa.chain("agent", settings=settings, **given, **OWN).invoke(WISH).run_id
    decide(run_id, True, settings=settings)
    if asynchronous:
        answer = asyncio.run(ragqa.aresume(run_id, settings=settings, **given, **OWN))
    else:
        answer = ragqa.resume(run_id, settings=settings, **given, **OWN)
    assert (answer.status, answer.response.ticket) == ("repaired", "T-1")
    assert [attempt.code for attempt in answer.attempts] == ["rules.ticket_form", "ok"]
    assert "The ticket's number" in server.chats[1]["messages"][-1]["content"]


def test_a_schema_that_is_none_leaves_the_run_waiting(desk):
    _, settings, given = desk(calls(CALL), acted(DONE))
    run_id = ragqa.chain("agent", settings=settings, **given).invoke(WISH).run_id
    decide(run_id, True, settings=settings)
    with pytest.raises(ConfigError):
        ragqa.resume(run_id, settings=settings, **given, schema=dict)
    assert ragqa.resume(run_id, settings=settings, **given).status == "answered"


def until_made(service: TicketService) -> None:
    """Wait until there is a ticket; not for ever."""
    give_up_s = time.monotonic() + 10
    while not service.tickets() and time.monotonic() < give_up_s:
        time.sleep(0.02)


def test_cancelled_while_it_carries_out_what_was_approved(desk, service):
    again = [calls(CALL), acted(DONE)]
    _, settings, given = desk(calls(CALL), *again)
    chain = ragqa.chain("agent", settings=settings, **given)
    run_id = chain.invoke(WISH).run_id
    decide(run_id, True, settings=settings)
    service.faults(delay_after_s=0.8)

    async def cancelled() -> None:
        task = asyncio.create_task(ragqa.aresume(run_id, settings=settings, **given))
        await asyncio.to_thread(until_made, service)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    service.faults()
    assert runs_for(settings).get(run_id).state == "cancelled"
    with pytest.raises(ConfigError):
        ragqa.resume(run_id, settings=settings, **given)
    answer = chain.invoke(WISH)
    assert (answer.status, states(answer)) == ("answered", [("create_ticket", "verified")])
    assert len(service.tickets()) == 1


def texts_in(folder: Path) -> str:
    """Return all bytes of the state folder's files but the index, as text."""
    files = [path for path in folder.rglob("*") if path.is_file() and "index" not in str(path)]
    return "".join(path.read_bytes().decode("utf-8", "replace") for path in files)


NOTHING_DONE = acted("No ticket was made: it needs an approval.", confidence=0.5)


@pytest.mark.parametrize("way", ["invoke", "ainvoke", "stream"])
def test_without_texts_nothing_waits_and_it_says_so(desk, service, way):
    server, settings, given = desk(calls(CALL), NOTHING_DONE, records="none")
    agent = ragqa.chain("agent", settings=settings, **given)
    if way == "ainvoke":
        answer = asyncio.run(agent.ainvoke(WISH))
    else:
        answer = agent.invoke(WISH) if way == "invoke" else list(agent.stream(WISH))[-1]
    assert answer.status == "answered"
    assert states(answer) == [("create_ticket", "failed")]
    assert "RAGQA_RECORDS=none" in answer.tools[0]["error"]
    assert "needs the approval of a person" in told(server.chats[1])[0]["content"]
    assert service.tickets() == []
    assert waiting(settings=settings) == []
    run = runs_for(settings).get(answer.run_id)
    assert run.state == "completed"
    with pytest.raises(ConfigError) as caught:
        ragqa.resume(answer.run_id, settings=settings, **given)
    assert "RAGQA_RECORDS=none" in caught.value.hint


def test_without_texts_none_is_on_the_disk(desk, service, tmp_path):
    _, settings, given = desk(
        calls(("create_ticket", {"title": "Quite secret kettle"})), acted(DONE), records="none"
    )
    given["policies"] = {"create_ticket": ticket_policy(service.url)}
    answer = ragqa.chain("agent", settings=settings, **given).invoke(WISH)
    assert (answer.status, states(answer)) == ("answered", [("create_ticket", "verified")])
    kept = texts_in(tmp_path / "state")
    assert "Quite secret kettle" not in kept
    assert "broken kettle" not in kept
    assert not (tmp_path / "state" / FILE_NAME).exists()
