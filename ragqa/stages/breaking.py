"""At which stage an ask broke: the same names for a trial question and for any recorded run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ragqa.contract import Passage, Turn
from ragqa.flow import answer_of
from ragqa.language import content_words, language_of
from ragqa.stages.noted import NotedCall

BreakingStage = Literal[
    "settings",
    "retrieval failed",
    "irrelevant retrieval",
    "no tool call",
    "tool result not returned to the model",
    "retrieval only",
    "instructions ignored",
    "format rejected",
    "model unavailable",
]
_BY_WORDS = ("bm25", "keyword")


def breaking_stage(turn: Turn, calls: Sequence[NotedCall]) -> BreakingStage | None:
    """Name the stage that an ask did not get beyond; None where it got to its end."""
    answer = answer_of(turn)
    is_broken = answer.status in ("abstained", "degraded")
    if is_broken and (stage := _tool_stage(calls)):
        return stage
    if not _is_relevant(turn) and not turn.tools:
        return "irrelevant retrieval"
    if answer.status == "abstained":
        return "retrieval only"
    return _writing_stage(answer.reason, calls) if answer.reason else None


def _tool_stage(calls: Sequence[NotedCall]) -> BreakingStage | None:
    """Name what is missing between a model that was offered tools and their results."""
    messages = [message for call in calls if call.tools for message in call.messages]
    if not messages:
        return None
    called = {id_ for message in messages for id_, _ in message.tool_calls}
    if not called:
        return "no tool call"
    returned = {message.tool_call_id for message in messages}
    return None if called <= returned else "tool result not returned to the model"


def _writing_stage(reason: str, calls: Sequence[NotedCall]) -> BreakingStage:
    if reason == "model_unavailable":
        return "model unavailable"
    judged = [call for call in calls if call.verdict == "rejected"]
    if reason != "invalid_output" or not judged:
        return "retrieval only"
    last = judged[-1]
    if last.is_disobedient:
        return "instructions ignored"
    # A reply that ends of its own accord within an object is as bad an object as any other.
    is_cut = last.code.startswith("text.") and last.finish_reason != "stop"
    return "retrieval only" if is_cut or last.code == "text.empty" else "format rejected"


def _is_relevant(turn: Turn) -> bool:
    """Tell whether any passage shares a word of matter with the question.

    A passage in another language that was found by its vector cannot be told by words.
    """
    asked = {word.term for word in content_words(turn.question.text)}
    language = language_of(turn.question.text)
    return any(
        (passage.score_kind not in _BY_WORDS and language_of(passage.text) != language)
        or not asked.isdisjoint(_terms(passage))
        for passage in turn.passages
    )


def _terms(passage: Passage) -> set[str]:
    text = f"{passage.title}\n{passage.heading}\n{passage.text}"
    return {word.term for word in content_words(text)}
