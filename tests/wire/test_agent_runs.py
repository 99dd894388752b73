"""Runs that wait for a person: yes, no, too late, in another process, two at once."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import ragqa
from ragqa.app.resuming import decide, waiting
from ragqa.errors import ConfigError, RagqaError, UnknownNameError
from ragqa.settings import Settings
from tests.wire.agent_play import acted, calls, states, told
from tests.wire.openai_replies import Reply
from tests.wire.ticket_service import TicketService
from tests.wire.ticket_tools import find_tool, ticket_policy, ticket_tool

WISH = "Please create a ticket for the broken kettle."
CALL = ("create_ticket", {"title": "Broken kettle"})
DONE = acted("I created the ticket for the broken kettle.")
REFUSED = acted("The ticket was not made: it was refused.", confidence=0.5)


@pytest.fixture
def service(tmp_path) -> Iterator[TicketService]:
    with TicketService(tmp_path / "tickets.sqlite") as running:
        yield running


class Desk:
    """A help desk whose agent needs a yes for tickets; all is made anew for each call."""

    def __init__(self, folder: Path, server: Any, service: TicketService, **policy: Any) -> None:
        docs = folder / "docs"
        docs.mkdir()
        (docs / "returns.md").write_text("Unopened items can be returned within 30 days.\n")
        self.settings = Settings.load(
            cwd=folder,
            environ={},
            home=str(folder / "state"),
            openai_base_url=server.base_url,
            chat_model="m",
        )
        ragqa.index([str(docs)], settings=self.settings)
        self.server = server
        self.tools = [ticket_tool(service.url), find_tool(service.url)]
        self.policies = {
            "create_ticket": ticket_policy(service.url, **{"approval": True, **policy}),
            "find_ticket": ragqa.ToolPolicy(read_only=True),
        }

    def ask(self, question: Any = WISH) -> ragqa.Answer:
        return self.chain().invoke(question)

    def chain(self) -> Any:
        return ragqa.chain(
            "agent", settings=self.settings, tools=self.tools, policies=self.policies
        )

    def decide(self, run_id: str, approved: bool) -> Any:
        return decide(run_id, approved, by="ann", settings=self.settings)

    def resume(self, run_id: str) -> ragqa.Answer:
        return ragqa.resume(
            run_id, tools=self.tools, policies=self.policies, settings=self.settings
        )

    def run(self, run_id: str) -> Any:
        from ragqa.app.runs import runs_for

        return runs_for(self.settings).get(run_id)


@pytest.fixture
def desk(tmp_path, openai_server, service) -> Any:
    def made(*script: Any, **policy: Any) -> Desk:
        return Desk(tmp_path, openai_server(*script), service, **policy)

    return made


def test_it_waits_and_nothing_is_done(desk, service):
    at = desk(calls(CALL))
    answer = at.ask()
    assert (answer.status, answer.reason) == ("waiting", "approval")
    assert answer.response.needs_human
    assert "create_ticket" in answer.response.answer
    assert states(answer) == [("create_ticket", "waiting_for_approval")]
    assert service.tickets() == []
    assert at.run(answer.run_id).state == "requires_action"
    (record,) = waiting(answer.run_id, settings=at.settings)
    assert record.for_approver()["arguments"] == {"title": "Broken kettle", "priority": "normal"}


def test_a_yes_carries_it_out_once_and_the_run_completes(desk, service):
    at = desk(calls(CALL), DONE)
    run_id = at.ask().run_id
    at.decide(run_id, True)
    assert service.tickets() == []
    answer = at.resume(run_id)
    assert (answer.status, states(answer)) == ("answered", [("create_ticket", "verified")])
    assert answer.run_id == run_id
    assert answer.usage.calls == 2
    assert answer.tools[0]["approval"]["by"] == "ann"
    assert len(service.tickets()) == 1
    run = at.run(run_id)
    assert (run.state, run.usage.calls) == ("completed", 2)
    with pytest.raises(RagqaError):
        at.resume(run_id)
    assert len(service.tickets()) == 1


@pytest.mark.parametrize("given", [None, [], ["find_ticket"]])
def test_without_its_tool_an_approved_call_goes_on_waiting(desk, service, given):
    at = desk(calls(CALL), DONE)
    run_id = at.ask().run_id
    at.decide(run_id, True)
    tools = given and iter([find_tool(service.url)])
    with pytest.raises(ConfigError, match="waits for create_ticket"):
        ragqa.resume(run_id, tools=tools, settings=at.settings)
    assert at.run(run_id).state == "requires_action"
    assert states(at.resume(run_id)) == [("create_ticket", "verified")]


def test_a_no_ends_as_failed_and_the_run_completes(desk, service):
    at = desk(calls(CALL), REFUSED)
    run_id = at.ask().run_id
    at.decide(run_id, False)
    answer = at.resume(run_id)
    assert states(answer) == [("create_ticket", "failed")]
    assert "refused" in answer.tools[0]["error"]
    assert answer.status == "answered"
    assert service.tickets() == []
    assert at.run(run_id).state == "completed"


def test_a_no_is_not_told_as_done(desk, service):
    at = desk(calls(CALL), DONE, DONE)
    run_id = at.ask().run_id
    at.decide(run_id, False)
    assert at.resume(run_id).status == "degraded"


def test_too_late_is_no(desk, service):
    at = desk(calls(CALL), REFUSED, approval_lifetime_s=0.05)
    run_id = at.ask().run_id
    threading.Event().wait(0.1)
    assert at.decide(run_id, True) == []
    answer = at.resume(run_id)
    assert states(answer) == [("create_ticket", "failed")]
    assert "time" in answer.tools[0]["error"]
    assert service.tickets() == []


def test_without_a_decision_it_goes_on_waiting(desk, service):
    at = desk(calls(CALL), DONE)
    run_id = at.ask().run_id
    assert at.resume(run_id).status == "waiting"
    at.decide(run_id, True)
    assert at.resume(run_id).status == "answered"
    assert len(service.tickets()) == 1
    assert len(at.server.chats) == 2


def test_others_of_the_turn_run_and_are_not_run_again(desk, service):
    both = calls(CALL, ("find_ticket", {"number": 7}))
    at = desk(both, DONE)
    answer = at.ask()
    assert [state for _, state in states(answer)] == ["waiting_for_approval", "failed"]
    at.decide(answer.run_id, True)
    answer = at.resume(answer.run_id)
    results = told(at.server.chats[1])
    assert [r["tool_call_id"] for r in results] == [
        call["id"] for call in at.server.chats[1]["messages"][2]["tool_calls"]
    ]
    assert answer.status == "answered"
    assert len(answer.tools) == 2


def test_passages_found_before_still_count(desk, service):
    first = calls(("search_documents", {"query": "return unopened items"}), CALL)
    last = acted(
        "I created the ticket. Unopened items can be returned within 30 days.",
        sources=["returns.md"],
        category="policy",
    )
    at = desk(first, last)
    answer = at.ask()
    assert answer.response.sources == []
    at.decide(answer.run_id, True)
    answer = at.resume(answer.run_id)
    assert (answer.status, answer.response.sources) == ("answered", ["returns.md"])
    assert [passage.title for passage in answer.passages] == ["returns.md"]


def test_of_two_who_resume_at_once_one_wins(desk, service):
    at = desk(calls(CALL), DONE)
    run_id = at.ask().run_id
    at.decide(run_id, True)

    def tried(_: int) -> Any:
        try:
            return at.resume(run_id).status
        except RagqaError as error:
            return type(error).__name__

    with ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(tried, range(4)))
    assert outcomes.count("answered") == 1
    assert len(service.tickets()) == 1


async def test_it_resumes_in_an_event_loop(desk, service):
    at = desk(calls(CALL), DONE)
    answer = await at.chain().ainvoke(WISH)
    assert answer.status == "waiting"
    at.decide(answer.run_id, True)
    answer = await ragqa.aresume(
        answer.run_id, tools=at.tools, policies=at.policies, settings=at.settings
    )
    assert (answer.status, len(service.tickets())) == ("answered", 1)


def test_who_asked_is_kept(desk, service):
    at = desk(calls(CALL), DONE, groups=("support",))
    asked = {"question": WISH, "principal": "bob", "groups": ("support",)}
    run_id = at.ask(asked).run_id
    at.decide(run_id, True)
    assert states(at.resume(run_id)) == [("create_ticket", "verified")]
    assert at.run(run_id).principal == "bob"


@pytest.mark.parametrize("run_id", ["run_nothing", ""])
def test_a_run_that_is_not_there(desk, run_id):
    at = desk(calls(CALL))
    at.ask()
    with pytest.raises(UnknownNameError, match="See which there are: ragqa runs"):
        at.resume(run_id)
    with pytest.raises(ConfigError, match="waits"):
        at.decide(run_id, True)


def test_deciding_twice_is_refused(desk):
    at = desk(calls(CALL))
    run_id = at.ask().run_id
    at.decide(run_id, False)
    with pytest.raises(ConfigError, match="before"):
        at.decide(run_id, True)


def test_without_a_policy_for_approvals_nothing_waits(desk, service):
    at = desk(calls(CALL), DONE, approval=False)
    assert at.ask().status == "answered"
    assert len(service.tickets()) == 1


class TestSessions:
    def test_of_two_runs_in_a_session_one_waits_for_the_other(self, desk, service):
        at = desk(approval=False)

        def turn(body: Any) -> Any:
            return Reply(acted("Hello.", confidence=0.4), delay_s=0.3)

        at.server._next = turn
        chain = at.chain()
        with ThreadPoolExecutor(2) as pool:
            answers = list(
                pool.map(lambda n: chain.invoke({"question": f"Hello {n}", "session": "s"}), "ab")
            )
        assert [answer.status for answer in answers] == ["answered"] * 2
        assert at.server.http.most_at_once == 1

    def test_a_run_that_waited_is_remembered_once_by_its_end(self, desk, service):
        at = desk(calls(CALL), DONE)
        answer = at.ask({"question": WISH, "session": "s"})
        assert answer.status == "waiting"
        at.decide(answer.run_id, True)
        answer = at.resume(answer.run_id)
        assert (answer.status, answer.session_id) == ("answered", "s")
        assert len(at.server.chats) == 2
        from ragqa.app.sessions import LateSessions

        turns = LateSessions(at.settings).recall("s", "local").turns
        assert [turn.question for turn in turns] == [WISH]
        assert "created the ticket" in turns[-1].answer

    async def test_after_a_cancelled_run_the_next_turn_goes_on(self, desk, service):
        service.faults(delay_before_s=0.5)
        at = desk(calls(CALL), acted("Hello again.", confidence=0.4), approval=False)
        chain = at.chain()
        asked = {"question": WISH, "session": "s"}
        task = asyncio.create_task(chain.ainvoke(asked))
        await asyncio.sleep(0.4)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        answer = await chain.ainvoke({"question": "Hello?", "session": "s"})
        assert answer.status == "answered"


TOOLS = """
    import os
    from tests.wire.ticket_tools import ticket_policy, ticket_tool

    def factory():
        url = os.environ["TICKETS"]
        return [ticket_tool(url)], {"create_ticket": ticket_policy(url, approval=True)}

    def without_approval():
        url = os.environ["TICKETS"]
        return [ticket_tool(url)], {"create_ticket": ticket_policy(url)}
