"""The JSON schema as strict modes accept it: loose on the wire, strict when judged.

Strict modes know types, properties, items, enumerations, ``anyOf`` and references; limits,
patterns, formats and defaults are refused, every property has to be required and closed objects
are a must. What is taken out is said in the description instead, where the model reads it.
Source: https://learn.microsoft.com/azure/ai-foundry/openai/how-to/structured-outputs
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

JsonObject = dict[str, Any]

_KEPT = ("$ref", "type", "enum", "description")
_RULES = (
    ("minLength", "Length: at least {}."),
    ("maxLength", "Length: at most {}."),
    ("minimum", "At least {}."),
    ("maximum", "At most {}."),
    ("exclusiveMinimum", "More than {}."),
    ("exclusiveMaximum", "Less than {}."),
    ("multipleOf", "A multiple of {}."),
    ("minItems", "At least {} items."),
    ("maxItems", "At most {} items."),
    ("pattern", "Matches the regular expression {}"),
    ("format", "Format: {}."),
)
_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}


@lru_cache(maxsize=64)
def response_format(model: type[BaseModel]) -> JsonObject:
    """Return the ``response_format`` that asks for an instance of a class.

    ``strict`` is false where the class has a field that no strict mode can express, such as a
    dictionary with free keys. The result is shared: do not change it.
    """
    schema, strict = wire_schema(model)
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", model.__name__).strip("_")[:64] or "response"
    described = {"name": name, "schema": schema, "strict": strict}
    return {"type": "json_schema", "json_schema": described}


def wire_schema(model: type[BaseModel]) -> tuple[JsonObject, bool]:
    """Return the schema of a class as strict modes accept it, and whether they would."""
    return _Loosened(model.model_json_schema()).result()


class _Loosened:
    def __init__(self, schema: JsonObject) -> None:
        self._schema = schema
        self._defs: dict[str, JsonObject] = schema.get("$defs", {})
        self._recursive = {name for name in self._defs if self._reaches(name, name)}
        self._strict = True

    def result(self) -> tuple[JsonObject, bool]:
        root = {key: value for key, value in self._schema.items() if key != "$defs"}
        if "$ref" in root:  # a class that refers to itself
            root = self._defs[_def_name(root["$ref"])]
        loose = self._loose(root)
        used: JsonObject = {}
        todo = list(_references(loose))
        while todo:
            if (name := todo.pop()) not in used:
                used[name] = self._loose(self._defs[name])
                todo += _references(used[name])
        return ({**loose, "$defs": used} if used else loose), self._strict

    def _loose(self, node: JsonObject) -> JsonObject:
        node = self._resolved(_single(node))
        kept = {key: node[key] for key in _KEPT if key in node}
        if "const" in node:
            kept["enum"] = [node["const"]]
        if "enum" in kept and "type" not in kept:
            kept["type"] = _types_of(kept["enum"])
        if options := node.get("anyOf") or node.get("oneOf"):
            kept["anyOf"] = [self._loose(option) for option in options]
        if "$ref" in kept:
            return {"$ref": kept["$ref"]}
        kept |= self._members(node)
        if description := _described(node):
            kept["description"] = description
        if not kept.keys() & {"type", "anyOf"}:
            self._strict = False  # anything goes
        return kept

    def _members(self, node: JsonObject) -> JsonObject:
        if node.get("type") == "array":
            self._strict &= bool(node.get("items"))  # tuples and lists of anything
            return {"items": self._loose(node.get("items") or {})}
        if node.get("type") != "object":
            return {}
        if "properties" not in node and node.get("additionalProperties", True) is not False:
            self._strict = False  # a dictionary
            values = node.get("additionalProperties")
            return {"additionalProperties": self._loose(values) if isinstance(values, dict) else {}}
        properties = {name: self._loose(sub) for name, sub in node.get("properties", {}).items()}
        required = list(properties)
        return {"properties": properties, "required": required, "additionalProperties": False}

    def _resolved(self, node: JsonObject) -> JsonObject:
        """Put a definition in the place of a reference that has a description of its own."""
        siblings = {key: value for key, value in node.items() if key != "$ref"}
        if "$ref" not in node or not siblings:
            return node
        name = _def_name(node["$ref"])
        return (
            {"$ref": node["$ref"]} if name in self._recursive else {**self._defs[name], **siblings}
        )

    def _reaches(self, start: str, goal: str) -> bool:
        seen: set[str] = set()
        todo = list(_references(self._defs[start]))
        while todo:
            if (name := todo.pop()) not in seen:
                seen.add(name)
                todo += _references(self._defs[name])
        return goal in seen


def _single(node: JsonObject) -> JsonObject:
    """Fold ``allOf`` with one member into its parent, as older generators write references."""
    members = node.get("allOf", ())
    rest = {key: value for key, value in node.items() if key != "allOf"}
    return {**members[0], **rest} if len(members) == 1 else rest


def _described(node: JsonObject) -> str:
    """Return the first paragraph of the description with the rules that the schema loses."""
    said = " ".join(str(node.get("description", "")).split("\n\n")[0].split())
    rules = [text.format(node[key]) for key, text in _RULES if key in node]
    return " ".join([said, *rules]).strip()


def _types_of(values: list[Any]) -> str | list[str]:
    types = sorted({_TYPES.get(type(value), "object") for value in values})
    return types[0] if len(types) == 1 else types


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(ref := node.get("$ref"), str):
            yield _def_name(ref)
        for value in node.values():
            yield from _references(value)
    elif isinstance(node, list):
        for value in node:
            yield from _references(value)


def _def_name(ref: str) -> str:
    return ref.rpartition("/")[2]
