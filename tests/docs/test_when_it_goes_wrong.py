"""Every row of docs/when-it-goes-wrong.md happens as it says."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import ragqa
from ragqa.settings import Settings
from tests.docs.markdown import ROOT, table_rows
from tests.docs.terminal import Ran, environment, piped
from tests.wire.agent_play import QUESTION, RETURNS, acted, calls, final, search, states
from tests.wire.openai_replies import Reply
from tests.wire.openai_server import OpenAIServer
from tests.wire.ticket_service import TicketService
from tests.wire.ticket_tools import ticket_policy, ticket_tool

PAGE = ROOT / "docs" / "when-it-goes-wrong.md"
WISH = "Please create a ticket for the broken kettle."
TICKET = ("create_ticket", {"title": "Broken kettle"})
DONE = acted("I created the ticket for the broken kettle.")

covered: dict[str, str] = {}


def row(symptom: str) -> Any:
    """Mark a test as the one that reproduces a row."""

    def mark(test: Any) -> Any:
        covered[symptom] = test.__name__
        return test

    return mark


@dataclass
class Desk:
    """A folder with one document and a model that says what the test wants."""

    folder: Path
    server: OpenAIServer
    settings_: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        (self.folder / "docs").mkdir()
        (self.folder / "docs" / "returns.md").write_text(f"{RETURNS.text}\n", "utf-8")
        ragqa.index([str(self.folder / "docs")], settings=self.settings())

    def settings(self, **more: Any) -> Settings:
        given = {
            "home": str(self.folder / "state"),
            "openai_base_url": self.server.base_url,
            "chat_model": "m",
            **self.settings_,
            **more,
        }
        return Settings.load(cwd=self.folder, environ={}, **given)

    def ask(self, question: Any = QUESTION, *, chain: str = "stuff", **more: Any) -> ragqa.Answer:
        made = ragqa.chain(chain, settings=self.settings(**more.pop("settings", {})), **more)
        answer: ragqa.Answer = made.invoke(question)
        return answer

    def ragqa(self, command: str, **env: str) -> Ran:
        access = {"OPENAI_BASE_URL": self.server.base_url, "RAGQA_CHAT_MODEL": "m"}
        home = {"RAGQA_HOME": str(self.folder / "state"), "PYTHONPATH": str(ROOT)}
        return piped(
            f"python -m ragqa {command}", self.folder, environment(**{**access, **home, **env})
        )

    def last_run(self) -> Any:
        return json.loads(self.ragqa("runs show last --json").out)


@pytest.fixture
def desk(tmp_path):
    with OpenAIServer() as server:
        yield Desk(tmp_path, server)


@pytest.fixture
def service(tmp_path):
    with TicketService(tmp_path / "tickets.sqlite") as running:
        yield running


def with_tickets(service: TicketService, **policy: Any) -> dict[str, Any]:
    tools = [ticket_tool(service.url)]
    return {"tools": tools, "policies": {"create_ticket": ticket_policy(service.url, **policy)}}


def codes(answer: ragqa.Answer) -> list[str]:
    return [attempt.code for attempt in answer.attempts]


def checked(desk: Desk, raw: str, *options: str) -> Any:
    (desk.folder / "reply.txt").write_text(raw, "utf-8")
    ran = desk.ragqa(f"check --json {' '.join(options)} < reply.txt")
    return json.loads(ran.out)


@row("Raw JSON or search rows where an answer should be")
def test_raw_json(desk):
    rows = json.dumps([{"@search.score": 3.1, "content": RETURNS.text}])
    desk.server.add(final(rows), rows)
    answer = desk.ask()
    assert answer.status == "degraded"
    assert RETURNS.text not in answer.response.answer
    assert codes(answer)[0] in {"rules.search_dump", "rules.json_answer"}
    assert desk.last_run()["stage"] == "instructions ignored"


@row("A tool was called, its result is not in the answer")
def test_tool_result_not_used(desk):
    desk.server.add(search(), final("It is 90 days."), final("It is 90 days."))
    answer = desk.ask(chain="agent")
    assert answer.status == "degraded"
    assert "instructions ignored" in desk.ragqa("runs show last").out


@row("The answer holds what no document says")
def test_beyond_the_documents(desk):
    desk.server.add(final("You have 90 days."), final(sources=["faq.md"]))
    answer = desk.ask()
    assert answer.status == "degraded"
    assert codes(answer) == ["context.figure", "context.unknown_source"]
    assert "instructions ignored" in desk.ragqa("runs show last").out


@row("Sometimes JSON, sometimes prose")
def test_sometimes_prose(desk):
    desk.server.add(final(), "You have 30 days.", final())
    assert desk.ask("How long can I return it?").status == "answered"
    assert desk.ask().status == "repaired"
    ran = desk.ragqa("runs stats --since 7d")
    assert ran.code == 0
    assert "repaired" in ran.out


@row("Hits that have nothing to do with the question")
def test_irrelevant_hits(desk):
    ran = desk.ragqa('search "opening hours of the museum" --json')
    assert ran.code == 0
    assert "museum" not in ran.out.replace("opening hours of the museum", "")
    desk.server.add(final("We open at nine.", sources=[]), final("We open at nine.", sources=[]))
    answer = desk.ask("What are the opening hours of the museum?")
    assert answer.status in {"abstained", "degraded"}
    assert "irrelevant retrieval" in desk.ragqa("runs show last").out


@row("JSON that does not parse")
def test_broken_json(desk):
    assert checked(desk, '{"answer": "30 days", "confidence": 0.9, x}')["code"] == "syntax.invalid"
    cut = checked(desk, final()[:40], "--finish-reason length")
    assert cut["code"] == "text.truncated"


@row('Wrong types: `"92%"` for a number')
def test_wrong_types(desk):
    assert checked(desk, final(confidence="92%"))["code"] == "schema.type"


@row("Fields that vanish")
def test_vanished_fields(desk):
    assert checked(desk, final(ticket="T-1"))["code"] == "schema.extra"
    fields = json.loads(final())
    del fields["sources"]
    assert checked(desk, json.dumps(fields))["code"] == "schema.missing"

    class TicketResponse(ragqa.QAResponse):
        ticket: str | None = None

    desk.server.add(final(ticket="T-1"))
    dumped = desk.ask(schema=TicketResponse).model_dump(mode="json")
    assert dumped["response"]["ticket"] == "T-1"


@row("The format is lost in a long talk")
def test_long_talk(desk):
    for number in range(8):
        desk.server.add(final(), final(), final())
        desk.ask({"question": f"{QUESTION} Case {number}?", "session": "s"})
    asked = [chat for chat in desk.server.chats if "needs_human" in json.dumps(chat["messages"])]
    assert len(asked) >= 8
    assert all("needs_human" in chat["messages"][-1]["content"] for chat in asked)


@row("Retries cost too much")
def test_costly_retries(desk):
    desk.server.add("no", "no", "no", "no")
    answer = desk.ask()
    assert (answer.status, answer.usage.calls) == ("degraded", 2)
    budget = desk.ask(f"{QUESTION} Really?", settings={"run_budget_tokens": 600})
    assert (budget.reason, budget.usage.calls) == ("budget", 1) or budget.usage.calls == 0


@row("A run that waits for an approval is gone")
def test_expired_run(desk, service):
    import time

    desk.server.add(calls(TICKET), acted("The ticket was not made.", confidence=0.5))
    tools = with_tickets(service, approval=True, approval_lifetime_s=0.3)
    waiting = desk.ask(WISH, chain="agent", **tools)
    assert waiting.status == "waiting"
    time.sleep(0.5)
    answer = ragqa.resume(waiting.run_id, settings=desk.settings(), **tools)
    assert states(answer) == [("create_ticket", "failed")]
    assert "in time" in answer.tools[0]["error"]
    assert service.tickets() == []


@row("401 or 403")
def test_wrong_key(desk):
    desk.server.key = "right"
    ran = desk.ragqa(f'ask "{QUESTION}"', OPENAI_API_KEY="wrong")
    assert ran.code == 3
    assert "OPENAI_API_KEY" in ran.err
    assert "wrong" not in ran.err


@row("404")
def test_not_found(desk):
    desk.server.models = ["other"]
    ran = desk.ragqa(f'ask "{QUESTION}"')
    assert ran.code in {2, 3}
    assert "RAGQA_CHAT_MODEL" in ran.err


@row("429")
def test_rate_limit(desk):
    desk.server.add(*(Reply(status=429, body={"error": {"message": "slow"}}) for _ in range(6)))
    answer = desk.ask(settings={"timeout_s": 3})
    assert (answer.status, answer.reason) in {
        ("degraded", "model_unavailable"),
        ("degraded", "limit"),
    }
    assert "model unavailable" in desk.ragqa("runs show last").out


@row("500, time-outs, no connection")
def test_away(desk):
    desk.server.add(*(Reply(status=500, body={"error": {"message": "x"}}) for _ in range(6)))
    answer = desk.ask(settings={"fallback": "extractive", "timeout_s": 10})
    assert answer.reason == "model_unavailable"
    assert answer.response.sources == ["returns.md"]


@row("The tool is not called")
def test_no_tool_call(desk):
    desk.server.add(final(sources=[], confidence=0.9), final(sources=[], confidence=0.9))
    assert desk.ask(chain="agent").status == "degraded"
    assert "no tool call" in desk.ragqa("runs show last").out


@row("Wrong arguments")
def test_wrong_arguments(desk, service):
    desk.server.add(calls(("create_ticket", {"title": 7})), acted("It failed.", confidence=0.4))
    answer = desk.ask(WISH, chain="agent", **with_tickets(service))
    assert states(answer) == [("create_ticket", "failed")]
    assert "title" in answer.tools[0]["error"]
    assert service.tickets() == []


@row('"Done", and nothing was done')
def test_done_without_a_record(desk, service):
    claimed = acted("I created the ticket for the broken kettle.", confidence=0.4)
    desk.server.add(claimed, claimed)
    answer = desk.ask(WISH, chain="agent", **with_tickets(service))
    assert answer.status == "degraded"
    assert "context.unproven_claim" in codes(answer)
    assert "created" not in answer.response.answer


@row("Done or not? A tool took too long")
def test_unknown_then_verified(desk, service):
    service.delay_s = 1.0
    desk.server.add(calls(TICKET), DONE)
    answer = desk.ask(WISH, chain="agent", **with_tickets(service, timeout_s=0.4))
    assert states(answer) == [("create_ticket", "verified")]
    assert len(service.tickets()) == 1


def test_every_row_is_reproduced():
    symptoms = [cells[0] for cells in table_rows(PAGE, "| symptom |")]
    assert sorted(covered) == sorted(symptoms)
