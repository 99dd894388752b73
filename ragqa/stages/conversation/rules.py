"""Resolve a follow-up question by rule, from the turns before it."""

from __future__ import annotations

from collections.abc import Sequence

from ragqa.language import language_of
from ragqa.ports import PastTurn
from ragqa.stages.conversation import chinese, english
from ragqa.stages.conversation.courtesy import is_courtesy
from ragqa.stages.conversation.preamble import without_preamble
from ragqa.stages.conversation.words import PROPERTIES

_LOOKED_BACK = 4
"""So many turns before may hold what a question leaves out."""


def stands_alone(question: str) -> bool:
    """Tell whether a question can certainly be understood without the turns before."""
    if is_courtesy(question):
        return True
    if language_of(question) == "zh":
        return chinese.ChineseQuestion(question).stands_alone
    return english.EnglishQuestion(without_preamble(question)).stands_alone


def resolved(question: str, turns: Sequence[PastTurn]) -> str | None:
    """Return a follow-up question made self-contained; None where it stands alone.

    Args:
        question: What the user asked.
        turns: The turns before, oldest first.
    """
    language = language_of(question)
    carried = chinese.carried if language == "zh" else english.carried
    for turn in reversed(turns[-_LOOKED_BACK:]):
        if is_courtesy(turn.question):
            continue
        earlier = _in_language(turn.resolved or turn.question, language)
        whole = carried(question, earlier, turn.answer) if earlier else None
        if whole is not None:
            return whole
    return None


def _in_language(earlier: str, language: str) -> str:
    """Return a question about the same thing in the language of the follow-up."""
    if language_of(earlier) == language:
        return earlier
    if language == "zh":
        thing = english.EnglishQuestion(earlier).subject
        names = [word for word in thing.words if word.lower() not in PROPERTIES] if thing else []
        return f"{' '.join(names)}怎么样？" if names else ""
    subject = chinese.ChineseQuestion(earlier).subject
    return f"What about the {subject.text}?" if subject else ""
