"""The settings as frozen values. How they are found is in ``loading``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator
from pydantic_core.core_schema import ValidatorFunctionWrapHandler

from ragqa.settings import kinds
from ragqa.settings.origin import DEFAULT, Source

if TYPE_CHECKING:
    from pydantic import ValidationInfo

Provider = Literal["auto", "azure", "openai", "none"]
RetrieverKind = Literal["embedded", "azure"]
SearchType = Literal["keyword", "similarity", "hybrid", "semantic_hybrid"]
Handling = Literal["accept", "retry", "fallback", "raise", "log"]


def _setting(variable: str, meaning: str, *, default: Any = None, **limits: Any) -> Any:
    """Declare a setting that has a variable of its own.

    Args:
        variable: The environment variable.
        meaning: What it does, as the tables of settings print it.
        default: Its value where no source holds one.
        limits: Passed to pydantic's Field.
    """
    extra = {"variable": variable, "trusted_only": limits.pop("trusted_only", False)}
    return Field(default, description=meaning, json_schema_extra=extra, **limits)


class _Values(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, hide_input_in_errors=True
    )


class OpenAISettings(_Values):
    """An OpenAI-compatible endpoint: OpenAI, Ollama, llama.cpp, vLLM."""

    base_url: kinds.Endpoint | None = _setting(
        "OPENAI_BASE_URL",
        "address of an OpenAI-compatible server, for instance http://localhost:11434/v1; "
        "https://api.openai.com/v1 if only the key is set",
    )
    api_key: kinds.Key | None = _setting("OPENAI_API_KEY", "its key; local servers need none")
    chat_model: kinds.ModelName | None = _setting(
        "RAGQA_CHAT_MODEL", "the model that writes answers"
    )
    embedding_model: kinds.ModelName | None = _setting(
        "RAGQA_EMBEDDING_MODEL", "the model that makes vectors; unset: full-text search alone"
    )


class AzureOpenAISettings(_Values):
    """A resource of Azure OpenAI, or Azure AI Foundry's v1 endpoint."""

    endpoint: kinds.AzureModelEndpoint | None = _setting(
        "AZURE_OPENAI_ENDPOINT",
        "address of the resource; one that ends in /openai/v1/ selects the v1 form",
    )
    api_key: kinds.Key | None = _setting(
        "AZURE_OPENAI_API_KEY", "its key; unset: the managed identity"
    )
    api_version: kinds.ApiVersion = _setting(
        "AZURE_OPENAI_API_VERSION", "version of the deployment API", default="2024-10-21"
    )
    chat_deployment: kinds.Deployment | None = _setting(
        "AZURE_OPENAI_CHAT_DEPLOYMENT", "the deployment that writes answers"
    )
    embedding_deployment: kinds.Deployment | None = _setting(
        "AZURE_OPENAI_EMBEDDING_DEPLOYMENT", "the deployment that makes vectors"
    )


class SearchFields(_Values):
    """What the fields of an Azure AI Search index are called."""

    id: kinds.FieldName = _setting("AZURE_SEARCH_FIELD_ID", "field of the key", default="id")
    title: kinds.FieldName = _setting(
        "AZURE_SEARCH_FIELD_TITLE", "field of the title", default="title"
    )
    content: kinds.FieldName = _setting(
        "AZURE_SEARCH_FIELD_CONTENT", "field of the text", default="content"
    )
    vector: kinds.FieldName = _setting(
        "AZURE_SEARCH_FIELD_VECTOR", "field of the vector", default="content_vector"
    )
    path: kinds.FieldName = _setting("AZURE_SEARCH_FIELD_PATH", "field of the path", default="path")
    page: kinds.FieldName = _setting("AZURE_SEARCH_FIELD_PAGE", "field of the page", default="page")
    groups: kinds.FieldName | None = _setting(
        "AZURE_SEARCH_FIELD_GROUPS", "field of the groups that may see it; unset: not trimmed"
    )


