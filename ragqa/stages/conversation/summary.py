"""Fold older turns of a conversation into a summary."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from typing import Any

import prompts
from ragqa.contract import Turn
from ragqa.flow import Call, Effect
from ragqa.language import estimate_tokens, language_of
from ragqa.ports import Parts, PastTurn, SessionStore, Summary
from ragqa.stages.asking import ask_aside
from ragqa.stages.conversation.prompt import brief, shortened

_EVERY = 4
"""A model is asked again when so many older turns are in no summary yet."""

_SUMMARY_TOKENS = 250
_MAX_CHARS = 900
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")


def summarised(
    older: Sequence[PastTurn],
    summary: Summary | None,
    turn: Turn,
    parts: Parts,
    sessions: SessionStore,
) -> Generator[Effect, Any, tuple[Summary | None, Turn]]:
    """Return a summary of older turns that the caller may see, and the turn with its usage.

    One that covers a turn which the caller may not see, or which is gone, is not used: a new one is
    made from the turns that are left.

    Args:
        older: The older turns that the caller may see, oldest first.
        summary: The one that is kept.
        turn: The ask under way.
        parts: Whom to ask.
        sessions: Where a new summary is kept.
    """
    visible = {past.run_id for past in older}
    usable = summary if summary and visible.issuperset(summary.run_ids) else None
    covered = set(usable.run_ids) if usable else set()
    new = [past for past in older if past.run_id not in covered]
    if len(new) < _EVERY:
        return usable, turn
    told = "\n".join(_within(new, usable.text if usable else "", parts))
    language = language_of(turn.question.text)
    messages = prompts.load("summary", language).render(earlier=told)
    text, turn = yield from ask_aside(turn, parts, messages, max_tokens=_SUMMARY_TOKENS)
    text = plain_summary(text or "", told)
    if text is None:
        return usable, turn
    made = Summary(text, tuple(past.run_id for past in older))
    session_id, principal = turn.session_id or "", turn.caller.principal
    yield Call(lambda config: sessions.summarise(session_id, principal, made))
    return made, turn


def _within(new: Sequence[PastTurn], before: str, parts: Parts) -> list[str]:
    """Return what the model condenses, the oldest left out where it is too much for a prompt."""
    left = parts.policy.max_prompt_tokens // 2 - estimate_tokens(before)
    lines: list[str] = []
    for past in reversed(new):
        line = brief(past)
        left -= estimate_tokens(line) + 1
        if left < 0:
            break
        lines.insert(0, line)
    return [before, *lines] if before else lines


def plain_summary(reply: str, told: str) -> str | None:
    """Return a model's summary; None where it is no plain text, or holds a figure of its own.

    Args:
        reply: What the model wrote.
        told: What it was given.
    """
    text = " ".join(reply.split())
    if not text or text[0] in "{[<" or "```" in text:
        return None
    if not set(_FIGURE.findall(text)) <= set(_FIGURE.findall(told)):
        return None
    return shortened(text, _MAX_CHARS)
