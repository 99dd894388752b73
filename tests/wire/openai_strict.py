"""What strict modes refuse in a JSON schema: Azure's list, which is the longer one.

Source: https://learn.microsoft.com/azure/ai-foundry/openai/how-to/structured-outputs
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tests.wire.openai_refusals import JsonObject, invalid

REFUSED_KEYWORDS = frozenset(
    {
        "allOf",
        "contains",
        "default",
        "dependentRequired",
        "dependentSchemas",
        "else",
        "examples",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "if",
        "maxContains",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minContains",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "multipleOf",
        "not",
        "oneOf",
        "pattern",
        "patternProperties",
        "prefixItems",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
        "uniqueItems",
    }
)


def check_strict(schema: Any, said: str, param: str) -> None:
    """Raise what the service answers to a schema that its strict mode does not know."""
    if not isinstance(schema, dict) or schema.get("type") != "object" or "anyOf" in schema:
        raise invalid(f"{said}: schema must be a JSON Schema of 'type: \"object\"'.", param)
    for fault in _strict_faults(schema, ()):
        raise invalid(f"{said}: {fault}", param)
    defs = schema.get("$defs", {})
    for name, definition in defs.items():
        for fault in _strict_faults(definition, ("$defs", name)):
            raise invalid(f"{said}: {fault}", param)
    for ref in re.findall(r"'\$ref': '([^']*)'", str(schema)):
        if ref != "#" and ref.removeprefix("#/$defs/") not in defs:
            raise invalid(f"{said}: In context=(), reference to component '{ref}'.", param)


def _strict_faults(node: Any, path: tuple[str, ...]) -> Iterator[str]:
    context = f"In context={path!r}"
    if not isinstance(node, dict):
        yield f"{context}, schema must be an object."
        return
    for keyword in REFUSED_KEYWORDS & node.keys():
        yield f"{context}, '{keyword}' is not permitted."
    if "$ref" in node:
        if len(node) > 1:
            yield f"{context}, $ref cannot have keywords {set(node) - {'$ref'}}."
        return
    if not node.keys() & {"type", "anyOf"}:
        yield f"{context}, schema must have a 'type' key."
    if node.get("type") == "object":
        yield from _object_faults(node, path, context)
    if node.get("type") == "array":
        if "items" not in node:
            yield f"{context}, array schema missing items."
        yield from _strict_faults(node.get("items", {}), (*path, "items"))
    for i, option in enumerate(node.get("anyOf", [])):
        yield from _strict_faults(option, (*path, "anyOf", str(i)))


def _object_faults(node: JsonObject, path: tuple[str, ...], context: str) -> Iterator[str]:
    if node.get("additionalProperties") is not False:
        yield f"{context}, 'additionalProperties' is required to be supplied and to be false."
    properties = node.get("properties", {})
    missing = [name for name in properties if name not in node.get("required", [])]
    if missing:
        yield (
            f"{context}, 'required' is required to be supplied and to be an array including "
            f"every key in properties. Missing '{missing[0]}'."
        )
    for name, sub in properties.items():
        yield from _strict_faults(sub, (*path, "properties", name))
