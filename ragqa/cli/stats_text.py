"""Rates of a period as people read them, beside those of the period before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ragqa.cli import terminal


def stats_text(stats: Mapping[str, Any]) -> str:
    """Return the whole text."""
    return "".join(f"{terminal.plain(line)}\n" for line in _lines(stats))


def _lines(stats: Mapping[str, Any]) -> Iterator[str]:
    before = stats["before"]
    yield f"{'runs':<24}{stats['runs']:>8}   before {before['runs']}"
    for name, rate in stats["rates"].items():
        old = before["rates"].get(name)
        yield f"{name:<24}{_percent(rate):>8}   before {_percent(old)}"
    for kind, counts in stats["failures"].items():
        yield from _counts(f"failures by {kind}", counts)
    yield from _counts("degraded", stats["degraded_reasons"])
    yield from _counts("errors of calls", stats["errors"])
    yield from _counts("transport", {k: v for k, v in stats["transport"].items() if v})
    for kind, shares in stats["needs_human_by"].items():
        rates = {f"{name or '(none)'}": _percent(share["rate"]) for name, share in shares.items()}
        yield from _counts(f"needs_human by {kind}", rates)
    usage = stats["usage"]
    cost = "" if usage["cost"] is None else f", cost {usage['cost']:.4f}"
    tokens = f"{usage['prompt_tokens']} + {usage['completion_tokens']} tokens"
    yield f"usage                   {usage['calls']} calls, {tokens}{cost}"
    latency = stats["latency_ms"]
    if latency["p50"] is not None:
        yield f"latency_ms              p50 {latency['p50']}, p95 {latency['p95']}"
    for drop in stats["drops"]:
        yield f"DROPPED: {drop['rate']} {_percent(drop['before'])} -> {_percent(drop['now'])}"


def _counts(head: str, counts: Mapping[str, Any]) -> Iterator[str]:
    if counts:
        yield f"{head:<24}{', '.join(f'{name} {count}' for name, count in counts.items())}"


def _percent(rate: float | None) -> str:
    return "-" if rate is None else f"{100 * rate:.1f} %"
