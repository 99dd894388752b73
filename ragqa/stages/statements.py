"""The sentences of the passages that say something, so that an answer may quote them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragqa.contract import Passage
from ragqa.grounding import Asked, Candidate, rank_sentences
from ragqa.grounding.readable import answers_row, cells, fits_row, is_item, readable
from ragqa.language import is_question, sentences
from ragqa.stages.rows import by_leading_column

_ENDS = tuple(".!?。！？；;,，")
_FULL_STOPS = tuple(".!。！")
_YES_OR_NO = re.compile(
    r"(?:(?:A|Answer|答|回答)\s?[:：.]\s*)?(?:(?:yes|no)\b|(?:是的?|对|有|没有|(?:不?可以|不?能|不?会)的?|不)[,，.。!！])",
    re.I,
)
_SAME_QUESTION = 0.5
"""So much of the question has to stand in it, or in the question that it answers."""


def statements(question: Asked, passages: Sequence[Passage]) -> list[Candidate]:
    """Return the sentences that say something, best first: no headings, no questions."""
    ranked = [
        candidate
        for candidate in rank_sentences(question.text, passages)
        if quotable(candidate, question)
    ]
    return by_leading_column(question, ranked) if ranked else ranked


_RULE = re.compile(r"[\s|:+-]+")
_FEW_WORDS = 6
_SMALL_WORD = 3  # letters: of, and, the stay small in titles
_PROSE_CHARS = 60


def quotable(candidate: Candidate, question: Asked) -> bool:
    """Tell whether a sentence says something: it is no heading, no question, no empty row."""
    text = candidate.text
    if text.startswith("#") or is_question(text) or not candidate.terms:
        return False
    if _heads(candidate) or _answers_another(candidate):
        return False
    if text.endswith((":", "：")):  # it announces something
        return end_with_items(candidate, len(text) + 200) > candidate.end
    if text.startswith("|") and not fits_row(text, question):
        return False
    if len(cells(text)) > 1:
        return answers_row(text, question) and fits_row(text, question)
    # To a question for yes or no, a sentence of no other words says yes.
    says = question.answer_type == "choice" and text.endswith(_FULL_STOPS)
    new = any(term not in question.weights for term in candidate.terms)
    return says or new or ":" in text or "：" in text


def _answers_another(candidate: Candidate) -> bool:
    """Tell whether a sentence says yes or no to a question of the document that is not this one."""
    if not is_question(candidate.lead) or not _YES_OR_NO.match(candidate.text):
        return False
    return candidate.features["coverage"] < _SAME_QUESTION


def _heads(candidate: Candidate) -> bool:
    """Tell whether a line only stands above what it is about: a heading, the top of a table."""
    text, passage = candidate.text, candidate.passage
    if readable(text) in passage.heading.split(" > "):
        return True
    below = passage.text[candidate.end : candidate.end + 300].strip().partition("\n")[0].strip()
    if text.startswith("|"):
        return "-" in below and _RULE.fullmatch(below) is not None
    if text[-1:] in _ENDS or is_item(below) or below.startswith("#"):
        return False
    prose = below[-1:] in _ENDS or len(below) > _PROSE_CHARS
    return prose and _is_titled(text)


def _is_titled(text: str) -> bool:
    """Tell whether a line looks like a title: short, or in capitals, and without figures."""
    words = [word for word in text.split() if word[:1].isalpha()]
    long = [word for word in words if len(word) > _SMALL_WORD]
    capital = sum(word[0].isupper() for word in long)
    if any(map(str.isdigit, text.lstrip("0123456789.) "))):
        return False
    if ":" in text or "：" in text or len(words) > _FEW_WORDS:
        return len(words) <= 2 * _FEW_WORDS and bool(long) and capital >= 0.8 * len(long)
    return len(text) <= _PROSE_CHARS


def end_with_items(candidate: Candidate, max_chars: int) -> int:
    """Return where a sentence ends, together with the list that it announces."""
    text, end = candidate.passage.text, candidate.end
    if not candidate.text.endswith((":", "：")):
        return end
    for start, item_end in sentences(text[candidate.end : candidate.end + 3 * max_chars]):
        item = text[candidate.end + start : candidate.end + item_end]
        longer = candidate.end + item_end
        if longer - candidate.start > 1.5 * max_chars or not is_item(item):
            break
        end = longer
    return end
