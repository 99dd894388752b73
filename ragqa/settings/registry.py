"""Which variable belongs to which field of Settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from ragqa.settings.model import Settings


@dataclass(frozen=True, slots=True)
class Declared:
    """A setting as the model declares it.

    Attributes:
        variable: Its environment variable.
        path: Where it stands in Settings.
        field: Its declaration.
    """

    variable: str
    path: tuple[str, ...]
    field: FieldInfo

    @property
    def is_secret(self) -> bool:
        """Tell whether its value must never be shown."""
        return SecretStr in _types(self.field.annotation)

    @property
    def is_trusted_only(self) -> bool:
        """Tell whether a file of the working directory may not set it."""
        extra = self.field.json_schema_extra
        return isinstance(extra, dict) and bool(extra.get("trusted_only"))

    @property
    def names(self) -> set[str]:
        """Return what it may be called in ``ragqa.toml`` and in ``Settings.load``."""
        name = self.variable.lower()
        return {name, name.removeprefix("ragqa_"), "_".join(self.path)}

    def spelt(self, value: Any) -> Any:
        """Return a word of a closed list as the list spells it: ``Azure`` is ``azure``."""
        word = value.lower() if isinstance(value, str) else None
        return word if word in _words(self.field) else value


@cache
def declared() -> Mapping[str, Declared]:
    """Return every setting that has a variable, by variable, in the order of the README."""
    return {setting.variable: setting for setting in _declared_in(Settings, ())}


@cache
def by_name() -> Mapping[str, Declared]:
    """Return the settings by every name that files and callers may use."""
    return {name: setting for setting in declared().values() for name in setting.names}


def _declared_in(model: type[BaseModel], path: tuple[str, ...]) -> Iterator[Declared]:
    for name, field in model.model_fields.items():
        extra = field.json_schema_extra
        if isinstance(extra, dict) and "variable" in extra:
            yield Declared(str(extra["variable"]), (*path, name), field)
        elif isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _declared_in(field.annotation, (*path, name))


def shown(value: Any) -> str:
    """Write a value the way it stands in an environment variable."""
    match value:
        case bool() | None:
            text = str(value).lower() if value is not None else ""
        case float():
            text = f"{value:.15g}"
        case Path():
            text = value.as_posix()
        case tuple() | list():
            text = ",".join(map(str, value))
        case Mapping():
            text = ",".join(f"{key}={item}" for key, item in value.items())
        case _:
            text = str(value)
    return text


def allowed(field: FieldInfo) -> str:
    """Describe the values that a setting takes."""
    if words := _words(field):
        return f"one of {', '.join(words)}"
    for kind in _types(field.annotation):
        if kind is bool:
            return "true or false"
        if kind in (int, float):
            noun = "a whole number" if kind is int else "a number"
            return f"{noun}{_limits(field)}"
    return "a list, separated by commas" if tuple in _origins(field) else "text"


def _words(field: FieldInfo) -> list[str]:
    """Return the words of a setting that takes no others."""
    lists = (kind for kind in _types(field.annotation) if get_origin(kind) is Literal)
    return [str(word) for kind in lists for word in get_args(kind)]


def _limits(field: FieldInfo) -> str:
    limits = {
        name: _number(getattr(mark, name))
        for mark in field.metadata
        for name in ("gt", "ge", "le")
        if hasattr(mark, name)
    }
    if not limits:
        return ""
    low = f"above {limits['gt']}" if "gt" in limits else f"from {limits['ge']}"
    return f" {low} to {limits['le']}" if "le" in limits else f" {low} on"


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def _types(annotation: Any) -> list[Any]:
    """Take an annotation apart into the types it may be."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _types(get_args(annotation)[0])
    if origin in (Union, UnionType):
        return [kind for part in get_args(annotation) for kind in _types(part)]
    return [] if annotation is NoneType else [annotation]


def _origins(field: FieldInfo) -> list[Any]:
    return [get_origin(kind) or kind for kind in _types(field.annotation)]
