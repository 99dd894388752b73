"""Settings of what many asks share: quotas, budgets, answers kept for reuse."""

from __future__ import annotations

from typing import Literal

from ragqa.settings.services import Values, setting

CacheMode = Literal["off", "exact", "near"]


class QuotaSettings(Values):
    """What a deployment grants, and how much of it may be used."""

    requests_per_minute: float | None = setting(
        "RAGQA_QUOTA_REQUESTS_PER_MINUTE",
        "requests a minute that the model's service grants; calls are paced below it",
        gt=0,
    )
    tokens_per_minute: float | None = setting(
        "RAGQA_QUOTA_TOKENS_PER_MINUTE",
        "tokens a minute that it grants, longest replies counted in",
        gt=0,
    )
    share: float = setting(
        "RAGQA_QUOTA_SHARE", "part of these quotas that may be used", default=0.7, gt=0, le=1
    )


class BudgetSettings(Values):
    """What may be spent; costs are in the unit of the price table."""

    run_cost: float | None = setting(
        "RAGQA_RUN_BUDGET_COST", "what all calls of one answer may cost, by the price table", gt=0
    )
    session_tokens: int | None = setting(
        "RAGQA_SESSION_BUDGET_TOKENS", "tokens that one conversation may take", ge=500
    )
    session_cost: float | None = setting(
        "RAGQA_SESSION_BUDGET_COST", "what one conversation may cost", gt=0
    )
    day_tokens: int | None = setting(
        "RAGQA_DAY_BUDGET_TOKENS", "tokens that all answers of a day (UTC) may take", ge=500
    )
    day_cost: float | None = setting(
        "RAGQA_DAY_BUDGET_COST", "what all answers of a day (UTC) may cost", gt=0
    )


class ReuseSettings(Values):
    """How accepted answers are kept for the same question."""

    mode: CacheMode = setting(
        "RAGQA_CACHE",
        "reuse a model's answer: for the same question, also for nearly the same one (near, needs "
        "an embedding model), or never (off)",
        default="exact",
    )
    hours: float = setting(
        "RAGQA_CACHE_HOURS", "how long an answer is reused", default=24.0, gt=0, le=8760
    )
    min_confidence: float = setting(
        "RAGQA_CACHE_MIN_CONFIDENCE",
        "answers of less confidence are not reused",
        default=0.7,
        ge=0,
        le=1,
    )
    similarity: float = setting(
        "RAGQA_CACHE_SIMILARITY",
        "cosine from which questions are nearly the same",
        default=0.95,
        ge=0.5,
        le=1,
    )