class AzureSearchSettings(_Values):
    """An index of Azure AI Search."""

    endpoint: kinds.AzureEndpoint | None = _setting(
        "AZURE_SEARCH_ENDPOINT", "address of the search service"
    )
    api_key: kinds.Key | None = _setting(
        "AZURE_SEARCH_API_KEY", "its key; unset: the managed identity"
    )
    index: kinds.IndexName | None = _setting("AZURE_SEARCH_INDEX", "name of the index")
    semantic_config: str | None = _setting(
        "AZURE_SEARCH_SEMANTIC_CONFIG", "semantic configuration for semantic_hybrid"
    )
    filter: str | None = _setting("AZURE_SEARCH_FILTER", "OData filter that every query carries")
    fields: SearchFields = SearchFields()


class StrategySettings(_Values):
    """How documents are looked up for a category of ``ragqa.toml``."""

    filter: Mapping[str, Any] = Field(default_factory=dict)
    k: Annotated[int, Field(ge=1, le=100)] | None = None
    search_type: SearchType | None = None
    boost: Mapping[str, Annotated[float, Field(gt=0)]] = Field(default_factory=dict)


class CategorySettings(_Values):
    """A table ``[categories.NAME]`` of ``ragqa.toml``."""

    description: str = ""
    keywords: kinds.Names = ()
    examples: tuple[str, ...] = ()
    strategy: StrategySettings = StrategySettings()


class Price(_Values):
    """A table ``[prices.MODEL]`` of ``ragqa.toml``: what a million tokens cost."""

    prompt: Annotated[float, Field(ge=0)]
    completion: Annotated[float, Field(ge=0)]
    cached: Annotated[float, Field(ge=0)] | None = None


