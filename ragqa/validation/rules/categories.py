"""An answer fits its category, as far as the categories say what they are for."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ragqa.language import has_han, is_function_word
from ragqa.ports import Category
from ragqa.validation.fields import answer_of, field_of, refused
from ragqa.validation.gate import CheckContext, Outcome, Passed

_WORD = re.compile(r"[a-z][a-z'’-]+")
_HAN_PAIR = re.compile(r"(?=([\u4e00-\u9fff]{2}))")
_MIN_HITS = 2
"""Another category has to show so many words of its own, and the given one none."""

Signs = Mapping[str, frozenset[str]]


class CategoryFit:
    """Refuse a category of which nothing stands in question and answer, but much of another's.

    Keywords of a category speak for it; so do words of its description and examples that no other
    category has. A category that says nothing of itself is never refused.
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
    hits = {name: _hits(words, asked + said) for name, words in signs.items()}
    best, second = sorted(hits, key=lambda name: -len(hits[name]))[:2]
    if hits[category] or len(hits[best]) < _MIN_HITS or len(hits[second]) == len(hits[best]):
        return None
    return best if not question or _hits(hits[best], asked) else None


def _hits(words: Iterable[str], text: str) -> frozenset[str]:
    """Return the words that stand in a text; a Latin word may have an ending."""
    found = {word for word in words if word in text and _stands(word, text)}
    return frozenset(
        word for word in found if not any(word != other and word in other for other in found)
    )


def _stands(word: str, text: str) -> bool:
    if has_han(word):
        return True
    return (
        re.search(rf"(?<![a-z0-9]){re.escape(word)}(?:s|es|d|ed|ing)?(?![a-z0-9])", text)
        is not None
    )


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
    for name, words in told.items():
        others = [other for other in told if other != name]
        elsewhere = {word for other in others for word in told[other] | keywords[other]}
        own = keywords[name] - {word for other in others for word in keywords[other]}
        signs[name] = frozenset(own | (words - elsewhere)) - {""}
    return signs


def _told(category: Category) -> set[str]:
    """Return the telling words of a category's description and examples."""
    text = " ".join((category.description, *category.examples)).lower()
    words = {word for word in _WORD.findall(text) if len(word) > 3 and not is_function_word(word)}
    return words | {pair for pair in _HAN_PAIR.findall(text) if not is_function_word(pair)}
