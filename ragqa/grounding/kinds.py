"""Whether a sentence is of the kind that a question asks for."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from ragqa.grounding.asked import Asked
from ragqa.language import AnswerType, answer_type
from ragqa.language.late import late

_MARKED = frozenset({"time", "number", "person", "place", "reason"})
_BEFORE_QUESTION = late(
    r"[\W_]*(?:(?:\d{1,3}|Q|Question|问|问题)\s?[.)）:：、]\s*)?[\W_]*", re.IGNORECASE
)
STEP_MARK = (
    r"(?:\d{1,2}[.)、]|[(（]\d{1,2}[)）]|[①-⑳]|Step\s?\d{1,2}\s?[:：.)]"
    r"|第[一二三四五六七八九十]{1,2}步\s?[:：，,、]?)"
)
"""What numbers the steps of a list."""

# Not what only has a label: "3) Rating: 5".
_STEP = late(rf"\s{{0,12}}{STEP_MARK}\s*(?![^\n]{{0,40}}[:：])\S", re.IGNORECASE)


def is_step(sentence: str) -> bool:
    """Tell whether a sentence is a step of a numbered list.

    >>> is_step("2. Sign in."), is_step("第二步：登录。"), is_step("3) Rating: 5")
    (True, True, False)
    """
    return _STEP.match(sentence) is not None


def step_number(mark: str) -> int:
    """Return the number of a step: of its mark, in figures or Chinese numerals.

    >>> step_number("Step 2:"), step_number("③"), step_number("第十二步"), step_number("(4)")
    (2, 3, 12, 4)
    """
    figures = "".join(filter(str.isdecimal, mark))
    if figures:
        return int(figures)
    numerals = [char for char in mark if char in _NUMERALS]
    if not numerals:
        return int(unicodedata.digit(mark[0], 0) or unicodedata.numeric(mark[0], 0))
    units = [_NUMERALS.index(char) + 1 for char in numerals]
    return sum(units) if units[0] == 10 else units[0] * (10 if len(units) > 1 else 1)


_NUMERALS = "一二三四五六七八九十"


def typed(question: Asked, looks: bool | None, answered: str) -> float:
    """Return how likely a sentence is of the kind that answers: 0.5 where nothing tells.

    What answers a question of the document answers one of the same kind, whatever it looks like,
    and no question for a date if that one asks how many.

    Args:
        question: What is asked.
        looks: Whether it looks like an answer; None where that kind has no marks.
        answered: The question of the document that it answers; empty if there is none.
    """
    own = 0.5 if looks is None else float(looks)
    if not answered or (kind := _kind_asked(answered)) == "thing":
        return own
    if kind == question.answer_type:
        return 1.0
    return min(own, 0.5) if kind in _MARKED else own


@lru_cache(maxsize=1024)  # the same lists of questions are retrieved again and again
def _kind_asked(asking: str) -> AnswerType:
    """Return the kind of answer that a question of a document asks for."""
    before = _BEFORE_QUESTION.match(asking)
    return answer_type(asking[before.end() :] if before else asking)
