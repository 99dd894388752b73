"""Choose the sentences of the retrieved passages that answer a question.

Every sentence gets a handful of features between 0 and 1, each of which can be told to a person,
and a score that adds them up by fixed weights.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from ragqa.contract import Passage
from ragqa.grounding.answer_spans import could_answer, names_something
from ragqa.grounding.asked import Asked, asked
from ragqa.grounding.kinds import is_step, typed
from ragqa.grounding.matching import MatchedPassage, Shares, match, union
from ragqa.grounding.reading import ReadSentence
from ragqa.language import is_question
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
    # Not fitted: no document of these sets tells how something is done in numbered steps.
    "step": 2.0,
}

_FLOOR = 0.5
"""What is left of the weight of a word that every retrieved sentence has."""

_SOME = 3
"""So many passages of a document tell what it is about."""


class Candidate(NamedTuple):
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
        question_terms: The terms of the question.
        shares: How nearly it holds each of them, or the question right before it does.
        passage_shares: How nearly its passage does, title and heading included.
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
    question_terms: tuple[str, ...]
    shares: Shares
    passage_shares: Shares

    @property
    def found(self) -> dict[str, float]:
        """Return how nearly each term of the question was found in it."""
        return dict(zip(self.question_terms, self.shares, strict=True))

    @property
    def found_in_passage(self) -> dict[str, float]:
        """Return how nearly each was found in its passage, title and heading."""
        return dict(zip(self.question_terms, self.passage_shares, strict=True))


@dataclass(frozen=True, slots=True)
class _Weighed:
    """The terms of a question in a fixed order, and how much each of them tells."""

    asked: Asked
    terms: tuple[str, ...]
    weights: tuple[float, ...]
    total: float
    nothing: Shares

    @classmethod
    def of(cls, what: Asked, weights: Mapping[str, float]) -> _Weighed:
        total = sum(weights.values()) or 1.0
        return cls(what, tuple(weights), tuple(weights.values()), total, (0.0,) * len(weights))


def rank_sentences(question: str, passages: Sequence[Passage]) -> list[Candidate]:
    """Return every sentence of the passages, best first."""
    what = asked(question)
    read = [match(what, passage, rank) for rank, passage in enumerate(passages)]
    local = _Weighed.of(what, _local_weights(what, read))
    # Chinese words are graded by their frequency in the dictionary already.
    weighed = _Weighed.of(what, what.weights) if what.characters else local
    top = max((passage.score for passage in passages), default=0.0)
    topics = [_topics(weighed, one, read) for one in read]
    known = _known(weighed, topics, read)
    candidates = [
        candidate
        for one, own in zip(read, topics, strict=True)
        for candidate in _candidates(
            weighed, local, one, own, known, _relative(one.passage.score, top, one.rank)
        )
    ]
    return sorted(candidates, key=lambda candidate: -candidate.score)


def _topics(what: _Weighed, one: MatchedPassage, read: Sequence[MatchedPassage]) -> Shares:
    """Return which terms all of a passage's document is about.

    Those are the ones that most of its retrieved passages hold, if they are some. A section on
    returns need not name the product that its document is about.
    """
    alike = [other.whole for other in read if other.passage.id == one.passage.id]
    if len(alike) < _SOME:
        return what.nothing
    by_term = zip(*alike, strict=True)
    return tuple(float(sum(share > 0 for share in term) > len(alike) / 2) for term in by_term)


def _known(what: _Weighed, topics: list[Shares], read: Sequence[MatchedPassage]) -> Shares:
    """Return which terms say what it is about, and not what is asked about it.

    Those are what documents are about, and what titles and headings name: else a passage that
    merely mentions delivery would seem to tell more about it than the section "Delivery".
    """
    return union(what.nothing, *topics, *(one.above for one in read))


def _local_weights(what: Asked, read: Sequence[MatchedPassage]) -> dict[str, float]:
    """Weigh a term less, the more of the retrieved sentences have it.

    Those terms say what all of the passages are about; the others, what is asked about it.
    """
    having = [sentence.found for one in read for sentence in one.sentences]
    most = math.log(2 * len(having) + 2)
    counts = [sum(map(bool, column)) for column in zip(*having, strict=True)]

    def local(count: int) -> float:
        return _FLOOR + (1 - _FLOOR) * math.log((len(having) + 1) / (count + 0.5)) / most

    counted = zip(what.weights.items(), counts or [0] * len(what.weights), strict=True)
    return {term: weight * local(count) for (term, weight), count in counted}


def _relative(score: float, top: float, rank: int) -> float:
    """Return how good a passage is beside the best one; by its rank where scores say nothing."""
    return max(score, 0.0) / top if top > 0 else 1 / (1 + rank)


def _candidates(
    what: _Weighed,
    local: _Weighed,
    read: MatchedPassage,
    topics: Shares,
    known: Shares,
    retrieved: float,
) -> Iterator[Candidate]:
    known_above = union(read.above, known)
    titled = float(read.titled)
    steps = what.asked.answer_type == "manner"
    before = earlier = what.nothing
    lead = ""
    about = {term for term, share in zip(what.terms, topics, strict=True) if share}
    for sentence, matched in read.sentences:
        # What follows a question answers it, in a list of questions or below such a heading.
        answers = is_question(lead)
        own = union(matched, before) if answers else matched
        found = union(own, topics) if about else own
        near = union(read.above, read.sentences[0].found, earlier)
        features = _shares(what, local, _Around(own, found, before, near, known_above))
        features["titled"], features["retrieved"] = titled, retrieved
        # Steps of something else are none: they count as far as they are about what was asked.
        features["step"] = features["reach"] if steps and is_step(sentence.text) else 0.0
        features |= _own_features(
            what.asked, sentence, lead if answers else "", features["coverage"], about
        )
        yield Candidate(
            passage=read.passage,
            rank=read.rank,
            start=sentence.start,
            end=sentence.end,
            text=sentence.text,
            lead=lead,
            features=features,
            score=sum([weight * features[name] for name, weight in WEIGHTS.items()]),
            terms=sentence.known,
            question_terms=what.terms,
            shares=own,
            passage_shares=read.whole,
        )
        before, earlier, lead = matched, before, sentence.text


class _Around(NamedTuple):
    """The question's terms in a sentence and around it.

    Attributes:
        own: In the sentence itself.
        found: In it, or in what its whole document is about.
        before: In the sentence before.
        near: Above the passage, in its first sentence and in the last but one.
        known: In what every sentence of the passage has above it.
    """

    own: Shares
    found: Shares
    before: Shares
    near: Shares
    known: Shares


def _shares(what: _Weighed, local: _Weighed, around: _Around) -> dict[str, float]:
    """Return the weighted shares of the question: each place counts what those nearer lack."""
    coverage = before = near = attribute = reach = 0.0
    for weight, local_weight, own, found, in_before, in_near, known in zip(
        what.weights, local.weights, *around, strict=True
    ):
        farthest = found
        coverage += weight * found
        if in_before > farthest:
            before += weight * (in_before - farthest)
            farthest = in_before
        if in_near > farthest:
            near += weight * (in_near - farthest)
            farthest = in_near
        if own > known:
            attribute += weight * (own - known)
        reach += local_weight * farthest
    return {
        "coverage": coverage / what.total,
        "before": before / what.total,
        "around": near / what.total,
        "attribute": attribute / what.total,
        "reach": reach / local.total,
    }


def _own_features(
    question: Asked, sentence: ReadSentence, answered: str, coverage: float, about: set[str]
) -> dict[str, float]:
    looks = could_answer(sentence.text, question)
    return {
        "characters": _characters(question, sentence.text, coverage),
        "pairs": _pairs(question, sentence, about),
        "typed": typed(question, looks, answered),
        "naming": float(question.naming and names_something(sentence.text)),
        "measured": float(question.measure is not None and bool(looks)),
    }


def _characters(what: Asked, text: str, coverage: float) -> float:
    """Return the share of the question's Han characters: 演唱 and 献唱 share one."""
    if not what.characters:
        return coverage
    return sum(char in text for char in what.characters) / len(what.characters)


def _pairs(question: Asked, sentence: ReadSentence, about: set[str]) -> float:
    """Return the share of the pairs that stand together, or are what the document is about."""
    pairs = question.pairs
    if not pairs:
        return 0.0
    return sum([_has(pair, sentence, about) for pair in pairs]) / len(pairs)


def _has(pair: tuple[str, str], sentence: ReadSentence, about: set[str]) -> bool:
    first, second = pair
    if first in sentence.known and second in sentence.known and pair in pairwise(sentence.terms):
        return True
    if first in about and second in about:
        return True
    is_han = first >= "\u3400" and HAN_RUN.match(first) is not None
    return is_han and first + second in sentence.text
