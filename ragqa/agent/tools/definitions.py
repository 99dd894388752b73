"""The definitions of tools, checked when they are registered: before a model is misled by one.

A definition that a model cannot use well costs a failed call in every run, so it is refused at
once, with all that is wrong in one message. Tools of MCP servers bear the names and the schemas
that their servers chose; those pass with a name that services accept (:func:`wire_name`).
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from ragqa.agent.arguments.faults import schema_problem
from ragqa.agent.arguments.schema import JSON_TYPES, Schema, linear_pattern, normal_schema
from ragqa.errors import ConfigError
from ragqa.language.script import has_han

RESERVED_NAMES = ("search_documents", "calculate")
"""Names of ragqa's own tools."""

MAX_NAME_CHARS = 64
"""As OpenAI and Azure have it: ``^[a-zA-Z0-9_-]{1,64}$``.

See https://platform.openai.com/docs/api-reference/chat/create (tools.function.name).
"""

_SNAKE = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_MIN_WORDS = 4
_MIN_HAN_CHARS = 8
_PLACEHOLDER = re.compile(
    r"\W*(?:todo|tbd|fixme|n/?a|(?:no )?description|(?:a )?tool|function|待定|待补充|暂无|说明)\W*",
    re.IGNORECASE,
)
_TYPED_BY = ("type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref")
_MAX_SHOWN = 5


def registered_name(
    name: str,
    description: str | None,
    schema: Mapping[str, Any] | type[BaseModel] | None,
    *,
    foreign: bool = False,
) -> str:
    """Return the name under which a model calls a tool, once nothing is wrong with the tool.

    Args:
        name: The tool's name.
        description: What it does and when to use it.
        schema: Its pydantic class or JSON schema, without what is injected; None for a tool
            without arguments.
        foreign: Whether a server chose name and schema, as MCP servers do: then the name is put
            into a form that services accept, a short description will do, and a schema may
            leave types open.

    Raises:
        ConfigError: If something is wrong; it names the tool, all faults and what to do.
    """
    wire = wire_name(name) if foreign else name
    problems = [*_name_problems(wire), *_description_problems(wire, description, foreign=foreign)]
    try:
        problems += _schema_problems(normal_schema(schema), foreign=foreign)
    except ConfigError as exc:
        problems.append(f"its schema cannot be used: {exc}")
    if problems:
        raise _refusal(name, problems)
    return wire


def registered_name_of(tool: Any) -> str:
    """Return the same for a LangChain tool.

    A tool with a JSON schema in place of a class comes from elsewhere, an MCP server as a rule.

    Raises:
        ConfigError: If something is wrong with it.
    """
    schema = getattr(tool, "tool_call_schema", None)
    if schema is None:
        schema = getattr(tool, "args_schema", None)
    foreign = isinstance(getattr(tool, "args_schema", None), Mapping)
    return registered_name(str(tool.name), tool.description, schema, foreign=foreign)


def wire_name(name: str) -> str:
    """Return a tool's name in snake_case, for names that a server chose.

    >>> wire_name("get-weather"), wire_name("createIssue"), wire_name("HTTPGet v2")
    ('get_weather', 'create_issue', 'http_get_v2')
    """
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    snake = re.sub(r"[^a-z0-9]+", "_", words.lower()).strip("_")
    return f"tool_{snake}" if snake[:1].isdigit() else snake


def _refusal(name: str, problems: list[str]) -> ConfigError:
    more = len(problems) - _MAX_SHOWN
    listed = "; ".join(problems[:_MAX_SHOWN]) + (f"; and {more} more" if more > 0 else "")
    return ConfigError(
        f"The tool {name[:100]!r} cannot be registered: {listed}.",
        hint="Correct its definition: a snake_case name, a description that says when to use it,"
        " and a type for every parameter.",
    )


def _name_problems(name: str) -> Iterator[str]:
    if not _SNAKE.fullmatch(name):
        better = wire_name(name)
        hint = f", for instance {better!r}" if better else ""
        yield f"its name is not snake_case (small Latin letters, digits, underscores){hint}"
    elif len(name) > MAX_NAME_CHARS:
        yield f"its name has {len(name)} characters; services take {MAX_NAME_CHARS}"
    if name in RESERVED_NAMES:
        yield f"the name {name!r} is taken by ragqa's own tool; choose another one"


