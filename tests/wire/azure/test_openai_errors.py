"""What Azure OpenAI refuses becomes one of ragqa's errors, which names the setting."""

from __future__ import annotations

import json
import logging
import socket
import traceback
from pathlib import Path
from typing import Any

import pytest

import chains
from ragqa.contract import Passage
from ragqa.errors import (
    AuthError,
    ContentFilterError,
    ProviderError,
    QuotaError,
    RagqaError,
    RateLimitError,
    TransportError,
    WrongEndpointError,
)
from ragqa.ports import Parts
from ragqa.providers.abilities import MemoryAbilityStore
from ragqa.providers.azure import AzureResource, azure_chat_model
from tests.wire.asked import VALID, plain, request
from tests.wire.azure.azure_models import KEY, Way, chat, forms, vectors, ways
from tests.wire.azure.openai_bodies import prompt_filtered
from tests.wire.azure.openai_server import AzureOpenAIServer
from tests.wire.openai_replies import Reply

FIELD = Path(__file__).parents[4] / "shared/data/azure_wire/spec/errors_seen_on_the_wire.json"


def _error(message: str, code: Any = None, **more: Any) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, **more}}


CASES: list[tuple[int, Any, type[RagqaError], tuple[str, ...]]] = [
    (401, _error("Access denied due to invalid subscription key", "401"), AuthError,
     ("AZURE_OPENAI_API_KEY",)),
    (403, _error("Access denied due to Virtual Network/Firewall rules.", "AccessDenied"),
     AuthError, ("AZURE_OPENAI_API_KEY", "AZURE_OPENAI_CHAT_DEPLOYMENT")),
    (403, _error("Out of call volume quota. Quota will be replenished in 19:00.", "403"),
     QuotaError, ("AZURE_OPENAI_API_KEY",)),
    (404, _error("The API deployment for this resource does not exist.", "DeploymentNotFound"),
     AuthError, ("AZURE_OPENAI_CHAT_DEPLOYMENT",)),
    (404, _error("The model `gpt` does not exist", "model_not_found"), AuthError,
     ("AZURE_OPENAI_CHAT_DEPLOYMENT",)),
    (400, _error("The chatCompletion operation does not work with the specified model, "
                 "text-embedding-3-small.", "OperationNotSupported"), AuthError,
     ("AZURE_OPENAI_CHAT_DEPLOYMENT",)),
    (404, _error("Resource not found", "404"), WrongEndpointError,
     ("AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_API_VERSION")),
    (404, "<!DOCTYPE html><title>Not Found</title>", WrongEndpointError,
     ("AZURE_OPENAI_ENDPOINT",)),
    (400, _error("Unsupported API version", "UnsupportedApiVersion"), WrongEndpointError,
     ("AZURE_OPENAI_API_VERSION",)),
    (400, _error("Model o4-mini is enabled only for api versions 2024-12-01-preview and later",
                 "BadRequest"), WrongEndpointError, ("AZURE_OPENAI_API_VERSION",)),
    (429, _error("Requests to the ChatCompletions_Create Operation under Azure OpenAI API version "
                 "2024-10-21 have exceeded token rate limit of your current OpenAI S0 pricing "
                 "tier.", "429"), RateLimitError, ()),
    (429, _error("Exceeded rate limit", "RateLimitReached"), RateLimitError, ()),
    (500, _error("The server had an error", "InternalServerError"), TransportError, ()),
    (400, prompt_filtered(), ContentFilterError, ()),
    (400, prompt_filtered(plural=True), ContentFilterError, ()),
    (400, _error("The request is bad for this or that reason.", "BadRequest"), ProviderError, ()),
]  # fmt: skip


@ways
@pytest.mark.parametrize(("status", "body", "kind", "named"), CASES)
def test_each_refusal_has_its_error(
    way: Way, status: int, body: Any, kind: type[RagqaError], named: tuple[str, ...]
) -> None:
    with (
        AzureOpenAIServer(always=Reply(status=status, body=body), key=KEY) as server,
        pytest.raises(RagqaError) as caught,
    ):
        way(chat(server, max_retries=0), plain())
    assert type(caught.value) is kind
    for name in named:
        assert name in str(caught.value)
    assert " OPENAI_" not in f" {caught.value}"
    assert "RAGQA_CHAT_MODEL" not in str(caught.value)
    assert len(server.requests) == 1


@forms
@ways
def test_a_wrong_key_is_refused(form: str, way: Way) -> None:
    with (
        AzureOpenAIServer(always=VALID, key="another") as server,
        pytest.raises(AuthError, match="AZURE_OPENAI_API_KEY") as caught,
    ):
        way(chat(server, form), request())
    assert caught.value.exit_code == 3
    assert KEY not in "".join(traceback.format_exception(caught.value))
    assert len(server.requests) == 1


@forms
@ways
def test_a_deployment_that_is_not_there_is_named(form: str, way: Way) -> None:
    with (
        AzureOpenAIServer(always=VALID, key=KEY) as server,
        pytest.raises(AuthError, match="AZURE_OPENAI_CHAT_DEPLOYMENT") as caught,
    ):
        way(chat(server, form, "gone"), request())
    assert "deployment 'gone'" in str(caught.value)
    assert len(server.requests) == 1


