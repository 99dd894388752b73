"""Boosts of a category's strategy: hits that fit count more, or less.

As in the embedded index a boost is ``field=value``, or a title or path with ``*`` and ``?``; of
several that fit a hit the largest counts. They are applied to what one request brings: a scoring
profile would have to stand in the index.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from ragqa.contract import Passage
from ragqa.errors import ConfigError

_OWN = ("id", "title", "path", "page", "heading")


def boosted_fields(boosts: Mapping[str, float]) -> Iterator[str]:
    """Yield the fields that boosts look at and a search does not ask for anyway."""
    for name in boosts:
        field, equals, _ = name.partition("=")
        if equals and field not in _OWN:
            yield field


def boosted(passages: Sequence[Passage], boosts: Mapping[str, float]) -> list[Passage]:
    """Return passages in the order of their boosted scores.

    Raises:
        ConfigError: If a boost is no number above 0.
    """
    for name, factor in boosts.items():
        if not (math.isfinite(factor) and factor > 0):
            raise ConfigError(
                f"The boost of {name!r} is {factor}.", hint="A boost is a number above 0."
            )
    scored = [
        passage.model_copy(update={"score": passage.score * _factor(passage, boosts)})
        for passage in passages
    ]
    return sorted(scored, key=lambda passage: -passage.score)


def _factor(passage: Passage, boosts: Mapping[str, float]) -> float:
    return max((factor for name, factor in boosts.items() if _fits(passage, name)), default=1.0)


def _fits(passage: Passage, name: str) -> bool:
    field, equals, wanted = name.partition("=")
    if equals:
        value = getattr(passage, field) if field in _OWN else passage.metadata.get(field)
        values = value if isinstance(value, list) else [value]
        return any(_matches(item, wanted) for item in values)
    return _matches(passage.title, name) or _matches(passage.path, name)


def _matches(value: Any, wanted: str) -> bool:
    text = str(value).lower() if isinstance(value, bool) else str(value or "")
    return fnmatchcase(text, wanted.replace("[", "[[]"))
