"""The OData filters that ragqa sends, evaluated over documents; every other filter is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

from tests.wire.azure.search_refusals import JsonObject, bad_expression, no_property

Test = Callable[[JsonObject], bool]

_TOKEN = re.compile(
    r"\s*(?:(?P<text>'(?:[^']|'')*')"
    r"|(?P<date>\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d))"
    r"|(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
    r"|(?P<word>[A-Za-z_][\w./]*)|(?P<mark>[(),:]))"
)
_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a is not None and a < b,
    "le": lambda a, b: a is not None and a <= b,
    "gt": lambda a, b: a is not None and a > b,
    "ge": lambda a, b: a is not None and a >= b,
}
_LITERALS = {
    "Edm.String": (str,),
    "Edm.Boolean": (bool,),
    "Edm.Int32": (int, float),
    "Edm.Int64": (int, float),
    "Edm.Double": (int, float),
    "Edm.DateTimeOffset": (datetime,),
}


def parsed(text: str, fields: dict[str, JsonObject]) -> Test:
    """Return the test that a filter stands for.

    Raises:
        Refused: If it is none that the service takes for this index.
    """
    return _Parser(text, fields).whole()


class _Parser:
    def __init__(self, text: str, fields: dict[str, JsonObject]) -> None:
        self.text, self.fields = text, fields
        self.tokens: list[tuple[str, str]] = []
        at = 0
        while text[at:].strip():
            match = _TOKEN.match(text, at)
            if match is None:
                raise self.syntax_error(at)
            self.tokens.append((str(match.lastgroup), str(match[str(match.lastgroup)])))
            at = match.end()
        self.at = 0

    def syntax_error(self, at: int) -> Exception:
        return bad_expression(
            f"Syntax error at position {at} in '{self.text}'.", "$filter", "CannotParseFilter"
        )

    def peek(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def take(self, expected: str | None = None) -> tuple[str, str]:
        if self.at >= len(self.tokens) or (expected and self.peek() != expected):
            raise self.syntax_error(self.at)
        self.at += 1
        return self.tokens[self.at - 1]

    def whole(self) -> Test:
        test = self.either()
        if self.at < len(self.tokens):
            raise self.syntax_error(self.at)
        return test

    def either(self) -> Test:
        tests = [self.both()]
        while self.peek() == "or":
            self.take()
            tests.append(self.both())
        return lambda document: any(test(document) for test in tests)

    def both(self) -> Test:
        tests = [self.one()]
        while self.peek() == "and":
            self.take()
            tests.append(self.one())
        return lambda document: all(test(document) for test in tests)

    def one(self) -> Test:
        word = self.peek()
        if word == "not":
            self.take()
            inner = self.one()
            return lambda document: not inner(document)
        if word == "(":
            self.take()
            inner = self.either()
            self.take(")")
            return inner
        if word in ("true", "false"):
            self.take()
            return lambda document: word == "true"
        if word == "search.in":
            name, values = self.search_in(self.field_named)
            return lambda document: document.get(name) in values
        return self.comparison()

    def comparison(self) -> Test:
        kind, name = self.take()
        if kind != "word":
            raise self.syntax_error(self.at)
        if name.endswith("/any"):
            return self.any_of(name.removesuffix("/any"))
        field = self.field_named(name)
        compare = _COMPARISONS.get(self.take()[1])
        if compare is None:
            raise self.syntax_error(self.at)
        value = self.literal(field["type"])
        return lambda document: compare(_typed(document.get(name), field["type"]), value)

    def any_of(self, name: str) -> Test:
        field = self.field_named(name)
        if not field["type"].startswith("Collection("):
            raise self.wrong_type(name)
        self.take("(")
        variable = self.take()[1]
        self.take(":")
        if self.peek() == "search.in":
            _, values = self.search_in(lambda _: {"type": "Edm.String", "name": variable})
        else:
            self.take(variable)
            self.take("eq")
            values = [self.literal(field["type"].removeprefix("Collection(").removesuffix(")"))]
        self.take(")")
        return lambda document: any(item in values for item in document.get(name) or [])

    def search_in(self, find: Callable[[str], JsonObject]) -> tuple[str, list[str]]:
        self.take("search.in")
        self.take("(")
        name = self.take()[1]
        if find(name)["type"] != "Edm.String":
            raise bad_expression(
                "No function signature for the function with name 'search.in' matches the "
                "specified arguments.",
                "$filter",
                "CannotParseFilter",
            )
        self.take(",")
        values = self.literal("Edm.String")
        separators = " ,"
        if self.peek() == ",":
            self.take()
            separators = self.literal("Edm.String")
        self.take(")")
        pattern = "|".join(map(re.escape, separators))
        return name, [part for part in re.split(pattern, values) if part]

    def literal(self, kind: str) -> Any:
        token, text = self.take()
        if text == "null":
            return None
        value: Any
        match token, text:
            case "text", _:
                value = text[1:-1].replace("''", "'")
            case "number", _:
                value = float(text) if set(text) & set(".eE") else int(text)
            case "date", _:
                value = datetime.fromisoformat(text)
            case "word", "true" | "false":
                value = text == "true"
            case _:
                raise self.syntax_error(self.at)
        right = isinstance(value, _LITERALS.get(kind, ()))
        if not right or (isinstance(value, bool) and kind != "Edm.Boolean"):
            raise bad_expression(
                "A binary operator with incompatible types was detected. Found operand types "
                f"'{kind}' and '{type(value).__name__}' for operator kind 'Equal'.",
                "$filter",
                "CannotParseFilter",
            )
        return value

    def field_named(self, name: str) -> JsonObject:
        field = self.fields.get(name)
        if field is None:
            raise no_property(name, "$filter")
        if not field["filterable"]:
            raise bad_expression(
                f"'{name}' is not a filterable field. Only filterable fields can be used in filter "
                "expressions.",
                "$filter",
                "FieldNotSupportedInFilter",
            )
        return field

    def wrong_type(self, name: str) -> Exception:
        return bad_expression(
            f"The operand '{name}' has a type that this operation does not take.",
            "$filter",
            "CannotParseFilter",
        )


def _typed(value: Any, kind: str) -> Any:
    if kind == "Edm.DateTimeOffset" and isinstance(value, str):
        return datetime.fromisoformat(value)
    return value
