"""The parts of a chain, made from the settings."""

from __future__ import annotations

from collections.abc import Mapping

from ragqa.app.home import made_home
from ragqa.app.indexing import open_index
from ragqa.app.limits import spending
from ragqa.app.narrowed import narrowed
from ragqa.app.reuse import reuse_for
from ragqa.app.runs import runs_for
from ragqa.app.sessions import LateSessions
from ragqa.app.tracer import tracer_for
from ragqa.contract import CHINESE_CATEGORIES, DEFAULT_CATEGORIES, Strategy, response_type
from ragqa.ports import Category, Parts, Policy, Retriever
from ragqa.settings import CategorySettings, Settings

_PRESETS: Mapping[tuple[str, ...], tuple[str, ...]] = {
    ("en",): DEFAULT_CATEGORIES,
    ("zh",): CHINESE_CATEGORIES,
}


def parts_for(settings: Settings, *, with_model: bool = True) -> Parts:
    """Return the parts that the settings describe. Nothing is connected to or loaded yet.

    Args:
        settings: All settings.
        with_model: Whether the chain writes with a model; without, none is made.
    """
    from ragqa.app.models import chat_model, fallback_model

    model = chat_model(settings) if with_model else None
    second = fallback_model(settings) if with_model else None
    return Parts(
        retriever=retriever_for(settings),
        policy=policy_for(settings),
        model=model,
        fallback_model=second,
        answers=reuse_for(settings) if model else None,
        spending=spending(settings, (model, second)) if model else None,
        runs=runs_for(settings),
        tracer=tracer_for(settings),
        home=lambda: made_home(settings),
        sessions=LateSessions(settings),
    )


def retriever_for(settings: Settings) -> Retriever:
    """Return what finds passages, with the filter and the threshold that are set."""
    if settings.retriever == "azure":
        from ragqa.app.azure_search import azure_retriever

        return narrowed(azure_retriever(settings), settings.filter, None)
    return narrowed(open_index(settings), settings.filter, settings.min_score)


def policy_for(settings: Settings) -> Policy:
    """Return what is configured and does no I/O."""
    names = _PRESETS.get(settings.categories, settings.categories)
    return Policy(
        schema=response_type(
            categories=names,
            max_answer_chars=settings.max_answer_chars,
            entities=settings.entities,
        ),
        categories=tuple(_category(name, settings.category_details.get(name)) for name in names),
        top_k=settings.top_k,
        max_context_chars=settings.max_context_chars,
        max_prompt_tokens=settings.max_prompt_tokens,
        max_answer_tokens=settings.max_answer_tokens,
        temperature=settings.temperature,
        timeout_s=settings.timeout_s,
        run_budget_tokens=settings.run_budget_tokens,
        run_budget_cost=settings.budgets.run_cost,
        max_model_calls=settings.max_model_calls,
        max_tool_calls=settings.max_tool_calls,
        force_search=settings.force_search,
        handling=settings.handling,
        price_unit=settings.price_unit,
        strict_confidence=settings.strict_confidence,
        fallback=settings.fallback,
        raise_degraded=settings.raise_degraded,
        session_turns=settings.session_turns,
        session_tokens=settings.session_tokens,
        session_wait_s=settings.session_wait_s,
    )


def _category(name: str, details: CategorySettings | None) -> Category:
    if details is None:
        return Category(name)
    strategy = details.strategy
    return Category(
        name=name,
        description=details.description,
        keywords=details.keywords,
        examples=details.examples,
        strategy=Strategy(
            filter=dict(strategy.filter),
            k=strategy.k,
            search_type=strategy.search_type,
            boost=dict(strategy.boost),
        ),
    )
