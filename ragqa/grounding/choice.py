"""Choose the sentences of the retrieved passages that answer a question.

Every sentence gets a handful of features between 0 and 1, each of which can be told to a person,
and a score that adds them up by fixed weights.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from ragqa.contract import Passage
from ragqa.grounding.answer_spans import answer_spans, names_something
from ragqa.grounding.asked import Asked, asked
from ragqa.language import content_words, likeness, sentences
from ragqa.language.script import HAN_RUN

# Fitted by `python -m tests.quality.fit` on one half of the two question sets (English and
# Chinese together): a ridge softmax model of "which sentence holds the answer".
WEIGHTS: Mapping[str, float] = {
    "coverage": 2.7,
    "before": 4.9,
    "around": 2.8,
    "attribute": 3.8,
    "characters": 3.1,
    "pairs": 3.3,
    "typed": 1.6,
    "naming": 3.0,
    "titled": 1.9,
    "retrieved": 2.9,
    # Not fitted: too few questions of these sets ask for a price or a weight.
    "measured": 4.0,
}

_FLOOR = 0.5
"""What is left of the weight of a word that every retrieved sentence has."""

_SOME = 3
"""So many passages of a document tell what it is about."""

_EXTENSION = re.compile(r"\.\w{1,5}$")

Found = dict[str, float]
"""Which terms of the question were found, and how nearly."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence of a passage, and how well it answers.

    Attributes:
        passage: Where it stands.
        rank: The passage's place among the retrieved ones, from 0.
        start, end: Its slice of ``passage.text``.
        text: The sentence.
        lead: The sentence before it in its passage.
        features: What speaks for it, by name, mostly between 0 and 1.
        score: The weighted sum of its features.
        terms: Its words that carry matter.
        found: The question's terms in it.
        found_in_passage: The question's terms in its passage, title and heading.
    """

    passage: Passage
    rank: int
    start: int
    end: int
    text: str
    lead: str
    features: Mapping[str, float]
    score: float
    terms: frozenset[str]
    found: Found
    found_in_passage: Found


def rank_sentences(question: str, passages: Sequence[Passage]) -> list[Candidate]:
    """Return every sentence of the passages, best first."""
    what = asked(question)
    read = [_read(what, passage, rank) for rank, passage in enumerate(passages)]
    local = _locally(what, read)
    if not what.characters:  # Chinese words are graded by their frequency in the dictionary already
        what = local
    top = max((passage.score for passage in passages), default=0.0)
    topics = [_topics(what, one, read) for one in read]
    known = _union(dict.fromkeys(what.weights, 0.0), *topics)
    candidates = [
        candidate
        for one, own in zip(read, topics, strict=True)
        for candidate in _candidates(
            what, local, one, own, known, _relative(one.passage.score, top, one.rank)
        )
    ]
    return sorted(candidates, key=lambda candidate: -candidate.score)


def _topics(what: Asked, one: _Read, read: Sequence[_Read]) -> Found:
    """Return which terms all of a passage's document is about.

    Those are the ones that half of its retrieved passages hold, if they are some. A section on
    returns need not name the product that its document is about.
    """
    alike = [other.whole for other in read if other.passage.id == one.passage.id]
    if len(alike) < _SOME:
        return dict.fromkeys(what.weights, 0.0)
    least = len(alike) / 2
    return {term: float(sum(whole[term] > 0 for whole in alike) >= least) for term in what.weights}


def _locally(what: Asked, read: Sequence[_Read]) -> Asked:
    """Weigh a term less, the more of the retrieved sentences have it.

    Those terms say what all of the passages are about; the others, what is asked about it.
    """
    having = [sentence.found for one in read for sentence in one.sentences]
    most = math.log(2 * len(having) + 2)

    def local(term: str) -> float:
        count = sum(found[term] > 0 for found in having)
        return _FLOOR + (1 - _FLOOR) * math.log((len(having) + 1) / (count + 0.5)) / most

    return replace(what, weights={term: w * local(term) for term, w in what.weights.items()})


def _relative(score: float, top: float, rank: int) -> float:
    """Return how good a passage is beside the best one; by its rank where scores say nothing."""
    return max(score, 0.0) / top if top > 0 else 1 / (1 + rank)


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence that was read for the terms of the question."""

    start: int
    end: int
    text: str
    terms: tuple[str, ...]
    found: Found


