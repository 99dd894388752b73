"""The messages a model gets: role and task, format rules made from the schema, an example."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import prompts
from ragqa.contract import QAResponse
from ragqa.ports import Message

REJECTED_CHARS = 2400
"""How much of a rejected reply the repair call sees: a valid object is far shorter."""


def answer_messages(
    *, question: str, passages: str, language: str, schema: type[QAResponse], history: str = ""
) -> tuple[Message, ...]:
    """Return the prompt of an answer-writing call.

    The format rules stand in the last message, behind passages and history, so that a long
    conversation does not bury them.

    Args:
        question: What the user asked.
        passages: The rendered context.
        language: ``en`` or ``zh``.
        schema: What the reply must look like.
        history: Rendered earlier turns, empty or ending in a blank line.
    """
    prompt = prompts.load("answer", language)
    parts = prompt.render(
        question=question,
        passages=passages,
        history=history,
        format=format_rules(schema, language),
        example=worked_example(schema, language),
    )
    return _messages(parts)


def repair_messages(
    *,
    rejected: str,
    reason: str,
    language: str,
    schema: type[QAResponse],
    passages: str = "",
    question: str = "",
) -> tuple[Message, ...]:
    """Return the prompt of the repair call: the rejected text, the reason, the rules.

    Args:
        rejected: The reply as it came; cut in the middle where it is very long.
        reason: What the gates said.
        language: ``en`` or ``zh``.
        schema: What the reply must look like.
        passages: The rendered passages concerned, for a fault of content.
        question: What the user asked, for a fault of content.
    """
    evidence = ""
    if question:
        block = prompts.load("evidence", language).render(passages=passages, question=question)
        evidence = block[0][1] + "\n\n"
    parts = prompts.load("repair", language).render(
        rejected=_shortened(rejected),
        reason=reason,
        evidence=evidence,
        format=format_rules(schema, language),
    )
    return _messages(parts)


def _messages(parts: tuple[tuple[str, str], ...]) -> tuple[Message, ...]:
    roles = {"system": "system", "user": "user", "assistant": "assistant"}
    return tuple(Message(roles[role], text) for role, text in parts)  # type: ignore[arg-type]


def _shortened(text: str) -> str:
    if len(text) <= REJECTED_CHARS:
        return text
    half = REJECTED_CHARS // 2
    return f"{text[:half]} … {text[-half:]}"


def _phrases(language: str) -> dict[str, str]:
    marks = {"comma": "，", "stop": "。"} if language == "zh" else {"comma": ", ", "stop": ". "}
    return marks | dict(prompts.load("fields", language).parts)


@lru_cache(maxsize=256)
def format_rules(schema: type[QAResponse], language: str) -> str:
    """Return the rules of the format, a line a field, made from the schema.

    A field's rule is its description in the schema; for the fields of QAResponse, a prompt file
    may hold it in another language.
    """
    phrases = _phrases(language)
    described = _described(schema)
    lines = [phrases["intro"]]
    for name, field in described["properties"].items():
        inherited = QAResponse.model_fields.get(name)
        own = inherited is None or inherited.description != field.get("description")
        kinds = [*_kind(field, described.get("$defs", {}), phrases)]
        kind = phrases["comma"].join([*kinds, *(_bounds(field) if own else ())])
        rule = field.get("description", "") if own else phrases.get(name, field["description"])
        lines.append(f"- {name}: {kind}{phrases['stop']}{rule}".rstrip())
    return "\n".join(lines)


def _described(schema: type[QAResponse]) -> dict[str, Any]:
    """Return the JSON schema of a class, whose own part is a reference where it holds itself."""
    described = schema.model_json_schema()
    if "$ref" in described:
        described |= described["$defs"][_name_of(described)]
    return described


def _name_of(node: dict[str, Any]) -> str:
    name: str = node["$ref"].rpartition("/")[2]
    return name


def _others(defs: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the classes that may still be written out inside of one: not the same once more."""
    return {other: described for other, described in defs.items() if other != name}


_KINDS = {"string": "text", "number": "number", "integer": "whole", "boolean": "boolean"}
_SAMPLES = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T09:30:00Z",
    "time": "09:30:00Z",
    "duration": "P1D",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
    "email": "name@example.com",
    "uri": "https://example.com",
}
"""How a text of a format is written; the names are those of JSON schema."""


