"""What holds calls back, and what may be spent, as the settings say."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ragqa.app.home import made_home
from ragqa.contract import Usage
from ragqa.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ragqa.limits.buckets import BucketStore
    from ragqa.limits.spending import CostOf, SpentStore
    from ragqa.ports import ChatModel
    from ragqa.ports.limits import LimitsOf, Spending
    from ragqa.storage import Database

LIMITS_FILE = "limits.sqlite"


def limits_of(settings: Settings) -> LimitsOf:
    """Return what makes the limits of a deployment; Redis or a file keeps its quota's count."""
    from ragqa.limits.calls import DeploymentLimits, Quota, breaker_of

    quota = Quota(
        settings.quota.requests_per_minute, settings.quota.tokens_per_minute, settings.quota.share
    )
    counted = quota.requests_per_minute or quota.tokens_per_minute
    store = _buckets(settings) if counted else None
    return lambda deployment: DeploymentLimits(deployment, quota, store, breaker_of(deployment))


def spending(settings: Settings, models: Iterable[ChatModel | None]) -> Spending | None:
    """Return what keeps account of budgets; None where none is set.

    Args:
        settings: All settings.
        models: Those whose calls count, priced where the table of prices has them.
    """
    from ragqa.limits.spending import Budgets, KeptSpending

    given = settings.budgets
    budgets = Budgets(
        session_tokens=given.session_tokens,
        session_cost=given.session_cost,
        day_tokens=given.day_tokens,
        day_cost=given.day_cost,
    )
    if budgets == Budgets():
        return None
    return KeptSpending(budgets, _spent(settings), _prices(models))


def _prices(models: Iterable[ChatModel | None]) -> dict[str, CostOf]:
    from ragqa.app.priced import PricedModel, cost_of

    def cost(model: PricedModel) -> CostOf:
        return lambda prompt, completion: cost_of(
            Usage(prompt_tokens=prompt, completion_tokens=completion), model.price
        )

    return {model.name: cost(model) for model in models if isinstance(model, PricedModel)}


def _buckets(settings: Settings) -> BucketStore:
    if settings.redis_url is not None:
        from ragqa.limits.shared import RedisBuckets
        from ragqa.storage.redis import redis_store

        return RedisBuckets(redis_store(settings.redis_url.get_secret_value()))
    from ragqa.limits.buckets import SqliteBuckets

    return SqliteBuckets(_database(made_home(settings) / LIMITS_FILE))


def _spent(settings: Settings) -> SpentStore:
    if settings.redis_url is not None:
        from ragqa.limits.shared import RedisSpent
        from ragqa.storage.redis import redis_store

        return RedisSpent(redis_store(settings.redis_url.get_secret_value()))
    from ragqa.limits.spending import SqliteSpent

    return SqliteSpent(_database(made_home(settings) / LIMITS_FILE))


@cache
def _database(path: Path) -> Database:
    """Return the file; one connection to it for the whole process."""
    from ragqa.limits.buckets import SCHEMA
    from ragqa.storage import Database

    return Database(path, SCHEMA)