def _description_problems(name: str, description: str | None, *, foreign: bool) -> Iterator[str]:
    text = " ".join((description or "").split())
    if not text:
        yield "it has no description; say what it does and when to use it"
    elif not foreign and not _says_when(name, text):
        yield f"its description {text[:60]!r} does not say what it does and when to use it"


def _says_when(name: str, text: str) -> bool:
    """Tell whether a description is more than a placeholder or the tool's name in words."""
    if _PLACEHOLDER.fullmatch(text) or wire_name(text) == wire_name(name):
        return False
    if has_han(text):
        return sum(char.isalnum() for char in text) >= _MIN_HAN_CHARS
    return len(re.findall(r"\w+", text)) >= _MIN_WORDS


def _schema_problems(normal: Schema, *, foreign: bool) -> Iterator[str]:
    if problem := schema_problem(normal):
        yield f"its schema is no JSON schema: {problem[:200]}"
        return
    if normal.get("type", "object") != "object":
        yield f"its schema is of type {normal['type']!r}; the arguments of a tool are an object"
        return
    yield from _node_problems(normal, "", foreign=foreign)


def _node_problems(node: Any, path: str, *, foreign: bool) -> Iterator[str]:
    """Yield what is wrong with a part of the schema and with the parts below it."""
    if not isinstance(node, dict):
        return
    yield from _enum_problems(node, path)
    if (pattern := node.get("pattern")) is not None and not _compiles(pattern):
        yield f"the pattern of {_where(path)} is no regular expression"
    properties = node.get("properties", {})
    shared = "$ref" in node or any(key in node for key in ("allOf", "anyOf", "oneOf"))
    for name in node.get("required", ()):
        if name not in properties and not shared and "additionalProperties" not in node:
            yield f"{_where(path)} requires {name!r}, which is no parameter"
    for name, inner in properties.items():
        where = f"{path}.{name}" if path else name
        if not name.strip() or (not foreign and not _usable(name)):
            yield f"the parameter {where!r} has no name that a program can use"
        if not foreign and isinstance(inner, dict) and not any(key in inner for key in _TYPED_BY):
            yield f"the parameter {where!r} has no type; give one of {', '.join(JSON_TYPES)}"
        yield from _node_problems(inner, where, foreign=foreign)
    for key, inner in _parts(node):
        yield from _node_problems(inner, f"{path}{key}", foreign=foreign)


def _parts(node: Schema) -> Iterator[tuple[str, Any]]:
    items = node.get("items")
    for inner in items if isinstance(items, list) else [items]:
        yield "[]", inner
    for key in ("anyOf", "oneOf", "allOf"):
        for inner in node.get(key, ()):
            yield "", inner
    for name, inner in (node.get("$defs") or node.get("definitions") or {}).items():
        yield f"#{name}", inner


def _enum_problems(node: Schema, path: str) -> Iterator[str]:
    if "enum" not in node:
        return
    values = node["enum"]
    if not values:
        yield f"the enum of {_where(path)} is empty; list the values that it takes"
        return
    told = [repr(value) for value in values]
    if len(set(told)) < len(told):
        yield f"the enum of {_where(path)} lists a value twice"
    kinds = node.get("type")
    fits = [_KINDS[kind] for kind in ([kinds] if isinstance(kinds, str) else kinds or ())]
    odd = next((v for v in values if fits and not any(fit(v) for fit in fits)), _NONE)
    if odd is not _NONE:
        yield f"the enum of {_where(path)} lists {odd!r}, which is no {kinds}"


_NONE = object()
_KINDS: Mapping[str, Callable[[Any], bool]] = {
    "string": lambda v: isinstance(v, str),
    "number": lambda v: isinstance(v, int | float) and not isinstance(v, bool),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "boolean": lambda v: isinstance(v, bool),
    "array": lambda v: isinstance(v, list),
    "object": lambda v: isinstance(v, dict),
    "null": lambda v: v is None,
}


def _compiles(pattern: str) -> bool:
    try:
        linear_pattern(pattern)
    except re.error:
        return False
    return True


def _usable(name: str) -> bool:
    return name.isidentifier() or keyword.iskeyword(name)


def _where(path: str) -> str:
    return f"the parameter {path!r}" if path else "the schema"
