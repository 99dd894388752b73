"""A tool's schema in one normal form: standard JSON types, objects closed to unknown names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

from ragqa.errors import ConfigError

Schema = dict[str, Any]

# What schemas written by hand or taken from other languages say for JSON's own types.
_ALIASES: Mapping[str, str] = {
    "dict": "object",
    "map": "object",
    "float": "number",
    "double": "number",
    "int": "integer",
    "long": "integer",
    "str": "string",
    "bool": "boolean",
    "list": "array",
    "tuple": "array",
    "set": "array",
    "none": "null",
}
JSON_TYPES = ("string", "number", "integer", "boolean", "array", "object", "null")

_NODES = ("items", "contains", "not", "if", "then", "else", "additionalProperties", "propertyNames")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_MAPPINGS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_COMPOSED = ("anyOf", "oneOf", "allOf", "$ref", "if", "dependentSchemas")
_DECLARES = ("properties", "patternProperties")
_MAX_DEPTH = 64


def normal_schema(schema: Mapping[str, Any] | type[BaseModel] | None) -> Schema:
    """Return the JSON schema of a tool's arguments with standard type names.

    ``dict``, ``float``, ``tuple``, ``any`` and their like become JSON's own types, OpenAPI's
    ``nullable`` a second type. Nothing else is changed, and the given schema is left alone.

    >>> normal_schema({"type": "dict", "properties": {"x": {"type": "float"}}})
    {'type': 'object', 'properties': {'x': {'type': 'number'}}}

    Args:
        schema: A JSON schema, a pydantic class, or None for a tool without arguments.

    Raises:
        ConfigError: If it is no schema of an object.
    """
    if schema is None:
        return {"type": "object", "properties": {}}
    if isinstance(schema, type):
        found = _schema_of_class(schema)
    elif isinstance(schema, Mapping):
        found = dict(schema)
    else:
        raise ConfigError(f"A {type(schema).__name__} is no schema of arguments.")
    normal: Schema = _normal(found or {"type": "object"}, 0)
    if "type" not in normal and not any(key in normal for key in _COMPOSED):
        normal = {"type": "object", **normal}
    return normal


def _schema_of_class(schema: type[Any]) -> Schema:
    if not issubclass(schema, BaseModel):
        raise ConfigError(
            f"The class {schema.__name__} is no schema of arguments.",
            hint="Use a pydantic BaseModel or a JSON schema.",
        )
    try:
        return schema.model_json_schema()
    except Exception as exc:
        raise ConfigError(
            f"The class {schema.__name__} has no JSON schema: {exc}",
            hint="Use field types that JSON can hold.",
        ) from exc


def _normal(node: Any, depth: int) -> Any:
    if not isinstance(node, dict):
        return node
    if depth > _MAX_DEPTH:
        raise ConfigError("A schema of arguments is nested too deeply.")
    result = {key: _inner(key, value, depth + 1) for key, value in node.items()}
    kind = result.get("type")
    if kind == "any":
        del result["type"]
    elif isinstance(kind, str):
        result["type"] = _ALIASES.get(kind.lower(), kind)
    elif isinstance(kind, list):
        result["type"] = [_ALIASES.get(str(one).lower(), one) for one in kind]
    if result.pop("nullable", False) is True and isinstance(result.get("type"), str):
        result["type"] = [result["type"], "null"]
        if "enum" in result and None not in result["enum"]:
            result["enum"] = [*result["enum"], None]
    return result


def _inner(key: str, value: Any, depth: int) -> Any:
    if key in _MAPPINGS and isinstance(value, dict):
        return {name: _normal(each, depth) for name, each in value.items()}
    if (key in _LISTS or key == "items") and isinstance(value, list):
        return [_normal(each, depth) for each in value]
    return _normal(value, depth) if key in _NODES else value


def closed_schema(normal: Schema) -> Schema:
    """Return a schema in which objects take no names but those that they declare.

    Objects that say themselves what becomes of other names are left as they are, and so are
    objects without declared names below the top: those are free dictionaries.
    """
    closed: Schema = _closed(normal, top=True)
    return closed


def _closed(node: Any, *, top: bool = False, shared: bool = False) -> Any:
    if not isinstance(node, dict):
        return node
    declares = any(key in node for key in _DECLARES)
    composed = any(key in node for key in _COMPOSED)
    result: Schema = {}
    for key, value in node.items():
        if key in _MAPPINGS and isinstance(value, dict):
            result[key] = {name: _closed(each) for name, each in value.items()}
        elif key in _LISTS and isinstance(value, list):
            # Branches of an object that declares names itself see names that are not their own.
            joined = key == "allOf" or declares or shared
            result[key] = [_closed(each, shared=joined) for each in value]
        elif key in ("items", "contains", "additionalProperties"):
            result[key] = _closed(value)
        else:
            result[key] = value
    says = "additionalProperties" in node or "unevaluatedProperties" in node
    if (declares or (top and not composed)) and not shared and not says:
        result["unevaluatedProperties" if composed else "additionalProperties"] = False
    return result


@lru_cache(maxsize=256)
def linear_pattern(pattern: str) -> Any:
    """Return a function that searches for a pattern of a schema.

    Patterns come from foreign tools and texts from a model: pydantic's engine takes linear time.
    Only what it cannot compile, look-arounds and back references, goes to Python's.
    """
    from pydantic_core import SchemaError, SchemaValidator, core_schema

    try:
        validator = SchemaValidator(core_schema.str_schema(pattern=pattern))
    except SchemaError:
        compiled = re.compile(pattern)
        return lambda text: len(text) <= _MAX_BACKTRACKED_CHARS and bool(compiled.search(text))
    return validator.isinstance_python


_MAX_BACKTRACKED_CHARS = 256
