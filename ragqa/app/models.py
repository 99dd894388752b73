"""Chat and embedding models, made from the settings; keys leave the settings here alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ragqa.app.home import made_home
from ragqa.app.priced import priced
from ragqa.errors import ConfigError
from ragqa.settings import Settings
from ragqa.settings.resolve import (
    OPENAI_URL,
    check_key_target,
    has_embeddings,
    provider_of,
)

if TYPE_CHECKING:
    from ragqa.ports import ChatModel
    from ragqa.retrieval.embedding import Embeddings


def chat_model(settings: Settings) -> ChatModel | None:
    """Return the model that writes answers; None where none is configured.

    Raises:
        ConfigError: If a key of the environment would go where a file of the folder says.
    """
    return _openai_chat_model(settings, settings.openai.chat_model)


def fallback_model(settings: Settings) -> ChatModel | None:
    """Return the second configured model; None where none is configured."""
    return _openai_chat_model(settings, settings.fallback_model)


def embeddings(settings: Settings) -> Embeddings | None:
    """Return the model that makes vectors; None where none is configured.

    Raises:
        ConfigError: If a key of the environment would go where a file of the folder says.
    """
    if not has_embeddings(settings):
        return None
    from ragqa.providers.embeddings import embeddings as openai_embeddings

    return openai_embeddings(model=settings.openai.embedding_model or "", **_access(settings))


def _openai_chat_model(settings: Settings, name: str | None) -> ChatModel | None:
    if provider_of(settings) == "none" or name is None:
        return None
    from ragqa.providers.openai import chat_model as openai_chat_model

    model = openai_chat_model(model=name, **_access(settings))
    return priced(model, settings.prices.get(name))


def _access(settings: Settings) -> dict[str, Any]:
    if provider_of(settings) == "azure":
        raise ConfigError(
            "Azure OpenAI is not offered by this version.",
            hint="Set RAGQA_PROVIDER=openai and OPENAI_BASE_URL, or RAGQA_PROVIDER=none.",
        )
    from ragqa.providers.abilities import FileAbilityStore

    check_key_target(settings, "OPENAI_BASE_URL", settings.openai.base_url or OPENAI_URL)
    return {
        "base_url": settings.openai.base_url,
        "api_key": settings.openai.api_key,
        "timeout_s": settings.timeout_s,
        "abilities": FileAbilityStore(made_home(settings)),
    }
