"""Fit the weights of the choice of sentences, of their words and of the evidence.

    python -m tests.quality.fit [--half tuned] [--more FOLDER] [--k 5] [--folds 5]

Prints what belongs into ragqa/grounding/choice.py (WEIGHTS), excerpt.py (WORD_WEIGHTS) and
evidence.py (COEFFICIENTS, INTERCEPT), both languages together. WEIGHTS come from the half alone,
the rest also from further questions (``--more``, see tests/quality/more_questions.py). Of the
choice of sentences it says how often it is right on questions that it was not fitted on. What
follows from the evidence: tests/quality/calibrate.py.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ragqa.evaluation.texts import holds_any
from ragqa.grounding.asked import asked
from ragqa.grounding.choice import WEIGHTS, Candidate
from ragqa.grounding.evidence import COEFFICIENTS, weigh
from ragqa.grounding.excerpt import WORD_WEIGHTS, word_features
from ragqa.language import content_words
from ragqa.stages.pieces import joined, quoted
from tests.quality.cases import Case, importance, read_cases

# Too few questions of these sets ask for a price or a weight. What a sentence tells no figure of
# that kind is made as good as refused, and one that does is put before all that do not. None
# of their documents has steps.
BY_HAND = {"measured", "measure_missing", "step"}
PENALTY = 2.0
_LONGEST_ANSWER = 200
_PROSE_CHARS = 2000

Choices = list[tuple[np.ndarray, np.ndarray]]
"""For each question the features of what may be chosen, a row each, and which of them are right."""


def fit_choice(
    told: Sequence[Case], names: Sequence[str], *, penalty: float = 10.0, steps: int = 400
) -> dict[str, float]:
    """Raise the likelihood, under a softmax over its sentences, that one holds the answer."""
    choices = [_sentences(names, case) for case in told]
    return _softmax(names, choices, np.ones(len(told)), penalty, steps)


def fit_words(told: Sequence[Case], names: Sequence[str]) -> dict[str, float]:
    """Raise the likelihood, under a softmax over the words of a sentence, of the answer's."""
    best = [(case, _holding(case)) for case in told]
    kept = [(case, candidate) for case, candidate in best if candidate is not None]
    choices = [_words(names, case, candidate) for case, candidate in kept]
    return _softmax(names, choices, importance([case for case, _ in kept]), 10.0, 400)


def _softmax(
    names: Sequence[str], choices: Choices, weight: np.ndarray, penalty: float, steps: int
) -> dict[str, float]:
    told = [(x, y, w) for (x, y), w in zip(choices, weight, strict=True) if 0 < y.sum() < len(y)]
    x = np.concatenate([x for x, _, _ in told])
    right = np.concatenate([y for _, y, _ in told])
    sizes = np.array([len(y) for _, y, _ in told])
    starts, of = np.r_[0, sizes.cumsum()[:-1]], np.repeat(np.arange(len(sizes)), sizes)
    each = np.array([w for _, _, w in told])[of] / len(told)
    scale = x.std(0) + 1e-9
    x = x / scale
    weights, mean, square = (np.zeros(len(names)) for _ in range(3))
    for step in range(1, steps + 1):  # Adam, https://arxiv.org/abs/1412.6980
        z = x @ weights
        odds = np.exp(z - np.maximum.reduceat(z, starts)[of])
        given_right = odds * right / np.add.reduceat(odds * right, starts)[of]
        slope = x.T @ (each * (given_right - odds / np.add.reduceat(odds, starts)[of]))
        slope -= penalty * weights / len(told)
        mean = 0.9 * mean + 0.1 * slope
        square = 0.999 * square + 0.001 * slope**2
        weights += 0.05 * mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    return {name: round(float(w), 1) for name, w in zip(names, weights / scale, strict=True)}


def _sentences(names: Sequence[str], case: Case) -> tuple[np.ndarray, np.ndarray]:
    row, ranked = case.row, case.ranked
    holds = [row.holds_gold(c.text) for c in ranked]
    right = [h and c.passage.id in row.documents for h, c in zip(holds, ranked, strict=True)]
    x = np.array([[c.features[name] for name in names] for c in ranked]).reshape(-1, len(names))
    return x, np.array(right if any(right) else holds, float)


def _holding(case: Case) -> Candidate | None:
    """Return the first of the best sentences that holds the answer."""
    holding = (c for c in case.quotable[:3] if case.row.holds_gold(c.text))
    return next((c for c in holding if len(c.text) <= _PROSE_CHARS), None)


def _words(names: Sequence[str], case: Case, at: Candidate) -> tuple[np.ndarray, np.ndarray]:
    question = asked(case.row.question)
    features = word_features(at.text, question)
    x = np.array([[word[name] for name in names] for word in features]).reshape(-1, len(names))
    spans = [
        match.span()
        for answer in case.row.answers
        for match in re.finditer(re.escape(answer), at.text, re.I)
    ]
    words = content_words(at.text, segment=bool(question.characters))
    right = [any(word.start < end and start < word.end for start, end in spans) for word in words]
    return x, np.array(right, float)


