"""Tools that change something, against a real ticket service with a database of its own."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ragqa.agent.ledger.store import Ledger
from ragqa.agent.policy import ToolPolicy
from ragqa.agent.run.loop import LEDGER_FILE
from ragqa.contract import Caller
from ragqa.validation.gate import CheckContext, Fault, Passed, Rejected
from tests.wire.agent_play import acted, agent_at, calls, states, told
from tests.wire.ticket_service import TicketService
from tests.wire.ticket_tools import export_policy, export_tool, ticket_policy, ticket_tool

WISH = "Please create a ticket for the broken kettle."
CALL = ("create_ticket", {"title": "Broken kettle"})
DONE = "I created the ticket for the broken kettle."


@pytest.fixture
def service(tmp_path) -> Iterator[TicketService]:
    with TicketService(tmp_path / "tickets.sqlite") as running:
        yield running


def ticket_agent(server: Any, service: TicketService, *, timeout_s: float = 20.0, **changes: Any):
    return agent_at(
        server,
        tools=[ticket_tool(service.url, timeout_s=timeout_s)],
        policies={"create_ticket": ticket_policy(service.url, **changes)},
        timeout_s=20.0,
    )


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_ticket_is_made_once_verified_and_said(openai_server, service, asynchronous):
    server = openai_server(calls(CALL), acted(DONE))
    agent = ticket_agent(server, service)
    answer = asyncio.run(agent.ainvoke(WISH)) if asynchronous else agent.invoke(WISH)
    assert [ticket["title"] for ticket in service.tickets()] == ["Broken kettle"]
    assert states(answer) == [("create_ticket", "verified")]
    assert (answer.status, answer.response.answer) == ("answered", DONE)
    parameters = server.chats[0]["tools"][-1]["function"]["parameters"]
    assert set(parameters["properties"]) == {"title", "priority"}
    assert "idempotency_key" not in json.dumps(server.chats)


def test_saying_so_without_a_call_is_not_believed(openai_server, service):
    said = acted(DONE, confidence=0.4)
    server = openai_server(said, said)
    answer = ticket_agent(server, service).invoke(WISH)
    assert service.tickets() == []
    assert answer.status == "degraded"
    assert "created" not in answer.response.answer
    assert answer.response.needs_human


def test_the_facts_of_the_ledger_mend_what_is_said(openai_server, service):
    service.faults(status=500)
    server = openai_server(
        calls(CALL),
        acted(DONE),
        acted(
            "The ticket could not be made; please ask a person.", confidence=0.3, needs_human=True
        ),
    )
    answer = ticket_agent(server, service).invoke(WISH)
    assert (answer.status, states(answer)) == ("repaired", [("create_ticket", "failed")])
    repair = "\n".join(message["content"] for message in server.chats[2]["messages"])
    assert "create_ticket" in repair
    assert "tools" not in server.chats[2]


def test_a_degraded_answer_still_says_what_was_done(openai_server, service):
    server = openai_server(calls(CALL), "no object", "none again")
    answer = ticket_agent(server, service).invoke(WISH)
    assert answer.status == "degraded"
    assert "create_ticket" in answer.response.answer
    assert len(answer.response.answer) <= 200
    assert len(service.tickets()) == 1


def test_another_target_than_asked_is_not_done(openai_server, service):
    service.faults(priority="low")
    call = ("create_ticket", {"title": "Broken kettle", "priority": "high"})
    server = openai_server(calls(call), acted(DONE), acted(DONE))
    answer = ticket_agent(server, service).invoke(WISH)
    assert states(answer) == [("create_ticket", "failed")]
    assert "low" in told(server.chats[1])[0]["content"]
    assert answer.status == "degraded"


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_time_out_after_the_effect_is_verified_and_not_repeated(
    openai_server, service, asynchronous
):
    service.faults(delay_after_s=3)
    server = openai_server(calls(CALL), acted(DONE))
    agent = ticket_agent(server, service, timeout_s=0.4, retries=2)
    answer = asyncio.run(agent.ainvoke(WISH)) if asynchronous else agent.invoke(WISH)
    assert len(service.tickets()) == 1
    assert states(answer) == [("create_ticket", "verified")]
    assert answer.status == "answered"


def test_an_accepted_job_is_not_finished(openai_server, service):
    service.faults(finish_after_s=60)
    call = ("start_export", {"title": "Sales"})
    server = openai_server(
        calls(call),
        acted("The report was exported."),
        acted("The export was accepted and is still running.", confidence=0.6),
    )
    answer = agent_at(
        server,
        tools=[export_tool(service.url)],
        policies={"start_export": export_policy(service.url)},
    ).invoke("Please export the sales report.")
    assert states(answer) == [("start_export", "running")]
    assert len(service.tickets("export")) == 1


def test_asking_twice_in_a_run_is_one_operation(openai_server, service):
    server = openai_server(calls(CALL, CALL), calls(CALL), acted(DONE))
    answer = ticket_agent(server, service).invoke(WISH)
    assert len(service.tickets()) == 1
    assert {state for _, state in states(answer)} == {"verified"}
    assert answer.status == "answered"


def test_asking_again_in_another_run_is_the_same_operation(openai_server, service):
    server = openai_server(calls(CALL), acted(DONE), calls(CALL), acted(DONE))
    agent = ticket_agent(server, service)
    assert agent.invoke(WISH).status == "answered"
    assert states(agent.invoke(WISH)) == [("create_ticket", "verified")]
    assert len(service.tickets()) == 1


def test_what_an_earlier_start_left_unknown_is_looked_up(openai_server, service, tmp_path):
    service.faults(delay_after_s=3, look_up_status=503)
    server = openai_server(calls(CALL), acted("I do not know yet.", confidence=0.3))
    given: dict[str, Any] = {
        "tools": [ticket_tool(service.url, timeout_s=0.3)],
        "policies": {"create_ticket": ticket_policy(service.url, patience_s=0.2)},
        "home": tmp_path,
    }
    answer = agent_at(server, **given).invoke(WISH)
    assert states(answer) == [("create_ticket", "unknown")]
    service.faults()
    server.add(acted("Hello.", confidence=0.4))
    agent_at(server, **given).invoke("Hello!")
    with Ledger(tmp_path / LEDGER_FILE) as ledger:
        assert [record.state for record in ledger.of_run(answer.run_id)] == ["verified"]
    assert len(service.tickets()) == 1


class TestPermissions:
    def test_a_role_that_may_not_runs_nothing(self, openai_server, service):
        server = openai_server(calls(CALL), acted("You may not create tickets.", confidence=0.5))
        agent = ticket_agent(server, service, groups=("support",))
        answer = agent.invoke({"question": WISH, "groups": ("guests",)})
        assert service.tickets() == []
        assert states(answer) == [("create_ticket", "failed")]
        assert "support" in answer.tools[0]["error"]
        assert "may not" in told(server.chats[1])[0]["content"]

    def test_a_role_that_may_does(self, openai_server, service):
        server = openai_server(calls(CALL), acted(DONE))
        agent = ticket_agent(server, service, groups=("support",))
        answer = agent.invoke({"question": WISH, "caller": Caller("ann", ("support",))})
        assert states(answer) == [("create_ticket", "verified")]

    def test_a_function_decides_on_the_arguments(self, openai_server, service):
        def small(caller: Caller, arguments: Any) -> bool:
            return arguments["title"] != "Broken kettle"

        server = openai_server(calls(CALL), acted("Not allowed.", confidence=0.5))
        ticket_agent(server, service, permission=small).invoke(WISH)
        assert service.tickets() == []


class Tidy:
    """Normalise a title, give a priority, refuse what is no title."""

    name = "tidy"

    def check(self, value: Any, context: CheckContext) -> Any:
        title = value.title.strip()
        if not title:
            fault = Fault("rules.tidy", "the title is empty", "title: say what is broken")
            return Rejected((fault,), value=value)
        return Passed(value.model_copy(update={"title": title.capitalize()}), repairs=("tidy",))


class TestRules:
    def test_arguments_are_normalised_before_they_run(self, openai_server, service):
        call = ("create_ticket", {"title": "  broken KETTLE "})
        server = openai_server(calls(call), acted(DONE))
        answer = ticket_agent(server, service, rules=(Tidy(),)).invoke(WISH)
        assert [ticket["title"] for ticket in service.tickets()] == ["Broken kettle"]
        assert answer.tools[0]["arguments"]["title"] == "Broken kettle"
        assert "KETTLE" in answer.tools[0]["sent"]

    def test_refused_arguments_are_told_and_can_be_mended(self, openai_server, service):
        server = openai_server(calls(("create_ticket", {"title": " "})), calls(CALL), acted(DONE))
        answer = ticket_agent(server, service, rules=(Tidy(),)).invoke(WISH)
        assert "say what is broken" in told(server.chats[1])[0]["content"]
        assert states(answer) == [("create_ticket", "failed"), ("create_ticket", "verified")]
        assert answer.status == "answered"

    def test_what_is_left_out_gets_its_default(self, openai_server, service):
        server = openai_server(calls(CALL), acted(DONE))
        ticket_agent(server, service).invoke(WISH)
        assert service.tickets()[0]["priority"] == "normal"

    def test_with_the_state_it_runs(self, openai_server, service):
        server = openai_server(calls(CALL), acted(DONE))
        agent = ticket_agent(server, service, state=("pending_order",))
        answer = agent.invoke({"question": WISH, "state": {"pending_order": 7}})
        assert states(answer) == [("create_ticket", "verified")]

    def test_a_state_that_is_missing_runs_nothing(self, openai_server, service):
        server = openai_server(calls(CALL), acted("There is no pending order.", confidence=0.5))
        answer = ticket_agent(server, service, state=("pending_order",)).invoke(WISH)
        assert service.tickets() == []
        assert states(answer) == [("create_ticket", "failed")]
        assert "pending_order" in told(server.chats[1])[0]["content"]


def _until(there: Callable[[], bool], timeout_s: float = 10.0) -> None:
    give_up_s = time.monotonic() + timeout_s
    while not there():
        assert time.monotonic() < give_up_s, "it never came"
        time.sleep(0.02)


async def test_cancelling_in_the_middle_of_parallel_calls_leaves_the_truth(openai_server, service):
    service.faults(delay_after_s=1.0)
    both = calls(CALL, ("create_ticket", {"title": "Broken lamp"}))
    server = openai_server(both, calls(CALL), acted(DONE))
    agent = ticket_agent(server, service)
    task = asyncio.create_task(agent.ainvoke(WISH))
    await asyncio.to_thread(_until, lambda: len(service.tickets()) == 2)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    service.faults()
    answer = await agent.ainvoke(WISH)  # the same operation: looked up, not repeated
    assert states(answer) == [("create_ticket", "verified")]
    assert len(service.tickets()) == 2
    assert answer.status == "answered"


def test_a_tool_without_a_policy_is_an_effect_that_is_not_retried(openai_server):
    count = []

    def book_room(day: str) -> str:
        """Book the meeting room for a day when the user asks for it."""
        count.append(day)
        raise ConnectionResetError("the line broke")

    server = openai_server(
        calls(("book_room", {"day": "Monday"})),
        acted("I booked the room."),
        acted("I booked the room."),
    )
    answer = agent_at(server, tools=[book_room]).invoke("Book the room for Monday.")
    assert count == ["Monday"]
    assert states(answer)[0][1] in {"unknown", "failed"}
    assert answer.status == "degraded"


def test_a_tool_that_hangs_is_given_up(openai_server):
    going = threading.Event()

    def hang(item: str) -> str:
        """Look something up that never comes back."""
        going.wait(8)
        return "late"

    server = openai_server(
        calls(("hang", {"item": "a"})), acted("It takes too long.", confidence=0.4)
    )
    started = time.monotonic()
    answer = agent_at(
        server, tools=[hang], policies={"hang": ToolPolicy(read_only=True, timeout_s=0.3)}
    ).invoke("Look a up.")
    assert time.monotonic() - started < 4
    assert states(answer) == [("hang", "failed")]
    going.set()
