"""What an evaluation must reach: ``recall_at_5=0.9,ece=0.08``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ragqa.errors import ConfigError, UnknownNameError
from ragqa.evaluation.metrics import LOWER_IS_BETTER, Metrics, measure

_ALIASES = {"latency_ms": "latency_ms.p95"}
_LOWER_GROUPS = ("latency_ms.", "tokens.", "cost")
_BETTER_RATES = frozenset({"rates.valid_first_try"})


@dataclass(frozen=True, slots=True)
class Miss:
    """A figure that is not what was asked of it.

    Attributes:
        name: The figure's name.
        value: What was measured; None where no question tells it.
        limit: What it must not be under, or over where less is better.
        at_most: Whether less is better.
    """

    name: str
    value: float | None
    limit: float
    at_most: bool

    def __str__(self) -> str:
        if self.value is None:
            return f"{self.name} could not be measured: no question tells it."
        return (
            f"{self.name} is {self.value:g}, {'over' if self.at_most else 'under'} {self.limit:g}."
        )


def parse_limits(text: str) -> dict[str, float]:
    """Read limits out of ``NAME=VALUE,…``.

    Raises:
        UnknownNameError: If there is no such figure; lists those that there are.
        ConfigError: If a value is no number, or a figure is named twice.
    """
    limits: dict[str, float] = {}
    for item in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = (part.strip() for part in item.partition("="))
        if not equals:
            raise ConfigError(
                f"--fail-under {item!r} has no value.", hint="Write NAME=VALUE: recall_at_5=0.9"
            )
        name = _ALIASES.get(name, name)
        if name not in _known():
            raise UnknownNameError("figure", name, sorted(_known()))
        if name in limits:
            raise ConfigError(f"--fail-under names {name} twice.", hint="Name one value for it.")
        limits[name] = _number(name, value)
    if not limits:
        raise ConfigError("--fail-under names no figure.", hint="For instance: recall_at_5=0.9")
    return limits


def missed(metrics: Metrics, limits: Mapping[str, float]) -> list[Miss]:
    """Return the figures that are under their limit, or over it where less is better."""
    figures = metrics.figures()
    misses = []
    for name, limit in limits.items():
        value, at_most = figures[name], _is_lower_better(name)
        if value is None or (value > limit if at_most else value < limit):
            misses.append(Miss(name, value, limit, at_most))
    return misses


def _known() -> frozenset[str]:
    return frozenset(measure([]).figures())


def _is_lower_better(name: str) -> bool:
    if name.startswith("rates."):
        return name not in _BETTER_RATES
    return name in LOWER_IS_BETTER or name.startswith(_LOWER_GROUPS)


def _number(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ConfigError(f"--fail-under {name}={text!r} is no number.")
    return value