def chosen_right(told: Sequence[Case], weights: Mapping[str, float]) -> list[bool]:
    """Tell of each case whether the sentence that scores best holds the answer."""
    return [
        bool(case.ranked)
        and case.row.holds_gold(
            max(case.ranked, key=lambda c: sum(w * c.features[n] for n, w in weights.items())).text
        )
        for case in told
    ]


@dataclass(frozen=True)
class Logistic:
    """A logistic model of whether the best sentence holds the answer."""

    names: tuple[str, ...]
    slopes: np.ndarray
    intercept: float

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Return the confidence for each row of features."""
        return 1 / (1 + np.exp(-(self.intercept + x @ self.slopes)))


def fit_evidence(
    told: Sequence[Case], x: np.ndarray, right: np.ndarray, names: Sequence[str], penalty: float
) -> Logistic:
    """Fit by Newton's method, ridge on standardised features."""
    weight = importance(told)
    mean, scale = x.mean(0), x.std(0) + 1e-9
    design = np.c_[(x - mean) / scale, np.ones(len(x))]
    ridge = np.r_[np.full(x.shape[1], penalty), 1e-6]
    weights = np.zeros(design.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-design @ weights))
        curve = (design * (weight * p * (1 - p))[:, None]).T @ design + np.diag(ridge)
        slope = design.T @ (weight * (p - right)) + ridge * weights
        weights -= np.linalg.solve(curve, slope)
    slopes = weights[:-1] / scale
    return Logistic(tuple(names), slopes, float(weights[-1] - slopes @ mean))


def is_right(case: Case) -> bool:
    """Tell whether the answer as it is given is right: shortened, perhaps of two sentences."""
    passages_ = list({id(c.passage): c.passage for c in case.ranked}.values())
    pieces = quoted(asked(case.row.question), case.quotable, passages_, _LONGEST_ANSWER)
    return case.answerable and holds_any(joined(pieces), case.row.answers)


def evidence_of(
    told: Iterable[Case], names: Sequence[str]
) -> tuple[list[Case], np.ndarray, np.ndarray]:
    """Return the cases with a sentence to quote, their features, and whether the best is right."""
    best = [(case, case.quotable) for case in told]
    kept = [(case, ranked) for case, ranked in best if ranked]
    weighed = [(c, r, weigh(asked(c.row.question), r).features) for c, r in kept]
    weighed = [each for each in weighed if each[2]]
    x = np.array([[features[name] for name in names] for _, _, features in weighed])
    right = [c.answerable and c.row.holds_gold(r[0].text) for c, r, _ in weighed]
    return [c for c, _, _ in weighed], x, np.array(right, float)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=["tuned", "other"], default="tuned")
    parser.add_argument("--more", type=Path, metavar="FOLDER")
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--folds", type=int, default=5)
    options = parser.parse_args()
    half = read_cases(options.half, options.k, None)
    if _print_choice([case for case in half if case.answerable], options.folds):
        told = read_cases(options.half, options.k, options.more) if options.more else half
        able = [case for case in told if case.answerable]
        print(len(able), "answerable questions,", len(told) - len(able), "others")
        print("WORD_WEIGHTS =", fit_words(able, list(WORD_WEIGHTS)))
        _print_evidence(told)
        print(f"right in all {np.mean(chosen_right(able, WEIGHTS)):.3f}")


def _print_choice(able: Sequence[Case], folds: int) -> bool:
    """Print the weights of the choice; tell whether they are those in use."""
    names = [name for name in WEIGHTS if name not in BY_HAND]
    print("WEIGHTS =", weights := fit_choice(able, names))
    held_out = []
    for n in range(folds):
        others = fit_choice([case for case in able if case.fold(folds) != n], names)
        held_out += chosen_right([case for case in able if case.fold(folds) == n], others)
    print(f"  right {np.mean(chosen_right(able, weights)):.3f}, held out {np.mean(held_out):.3f}")
    if any(WEIGHTS[name] != weight for name, weight in weights.items()):
        print("Put them into ragqa/grounding/choice.py and run this again for the rest.")
        return False
    return True


def _print_evidence(told: Sequence[Case], penalty: float = PENALTY) -> None:
    names = [name for name in COEFFICIENTS if name not in BY_HAND]
    told, x, right = evidence_of(told, names)
    model = fit_evidence(told, x, right, names, penalty)
    print(
        "COEFFICIENTS =", {n: round(float(s), 2) for n, s in zip(names, model.slopes, strict=True)}
    )
    print("INTERCEPT =", round(model.intercept, 2))


if __name__ == "__main__":
    main()
