"""The stuff chain over real HTTP: what is asked, how often, and what reaches the caller."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

import chains
from ragqa.contract import Answer, Passage
from ragqa.errors import AuthError
from ragqa.flow import Withdrawn
from ragqa.ports import Parts, Policy
from tests.wire.openai_replies import Reply

QUESTION = "How long can I return an unopened item?"
PASSAGES = (
    Passage(
        id="returns.md",
        title="returns.md",
        text="Returns\n\nUnopened items can be returned within 30 days of delivery.",
        start=0,
        end=66,
        score=7.0,
    ),
    Passage(
        id="shipping.md",
        title="shipping.md",
        text="Standard delivery takes 3 to 5 working days.",
        start=0,
        end=44,
        score=3.0,
    ),
)


class Found:
    """A retriever that finds what it holds."""

    def __init__(self, *passages: Passage) -> None:
        self.passages = passages

    def retrieve(self, query, config=None):
        return self.passages[: query.k]

    async def aretrieve(self, query, config=None):
        return self.retrieve(query, config)

    def version(self) -> str:
        return "1"


def reply(**changed: Any) -> str:
    good = {
        "answer": "Unopened items can be returned within 30 days of delivery.",
        "confidence": 0.9,
        "category": "policy",
        "sources": ["returns.md"],
        "follow_up": [],
        "needs_human": False,
    }
    return json.dumps({**good, **changed})


@pytest.fixture
def ask(openai_server, model_at) -> Callable[..., tuple[Answer, Any]]:
    """Ask the stuff chain, with scripted replies."""

    def run(*script: Any, passages=PASSAGES, server=None, model=None, **policy: Any):
        started = openai_server(*script, **(server or {}))
        parts = Parts(
            retriever=Found(*passages),
            model=model_at(started, **(model or {})),
            policy=Policy(**policy),
        )
        return chains.stuff.build(parts).invoke(QUESTION), started

    return run


def prompt_of(chat: Any) -> str:
    return "\n".join(message["content"] for message in chat["messages"])


def test_valid_at_once_is_one_call(ask):
    answer, server = ask(reply())
    assert answer.status == "answered"
    assert answer.response.answer.startswith("Unopened items")
    assert answer.usage.calls == len(server.chats) == 1
    assert [attempt.code for attempt in answer.attempts] == ["ok"]


def test_citations_are_verbatim_slices(ask):
    answer, _ = ask(reply())
    (citation,) = answer.citations
    text = PASSAGES[0].text
    assert text[citation.start : citation.end] == citation.quote
    assert "30 days" in citation.quote
    assert citation.verified


def test_a_reply_that_code_can_mend_costs_no_call(ask):
    answer, server = ask(f"Here you are:\n```json\n{reply()[:-1]},}}\n```")
    assert answer.status == "answered"
    assert answer.attempts[0].repairs
    assert len(server.chats) == 1


def test_a_format_fault_is_repaired_without_passages(ask):
    answer, server = ask(reply(confidence="92.5%"), reply())
    assert answer.status == "repaired"
    assert answer.usage.calls == 2
    first, second = server.chats
    assert "Unopened items" in prompt_of(first)
    assert "working days" not in prompt_of(second)
    assert QUESTION not in prompt_of(second)
    assert "92.5%" in prompt_of(second)
    assert "confidence" in prompt_of(second)
    assert second["temperature"] == 0
    assert second["max_tokens"] * 3 <= first["max_tokens"]


@pytest.mark.parametrize(
    "said", ["Half an emoji: \ud83d", reply(answer="Half: \ud83d"), '"\ud83d"']
)
def test_half_a_character_does_not_stop_the_repair(ask, said):
    answer, server = ask(said, reply())
    assert (answer.status, len(server.chats)) == ("repaired", 2)


def test_a_content_fault_is_repaired_with_the_passages_concerned(ask):
    answer, server = ask(reply(answer="Unopened items can be returned within 45 days."), reply())
    assert answer.status == "repaired"
    second = prompt_of(server.chats[1])
    assert "45" in second
    assert QUESTION in second
    assert "within 30 days of delivery" in second
    assert "working days" not in second


def test_an_unknown_source_is_named_and_the_allowed_ones_listed(ask):
    answer, server = ask(reply(sources=["returns.md", "warranty-terms.pdf"]), reply())
    assert answer.response.sources == ["returns.md"]
    second = prompt_of(server.chats[1])
    assert "warranty-terms.pdf" in second
    assert "shipping.md" in second


def test_garbage_twice_degrades_after_two_calls(ask):
    answer, server = ask("no idea", "still none")
    assert (answer.status, answer.reason) == ("degraded", "invalid_output")
    assert len(server.chats) == 2
    assert answer.response.needs_human
    assert answer.response.sources == []
    assert "no idea" not in answer.model_dump_json()


def test_raw_search_output_never_becomes_an_answer(ask):
    hits = json.dumps([{"@search.score": 3.1, "id": "r", "content": PASSAGES[0].text}])
    answer, server = ask(hits, reply(answer=hits[:150]))
    assert answer.status == "degraded"
    assert "@search" not in answer.response.answer
    assert len(server.chats) == 2


@pytest.mark.parametrize(
    ("scripted", "reason"),
    [
        (Reply("", finish_reason="content_filter"), "content_filter"),
        (Reply(None, refusal="I cannot help with that."), "refusal"),
    ],
)
def test_a_refusal_is_not_asked_again(ask, scripted, reason):
    answer, server = ask(scripted)
    assert (answer.status, answer.reason) == ("degraded", reason)
    assert len(server.chats) == 1


def test_a_cut_reply_is_not_completed_by_guessing(ask):
    cut = Reply(reply()[:40], finish_reason="length")
    answer, server = ask(cut, reply())
    assert answer.status == "repaired"
    assert answer.attempts[0].code == "text.truncated"
    assert QUESTION in prompt_of(server.chats[1])


def test_without_passages_no_model_is_called(ask):
    answer, server = ask(passages=())
    assert (answer.status, answer.reason) == ("abstained", "no_evidence")
    assert server.chats == []


def test_the_model_may_say_that_the_documents_do_not_hold_it(ask):
    answer, _ = ask(
        reply(answer="The documents do not say.", confidence=0.2, sources=[], needs_human=True)
    )
    assert (answer.status, answer.reason) == ("abstained", "no_evidence")


def test_a_server_that_is_away_degrades_quickly(ask, model_at):
    parts = Parts(
        retriever=Found(*PASSAGES), model=model_at("http://127.0.0.1:9/v1", max_retries=0)
    )
    answer = chains.stuff.build(parts).invoke(QUESTION)
    assert (answer.status, answer.reason) == ("degraded", "model_unavailable")
    assert answer.usage.calls == 0


def test_the_extractive_answer_stands_in_where_that_is_configured(model_at):
    parts = Parts(
        retriever=Found(*PASSAGES),
        model=model_at("http://127.0.0.1:9/v1", max_retries=0),
        policy=Policy(fallback="extractive"),
    )
    answer = chains.stuff.build(parts).invoke(QUESTION)
    assert (answer.status, answer.chain) == ("answered", "extractive")
    assert answer.reason == "model_unavailable"
    assert "30 days" in answer.response.answer


def test_a_second_model_answers_where_the_first_declines(openai_server, model_at):
    first, second = openai_server(Reply(None, refusal="No.")), openai_server(reply())
    parts = Parts(
        retriever=Found(*PASSAGES), model=model_at(first), fallback_model=model_at(second)
    )
    answer = chains.stuff.build(parts).invoke(QUESTION)
    assert answer.response.sources == ["returns.md"]
    assert (len(first.chats), len(second.chats)) == (1, 1)


def test_a_wrong_key_is_an_error_and_no_answer(ask):
    with pytest.raises(AuthError) as error:
        ask(reply(), server={"key": "right-key"}, model={"api_key": "wrong-key-123"})
    assert "wrong-key-123" not in str(error.value)


def test_the_deadline_of_the_ask_covers_every_call(ask):
    answer, server = ask(Reply("garbage", delay_s=0.6), Reply(reply(), delay_s=5.0), timeout_s=1.0)
    assert answer.status == "degraded"
    assert answer.timings_ms["total"] < 2500
    assert len(server.chats) <= 2


def streamed(parts: Parts, *, asynchronous: bool) -> list[Any]:
    chain = chains.stuff.build(parts)
    if not asynchronous:
        return list(chain.stream(QUESTION))

    async def collect() -> list[Any]:
        return [event async for event in chain.astream(QUESTION)]

    return asyncio.run(collect())


@pytest.mark.parametrize("asynchronous", [False, True])
class TestStreams:
    def parts(self, openai_server, model_at, *script: Any) -> Parts:
        return Parts(retriever=Found(*PASSAGES), model=model_at(openai_server(*script)))

    def test_pieces_join_to_the_answer(self, openai_server, model_at, asynchronous):
        parts = self.parts(openai_server, model_at, reply())
        *pieces, answer = streamed(parts, asynchronous=asynchronous)
        assert len(pieces) > 1
        assert "".join(pieces) == answer.response.answer

    def test_what_fails_is_withdrawn_and_replaced(self, openai_server, model_at, asynchronous):
        parts = self.parts(
            openai_server, model_at, reply(sources=["invented.md"], answer="Sixty."), reply()
        )
        *events, answer = streamed(parts, asynchronous=asynchronous)
        at = next(n for n, event in enumerate(events) if isinstance(event, Withdrawn))
        assert "".join(events[:at]) == "Sixty."
        assert "".join(events[at + 1 :]) == answer.response.answer
        assert answer.status == "repaired"

    def test_two_failures_end_with_the_preset(self, openai_server, model_at, asynchronous):
        parts = self.parts(
            openai_server, model_at, reply(sources=["a.md"]), reply(sources=["b.md"])
        )
        *events, answer = streamed(parts, asynchronous=asynchronous)
        last = max(n for n, event in enumerate(events) if isinstance(event, Withdrawn))
        assert "".join(events[last + 1 :]) == answer.response.answer
        assert answer.status == "degraded"

    def test_a_stream_that_breaks_off_is_no_answer(self, openai_server, model_at, asynchronous):
        parts = self.parts(openai_server, model_at, Reply(reply(), drop_after=6), reply())
        *events, answer = streamed(parts, asynchronous=asynchronous)
        assert answer.status in {"repaired", "answered"}
        assert any(isinstance(event, Withdrawn) for event in events)
        last = max(n for n, event in enumerate(events) if isinstance(event, Withdrawn))
        assert "".join(events[last + 1 :]) == answer.response.answer


def test_blocking_and_async_calls_take_turns_on_one_object(openai_server, model_at):
    parts = Parts(retriever=Found(*PASSAGES), model=model_at(openai_server(always=reply())))
    chain = chains.stuff.build(parts)
    answers = [
        chain.invoke(QUESTION),
        asyncio.run(chain.ainvoke(QUESTION)),
        chain.invoke(QUESTION),
        asyncio.run(chain.ainvoke(QUESTION)),
        *chain.batch([QUESTION, QUESTION]),
        *asyncio.run(chain.abatch([QUESTION] * 5)),
    ]
    assert [answer.status for answer in answers] == ["answered"] * 11


async def test_cancelling_an_ask_leaves_the_chain_usable(openai_server, model_at):
    server = openai_server(Reply(reply(), delay_s=30), reply())
    chain = chains.stuff.build(Parts(retriever=Found(*PASSAGES), model=model_at(server)))
    task = asyncio.create_task(chain.ainvoke(QUESTION))
    await asyncio.sleep(0.3)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await chain.ainvoke(QUESTION)).status == "answered"
