"""The local server itself: as strict as the real one, and its replies have the same keys."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_type_hints

import openai
import pytest
import yaml
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.chat.completion_create_params import CompletionCreateParamsBase
from openai.types.create_embedding_response import CreateEmbeddingResponse
from openai.types.embedding_create_params import EmbeddingCreateParams

from tests.wire.conftest import StartServer
from tests.wire.openai_replies import Reply, chunks, completion
from tests.wire.openai_rules import CHAT_KEYS, EMBEDDING_KEYS
from tests.wire.openai_server import OpenAIServer

ROOT = Path(__file__).parents[2]
RECORDED = ROOT.parent / "shared/data/azure_wire/recorded"
SPEC = ROOT.parent / "shared/data/azure_wire/spec"
AZURE_ONLY = {"content_filter_results", "prompt_filter_results"}

ASKED: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "Say hello."}]}


def _post(server: OpenAIServer, body: Any, path: str = "/chat/completions") -> tuple[int, Any]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(server.base_url + path, data=data)
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def _tool(name: str = "f", **function: Any) -> dict[str, Any]:
    nothing = {"type": "object", "properties": {}}
    return {"type": "function", "function": {"name": name, "parameters": nothing, **function}}


def _strict(**schema: Any) -> dict[str, Any]:
    described = {"name": "r", "strict": True, "schema": schema}
    return {"response_format": {"type": "json_schema", "json_schema": described}}


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
USER = ASKED["messages"][0]
CALLING = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "x"}

WRONG: list[tuple[Any, str | None]] = [
    (b"{", None),
    ([], None),
    ({"messages": []}, None),
    ({"model": "m"}, "messages"),
    ({"model": "m", "messages": []}, "messages"),
    ({**ASKED, "frobnicate": 1}, "frobnicate"),
    ({**ASKED, "temperature": "0.2"}, "temperature"),
    ({**ASKED, "temperature": 2.5}, "temperature"),
    ({**ASKED, "max_tokens": 0}, "max_tokens"),
    ({**ASKED, "max_tokens": 1.5}, "max_tokens"),
    ({**ASKED, "max_tokens": 5, "max_completion_tokens": 5}, "max_tokens"),
    ({**ASKED, "stream": "yes"}, "stream"),
    ({**ASKED, "stream_options": {"include_usage": True}}, "stream_options"),
    ({**ASKED, "messages": [{"role": "robot", "content": "x"}]}, "messages[0].role"),
    ({**ASKED, "messages": [{"role": "user", "content": None}]}, "messages[0].content"),
    ({**ASKED, "messages": [{**USER, "run_id": "1"}]}, "messages[0].run_id"),
    ({**ASKED, "messages": [USER, RESULT]}, "messages[1].role"),
    ({**ASKED, "messages": [USER, CALLING]}, "messages"),
    ({**ASKED, "messages": [USER, CALLING, USER]}, "messages"),
    ({**ASKED, "tool_choice": "auto"}, "tool_choice"),
    ({**ASKED, "tools": [_tool("bad name")]}, "tools[0].function.name"),
    ({**ASKED, "tools": [_tool()], "tool_choice": _tool("g")}, "tool_choice"),
    ({**ASKED, "tools": [_tool(strict=True)]}, "tools[0].function.parameters"),
    ({**ASKED, "response_format": {"type": "object"}}, "response_format.type"),
    ({**ASKED, "response_format": {"type": "json_object"}}, "messages"),
    ({**ASKED, "response_format": {"type": "json_schema"}}, "response_format.json_schema.name"),
    ({**ASKED, **_strict(type="array", items={"type": "string"})}, "response_format"),
    ({**ASKED, **_strict(type="object", properties={})}, "response_format"),
    ({**ASKED, **_strict(**{**_object(a={"type": "string"}), "required": []})}, "response_format"),
    ({**ASKED, **_strict(**_object(a={}))}, "response_format"),
    ({**ASKED, **_strict(**_object(a={"type": "string", "maxLength": 3}))}, "response_format"),
    ({**ASKED, **_strict(**_object(a={"type": "string", "default": ""}))}, "response_format"),
    ({**ASKED, **_strict(**_object(a={"$ref": "#/$defs/X"}))}, "response_format"),
    ({**ASKED, **_strict(**_object(a=_object(b={"format": "date"})))}, "response_format"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "param"), WRONG)
def test_what_the_real_service_refuses(
    openai_server: StartServer, body: Any, param: str | None
) -> None:
    server = openai_server(always="Hello.")
    status, answer = _post(server, body)
    assert status == 400
    assert answer["error"].keys() == {"message", "type", "param", "code"}
    assert answer["error"]["param"] == param
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"temperature": 0, "max_completion_tokens": 5, "seed": 1, "user": "u"},
        {"messages": [USER, CALLING, RESULT], "tools": [_tool()]},
        _strict(**_object(a={"type": ["string", "null"]}, b={"anyOf": [_object()]})),
        {"response_format": {"type": "json_object"},
         "messages": [{"role": "system", "content": "Reply in JSON."}]},
    ],
)  # fmt: skip
def test_what_it_takes(openai_server: StartServer, more: dict[str, Any]) -> None:
    status, answer = _post(openai_server("Hello."), {**ASKED, **more})
    assert status == 200
    assert answer["choices"][0]["message"]["content"] == "Hello."


def test_known_keys_are_those_of_the_sdk() -> None:
    assert get_type_hints(CompletionCreateParamsBase).keys() - CHAT_KEYS == set()
    assert CHAT_KEYS - get_type_hints(CompletionCreateParamsBase).keys() == {"stream"}
    assert get_type_hints(EmbeddingCreateParams).keys() == EMBEDDING_KEYS


def test_replies_fit_the_types_of_the_sdk(openai_server: StartServer) -> None:
    server = openai_server("Hello.", Reply("Hello.", tool_calls=(("f", "{}"),)))
    asked = {**ASKED, "stream_options": {"include_usage": True}}
    whole = ChatCompletion.model_validate(completion(Reply("Hello."), ASKED), strict=True)
    assert whole.choices[0].message.content == "Hello."
    sent = chunks(Reply("Hello.", tool_calls=(("f", "{}"),)), asked)
    read = [ChatCompletionChunk.model_validate(chunk, strict=True) for chunk in sent]
    assert read[-1].usage is not None
    _, vectors = _post(server, {"model": "e", "input": ["a", "b"]}, "/embeddings")
    assert len(CreateEmbeddingResponse.model_validate(vectors).data) == 2


def test_the_sdk_itself_can_talk_to_it(openai_server: StartServer) -> None:
    server = openai_server("Hello.", "Hello.", key="k")
    with openai.OpenAI(base_url=server.base_url, api_key="k", max_retries=0) as client:
        whole = client.chat.completions.create(**ASKED)
        assert whole.choices[0].message.content == "Hello."
        pieces = [*client.chat.completions.create(**ASKED, stream=True)]
        assert "".join(p.choices[0].delta.content or "" for p in pieces) == "Hello."
        assert len(client.embeddings.create(model="e", input="x").data[0].embedding) == 64
        assert [model.id for model in client.models.list()] == ["m"]


def _paths(value: Any, path: str = "") -> Iterator[str]:
    """Yield where keys stand in a body, lists taken as one."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in AZURE_ONLY:
                yield f"{path}.{key}"
                yield from _paths(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from _paths(inner, f"{path}[]")


@pytest.mark.skipif(not RECORDED.is_dir(), reason="the shared data is not here")
@pytest.mark.parametrize(
    "name", ["aoai_chat_completions_2024-12-01-preview.yaml", "aoai_langchain_agent.yaml"]
)
def test_replies_have_the_keys_of_recorded_ones(name: str) -> None:
    response = yaml.safe_load((RECORDED / name).read_text("utf-8"))["interactions"][0]["response"]
    body = response.get("parsed_body") or json.loads(response["body"]["string"])
    ours = set(_paths(completion(Reply("Hello."), ASKED)))
    assert set(_paths(body)) - ours == set()
    newer = {".service_tier", ".choices[].message.annotations"}
    assert ours - set(_paths(body)) <= newer  # the recordings are from 2025


@pytest.mark.skipif(not SPEC.is_dir(), reason="the shared data is not here")
def test_replies_have_the_keys_of_the_published_example() -> None:
    spec = json.loads((SPEC / "aoai_chat_completions_2024-10-21.json").read_text("utf-8"))
    published = spec["responses"]["200"]["body"]
    assert set(_paths(published)) <= set(_paths(completion(Reply("x"), ASKED)))


def test_the_end_of_the_script_is_loud(openai_server: StartServer) -> None:
    server = openai_server("one")
    assert _post(server, ASKED)[0] == 200
    status, answer = _post(server, ASKED)
    assert (status, answer["error"]["code"]) == (400, "script_used_up")


def test_keys_are_not_recorded(openai_server: StartServer) -> None:
    server = openai_server("Hello.", key="sk-right")
    headers = {"authorization": "Bearer sk-right"}
    data = json.dumps(ASKED).encode()
    request = urllib.request.Request(f"{server.base_url}/chat/completions", data, headers)
    with urllib.request.urlopen(request, timeout=10):
        pass
    assert "sk-right" not in repr(server.requests)
    assert server.keys_seen == {"sk-right"}


def test_sockets_are_counted(openai_server: StartServer) -> None:
    server = openai_server()
    with socket.create_connection(("127.0.0.1", server.http.port)) as connection:
        connection.sendall(b"GET /v1/models HTTP/1.1\r\n\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 200")
        assert server.open_sockets == 1


def test_it_runs_from_the_command_line(tmp_path: Path) -> None:
    script = tmp_path / "script.jsonl"
    script.write_text('"Hello."\n{"text": "Bye.", "finish_reason": "length"}\n', "utf-8")
    command = [sys.executable, "-m", "tests.wire.openai_server", "--script", str(script)]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True, env={**os.environ}
    ) as process:
        assert process.stdout is not None
        base_url = json.loads(process.stdout.readline())["base_url"]
        with openai.OpenAI(base_url=base_url, api_key="k", max_retries=0) as client:
            said = [client.chat.completions.create(**ASKED).choices[0] for _ in range(2)]
        process.communicate(timeout=10)
    assert [choice.message.content for choice in said] == ["Hello.", "Bye."]
    assert (said[1].finish_reason, process.returncode) == ("length", 0)
