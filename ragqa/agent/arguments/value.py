"""Arguments in normal form: whole numbers as such, and an instance for rules and gates."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, create_model

from ragqa.agent.arguments.faults import schema_faults
from ragqa.agent.arguments.schema import Schema

_MAX_EXACT_FLOAT = 2.0**53
"""Larger floats do not hold every whole number: which one was meant is not known."""


class Arguments(BaseModel):
    """Arguments of a tool whose schema is JSON: a field for every parameter."""

    model_config = ConfigDict(extra="allow", protected_namespaces=(), frozen=True)


def arguments_model(closed: Schema) -> type[Arguments]:
    """Return a class whose instances hold arguments that fit a schema.

    A value that a rule puts into a field later has to fit the field's part of the schema, too.
    Parameters that bear a name of pydantic's own methods are kept beside the fields.
    """
    fields: dict[str, Any] = {}
    for name, node in closed.get("properties", {}).items():
        if name.isidentifier() and not name.startswith("_") and not hasattr(BaseModel, name):
            fields[name] = (Annotated[Any, AfterValidator(_Fits(closed, name, node))], None)
    return create_model("Arguments", __base__=Arguments, **fields)


class _Fits:
    """Refuses a value that does not fit a parameter's schema."""

    def __init__(self, root: Schema, name: str, node: Any) -> None:
        shared: Schema = {
            key: root[key] for key in ("$schema", "$defs", "definitions") if key in root
        }
        self._schema: Schema = {**shared, "type": "object", "properties": {name: node}}
        self._name = name

    def __call__(self, value: Any) -> Any:
        if value is None:  # not given
            return value
        faults = schema_faults(self._schema, {self._name: value})
        if faults:
            raise ValueError(faults[0].feedback)
        return value


def with_whole_numbers(schema: Schema, arguments: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """Return arguments in which numbers such as 5.0 are whole where only that is due."""
    normal = _whole(schema, schema, arguments, 0)
    return normal, normal is not arguments


def _whole(root: Schema, node: Any, value: Any, depth: int) -> Any:
    """Return the value, the same object where nothing was changed."""
    node = _resolved(root, node)
    if depth > 64 or not isinstance(node, dict):
        return value
    if isinstance(value, float):
        exact = value.is_integer() and abs(value) <= _MAX_EXACT_FLOAT
        return int(value) if exact and _only_whole(root, node) else value
    if isinstance(value, dict):
        names, other = node.get("properties", {}), node.get("additionalProperties")
        new = {
            key: _whole(root, names.get(key, other), each, depth + 1) for key, each in value.items()
        }
        return new if any(new[key] is not value[key] for key in value) else value
    if isinstance(value, list):
        items = node.get("items")
        entries = [_whole(root, items, each, depth + 1) for each in value]
        return entries if any(a is not b for a, b in zip(entries, value, strict=True)) else value
    return value


def _resolved(root: Schema, node: Any) -> Any:
    for _ in range(8):
        if not isinstance(node, dict) or not isinstance(node.get("$ref"), str):
            return node
        name = node["$ref"].rpartition("/")[2]
        node = (root.get("$defs") or root.get("definitions") or {}).get(name)
    return None


def _only_whole(root: Schema, node: Schema) -> bool:
    options = node.get("anyOf") or node.get("oneOf")
    if options:
        kinds = {
            kind for each in options for kind in _kinds(_resolved(root, each)) if kind != "null"
        }
    else:
        kinds = set(_kinds(node)) - {"null"}
    return kinds == {"integer"}


def _kinds(node: Any) -> list[str]:
    kind = node.get("type", "") if isinstance(node, dict) else ""
    return list(kind) if isinstance(kind, list) else [kind]
