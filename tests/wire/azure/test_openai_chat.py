"""Chat models and embeddings of Azure OpenAI over real HTTP, in both forms."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from ragqa.providers.abilities import MemoryAbilityStore
from ragqa.providers.azure import AzureResource, azure_chat_model
from tests.wire.asked import VALID, plain, request
from tests.wire.azure.azure_models import KEY, Way, chat, forms, vectors, ways
from tests.wire.azure.openai_bodies import Filters
from tests.wire.azure.openai_server import CHAT, AzureOpenAIServer
from tests.wire.openai_replies import Reply, embed

FOREIGN = {
    "OPENAI_API_KEY": "sk-foreign-0123456789abcdef",
    "OPENAI_ADMIN_KEY": "sk-admin-0123456789abcdef",
    "OPENAI_ORG_ID": "org-foreign",
    "OPENAI_ORGANIZATION": "org-foreign",
    "OPENAI_PROJECT_ID": "proj-foreign",
    "OPENAI_BASE_URL": "http://127.0.0.1:9/foreign",
    "OPENAI_API_BASE": "http://127.0.0.1:9/foreign",
    "OPENAI_PROXY": "http://127.0.0.1:9",
    "OPENAI_API_VERSION": "1999-01-01",
    "OPENAI_API_TYPE": "open_ai",
    "OPENAI_CUSTOM_HEADERS": "x-foreign: foreign\nAuthorization: Bearer foreign\napi-key: foreign",
    "AZURE_OPENAI_AD_TOKEN": "foreign-token",
    "AZURE_OPENAI_API_KEY": "foreign-azure-key",
    "AZURE_OPENAI_ENDPOINT": "http://127.0.0.1:9/foreign",
    "AZURE_OPENAI_API_VERSION": "1999-01-01",
}
"""What the SDK and LangChain read, or once read, from the environment."""

ALL_FILTERS = [
    Filters(),
    Filters(empty=True),
    Filters(prompt_key="prompt_annotations"),
    Filters(late=True),
]


@forms
@ways
def test_a_reply_comes_from_the_deployment(form: str, way: Way) -> None:
    with AzureOpenAIServer([VALID], key=KEY) as server:
        reply = way(chat(server, form), request())
    assert (reply.text, reply.finish_reason, reply.model) == (VALID, "stop", CHAT)
    assert reply.usage.prompt_tokens > 0
    assert len(server.requests) == 1
    expected = {
        "deployment": (
            "/openai/deployments/gpt/chat/completions?api-version=2024-10-21",
            "api-key",
        ),
        "v1": ("/openai/v1/chat/completions", "authorization"),
    }
    assert (server.requests[0].path, *server.secrets_seen[0]) == expected[form]
    assert server.chats[0]["model"] == "gpt"
    assert server.chats[0]["response_format"]["json_schema"]["strict"] is True


@forms
@ways
@pytest.mark.parametrize("filters", ALL_FILTERS)
def test_filter_results_do_not_disturb_a_reply(form: str, way: Way, filters: Filters) -> None:
    with AzureOpenAIServer([VALID], key=KEY, filters=filters) as server:
        reply = way(chat(server, form), request())
    assert (reply.text, reply.finish_reason, reply.model) == (VALID, "stop", CHAT)
    assert reply.usage.completion_tokens > 0


@forms
@ways
def test_nothing_of_the_environment_leaks_in(
    form: str, way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in FOREIGN.items():
        monkeypatch.setenv(name, value)
    with AzureOpenAIServer([VALID], key=KEY) as server:
        assert way(chat(server, form), request()).text == VALID
    assert server.keys_seen == {KEY}
    sent = str([(item.path, item.headers, item.body) for item in server.requests])
    assert "foreign" not in sent
    assert not {"openai-organization", "openai-project"} & server.requests[0].headers.keys()


@ways
@pytest.mark.parametrize(
    "choice",
    [
        {"index": 0, "finish_reason": "content_filter", "message": {"role": "assistant"}},
        {"index": 0, "finish_reason": "content_filter"},
        {"index": 0, "finish_reason": "content_filter", "message": {"content": None}},
        {"index": 0, "finish_reason": "content_filter", "content_filter_results": {},
         "message": {"role": "assistant", "content": "A part of"}},
    ],
)  # fmt: skip
def test_an_answer_that_the_filter_stopped_says_so(way: Way, choice: dict[str, Any]) -> None:
    whole = Reply(choices=[choice])
    delta = {key: value for key, value in choice.items() if key != "message"}
    streamed = Reply(
        chunks=[{"choices": [], "prompt_filter_results": []},
                {"choices": [{"index": 0, "delta": choice.get("message") or {}}]},
                {"choices": [{**delta, "delta": {}}]}]
    )  # fmt: skip
    with AzureOpenAIServer([whole if way.__name__.endswith("complete") else streamed]) as server:
        reply = way(chat(server), request())
    assert reply.finish_reason == "content_filter"
    assert reply.text == ((choice.get("message") or {}).get("content") or "")
    assert len(server.requests) == 1


def test_a_text_that_the_filter_stops_after_its_end_is_stopped() -> None:
    late = Filters(late=True, late_reason="content_filter")
    with AzureOpenAIServer([VALID, VALID], key=KEY, filters=late) as server:
        *_, reply = chat(server).stream(request())
        assert reply.finish_reason == "content_filter"

        async def last() -> Any:
            return [event async for event in chat(server).astream(request())][-1]

        assert asyncio.run(last()).finish_reason == "content_filter"


@pytest.mark.parametrize(
    ("version", "mode"),
    [
        ("2024-10-21", "json_schema"),
        ("2024-06-01", "tools"),
        ("2024-02-01", "tools"),
        ("2023-05-15", "none"),
    ],
)
@ways
def test_the_format_is_asked_for_as_the_api_version_takes_it(
    version: str, mode: str, way: Way
) -> None:
    abilities = MemoryAbilityStore()
    with AzureOpenAIServer(always=VALID, key=KEY) as server:
        model = chat(server, api_version=version, abilities=abilities)
        assert way(model, request()).text == VALID
        tried = len(server.requests)
        assert way(model, request()).text == VALID
    assert len(server.requests) == tried + 1  # what was learned is not tried again
    last = server.chats[-1]
    assert ("response_format" in last, "tools" in last) == {
        "json_schema": (True, False),
        "tools": (False, True),
        "none": (False, False),
    }[mode]


def test_another_api_version_is_tried_afresh() -> None:
    abilities = MemoryAbilityStore()
    with AzureOpenAIServer(always=VALID, key=KEY) as server:
        chat(server, api_version="2024-06-01", abilities=abilities).complete(request())
        before = len(server.requests)
        chat(server, api_version="2024-10-21", abilities=abilities).complete(request())
    assert len(server.requests) == before + 1
    assert "response_format" in server.chats[-1]


@pytest.mark.parametrize("refuse", [("max_tokens", "temperature"), ("json_schema", "tools")])
@forms
def test_what_a_deployment_refuses_is_left_out(form: str, refuse: tuple[str, ...]) -> None:
    with AzureOpenAIServer(always=VALID, key=KEY, refuse=refuse) as server:
        assert chat(server, form).complete(request()).text == VALID
    last = server.chats[-1]
    if "temperature" in refuse:
        assert "temperature" not in last
        assert last["max_completion_tokens"] == 400
    else:
        assert last["response_format"] == {"type": "json_object"}


@pytest.mark.parametrize("tail", ["", "/", "/openai", "/openai/", "/openai/v1", "/openai/v1/"])
def test_the_address_may_be_pasted_in_any_of_its_forms(tail: str) -> None:
    with AzureOpenAIServer(["Hello."], key=KEY) as server:
        at = AzureResource(server.http.url + tail, KEY)
        model = azure_chat_model(at, "gpt", abilities=MemoryAbilityStore(), timeout_s=10.0)
        assert model.complete(plain()).text == "Hello."


def test_names_hold_service_host_and_deployment() -> None:
    with AzureOpenAIServer(key=KEY) as server:
        host = server.http.url.removeprefix("http://")
        assert chat(server).name == f"azure({host}):gpt"
        assert vectors(server).name == f"{host}:embed"
        assert KEY not in repr(vars(chat(server)))


@forms
def test_embeddings_come_in_order(form: str) -> None:
    texts = ["kettle warranty", "delivery time", ""]
    with AzureOpenAIServer(key=KEY, dimension=32) as server:
        made = vectors(server, form)
        blocking = made.embed_documents(texts)
        waited = asyncio.run(made.aembed_documents(texts))
    assert blocking == waited
    assert blocking[1] == pytest.approx(embed("delivery time", 32), abs=1e-6)
    assert made.dimension == 32
    path = server.requests[0].path
    assert path.startswith("/openai/v1/" if form == "v1" else "/openai/deployments/embed/")


@ways
def test_a_busy_deployment_is_asked_again_when_it_says(way: Way) -> None:
    with AzureOpenAIServer([VALID, VALID], key=KEY, quota=1, retry_after_ms=80) as server:
        model = chat(server)
        way(model, request())
        assert way(model, request()).text == VALID
    refused, answered = server.requests[1:]
    assert refused.status == 429
    assert 0.08 <= answered.at_s - refused.at_s < 0.9  # the milliseconds count, not the second
