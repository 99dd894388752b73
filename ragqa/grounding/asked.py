"""What a question asks: its telling words, its names and figures, the kind of its answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from ragqa.grounding.reading import begins
from ragqa.language import (
    AnswerType,
    Language,
    Measure,
    answer_type,
    asks_name,
    content_words,
    language_of,
    measure_asked,
    rarity,
    sub_questions,
    tagged,
    without_phrase,
)
from ragqa.language.script import HAN_RUN

_LATIN_NAME = re.compile(r"(?<=[^.!?\s]\s)[A-Z][\w'’-]*|\b[A-Z][A-Z0-9&]+\b")
_CHINESE_NAMES = frozenset({"nr", "nrt", "nrfg", "ns", "nt", "nz"})


@dataclass(frozen=True, slots=True)
class Asked:
    """A question taken apart.

    Attributes:
        text: The question.
        language: Its language.
        answer_type: The kind of answer it asks for.
        weights: Its telling terms, each with how much it tells.
        beginnings: The same terms, each with its beginning, see ``reading``.
        characters: Its Han characters that carry matter.
        pairs: Neighbouring Han characters, and neighbouring telling words of other scripts.
        names: Those of its terms that are proper names.
        figures: Those of its terms that are figures.
        naming: Whether it asks how something is called.
        measure: The kind of quantity that it asks for, if any, and if that is all it asks.
    """

    text: str
    language: Language
    answer_type: AnswerType
    weights: Mapping[str, float]
    beginnings: tuple[tuple[str, str], ...]
    characters: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    names: frozenset[str]
    figures: frozenset[str]
    naming: bool
    measure: Measure | None

    @property
    def total(self) -> float:
        """Return the weight of all terms together."""
        return sum(self.weights.values()) or 1.0

    def share(self, found: Mapping[str, float]) -> float:
        """Return the weighted share of the question that was found."""
        return sum(self.weights[term] * found[term] for term in found) / self.total


@lru_cache(maxsize=64)
def asked(question: str) -> Asked:
    """Take a question apart."""
    telling = without_phrase(question)
    words = content_words(telling)
    terms = [word.term for word in words]
    han = [term for term in terms if HAN_RUN.match(term)]
    latin = [term for term in terms if not HAN_RUN.match(term)]
    runs = HAN_RUN.findall(telling)
    return Asked(
        text=question,
        language=language_of(question),
        answer_type=answer_type(question),
        weights={term: rarity(term) for term in terms},
        beginnings=tuple((term, begins(term)) for term in dict.fromkeys(terms)),
        characters=frozenset("".join(han)),
        pairs=frozenset(pairwise(latin)) | {pair for run in runs for pair in pairwise(run)},
        names=frozenset(_names(question)) & set(terms),
        figures=frozenset(term for term in terms if term[0].isdigit()),
        naming=asks_name(question),
        measure=_measure(question),
    )


def _measure(question: str) -> Measure | None:
    measure = measure_asked(question)
    if measure is None or len(sub_questions(question)) > 1:
        return None  # of two things, one sentence need not tell the quantity of the other
    # When it is in stock again is told by a date, not by how many there are.
    return None if measure.name == "stock" and answer_type(question) == "time" else measure


def _names(question: str) -> list[str]:
    names = [match.group() for match in _LATIN_NAME.finditer(question)]
    if HAN_RUN.search(question):
        names += [word for word, tag, _, _ in tagged(question) if tag in _CHINESE_NAMES]
    return [word.term for name in names for word in content_words(name)]
