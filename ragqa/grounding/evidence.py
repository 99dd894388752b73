"""How strongly the retrieved sentences support an answer: a few features, one logistic model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragqa.grounding.asked import Asked
from ragqa.grounding.choice import WEIGHTS, Candidate
from ragqa.language import Language, has_han

# Fitted by `python -m tests.quality.fit`: a ridge logistic model of "the best sentence holds the
# answer", over 7,449 questions, English and Chinese, as many of them once more with the documents
# left out that answer them, and 2,500 that sound as if the documents answered them.
COEFFICIENTS: Mapping[str, float] = {
    "reach": 2.5,
    "matter": 1.09,
    "gap": 0.28,
    "names_missing": -1.23,
    "figures_missing": -1.1,
    "pairs": 0.76,
    # Not fitted: too few questions of these sets ask for a price or a weight. A missing figure of
    # the kind asked for weighs as much as a missing name and most of the question beside.
    "measure_missing": -3.0,
}
INTERCEPT = -3.41
ODDS: Mapping[Language, tuple[float, float]] = {"en": (0.7, -0.01), "zh": (1.04, 0.4)}
"""How the sum of the weighted features becomes the log-odds of a right answer: times the first,
plus the second. `python -m tests.quality.calibrate`: fitted to the answers as they are given, each
judged by a model that was fitted without it."""

THIN = 0.22
"""Below this confidence an answer would mislead more than three times in four. The same program:
the highest that refuses no more than 5 % of the answerable questions in either language."""

SUREST = 0.97

_USUAL_GAP = 2.0  # where nothing else was retrieved to compare with
_WIDEST_GAP = 8.0


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for the best sentence.

    Attributes:
        features: By name; see :func:`weigh`.
        confidence: How likely the answer made of it is right, from 0 to 1.
        thin: Whether that is too little to answer from.
    """

    features: Mapping[str, float]
    confidence: float
    thin: bool


def weigh(question: Asked, ranked: Sequence[Candidate]) -> Evidence:
    """Weigh the evidence for the best of the ranked sentences.

    ``reach`` is the share of the question (of its words, in Chinese also of its characters) that
    the sentence, the one before it, title and heading hold; ``matter`` the share of its words
    other than names that the sentence itself holds, each counting alike; ``pairs`` the share of its
    neighbouring words that stand side by side there, too; ``gap`` by how much it beats the best
    sentence of another passage that says something else; ``names_missing`` and
    ``figures_missing`` the shares of the question's names and figures that its whole passage
    lacks: a passage on somebody else answers nothing; ``measure_missing`` says that a price, a
    weight or the like was asked for and the sentence tells none.
    """
    # A lone letter stands anywhere; a lone Chinese character is a word.
    if not ranked or not any(len(term) > 1 or has_han(term) for term in question.weights):
        return Evidence({}, 0.0, thin=True)
    features = _features(question, ranked)
    sum_ = INTERCEPT + sum(COEFFICIENTS[name] * value for name, value in features.items())
    slope, shift = ODDS[question.language]
    confidence = min(_share(slope * sum_ + shift), SUREST)
    return Evidence(features, confidence, thin=confidence < THIN)


def _share(log_odds: float) -> float:
    return 1 / (1 + math.exp(-log_odds))


def _features(question: Asked, ranked: Sequence[Candidate]) -> dict[str, float]:
    best = ranked[0]
    others = (other for other in ranked if other.rank != best.rank)
    second = next((other for other in others if other.terms != best.terms), None)
    gap = _lead(best) - _lead(second) if second else _USUAL_GAP
    return {
        "reach": _reach(question, best),
        "matter": _matter(question, best),
        "gap": min(gap, _WIDEST_GAP),
        "names_missing": _missing(question.names, best),
        "figures_missing": _missing(question.figures, best),
        "pairs": best.features["pairs"],
        "measure_missing": float(question.measure is not None and not best.features["measured"]),
    }


def _lead(candidate: Candidate) -> float:
    """Return its score without what only orders it: that steps come first is no evidence."""
    return candidate.score - WEIGHTS["step"] * candidate.features["step"]


def _reach(question: Asked, best: Candidate) -> float:
    words = best.features["reach"]
    if not question.characters:
        return words
    passage = best.passage
    near = "".join((passage.title, passage.heading, best.lead, best.text))
    return (
        words + sum(char in near for char in question.characters) / len(question.characters)
    ) / 2


def _matter(question: Asked, best: Candidate) -> float:
    terms = [term for term in question.weights if term not in question.names]
    return sum(best.found[term] for term in terms) / len(terms) if terms else 1.0


def _missing(terms: frozenset[str], best: Candidate) -> float:
    lost = sum(best.found_in_passage[term] < 0.5 for term in terms)
    return lost / len(terms) if terms else 0.0
