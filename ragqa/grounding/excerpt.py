"""Cut a long sentence to the parts that answer a question."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest, nsmallest

from ragqa.grounding.answer_spans import Span, answer_spans
from ragqa.grounding.asked import Asked
from ragqa.grounding.cuts import Spans, parts_of
from ragqa.language import Word, content_words, likeness, turns

GAP = " … "
"""Stands where something was left out."""

# Fitted by `python -m tests.quality.fit`: a ridge softmax model of "which word of the sentence is
# the answer".
WORD_WEIGHTS: Mapping[str, float] = {
    "asked": -4.0,
    "near": 3.7,
    "typed": 2.5,
    "typed_near": 2.1,
    "capital": 1.4,
    "long": 0.4,
}

_READABLE = 0.35
"""What all words of the question are worth together, where the answer is worth 1: a quote that
has only the answer does not read as one. More of it costs answers."""

_NEARBY = 4.0  # words
_FARTHEST = 16  # words: what stands farther off counts next to nothing
_CLOSENESS = tuple(math.exp(-distance / _NEARBY) for distance in range(_FARTHEST + 1))
_LONG = 8  # letters
_LONGEST = 6000
"""Characters of a sentence that are looked at; a longer one is no prose."""
_MOST_PARTS = 40
_MOST_TURNS = 3
_RELATIVE = re.compile(r"(?:that|which|who|whom|whose|where|when|because|although|while)\b")
_MOST_RUNS = 3
"""More pieces than that do not read as a sentence."""


def excerpts(sentence: str, question: Asked, max_chars: int) -> list[Span]:
    """Return the slices of a sentence that answer best, in their order.

    Joined by ``GAP`` they are no longer than ``max_chars``.
    """
    if len(sentence) <= max_chars:
        return [(0, len(sentence))]
    sentence = sentence[:_LONGEST]
    reading = _Reading.of(sentence, question)
    spans = parts_of(sentence, reading.answers, max_chars)
    every = [reading.part(place, span) for place, span in enumerate(spans)]
    parts = nlargest(_MOST_PARTS, every, key=lambda part: part.gain({}, question) / part.length)
    chosen: list[_Part] = []
    if (first := _next(parts, chosen, max_chars, question)) is not None:
        chosen = _with_turning(first, _turning(sentence, every, first), max_chars)
    while (best := _next(parts, chosen, max_chars, question)) is not None:
        chosen.append(best)
    return _runs(chosen) or [(0, min(len(sentence), max_chars))]


@dataclass(frozen=True, slots=True)
class _Part:
    """A piece of the sentence, what it holds of the question, how likely it holds the answer."""

    place: int
    span: Span
    found: dict[str, float]
    answer: float

    @property
    def length(self) -> int:
        return self.span[1] - self.span[0]

    def gain(self, known: dict[str, float], question: Asked) -> float:
        """Return what it adds to parts that hold ``known``."""
        more = {t: max(0.0, share - known.get(t, 0.0)) for t, share in self.found.items()}
        return _READABLE * question.share(more) + self.answer


def _turning(sentence: str, parts: Sequence[_Part], first: _Part) -> list[_Part]:
    """Return the parts that may turn round what another part says.

    The negation of a relative clause reaches no farther than the part that it stands beside.
    """
    return [
        part
        for part in parts
        if part is not first
        and turns(sentence, *part.span)
        and (abs(part.place - first.place) == 1 or not _RELATIVE.match(sentence, part.span[0]))
    ]


def _with_turning(first: _Part, turning: Sequence[_Part], max_chars: int) -> list[_Part]:
    """Return a part with those that turn the meaning round and fit beside it, the nearest first.

    The second and further ones leave half of the room to the rest of the answer.
    """
    chosen, left = [first], max_chars // 2
    for part in nsmallest(_MOST_TURNS, turning, key=lambda part: abs(part.place - first.place)):
        if _fits(_runs([*chosen, part]), max_chars) and (len(chosen) == 1 or part.length <= left):
            chosen.append(part)
            left -= part.length
    return chosen


def _next(
    parts: Sequence[_Part], chosen: list[_Part], max_chars: int, question: Asked
) -> _Part | None:
    """Return the part that adds most for its length and still fits; None if none does."""
    known: dict[str, float] = {}
    for part in chosen:
        for term, share in part.found.items():
            known[term] = max(share, known.get(term, 0.0))
    rates = [
        (part.gain(known, question) / part.length, part) for part in parts if part not in chosen
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
    """A sentence read for a question: its words, and how likely each of them is the answer."""

    words: list[tuple[Word, dict[str, float], float]]
    answers: Spans

    @classmethod
    def of(cls, sentence: str, question: Asked) -> _Reading:
        read = _read(sentence, question)
        answers = answer_spans(sentence, question)
        features = _features(sentence, read, answers, question)
        scores = [sum(WORD_WEIGHTS[name] * x for name, x in word.items()) for word in features]
        most = max(scores, default=0.0)
        odds = [math.exp(score - most) for score in scores]
        total = sum(odds)
        words = [
            (word, terms, each / total) for (word, terms), each in zip(read, odds, strict=True)
        ]
        # A Chinese word and the shorter ones in it come in another order.
        return cls(sorted(words, key=_begin), Spans.of(answers))

    def part(self, place: int, span: Span) -> _Part:
        """Return what a slice is worth."""
        start, end = span
        shares: dict[str, float] = {}
        answer = 0.0
        for at in range(bisect_left(self.words, start, key=_begin), len(self.words)):
            word, terms, likely = self.words[at]
            if word.start >= end:
                break
            if word.end > end:
                continue
            answer += likely
            for term, share in terms.items():
                shares[term] = max(share, shares.get(term, 0.0))
        return _Part(place, span, shares, answer)


def _begin(read: tuple[Word, dict[str, float], float]) -> int:
    return read[0].start


def word_features(sentence: str, question: Asked) -> list[dict[str, float]]:
    """Return for each telling word of a sentence what speaks for its being the answer.

    ``asked``: the question has it; ``near``: how close it stands to words of the question, each by
    its weight; ``typed``: it belongs to a span of the asked kind (a date, a figure, a name);
    ``typed_near``: and stands close to one of these words; ``capital``: it is written large where
    the asked kind has no marks; ``long``: it has many letters.
    """
    answers = answer_spans(sentence, question)
    return _features(sentence, _read(sentence, question), answers, question)


def _features(
    sentence: str,
    read: list[tuple[Word, dict[str, float]]],
    answers: list[Span] | None,
    question: Asked,
) -> list[dict[str, float]]:
    spans = Spans.of(answers)
    hits = {at: _weight(terms, question) for at, (_, terms) in enumerate(read) if terms}
    features = []
    for at, (word, terms) in enumerate(read):
        typed = spans.hold(word.start, word.end)
        around = range(at - _FARTHEST, at + _FARTHEST + 1)
        close = [(hits[hit], _CLOSENESS[abs(at - hit)]) for hit in around if hit in hits]
        capital = answers is None and word.start > 0 and sentence[word.start].isupper()
        features.append(
            {
                "asked": float(bool(terms)),
                "near": sum(weight * share for weight, share in close) / question.total,
                "typed": float(typed),
                "typed_near": typed * max((share for _, share in close), default=0.0),
                "capital": float(capital and not terms),
                "long": float(len(word.term) >= _LONG),
            }
        )
    return features


def _read(sentence: str, question: Asked) -> list[tuple[Word, dict[str, float]]]:
    words = content_words(sentence, segment=bool(question.characters))
    return [(word, _found(word.term, question)) for word in words]


def _found(term: str, question: Asked) -> dict[str, float]:
    near = {asked: likeness(asked, {term}) for asked in question.weights}
    return {asked: value for asked, value in near.items() if value}


def _weight(terms: Mapping[str, float], question: Asked) -> float:
    return max(question.weights[term] for term in terms)
