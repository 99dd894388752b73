"""How text becomes search terms, alike for documents and for questions."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import tantivy

from ragqa.language import has_han, is_function_word, search_terms

FORMAT = "1"
"""Names the way of analysing and storing; change it, and every index asks to be made anew."""

ANALYZER = "words"

_MAX_TERM_BYTES = 100  # longer runs are encoded data, not words
MAX_WORDS = 500  # more than any question has; a longer text is searched by its beginning
MAX_PAIRS = 40  # they nest in the query, and tantivy runs nested queries on the stack
_THOUSANDS = re.compile(r",(?<=\d,)(?=\d{3}(?!\d))")  # begins with its comma: found quickly
_SURROGATE = re.compile("[\ud800-\udfff]")


@cache
def analyzer() -> tantivy.TextAnalyzer:
    """Return the analyser: words in lower case without accents, as English Snowball stems.

    Stop words stay in: with them, recall and rank on the tuning half of the questions came out
    better (what, where and how many also stand for a kind of answer, and BM25 weighs them low).
    """
    return (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        .filter(tantivy.Filter.remove_long(_MAX_TERM_BYTES))
        .filter(tantivy.Filter.lowercase())
        .filter(tantivy.Filter.ascii_fold())
        .filter(tantivy.Filter.stemmer("english"))
        .build()
    )


@cache
def _splitter() -> tantivy.TextAnalyzer:
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    return builder.filter(tantivy.Filter.remove_long(_MAX_TERM_BYTES)).build()


def spelt_words(text: str) -> list[str]:
    """Return the words of a text as they are spelt, parted as the index parts them."""
    return _splitter().analyze(indexable(text))


def well_formed(text: str) -> str:
    """Put U+FFFD in place of lone surrogates, which no encoding can write; offsets stay."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def value_text(value: Any) -> str:
    """Return a value of metadata as the text that filters compare: 5, 5.0 and "5" are the same.

    >>> value_text(5.0), value_text(True), value_text("5")
    ('5', 'true', '5')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):  # str of one of JSON is what its file has: 49.90
        return str(int(value)) if value.is_integer() else repr(value)
    return well_formed(str(value))


def indexable(text: str) -> str:
    """Return the text as the index reads it: Chinese cut into words, 1,200 written as 1200."""
    text = well_formed(text)
    return search_terms(_THOUSANDS.sub("", text) if "," in text else text)


@lru_cache(maxsize=256)
def indexable_name(name: str) -> str:
    """Return a title or heading as the index reads it; the chunks of a document share theirs."""
    return indexable(name)


class QueryTerms(NamedTuple):
    """What a question is searched by.

    Attributes:
        words: Its different terms, in order.
        pairs: Its different pairs of neighbouring terms, unless both only carry grammar. Chinese
            needs none: its longer words are terms beside their parts.
    """

    words: list[str]
    pairs: list[tuple[str, str]]


def query_terms(text: str) -> QueryTerms:
    """Take a question apart; nothing in it is an operator."""
    sequence = analyzer().analyze(indexable(text))
    pairs = [pair for pair in dict.fromkeys(pairwise(sequence)) if tells(*pair)]
    return QueryTerms(list(dict.fromkeys(sequence))[:MAX_WORDS], pairs[:MAX_PAIRS])


def tells(first: str, second: str) -> bool:
    """Tell whether it says something that two terms are neighbours."""
    if has_han(first + second):
        return False
    return not (is_function_word(first) and is_function_word(second))
