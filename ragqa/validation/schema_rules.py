"""A schema's rules in words, taken from its JSON schema."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

from ragqa.validation.shape import Path, folded, shape_of

_MAX_SHOWN_CHARS = 80
_MAX_PATH_CHARS = 120
_MAX_LISTED = 20

Schema = dict[str, Any]


def rule_at(schema: type[BaseModel], path: Path) -> str:
    """Return the rule of a field in words, or ``""`` where it is not known.

    >>> from ragqa.contract import QAResponse
    >>> rule_at(QAResponse, ("confidence",))
    'must be a number from 0 to 1'
    """
    root = _json_schema(schema)
    node = _node(root, path)
    return "" if node is None else _must(root, node)


def limits_at(schema: type[BaseModel], path: Path) -> str:
    """Return a number's bounds in words, with a leading blank, or ``""``."""
    root = _json_schema(schema)
    node = _node(root, path)
    return "" if node is None else _bounds(_resolved(root, node))


def extra_hint(schema: type[BaseModel], path: Path, missing: list[str]) -> str:
    """Say what to do about a key that the schema does not know."""
    key = str(path[-1])
    likely = [name for name in missing if folded(name) == folded(key)] or _close(key, missing)
    spelled = "" if key.isascii() or any(not n.isascii() for n in missing) else f" ({key!a})"
    if likely:
        return f"is no field{spelled}; did you mean {likely[0]}?"
    names = sorted(shape_of(schema).names) if len(path) == 1 else []
    fields = f" The fields are {', '.join(names)}." if names else ""
    return f"is no field{spelled}; leave it out.{fields}"


def _close(key: str, names: list[str]) -> list[str]:
    import difflib

    return difflib.get_close_matches(key[:100], names, n=1, cutoff=0.8)


def shown(value: Any) -> str:
    """Return a value as JSON, shortened."""
    if isinstance(value, str) and len(value) > _MAX_SHOWN_CHARS:
        start = json.dumps(value[:_MAX_SHOWN_CHARS], ensure_ascii=False)
        return f"{len(value)} characters: {start[:-1]}…"
    if isinstance(value, list) and len(value) > 1:
        return f"{len(value)} entries: {_json(value[:5])}"
    return _json(value)


def _json(value: Any) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        text = f"a value of type {type(value).__name__}"
    short = text if len(text) <= _MAX_SHOWN_CHARS else f"{text[:_MAX_SHOWN_CHARS]}…"
    return short.encode(errors="backslashreplace").decode()


def dotted(path: Path) -> str:
    """Return a path as people write it: ``entities.0.price``."""
    text = ".".join(str(step) or '""' for step in path)[:_MAX_PATH_CHARS]
    return text.encode(errors="backslashreplace").decode()


@lru_cache(maxsize=256)
def _json_schema(schema: type[BaseModel]) -> Schema:
    try:
        return schema.model_json_schema()
    except Exception:  # a caller's types may have no JSON schema; then pydantic's words serve
        return {}


def _node(root: Schema, path: Path) -> Schema | None:
    """Return the part of the schema that a path leads to."""
    node: Schema = root
    for step in path:
        for option in _options(root, node):
            inner = _entry(option, step) if isinstance(step, int) else _member(option, step)
            if isinstance(inner, dict):
                node = inner
                break
        else:
            return None
    return node if path else None


def _entry(node: Schema, at: int) -> Any:
    fixed = node.get("prefixItems", [])
    return fixed[at] if at < len(fixed) else node.get("items")


def _member(node: Schema, key: str) -> Any:
    return node.get("properties", {}).get(key, node.get("additionalProperties"))


def _options(root: Schema, node: Schema) -> list[Schema]:
    """Return a node without references; each of its alternatives where it has some."""
    node = _resolved(root, node)
    choices = node.get("anyOf") or node.get("oneOf")
    return [_resolved(root, choice) for choice in choices] if choices else [node]


def _resolved(root: Schema, node: Schema) -> Schema:
    for _ in range(8):  # a reference to a reference; a circle is left as it is
        name = node.get("$ref", "").rpartition("/")[2]
        if not name:
            return node
        node = {
            **root.get("$defs", {}).get(name, {}),
            **{k: v for k, v in node.items() if k != "$ref"},
        }
    return node


def _must(root: Schema, node: Schema) -> str:
    kinds = [_kind(root, option) for option in _options(root, node)]
    known = [kind for kind in kinds if kind]
    return f"must be {' or '.join(dict.fromkeys(known))}" if known else ""


def _kind(root: Schema, node: Schema) -> str:
    if "enum" in node or "const" in node:
        values = node.get("enum", [node.get("const")])
        listed = ", ".join(_json(value) for value in values[:_MAX_LISTED])
        return listed if len(values) == 1 else f"one of {listed}"
    kinds = {
        "string": f"{_text(node)}{_lengths(node, 'Length', 'characters')}",
        "number": f"a number{_bounds(node)}{_multiple(node)}",
        "integer": f"a whole number{_bounds(node)}{_multiple(node)}",
        "boolean": "true or false",
        "array": f"a list{_entries(root, node)}{_lengths(node, 'Items', 'entries')}",
        "object": "an object",
        "null": "null",
    }
    return kinds.get(str(node.get("type", "")), "")


_FORMATS = {
    "date": "a date like 2026-01-31",
    "date-time": "a date and time like 2026-01-31T09:30:00Z",
    "time": "a time like 09:30:00Z",
    "duration": "a duration like P1D",
    "uuid": "a UUID",
    "email": "an e-mail address",
    "uri": "a web address",
}


def _text(node: Schema) -> str:
    pattern = f" matching the pattern {node['pattern']}" if "pattern" in node else ""
    return _FORMATS.get(node.get("format", ""), "text") + pattern


def _multiple(node: Schema) -> str:
    return f", a multiple of {node['multipleOf']:.15g}" if "multipleOf" in node else ""


def _entries(root: Schema, node: Schema) -> str:
    items = node.get("items")
    kind = _kind(root, _resolved(root, items)) if isinstance(items, dict) else ""
    plural = {"text": "texts", "an object": "objects", "a number": "numbers"}.get(kind, "")
    return f" of {plural}" if plural else ""


def _lengths(node: Schema, what: str, unit: str) -> str:
    low, high = node.get(f"min{what}", 0), node.get(f"max{what}")
    if high is not None:
        return f" of {low} to {high} {unit}" if low else f" of at most {high} {unit}"
    if low:
        return " that is not empty" if low == 1 else f" of at least {low} {unit}"
    return ""


def _bounds(node: Schema) -> str:
    low, high = node.get("minimum"), node.get("maximum")
    above, below = node.get("exclusiveMinimum"), node.get("exclusiveMaximum")
    if low is not None and high is not None:
        return f" from {low:.15g} to {high:.15g}"
    parts = [
        f"{words} {bound:.15g}"
        for words, bound in (
            ("at least", low),
            ("at most", high),
            ("over", above),
            ("under", below),
        )
        if bound is not None
    ]
    return f" {' and '.join(parts)}" if parts else ""


def rule_of(root: Schema, node: Schema) -> str:
    """Return the rule of a part of a JSON schema in words, or ``""`` where there is none.

    Args:
        root: The whole schema, for references.
        node: The part.
    """
    kinds = node.get("type")
    if isinstance(kinds, list):
        node = {"anyOf": [{**node, "type": kind} for kind in kinds]}
    return _must(root, node)
