"""An answer fits its category, as far as the categories say what they are for."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from ragqa.language import has_han, is_function_word
from ragqa.language.late import late
from ragqa.ports import Category
from ragqa.validation.fields import answer_of, field_of, refused
from ragqa.validation.gate import CheckContext, Outcome, Passed

_WORD = late(r"[a-z][a-z'’-]+")
_HAN_PAIR = late(r"(?=([\u4e00-\u9fff]{2}))")
_LAST_RESORT = late(
    r"\b(?:others?|misc\w*|general|else|remaining|unknown|rest)\b|其他|其它|其余|综合|未知",
    re.IGNORECASE,
)
_PLAIN_MEANING = 2.0
"""So much another category has to weigh, in the question and in the answer together."""
_KEYWORD, _TOLD = 1.0, 0.7

Signs = Mapping[str, Mapping[str, float]]


class CategoryFit:
    """Refuse a category of which nothing stands in question and answer, but another's in both.

    Keywords of a category speak for it; so do words of its description and examples that no other
    category has. A category that says nothing of itself, or that is for all the rest, is never
    refused.
    """

    name = "category_fit"

    def check(self, value: Any, context: CheckContext) -> Outcome:
        """Pass a category on unless another one is plainly meant."""
        answer, category = answer_of(value), field_of(value, "category", str)
        if answer is None or category is None or len(context.categories) < 2:
            return Passed(value)
        better = _plainly_meant(category, context.question, answer, context.categories)
        if better is None:
            return Passed(value)
        return refused(
            f"rules.{self.name}",
            f"category is {category!r}, but question and answer speak of {better!r} only",
            f"category: {category!r} does not fit; question and answer are about {better!r}.",
            field="category",
            value=value,
        )


def _plainly_meant(
    category: str, question: str, answer: str, categories: Sequence[Category]
) -> str | None:
    signs = _signs_of(categories)
    if not signs.get(category):
        return None
    asked, said = f" {question.lower()} ", f" {answer.lower()} "
    both = asked + said
    if any(True for _ in _found(signs[category], both)):
        return None
    weights = {name: _weight(own, both) for name, own in signs.items()}
    best, second = sorted(weights, key=lambda name: -weights[name])[:2]
    if weights[best] < _PLAIN_MEANING or weights[second] == weights[best]:
        return None
    speaks = _weight(signs[best], said) and (not question or _weight(signs[best], asked))
    return best if speaks else None


def _weight(words: Mapping[str, float], text: str) -> float:
    """Return how much of a category stands in a text; words that overlap count once."""
    total, end = 0.0, 0
    for start, stop, weight in sorted(_found(words, text)):
        if start >= end:
            total, end = total + weight, stop
    return total


def _found(words: Mapping[str, float], text: str) -> Iterator[tuple[int, int, float]]:
    for word, weight in words.items():
        if word in text and (match := _pattern(word).search(text)):
            yield match.start(), match.end(), weight


@lru_cache(maxsize=4096)
def _pattern(word: str) -> re.Pattern[str]:
    """Return how a word stands in a text: a Latin one by itself, perhaps with an ending."""
    if has_han(word):
        return re.compile(re.escape(word))
    return re.compile(rf"(?<![a-z0-9]){re.escape(word)}(?:s|es|d|ed|ing)?(?![a-z0-9])")


_known: dict[int, tuple[Sequence[Category], Signs]] = {}
_lock = threading.Lock()
_MAX_KNOWN = 32


def _signs_of(categories: Sequence[Category]) -> Signs:
    """Return the words that speak for each category, made once for a list of categories."""
    known = _known.get(id(categories))
    if known is not None and known[0] is categories:
        return known[1]
    signs = _signs(categories)
    with _lock:
        if len(_known) >= _MAX_KNOWN:
            _known.clear()
        _known[id(categories)] = (categories, signs)
    return signs


def _signs(categories: Sequence[Category]) -> Signs:
    keywords = {each.name: {word.lower().strip() for word in each.keywords} for each in categories}
    told = {each.name: _told(each) for each in categories}
    signs = {}
    for each in categories:
        others = [name for name in told if name != each.name]
        own = keywords[each.name] - {word for name in others for word in keywords[name]}
        elsewhere = {word for name in others for word in told[name] | keywords[name]}
        weights = dict.fromkeys(told[each.name] - elsewhere, _TOLD) | dict.fromkeys(own, _KEYWORD)
        rest = _LAST_RESORT.search(f"{each.name} {each.description}")
        signs[each.name] = {} if rest else {word: weights[word] for word in weights if word}
    return signs


def _told(category: Category) -> set[str]:
    """Return the telling words of a category's description and examples."""
    text = " ".join((category.description, *category.examples)).lower()
    words = {word for word in _WORD.findall(text) if len(word) > 3 and not is_function_word(word)}
    return words | {pair for pair in _HAN_PAIR.findall(text) if not is_function_word(pair)}
