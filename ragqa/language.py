"""Sentences, words and search terms of English and Chinese text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Literal

Language = Literal["en", "zh"]

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")
_HAN_RUN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]+")


def has_han(text: str) -> bool:
    """Tell whether any Chinese character stands in the text."""
    return _HAN.search(text) is not None


def language_of(text: str) -> Language:
    """Tell which prompts and phrases fit the text: Chinese where Han characters carry it."""
    han = len(_HAN.findall(text))
    latin_words = len(re.findall(r"[A-Za-z]{2,}", text))
    return "zh" if han and han >= latin_words else "en"


_SENTENCE_END = re.compile(
    r"[。！？；…]+[”’」』）)\"']*"  # Chinese ends need no blank
    r"|[.!?]+[\"'”’)\]]*(?=\s|$)"
    r"|\n+"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:[A-Za-z]|Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|etc|No|Nos|Fig|Inc|Ltd|Co|Corp|approx|e\.g|i\.e))\.$"
)


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield the slices of a text that are sentences, without blanks at their edges.

    >>> [“Dr. No left. 他走了。是吗？”[a:b] for a, b in sentences("...")]  # doctest: +SKIP
    """
    start = 0
    for match in _SENTENCE_END.finditer(text):
        if match.group().startswith(".") and _ABBREVIATION.search(text[start : match.start() + 1]):
            continue
        yield from _trimmed(text, start, match.end())
        start = match.end()
    yield from _trimmed(text, start, len(text))


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    if piece.strip():
        yield start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())


@cache
def _jieba() -> Any:
    import rjieba  # 100 ms for its dictionary: only where Han text comes up

    return rjieba


def search_terms(text: str) -> str:
    """Return the text with its Han runs cut into words, ready for a word tokenizer.

    Text without Han characters comes back as it is.
    """
    return _HAN_RUN.sub(lambda run: f" {' '.join(_jieba().cut_for_search(run.group()))} ", text)
