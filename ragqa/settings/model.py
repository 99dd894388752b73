"""The settings as frozen values. How they are found is in ``loading``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, model_validator
from pydantic_core.core_schema import ValidatorFunctionWrapHandler

from ragqa.settings import kinds
from ragqa.settings.operation import BudgetSettings, QuotaSettings, ReuseSettings
from ragqa.settings.origin import DEFAULT, Source
from ragqa.settings.services import (
    AzureOpenAISettings,
    AzureSearchSettings,
    OpenAISettings,
    Values,
    setting,
)

if TYPE_CHECKING:
    from pydantic import ValidationInfo

Provider = Literal["auto", "azure", "openai", "none"]
RetrieverKind = Literal["embedded", "azure"]
SearchType = Literal["keyword", "similarity", "hybrid", "semantic_hybrid"]
Handling = Literal["retry", "fallback", "raise", "log"]
Records = Literal["full", "masked", "none"]


class StrategySettings(Values):
    """How documents are looked up for a category of ``ragqa.toml``."""

    filter: Mapping[str, Any] = Field(default_factory=dict)
    k: Annotated[int, Field(ge=1, le=100)] | None = None
    search_type: SearchType | None = None
    boost: Mapping[str, Annotated[float, Field(gt=0)]] = Field(default_factory=dict)


class CategorySettings(Values):
    """A table ``[categories.NAME]`` of ``ragqa.toml``."""

    description: str = ""
    keywords: kinds.Labels = ()
    examples: tuple[str, ...] = ()
    strategy: StrategySettings = Field(default_factory=StrategySettings)


class Price(Values):
    """A table ``[prices.MODEL]`` of ``ragqa.toml``: what a million tokens cost."""

    prompt: Annotated[float, Field(ge=0)]
    completion: Annotated[float, Field(ge=0)]
    cached: Annotated[float, Field(ge=0)] | None = None


class Settings(Values):
    """Every setting. ``Settings()`` holds the defaults, :meth:`load` reads all sources.

    Attributes:
        origins: Where each value that is no default came from, by variable.
        unknown_variables: Variables that look like settings and are none.
    """

    provider: Provider = setting(
        "RAGQA_PROVIDER",
        "who writes answers; auto takes Azure if its endpoint is set, else an OpenAI-compatible "
        "model if its address or key is set, else none",
        default="auto",
    )
    chain: kinds.Name | None = setting(
        "RAGQA_CHAIN", "the chain; unset: stuff where a model is configured, else extractive"
    )
    home: kinds.Folder = setting("RAGQA_HOME", "folder of index and state", default=Path(".ragqa"))
    docs: kinds.Names = setting(
        "RAGQA_DOCS", "files and folders to answer from, separated by commas", default=()
    )
    categories: kinds.Labels = setting(
        "RAGQA_CATEGORIES",
        "the values of category, separated by commas, or a preset: en, zh",
        default=("en",),
        min_length=1,
    )
    max_answer_chars: int = setting(
        "RAGQA_MAX_ANSWER_CHARS", "the longest answer, in characters", default=200, ge=20, le=10_000
    )
    entities: bool = setting(
        "RAGQA_ENTITIES", "list the products that an answer names, with id and price", default=False
    )
    price_unit: kinds.Line = setting(
        "RAGQA_PRICE_UNIT", "the one unit of these prices, for instance EUR", default=""
    )
    retriever: RetrieverKind = setting(
        "RAGQA_RETRIEVER", "where documents are searched", default="embedded"
    )
    search_type: SearchType | None = setting(
        "RAGQA_SEARCH_TYPE", "how they are searched; unset: hybrid with embeddings, else keyword"
    )
    top_k: int = setting("RAGQA_TOP_K", "passages per question", default=5, ge=1, le=100)
    min_score: float | None = setting(
        "RAGQA_MIN_SCORE", "passages that score less are left out", ge=0
    )
    filter: kinds.Pairs = setting(
        "RAGQA_FILTER", "metadata that a document must have, as name=value pairs", default={}
    )
    max_context_chars: int = setting(
        "RAGQA_MAX_CONTEXT_CHARS",
        "budget of all passages in the prompt, in characters",
        default=1200,
        ge=100,
        le=1_000_000,
    )
    max_prompt_tokens: int = setting(
        "RAGQA_MAX_PROMPT_TOKENS",
        "budget of the whole prompt, in tokens",
        default=4000,
        ge=500,
        le=2_000_000,
    )
    max_answer_tokens: int | None = setting(
        "RAGQA_MAX_ANSWER_TOKENS",
        "the longest reply, in tokens; unset: what the answer's schema needs",
        ge=50,
        le=100_000,
    )
    temperature: float = setting(
        "RAGQA_TEMPERATURE", "of calls that write answers", default=0.2, ge=0, le=2
    )
    fallback_model: kinds.ModelName | None = setting(
        "RAGQA_FALLBACK_MODEL", "second model or deployment, asked when handling says fallback"
    )
    handling: Annotated[Mapping[str, Handling], kinds.PAIRS] = setting(
        "RAGQA_HANDLING",
        "what follows a fault, as code=handling pairs; handlings: retry, fallback, raise, log",
        default={},
    )
    fallback: Literal["preset", "extractive"] = setting(
        "RAGQA_FALLBACK",
        "what answers when no model can: a preset text or quoted sentences",
        default="preset",
    )
    raise_degraded: bool = setting(
        "RAGQA_RAISE_DEGRADED", "raise an error instead of a degraded answer", default=False
    )
    run_budget_tokens: int | None = setting(
        "RAGQA_RUN_BUDGET_TOKENS", "tokens that all calls of one answer may take", ge=500
    )
    strict_confidence: bool = setting(
        "RAGQA_STRICT_CONFIDENCE",
        "reject confidence above 0.5 without evidence; false: lower it",
        default=True,
    )
    timeout_s: float = setting(
        "RAGQA_TIMEOUT_S", "seconds for a whole answer", default=60.0, gt=0, le=3600
    )
    max_model_calls: int = setting(
        "RAGQA_MAX_MODEL_CALLS",
        "replies of the model in one run of the agent",
        default=8,
        ge=1,
        le=100,
    )
    max_tool_calls: int = setting(
        "RAGQA_MAX_TOOL_CALLS", "tool calls in one run of the agent", default=16, ge=0, le=1000
    )
    force_search: bool = setting(
        "RAGQA_FORCE_SEARCH", "make the agent search the documents first", default=False
    )
    tools: kinds.Line | None = setting(
        "RAGQA_TOOLS",
        "the agent's own tools, as module:factory (in the environment only)",
        trusted_only=True,
    )
    concurrency: int = setting(
        "RAGQA_CONCURRENCY", "questions at a time in ask --file", default=4, ge=1, le=64
    )
    max_file_mb: float = setting(
        "RAGQA_MAX_FILE_MB", "files above that size are not indexed", default=50, gt=0, le=4096
    )
    records: Records = setting(
        "RAGQA_RECORDS",
        "what is kept of the text of every ask: masked, full, or none (no replay, no resumption)",
        default="masked",
    )
    records_days: int = setting(
        "RAGQA_RECORDS_DAYS", "days after which a record is deleted", default=30, ge=1, le=36_500
    )
    otel: bool = setting(
        "RAGQA_OTEL", "send OpenTelemetry spans to the provider that is set up", default=False
    )
    session_days: float = setting(
        "RAGQA_SESSION_DAYS",
        "a conversation that nobody used for so many days is deleted",
        default=30,
        gt=0,
        le=3650,
    )
    session_turns: int = setting(
        "RAGQA_SESSION_TURNS",
        "turns of a conversation that the model sees whole; older ones are summarised",
        default=4,
        ge=1,
        le=50,
    )
    session_tokens: int = setting(
        "RAGQA_SESSION_TOKENS",
        "budget of earlier turns and their summary in the prompt, in tokens",
        default=800,
        ge=100,
        le=100_000,
    )
    session_wait_s: float = setting(
        "RAGQA_SESSION_WAIT_S",
        "seconds to wait for a conversation that is busy with another question",
        default=30,
        ge=0,
        le=3600,
    )
    redis_url: kinds.RedisUrl | None = setting(
        "RAGQA_REDIS_URL", "Redis for state that several machines share"
    )
    allow_key_to_file_endpoint: bool = setting(
        "RAGQA_ALLOW_KEY_TO_FILE_ENDPOINT",
        "send a key of the environment to an endpoint that .env or ragqa.toml names "
        "(in the environment only)",
        default=False,
        trusted_only=True,
    )
    debug: bool = setting("RAGQA_DEBUG", "show tracebacks", default=False)

    quota: QuotaSettings = Field(default_factory=QuotaSettings)
    budgets: BudgetSettings = Field(default_factory=BudgetSettings)
    reuse: ReuseSettings = Field(default_factory=ReuseSettings)
    openai: OpenAISettings = Field(default_factory=OpenAISettings)
    azure_openai: AzureOpenAISettings = Field(default_factory=AzureOpenAISettings)
    azure_search: AzureSearchSettings = Field(default_factory=AzureSearchSettings)

    category_details: Mapping[str, CategorySettings] = Field(default_factory=dict)
    folder_groups: Mapping[str, kinds.Labels] = Field(default_factory=dict)
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

            context = info.context or {}
            raise config_error(exc, context.get("found", {}), context.get("tables", ())) from None
        return result

    def source_of(self, variable: str) -> Source:
        """Return where the value of a variable came from."""
        return self.origins.get(variable, DEFAULT)
