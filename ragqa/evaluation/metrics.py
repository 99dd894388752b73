"""The figures of an evaluation, under the names that ``ragqa eval --json`` prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ragqa.evaluation.calibration import as_json, expected_error, reliability, trade_off
from ragqa.evaluation.outcome import Outcome
from ragqa.records.stats import quantile

DEPTH = 10
"""Passages that retrieval is measured on."""

_RESAMPLES = 1000
_SEED = 20260
_DIGITS = 4

Grade = Callable[[Outcome], float | None]


def _recall(k: int) -> Grade:
    def grade(outcome: Outcome) -> float | None:
        if not outcome.question.places:
            return None
        return float(outcome.rank is not None and outcome.rank <= k)

    return grade


def _reciprocal(outcome: Outcome) -> float | None:
    if not outcome.question.places:
        return None
    return 0.0 if outcome.rank is None else 1 / outcome.rank


def _holds_gold(outcome: Outcome) -> float | None:
    right = outcome.right if outcome.question.answerable else None
    return None if right is None else float(right)


def _refused(answerable: bool) -> Grade:
    def grade(outcome: Outcome) -> float | None:
        return float(outcome.refused) if outcome.question.answerable is answerable else None

    return grade


GRADES: dict[str, Grade] = {
    "recall_at_1": _recall(1),
    "recall_at_5": _recall(5),
    "recall_at_10": _recall(DEPTH),
    "mrr": _reciprocal,
    "answer_holds_gold": _holds_gold,
    "token_f1": lambda outcome: outcome.f1 if outcome.question.answerable else None,
    "citation_precision": lambda outcome: outcome.citation_precision,
    "citation_recall": lambda outcome: outcome.citation_recall,
    "refused_unanswerable": _refused(answerable=False),
    "false_refusals": _refused(answerable=True),
}
"""What is averaged over the questions to which it applies."""

_ORDER = (
    "n", "recall_at_1", "recall_at_5", "recall_at_10", "mrr", "answer_holds_gold", "token_f1",
    "citation_precision", "citation_recall", "citation_verbatim", "refused_unanswerable",
    "false_refusals", "ece", "rates", "latency_ms", "tokens", "cost", "citations_unchecked",
    "curve", "reliability", "intervals",
)  # fmt: skip

LOWER_IS_BETTER = frozenset({"false_refusals", "ece", "citations_unchecked"})


@dataclass(frozen=True, slots=True)
class Metrics:
    """All figures of an evaluation.

    Attributes:
        values: As ``ragqa eval --json`` prints them. A figure is None where no question tells it.
    """

    values: dict[str, Any]

    def figures(self) -> dict[str, float | None]:
        """Return every single figure; those of a group as ``rates.repaired``."""
        flat: dict[str, float | None] = {}
        for name, value in self.values.items():
            if isinstance(value, dict) and name not in {"intervals"}:
                flat |= {f"{name}.{k}": v for k, v in value.items() if not isinstance(v, dict)}
            elif not isinstance(value, (dict, list)):
                flat[name] = value
        return flat


def measure(outcomes: Sequence[Outcome]) -> Metrics:
    """Return the figures of questions that were asked."""
    graded = {name: [grade(outcome) for outcome in outcomes] for name, grade in GRADES.items()}
    bins = reliability(outcomes)
    checked = [held for outcome in outcomes for held in outcome.row["verbatim"]]
    known = [held for held in checked if held is not None]
    values = {name: _mean(grades) for name, grades in graded.items()} | {
        "n": len(outcomes),
        "citation_verbatim": _mean([float(held) for held in known]),
        "citations_unchecked": len(checked) - len(known),
        "ece": _rounded(expected_error(bins)),
        "rates": rates(outcomes),
        "latency_ms": _latency(outcomes),
        "tokens": _tokens(outcomes),
        "cost": _cost(outcomes),
        "curve": as_json(trade_off(outcomes)),
        "reliability": as_json(bins),
        "intervals": _intervals(graded),
    }
    return Metrics({name: values[name] for name in _ORDER})


def rates(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return how replies fared at the gates, as shares of all questions, and what was rejected."""
    kinds = Counter(map(_fate, outcomes))
    answers = [outcome.row["answer"] for outcome in outcomes]
    refusals = [refusal for outcome in outcomes for refusal in outcome.row["refusals"]]
    named = ("valid_first_try", "repaired_without_call", "repaired_by_call", "degraded", "failed")
    shares = {name: _rounded(kinds[name] / len(outcomes)) if outcomes else None for name in named}
    shares["abstained"] = _mean([float(answer["status"] == "abstained") for answer in answers])
    shares["needs_human"] = _mean([float(a["response"]["needs_human"]) for a in answers])
    return {
        **shares,
        "rejected": _counted(refusal["code"] for refusal in refusals),
        "rejected_by_gate": _counted(refusal["gate"] for refusal in refusals),
        "rejected_fields": _counted(
            field for refusal in refusals for _, field in refusal["faults"] if field
        ),
    }


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


def _fate(outcome: Outcome) -> str:
    if outcome.status in {"degraded", "failed"}:
        return outcome.status
    attempts = outcome.row["answer"]["attempts"]
    if outcome.status == "repaired" or any(a["verdict"] == "rejected" for a in attempts):
        return "repaired_by_call"
    return "repaired_without_call" if any(a["repairs"] for a in attempts) else "valid_first_try"


def _latency(outcomes: Sequence[Outcome]) -> dict[str, float | None]:
    took = [ms for o in outcomes if (ms := o.row["latency_ms"]) is not None]
    return {"p50": quantile(took, 0.5), "p95": quantile(took, 0.95)}


def _tokens(outcomes: Sequence[Outcome]) -> dict[str, int]:
    usages = [outcome.row["answer"]["usage"] for outcome in outcomes]
    names = {
        "calls": "calls",
        "prompt": "prompt_tokens",
        "completion": "completion_tokens",
        "cached": "cached_tokens",
    }
    return {name: sum(usage[field] for usage in usages) for name, field in names.items()}


def _cost(outcomes: Sequence[Outcome]) -> float | None:
    costs = [outcome.row["answer"]["usage"]["cost"] for outcome in outcomes]
    known = [cost for cost in costs if cost is not None]
    return round(sum(known), 6) if known else None


def _intervals(graded: dict[str, list[float | None]]) -> dict[str, list[float]]:
    """Return 95 % intervals of the averages: bootstrap over the questions, percentiles."""
    import numpy as np

    random = np.random.default_rng(_SEED)
    intervals = {}
    for name, grades in graded.items():
        known = np.array([grade for grade in grades if grade is not None])
        if len(known):
            drawn = random.integers(0, len(known), size=(_RESAMPLES, len(known)))
            low, high = np.quantile(known[drawn].mean(axis=1), [0.025, 0.975])
            intervals[name] = [round(float(low), _DIGITS), round(float(high), _DIGITS)]
    return intervals


def _mean(grades: Sequence[float | None]) -> float | None:
    known = [grade for grade in grades if grade is not None]
    return _rounded(sum(known) / len(known)) if known else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)
