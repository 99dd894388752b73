"""Local servers for tests over real HTTP, and the models that call them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from ragqa.providers.abilities import MemoryAbilityStore
from ragqa.providers.chat import EndpointChatModel
from ragqa.providers.openai import chat_model
from tests.wire.openai_server import OpenAIServer

StartServer = Callable[..., OpenAIServer]
MakeModel = Callable[..., EndpointChatModel]


@pytest.fixture
def openai_server() -> Iterator[StartServer]:
    """Start servers that speak OpenAI's protocol: ``openai_server("reply", key="k")``."""
    with ExitStack() as stack:

        def start(*script: Any, **options: Any) -> OpenAIServer:
            return stack.enter_context(OpenAIServer(list(script), **options))

        yield start


@pytest.fixture
def model_at() -> MakeModel:
    """Make a chat model that calls a local server; options are those of ``chat_model``."""

    def make(server: OpenAIServer | str, **options: Any) -> EndpointChatModel:
        url = server if isinstance(server, str) else server.base_url
        defaults = {"api_key": None, "model": "m", "timeout_s": 10.0}
        abilities = options.pop("abilities", None) or MemoryAbilityStore()
        return chat_model(base_url=url, abilities=abilities, **{**defaults, **options})

    return make
