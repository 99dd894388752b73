"""What every ChatModel does, whatever is behind it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest

from ragqa.contract import QAResponse
from ragqa.errors import ProviderError
from ragqa.ports import ChatModel, Message, ModelReply, ModelRequest
from ragqa.providers.abilities import MemoryAbilityStore
from ragqa.providers.openai import chat_model
from tests.wire.asked import VALID, plain, request, streamed
from tests.wire.openai_replies import Reply
from tests.wire.openai_server import OpenAIServer


@dataclass
class Case:
    """A model, and how to tell what is behind it what to reply."""

    model: ChatModel
    script: Callable[..., None]
    hung_up: Callable[[], int]


def _openai(**options: Any) -> Callable[[], Iterator[Case]]:
    def start() -> Iterator[Case]:
        with OpenAIServer() as server:
            model = chat_model(
                base_url=server.base_url,
                api_key="sk-not-a-secret",
                model="m",
                timeout_s=10,
                abilities=MemoryAbilityStore(),
                **options,
            )
            yield Case(model, server.add, lambda: server.http.disconnects)

    return start


IMPLEMENTATIONS = {
    "openai, JSON schema": _openai(),
    "openai, function calling": _openai(order=("function_calling",)),
    "openai, JSON mode": _openai(order=("json_mode",)),
    "openai, no format": _openai(order=()),
}


@pytest.fixture(params=IMPLEMENTATIONS)
def case(request: pytest.FixtureRequest) -> Iterator[Case]:
    yield from IMPLEMENTATIONS[request.param]()


def _complete(model: ChatModel, asked: ModelRequest) -> ModelReply:
    return model.complete(asked)


def _acomplete(model: ChatModel, asked: ModelRequest) -> ModelReply:
    return asyncio.run(model.acomplete(asked))


def _stream(model: ChatModel, asked: ModelRequest) -> ModelReply:
    pieces, reply = streamed(model.stream(asked))
    assert "".join(pieces) == reply.text
    return reply


def _astream(model: ChatModel, asked: ModelRequest) -> ModelReply:
    async def events() -> list[str | ModelReply]:
        return [event async for event in model.astream(asked)]

    pieces, reply = streamed(asyncio.run(events()))
    assert "".join(pieces) == reply.text
    return reply


WAYS = [_complete, _acomplete, _stream, _astream]
Way = Callable[[ChatModel, ModelRequest], ModelReply]


@pytest.mark.parametrize("way", WAYS)
def test_the_reply_is_whole(case: Case, way: Way) -> None:
    case.script(VALID)
    reply = way(case.model, request())
    assert (reply.text, reply.finish_reason, reply.refusal) == (VALID, "stop", None)
    assert reply.usage.calls == 1
    assert reply.usage.prompt_tokens > 0
    assert reply.usage.completion_tokens > 0
    assert reply.model == "m"


@pytest.mark.parametrize("way", WAYS)
def test_plain_text_needs_no_format(case: Case, way: Way) -> None:
    case.script("Hello.")
    assert way(case.model, plain()).text == "Hello."


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("reason", ["length", "content_filter"])
def test_the_finish_reason_is_kept_with_the_text(case: Case, way: Way, reason: str) -> None:
    case.script(Reply('{"answer": "The war', finish_reason=reason))
    reply = way(case.model, request())
    assert (reply.text, reply.finish_reason) == ('{"answer": "The war', reason)


@pytest.mark.parametrize("way", WAYS)
def test_a_refusal_is_no_text(case: Case, way: Way) -> None:
    case.script(Reply(refusal="I cannot help with that."))
    reply = way(case.model, request())
    assert (reply.text, reply.refusal) == ("", "I cannot help with that.")


@pytest.mark.parametrize("way", [_stream, _astream])
def test_a_stream_that_breaks_off_has_no_finish_reason(case: Case, way: Way) -> None:
    case.script(Reply(VALID, drop_after=8))
    reply = way(case.model, request())
    assert reply.finish_reason is None
    assert reply.text
    assert VALID.startswith(reply.text)


@pytest.mark.parametrize("way", WAYS)
def test_every_failure_is_a_provider_error(case: Case, way: Way) -> None:
    case.script(Reply(status=400, body={"error": {"message": "No such thing.", "param": "seed"}}))
    with pytest.raises(ProviderError):
        way(case.model, request())


@pytest.mark.parametrize("way", WAYS)
def test_text_of_any_script_survives(case: Case, way: Way) -> None:
    text = '{"answer": "保修期为两年。\\n{name} %s <script> 🫖"}'
    case.script(text)
    asked = ModelRequest((Message("user", "JSON: 保修 {x} %s"),), schema=QAResponse)
    assert way(case.model, asked).text == text


def test_one_object_serves_threads_and_loops(case: Case) -> None:
    case.script(*["Hello."] * 8)
    assert case.model.complete(plain()).text == "Hello."
    assert _acomplete(case.model, plain()).text == "Hello."
    assert _acomplete(case.model, plain()).text == "Hello."
    assert case.model.complete(plain()).text == "Hello."
    with ThreadPoolExecutor(2) as pool:
        blocking = pool.submit(_complete, case.model, plain())
        looping = pool.submit(_astream, case.model, plain())
        assert blocking.result().text == looping.result().text == "Hello."


def test_closing_a_stream_hangs_up(case: Case) -> None:
    case.script(Reply("word " * 400, piece_delay_s=0.02))
    events = case.model.stream(plain())
    next(events)
    events.close()
    for _ in range(100):
        if case.hung_up():
            break
        asyncio.run(asyncio.sleep(0.02))
    assert case.hung_up() == 1


def test_the_name_tells_the_model_and_no_key(case: Case) -> None:
    assert "m" in case.model.name
    assert "sk-" not in case.model.name
