"""Fit what the confidence of an answer is worth, and when to refuse, on the tuned half.

    python -m tests.quality.calibrate [--folds 8]

Prints what belongs into ragqa/grounding/evidence.py: ODDS and THIN. Both are fitted to scores
of questions that neither the weights of the choice nor the coefficients of the evidence were fitted
on, and ODDS to the answers as they are given: shortened, perhaps of two sentences.
"""

from __future__ import annotations

import argparse
import math
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ragqa.grounding.choice import WEIGHTS
from ragqa.grounding.evidence import COEFFICIENTS, SUREST
from tests.quality.fit import (
    BY_HAND,
    PENALTY,
    Case,
    cases,
    evidence_of,
    fit_choice,
    fit_evidence,
    importance,
    is_right,
)
from tests.quality.qa import LANGUAGES, corpus

FALSE_REFUSALS = 0.04
"""Of the answerable questions, in folds held out. The aim is 5 % elsewhere."""

_RIDGE = 10.0


@dataclass(frozen=True)
class Scored:
    """A case, its score by models fitted on the other folds, and whether the answer is right."""

    case: Case
    score: float
    right: bool


def scored(told: Sequence[Case], folds: int, penalty: float = PENALTY) -> Iterator[Scored]:
    """Choose and weigh each case by what was fitted on the others."""
    choosing = [name for name in WEIGHTS if name not in BY_HAND]
    weighing = [name for name in COEFFICIENTS if name not in BY_HAND]
    for n in range(folds):
        others = [case for case in told if case.fold(folds) != n]
        weights = fit_choice([case for case in others if case.answerable], choosing, steps=250)
        weights = {**weights, "measured": WEIGHTS["measured"]}
        fitted, x, right = evidence_of([ranked_by(weights, c) for c in others], weighing)
        model = fit_evidence(fitted, x, right, weighing, penalty)
        own = [ranked_by(weights, case) for case in told if case.fold(folds) == n]
        kept, x, _ = evidence_of(own, weighing)
        for case, score in zip(kept, model(x), strict=True):
            yield Scored(case, float(score), is_right(case))


def ranked_by(weights: Mapping[str, float], case: Case) -> Case:
    """Return a case with its sentences ranked by other weights."""
    scores = (sum(w * c.features[name] for name, w in weights.items()) for c in case.ranked)
    ranked = [c._replace(score=score) for c, score in zip(case.ranked, scores, strict=True)]
    return replace(case, ranked=sorted(ranked, key=lambda candidate: -candidate.score))


def thin(told: Sequence[Scored], answerable: int) -> float:
    """Return the highest threshold, in hundredths, that refuses no more than accepted."""
    able = [each.score for each in told if each.case.answerable and not each.case.withheld]
    lost = answerable - len(able)  # nothing at all to quote
    allowed = (
        n / 100
        for n in range(1, 100)
        if lost + sum(score < n / 100 for score in able) <= FALSE_REFUSALS * answerable
    )
    return max(allowed, default=0.0)


def odds(told: Sequence[Scored], least: float) -> tuple[float, float]:
    """Return slope and shift of the log-odds that make what came of the answers likeliest.

    Platt's scaling, as in https://arxiv.org/abs/1706.04599, section 4.1, drawn towards leaving the
    score as it is.
    """
    given = np.array([each.score >= least for each in told])
    weight = importance([each.case for each in told])[given]
    told = [each for each in told if each.score >= least]
    design = np.array([[log_odds(each.score), 1.0] for each in told])
    right = np.array([each.right for each in told], float)
    asis = np.array([1.0, 0.0])
    fitted = asis
    for _ in range(50):
        p = 1 / (1 + np.exp(-design @ fitted))
        curve = (design * (weight * p * (1 - p))[:, None]).T @ design + _RIDGE * np.eye(2)
        slope = design.T @ (weight * (p - right)) + _RIDGE * (fitted - asis)
        fitted = fitted - np.linalg.solve(curve, slope)
    return float(fitted[0]), float(fitted[1])


def log_odds(score: float) -> float:
    return math.log(score / (1 - score))


def confidence(score: float, fitted: tuple[float, float]) -> float:
    slope, shift = fitted
    return min(1 / (1 + math.exp(-(slope * log_odds(score) + shift))), SUREST)


def error(confidences: Sequence[float], right: Sequence[bool]) -> tuple[float, float]:
    """Return the calibration error in ten bins, and what a perfect confidence would show.

    https://arxiv.org/abs/1706.04599; on a hundred answers it is far from 0 by chance alone.
    """
    p = np.array(confidences)
    chance = np.random.default_rng(0)
    drawn = [_error(p, chance.random(len(p)) < p) for _ in range(500)]
    return _error(p, np.array(right)), float(np.mean(drawn))


def _error(p: np.ndarray, right: np.ndarray, bins: int = 10) -> float:
    at = np.minimum((p * bins).astype(int), bins - 1)
    return float(sum(abs((p - right)[at == n].sum()) for n in range(bins)) / len(p))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folds", type=int, default=8)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        told = [
            case for lang in LANGUAGES for case in cases(lang, "tuned", corpus(lang, Path(home)), 5)
        ]
    all_ = list(scored(told, options.folds))
    for language in LANGUAGES:
        own = [each for each in all_ if each.case.language == language]
        real = [case for case in told if case.language == language and not case.withheld]
        _print(language, own, sum(case.answerable for case in real), options.folds)


def _print(language: str, own: Sequence[Scored], answerable: int, folds: int) -> None:
    least = thin(own, answerable)
    slope, shift = odds(own, least)
    print(f"{language}: THIN {least:.2f}, ODDS ({slope:.2f}, {shift:.2f})")
    confidences, right = [], []
    for n in range(folds):
        fitted = odds([each for each in own if each.case.fold(folds) != n], least)
        for each in own:
            if each.case.fold(folds) == n and each.score >= least and not each.case.withheld:
                confidences.append(confidence(each.score, fitted))
                right.append(each.right)
    held_out, perfect = error(confidences, right)
    unable = [e.score < least for e in own if not e.case.answerable and not e.case.withheld]
    print(f"  held out: error {held_out:.3f} (by chance {perfect:.3f}), ", end="")
    print(f"{np.mean(unable):.3f} of the unanswerable refused")


if __name__ == "__main__":
    main()
