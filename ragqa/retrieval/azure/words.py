"""The fields by which our indexes at Azure AI Search rank: words as the embedded index has them.

``…_words`` are text, title and heading once more, under an analyser of the index's own that does
what :mod:`ragqa.retrieval.analysis` does: no stop words, Snowball stems, 1,200 as 1200. Chinese is
cut by the service in another way than by us, so it is cut before it is sent, in documents and in
questions. One field holds both languages, because BM25 weighs words by how many documents of a
field have them. The fields that are repeated keep the service's own analysers, for the semantic
ranker and for other programs. They hardly count in the order of ours, and what is found by them
alone (each Chinese character is a word to the English analyser) is left out: see ``MATTERS``.
Source: https://learn.microsoft.com/azure/search/index-add-custom-analyzers
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from ragqa.language import has_han, search_terms
from ragqa.retrieval.analysis import MAX_PAIRS, MAX_WORDS, analyzer, spelt_words, tells
from ragqa.retrieval.azure.fields import FieldNames
from ragqa.retrieval.weights import HEADING_WEIGHT, TITLE_WEIGHT

WORDS, ASKED = "ragqa-words", "ragqa-asked"

_HARDLY = 1e-7
"""What a word counts where a field of words repeats it. A weight has to be above 0."""

MATTERS = 100 * _HARDLY
"""Share of the best hit's score that a hit has to have: less comes of repeated fields alone.

Scores of BM25 lie between some hundredths, for a word that nearly all documents have, and some ten.
"""

_MAX_TERM_CHARS = 100  # as in the embedded index; the service takes no term above 32,766 bytes
_UNCUT_CHARS = 5  # few words are as long
_PREFIX = "#Microsoft.Azure.Search."
_MARKS = ".,;:!?。，；：！？、"


def analysis() -> dict[str, list[dict[str, Any]]]:
    """Return the parts of a definition that our analysers consist of."""
    return {
        "analyzers": [
            _analyzer(WORDS, "ragqa-thousands"),
            _analyzer(ASKED, "ragqa-thousands", "ragqa-uncut"),
        ],
        "charFilters": [
            _replacing("ragqa-uncut", _uncut(), "$1$2 "),
            _replacing("ragqa-thousands", r"(?<=\d),(?=\d{3}(?!\d))", ""),
        ],
        "tokenizers": [
            {
                "@odata.type": f"{_PREFIX}PatternTokenizer",
                "name": "ragqa-letters-and-digits",
                "pattern": r"[^\p{IsAlphabetic}\p{N}]+",
            }
        ],
        "tokenFilters": [
            {
                "@odata.type": f"{_PREFIX}LengthTokenFilter",
                "name": "ragqa-length",
                "max": _MAX_TERM_CHARS,
            },
            {
                "@odata.type": f"{_PREFIX}SnowballTokenFilter",
                "name": "ragqa-stems",
                "language": "english",
            },
        ],
    }


def _analyzer(name: str, *char_filters: str) -> dict[str, Any]:
    return {
        "@odata.type": f"{_PREFIX}CustomAnalyzer",
        "name": name,
        "charFilters": list(char_filters),
        "tokenizer": "ragqa-letters-and-digits",
        "tokenFilters": ["ragqa-length", "lowercase", "asciifolding", "ragqa-stems"],
    }


def _uncut() -> str:
    """Return the pattern of two neighbours in a run of Chinese that is longer than words are."""
    places = "|".join(
        rf"(?<=\p{{IsHan}}{{{before}}})(?=\p{{IsHan}}{{{_UNCUT_CHARS - before}}})"
        for before in range(_UNCUT_CHARS)
    )
    return rf"(?:{places}|(?<=\p{{IsHan}}{{{_UNCUT_CHARS}}}))(\p{{IsHan}})(?=(\p{{IsHan}}))"


def _replacing(name: str, pattern: str, replacement: str) -> dict[str, Any]:
    return {
        "@odata.type": f"{_PREFIX}PatternReplaceCharFilter",
        "name": name,
        "pattern": pattern,
        "replacement": replacement,
    }


def word_fields(fields: FieldNames, heading: str) -> dict[str, str]:
    """Return the names of the fields of words, each with the field that it repeats.

    Args:
        fields: What the other fields are called.
        heading: The field of headings.
    """
    return {f"{name}_words": name for name in (fields.content, fields.title or "title", heading)}


def weights(fields: FieldNames, heading: str, chinese: str) -> dict[str, float]:
    """Return what the fields count, where not 1: those of words as in the embedded index.

    Args:
        fields: What the other fields are called.
        heading: The field of headings.
        chinese: The field of Chinese text.
    """
    title = fields.title or "title"
    counted = {fields.content: 1.0, title: TITLE_WEIGHT, heading: HEADING_WEIGHT}
    of_words = {f"{name}_words": weight for name, weight in counted.items()}
    return of_words | dict.fromkeys((*counted, chinese), _HARDLY)


def cut(text: str) -> str:
    """Return a text with its Chinese cut into words."""
    return search_terms(text) if has_han(text) else text


def asked_words(question: str) -> str:
    """Return what a question is searched by: its words, each once, as in the embedded index.

    A query may have 1,024 clauses: https://learn.microsoft.com/azure/search/query-lucene-syntax.

    >>> asked_words("Is the warranty on the tent the longest?")
    'Is the warranty on tent longest?'
    """
    words: dict[str, str] = {}
    for word in cut(question).split():
        words.setdefault(word.casefold().strip(_MARKS), word)
    return " ".join(list(words.values())[:MAX_WORDS])


def neighbours(question: str) -> list[str]:
    """Return the pairs of neighbouring words that the embedded index would look for.

    >>> neighbours("Is the warranty on the tent the longest?")
    ['the warranty', 'warranty on', 'the tent', 'tent the', 'the longest']
    """
    words = spelt_words(question)
    terms = [" ".join(analyzer().analyze(word)) for word in words]
    pairs = {
        pair: f"{first} {second}"
        for pair, (first, second) in zip(pairwise(terms), pairwise(words), strict=True)
        if all(pair) and tells(*pair)
    }
    return list(pairs.values())[:MAX_PAIRS]
