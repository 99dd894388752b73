"""Fit the weights of the choice of sentences and of the evidence on the tuned half.

    python -m tests.quality.fit [--half tuned] [--k 5]

Prints what belongs into ragqa/grounding/choice.py (WEIGHTS) and ragqa/grounding/evidence.py
(COEFFICIENTS, INTERCEPT, THIN). Both languages share all of them.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ragqa.grounding.asked import asked
from ragqa.grounding.choice import WEIGHTS, Candidate, rank_sentences
from ragqa.grounding.evidence import COEFFICIENTS, weigh
from ragqa.retrieval.embedded import EmbeddedIndex
from tests.quality.qa import LANGUAGES, Row, corpus, passages, rows

# Of the half's answerable questions, both languages together. Elsewhere a threshold refuses more
# than where it was chosen; the aim is 5 % there.
FALSE_REFUSALS = 0.04
Ranked = list[tuple[Row, list[Candidate]]]


def _ranked(asked_rows: Sequence[Row], index: EmbeddedIndex, k: int) -> Ranked:
    return [(row, rank_sentences(row.question, passages(index, row, k))) for row in asked_rows]


def fit_choice(ranked_rows: Ranked, *, penalty: float = 10.0, steps: int = 400) -> dict[str, float]:
    """Raise the likelihood, under a softmax over its sentences, that one holds the answer."""
    names = list(WEIGHTS)
    pairs = [
        (x, y) for x, y in (_design(names, *row) for row in ranked_rows) if 0 < y.sum() < len(y)
    ]
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


def _design(names: list[str], row: Row, ranked: list[Candidate]) -> tuple[np.ndarray, np.ndarray]:
    holds = [row.holds_gold(c.text) for c in ranked]
    right = [h and c.passage.id in row.documents for h, c in zip(holds, ranked, strict=True)]
    x = np.array([[c.features[name] for name in names] for c in ranked])
    return x, np.array(right if any(right) else holds, float)


def fit_evidence(ranked_rows: Ranked, *, penalty: float = 1.0) -> tuple[dict[str, float], float]:
    """Fit a logistic model of whether the best sentence holds the answer."""
    features = np.array([list(_features(row, ranked).values()) for row, ranked in ranked_rows])
    right = np.array(
        [row.answerable and row.holds_gold(r[0].text) for row, r in ranked_rows], float
    )
    mean, scale = features.mean(0), features.std(0) + 1e-9
    x = np.c_[(features - mean) / scale, np.ones(len(ranked_rows))]
    ridge = np.r_[np.full(features.shape[1], penalty), 1e-6]
    weights = np.zeros(x.shape[1])
    for _ in range(50):  # Newton's method
        p = 1 / (1 + np.exp(-x @ weights))
        curve = (x * (p * (1 - p))[:, None]).T @ x + np.diag(ridge)
        weights -= np.linalg.solve(curve, x.T @ (p - right) + ridge * weights)
    slopes = weights[:-1] / scale
    named = {n: round(float(s), 2) for n, s in zip(COEFFICIENTS, slopes, strict=True)}
    return named, round(float(weights[-1] - slopes @ mean), 2)


def _features(row: Row, ranked: Sequence[Candidate]) -> dict[str, float]:
    return dict(weigh(asked(row.question), ranked).features)


def threshold(ranked_rows: Ranked, coefficients: dict[str, float], intercept: float) -> float:
    """Return a confidence that the accepted share of answerable questions lies below."""
    weights = np.array(list(coefficients.values()))
    sums = np.array(
        [
            intercept + np.array(list(_features(row, ranked).values())) @ weights
            for row, ranked in ranked_rows
            if row.answerable
        ]
    )
    below = round(FALSE_REFUSALS * len(sums))
    return float(np.sort(1 / (1 + np.exp(-sums)))[below - 1 : below + 1].mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=["tuned", "other"], default="tuned")
    parser.add_argument("--k", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        ranked = {
            lang: _ranked(rows(lang, options.half), corpus(lang, Path(home)), options.k)
            for lang in LANGUAGES
        }
    both = [row for lang in LANGUAGES for row in ranked[lang]]
    weights = fit_choice([row for row in both if row[0].answerable])
    print("WEIGHTS =", weights)
    if weights != dict(WEIGHTS):
        print("Put them into ragqa/grounding/choice.py and run this again for the evidence.")
        return
    coefficients, intercept = fit_evidence(both)
    print("COEFFICIENTS =", coefficients, "INTERCEPT =", intercept)
    print("THIN =", round(threshold(both, coefficients, intercept), 2))


if __name__ == "__main__":
    main()
