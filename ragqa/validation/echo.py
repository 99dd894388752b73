"""Tell a schema, or its descriptions, from an object that follows it."""

from __future__ import annotations

from typing import Any, Final

from pydantic import BaseModel

from ragqa.validation.shape import Shape

_TYPE_NAMES: Final = frozenset(
    {
        "string",
        "str",
        "text",
        "number",
        "float",
        "integer",
        "int",
        "boolean",
        "bool",
        "array",
        "list",
        "list[str]",
        "string[]",
        "array of strings",
        "list of strings",
        "object",
        "dict",
        "null",
    }
)
_OF_SCHEMAS: Final = frozenset({"type", "description", "enum", "$ref", "anyOf", "allOf", "items"})
_MIN_DESCRIPTION_CHARS = 12
_MAX_DEPTH = 4


def echoes_schema(value: dict[str, Any], instance: BaseModel | None, shape: Shape) -> bool:
    """Tell whether an object is the schema itself, a form of it, or repeats its descriptions.

    Args:
        value: The object.
        instance: The object as an instance, where it is valid: then only the words of a
            description count, since a tool may well take a schema as its argument.
        shape: What was wanted.
    """
    if _repeats_description(value, shape):
        return True
    if instance is not None:
        return False
    return _holds_schema(value, shape, _MAX_DEPTH) or _is_form(value, shape)


def _repeats_description(value: dict[str, Any], shape: Shape) -> bool:
    for name, field in shape.schema.model_fields.items():
        text = value.get(field.alias or name)
        if isinstance(text, str) and len(text) >= _MIN_DESCRIPTION_CHARS:
            description = field.description or ""
            if text.strip(" .") == description.strip(" ."):
                return True
    return False


def _holds_schema(value: dict[str, Any], shape: Shape, depth: int) -> bool:
    properties = value.get("properties")
    if isinstance(properties, dict) and shape.known(properties):
        return all(isinstance(item, dict) for item in properties.values())
    return depth > 0 and any(
        isinstance(item, dict) and _holds_schema(item, shape, depth - 1) for item in value.values()
    )


def _is_form(value: dict[str, Any], shape: Shape) -> bool:
    """Tell whether most fields hold their type, by name or as a schema."""
    told = [item for key, item in value.items() if key in shape.names]
    typed = sum(_is_type(item) for item in told)
    return typed > 1 and 2 * typed > len(told)


def _is_type(item: Any) -> bool:
    if isinstance(item, dict):
        return bool(_OF_SCHEMAS.intersection(item))
    if isinstance(item, list) and len(item) == 1:
        item = item[0]
    return isinstance(item, str) and item.strip("<>").casefold() in _TYPE_NAMES
