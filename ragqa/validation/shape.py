"""What a schema asks for: the names of its fields, and the strict validation of a JSON value."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pydantic import AliasChoices, BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import to_json

MAX_DEPTH = 64
"""Deepest nesting of objects and lists. A response has three levels; JSON readers stop at 200."""

MAX_INT_BITS = 1024
"""Larger integers have no place in a float: they are no finite numbers to most programs."""

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Shape:
    """What a schema's objects look like.

    Attributes:
        schema: The class.
        names: The keys that an object of it may have.
        required: Groups of keys; of each group one has to be there.
        own_names: What the class is called, folded by :func:`folded`.
    """

    schema: type[BaseModel]
    names: frozenset[str]
    required: tuple[frozenset[str], ...]
    own_names: frozenset[str]

    def known(self, keys: Any) -> int:
        """Count the keys that the schema knows."""
        return sum(key in self.names for key in keys)

    def complete(self, keys: Any) -> bool:
        """Tell whether every required field is among the keys."""
        present = set(keys)
        return all(present & group for group in self.required)

    def bears(self, name: str) -> bool:
        """Tell whether a name is the schema's own, however it is spelled."""
        return folded(name) in self.own_names


@lru_cache(maxsize=256)
def shape_of(schema: type[BaseModel]) -> Shape:
    """Return what a schema's objects look like."""
    keys = {name: _keys(schema, name, field) for name, field in schema.model_fields.items()}
    return Shape(
        schema=schema,
        names=frozenset[str]().union(*keys.values()),
        required=tuple(
            keys[name] for name, field in schema.model_fields.items() if field.is_required()
        ),
        own_names=frozenset(map(folded, _own_names(schema))),
    )


def folded(name: str) -> str:
    """Fold a class's or a tool's name: ``functions.qa_response`` is ``qaresponse``."""
    bare = name.strip().removeprefix("functions.")
    return bare.replace("_", "").replace("-", "").replace(" ", "").casefold()


def _own_names(schema: type[BaseModel]) -> Iterator[str]:
    for parent in schema.__mro__:
        if issubclass(parent, BaseModel) and parent is not BaseModel:
            yield parent.__name__
    if title := schema.model_config.get("title"):
        yield title


def _keys(schema: type[BaseModel], name: str, field: FieldInfo) -> frozenset[str]:
    alias = field.validation_alias if field.validation_alias is not None else field.alias
    if alias is None:
        return frozenset({name})
    choices = alias.choices if isinstance(alias, AliasChoices) else [alias]
    keys = {choice if isinstance(choice, str) else str(choice.path[0]) for choice in choices}
    config = schema.model_config
    if config.get("populate_by_name") or config.get("validate_by_name"):
        keys.add(name)
    return frozenset(keys)


def validated(schema: type[BaseModel], value: Any) -> BaseModel:
    """Validate a JSON value as strictly as its JSON text: nothing is coerced, no key is unknown.

    Python values would be judged otherwise than JSON (a date is no text there), so it is the JSON
    text that is validated. A schema that says itself what becomes of unknown keys is followed.

    Raises:
        Exception: pydantic's ValidationError, or whatever a validator of the schema raises.
    """
    unknown = None if "extra" in schema.model_config else "forbid"
    return schema.model_validate_json(to_json(value), strict=True, extra=unknown)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Flaw:
    """Something in a value that no JSON text can hold, or no program should have to.

    Attributes:
        kind: ``number``, ``surrogate``, ``depth`` or ``type``.
        path: Where it stands.
        value: The value itself.
    """

    kind: str
    path: Path
    value: Any


def flaw_in(value: Any) -> Flaw | None:
    """Return the first flaw in a value, or None if it is plain, finite JSON."""
    return next(flaws_in(value), None)


def flaws_in(value: Any, most: int = 1) -> Iterator[Flaw]:
    """Yield the flaws in a value, no more than ``most``."""
    waiting: list[tuple[Any, Path]] = [(value, ())]
    while waiting and most > 0:
        item, path = waiting.pop()
        kind = _flaw_kind(item) if len(path) <= MAX_DEPTH else "depth"
        if kind:
            most -= 1
            yield Flaw(kind, path, item)
        elif type(item) is dict:
            for key in item:
                if kind := _flaw_kind(key) if type(key) is str else "type":
                    most -= 1
                    yield Flaw(kind, path, key)
            waiting += [(item[key], (*path, key)) for key in reversed(item)]
        elif type(item) is list:
            waiting += [(item[at], (*path, at)) for at in range(len(item) - 1, -1, -1)]


def _flaw_kind(item: Any) -> str:
    kind = type(item)
    if kind is str:
        return "" if item.isascii() or _encodes(item) else "surrogate"
    if kind is float:
        return "" if math.isfinite(item) else "number"
    if kind is int:
        return "" if item.bit_length() <= MAX_INT_BITS else "number"
    return "" if item is None or kind in {bool, dict, list} else "type"


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
