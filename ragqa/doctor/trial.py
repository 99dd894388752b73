"""The trial question: asked by the chain that would answer, with what went to and fro."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ragqa import app, flow
from ragqa.contract import Turn
from ragqa.doctor.finding import Finding, broken
from ragqa.doctor.models import format_of
from ragqa.doctor.recording import recorded
from ragqa.errors import ProviderError, RagqaError, RetrievalError
from ragqa.settings import Settings
from ragqa.settings.resolve import has_embeddings
from ragqa.stages.breaking import breaking_stage
from ragqa.stages.noted import Recorder

NAME = "trial question"
_HINTS: Mapping[str, str] = {
    "no tool call": "The model was offered tools and called none: try a model that calls tools, or "
    "set RAGQA_FORCE_SEARCH=true.",
    "tool result not returned to the model": "A tool was called and its result never came back to "
    "the model: look at the run with ragqa runs show last.",
    "irrelevant retrieval": "Ask about something that the documents hold (ragqa doctor "
    '"…"), look at ragqa search "…", and check RAGQA_FILTER and RAGQA_MIN_SCORE.',
    "retrieval only": "Passages were found, and no answer was written from them: look at the "
    "finish reasons, RAGQA_TIMEOUT_S, RAGQA_MAX_ANSWER_TOKENS and RAGQA_RUN_BUDGET_TOKENS.",
    "instructions ignored": "The model does not follow the rules of the prompt: try another model "
    "or a lower RAGQA_TEMPERATURE. RAGQA_FALLBACK=extractive quotes the documents instead.",
    "format rejected": "The model's replies are no valid objects: try a model or a deployment "
    "that takes json_schema. RAGQA_FALLBACK=extractive quotes the documents instead.",
    "model unavailable": "The model's service could not be used; the lines above say why.",
}
_DEGRADED_CODE = ProviderError.exit_code


def trial(settings: Settings, question: str, *, is_suggested: bool) -> Finding:
    """Ask a question and tell how far it got.

    Args:
        settings: All settings.
        question: What to ask.
        is_suggested: Whether it was made from a document: finding nothing is a fault then.
    """
    recorder = Recorder()
    try:
        ready = app.asker(docs=(), settings=settings)
        # without tools of the caller's own: a trial must change nothing
        asker = replace(ready, parts=recorded(ready.parts, recorder), options={})
        turn = _asked(asker, question)
    except RagqaError as exc:
        return _failed(exc, question, recorder)
    except Exception as exc:  # a doctor does not fall ill
        hint = "This should not happen. RAGQA_DEBUG=1 ragqa ask … shows where it did."
        return Finding(NAME, "broken", f"{type(exc).__name__}: {exc}", hint, 1)
    model = ready.parts.model
    form = "" if model is None else f"; format by {format_of(model)}"
    return _found(turn, settings, recorder, form, is_suggested=is_suggested)


def _asked(asker: app.Asker, question: str) -> Turn:
    return flow.invoke(asker.pipeline, asker.turn(question))


def _failed(exc: RagqaError, question: str, recorder: Recorder) -> Finding:
    stage = "settings"
    if isinstance(exc, ProviderError):
        stage = "model unavailable"
    elif isinstance(exc, RetrievalError):
        stage = "retrieval failed"
    data = {"question": question, "stage": stage, "calls": _calls(recorder)}
    found = broken(NAME, exc)
    return replace(found, detail=f"{stage}: {exc.message}", data=data)


def _found(
    turn: Turn, settings: Settings, recorder: Recorder, form: str, *, is_suggested: bool
) -> Finding:
    answer = flow.answer_of(turn)
    stage = breaking_stage(turn, recorder.calls)
    if stage == "retrieval only" and is_suggested and not recorder.calls:
        stage = None  # no sentence answers so general a question: quoting none is right
    strategy = _strategy(turn, settings)
    spent = ", ".join(f"{name} {ms:.0f} ms" for name, ms in answer.timings_ms.items())
    reason = f", reason {answer.reason}" if answer.reason else ""
    at = f", at the stage: {stage}" if stage else ""
    detail = f"{answer.chain}: {answer.status}{reason}{at} ({spent}); {_said(turn, strategy)}{form}"
    data = {
        "question": turn.question.text,
        "stage": stage,
        "answer_status": answer.status,
        "passages": len(turn.passages),
        "context_chars": sum(len(block.text) for block in turn.context),
        "strategy": strategy,
        "calls": _calls(recorder),
    }
    if stage is None:
        return Finding(NAME, "ok", detail, data=data)
    if answer.status == "degraded" or answer.reason not in (None, "no_evidence"):
        return Finding(NAME, "broken", detail, _HINTS[stage], _DEGRADED_CODE, data)
    if answer.status == "abstained" and stage == "irrelevant retrieval" and is_suggested:
        return Finding(NAME, "broken", detail, _HINTS[stage], RetrievalError.exit_code, data)
    return Finding(NAME, "warning", detail, _HINTS[stage], data=data)


def _strategy(turn: Turn, settings: Settings) -> dict[str, Any]:
    default = "hybrid" if has_embeddings(settings) else "keyword"
    return {
        "category": turn.category,
        "k": turn.strategy.k or settings.top_k,
        "search_type": turn.strategy.search_type or settings.search_type or default,
        "filter": {**turn.strategy.filter, **settings.filter},
        "boost": dict(turn.strategy.boost),
    }


def _said(turn: Turn, strategy: Mapping[str, Any]) -> str:
    chosen = ", ".join(f"{k}={v}" for k, v in strategy["filter"].items()) or "none"
    return (
        f"{turn.question.text!r} is of category {strategy['category']}: "
        f"search type {strategy['search_type']}, k {strategy['k']}, filter {chosen}; "
        f"{len(turn.passages)} passages"
    )


def _calls(recorder: Recorder) -> list[dict[str, Any]]:
    return [call.as_json() for call in recorder.calls]