@dataclass(frozen=True, slots=True)
class _Read:
    """A passage that was read: its sentences, and what its title and heading hold."""

    passage: Passage
    rank: int
    sentences: list[_Sentence]
    above: Found
    titled: bool

    @property
    def whole(self) -> Found:
        """Return all that was found in it."""
        return _union(self.above, *(sentence.found for sentence in self.sentences))


def _read(what: Asked, passage: Passage, rank: int) -> _Read:
    # Where the question has no Chinese, a document's need not be cut: no dictionary is loaded.
    segment = bool(what.characters)
    title = _terms(_EXTENSION.sub("", passage.title), segment)
    above = _found(what, {*title, *_terms(passage.heading, segment)})
    titled = bool(title) and what.weights.keys() >= set(title)
    read = [
        _Sentence(start, end, text, terms, _found(what, set(terms)))
        for start, end, text, terms in _taken_apart(passage.text, segment)
    ]
    return _Read(passage, rank, read, above, titled)


_Apart = tuple[tuple[int, int, str, tuple[str, ...]], ...]


@lru_cache(maxsize=512)  # a service retrieves the same passages again and again
def _taken_apart(text: str, segment: bool) -> _Apart:
    """Return the sentences of a text with their terms."""
    slices = ((start, end, text[start:end]) for start, end in sentences(text))
    return tuple((start, end, piece, _terms(piece, segment)) for start, end, piece in slices)


@lru_cache(maxsize=1024)
def _terms(text: str, segment: bool) -> tuple[str, ...]:
    return tuple(word.term for word in content_words(text, segment=segment))


def _candidates(
    what: Asked, local: Asked, read: _Read, topics: Found, known: Found, retrieved: float
) -> Iterator[Candidate]:
    whole = read.whole
    nothing = dict.fromkeys(what.weights, 0.0)
    for number, sentence in enumerate(read.sentences):
        before = read.sentences[number - 1].found if number else nothing
        earlier = read.sentences[number - 2].found if number > 1 else nothing
        near = _union(read.above, read.sentences[0].found, earlier)
        found = _union(sentence.found, topics)
        features = _own_features(what, sentence, topics) | {
            "before": what.share(_beyond(before, found)),
            "around": what.share(_beyond(near, _union(found, before))),
            "attribute": what.share(_beyond(sentence.found, _union(read.above, known))),
            "reach": local.share(_union(found, before, near)),
            "titled": float(read.titled),
            "retrieved": retrieved,
        }
        yield Candidate(
            passage=read.passage,
            rank=read.rank,
            start=sentence.start,
            end=sentence.end,
            text=sentence.text,
            lead=read.sentences[number - 1].text if number else "",
            features=features,
            score=sum(weight * features[name] for name, weight in WEIGHTS.items()),
            terms=frozenset(sentence.terms),
            found=sentence.found,
            found_in_passage=whole,
        )


def _found(what: Asked, terms: set[str]) -> Found:
    return {term: likeness(term, terms) for term in what.weights}


def _union(*founds: Found) -> Found:
    return {term: max(found[term] for found in founds) for term in founds[0]}


def _beyond(found: Found, known: Found) -> Found:
    return {term: max(0.0, value - known[term]) for term, value in found.items()}


def _own_features(what: Asked, sentence: _Sentence, topics: Found) -> dict[str, float]:
    coverage = what.share(_union(sentence.found, topics))
    spans = answer_spans(sentence.text, what)
    return {
        "coverage": coverage,
        "characters": _characters(what, sentence.text, coverage),
        "pairs": _pairs(what, sentence, topics),
        "typed": 0.5 if spans is None else float(bool(spans)),
        "naming": float(what.naming and names_something(sentence.text)),
        "measured": float(what.measure is not None and bool(spans)),
    }


def _characters(what: Asked, text: str, coverage: float) -> float:
    """Return the share of the question's Han characters: 演唱 and 献唱 share one."""
    if not what.characters:
        return coverage
    return sum(char in text for char in what.characters) / len(what.characters)


def _pairs(what: Asked, sentence: _Sentence, topics: Found) -> float:
    if not what.pairs:
        return 0.0
    own = set(pairwise(sentence.terms))
    return sum(_has(pair, own, sentence.text, topics) for pair in what.pairs) / len(what.pairs)


def _has(pair: tuple[str, str], own: set[tuple[str, str]], text: str, topics: Found) -> bool:
    if pair in own or all(topics.get(term) for term in pair):
        return True
    return HAN_RUN.match(pair[0]) is not None and "".join(pair) in text
