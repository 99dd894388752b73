"""The arguments of a tool call, checked against the tool's schema before anything runs.

Strict where a tool could be misled, and no stricter than JSON: texts are never turned into
numbers, unknown names are refused, but a whole number is fine where a number is due, and ``5.0``
is the whole number 5 (https://json-schema.org/draft/2020-12/json-schema-validation#section-6.1.1).

>>> schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
>>> gate = ArgumentsGate(schema)
>>> gate.check({"city": 5}, CheckContext()).faults[0].feedback
'city: must be text; you sent 5'
>>> plain(gate.check('{"city": "Delft"}', CheckContext()).value)
{'city': 'Delft'}
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from ragqa.agent.arguments.faults import MAX_FAULTS, schema_faults
from ragqa.agent.arguments.schema import Schema, closed_schema, normal_schema
from ragqa.agent.arguments.value import arguments_model, with_whole_numbers
from ragqa.validation.gate import CheckContext, Fault, Outcome, Passed, Rejected
from ragqa.validation.schema import SchemaGate
from ragqa.validation.schema_rules import dotted, shown
from ragqa.validation.shape import flaws_in

ToolSchema = Mapping[str, Any] | type[BaseModel] | None
WHOLE_NUMBER = "whole_number"
"""Repair: a number such as 5.0 was put down as the whole number that is due."""


class ArgumentsGate:
    """Gate 2 before a tool call: the tool's own schema, whether pydantic or JSON.

    It takes an object or a JSON text and passes an instance on; :func:`plain` gives its JSON.

    Args:
        schema: The tool's JSON schema or pydantic class; None for a tool without arguments.

    Raises:
        ConfigError: If the schema is none.
    """

    name = "schema"

    def __init__(self, schema: ToolSchema) -> None:
        self.schema: Schema = normal_schema(schema)
        self._model = schema if isinstance(schema, type) else None
        self._closed = closed_schema(self.schema)
        self._instance = self._model or arguments_model(self._closed)

    def check(self, value: Any, context: CheckContext) -> Outcome:
        """Pass the arguments on as an instance, or refuse them for all that is wrong.

        Args:
            value: An instance, an object, or the JSON text that the model sent.
            context: Not asked.
        """
        read = _read(plain(value) if isinstance(value, BaseModel) else value)
        if isinstance(read, Fault):
            return Rejected((read,), value=value)
        flaws = tuple(_flaw_fault(flaw.path, flaw.value) for flaw in flaws_in(read, MAX_FAULTS))
        if flaws:
            return Rejected(flaws, value=value)
        normal, changed = with_whole_numbers(self.schema, read)
        repairs = (WHOLE_NUMBER,) if changed else ()
        judged = self._judged(normal)
        if isinstance(judged, BaseModel):
            return Passed(judged, repairs=repairs)
        return Rejected(judged, value=value, repairs=repairs)

    def _judged(self, normal: dict[str, Any]) -> BaseModel | tuple[Fault, ...]:
        """Return the instance that arguments in normal form make, or all that is wrong."""
        if self._model is None:
            return schema_faults(self._closed, normal) or self._instance(**normal)
        outcome = SchemaGate().check(normal, CheckContext(schema=self._model))
        if isinstance(outcome, Rejected):
            return outcome.faults
        instance: BaseModel = outcome.value
        return instance


def plain(value: BaseModel) -> dict[str, Any]:
    """Return checked arguments as JSON holds them: what was sent or filled in, no defaults."""
    return value.model_dump(mode="json", by_alias=True, exclude_unset=True)


def _read(arguments: Any) -> dict[str, Any] | Fault:
    """Return the object; a call without arguments is sent as an empty text by some services."""
    if arguments is None or (isinstance(arguments, str) and not arguments.strip()):
        return {}
    if isinstance(arguments, str | bytes):
        try:
            arguments = json.loads(arguments, object_pairs_hook=without_duplicates)
        except (ValueError, RecursionError) as exc:
            reason = str(exc) if isinstance(exc, _DuplicateKey) else "they are no complete JSON"
            return Fault(
                "syntax.invalid",
                f"the arguments cannot be read: {reason}",
                f"The arguments cannot be read: {reason}. Send one JSON object with the tool's"
                " parameters.",
            )
    if isinstance(arguments, Mapping):
        return dict(arguments)
    return Fault(
        "schema.type",
        f"the arguments are {type(arguments).__name__}, no object",
        f"The arguments must be one JSON object; you sent {shown(arguments)}",
    )


class _DuplicateKey(ValueError):
    """A key stands twice in an object."""


def without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object that pairs are, for ``json.loads``.

    Raises:
        ValueError: If a key stands there twice: nobody knows which value is meant.
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _DuplicateKey(f"{twice[:60]!r} stands there twice")
    return found


def _flaw_fault(path: tuple[str | int, ...], value: Any) -> Fault:
    where = dotted(path) or "the arguments"
    rule = "must be a plain, finite JSON value"
    return Fault(
        "schema.type", f"{where} {rule}", f"{where}: {rule}; you sent {shown(value)}", where
    )
