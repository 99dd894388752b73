"""The local Azure OpenAI itself: as strict as the service, and its replies have the same keys."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest
import yaml

from tests.wire.azure.azure_models import KEY
from tests.wire.azure.openai_bodies import (
    Filters,
    azure_chunks,
    azure_completion,
    azure_response,
)
from tests.wire.azure.openai_server import (
    DEPLOYMENT_SCOPE,
    V1_SCOPE,
    AzureOpenAIServer,
)
from tests.wire.openai_replies import Reply

WIRE = Path(__file__).parents[4] / "shared/data/azure_wire"
ASKED: dict[str, Any] = {"model": "gpt", "messages": [{"role": "user", "content": "Say hello."}]}
CHAT_AT = "/openai/deployments/gpt/chat/completions?api-version=2024-10-21"
needs_data = pytest.mark.skipif(not WIRE.is_dir(), reason="the shared data is not here")


def _post(
    server: AzureOpenAIServer, path: str, body: Any, **headers: str
) -> tuple[int, dict[str, Any]]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    data = json.dumps(body).encode()
    request = urllib.request.Request(server.http.url + path, data=data, headers=named)
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def _paths(value: Any, path: str = "") -> Iterator[str]:
    """Yield where keys stand in a body, lists taken as one."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield f"{path}.{key}"
            yield from _paths(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from _paths(inner, f"{path}[]")


def _recorded(name: str) -> Any:
    file = WIRE / "recorded" / name
    response = yaml.safe_load(file.read_text("utf-8"))["interactions"][0]["response"]
    return response.get("parsed_body") or json.loads(response["body"]["string"])


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        (CHAT_AT, 200, None),
        (CHAT_AT.partition("?")[0], 404, "404"),
        (CHAT_AT.replace("2024-10-21", "2019-01-01"), 404, "404"),
        (f"{CHAT_AT}&unknown=1", 404, "404"),
        (CHAT_AT.replace("/gpt/", "/gone/"), 404, "DeploymentNotFound"),
        (CHAT_AT.replace("/gpt/", "/embed/"), 400, "OperationNotSupported"),
        (CHAT_AT.replace("/openai/", "/"), 404, "404"),
        ("/openai/v1/chat/completions", 200, None),
        ("/openai/v1/chat/completions?api-version=preview", 200, None),
        ("/openai/v1/chat/completions?api-version=2024-10-21", 400, "BadRequest"),
        ("/v1/chat/completions", 404, "404"),
    ],
)
def test_paths_and_versions_are_checked(path: str, status: int, code: str | None) -> None:
    with AzureOpenAIServer(always="Hello.", key=KEY) as server:
        got, body = _post(server, path, ASKED, api_key=KEY)
    assert (got, body.get("error", {}).get("code")) == (status, code)


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        (CHAT_AT, {"api_key": KEY}, 200),
        (CHAT_AT, {"authorization": f"Bearer {KEY}"}, 401),
        (CHAT_AT, {"authorization": "Bearer of-deployments"}, 200),
        (CHAT_AT, {"authorization": "Bearer of-v1"}, 401),
        (CHAT_AT, {"api_key": "of-deployments"}, 401),
        (CHAT_AT, {}, 401),
        ("/openai/v1/chat/completions", {"api_key": KEY}, 200),
        ("/openai/v1/chat/completions", {"authorization": f"Bearer {KEY}"}, 200),
        ("/openai/v1/chat/completions", {"authorization": "Bearer of-v1"}, 200),
        ("/openai/v1/chat/completions", {"authorization": "Bearer of-deployments"}, 401),
        ("/openai/v1/chat/completions", {"authorization": "Bearer unknown"}, 401),
        ("/openai/v1/chat/completions", {}, 401),
    ],
)
def test_keys_and_tokens_are_checked(path: str, headers: dict[str, str], status: int) -> None:
    tokens = {"of-deployments": DEPLOYMENT_SCOPE, "of-v1": V1_SCOPE}
    with AzureOpenAIServer(always="Hello.", key=KEY, tokens=tokens) as server:
        assert _post(server, path, ASKED, **headers)[0] == status
    assert KEY not in str(server.requests)


@pytest.mark.parametrize(
    ("version", "more", "status"),
    [
        ("2024-10-21", {"response_format": {"type": "json_object"}}, 400),  # no message says JSON
        ("2024-10-21", {"temperature": 3}, 400),
        ("2024-10-21", {"unknown": 1}, 400),
        ("2024-10-21", {"stream_options": {"include_usage": True}}, 400),  # without stream
        ("2024-10-21", {"seed": 1}, 200),
        ("2023-05-15", {"tools": []}, 400),
        ("2024-06-01", {"response_format": {"type": "json_schema"}}, 400),
    ],
)
def test_bodies_are_checked(version: str, more: dict[str, Any], status: int) -> None:
    with AzureOpenAIServer(always="Hello.", key=KEY) as server:
        path = CHAT_AT.replace("2024-10-21", version)
        assert _post(server, path, ASKED | more, api_key=KEY)[0] == status


