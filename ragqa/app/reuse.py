"""How answers are reused, as the settings say."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ragqa.app.home import made_home
from ragqa.errors import ConfigError
from ragqa.settings import Settings

if TYPE_CHECKING:
    from ragqa.ports import AnswerStore
    from ragqa.ports.reuse import NearQuestions, Reuse
    from ragqa.storage import Database

ANSWERS_FILE = "answers.sqlite"
_HOUR_S = 3600


def reuse_for(settings: Settings) -> Reuse | None:
    """Return how answers are reused; None where they are not, or no text is to be kept.

    Raises:
        ConfigError: If nearly equal questions are to count, and no model makes vectors.
    """
    from ragqa.ports.reuse import Reuse

    given = settings.reuse
    if given.mode == "off" or settings.records == "none":
        return None
    return Reuse(
        store=_store(settings),
        scope=_scope(settings),
        lifetime_s=given.hours * _HOUR_S,
        min_confidence=given.min_confidence,
        near=_near(settings) if given.mode == "near" else None,
        version_tells=settings.retriever == "embedded",
        is_quick=settings.redis_url is None,
    )


def _near(settings: Settings) -> NearQuestions:
    from ragqa.app.models import embeddings
    from ragqa.ports.reuse import NearQuestions

    model = embeddings(settings)
    if model is None:
        raise ConfigError(
            "RAGQA_CACHE is 'near', and no model makes vectors.",
            hint="Set RAGQA_EMBEDDING_MODEL, or RAGQA_CACHE=exact.",
        )
    return NearQuestions(model.embed_query, model.aembed_query, settings.reuse.similarity)


def _scope(settings: Settings) -> str:
    """Return what names how documents are searched, and by whom answers are written."""
    openai, azure = settings.openai, settings.azure_openai
    what = [
        settings.retriever,
        settings.search_type,
        settings.min_score,
        sorted(map(list, settings.filter.items())),
        openai.embedding_model,
        azure.embedding_deployment,
        settings.azure_search.model_dump(mode="json", exclude={"api_key"}),
        # Several applications may share one Redis.
        str(settings.home.absolute()) if settings.retriever == "embedded" else "",
        [openai.base_url, openai.chat_model, azure.endpoint, azure.chat_deployment],
    ]
    return hashlib.sha256(json.dumps(what, default=str).encode()).hexdigest()


def _store(settings: Settings) -> AnswerStore:
    if settings.redis_url is not None:
        from ragqa.cache.shared import RedisAnswers
        from ragqa.storage.redis import redis_store

        return RedisAnswers(redis_store(settings.redis_url.get_secret_value()))
    from ragqa.cache.sqlite import SqliteAnswers

    return SqliteAnswers(_database(made_home(settings) / ANSWERS_FILE))


@cache
def _database(path: Path) -> Database:
    """Return the file; one connection to it for the whole process."""
    from ragqa.cache.sqlite import SCHEMA
    from ragqa.storage import Database

    return Database(path, SCHEMA)
