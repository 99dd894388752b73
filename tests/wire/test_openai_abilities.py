"""What an endpoint refuses is found out with the first real request, and remembered."""

from __future__ import annotations

import asyncio
import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from ragqa.errors import AuthError, ContextOverflowError, ProviderError
from ragqa.ports import ModelReply
from ragqa.providers.abilities import FileAbilityStore, MemoryAbilityStore
from ragqa.providers.forms import DEFAULT_ORDER
from tests.wire.asked import VALID, plain, request, streamed
from tests.wire.conftest import MakeModel, StartServer
from tests.wire.openai_replies import Reply

STYLES = ["openai", "fastapi", "vllm", "llama_cpp", "lm_studio"]
FEATURES = ["json_schema", "tools", "json_object", "temperature", "max_tokens", "stream_options"]


def _format_of(body: dict[str, Any]) -> str:
    if "tools" in body:
        return "tools"
    return str(body.get("response_format", {}).get("type"))


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(
    "refused", [set(some) for some in itertools.combinations(FEATURES, 2)] + [set(FEATURES)]
)
def test_whatever_is_refused_the_answer_comes(
    openai_server: StartServer, model_at: MakeModel, refused: set[str], style: str
) -> None:
    server = openai_server(VALID, VALID, refuse=refused, style=style)
    model = model_at(server)
    _, reply = streamed(model.stream(request()))
    assert (reply.text, reply.usage.calls) == (VALID, 1)
    tried = len(server.chats)
    _, again = streamed(model.stream(request()))
    assert again.text == VALID
    assert len(server.chats) == tried + 1  # it is remembered


def test_the_preferred_format_first(openai_server: StartServer, model_at: MakeModel) -> None:
    server = openai_server(VALID, refuse={"json_schema", "tools", "json_object"})
    model_at(server).complete(request())
    assert [_format_of(body) for body in server.chats] == [
        "json_schema",
        "tools",
        "json_object",
        "None",
    ]


@pytest.mark.parametrize("order", list(itertools.permutations(DEFAULT_ORDER)))
def test_the_order_is_configurable(
    openai_server: StartServer, model_at: MakeModel, order: tuple[Any, ...]
) -> None:
    server = openai_server(VALID, refuse={"json_schema", "tools", "json_object"})
    model_at(server, order=order).complete(request())
    names = {"json_schema": "json_schema", "function_calling": "tools", "json_mode": "json_object"}
    assert [_format_of(body) for body in server.chats] == [*(names[mode] for mode in order), "None"]


def test_json_mode_is_not_tried_where_no_message_says_json(
    openai_server: StartServer, model_at: MakeModel
) -> None:
    server = openai_server(VALID)
    model_at(server, order=("json_mode",)).complete(request("How long is the warranty?"))
    assert _format_of(server.chats[0]) == "None"


def test_the_limit_takes_its_other_name(openai_server: StartServer, model_at: MakeModel) -> None:
    server = openai_server(VALID, refuse={"max_tokens"})
    model_at(server).complete(request())
    assert server.chats[-1]["max_completion_tokens"] == 400


def test_a_refused_value_is_not_remembered(openai_server: StartServer, model_at: MakeModel) -> None:
    strict = {
        "error": "Input validation error: `temperature` must be strictly positive",
        "error_type": "validation",
    }
    server = openai_server(Reply(status=422, body=strict), "a", "b")
    model = model_at(server)
    assert model.complete(plain(temperature=0.0)).text == "a"
    assert model.complete(plain(temperature=0.7)).text == "b"
    assert [body.get("temperature") for body in server.chats] == [0.0, None, 0.7]


@pytest.mark.parametrize("refused", [{"json_schema"}, {"json_schema", "tools"}, set(FEATURES)])
def test_a_refusal_without_reason_is_taken_for_the_format(
    openai_server: StartServer, model_at: MakeModel, refused: set[str]
) -> None:
    server = openai_server(VALID, refuse=refused, style="nameless")
    assert model_at(server).complete(request()).text == VALID
    assert len(server.chats) <= 5


