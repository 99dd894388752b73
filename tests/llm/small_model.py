"""The chat model that the tests of this folder ask."""

from __future__ import annotations

from ragqa.providers.abilities import MemoryAbilityStore
from ragqa.providers.chat import EndpointChatModel
from ragqa.providers.forms import DEFAULT_ORDER, Mode
from ragqa.providers.openai import chat_model

TIMEOUT_S = 300.0


def small_model(base_url: str, order: tuple[Mode, ...] = DEFAULT_ORDER) -> EndpointChatModel:
    """Return the model at a server."""
    return chat_model(
        base_url=base_url,
        api_key=None,
        model="smollm2",
        timeout_s=TIMEOUT_S,
        abilities=MemoryAbilityStore(),
        order=order,
    )
