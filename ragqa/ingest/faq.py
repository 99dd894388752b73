"""Questions with their answers, as lists of frequent questions keep them in records and tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_QUESTION = frozenset({"question", "q", "问题", "问", "提问", "常见问题"})
_ANSWER = frozenset({"answer", "a", "答案", "答", "回答", "解答"})


def asks(name: str) -> bool:
    """Tell whether a column or key holds questions.

    >>> asks("Question"), asks("问题"), asks("price")
    (True, True, False)
    """
    return name.strip().casefold() in _QUESTION


def question_and_answer(record: Mapping[str, Any]) -> str | None:
    r"""Return a record of a question and its answer as text, the answer below the question.

    >>> question_and_answer({"question": "Is there parking?", "answer": "Behind the shop."})
    'Is there parking?\nBehind the shop.'
    >>> question_and_answer({"question": "Is there parking?", "answers": ["yes"]})
    """
    question = _said(record, _QUESTION)
    answer = _said(record, _ANSWER)
    return f"{question}\n{answer}" if question and answer else None


def _said(record: Mapping[str, Any], names: frozenset[str]) -> str:
    values = [value for key, value in record.items() if key.strip().casefold() in names]
    return values[0].strip() if values and isinstance(values[0], str) else ""
