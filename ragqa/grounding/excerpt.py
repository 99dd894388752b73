"""Cut a long sentence to the parts that answer a question."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import nlargest

from ragqa.grounding.answer_spans import Span, answer_spans
from ragqa.grounding.asked import Asked
from ragqa.language import Word, clauses, content_words, likeness

GAP = " … "
"""Stands where something was left out."""

_ANSWER = 0.5
"""What a span of the asked kind is worth, where all terms of the question are worth 1."""

_NEW = 0.04
"""What a word is worth that the question does not have; less, the farther it is from one that
the question has."""

_NEARBY = 4.0  # words
_LONGEST = 6000
"""Characters of a sentence that are looked at; a longer one is no prose."""
_MOST_PARTS = 40
_MOST_RUNS = 3
"""More pieces than that do not read as a sentence."""

# A part may also begin here, where a clause is too long for a whole one.
_JOINT = re.compile(
    r"\s(?=(?:and|or|but|which|who|whose|where|when|while|because|that|with|in|on|at|by|for|from"
    r"|as|to|into|than|after|before|during|until|including|such|approximately|about)\s)"
)


def excerpts(sentence: str, question: Asked, max_chars: int) -> list[Span]:
    """Return the slices of a sentence that answer best, in their order.

    Joined by ``GAP`` they are no longer than ``max_chars``.
    """
    if len(sentence) <= max_chars:
        return [(0, len(sentence))]
    sentence = sentence[:_LONGEST]
    reading = _Reading.of(sentence, question)
    spans = _short_parts(sentence, reading.answers, max_chars)
    parts = [reading.part(place, span) for place, span in enumerate(spans)]
    parts = nlargest(
        _MOST_PARTS, parts, key=lambda part: part.gain({}, 0.0, question) / part.length
    )
    chosen: list[_Part] = []
    while (best := _next(parts, chosen, max_chars, question)) is not None:
        chosen.append(best)
    return _runs(chosen) or [(0, min(len(sentence), max_chars))]


@dataclass(frozen=True, slots=True)
class _Part:
    """A piece of the sentence and what it is worth."""

    place: int
    span: Span
    found: dict[str, float]
    new: float
    answer: float

    @property
    def length(self) -> int:
        return self.span[1] - self.span[0]

    def gain(self, known: dict[str, float], answered: float, question: Asked) -> float:
        """Return what it adds to parts that hold ``known`` and answer so well."""
        more = {t: max(0.0, share - known.get(t, 0.0)) for t, share in self.found.items()}
        return question.share(more) + self.new + _ANSWER * max(0.0, self.answer - answered)


def _next(
    parts: Sequence[_Part], chosen: list[_Part], max_chars: int, question: Asked
) -> _Part | None:
    """Return the part that adds most for its length and still fits; None if none does."""
    known: dict[str, float] = {}
    for part in chosen:
        for term, share in part.found.items():
            known[term] = max(share, known.get(term, 0.0))
    answered = max((part.answer for part in chosen), default=0.0)
    rates = [
        (part.gain(known, answered, question) / part.length, part)
        for part in parts
        if part not in chosen
    ]
    for rate, part in sorted(rates, key=lambda rated: -rated[0]):
        if rate > 0 and _fits(_runs([*chosen, part]), max_chars):
            return part
    return None


def _runs(chosen: list[_Part]) -> list[Span]:
    """Join neighbouring parts."""
    runs: list[Span] = []
    last = -2
    for part in sorted(chosen, key=lambda part: part.place):
        start, end = part.span
        if part.place == last + 1:
            runs[-1] = runs[-1][0], end
        else:
            runs.append((start, end))
        last = part.place
    return runs


def _fits(runs: list[Span], max_chars: int) -> bool:
    length = sum(end - start for start, end in runs) + len(GAP) * (len(runs) - 1)
    return length <= max_chars and len(runs) <= _MOST_RUNS


@dataclass(frozen=True, slots=True)
class _Reading:
    """A sentence read for a question: what each of its words is worth."""

    found: list[tuple[Word, dict[str, float]]]
    closeness: list[float]
    answers: list[Span]

    @classmethod
    def of(cls, sentence: str, question: Asked) -> _Reading:
        words = content_words(sentence, segment=bool(question.characters))
        found = [(word, _found(word.term, question)) for word in words]
        hits = [place for place, (_, terms) in enumerate(found) if terms]
        closeness = [_closeness(place, hits) for place in range(len(found))]
        return cls(found, closeness, answer_spans(sentence, question) or [])

    def part(self, place: int, span: Span) -> _Part:
        """Return what a slice is worth."""
        start, end = span
        shares: dict[str, float] = {}
        new = 0.0
        for (word, terms), closeness in zip(self.found, self.closeness, strict=True):
            if not (start <= word.start and word.end <= end):
                continue
            new += 0.0 if terms else _NEW * closeness
            for term, share in terms.items():
                shares[term] = max(share, shares.get(term, 0.0))
        answer = max(
            (self._newness(a, b) for a, b in self.answers if start <= a and b <= end), default=0
        )
        return _Part(place, span, shares, new, answer)

    def _newness(self, start: int, end: int) -> float:
        """Return the share of a span's words that the question does not have."""
        inside = [
            bool(terms) for word, terms in self.found if start <= word.start and word.end <= end
        ]
        return 1 - sum(inside) / len(inside) if inside else 1.0


def _found(term: str, question: Asked) -> dict[str, float]:
    near = {asked: likeness(asked, {term}) for asked in question.weights}
    return {asked: value for asked, value in near.items() if value}


def _closeness(place: int, hits: list[int]) -> float:
    distance = min((abs(place - hit) for hit in hits), default=0)
    return math.exp(-distance / _NEARBY)


def _short_parts(sentence: str, answers: list[Span], max_chars: int) -> list[Span]:
    """Return the pieces that an excerpt may consist of, none longer than the limit."""
    return [
        short
        for clause in clauses(sentence)
        for joint in _at_joints(sentence, clause, answers)
        for short in _between_words(sentence, joint, max_chars)
    ]


def _at_joints(sentence: str, clause: Span, answers: list[Span]) -> Iterator[Span]:
    start, end = clause
    for joint in _JOINT.finditer(sentence, start, end):
        inside = any(a < joint.start() < b for a, b in answers)
        if joint.start() > start and not inside:
            yield start, joint.start()
            start = joint.end()
    yield start, end


def _between_words(sentence: str, part: Span, max_chars: int) -> Iterator[Span]:
    start, end = part
    while end - start > max_chars:
        blank = sentence.rfind(" ", start + max_chars // 2, start + max_chars)
        at = blank if blank > 0 else start + max_chars
        yield start, at
        start = at + (blank > 0)
    yield start, end
