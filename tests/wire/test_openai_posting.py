"""Requests after the first are like it, whoever puts them together."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable

import pytest

from ragqa.errors import RagqaError, RateLimitError, TransportError
from ragqa.ports import ModelReply, ModelRequest
from ragqa.providers.chat import EndpointChatModel
from tests.wire.asked import VALID, plain, request
from tests.wire.conftest import MakeModel, StartServer
from tests.wire.openai_replies import Reply

Ask = Callable[[ModelRequest], ModelReply]


@pytest.fixture(params=["blocking", "async"])
def ask_of(request: pytest.FixtureRequest):
    """Return what asks a model, in one event loop where it is asked there."""
    if request.param == "blocking":
        yield lambda model: model.complete
        return
    with asyncio.Runner() as runner:
        yield lambda model: lambda asked: runner.run(model.acomplete(asked))


@pytest.fixture
def ask_at(ask_of: Callable[[EndpointChatModel], Ask], model_at: MakeModel):
    return lambda server, **options: ask_of(model_at(server, **options))


def test_every_request_has_the_same_head(openai_server: StartServer, ask_at) -> None:
    server = openai_server(always=VALID, key="sk-right")
    ask = ask_at(server, api_key="sk-right")
    for text in ("first", "第二个问题", "third"):
        assert ask(request(text)).text == VALID
    heads = [(each.path, {**each.headers, "content-length": ""}) for each in server.requests]
    assert heads == heads[:1] * 3
    said = [each.body["messages"][-1]["content"] for each in server.requests]
    assert said == ["first", "第二个问题", "third"]


def test_the_sdk_makes_the_first_request_alone(
    openai_server: StartServer, ask_at, caplog: pytest.LogCaptureFixture
) -> None:
    ask = ask_at(openai_server(always="hello"))
    with caplog.at_level(logging.DEBUG, logger="openai"):
        for _ in range(3):
            assert ask(plain()).text == "hello"
    sent = [each for each in caplog.messages if each.startswith("Sending HTTP Request")]
    assert len(sent) == 1


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (Reply(status=429, body={"error": {"message": "slow down"}}), RateLimitError),
        (Reply(status=503, body="<html>busy</html>"), TransportError),
        (Reply(status=200, body="{", headers={"content-type": "application/json"}), TransportError),
        (Reply(raw=b"nonsense\r\n\r\n"), TransportError),
        (Reply(VALID, delay_s=5), TransportError),
    ],
    ids=["429", "503", "broken json", "no http", "late"],
)
def test_a_fault_of_a_later_request_is_that_of_a_first(
    openai_server: StartServer, ask_at, reply: Reply, kind: type[RagqaError]
) -> None:
    errors = []
    for script in ([reply], [VALID, reply]):
        ask = ask_at(openai_server(*script), max_retries=0, timeout_s=0.5)
        if len(script) > 1:
            ask(request())
        with pytest.raises(RagqaError) as raised:
            ask(request())
        errors.append((type(raised.value), raised.value.message, raised.value.hint))
    first, later = errors
    assert first[0] is kind
    assert _without_port(later) == _without_port(first)


def _without_port(error: tuple[type, str, str]) -> list[str]:
    return [
        word for text in (error[1], error[2]) for word in text.split() if "127.0.0.1" not in word
    ]


def test_a_reply_that_is_not_called_json_is_read_all_the_same(
    openai_server: StartServer, ask_at
) -> None:
    message = {"role": "assistant", "content": "hello"}
    body = json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]})
    labelled = Reply(body=body, headers={"content-type": "text/plain"})
    ask = ask_at(openai_server(always=labelled))
    assert [ask(plain()).text for _ in range(2)] == ["hello", "hello"]


def test_cookies_go_back(openai_server: StartServer, ask_at) -> None:
    body = {"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]}
    first = Reply(body=body, headers={"set-cookie": "lane=7; Path=/"})
    server = openai_server(first, always=Reply("hi"))
    ask = ask_at(server)
    for _ in range(3):
        ask(plain())
    assert [each.headers.get("cookie") for each in server.requests] == [None, "lane=7", "lane=7"]


def test_a_request_in_another_form_has_the_head_too(openai_server: StartServer, ask_at) -> None:
    server = openai_server(always=VALID, refuse={"json_schema"})
    ask = ask_at(server)
    ask(request())
    ask(request())
    heads = [{**each.headers, "content-length": ""} for each in server.requests]
    assert heads == heads[:1] * 3
