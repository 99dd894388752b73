"""Decide whether a question needs the documents at all."""

from __future__ import annotations

import re
from dataclasses import replace

import prompts
from ragqa.contract import Turn
from ragqa.flow import Effects, Stage
from ragqa.language import language_of
from ragqa.ports import Parts
from ragqa.stages.asking import ask_aside

_DECISION_TOKENS = 8
_NO = re.compile(r"\s*[\"'“*]*(no|不需要|不用|否)\b", re.IGNORECASE)


def decide(parts: Parts) -> Stage:
    """Return the stage that notes ``needs_documents``; in doubt they are needed."""

    def step(turn: Turn) -> Effects:
        prompt = prompts.load("decide", language_of(turn.question.text))
        messages = prompt.render(question=turn.search_text or turn.question.text)
        text, turn = yield from ask_aside(turn, parts, messages, max_tokens=_DECISION_TOKENS)
        needed = text is None or _NO.match(text) is None
        return replace(turn, notes={**turn.notes, "needs_documents": needed})

    return Stage("decide", step)