def _kind(field: dict[str, Any], defs: dict[str, Any], phrases: dict[str, str]) -> Iterator[str]:
    """Yield what a value must be: its type, its length, its choices."""
    if "enum" in field:
        choices = " | ".join(json.dumps(value, ensure_ascii=False) for value in field["enum"])
        yield f"{phrases['one_of']} {choices}"
    elif "anyOf" in field:
        yield " | ".join(", ".join(_kind(option, defs, phrases)) for option in field["anyOf"])
    elif "$ref" in field:
        name = _name_of(field)
        yield _object(defs[name], _others(defs, name), phrases) if name in defs else "{…}"
    elif field.get("type") == "array":
        items = field.get("items", {})
        plain = items.get("type") == "string" and len(items) == 1
        yield phrases["list"] if plain else _objects(field, defs, phrases)
    elif field.get("type") in _KINDS:
        yield phrases[_KINDS[field["type"]]]
    else:
        yield str(field.get("type", "JSON"))
    if field.get("format") in _SAMPLES:
        yield phrases["like"].replace("%s", f'"{_SAMPLES[field["format"]]}"')
    if "pattern" in field:
        yield phrases["pattern"].replace("%s", field["pattern"])
    if "maxLength" in field:
        yield phrases["max_chars"].replace("%d", str(field["maxLength"]))
    if "maxItems" in field:
        yield phrases["max_items"].replace("%d", str(field["maxItems"]))


def _bounds(field: dict[str, Any]) -> Iterator[str]:
    """Yield the bounds of a number, in signs that every language reads."""
    for key, sign in (
        ("minimum", "≥"),
        ("exclusiveMinimum", ">"),
        ("maximum", "≤"),
        ("exclusiveMaximum", "<"),
    ):
        if key in field:
            yield f"{sign} {field[key]:.15g}"


def _objects(field: dict[str, Any], defs: dict[str, Any], phrases: dict[str, str]) -> str:
    members = field.get("prefixItems") or [field.get("items", {})]
    return f"[{', '.join(', '.join(_kind(member, defs, phrases)) for member in members)}]"


def _object(described: dict[str, Any], defs: dict[str, Any], phrases: dict[str, str]) -> str:
    if "properties" not in described:
        return ", ".join(_kind(described, defs, phrases))
    members = (
        f'"{name}": {", ".join(_kind(field, defs, phrases))}'
        for name, field in described["properties"].items()
    )
    return f"{{{', '.join(members)}}}"


@lru_cache(maxsize=256)
def worked_example(schema: type[QAResponse], language: str) -> str:
    """Return one valid object of the schema, for the prompt."""
    phrases = _phrases(language)
    values: dict[str, Any] = {
        "answer": phrases["example_answer"],
        "confidence": 0.9,
        "category": schema.categories[min(1, len(schema.categories) - 1)],
        "sources": [phrases["example_source"]],
        "follow_up": [],
        "needs_human": False,
    }
    described = _described(schema)
    for name, field in described["properties"].items():
        if name not in values:
            sample = _SAMPLES.get(field.get("format", ""))
            values[name] = sample or _neutral(field, described.get("$defs", {}))
    return json.dumps(values, ensure_ascii=False)


def neutral_values(schema: type[QAResponse]) -> dict[str, Any]:
    """Return an empty value for each required field that a subclass adds."""
    described = _described(schema)
    return {
        name: _neutral(field, described.get("$defs", {}))
        for name, field in described["properties"].items()
        if name in described.get("required", ()) and name not in QAResponse.model_fields
    }


def _neutral(field: dict[str, Any], defs: dict[str, Any]) -> Any:
    """Return the emptiest JSON value that a field's schema lets pass."""
    if "$ref" in field:
        name = _name_of(field)
        return _neutral(defs[name], _others(defs, name)) if name in defs else None
    if "anyOf" in field:
        null = any(option.get("type") == "null" for option in field["anyOf"])
        return None if null else _neutral(field["anyOf"][0], defs)
    if field.get("type") == "object":
        members = field.get("properties", {})
        return {name: _neutral(members[name], defs) for name in field.get("required", ())}
    return field.get("default", field.get("const", _neutral_scalar(field)))


def _neutral_scalar(field: dict[str, Any]) -> Any:
    if "enum" in field:
        return field["enum"][-1]
    values = {"string": "-" * field.get("minLength", 0), "array": [], "boolean": False}
    return values.get(field.get("type", ""), field.get("minimum", 0))


_TOKENS_PER_CHAR = 1.5  # the worst of Chinese text in o200k; English needs a fifth of it
_OTHER_TOKENS = 240  # keys and marks of the object, category, three follow-up questions


def longest_object_tokens(schema: type[QAResponse], titles: tuple[str, ...] = ()) -> int:
    """Return how many tokens a valid object of the schema takes at most, estimated from above.

    Args:
        schema: What the reply must look like.
        titles: The titles that may be cited.
    """
    more_fields = len(schema.model_fields) - len(QAResponse.model_fields)
    chars = schema.max_answer_chars + sum(len(title) for title in titles)
    return int(chars * _TOKENS_PER_CHAR) + _OTHER_TOKENS + 80 * more_fields
