"""An answer is in the language of its question."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from ragqa.language.late import late
from ragqa.language.script import HAN
from ragqa.validation.fields import answer_of, refused
from ragqa.validation.gate import CheckContext, Outcome, Passed

_HAN = late(f"[{HAN}]")
_OTHER_SCRIPT = late(r"[\u3040-\u30ff\uac00-\ud7af\u0400-\u04ff\u0590-\u06ff\u0900-\u0e7f]")
_LATIN_WORD = late(r"[A-Za-z]{2,}")
_SMALL_WORD = late(
    r"\b(?:the|is|are|was|were|of|to|in|on|at|for|and|or|you|your|it|its|can|be|this|that|with|by|"
    r"from|has|have|not|do|does|will|within|an|a)\b",
    re.IGNORECASE,
)
_ANOTHER_WANTED = late(
    r"英文|英语|英譯|英译|翻译|原文|中文|汉语|中国话|\b(?:english|chinese|mandarin|translat\w+|hanzi|pinyin|"
    r"in (?:french|german|spanish|italian|japanese|korean|dutch))\b",
    re.IGNORECASE,
)
_PLAIN_WORD = late(r"\b[a-z]{5,}\b")  # in a title all longer words are capitalised
_MIN_SMALL_WORDS = 2
"""A name or a title may hold one word like "the"; a sentence holds more."""
_MIN_HAN = 6
"""A name has fewer Chinese characters."""


class AnswerLanguage:
    """Refuse English sentences for a Chinese question and Chinese ones for an English question.

    Only strong cases: names, figures, mixed text and other scripts pass, and so does what a
    passage says word by word, since a quotation stays in the language of its document.
    """

    name = "language"

    def check(self, value: Any, context: CheckContext) -> Outcome:
        """Pass an answer on that its reader can read."""
        answer, question = answer_of(value), context.question
        if not answer or not question or (question.isascii() and answer.isascii()):
            return Passed(value)
        if _ANOTHER_WANTED.search(question):
            return Passed(value)
        wanted = _wanted_instead(question, answer)
        if not wanted or _is_quotation(answer, context):
            return Passed(value)
        return refused(
            f"rules.{self.name}",
            f"the question is in {wanted}, the answer is not",
            f"answer: the question is in {wanted}; answer in {wanted}.",
            field="answer",
            value=value,
        )


def _wanted_instead(question: str, answer: str) -> str:
    """Return the language of the question where the answer is clearly in the other one."""
    if _OTHER_SCRIPT.search(question) or _OTHER_SCRIPT.search(answer):
        return ""
    asked_han, said_han = len(_HAN.findall(question)), len(_HAN.findall(answer))
    if asked_han > len(_LATIN_WORD.findall(question)):
        said_in_english = _PLAIN_WORD.search(answer) and (
            len(_SMALL_WORD.findall(answer)) >= _MIN_SMALL_WORDS
        )
        return "Chinese" if said_han == 0 and said_in_english else ""
    if asked_han or said_han < _MIN_HAN or len(_LATIN_WORD.findall(question)) < 2:
        return ""
    return "English" if said_han > 2 * len(_LATIN_WORD.findall(answer)) else ""


def _is_quotation(answer: str, context: CheckContext) -> bool:
    said = _flat(answer).rstrip(" .。…")
    return any(said in _flat(passage.text) for passage in context.passages or ())


def _flat(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split())
