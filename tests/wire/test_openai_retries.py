"""Transport faults are retried a bounded number of times, within the deadline of the call."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from ragqa import waiting
from ragqa.errors import ProviderError, QuotaError, RateLimitError, TransportError
from ragqa.ports import ModelReply, ModelRequest
from ragqa.providers.chat import EndpointChatModel
from tests.wire.asked import VALID, plain, request, streamed
from tests.wire.conftest import MakeModel, StartServer
from tests.wire.http_wire import Exchange, HttpServer
from tests.wire.openai_replies import Reply


def _complete(model: EndpointChatModel, asked: ModelRequest) -> ModelReply:
    return model.complete(asked)


def _acomplete(model: EndpointChatModel, asked: ModelRequest) -> ModelReply:
    return asyncio.run(model.acomplete(asked))


def _stream(model: EndpointChatModel, asked: ModelRequest) -> ModelReply:
    return streamed(model.stream(asked))[1]


def _astream(model: EndpointChatModel, asked: ModelRequest) -> ModelReply:
    async def events() -> list[Any]:
        return [event async for event in model.astream(asked)]

    return streamed(asyncio.run(events()))[1]


ways = pytest.mark.parametrize("way", [_complete, _acomplete, _stream, _astream])
Way = Callable[[EndpointChatModel, ModelRequest], ModelReply]


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "FIRST_WAIT_S", 0.01)


FAULTS = [
    Reply(status=429, body={}, headers={"retry-after": "0"}),
    Reply(status=503, body="<html>busy</html>", headers={"retry-after-ms": "1"}),
    Reply(status=500, body={}),
    Reply(raw=b""),
    Reply("x", drop_after=0),
]


@ways
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_that_passes_is_not_noticed(
    openai_server: StartServer, model_at: MakeModel, way: Way, fault: Reply
) -> None:
    server = openai_server(fault, fault, VALID)
    reply = way(model_at(server), request())
    assert (reply.text, reply.usage.calls) == (VALID, 1)
    assert len({str(body) for body in server.chats}) == 1  # the same request each time


@ways
def test_retries_are_bounded(openai_server: StartServer, model_at: MakeModel, way: Way) -> None:
    server = openai_server(always=Reply(status=503, body={}, headers={"retry-after": "0"}))
    with pytest.raises(TransportError):
        way(model_at(server, max_retries=3), plain())
    assert len(server.chats) == 4


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_what_will_not_pass_is_not_retried(
    openai_server: StartServer, model_at: MakeModel, status: int
) -> None:
    server = openai_server(always=Reply(status=status, body={"error": {"message": "No."}}))
    with pytest.raises(ProviderError):
        model_at(server).complete(plain())
    assert len(server.chats) == 1


def test_an_empty_account_is_not_retried(openai_server: StartServer, model_at: MakeModel) -> None:
    said = {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}
    server = openai_server(always=Reply(status=429, body=said))
    with pytest.raises(QuotaError):
        model_at(server).complete(plain())
    assert len(server.chats) == 1


def test_the_service_may_forbid_it(openai_server: StartServer, model_at: MakeModel) -> None:
    server = openai_server(always=Reply(status=500, body={}, headers={"x-should-retry": "false"}))
    with pytest.raises(TransportError):
        model_at(server).complete(plain())
    assert len(server.chats) == 1


@ways
def test_retry_after_is_honoured(openai_server: StartServer, model_at: MakeModel, way: Way) -> None:
    server = openai_server("x", "y", quota=1, retry_after="1")
    model = model_at(server)
    way(model, plain())
    started_s = time.monotonic()
    assert way(model, plain()).text == "y"
    assert 1.0 <= time.monotonic() - started_s < 3.0


def test_a_date_is_honoured(openai_server: StartServer, model_at: MakeModel) -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
    server = openai_server(Reply(status=503, body={}, headers={"retry-after": later}), "x")
    started_s = time.monotonic()
    model_at(server).complete(plain())
    assert time.monotonic() - started_s >= 0.9  # dates have whole seconds


@ways
def test_a_wait_beyond_the_deadline_is_not_waited(
    openai_server: StartServer, model_at: MakeModel, way: Way
) -> None:
    server = openai_server(always=Reply(status=429, body={}, headers={"retry-after": "60"}))
    started_s = time.monotonic()
    with pytest.raises(RateLimitError) as raised:
        way(model_at(server), plain(timeout_s=2.0))
    assert time.monotonic() - started_s < 1.0
    assert raised.value.retry_after_s == 60


@ways
def test_the_deadline_ends_the_wait_for_a_reply(
    openai_server: StartServer, model_at: MakeModel, way: Way
) -> None:
    server = openai_server(always=Reply("x", delay_s=30))
    started_s = time.monotonic()
    with pytest.raises(TransportError, match="RAGQA_TIMEOUT_S"):
        way(model_at(server), plain(timeout_s=0.5))
    assert time.monotonic() - started_s < 1.5
    assert len(server.chats) == 1


@pytest.mark.parametrize("way", [_stream, _astream])
def test_the_deadline_ends_a_stream_with_what_came(
    openai_server: StartServer, model_at: MakeModel, way: Way
) -> None:
    server = openai_server(always=Reply("word " * 2000, piece_delay_s=0.05))
    started_s = time.monotonic()
    reply = way(model_at(server), plain(timeout_s=0.5))
    assert time.monotonic() - started_s < 1.5
    assert reply.finish_reason is None
    assert reply.text.startswith("word")


@pytest.mark.parametrize("way", [_stream, _astream])
def test_comments_that_keep_a_stream_open_do_not_count_as_life(
    openai_server: StartServer, model_at: MakeModel, way: Way
) -> None:
    comments = Reply(chunks=[": still here\n\n"] * 2000, piece_delay_s=0.05)
    started_s = time.monotonic()
    with pytest.raises(TransportError):
        way(model_at(openai_server(always=comments)), plain(timeout_s=0.5))
    assert time.monotonic() - started_s < 1.5


@pytest.mark.parametrize("way", [_complete, _acomplete])
def test_blanks_that_keep_a_body_open_do_not_count_as_life(
    openai_server: StartServer, model_at: MakeModel, way: Way
) -> None:
    server = openai_server(always=Reply(drip=True, piece_delay_s=0.05))
    started_s = time.monotonic()
    with pytest.raises(TransportError):
        way(model_at(server), plain(timeout_s=0.6))
    assert time.monotonic() - started_s < 1.5


@pytest.mark.parametrize("way", [_complete, _acomplete, _stream, _astream])
@pytest.mark.parametrize(
    "drop", [b"HTTP/1.1 102 Processing\r\n\r\n", b"x"], ids=["interim responses", "a long header"]
)
def test_a_head_that_comes_in_drops_does_not_count_as_life(
    model_at: MakeModel, way: Way, drop: bytes
) -> None:
    async def handle(exchange: Exchange) -> None:
        exchange.raw(b"HTTP/1.1 200 OK\r\nx-drops: " if drop == b"x" else b"")
        while True:  # until the client hangs up
            exchange.raw(drop)
            await asyncio.sleep(0.05)

    with HttpServer(handle) as server:
        started_s = time.monotonic()
        with pytest.raises(TransportError):
            way(model_at(f"{server.url}/v1"), plain(timeout_s=0.6))
        assert time.monotonic() - started_s < 1.5


def test_the_models_own_timeout_counts_where_the_request_has_none(
    openai_server: StartServer, model_at: MakeModel
) -> None:
    server = openai_server(always=Reply("x", delay_s=30))
    started_s = time.monotonic()
    with pytest.raises(TransportError):
        model_at(server, timeout_s=0.4).complete(plain())
    assert time.monotonic() - started_s < 1.5


def test_a_refused_form_takes_from_the_same_deadline(
    openai_server: StartServer, model_at: MakeModel
) -> None:
    refuse = {
        "error": {"message": "'response_format' is not supported", "param": "response_format"}
    }
    slow = Reply(status=400, body=refuse, delay_s=0.4)
    server = openai_server(always=slow)
    started_s = time.monotonic()
    with pytest.raises(TransportError):
        model_at(server).complete(request(timeout_s=0.6))
    assert time.monotonic() - started_s < 1.2
