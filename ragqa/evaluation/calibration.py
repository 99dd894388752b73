"""What confidence is worth: reliability, and refusals over every threshold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ragqa.evaluation.outcome import Outcome

BINS = 10


@dataclass(frozen=True, slots=True)
class Bin:
    """Answers of about the same confidence.

    Attributes:
        n: How many.
        confidence: Their mean confidence.
        right: The share of them that is right.
    """

    n: int
    confidence: float
    right: float


@dataclass(frozen=True, slots=True)
class TradeOff:
    """What would be refused at a threshold.

    Attributes:
        threshold: The confidence below which answers would be refused; None for the chain's own
            refusals alone, and for less than these.
        false_refusals: The share of answerable questions that would be refused.
        refused_unanswerable: The share of unanswerable ones.
        own: Whether this is what the chain did.
    """

    threshold: float | None
    false_refusals: float
    refused_unanswerable: float
    own: bool = False


def reliability(outcomes: Sequence[Outcome]) -> list[Bin]:
    """Sort the answers given, where right is known, into bins of equal width by confidence."""
    known = [
        (outcome.confidence, float(right))
        for outcome in outcomes
        if not outcome.refused and (right := outcome.right) is not None
    ]
    bins: list[list[tuple[float, float]]] = [[] for _ in range(BINS)]
    for pair in known:
        bins[min(int(pair[0] * BINS), BINS - 1)].append(pair)
    return [
        Bin(len(each), sum(c for c, _ in each) / len(each), sum(r for _, r in each) / len(each))
        for each in bins
        if each
    ]


def expected_error(bins: Sequence[Bin]) -> float | None:
    """Return the expected calibration error, https://arxiv.org/abs/1706.04599."""
    total = sum(each.n for each in bins)
    if not total:
        return None
    return sum(each.n * abs(each.confidence - each.right) for each in bins) / total


def trade_off(outcomes: Sequence[Outcome]) -> list[TradeOff]:
    """Return what a higher or lower threshold would refuse, from nothing to everything.

    What the chain refused counts as less sure than all that it answered.
    """
    able = [_sureness(o) for o in outcomes if o.question.answerable]
    unable = [_sureness(o) for o in outcomes if not o.question.answerable]
    if not able or not unable:
        return []
    points = [TradeOff(None, 0.0, 0.0, own=not any(o.refused for o in outcomes))]
    levels = sorted({*able, *unable})
    for level, above in zip(levels, [*levels[1:], None], strict=True):
        answered = above is None or above[0]
        points.append(
            TradeOff(
                threshold=above[1] if above is not None and above[0] and level[0] else None,
                false_refusals=sum(each <= level for each in able) / len(able),
                refused_unanswerable=sum(each <= level for each in unable) / len(unable),
                own=bool(answered and not level[0]),
            )
        )
    return points


def _sureness(outcome: Outcome) -> tuple[bool, float]:
    return not outcome.refused, outcome.confidence


def as_json(points: Sequence[Bin | TradeOff]) -> list[dict[str, Any]]:
    """Return bins or points as JSON, shares rounded."""
    return [
        {k: round(v, 4) if isinstance(v, float) else v for k, v in asdict(point).items()}
        for point in points
    ]
