"""The sentences of texts with their telling words, read once for all who compare them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from ragqa.language import content_terms, sentences
from ragqa.language.script import has_han

_BEGINNING = 5  # words that are alike begin with so many equal letters


class ReadSentence(NamedTuple):
    """A sentence of a text that was read.

    Attributes:
        start, end, text: Its slice.
        terms: Its words that carry matter, in order.
        known: The same as a set.
        beginnings: How these words begin: a word that begins otherwise is like none of them.
    """

    start: int
    end: int
    text: str
    terms: tuple[str, ...]
    known: frozenset[str]
    beginnings: frozenset[str]


def begins(term: str) -> str:
    """Return the beginning of a term, as it stands in ``beginnings``."""
    return term[:_BEGINNING]


def beginnings(terms: Iterable[str]) -> frozenset[str]:
    """Return how terms begin."""
    return frozenset([term[:_BEGINNING] for term in terms])


def read_sentences(text: str, *, segment: bool = True) -> tuple[ReadSentence, ...]:
    """Return the sentences of a text with their terms.

    Args:
        text: What to read.
        segment: Whether Han runs are cut into words; without, no dictionary is loaded.
    """
    return _read(text, segment and has_han(text))


@lru_cache(maxsize=1024)  # a service retrieves the same passages again and again
def _read(text: str, segment: bool) -> tuple[ReadSentence, ...]:
    return tuple(_sentences(text, segment))


def _sentences(text: str, segment: bool) -> Iterator[ReadSentence]:
    for start, end in sentences(text):
        sentence = text[start:end]
        terms = content_terms(sentence, segment=segment)
        yield ReadSentence(start, end, sentence, terms, frozenset(terms), beginnings(terms))