def test_a_bad_request_of_another_kind_is_not_tried_to_death(
    openai_server: StartServer, model_at: MakeModel
) -> None:
    abilities = MemoryAbilityStore()
    refusal = {"error": {"message": "messages[0].content is too spicy.", "code": 400}}
    server = openai_server(always=Reply(status=400, body=refusal))
    model = model_at(server, abilities=abilities)
    with pytest.raises(ProviderError, match="too spicy"):
        model.complete(request())
    assert len(server.chats) == 1


def test_nothing_is_learned_from_a_call_that_failed(
    openai_server: StartServer, model_at: MakeModel
) -> None:
    nameless = {"error": {"message": "Bad Request"}}
    server = openai_server(*[Reply(status=400, body=nameless)] * 5, VALID)
    model = model_at(server)
    with pytest.raises(ProviderError):
        model.complete(request())
    assert len(server.chats) == 5
    assert model.complete(request()).text == VALID
    assert _format_of(server.chats[-1]) == "json_schema"


def test_the_prompt_is_no_complaint(openai_server: StartServer, model_at: MakeModel) -> None:
    details = [{"loc": ["body", "messages"], "msg": "Field required", "input": "temperature tools"}]
    server = openai_server(always=Reply(status=422, body={"detail": details}))
    with pytest.raises(ProviderError):
        model_at(server).complete(request("What temperature do the tools stand?"))
    assert len(server.chats) == 1


def test_a_model_named_like_a_feature_is_still_missing(
    openai_server: StartServer, model_at: MakeModel
) -> None:
    server = openai_server(models={"other"})
    with pytest.raises(AuthError, match="my-tools-model"):
        model_at(server, model="my-tools-model").complete(request())


def test_a_long_prompt_is_no_complaint(openai_server: StartServer, model_at: MakeModel) -> None:
    server = openai_server(max_prompt_tokens=10)
    with pytest.raises(ContextOverflowError):
        model_at(server).complete(request())
    assert len(server.chats) == 1


def test_an_endpoint_that_ignores_the_format_still_works(
    openai_server: StartServer, model_at: MakeModel
) -> None:
    server = openai_server("The warranty is two years.")
    assert model_at(server).complete(request()).text == "The warranty is two years."


def test_what_was_learned_survives_the_process(
    openai_server: StartServer, model_at: MakeModel, tmp_path: Path
) -> None:
    home = tmp_path / ".ragqa"
    server = openai_server(*[VALID] * 3, refuse={"json_schema", "temperature"})
    model_at(server, abilities=FileAbilityStore(home)).complete(request())
    tried = len(server.chats)
    model_at(server, abilities=FileAbilityStore(home)).complete(request())
    assert len(server.chats) == tried + 1
    assert home.stat().st_mode & 0o777 == 0o700
    kept = json.loads((home / "abilities.json").read_text("utf-8"))
    assert [entry["refuses"] for entry in kept.values()] == [["json_schema", "temperature"]]


def test_models_are_told_apart(openai_server: StartServer, model_at: MakeModel) -> None:
    abilities = MemoryAbilityStore()
    server = openai_server(VALID, VALID, refuse={"temperature"})
    model_at(server, abilities=abilities, model="a").complete(request())
    model_at(server, abilities=abilities, model="b").complete(request())
    assert [(body["model"], "temperature" in body) for body in server.chats] == [
        ("a", True),
        ("a", False),
        ("b", True),
        ("b", False),
    ]


def test_loops_learn_alike(openai_server: StartServer, model_at: MakeModel) -> None:
    server = openai_server(*[VALID] * 20, refuse={"json_schema"})
    model = model_at(server)

    async def many() -> list[ModelReply]:
        return await asyncio.gather(*(model.acomplete(request()) for _ in range(10)))

    assert len(asyncio.run(many())) == 10
    tried = len(server.chats)
    asyncio.run(many())
    assert len(server.chats) == tried + 10