class Settings(_Values):
    """Every setting. ``Settings()`` holds the defaults, :meth:`load` reads all sources.

    Attributes:
        origins: Where each value that is no default came from, by variable.
        unknown_variables: Variables that look like settings and are none.
    """

    provider: Provider = _setting(
        "RAGQA_PROVIDER",
        "who writes answers; auto takes Azure if its endpoint is set, else an OpenAI-compatible "
        "model if its address or key is set, else none",
        default="auto",
    )
    chain: kinds.Name | None = _setting(
        "RAGQA_CHAIN", "the chain; unset: stuff where a model is configured, else extractive"
    )
    home: kinds.Folder = _setting("RAGQA_HOME", "folder of index and state", default=Path(".ragqa"))
    docs: kinds.Names = _setting(
        "RAGQA_DOCS", "files and folders to answer from, separated by commas", default=()
    )
    categories: kinds.Names = _setting(
        "RAGQA_CATEGORIES",
        "the values of category, separated by commas, or a preset: en, zh",
        default=("en",),
        min_length=1,
    )
    max_answer_chars: int = _setting(
        "RAGQA_MAX_ANSWER_CHARS", "the longest answer, in characters", default=200, ge=20, le=10_000
    )
    entities: bool = _setting(
        "RAGQA_ENTITIES", "list the products that an answer names, with id and price", default=False
    )
    price_unit: str = _setting(
        "RAGQA_PRICE_UNIT", "the one unit of these prices, for instance EUR", default=""
    )
    retriever: RetrieverKind = _setting(
        "RAGQA_RETRIEVER", "where documents are searched", default="embedded"
    )
    search_type: SearchType | None = _setting(
        "RAGQA_SEARCH_TYPE", "how they are searched; unset: hybrid with embeddings, else keyword"
    )
    top_k: int = _setting("RAGQA_TOP_K", "passages per question", default=5, ge=1, le=100)
    min_score: float | None = _setting(
        "RAGQA_MIN_SCORE", "passages that score less are left out", ge=0
    )
    filter: kinds.Pairs = _setting(
        "RAGQA_FILTER", "metadata that a document must have, as name=value pairs", default={}
    )
    max_context_chars: int = _setting(
        "RAGQA_MAX_CONTEXT_CHARS",
        "budget of all passages in the prompt, in characters",
        default=1200,
        ge=100,
        le=1_000_000,
    )
    max_prompt_tokens: int = _setting(
        "RAGQA_MAX_PROMPT_TOKENS",
        "budget of the whole prompt, in tokens",
        default=4000,
        ge=500,
        le=2_000_000,
    )
    max_answer_tokens: int | None = _setting(
        "RAGQA_MAX_ANSWER_TOKENS",
        "the longest reply, in tokens; unset: what the answer's schema needs",
        ge=50,
        le=100_000,
    )
    temperature: float = _setting(
        "RAGQA_TEMPERATURE", "of calls that write answers", default=0.2, ge=0, le=2
    )
    fallback_model: kinds.ModelName | None = _setting(
        "RAGQA_FALLBACK_MODEL", "second model or deployment, asked when handling says fallback"
    )
    handling: Annotated[Mapping[str, Handling], kinds.PAIRS] = _setting(
        "RAGQA_HANDLING",
        "what follows a failure, as code=handling pairs; handlings: accept, retry, fallback, "
        "raise, log",
        default={},
    )
    strict_confidence: bool = _setting(
        "RAGQA_STRICT_CONFIDENCE",
        "reject confidence above 0.5 without evidence; false: lower it",
        default=True,
    )
    timeout_s: float = _setting(
        "RAGQA_TIMEOUT_S", "seconds for a whole answer", default=60.0, gt=0, le=3600
    )
    concurrency: int = _setting(
        "RAGQA_CONCURRENCY", "questions at a time in ask --file", default=4, ge=1, le=64
    )
    max_file_mb: float = _setting(
        "RAGQA_MAX_FILE_MB", "files above that size are not indexed", default=50, gt=0, le=4096
    )
    redis_url: kinds.RedisUrl | None = _setting(
        "RAGQA_REDIS_URL", "Redis for state that several machines share"
    )
    allow_key_to_file_endpoint: bool = _setting(
        "RAGQA_ALLOW_KEY_TO_FILE_ENDPOINT",
        "send a key of the environment to an endpoint that .env or ragqa.toml names "
        "(in the environment only)",
        default=False,
        trusted_only=True,
    )
    debug: bool = _setting("RAGQA_DEBUG", "show tracebacks", default=False)

    openai: OpenAISettings = OpenAISettings()
    azure_openai: AzureOpenAISettings = AzureOpenAISettings()
    azure_search: AzureSearchSettings = AzureSearchSettings()

    category_details: Mapping[str, CategorySettings] = Field(default_factory=dict)
    folder_groups: Mapping[str, kinds.Names] = Field(default_factory=dict)
    prices: Mapping[str, Price] = Field(default_factory=dict)

    origins: Mapping[str, Source] = Field(default_factory=dict, exclude=True, repr=False)
    unknown_variables: tuple[str, ...] = Field(default=(), exclude=True, repr=False)

    @classmethod
    def load(
        cls,
        *,
        cwd: Path | str | None = None,
        environ: Mapping[str, str] | None = None,
        **overrides: Any,
    ) -> Settings:
        """Read all sources; what is given here wins.

        Args:
            cwd: Folder of ``.env`` and ``ragqa.toml``; the current one if not given.
            environ: The environment; the process's own if not given.
            overrides: Settings by the name of their variable in lower case, ``RAGQA_`` left out:
                ``top_k=3``, ``openai_base_url="http://localhost:11434/v1"``. ``None`` is unset.

        Raises:
            ConfigError: If a value cannot be used; names the setting, the value and the source.
        """
        from ragqa.settings.loading import load

        return load(overrides, cwd=cwd, environ=environ)

    @model_validator(mode="wrap")
    @classmethod
    def _speak_of_settings(
        cls, data: Any, check: ValidatorFunctionWrapHandler, info: ValidationInfo
    ) -> Self:
        try:
            result: Self = check(data)
        except ValidationError as exc:
            from ragqa.settings.complaints import config_error

            raise config_error(exc, (info.context or {}).get("found", {})) from None
        return result

    def source_of(self, variable: str) -> Source:
        """Return where the value of a variable came from."""
        return self.origins.get(variable, DEFAULT)


def revealed(secret: SecretStr | None) -> str | None:
    """Return a secret in clear, for the one place that sends it."""
    return secret.get_secret_value() if secret else None
