"""Choose the sentences of the retrieved passages that answer a question.

Every sentence gets a handful of features between 0 and 1, each of which can be told to a person,
and a score that adds them up by fixed weights.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from ragqa.contract import Passage
from ragqa.grounding.answer_spans import could_answer, names_something
from ragqa.grounding.asked import Asked, asked
from ragqa.grounding.reading import beginnings, begins, read_sentences
from ragqa.language import content_terms, likeness
from ragqa.language.script import HAN_RUN

# Fitted by `python -m tests.quality.fit` on one half of the two question sets (English and
# Chinese together): a ridge softmax model of "which sentence holds the answer".
WEIGHTS: Mapping[str, float] = {
    "coverage": 2.7,
    "before": 4.8,
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

Shares = tuple[float, ...]
"""How nearly each term of the question was found, in the order of its terms."""


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
    found: Mapping[str, float]
    found_in_passage: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _Weighed:
    """The terms of a question in a fixed order, and how much each of them tells."""

    asked: Asked
    terms: tuple[str, ...]
    weights: tuple[float, ...]
    total: float

    @classmethod
    def of(cls, what: Asked, weights: Mapping[str, float]) -> _Weighed:
        return cls(what, tuple(weights), tuple(weights.values()), sum(weights.values()) or 1.0)

    @property
    def nothing(self) -> Shares:
        return (0.0,) * len(self.terms)

    def share(self, found: Shares) -> float:
        """Return the weighted share of the question that was found."""
        shares: float = sum(map(operator.mul, self.weights, found))
        return shares / self.total


def rank_sentences(question: str, passages: Sequence[Passage]) -> list[Candidate]:
    """Return every sentence of the passages, best first."""
    what = asked(question)
    read = [_read(what, passage, rank) for rank, passage in enumerate(passages)]
    local = _Weighed.of(what, _local_weights(what, read))
    # Chinese words are graded by their frequency in the dictionary already.
    weighed = _Weighed.of(what, what.weights) if what.characters else local
    top = max((passage.score for passage in passages), default=0.0)
    topics = [_topics(weighed, one, read) for one in read]
    known = _union(weighed.nothing, *topics)
    candidates = [
        candidate
        for one, own in zip(read, topics, strict=True)
        for candidate in _candidates(
            weighed, local, one, own, known, _relative(one.passage.score, top, one.rank)
        )
    ]
    return sorted(candidates, key=lambda candidate: -candidate.score)


def _topics(what: _Weighed, one: _Read, read: Sequence[_Read]) -> Shares:
    """Return which terms all of a passage's document is about.

    Those are the ones that half of its retrieved passages hold, if they are some. A section on
    returns need not name the product that its document is about.
    """
    alike = [other.whole for other in read if other.passage.id == one.passage.id]
    if len(alike) < _SOME:
        return what.nothing
    least = len(alike) / 2
    by_term = zip(*alike, strict=True)
    return tuple(float(sum(share > 0 for share in term) >= least) for term in by_term)


def _local_weights(what: Asked, read: Sequence[_Read]) -> dict[str, float]:
    """Weigh a term less, the more of the retrieved sentences have it.

    Those terms say what all of the passages are about; the others, what is asked about it.
    """
    having = [sentence.found for one in read for sentence in one.sentences]
    most = math.log(2 * len(having) + 2)

    def local(place: int) -> float:
        count = sum(found[place] > 0 for found in having)
        return _FLOOR + (1 - _FLOOR) * math.log((len(having) + 1) / (count + 0.5)) / most

    return {term: w * local(place) for place, (term, w) in enumerate(what.weights.items())}


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
    known: frozenset[str]
    found: Shares


@dataclass(frozen=True, slots=True)
class _Read:
    """A passage that was read: its sentences, and what its title and heading hold."""

    passage: Passage
    rank: int
    sentences: list[_Sentence]
    above: Shares
    titled: bool
    whole: Shares


def _read(what: Asked, passage: Passage, rank: int) -> _Read:
    # Where the question has no Chinese, a document's need not be cut: no dictionary is loaded.
    segment = bool(what.characters)
    title = _terms(_EXTENSION.sub("", passage.title), segment)
    named = frozenset([*title, *_terms(passage.heading, segment)])
    above = _found(what, named, beginnings(named))
    titled = bool(title) and what.weights.keys() >= set(title)
    read = [
        _Sentence(*sentence[:5], _found(what, sentence.known, sentence.beginnings))
        for sentence in read_sentences(passage.text, segment=segment)
    ]
    whole = _union(above, *(sentence.found for sentence in read))
    return _Read(passage, rank, read, above, titled, whole)


@lru_cache(maxsize=1024)
def _terms(text: str, segment: bool) -> tuple[str, ...]:
    return content_terms(text, segment=segment)


def _candidates(
    what: _Weighed, local: _Weighed, read: _Read, topics: Shares, known: Shares, retrieved: float
) -> Iterator[Candidate]:
    whole = dict(zip(what.terms, read.whole, strict=True))
    known_above = _union(read.above, known)
    for number, sentence in enumerate(read.sentences):
        before = read.sentences[number - 1].found if number else what.nothing
        earlier = read.sentences[number - 2].found if number > 1 else what.nothing
        near = _union(read.above, read.sentences[0].found, earlier)
        found = _union(sentence.found, topics)
        features = _own_features(what, sentence, found, topics) | {
            "before": what.share(_beyond(before, found)),
            "around": what.share(_beyond(near, _union(found, before))),
            "attribute": what.share(_beyond(sentence.found, known_above)),
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
            terms=sentence.known,
            found=dict(zip(what.terms, sentence.found, strict=True)),
            found_in_passage=whole,
        )


def _found(what: Asked, terms: frozenset[str], begun: frozenset[str]) -> Shares:
    return tuple([likeness(term, terms) if begins(term) in begun else 0.0 for term in what.weights])


def _union(*shares: Shares) -> Shares:
    return tuple(map(max, *shares)) if len(shares) > 1 else shares[0]


def _beyond(found: Shares, known: Shares) -> Shares:
    return tuple([max(0.0, value - other) for value, other in zip(found, known, strict=True)])


def _own_features(
    what: _Weighed, sentence: _Sentence, found: Shares, topics: Shares
) -> dict[str, float]:
    coverage = what.share(found)
    question = what.asked
    typed = could_answer(sentence.text, question)
    return {
        "coverage": coverage,
        "characters": _characters(question, sentence.text, coverage),
        "pairs": _pairs(what, sentence, topics),
        "typed": 0.5 if typed is None else float(typed),
        "naming": float(question.naming and names_something(sentence.text)),
        "measured": float(question.measure is not None and bool(typed)),
    }


def _characters(what: Asked, text: str, coverage: float) -> float:
    """Return the share of the question's Han characters: 演唱 and 献唱 share one."""
    if not what.characters:
        return coverage
    return sum(char in text for char in what.characters) / len(what.characters)


def _pairs(what: _Weighed, sentence: _Sentence, topics: Shares) -> float:
    pairs = what.asked.pairs
    if not pairs:
        return 0.0
    own = set(pairwise(sentence.terms))
    about = {term for term, share in zip(what.terms, topics, strict=True) if share}
    return sum(_has(pair, own, sentence.text, about) for pair in pairs) / len(pairs)


def _has(pair: tuple[str, str], own: set[tuple[str, str]], text: str, about: set[str]) -> bool:
    if pair in own or (pair[0] in about and pair[1] in about):
        return True
    return HAN_RUN.match(pair[0]) is not None and "".join(pair) in text
