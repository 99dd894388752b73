"""What is wrong with arguments by a JSON schema, in words that a model can act on."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from ragqa.agent.arguments.schema import Schema, linear_pattern
from ragqa.errors import ConfigError
from ragqa.validation.gate import Fault
from ragqa.validation.schema_rules import dotted, rule_of, shown

if TYPE_CHECKING:
    from jsonschema import ValidationError

MAX_FAULTS = 20
_MAX_NAMES = 30
_CODES = {
    "required": "schema.missing",
    "dependentRequired": "schema.missing",
    "additionalProperties": "schema.extra",
    "unevaluatedProperties": "schema.extra",
    "type": "schema.type",
}
_WORST_FIRST = ("schema.missing", "schema.extra", "schema.type", "schema.range")


def schema_faults(closed: Schema, arguments: dict[str, Any]) -> tuple[Fault, ...]:
    """Return all that is wrong with the arguments, the worst first.

    Args:
        closed: The schema as :func:`~ragqa.agent.arguments.schema.closed_schema` makes it.
        arguments: Plain JSON values.

    Raises:
        ConfigError: If the schema itself cannot be used.
    """
    from jsonschema.exceptions import SchemaError
    from referencing.exceptions import Unresolvable

    faults: dict[tuple[str, str], Fault] = {}
    try:
        for error in _validator(closed).iter_errors(arguments):
            for leaf in _leaves(error):
                for fault in _faults(closed, leaf):
                    faults.setdefault((fault.field, fault.code), fault)
            if len(faults) >= MAX_FAULTS:
                break
    except (SchemaError, Unresolvable, re.error, ValueError, TypeError, RecursionError) as exc:
        raise ConfigError(f"The schema of the arguments cannot be used: {_line(exc)}") from exc
    ordered = sorted(faults.values(), key=lambda fault: _WORST_FIRST.index(fault.code))
    return tuple(ordered[:MAX_FAULTS])


def schema_problem(schema: Schema) -> str:
    """Say what is wrong with a JSON schema itself; empty if nothing is."""
    from jsonschema.exceptions import SchemaError

    try:
        _dialect(schema).check_schema(schema)
    except SchemaError as exc:
        where = dotted(tuple(exc.absolute_path))
        return f"{where}: {exc.message}" if where else exc.message
    except RecursionError:
        return "it is nested too deeply"
    return ""


def _line(exc: Exception) -> str:
    return (str(exc).splitlines() or [type(exc).__name__])[0][:200]


def _dialect(schema: Schema) -> Any:
    from jsonschema import Draft202012Validator
    from jsonschema.validators import validator_for

    return validator_for(schema, default=Draft202012Validator)


def _validator(schema: Schema) -> Any:
    """Return a validator that resolves references in the schema only: nothing is fetched."""
    from referencing import Registry

    return _bounded(_dialect(schema))(schema, registry=Registry())


@cache
def _bounded(dialect: Any) -> Any:
    from jsonschema.validators import extend

    return extend(dialect, {"pattern": _pattern})


def _pattern(_: Any, pattern: str, instance: Any, __: Any) -> Iterator[ValidationError]:
    from jsonschema import ValidationError

    if isinstance(instance, str) and not linear_pattern(pattern)(instance):
        yield ValidationError(f"does not match {pattern}")


def _leaves(error: ValidationError) -> Iterator[ValidationError]:
    """Yield the errors of the branch that was meant, where a schema offers several."""
    branches: dict[Any, list[ValidationError]] = {}
    for inner in error.context or ():
        branches.setdefault(inner.schema_path[0], []).append(inner)
    meant = [each for each in branches.values() if not _fits_badly(each)]
    if error.validator not in ("anyOf", "oneOf") or len(meant) != 1:
        yield error
        return
    for inner in meant[0]:
        yield from _leaves(inner)


def _fits_badly(errors: list[ValidationError]) -> bool:
    """Tell whether a branch is of another type altogether, or of another kind of object."""
    return any(
        each.validator in ("type", "const", "enum") and len(each.relative_path) < 2
        for each in errors
    )


def _faults(root: Schema, error: ValidationError) -> Iterator[Fault]:
    path = tuple(error.absolute_path)
    keyword = str(error.validator)
    if keyword == "required":
        for name in _missing(error):
            rule = _rule(root, (error.schema.get("properties") or {}).get(name, {}))
            where = dotted((*path, name))
            told = f"; it {rule}" if rule else ""
            yield Fault(
                "schema.missing", f"{where} is missing", f"{where}: is missing{told}", where
            )
    elif keyword in ("additionalProperties", "unevaluatedProperties") and isinstance(
        error.instance, dict
    ):
        yield from _unknown(root, error, path)
    else:
        yield _misfit(root, error, path, keyword)


def _missing(error: ValidationError) -> list[str]:
    wanted: Any = error.validator_value
    held: Any = error.instance
    return [name for name in wanted if name not in held]


def _unknown(root: Schema, error: ValidationError, path: tuple[Any, ...]) -> Iterator[Fault]:
    known = list(_names(root, error.schema, 0))
    instance: Any = error.instance
    for name in instance:
        if name in known:
            continue
        where = dotted((*path, name))
        close = difflib.get_close_matches(str(name)[:100], known, n=1, cutoff=0.75)
        listed = f" The parameters are {', '.join(known[:_MAX_NAMES])}." if known else ""
        hint = f"did you mean {close[0]}?" if close else f"leave it out.{listed}"
        feedback = f"{where}: is no parameter; {hint}"
        yield Fault("schema.extra", f"unknown parameter: {where}", feedback, where)


def _names(root: Schema, node: Any, depth: int) -> Iterator[str]:
    """Yield the names that an object of a schema may have."""
    if not isinstance(node, dict) or depth > 8:
        return
    yield from node.get("properties", {})
    for key in ("anyOf", "oneOf", "allOf"):
        for each in node.get(key, ()):
            yield from _names(root, each, depth + 1)
    if isinstance(reference := node.get("$ref"), str):
        name = reference.rpartition("/")[2]
        shared = root.get("$defs") or root.get("definitions") or {}
        yield from _names(root, shared.get(name), depth + 1)


def _misfit(root: Schema, error: ValidationError, path: tuple[Any, ...], keyword: str) -> Fault:
    code = _CODES.get(keyword, "schema.range")
    where = dotted(path)
    rule = _rule(root, error.schema) or _line(error)
    if keyword == "pattern":
        rule = f"must be text that matches {str(error.validator_value)[:200]}"
    elif keyword == "uniqueItems":
        rule = "must not hold the same entry twice"
    sent = shown(error.instance)
    told = where or "the arguments"
    return Fault(code, f"{told}: {rule}", f"{told}: {rule}; you sent {sent}", where)


def _rule(root: Schema, node: Any) -> str:
    return rule_of(root, node) if isinstance(node, dict) else ""
