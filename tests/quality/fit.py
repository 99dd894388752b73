"""Fit the weights of the choice of sentences and of the evidence on the tuned half.

    python -m tests.quality.fit [--half tuned] [--k 5] [--folds 8]

Prints what belongs into ragqa/grounding/choice.py (WEIGHTS) and ragqa/grounding/evidence.py
(COEFFICIENTS, INTERCEPT), both languages together, and how well the choice does on questions of
the same half that it was not fitted on. What follows from the evidence: tests/quality/calibrate.py.

Half of the evidence is made: every answerable question is also asked of what is retrieved when the
documents that answer it are left out. That is what an unanswerable question looks like.
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ragqa.evaluation.texts import holds_any
from ragqa.grounding.asked import asked
from ragqa.grounding.choice import WEIGHTS, Candidate, rank_sentences
from ragqa.grounding.evidence import COEFFICIENTS, weigh
from ragqa.retrieval.embedded import EmbeddedIndex
from ragqa.stages.quote import answer_text, quotable
from tests.quality.qa import LANGUAGES, Row, corpus, passages, rows

UNANSWERABLE = 0.3
"""The share of unanswerable questions that a confidence is worth what it says at."""

# Too few questions of these sets ask for a price or a weight. What a sentence tells no figure of
# that kind is made as good as refused, and one that does is put before all that do not.
BY_HAND = {"measured", "measure_missing"}
PENALTY = 2.0
_DEEP = 20
_LONGEST_ANSWER = 200


@dataclass(frozen=True)
class Case:
    """A question and the ranked sentences of what was retrieved for it.

    Attributes:
        row: The question.
        language: Its language.
        ranked: Every sentence, best first.
        withheld: Whether what answers it was left out.
    """

    row: Row
    language: str
    ranked: list[Candidate]
    withheld: bool = False

    @property
    def answerable(self) -> bool:
        return self.row.answerable and not self.withheld

    @property
    def quotable(self) -> list[Candidate]:
        question = asked(self.row.question)
        return [candidate for candidate in self.ranked if quotable(candidate, question)]

    def fold(self, folds: int) -> int:
        """Return the fold it belongs to: the same one whether documents are withheld or not."""
        return hashlib.md5(f"fold {self.row.id}".encode()).digest()[0] % folds


def cases(language: str, half: str, index: EmbeddedIndex, k: int) -> list[Case]:
    """Return the cases of a half: those asked, and those with the answer withheld."""
    made = []
    for row in rows(language, half):
        found = passages(index, row, _DEEP)
        made.append(Case(row, language, rank_sentences(row.question, found[:k])))
        if row.answerable:
            left = [p for p in found if p.id not in row.documents and not row.holds_gold(p.text)]
            ranked = rank_sentences(row.question, left[:k])
            made.append(Case(row, language, ranked, withheld=True))
    return made


def fit_choice(
    told: Sequence[Case], names: Sequence[str], *, penalty: float = 10.0, steps: int = 400
) -> dict[str, float]:
    """Raise the likelihood, under a softmax over its sentences, that one holds the answer."""
    pairs = [(x, y) for x, y in (_design(names, case) for case in told) if 0 < y.sum() < len(y)]
    scale = np.concatenate([x for x, _ in pairs]).std(0) + 1e-9
    weights, mean, square = (np.zeros(len(names)) for _ in range(3))
    for step in range(1, steps + 1):  # Adam, https://arxiv.org/abs/1412.6980
        slope = -penalty * weights / len(pairs)
        for x, y in pairs:
            z = (x / scale) @ weights
            p = np.exp(z - z.max())
            p /= p.sum()
            right = p * y / (p @ y)
            slope += (x / scale).T @ (right - p) / len(pairs)
        mean = 0.9 * mean + 0.1 * slope
        square = 0.999 * square + 0.001 * slope**2
        weights += 0.05 * mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    return {name: round(float(w), 1) for name, w in zip(names, weights / scale, strict=True)}


def _design(names: Sequence[str], case: Case) -> tuple[np.ndarray, np.ndarray]:
    row, ranked = case.row, case.ranked
    holds = [row.holds_gold(c.text) for c in ranked]
    right = [h and c.passage.id in row.documents for h, c in zip(holds, ranked, strict=True)]
    x = np.array([[c.features[name] for name in names] for c in ranked]).reshape(-1, len(names))
    return x, np.array(right if any(right) else holds, float)


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


def importance(told: Sequence[Case]) -> np.ndarray:
    """Return how much each case counts: unanswerable ones make up their share together."""
    able = sum(case.answerable for case in told)
    each = able * UNANSWERABLE / (1 - UNANSWERABLE) / (len(told) - able)
    return np.array([1.0 if case.answerable else each for case in told])


def is_right(case: Case) -> bool:
    """Tell whether the answer as it is given is right: shortened, perhaps of two sentences."""
    passages_ = list({id(c.passage): c.passage for c in case.ranked}.values())
    text = answer_text(asked(case.row.question), case.quotable, passages_, _LONGEST_ANSWER)
    return case.answerable and holds_any(text, case.row.answers)


def evidence_of(
    told: Sequence[Case], names: Sequence[str]
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
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--folds", type=int, default=8)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        told = [
            case
            for lang in LANGUAGES
            for case in cases(lang, options.half, corpus(lang, Path(home)), options.k)
        ]
    names = [name for name in WEIGHTS if name not in BY_HAND]
    able = [case for case in told if case.answerable]
    print("WEIGHTS =", weights := fit_choice(able, names))
    held_out = []
    for n in range(options.folds):
        others = fit_choice([case for case in able if case.fold(options.folds) != n], names)
        held_out += chosen_right([c for c in able if c.fold(options.folds) == n], others)
    print(f"  right {np.mean(chosen_right(able, weights)):.3f}, held out {np.mean(held_out):.3f}")
    if any(WEIGHTS[name] != weight for name, weight in weights.items()):
        print("Put them into ragqa/grounding/choice.py and run this again for the evidence.")
        return
    _print_evidence(told)


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
