"""Cut a long sentence to the part that answers a question."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ragqa.grounding.answer_spans import Span, answer_spans
from ragqa.grounding.asked import Asked
from ragqa.language import Word, clauses, content_words, likeness

_ANSWER = 0.5
"""What a span of the asked kind is worth, where all terms of the question are worth 1."""

_NEW = 0.04
"""What a word is worth that the question does not have; less, the farther it is from one that
the question has."""

_NEARBY = 4.0  # words

# A part may also begin here, where a clause is too long for a whole one.
_JOINT = re.compile(
    r"\s(?=(?:and|or|but|which|who|whose|where|when|while|because|that|with|in|on|at|by|for|from"
    r"|as|to|into|than|after|before|during|until|including|such|approximately|about)\s)"
)


def excerpt(sentence: str, question: Asked, max_chars: int) -> Span:
    """Return the slice of a sentence, within ``max_chars``, that answers best."""
    if len(sentence) <= max_chars:
        return 0, len(sentence)
    part = _Read.of(sentence, question)
    windows = list(_windows(_short_parts(sentence, max_chars), max_chars))
    return max(windows, key=lambda window: (part.worth(*window), window[0] - window[1]))


def _windows(parts: list[Span], max_chars: int) -> Iterator[Span]:
    """Yield the longest run of parts that fits from each part on, and all shorter ones."""
    for first, (start, _) in enumerate(parts):
        for _, end in parts[first:]:
            if end - start > max_chars:
                break
            yield start, end


@dataclass(frozen=True, slots=True)
class _Read:
    """A sentence read for a question: what each of its words is worth."""

    question: Asked
    found: list[tuple[Word, dict[str, float]]]
    new: list[tuple[Word, float]]
    answers: list[Span]

    @classmethod
    def of(cls, sentence: str, question: Asked) -> _Read:
        words = content_words(sentence, segment=bool(question.characters))
        found = [(word, _found(word.term, question)) for word in words]
        hits = [place for place, (_, terms) in enumerate(found) if terms]
        new = [
            (word, _NEW * _closeness(place, hits))
            for place, (word, terms) in enumerate(found)
            if not terms
        ]
        asked_words = [(word, terms) for word, terms in found if terms]
        return cls(question, asked_words, new, answer_spans(sentence, question) or [])

    def worth(self, start: int, end: int) -> float:
        """Return what a slice is worth as an answer."""
        shares: dict[str, float] = {}
        for word, terms in self.found:
            if start <= word.start and word.end <= end:
                for term, share in terms.items():
                    shares[term] = max(share, shares.get(term, 0.0))
        new = sum(worth for word, worth in self.new if start <= word.start and word.end <= end)
        answers = any(start <= a and b <= end for a, b in self.answers)
        return self.question.share(shares) + new + _ANSWER * answers


def _found(term: str, question: Asked) -> dict[str, float]:
    near = {asked: likeness(asked, {term}) for asked in question.weights}
    return {asked: value for asked, value in near.items() if value}


def _closeness(place: int, hits: list[int]) -> float:
    distance = min((abs(place - hit) for hit in hits), default=0)
    return math.exp(-distance / _NEARBY)


def _short_parts(sentence: str, max_chars: int) -> list[Span]:
    """Return the pieces that an excerpt may consist of, none longer than the limit."""
    return [
        short
        for clause in clauses(sentence)
        for joint in _at_joints(sentence, clause)
        for short in _between_words(sentence, joint, max_chars)
    ]


def _at_joints(sentence: str, clause: Span) -> Iterator[Span]:
    start, end = clause
    for joint in _JOINT.finditer(sentence, start, end):
        if joint.start() > start:
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
