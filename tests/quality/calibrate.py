"""Fit what the confidence of an answer is worth, and when to refuse.

    python -m tests.quality.calibrate [--more FOLDER] [--folds 5]

Prints what belongs into ragqa/grounding/evidence.py: ODDS and THIN. Both are fitted to scores
of questions that the coefficients of the evidence were not fitted on, and ODDS to the answers as
they are given: shortened, perhaps of two sentences.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ragqa.grounding.evidence import COEFFICIENTS, SUREST, THIN
from tests.quality.cases import Case, importance, read_cases
from tests.quality.fit import BY_HAND, PENALTY, evidence_of, fit_evidence, is_right
from tests.quality.qa import LANGUAGES

FALSE_REFUSALS = 0.05
"""Of the answerable questions of a language, in folds held out."""

_RIDGE = 10.0
_ANSWERS = 120  # of a half of a question set


@dataclass(frozen=True)
class Scored:
    """A case, its score by a model fitted on the other folds, and whether the answer is right."""

    case: Case
    score: float
    right: bool


def scored(told: Sequence[Case], folds: int, penalty: float = PENALTY) -> Iterator[Scored]:
    """Weigh each case by what was fitted on the others."""
    names = [name for name in COEFFICIENTS if name not in BY_HAND]
    kept, x, right = evidence_of(told, names)
    fold = np.array([case.fold(folds) for case in kept])
    for n in range(folds):
        others = [case for case in kept if case.fold(folds) != n]
        model = fit_evidence(others, x[fold != n], right[fold != n], names, penalty)
        own = (case for case in kept if case.fold(folds) == n)
        for case, score in zip(own, model(x[fold == n]), strict=True):
            yield Scored(case, float(score), is_right(case))


def thin(told: Sequence[Scored], confidences: np.ndarray, none: Sequence[Case]) -> float:
    """Return the highest threshold, in hundredths, that refuses no more than accepted.

    Args:
        told: The cases with something to quote.
        confidences: Theirs.
        none: The cases without.
    """
    cases = [*(each.case for each in told), *none]
    weight = importance(cases)
    able = np.array([case.answerable for case in cases])
    sure = np.append(confidences, np.zeros(len(none)))[able]
    share = weight[able] / weight[able].sum()
    allowed = (n / 100 for n in range(100) if share[sure < n / 100].sum() <= FALSE_REFUSALS)
    return max(allowed, default=0.0)


def odds(told: Sequence[Scored]) -> tuple[float, float]:
    """Return slope and shift of the log-odds that make what came of the answers likeliest.

    Platt's scaling, as in https://arxiv.org/abs/1706.04599, section 4.1, drawn towards leaving the
    score as it is. Answers that are refused for thin evidence are left out.
    """
    weight = importance([each.case for each in told])
    design = np.array([[log_odds(each.score), 1.0] for each in told])
    right = np.array([each.right for each in told], float)
    asis = np.array([1.0, 0.0])
    fitted = asis
    for _ in range(50):
        given = confidence(design, fitted) >= THIN
        x, y, w = design[given], right[given], weight[given]
        p = 1 / (1 + np.exp(-x @ fitted))
        curve = (x * (w * p * (1 - p))[:, None]).T @ x + _RIDGE * np.eye(2)
        slope = x.T @ (w * (p - y)) + _RIDGE * (fitted - asis)
        fitted = fitted - np.linalg.solve(curve, slope)
    return float(fitted[0]), float(fitted[1])


def log_odds(score: float) -> float:
    return math.log(score / (1 - score))


def confidence(design: np.ndarray, fitted: tuple[float, float] | np.ndarray) -> np.ndarray:
    """Return the confidence for rows of log-odds and 1."""
    return np.minimum(1 / (1 + np.exp(-design @ np.array(fitted))), SUREST)


def error(confidences: np.ndarray, right: np.ndarray, weight: np.ndarray) -> float:
    """Return the calibration error in ten bins, https://arxiv.org/abs/1706.04599."""
    bins = 10
    at = np.minimum((confidences * bins).astype(int), bins - 1)
    apart = weight * (confidences - right)
    return float(sum(abs(apart[at == n].sum()) for n in range(bins)) / weight.sum())


def error_of_few(
    confidences: np.ndarray, right: np.ndarray, weight: np.ndarray, size: int
) -> tuple[float, float]:
    """Return the mean error of samples of that size, and that of a perfect confidence in them.

    On a hundred answers it is far from 0 by chance alone.
    """
    chance = np.random.default_rng(0)
    own, perfect = [], []
    for _ in range(500):
        drawn = chance.choice(len(weight), size, p=weight / weight.sum())
        p, alike = confidences[drawn], np.ones(size)
        own.append(error(p, right[drawn], alike))
        perfect.append(error(p, chance.random(size) < p, alike))
    return float(np.mean(own)), float(np.mean(perfect))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--more", type=Path, metavar="FOLDER")
    parser.add_argument("--folds", type=int, default=5)
    options = parser.parse_args()
    told = read_cases("tuned", 5, options.more)
    all_ = list(scored(told, options.folds))
    for language in LANGUAGES:
        own = [each for each in all_ if each.case.language == language]
        with_one = {id(each.case.row) for each in own if not each.case.withheld}
        none = [
            case
            for case in told
            if case.language == language and not case.withheld and id(case.row) not in with_one
        ]
        _print(language, own, none, options.folds)


def _print(language: str, own: Sequence[Scored], none: Sequence[Case], folds: int) -> None:
    slope, shift = odds(own)
    design = np.array([[log_odds(each.score), 1.0] for each in own])
    fold = np.array([each.case.fold(folds) for each in own])
    confidences = np.zeros(len(own))
    for n in range(folds):
        fitted = odds([each for each in own if each.case.fold(folds) != n])
        confidences[fold == n] = confidence(design[fold == n], fitted)
    least = thin(own, confidences, none)
    print(f"{language}: ODDS ({slope:.2f}, {shift:.2f}), THIN up to {least:.2f}")
    weight = importance([each.case for each in own])
    able = np.array([each.case.answerable for each in own])
    given = confidences >= THIN
    right = np.array([each.right for each in own], float)
    held_out = confidences[given], right[given], weight[given]
    few, perfect = error_of_few(*held_out, size=_ANSWERS)
    print(
        f"  held out: calibration error {error(*held_out):.3f}; of {_ANSWERS} answers {few:.3f}, ",
        end="",
    )
    print(f"of a perfect confidence among so few {perfect:.3f}")
    print(f"  unanswerable refused {_share(~given, weight * ~able):.3f}")
    lost = importance([*(each.case for each in own), *none])[len(own) :].sum()
    able_weight = (weight * able).sum() + lost
    print(f"  answerable refused {((weight * able * ~given).sum() + lost) / able_weight:.3f}")
    print(f"  answer holds the right one {(weight * able * given * right).sum() / able_weight:.3f}")


def _share(what: np.ndarray, weight: np.ndarray) -> float:
    return float(weight[what].sum() / weight.sum())


if __name__ == "__main__":
    main()
