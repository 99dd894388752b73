"""Models of a local Azure OpenAI, and the ways to call them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from ragqa.ports import ModelReply, ModelRequest
from ragqa.providers.abilities import MemoryAbilityStore
from ragqa.providers.azure import AzureResource, azure_chat_model, azure_embeddings
from ragqa.providers.chat import EndpointChatModel
from ragqa.providers.embeddings import EndpointEmbeddings
from tests.wire.azure.openai_server import AzureOpenAIServer

KEY = "0123456789abcdef0123456789abcdef"
FORMS = ("deployment", "v1")


def resource(server: AzureOpenAIServer, form: str, **options: Any) -> AzureResource:
    """Return the server as a resource, in one of the two forms."""
    endpoint = server.v1 if form == "v1" else server.endpoint
    return AzureResource(endpoint, **{"api_key": KEY, **options})


def chat(
    server: AzureOpenAIServer, form: str = "deployment", deployment: str = "gpt", **options: Any
) -> EndpointChatModel:
    """Return a chat model of the server."""
    calling = {"timeout_s": 10.0, "max_retries": options.pop("max_retries", 2)}
    abilities = options.pop("abilities", None) or MemoryAbilityStore()
    at = resource(server, form, **options)
    return azure_chat_model(at, deployment, abilities=abilities, **calling)


def vectors(
    server: AzureOpenAIServer, form: str = "deployment", deployment: str = "embed", **options: Any
) -> EndpointEmbeddings:
    """Return embeddings of the server."""
    at = resource(server, form, **options)
    return azure_embeddings(at, deployment, abilities=MemoryAbilityStore(), timeout_s=10.0)


def _complete(model: EndpointChatModel, asked: ModelRequest) -> ModelReply:
    return model.complete(asked)


def _acomplete(model: EndpointChatModel, asked: ModelRequest) -> ModelReply:
    return asyncio.run(model.acomplete(asked))


def _stream(model: EndpointChatModel, asked: ModelRequest) -> ModelReply:
    return _last(list(model.stream(asked)))


def _astream(model: EndpointChatModel, asked: ModelRequest) -> ModelReply:
    async def events() -> list[str | ModelReply]:
        return [event async for event in model.astream(asked)]

    return _last(asyncio.run(events()))


def _last(events: list[str | ModelReply]) -> ModelReply:
    *pieces, reply = events
    assert isinstance(reply, ModelReply)
    assert "".join(str(piece) for piece in pieces) == reply.text
    return reply


Way = Callable[[EndpointChatModel, ModelRequest], ModelReply]
ways = pytest.mark.parametrize("way", [_complete, _acomplete, _stream, _astream])
forms = pytest.mark.parametrize("form", FORMS)
