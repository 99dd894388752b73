"""The sentences of texts with their telling words, read once for all who compare them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ragqa.language import content_terms, sentences
from ragqa.language.script import has_han


class ReadSentence(NamedTuple):
    """A sentence of a text: its slice, and its words that carry matter, in order."""

    start: int
    end: int
    text: str
    terms: tuple[str, ...]


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
        yield ReadSentence(start, end, sentence, content_terms(sentence, segment=segment))
