"""Choose the one object of a text that is meant, or say why there is none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from pydantic_core import to_json

from ragqa.validation.shape import Shape, flaw_in, validated
from ragqa.validation.syntax.outcome import Broken, Budget, Found
from ragqa.validation.syntax.search import MAX_ENCODINGS, Finds, find_objects
from ragqa.validation.syntax.wrappers import unwrapped

_MAX_WRAPPERS = 6


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """More than one object could be meant."""

    reason: str


@dataclass(frozen=True, slots=True)
class Chosen:
    """The object that is meant; whether it fits the schema in all its values is not said."""

    found: Found


Choice = Chosen | Ambiguous | Broken | None


def choose(finds: Finds, shape: Shape, budget: Budget) -> Choice:
    """Choose among what a text holds.

    A broken attempt whose end is unknown spoils everything. Otherwise the only valid object is
    chosen, unless another attempt that disagrees comes after it. Without a valid object the one
    that knows most fields is chosen, for the schema gate to explain.

    Returns:
        None if the text holds nothing that is meant for this schema or could be.
    """
    entries, fatal = _opened(finds, shape, budget)
    if fatal is not None:
        return fatal
    is_contested = any(shape.known(broken.keys) for broken in finds.broken)
    if len(entries) == 1 and isinstance(entries[0].value, dict) and not is_contested:
        return Chosen(entries[0])
    valid = _valid(entries, shape)
    if len({identity for identity, _ in valid}) > 1:
        return Ambiguous("there are two different valid objects")
    if valid:
        return _only_valid(valid, entries, finds, shape)
    return _best(entries, finds, shape)


def _opened(finds: Finds, shape: Shape, budget: Budget) -> tuple[list[Found], Broken | None]:
    """Take all wrappers off."""
    entries: list[Found] = []
    for found in finds.found:
        inner = found if _is_plain(found.value, shape) else _without_wrappers(found, shape, budget)
        if isinstance(inner, Broken):
            return entries, inner
        entries += inner if isinstance(inner, list) else [inner]
    return entries, finds.fatal


def _is_plain(value: Any, shape: Shape) -> bool:
    return isinstance(value, dict) and bool(shape.required) and shape.complete(value)


def _without_wrappers(found: Found, shape: Shape, budget: Budget) -> list[Found] | Broken:
    repairs = list(found.repairs)
    value = _collapsed(found.value, repairs)
    for _ in range(_MAX_WRAPPERS):
        value, repair = unwrapped(value, shape)
        if not repair:
            break
        repairs.append(repair)
        if isinstance(value, str):
            return _in_string(value, replace(found, repairs=tuple(repairs)), shape, budget)
        value = _collapsed(value, repairs)
    return [replace(found, value=value, repairs=tuple(dict.fromkeys(repairs)))]


def _collapsed(value: Any, repairs: list[str]) -> Any:
    """Return a list of equal objects as one of them."""
    if not isinstance(value, list) or len(value) < 2 or not isinstance(value[0], dict):
        return value
    first = to_json_or_none(value[0])
    if first is None or any(to_json_or_none(item) != first for item in value[1:]):
        return value
    repairs.append("repeated_object")
    return value[:1]


def _in_string(text: str, outer: Found, shape: Shape, budget: Budget) -> list[Found] | Broken:
    """Return the objects of a call's arguments that were sent as JSON text."""
    inner = find_objects(text, shape, budget, MAX_ENCODINGS - 1)
    if inner.fatal is not None:
        return replace(inner.fatal, start=outer.start, at=outer.end)
    if not inner.found and inner.broken:
        return replace(inner.broken[-1], start=outer.start, at=outer.end)
    return [
        replace(
            outer,
            value=found.value,
            repairs=tuple(dict.fromkeys((*outer.repairs, "doubled_encoding", *found.repairs))),
            duplicates=outer.duplicates + found.duplicates,
            flaw=outer.flaw or found.flaw,
        )
        for found in inner.found
    ]


def to_json_or_none(value: Any) -> bytes | None:
    """Return a value's JSON, keys in order as they stand; None if it has none."""
    try:
        return to_json(value, inf_nan_mode="constants")
    except ValueError:
        return None


def _valid(entries: list[Found], shape: Shape) -> list[tuple[bytes, Found]]:
    """Return the entries that the schema accepts, each with what it says."""
    known: dict[bytes | None, bytes | None] = {}
    valid = []
    for entry, value in _objects(entries):
        if entry.flaw or entry.duplicates or not shape.complete(value):
            continue
        written = to_json_or_none(value)
        if written not in known:
            known[written] = _identity(value, shape)
        if (identity := known[written]) is not None:
            valid.append((identity, entry))
    return valid


def _objects(entries: list[Found]) -> Iterator[tuple[Found, dict[str, Any]]]:
    for entry in entries:
        values = entry.value if isinstance(entry.value, list) else [entry.value]
        for value in values:
            if isinstance(value, dict):
                yield entry, value


def _identity(value: Any, shape: Shape) -> bytes | None:
    """Return what a valid object says, however it is written; None if it is not valid."""
    if flaw_in(value) is not None:
        return None
    try:
        return to_json_or_none(validated(shape.schema, value))
    except Exception:  # validators of a caller's schema may raise anything
        return None


def _only_valid(
    valid: list[tuple[bytes, Found]], entries: list[Found], finds: Finds, shape: Shape
) -> Choice:
    entry = valid[0][1]
    if isinstance(entry.value, list):
        return Ambiguous("the object stands in a list with others")
    last = valid[-1][1].start
    has_rival = any(
        found.start > last and _contradicts(found.value, entry.value, shape) for found in entries
    ) or any(broken.start > last and shape.known(broken.keys) > 1 for broken in finds.broken)
    if has_rival:
        return Ambiguous("an object that says something else follows the valid one")
    repairs = entry.repairs if len(valid) == 1 else (*entry.repairs, "repeated_object")
    return Chosen(replace(entry, repairs=repairs))


def _contradicts(value: Any, chosen: dict[str, Any], shape: Shape) -> bool:
    """Tell whether an object gives a field another value, as a correction would."""
    return isinstance(value, dict) and any(
        key in shape.names and item != chosen.get(key) for key, item in value.items()
    )


def _best(entries: list[Found], finds: Finds, shape: Shape) -> Choice:
    """Return what knows most fields of the schema; the last of several."""
    best: Found | None = None
    for entry in entries:
        if best is None or _rank(entry, shape) >= _rank(best, shape):
            best = entry
    broken = max(finds.broken, key=lambda item: shape.known(item.keys), default=None)
    if best is None:
        return broken
    if broken is not None and shape.known(broken.keys) > _rank(best, shape)[0]:
        return broken
    return Chosen(best)


def _rank(entry: Found, shape: Shape) -> tuple[int, bool]:
    is_object = isinstance(entry.value, dict)
    return (shape.known(entry.value) if is_object else 0, is_object and bool(entry.value))
