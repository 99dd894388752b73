"""Every way in which a service can fail becomes one of ragqa's errors, without secrets."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragqa.errors import (
    AuthError,
    ConfigError,
    ContentFilterError,
    ContextOverflowError,
    ProviderError,
    QuotaError,
    RagqaError,
    RateLimitError,
    RefusalError,
    TransportError,
    WrongEndpointError,
)
from ragqa.ports import ModelRequest
from ragqa.providers.chat import EndpointChatModel
from tests.wire.asked import plain, request
from tests.wire.conftest import MakeModel, StartServer
from tests.wire.openai_replies import Reply

KEY = "sk-proj-abcdefgh1234567890"
FIELD = Path(__file__).parents[3] / "shared/data/azure_wire/spec/errors_seen_on_the_wire.json"


def _complete(model: EndpointChatModel, asked: ModelRequest) -> Any:
    return model.complete(asked)


def _acomplete(model: EndpointChatModel, asked: ModelRequest) -> Any:
    return asyncio.run(model.acomplete(asked))


def _stream(model: EndpointChatModel, asked: ModelRequest) -> Any:
    return list(model.stream(asked))


def _astream(model: EndpointChatModel, asked: ModelRequest) -> Any:
    async def events() -> list[Any]:
        return [event async for event in model.astream(asked)]

    return asyncio.run(events())


ways = pytest.mark.parametrize("way", [_complete, _acomplete, _stream, _astream])
Way = Callable[[EndpointChatModel, ModelRequest], Any]


def _error(message: str, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", **more}}


CASES: list[tuple[int, Any, type[RagqaError]]] = [
    (401, _error(f"Incorrect API key provided: {KEY}.", code="invalid_api_key"), AuthError),
    (401, "<html>login</html>", AuthError),
    (403, _error("Country, region, or territory not supported"), AuthError),
    (404, _error("The model `m` does not exist", code="model_not_found"), AuthError),
    (404, _error('model "m" not found, try pulling it first'), AuthError),
    (404, {"error": {"code": "DeploymentNotFound", "message": "The deployment ..."}}, AuthError),
    (400, {"object": "error", "message": "Invalid model: m", "code": "1500"}, AuthError),
    (404, "<!DOCTYPE html><title>Not Found</title>", WrongEndpointError),
    (404, {"detail": "Not Found"}, WrongEndpointError),
    (404, _error("Invalid URL (POST /chat/completions)"), WrongEndpointError),
    (405, {"detail": "Method Not Allowed"}, WrongEndpointError),
    (429, _error("Slow down", code="rate_limit_exceeded"), RateLimitError),
    (429, _error("You exceeded your current quota", code="insufficient_quota"), QuotaError),
    (402, _error("Insufficient Balance"), QuotaError),
    (400, _error("too long", code="context_length_exceeded"), ContextOverflowError),
    (400, {"error": {"code": 400, "message": "the request exceeds the available context size",
                     "type": "exceed_context_size_error", "n_ctx": 256}}, ContextOverflowError),
    (413, "", ContextOverflowError),
    (400, _error("filtered", code="content_filter", param="prompt"), ContentFilterError),
    (400, _error("rejected by our safety system", code="content_policy_violation"),
     ContentFilterError),
    (500, _error("The server had an error"), TransportError),
    (502, "<html><h1>Bad Gateway</h1></html>", TransportError),
    (503, {"error": {"message": "overloaded"}}, TransportError),
    (529, {}, TransportError),
    (408, {}, TransportError),
    (400, _error("Something else is wrong"), ProviderError),
    (418, "short and stout", ProviderError),
    (400, [1, 2], ProviderError),
    (422, {"detail": [{"loc": ["body", "user"], "msg": "Field required"}]}, ProviderError),
]  # fmt: skip


@ways
@pytest.mark.parametrize("answered", [False, True], ids=["at first", "later"])
@pytest.mark.parametrize(("status", "body", "kind"), CASES)
def test_answers_with_an_error_status(
    openai_server: StartServer,
    model_at: MakeModel,
    way: Way,
    answered: bool,
    status: int,
    body: Any,
    kind: type[RagqaError],
) -> None:
    server = openai_server(always=Reply(status=status, body=body))
    model = model_at(server, api_key=KEY, max_retries=0)
    if answered:
        server.add("hello")
        _complete(model, plain())
    with pytest.raises(RagqaError) as raised:
        way(model, plain("The secret recipe of the house is nutmeg."))
    assert type(raised.value) is kind
    _says_no_secret(raised.value)


def _says_no_secret(error: BaseException) -> None:
    said = str(error) + repr(error)
    assert KEY not in said
    assert "nutmeg" not in said
    assert KEY not in "".join(traceback.format_exception(error))


def test_errors_name_the_setting(openai_server: StartServer, model_at: MakeModel) -> None:
    server = openai_server(key="right", models={"m"})
    with pytest.raises(AuthError, match="OPENAI_API_KEY"):
        model_at(server, api_key="sk-wrong-key-0123456789").complete(plain())
    with pytest.raises(AuthError, match="Set OPENAI_API_KEY"):
        model_at(server).complete(plain())
    with pytest.raises(AuthError, match=r"'gone'.*RAGQA_CHAT_MODEL"):
        model_at(server, api_key="right", model="gone").complete(plain())
    with pytest.raises(WrongEndpointError, match=r"OPENAI_BASE_URL .*/v1"):
        model_at(server.http.url, api_key="right").complete(plain())


def test_exit_codes_tell_settings_from_services() -> None:
    assert [kind.exit_code for kind in (AuthError, WrongEndpointError, TransportError)] == [3, 2, 3]
    assert issubclass(ContentFilterError, RefusalError)
    assert "content_filter" in ContentFilterError.code
    assert not QuotaError.retryable


def test_an_unknown_refusal_is_quoted_unless_it_repeats_the_prompt(
    openai_server: StartServer, model_at: MakeModel
) -> None:
    server = openai_server(
        Reply(status=400, body=_error("The flux is not aligned.")),
        Reply(status=400, body=_error("Not liked: 'The secret recipe of the house is nutmeg.'")),
        Reply(status=400, body=_error(f"Strange header: Bearer {KEY}")),
    )
    model = model_at(server, api_key=KEY)
    asked = plain("The secret recipe of the house is nutmeg.")
    said = []
    for _ in range(3):
        with pytest.raises(ProviderError) as raised:
            model.complete(asked)
        said.append(str(raised.value))
    assert "The flux is not aligned." in said[0]
    assert "nutmeg" not in said[1]
    assert KEY not in said[2]


@ways
def test_faults_with_the_status_of_a_reply(
    openai_server: StartServer, model_at: MakeModel, way: Way
) -> None:
    for body, kind in (
        (_error("x", code=429), RateLimitError),
        (_error("x", code=502), TransportError),
        (_error("x", code="context_length_exceeded"), ContextOverflowError),
    ):
        reply = Reply(chunks=[body]) if way in (_stream, _astream) else Reply(body=body)
        model = model_at(openai_server(always=reply), max_retries=0)
        with pytest.raises(kind):
            way(model, plain())


@ways
def test_nobody_listens(model_at: MakeModel, way: Way) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with pytest.raises(TransportError, match="OPENAI_BASE_URL"):
        way(model_at(url, max_retries=0), plain())


@ways
def test_no_such_host(model_at: MakeModel, way: Way) -> None:
    with pytest.raises(TransportError, match=r"nowhere\.invalid.*OPENAI_BASE_URL"):
        way(model_at("http://nowhere.invalid/v1", max_retries=0), plain())


@ways
@pytest.mark.parametrize("raw", [b"", b"garbage\r\n\r\n", b"HTTP/1.1 200 OK\r\ncontent-length: 9"])
def test_garbage_on_the_wire(
    openai_server: StartServer, model_at: MakeModel, way: Way, raw: bytes
) -> None:
    model = model_at(openai_server(always=Reply(raw=raw)), max_retries=0)
    with pytest.raises(TransportError):
        way(model, plain())


@ways
@pytest.mark.parametrize("reset", [False, True])
def test_a_whole_reply_that_breaks_off(
    openai_server: StartServer, model_at: MakeModel, way: Way, *, reset: bool
) -> None:
    model = model_at(openai_server(always=Reply("x", drop_after=1, reset=reset)), max_retries=0)
    with pytest.raises(TransportError):
        way(model, plain())


@pytest.mark.parametrize("way", [_stream, _astream])
@pytest.mark.parametrize(
    ("event", "kind"),
    [
        ({"error": {"message": "The engine is overloaded", "code": 503}}, TransportError),
        ({"error": {"message": "x", "code": "context_length_exceeded"}}, ContextOverflowError),
        ({"error": {"message": "x", "code": "content_filter"}}, ContentFilterError),
        ("data: {not json}\n\n", TransportError),
        ("data: [1]\n\n", TransportError),
        ("<html></html>\n\n", TransportError),
    ],
)
def test_an_error_inside_a_stream(
    openai_server: StartServer, model_at: MakeModel, way: Way, event: Any, kind: type[RagqaError]
) -> None:
    model = model_at(openai_server(always=Reply(chunks=[event])), max_retries=0)
    with pytest.raises(kind):
        way(model, plain())


@pytest.mark.parametrize("way", [_stream, _astream])
def test_a_filter_in_mid_stream_is_no_broken_transport(
    openai_server: StartServer, model_at: MakeModel, way: Way
) -> None:
    said = {"choices": [{"index": 0, "delta": {"content": "a"}}]}
    stop = {"error": {"message": "x", "code": "content_filter"}}
    model = model_at(openai_server(always=Reply(chunks=[said, stop])))
    with pytest.raises(ContentFilterError):
        way(model, plain())


@pytest.mark.skipif(not FIELD.is_file(), reason="the shared data is not here")
def test_the_filter_of_azure_as_seen_in_the_field(
    openai_server: StartServer, model_at: MakeModel
) -> None:
    seen = json.loads(FIELD.read_text("utf-8"))["aoai_400_prompt_filtered"]
    server = openai_server(Reply(status=seen["status"], body=seen["body"]))
    with pytest.raises(ContentFilterError):
        model_at(server).complete(request())


def test_a_redirect_is_not_followed(openai_server: StartServer, model_at: MakeModel) -> None:
    elsewhere = openai_server(always="Hello.")
    moved = Reply(status=307, headers={"location": f"{elsewhere.base_url}/chat/completions"})
    with pytest.raises(WrongEndpointError, match="redirects"):
        model_at(openai_server(moved), api_key=KEY).complete(plain())
    assert not elsewhere.requests


def test_keys_stay_where_they_belong(
    openai_server: StartServer, model_at: MakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = {
        "OPENAI_API_KEY": "sk-env-key",
        "OPENAI_ADMIN_KEY": "sk-admin-key",
        "OPENAI_ORG_ID": "org-secret",
        "OPENAI_PROJECT_ID": "proj-secret",
        "AZURE_OPENAI_API_KEY": "azure-secret",
        "OPENAI_API_BASE": "http://127.0.0.1:9/v1",
        "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
        "LANGSMITH_GATEWAY": "true",
        "LANGSMITH_API_KEY": "lsv2_secret",
        "HTTP_PROXY": "http://127.0.0.1:9",
        "http_proxy": "http://127.0.0.1:9",
        "ALL_PROXY": "http://127.0.0.1:9",
        "OPENAI_PROXY": "http://127.0.0.1:9",
    }
    for name, value in secrets.items():
        monkeypatch.setenv(name, value)
    server = openai_server("a", "b")
    model = model_at(server)
    assert model.complete(plain()).text == "a"
    assert asyncio.run(model.acomplete(plain())).text == "b"
    assert server.keys_seen == {"no-key"}
    sent = json.dumps([item.headers for item in server.requests])
    assert not [value for value in secrets.values() if value in sent]


def test_plain_http_is_warned_of_once(
    model_at: MakeModel, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "ragqa"):
        for _ in range(2):
            model_at("http://models.example.com/v1", api_key=KEY)
        model_at("http://models.example.org/v1")
        model_at("https://models.example.net/v1", api_key=KEY)
        model_at("http://127.0.0.1:1/v1", api_key=KEY)
    assert [record.getMessage().split(" is sent to ")[1][:18] for record in caplog.records] == [
        "models.example.com"
    ]
    assert KEY not in caplog.text


@pytest.mark.parametrize("key", ["sk-1\n2", "sk-密钥", "sk-\x00"])
def test_a_key_with_odd_characters_is_refused_before_any_request(
    model_at: MakeModel, key: str
) -> None:
    with pytest.raises(ConfigError, match="OPENAI_API_KEY") as raised:
        model_at("http://127.0.0.1:1/v1", api_key=key)
    assert key not in str(raised.value)


def test_a_pasted_key_is_stripped(openai_server: StartServer, model_at: MakeModel) -> None:
    server = openai_server("Hello.", key="right")
    assert model_at(server, api_key=" right\r\n").complete(plain()).text == "Hello."


def test_openai_itself_needs_a_key(model_at: MakeModel) -> None:
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        model_at("https://api.openai.com/v1")
    with pytest.raises(ConfigError, match="RAGQA_CHAT_MODEL"):
        model_at("http://127.0.0.1:1/v1", model="")


def test_the_key_is_not_shown(model_at: MakeModel) -> None:
    model = model_at("http://127.0.0.1:1/v1", api_key=KEY)
    shown = [repr(model), repr(vars(model)), repr(model.langchain), str(model.langchain.asdict())]
    assert KEY not in "".join(shown)