"""
RESUME = """
    import sys
    import ragqa

    if __name__ == "__main__":
        print(ragqa.resume(sys.argv[2]).model_dump_json())
"""


def _until(there: Callable[[], bool], timeout_s: float = 30.0) -> None:
    give_up_s = time.monotonic() + timeout_s
    while not there():
        assert time.monotonic() < give_up_s, "it never came"
        time.sleep(0.05)


class TestCommandLine:
    """The same in processes of their own."""

    @pytest.fixture
    def ragqa_at(self, tmp_path, service) -> Any:
        (tmp_path / "our_tools.py").write_text(textwrap.dedent(TOOLS))
        docs = tmp_path / "docs"
        docs.mkdir()
        (docs / "returns.md").write_text("Unopened items can be returned within 30 days.\n")
        root = Path(__file__).parents[2]

        (tmp_path / "resume.py").write_text(textwrap.dedent(RESUME))

        def run(
            server: Any,
            *argv: str,
            tools: str = "our_tools:factory",
            wait: bool = True,
            as_lines: bool = False,
        ) -> Any:
            env = {
                "PATH": os.environ["PATH"],
                "PYTHONPATH": f"{root}{os.pathsep}{tmp_path}",
                "OPENAI_BASE_URL": server.base_url,
                "RAGQA_CHAT_MODEL": "m",
                "TICKETS": service.url,
                "HOME": str(tmp_path),
            } | ({"RAGQA_TOOLS": tools} if tools else {})
            program = ["resume.py"] if argv[0] == "resume" else ["-m", "ragqa"]
            process = subprocess.Popen(
                [sys.executable, *program, *argv],
                cwd=tmp_path,
                env=env,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            if not wait:
                return process
            out, err = process.communicate(timeout=60)
            if as_lines:
                return process.returncode, None, err, out.splitlines()
            shown = json.loads(out) if out.startswith("{") else out
            return process.returncode, shown, err

        return run

    @pytest.mark.parametrize(("word", "tickets"), [("approve", 1), ("refuse", 0)])
    def test_ask_then_decide_in_another_process(
        self, ragqa_at, openai_server, service, word, tickets
    ):
        server = openai_server(calls(CALL), DONE if tickets else REFUSED)
        code, answer, _ = ragqa_at(
            server, "ask", WISH, "--chain", "agent", "--docs", "docs", "--json"
        )
        assert (code, answer["status"], answer["reason"]) == (0, "waiting", "approval")
        code, shown, _ = ragqa_at(server, "runs", "show", answer["run_id"], "--json")
        assert code == 0
        assert shown["state"] == "requires_action"
        code, after, err = ragqa_at(server, "runs", word, answer["run_id"], "--json")
        assert (code, after["answer"]["status"], err) == (0, "answered", "")
        assert after["answer"]["run_id"] == answer["run_id"]
        assert len(service.tickets()) == tickets

    def test_without_tools_the_decision_is_kept_for_later(self, ragqa_at, openai_server, service):
        server = openai_server(calls(CALL), DONE)
        _, answer, _ = ragqa_at(server, "ask", WISH, "--chain", "agent", "--docs", "docs", "--json")
        code, _, err = ragqa_at(server, "runs", "approve", answer["run_id"], tools="")
        assert code == 0
        assert "ragqa.resume" in err
        assert service.tickets() == []
        code, _, err = ragqa_at(server, "runs", "approve", answer["run_id"])
        assert (code, "before" in err) == (2, True)

    def test_killed_in_the_middle_of_an_effect_it_goes_on_without_repeating_it(
        self, ragqa_at, openai_server, service, tmp_path
    ):
        service.faults(delay_after_s=30)
        server = openai_server(calls(CALL), DONE)
        plain = "our_tools:without_approval"
        command = ("ask", WISH, "--chain", "agent", "--docs", "docs", "--json")
        process = ragqa_at(server, *command, tools=plain, wait=False)
        _until(lambda: len(service.tickets()) == 1)
        process.kill()
        process.communicate(timeout=10)
        service.faults()
        code, run, _ = ragqa_at(server, "runs", "show", "last", "--json")
        assert (code, run["state"]) == (0, "incomplete")
        code, answer, err = ragqa_at(server, "resume", run["run_id"], tools=plain)
        assert (code, answer["status"], err) == (0, "answered", "")
        assert answer["tools"][0]["state"] == "verified"
        assert len(service.tickets()) == 1

    def test_a_limit_may_be_an_exit_code(self, ragqa_at, openai_server, tmp_path):
        (tmp_path / ".env").write_text("RAGQA_RAISE_DEGRADED=true\nRAGQA_MAX_MODEL_CALLS=2\n")
        server = openai_server(always=calls(("search_documents", {"query": "kettle"})))
        command = ("ask", WISH, "--chain", "agent", "--docs", "docs", "--json")
        code, shown, err = ragqa_at(server, *command, tools="")
        assert (code, shown) == (6, "")
        assert "RAGQA_MAX_MODEL_CALLS" in err

    def test_streams_are_lines_of_json(self, ragqa_at, openai_server):
        server = openai_server(
            calls(("search_documents", {"query": "return items"})),
            acted(
                "Unopened items can be returned within 30 days.",
                sources=["returns.md"],
                category="policy",
            ),
        )
        question = "How long can unopened items be returned?"
        command = ("ask", question, "--chain", "agent", "--docs", "docs", "--json", "--stream")
        code, _, _, lines = ragqa_at(server, *command, as_lines=True)
        events = [json.loads(line) for line in lines]
        assert code == 0
        text = "".join(event["text"] for event in events if event["event"] == "text")
        assert events[-1]["status"] == "answered"
        assert text == events[-1]["response"]["answer"]

    def test_tools_in_a_file_of_the_folder_do_not_count(self, ragqa_at, openai_server, tmp_path):
        (tmp_path / ".env").write_text("RAGQA_TOOLS=our_tools:factory\n")
        code, _, err = ragqa_at(openai_server(), "ask", WISH, "--chain", "agent", tools="")
        assert code == 2
        assert "RAGQA_TOOLS" in err

    @pytest.mark.parametrize("named", ["our_tools", "our_tools:nothing", "no_module:factory", ":"])
    def test_tools_that_are_not_there(self, ragqa_at, openai_server, named):
        code, shown, err = ragqa_at(
            openai_server(), "ask", WISH, "--chain", "agent", "--docs", "docs", tools=named
        )
        assert (code, shown) == (2, "")
        assert "RAGQA_TOOLS" in err
        assert "Traceback" not in err
