"""Words, as they are compared: lower case, English stems, Chinese cut by its dictionary."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any, NamedTuple

from ragqa.language.function_words import ENGLISH, EVERYDAY, is_function_word
from ragqa.language.likeness import family
from ragqa.language.script import HAN, HAN_RUN
from ragqa.language.stemming import stem

_TOKEN = re.compile(rf"[{HAN}]+|\d+(?:[.,]\d+)+|[^\W_{HAN}]+")
_ASCII_TOKEN = re.compile(r"\d+(?:[.,]\d+)+|[A-Za-z0-9]+")  # the same, in half the time


class Word(NamedTuple):
    """A word of a text: the form in which it is compared, and where it stands."""

    term: str
    start: int
    end: int


@cache
def _jieba() -> Any:
    import rjieba  # 100 ms for its dictionary: only where Han text comes up

    return rjieba


def search_terms(text: str) -> str:
    """Return the text with its Han runs cut into words, ready for a word tokenizer.

    Text without Han characters comes back as it is.
    """
    return HAN_RUN.sub(lambda run: f" {' '.join(_jieba().cut_for_search(run.group()))} ", text)


def words(text: str) -> list[Word]:
    """Return the words of a text in the form in which they are compared, with their offsets.

    A long Chinese word is followed or preceded by the shorter words in it, so that 香港大学
    meets 大学; figures lose their separators; accents and full-width forms are folded.

    >>> [word.term for word in words("The kettles cost 1,200 pounds")]
    ['the', 'kettl', 'cost', '1200', 'pound']
    """
    return [Word(form, start, end) for (form, _), start, end in _forms(text)]


def content_words(text: str, *, segment: bool = True) -> list[Word]:
    """Return the words of a text that carry matter, irregular forms under their family's stem.

    Args:
        text: What to take apart.
        segment: Whether Han runs are cut into words, which needs the Chinese dictionary; else a
            run counts as one word.

    >>> [word.term for word in content_words("When did the sale begin?")]
    ['sell', 'begin']
    """
    forms = _forms(text, segment)
    return [Word(term, start, end) for (_, term), start, end in forms if term]


def content_terms(text: str, *, segment: bool = True) -> tuple[str, ...]:
    """Return the terms of :func:`content_words`, without their places and so in half the time.

    >>> content_terms("When did the sale begin?")
    ('sell', 'begin')
    """
    if segment and HAN_RUN.search(text):
        return tuple(word.term for word in content_words(text))
    tokens = _ASCII_TOKEN if text.isascii() else _TOKEN
    return tuple(filter(None, map(_term, tokens.findall(text))))


_Read = tuple[str, str]
"""The form in which a word is compared, and the same as content: empty if it carries no matter."""

_KNOWN_WORDS = 16_384
"""English texts of a thousand paragraphs have about as many; each takes some 150 bytes."""


@lru_cache(maxsize=64)  # a question is taken apart by all who compare it with something
def _forms(text: str, segment: bool = True) -> tuple[tuple[_Read, int, int], ...]:
    return tuple(_found(text, segment))


def _found(text: str, segment: bool) -> Iterator[tuple[_Read, int, int]]:
    for match in _TOKEN.finditer(text):
        token, start = match.group(), match.start()
        if segment and token[0] >= "\u3400" and HAN_RUN.match(token):
            for word, begin, end in _jieba().tokenize(token, "search"):
                term = "" if is_function_word(word) else family(word)
                yield (word, term), start + begin, start + end
        else:
            yield _read(token), start, match.end()


def _read(token: str) -> _Read:
    folded = _folded(token)
    form = stem(folded)
    return form, "" if is_function_word(folded) else family(form)


@lru_cache(maxsize=_KNOWN_WORDS)
def _term(token: str) -> str:
    return _read(token)[1]


def _folded(token: str) -> str:
    if token.isascii():
        return token.lower().replace(",", "") if token[0].isdigit() else token.lower()
    decomposed = unicodedata.normalize("NFKD", token.lower())
    return "".join(char for char in decomposed if not unicodedata.combining(char)) or token


def tagged(text: str) -> Iterator[tuple[str, str, int, int]]:
    """Yield the Chinese words of a text with their part of speech and offsets.

    The parts of speech that matter here: ``nr`` person, ``ns`` place, ``nt`` organisation,
    ``nz`` other proper name, ``t`` time, ``m`` numeral.
    """
    for match in HAN_RUN.finditer(text):
        at = match.start()
        for word, tag in _jieba().tag(match.group()):
            yield word, tag, at, at + len(word)
            at += len(word)


_CHINESE_TOTAL = 60_101_967  # sum of the frequencies in jieba's dictionary


@lru_cache(maxsize=4096)
def rarity(term: str) -> float:
    """Return how much a word tells, from about 0 for 的 to 1 for a name, without any corpus."""
    if is_function_word(term):
        return 0.05
    if HAN_RUN.match(term):
        frequency = max(1, _jieba().suggest_freq(term))
        return math.log(_CHINESE_TOTAL / frequency) / math.log(_CHINESE_TOTAL)
    return 0.5 if term in _everyday_stems() else 1.0


@cache
def _everyday_stems() -> frozenset[str]:
    return frozenset(family(stem(word)) for word in EVERYDAY) - ENGLISH
