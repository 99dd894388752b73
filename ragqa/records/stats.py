"""Rates of a period, and whether they dropped against the period before."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ragqa.contract import Usage
from ragqa.ports import Run
from ragqa.records.chance import chance_of_drop

MAX_CHANCE = 0.05
"""A drop that chance alone brings about more often than that is none."""
MIN_CHANGE = 0.05
"""A smaller change of a rate is not worth a report, however certain it is."""

WATCHED: Mapping[str, bool] = {
    "valid_at_first_try": True,
    "valid": True,
    "answered": True,
    "degraded": False,
    "needs_human": False,
}
"""The rates that are compared, and whether a high one is good."""

_UNDER_WAY = ("queued", "in_progress", "requires_action")


@dataclass(slots=True)
class _Share:
    """How many of how many."""

    hits: int = 0
    of: int = 0

    def count(self, hit: bool) -> None:
        self.hits += hit
        self.of += 1

    @property
    def rate(self) -> float | None:
        return round(self.hits / self.of, 4) if self.of else None


@dataclass(slots=True)
class Period:
    """What happened in a period. Feed it runs, then look at :meth:`as_json`."""

    runs: int = 0
    states: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    shares: dict[str, _Share] = field(default_factory=dict)
    needs_human: dict[str, dict[str, _Share]] = field(default_factory=dict)
    failures: dict[str, Counter[str]] = field(
        default_factory=lambda: {"gate": Counter(), "field": Counter(), "rule": Counter()}
    )
    reasons: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    transport: Counter[str] = field(default_factory=Counter)
    usage: Usage = field(default_factory=Usage)
    latencies_ms: list[float] = field(default_factory=list)

    def add(self, run: Run) -> None:
        """Count a run."""
        self.runs += 1
        self.states[run.state] += 1
        self.usage += run.usage
        self.transport.update(run.record.get("transport", {}))
        for call in run.record.get("calls", ()):
            if call.get("error"):
                self.errors[call["error"]] += 1
        if run.state in _UNDER_WAY or run.state == "cancelled":
            return
        answer = run.record.get("answer")
        if answer is None:
            self._count_failed(run)
        else:
            self._count_answer(run, answer)

    def _count_failed(self, run: Run) -> None:
        self._share("answered", False)
        self._share("degraded", True)
        self.reasons[(run.last_error or {}).get("code", run.state)] += 1

    def _count_answer(self, run: Run, answer: Mapping[str, Any]) -> None:
        status = answer["status"]
        self.statuses[status] += 1
        self._share("answered", status in ("answered", "repaired", "cached"))
        self._share("degraded", status == "degraded")
        self._share("abstained", status == "abstained")
        self._share("cached", status == "cached")
        if answer.get("reason") and status == "degraded":
            self.reasons[answer["reason"]] += 1
        if total := run.record.get("timings_ms", {}).get("total"):
            self.latencies_ms.append(total)
        if status != "cached":
            self._count_attempts(run.record.get("attempts", ()))
        self._count_needs_human(run, answer)

    def _count_attempts(self, attempts: Any) -> None:
        for attempt in attempts:
            if attempt["verdict"] == "rejected":
                self._count_faults(attempt)
        if not attempts:
            return
        first, last = attempts[0], attempts[-1]
        at_once = first["verdict"] == "accepted"
        self._share("valid_at_first_try", at_once and not first["repairs"])
        self._share("repaired_without_call", at_once and bool(first["repairs"]))
        self._share("repaired_by_call", not at_once and last["verdict"] == "accepted")
        self._share("valid", last["verdict"] == "accepted")

    def _count_faults(self, attempt: Mapping[str, Any]) -> None:
        code = attempt["code"]
        self.failures["gate"][attempt["gate"] or code.partition(".")[0]] += 1
        for rule in {fault[0] for fault in attempt["faults"]} or {code}:
            self.failures["rule"][rule] += 1
        for name in {fault[1] for fault in attempt["faults"]} - {""}:
            self.failures["field"][name] += 1

    def _count_needs_human(self, run: Run, answer: Mapping[str, Any]) -> None:
        needed = bool(answer["response"]["needs_human"])
        self._share("needs_human", needed)
        versions = run.record.get("versions", {})
        parts = {
            "chain": run.chain,
            "category": run.record.get("category") or "",
            "version": versions.get("ragqa", ""),
            "model": versions.get("model", ""),
        }
        for kind, name in parts.items():
            shares = self.needs_human.setdefault(kind, {})
            shares.setdefault(name, _Share()).count(needed)

    def _share(self, name: str, hit: bool) -> None:
        self.shares.setdefault(name, _Share()).count(hit)

    def as_json(self) -> dict[str, Any]:
        """Return rates and counts; a rate of nothing is None."""
        return {
            "runs": self.runs,
            "states": dict(self.states),
            "statuses": dict(self.statuses),
            "rates": {name: share.rate for name, share in sorted(self.shares.items())},
            "needs_human_by": {
                kind: {name: {"rate": share.rate, "runs": share.of} for name, share in by.items()}
                for kind, by in self.needs_human.items()
            },
            "failures": {kind: dict(by.most_common()) for kind, by in self.failures.items()},
            "degraded_reasons": dict(self.reasons.most_common()),
            "errors": dict(self.errors.most_common()),
            "transport": transport_summary(self.transport),
            "usage": self.usage.model_dump(),
            "latency_ms": {"p50": quantile(self.latencies_ms, 0.5)}
            | {"p95": quantile(self.latencies_ms, 0.95)},
        }


def period(runs: Iterable[Run]) -> Period:
    """Count the runs of a period."""
    counted = Period()
    for run in runs:
        counted.add(run)
    return counted


def drops(before: Period, now: Period) -> list[dict[str, Any]]:
    """Return the watched rates that got worse by more than chance explains."""
    found = []
    for name, high_is_good in WATCHED.items():
        old, new = before.shares.get(name), now.shares.get(name)
        if old is None or new is None:
            continue
        worse = (old, new) if high_is_good else (new, old)
        chance = chance_of_drop(worse[0].hits, worse[0].of, worse[1].hits, worse[1].of)
        change = abs(new.hits / new.of - old.hits / old.of)
        if chance <= MAX_CHANCE and change >= MIN_CHANGE:
            found.append(
                {"rate": name, "before": old.rate, "now": new.rate, "chance": round(chance, 6)}
            )
    return found


def transport_summary(events: Mapping[str, int]) -> dict[str, int]:
    """Return how often calls met a limit, a failing service, a time-out, a broken connection."""
    summary = {"429": 0, "5xx": 0, "timeouts": 0, "connection": 0, "other": 0}
    for event, count in events.items():
        if event == "429":
            kind = event
        elif event.isdigit() and event.startswith("5"):
            kind = "5xx"
        else:
            kind = {"timeout": "timeouts", "connection": "connection"}.get(event, "other")
        summary[kind] += count
    return summary


def quantile(values: Iterable[float], share: float) -> float | None:
    """Return the smallest value that a share of the values does not exceed; None for no values."""
    ordered = sorted(values)
    if not ordered:
        return None
    place = math.ceil(share * len(ordered) - 1e-9)  # 0.07 * 100 is a little more than 7
    return round(ordered[place - 1], 3)