@forms
def test_a_deployment_for_something_else_is_named(form: str) -> None:
    with AzureOpenAIServer(always=VALID, key=KEY) as server:
        with pytest.raises(AuthError, match="AZURE_OPENAI_CHAT_DEPLOYMENT"):
            chat(server, form, "embed").complete(request())
        with pytest.raises(AuthError, match="AZURE_OPENAI_EMBEDDING_DEPLOYMENT"):
            vectors(server, form, "gpt").embed_query("x")


@ways
def test_a_wrong_api_version_is_named(way: Way) -> None:
    with (
        AzureOpenAIServer(always=VALID, key=KEY) as server,
        pytest.raises(WrongEndpointError, match="AZURE_OPENAI_API_VERSION") as caught,
    ):
        way(chat(server, api_version="2031-01-01"), request())
    assert caught.value.exit_code == 2
    assert len(server.requests) == 1


@ways
def test_a_wrong_endpoint_is_named(way: Way) -> None:
    with AzureOpenAIServer(always=VALID, key=KEY) as server:
        at = AzureResource(f"{server.endpoint}/elsewhere", KEY)
        model = azure_chat_model(at, "gpt", abilities=MemoryAbilityStore(), timeout_s=10.0)
        with pytest.raises(WrongEndpointError, match="AZURE_OPENAI_ENDPOINT"):
            way(model, request())


@ways
def test_a_service_that_is_away_is_a_matter_of_transport(way: Way) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    at = AzureResource(f"http://127.0.0.1:{port}", KEY)
    model = azure_chat_model(
        at, "gpt", abilities=MemoryAbilityStore(), timeout_s=5.0, max_retries=0
    )
    with pytest.raises(TransportError, match="AZURE_OPENAI_ENDPOINT"):
        way(model, request())


def test_a_filter_that_speaks_up_in_a_stream_is_heard() -> None:
    events = [{"choices": [], "prompt_filter_results": []}, prompt_filtered()]
    with (
        AzureOpenAIServer([Reply(chunks=events)], key=KEY) as server,
        pytest.raises(ContentFilterError),
    ):
        list(chat(server).stream(request()))


@pytest.mark.parametrize("plural", [False, True])
@pytest.mark.parametrize("stream", [False, True])
def test_a_filtered_prompt_ends_the_ask_without_a_second_call(plural: bool, stream: bool) -> None:
    refusal = Reply(status=400, body=prompt_filtered(plural=plural))
    with AzureOpenAIServer(always=refusal, key=KEY) as server:
        answer = _answer(chat(server), stream=stream)
    assert (answer.status, answer.reason) == ("degraded", "content_filter")
    assert answer.response.needs_human is True
    assert len(server.requests) == 1


@pytest.mark.parametrize("stream", [False, True])
def test_a_filtered_answer_ends_the_ask_without_a_second_call(stream: bool) -> None:
    stopped = Reply('{"answer": "Unopened items', finish_reason="content_filter")
    with AzureOpenAIServer(always=stopped, key=KEY) as server:
        answer = _answer(chat(server), stream=stream)
    assert (answer.status, answer.reason) == ("degraded", "content_filter")
    assert len(server.requests) == 1


@pytest.mark.skipif(not FIELD.is_file(), reason="the shared data is not here")
def test_the_filter_body_from_the_field_is_understood_and_ours_has_its_keys() -> None:
    case = json.loads(FIELD.read_text("utf-8"))["aoai_400_prompt_filtered"]
    reply = Reply(status=case["status"], body=case["body"])
    with (
        AzureOpenAIServer(always=reply, key=KEY) as server,
        pytest.raises(ContentFilterError),
    ):
        chat(server).complete(request())
    ours, theirs = prompt_filtered()["error"], case["body"]["error"]
    assert ours.keys() == theirs.keys()
    results = "content_filter_result"
    assert ours["innererror"].keys() == theirs["innererror"].keys()
    assert ours["innererror"][results] == theirs["innererror"][results]


def test_an_echoed_key_or_prompt_is_not_shown(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    secret = "The launch is on the third of May."
    said = f"Cannot use {KEY} for: {secret}"
    with (
        AzureOpenAIServer(always=Reply(status=400, body=_error(said, "Bad")), key=KEY) as server,
        pytest.raises(ProviderError) as caught,
    ):
        chat(server).complete(plain(secret))
    shown = "".join(traceback.format_exception(caught.value)) + caplog.text
    assert KEY not in shown
    assert secret not in shown.replace(repr(secret), "")


PASSAGE = Passage(
    id="returns.md",
    title="returns.md",
    text="Unopened items can be returned within 30 days of delivery.",
    start=0,
    end=58,
    score=7.0,
)


class _Found:
    """A retriever that finds one passage."""

    def retrieve(self, query: Any, config: Any = None) -> tuple[Passage, ...]:
        return (PASSAGE,)

    async def aretrieve(self, query: Any, config: Any = None) -> tuple[Passage, ...]:
        return (PASSAGE,)

    def version(self) -> str:
        return "1"


def _answer(model: Any, *, stream: bool) -> Any:
    from ragqa import flow
    from ragqa.stages.begin import begin

    parts = Parts(retriever=_Found(), model=model)
    question = "How long can I return an unopened item?"
    if not stream:
        return chains.stuff.build(parts).invoke(question)
    turn = begin(parts, "stuff")({"question": question, "session": None, "groups": ()})
    return list(flow.stream(chains.stuff.pipeline(parts), turn))[-1]
