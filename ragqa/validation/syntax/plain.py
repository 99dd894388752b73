"""Read a text that is one object in strict JSON: the way of most replies."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from ragqa.validation.gate import Outcome, Passed, Rejected
from ragqa.validation.schema import object_faults
from ragqa.validation.shape import Shape, flaw_in

_HALF_CHARACTER: Final = re.compile(r"\\u[dD][89a-fA-F]")


def plain_object(text: str) -> dict[str, Any] | None:
    """Return the object where a text is nothing else, in strict JSON; None otherwise."""
    if text[:1] != "{" or text[-1:] != "}" or _HALF_CHARACTER.search(text):
        return None
    try:
        value: Any = json.loads(text, object_pairs_hook=_without_duplicates)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a key stands twice")
    return members


def checked(value: dict[str, Any], repairs: tuple[str, ...], shape: Shape) -> Outcome:
    """Pass an object on unless it holds what no JSON can: that is named with all other faults."""
    if flaw_in(value) is None:
        return Passed(value, repairs)
    return Rejected(object_faults(shape.schema, value), value, repairs)
