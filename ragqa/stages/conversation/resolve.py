"""Make a follow-up question self-contained before documents are looked up.

A model's rewriting that answers, changes the language or the matter, or brings figures or words
of its own is dropped, and a rule carries the subject over. A question that names its own subject
costs no call.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Any

import prompts
from ragqa.contract import Question, Turn
from ragqa.flow import Effect
from ragqa.language import answer_type, content_words, language_of
from ragqa.masking import mask
from ragqa.ports import Parts, PastTurn
from ragqa.stages.asking import ask_aside
from ragqa.stages.conversation.prompt import compact
from ragqa.stages.conversation.rules import resolved, stands_alone

_REWRITE_TOKENS = 160
_LOOKED_BACK = 4
"""So many turns before may hold what a question leaves out."""
_MAX_CHARS = 300
_NEW_WORDS = 1
"""A rewritten question may hold so many words that neither question nor conversation hold."""
_KEPT_SHARE = 0.6
"""So much of the question's own matter must stand in the rewritten one."""

_LABEL = re.compile(
    r"(?:(?:rewritten |self-contained )?question|(?:改写后的)?问题)\s*[:：]\s*", re.I
)
_QUOTES = "\"'“”‘’「」`*"
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
_FOLLOWS = re.compile(
    r"\b(?:it|its|they|them|their|this|that|these|those|one|ones|and|what|how|about)\b", re.I
)


def resolve(turn: Turn, turns: Sequence[PastTurn], parts: Parts) -> Generator[Effect, Any, Turn]:
    """Return the turn with the self-contained question as ``search_text``, where it needs one.

    A model rewrites the question where there is one; what is no faithful rewriting is not used,
    and a rule carries the subject over.
    """
    question = turn.question.text
    if turn.search_text or stands_alone(question):
        return turn
    # Secrets that were said before are in no search, nor in its record.
    turns = [_masked(past) for past in turns[-_LOOKED_BACK:]]
    text: str | None = None
    if parts.model is not None and turn.chain != "extractive":
        reply, turn = yield from ask_aside(
            turn, parts, _messages(question, turns), max_tokens=_REWRITE_TOKENS
        )
        text = faithful(reply or "", question, turns)
    text = text or resolved(question, turns)
    if text is None or text == question:
        return turn
    return replace(turn, search_text=text)


def _masked(past: PastTurn) -> PastTurn:
    return replace(
        past,
        question=mask(past.question),
        resolved=mask(past.resolved),
        answer=mask(past.answer),
    )


def _messages(question: str, turns: Sequence[PastTurn]) -> tuple[tuple[str, str], ...]:
    language = language_of(question)
    earlier = "\n".join(compact(past, language) for past in turns)
    return prompts.load("rewrite", language).render(earlier=earlier, question=question)


def faithful(reply: str, question: str, turns: Sequence[PastTurn]) -> str | None:
    """Return a model's rewriting of a question, tidied; None where it is anything else.

    It must be one short question in the same language, about the same matter, and hold no figure
    and nearly no word that neither the question nor the conversation holds.

    Args:
        reply: What the model wrote.
        question: What the user asked.
        turns: The turns before.
    """
    text = _tidied(reply)
    if text is None or language_of(text) != language_of(question) or not _asks(text, question):
        return None
    known = " ".join([question, *(f"{t.question} {t.resolved} {t.answer}" for t in turns)])
    if not set(_FIGURE.findall(text)) <= set(_FIGURE.findall(known)):
        return None
    terms = _terms(text)
    # A lone Chinese character (款) seldom carries matter, and rewriting drops it.
    asked = {term for term in _terms(_FOLLOWS.sub(" ", question)) if len(term) > 1}
    if len(terms - _terms(known)) > _NEW_WORDS:
        return None
    return text if len(asked & terms) >= _KEPT_SHARE * len(asked) else None


def _tidied(reply: str) -> str | None:
    lines = [line.strip() for line in reply.strip().splitlines() if line.strip()]
    if len(lines) != 1:
        return None
    text = _LABEL.sub("", lines[0].strip(_QUOTES), count=1).strip(_QUOTES + " ")
    if not text or len(text) > _MAX_CHARS or text[0] in "{[<":
        return None
    try:
        return Question.of(text).text
    except ValueError:
        return None


def _asks(text: str, question: str) -> bool:
    """Tell whether a text asks, as far as the question itself does so in a way that shows."""
    if text.endswith(("?", "？")):
        return len(re.findall(r"[.!?。！？]+(?=\s|$|[^\d])", text)) == 1
    return not question.endswith(("?", "？")) and answer_type(text) != "thing"


def _terms(text: str) -> set[str]:
    return {word.term for word in content_words(text)}
