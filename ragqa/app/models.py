"""Chat and embedding models, made from the settings; keys leave the settings here alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ragqa.app.home import made_home
from ragqa.app.limits import limits_of
from ragqa.app.priced import priced
from ragqa.settings import Settings
from ragqa.settings.resolve import (
    OPENAI_URL,
    check_key_target,
    has_embeddings,
    provider_of,
)

if TYPE_CHECKING:
    from ragqa.ports import ChatModel
    from ragqa.providers.azure import AzureResource
    from ragqa.retrieval.embedding import Embeddings


def chat_model(settings: Settings) -> ChatModel | None:
    """Return the model that writes answers; None where none is configured.

    Raises:
        ConfigError: If a key of the environment would go where a file of the folder says, or a
            setting is missing.
    """
    by_azure = provider_of(settings) == "azure"
    name = settings.azure_openai.chat_deployment if by_azure else settings.openai.chat_model
    return _chat_model(settings, name)


def fallback_model(settings: Settings) -> ChatModel | None:
    """Return the second configured model; None where none is configured."""
    return _chat_model(settings, settings.fallback_model)


def embeddings(settings: Settings) -> Embeddings | None:
    """Return the model that makes vectors; None where none is configured.

    Raises:
        ConfigError: If a key of the environment would go where a file of the folder says.
    """
    if not has_embeddings(settings):
        return None
    if provider_of(settings) == "azure":
        from ragqa.providers.azure import azure_embeddings

        deployment = settings.azure_openai.embedding_deployment
        return azure_embeddings(_resource(settings), deployment, **_calling(settings))
    from ragqa.providers.embeddings import embeddings as openai_embeddings

    return openai_embeddings(
        model=settings.openai.embedding_model or "", **_openai_access(settings)
    )


def _chat_model(settings: Settings, name: str | None) -> ChatModel | None:
    provider = provider_of(settings)
    if provider == "none" or name is None:
        return None
    model: ChatModel
    if provider == "azure":
        from ragqa.providers.azure import azure_chat_model

        model = azure_chat_model(
            _resource(settings), name, limits=limits_of(settings), **_calling(settings)
        )
    else:
        from ragqa.providers.openai import chat_model as openai_chat_model

        model = openai_chat_model(
            model=name, limits=limits_of(settings), **_openai_access(settings)
        )
    return priced(model, settings.prices.get(name))


def _openai_access(settings: Settings) -> dict[str, Any]:
    check_key_target(settings, "OPENAI_BASE_URL", settings.openai.base_url or OPENAI_URL)
    return {
        "base_url": settings.openai.base_url,
        "api_key": settings.openai.api_key,
        **_calling(settings),
    }


def _resource(settings: Settings) -> AzureResource:
    from ragqa.providers.azure import AzureResource

    azure = settings.azure_openai
    check_key_target(settings, "AZURE_OPENAI_ENDPOINT", azure.endpoint or "")
    return AzureResource(azure.endpoint, azure.api_key, azure.api_version)


def _calling(settings: Settings) -> dict[str, Any]:
    from ragqa.providers.abilities import FileAbilityStore

    return {
        "timeout_s": settings.timeout_s,
        "abilities": FileAbilityStore(made_home(settings)),
    }