def test_a_strict_schema_with_a_keyword_that_azure_does_not_know_is_refused() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string", "maxLength": 3}},
        "required": ["a"],
        "additionalProperties": False,
    }
    described = {"name": "r", "strict": True, "schema": schema}
    wanted = {"response_format": {"type": "json_schema", "json_schema": described}}
    with AzureOpenAIServer(always="Hello.", key=KEY) as server:
        status, body = _post(server, CHAT_AT, ASKED | wanted, api_key=KEY)
    assert status == 400
    assert "maxLength" in body["error"]["message"]


def test_the_sdk_understands_it() -> None:
    with AzureOpenAIServer(always="Hello.", key=KEY) as server:
        with openai.AzureOpenAI(
            azure_endpoint=server.endpoint, api_key=KEY, api_version="2024-10-21", max_retries=0
        ) as client:
            whole = client.chat.completions.create(**ASKED)
            chunks = list(client.chat.completions.create(**ASKED, stream=True))
            vector = client.embeddings.create(model="embed", input="x").data[0].embedding
        with openai.OpenAI(base_url=server.v1, api_key=KEY, max_retries=0) as client:
            answer = client.responses.create(model="gpt", input=[{"role": "user", "content": "x"}])
    assert whole.choices[0].message.content == "Hello."
    assert chunks[0].choices == []
    assert "".join(c.choices[0].delta.content or "" for c in chunks if c.choices) == "Hello."
    assert (len(vector), answer.output_text) == (64, "Hello.")


@needs_data
@pytest.mark.parametrize(
    ("name", "filters", "newer"),
    [
        ("aoai_chat_completions_2024-12-01-preview.yaml", Filters(), {"annotations"}),
        ("aoai_langchain_agent.yaml", Filters(empty=True), set()),
    ],
)
def test_replies_have_the_keys_of_recorded_ones(
    name: str, filters: Filters, newer: set[str]
) -> None:
    ours = set(_paths(azure_completion(Reply("Hello."), ASKED, filters)))
    theirs = set(_paths(_recorded(name)))
    assert theirs - ours == set()
    assert {path.rpartition(".")[2] for path in ours - theirs} == newer


@needs_data
def test_a_response_has_the_keys_of_a_recorded_one() -> None:
    asked = {"model": "gpt", "input": [{"role": "user", "content": "x"}]}
    ours = azure_response(Reply("Paris"), asked, Filters())
    assert set(_paths(ours)) == set(_paths(_recorded("aoai_responses_gpt-5.4.yaml")))


@needs_data
def test_chunks_have_the_keys_of_those_seen_in_the_field() -> None:
    seen = json.loads((WIRE / "spec/aoai_stream_chunks_seen.json").read_text("utf-8"))
    usual = next(azure_chunks(Reply("Hello."), ASKED, Filters()))
    first = seen["first_chunk_has_no_choices"]["chunk"]
    assert set(_paths(usual)) == set(_paths(first))
    older = next(azure_chunks(Reply("Hello."), ASKED, Filters(prompt_key="prompt_annotations")))
    theirs = seen["older_api_version_names_it_prompt_annotations"]["chunk"]
    assert "prompt_annotations" in theirs.keys() & older.keys()
    *_, ending, late = azure_chunks(Reply("Hello."), ASKED, Filters(late=True))
    stop, after = seen["asynchronous_filter_chunks_without_delta_even_after_stop"]["order"]
    assert set(_paths(stop)) == set(_paths(ending))
    assert late.keys() == after.keys()
    assert late["choices"][0].keys() == after["choices"][0].keys()


@needs_data
def test_the_example_of_the_specification_is_taken_and_answered_with_its_keys() -> None:
    spec = json.loads((WIRE / "spec/aoai_chat_completions_2024-10-21.json").read_text("utf-8"))
    version = spec["parameters"]["api-version"]
    path = f"/openai/deployments/gpt/chat/completions?api-version={version}"
    with AzureOpenAIServer(always="Ahoy!", key=KEY) as server:
        status, body = _post(server, path, spec["parameters"]["body"], api_key=KEY)
    assert status == 200
    assert set(_paths(spec["responses"]["200"]["body"])) <= set(_paths(body))
