"""The services that settings may name, and how a setting is declared."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from ragqa.settings import kinds


def setting(variable: str, meaning: str, *, default: Any = None, **limits: Any) -> Any:
    """Declare a setting that has a variable of its own.

    Args:
        variable: The environment variable.
        meaning: What it does, as the tables of settings print it.
        default: Its value where no source holds one.
        limits: Passed to pydantic's Field.
    """
    extra = {"variable": variable, "trusted_only": limits.pop("trusted_only", False)}
    return Field(default, description=meaning, json_schema_extra=extra, **limits)


class Values(BaseModel):
    """Frozen values; unknown names are errors."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
        hide_input_in_errors=True,
        defer_build=True,  # the groups are built once, inside Settings
    )


class OpenAISettings(Values):
    """An OpenAI-compatible endpoint: OpenAI, Ollama, llama.cpp, vLLM."""

    base_url: kinds.Endpoint | None = setting(
        "OPENAI_BASE_URL",
        "address of an OpenAI-compatible server, for instance http://localhost:11434/v1; "
        "https://api.openai.com/v1 if only the key is set",
    )
    api_key: kinds.Key | None = setting("OPENAI_API_KEY", "its key; local servers need none")
    chat_model: kinds.ModelName | None = setting(
        "RAGQA_CHAT_MODEL", "the model that writes answers"
    )
    embedding_model: kinds.ModelName | None = setting(
        "RAGQA_EMBEDDING_MODEL", "the model that makes vectors; unset: full-text search alone"
    )


class AzureOpenAISettings(Values):
    """A resource of Azure OpenAI, or Azure AI Foundry's v1 endpoint."""

    endpoint: kinds.AzureModelEndpoint | None = setting(
        "AZURE_OPENAI_ENDPOINT",
        "address of the resource; one that ends in /openai/v1/ selects the v1 form",
    )
    api_key: kinds.Key | None = setting(
        "AZURE_OPENAI_API_KEY", "its key; unset: the managed identity"
    )
    api_version: kinds.ApiVersion = setting(
        "AZURE_OPENAI_API_VERSION", "version of the deployment API", default="2024-10-21"
    )
    chat_deployment: kinds.Deployment | None = setting(
        "AZURE_OPENAI_CHAT_DEPLOYMENT", "the deployment that writes answers"
    )
    embedding_deployment: kinds.Deployment | None = setting(
        "AZURE_OPENAI_EMBEDDING_DEPLOYMENT", "the deployment that makes vectors"
    )


class SearchFields(Values):
    """What the fields of an Azure AI Search index are called."""

    id: kinds.FieldName = setting("AZURE_SEARCH_FIELD_ID", "field of the key", default="id")
    title: kinds.FieldName = setting(
        "AZURE_SEARCH_FIELD_TITLE", "field of the title", default="title"
    )
    content: kinds.FieldName = setting(
        "AZURE_SEARCH_FIELD_CONTENT", "field of the text", default="content"
    )
    vector: kinds.FieldName = setting(
        "AZURE_SEARCH_FIELD_VECTOR", "field of the vector", default="content_vector"
    )
    path: kinds.FieldName = setting("AZURE_SEARCH_FIELD_PATH", "field of the path", default="path")
    page: kinds.FieldName = setting("AZURE_SEARCH_FIELD_PAGE", "field of the page", default="page")
    groups: kinds.FieldName | None = setting(
        "AZURE_SEARCH_FIELD_GROUPS", "field of the groups that may see it; unset: not trimmed"
    )


class AzureSearchSettings(Values):
    """An index of Azure AI Search."""

    endpoint: kinds.AzureEndpoint | None = setting(
        "AZURE_SEARCH_ENDPOINT", "address of the search service"
    )
    api_key: kinds.Key | None = setting(
        "AZURE_SEARCH_API_KEY", "its key; unset: the managed identity"
    )
    index: kinds.IndexName | None = setting("AZURE_SEARCH_INDEX", "name of the index")
    semantic_config: kinds.Line | None = setting(
        "AZURE_SEARCH_SEMANTIC_CONFIG", "semantic configuration for semantic_hybrid"
    )
    filter: kinds.Line | None = setting(
        "AZURE_SEARCH_FILTER", "OData filter that every query carries"
    )
    fields: SearchFields = Field(default_factory=SearchFields)
