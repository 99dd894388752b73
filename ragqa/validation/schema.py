"""Gate 2: the strict schema, with messages that a model can act on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from ragqa.validation.broken import broken
from ragqa.validation.echo import echoes_schema
from ragqa.validation.gate import CheckContext, Fault, Outcome, Passed, Rejected
from ragqa.validation.schema_rules import dotted, extra_hint, limits_at, rule_at, shown
from ragqa.validation.shape import Flaw, Path, flaws_in, shape_of, validated

MISSING: Final = "schema.missing"
EXTRA: Final = "schema.extra"
TYPE: Final = "schema.type"
RANGE: Final = "schema.range"
ECHOED: Final = "schema.echoed"
ERROR: Final = "schema.error"

_WORST_FIRST: Final = (ERROR, ECHOED, MISSING, EXTRA, TYPE, RANGE)
_MAX_FAULTS = 20


class SchemaGate:
    """Validate an object by the schema: strictly, unknown keys forbidden, numbers finite.

    Takes a dict (or an instance of the schema, which is validated anew) and passes an instance of
    ``context.schema`` on. All faults are reported, the worst first.
    """

    name = "schema"

    def check(self, value: Any, context: CheckContext) -> Outcome:
        """Return the instance, or all that is wrong with the object. Never raises."""
        if isinstance(value, BaseModel):
            try:
                value = value.model_dump(mode="json", by_alias=True)
            except Exception as exc:  # a serializer of a caller's schema may raise anything
                return broken(ERROR, "schema", type(value).__name__, exc, value)
        if not isinstance(value, dict):
            return Rejected((_no_object(value),), value)
        instance, faults = _judged(context.schema, value)
        return Rejected(faults, value) if instance is None else Passed(instance)


def object_faults(schema: type[BaseModel], value: dict[str, Any]) -> tuple[Fault, ...]:
    """Return all that is wrong with an object, the worst first; empty if nothing is."""
    return _judged(schema, value)[1]


def _judged(
    schema: type[BaseModel], value: dict[str, Any]
) -> tuple[BaseModel | None, tuple[Fault, ...]]:
    faults = [_flaw_fault(schema, flaw) for flaw in flaws_in(value, _MAX_FAULTS)]
    instance: BaseModel | None = None
    if all(fault.code == RANGE for fault in faults):
        try:
            instance = validated(schema, value)
        except ValidationError as exc:
            faults += _validation_faults(schema, value, exc)
        except Exception as exc:  # a validator of a caller's schema may raise anything
            faults += broken(ERROR, "schema", schema.__name__, exc, value).faults
    if echoes_schema(value, instance, shape_of(schema)):
        return None, (_echo_fault(schema),)
    if faults:
        by_field: dict[tuple[str, str], Fault] = {}
        for fault in faults:
            by_field.setdefault((fault.field, fault.code), fault)
        ordered = sorted(by_field.values(), key=lambda f: _WORST_FIRST.index(f.code))
        return None, tuple(ordered[:_MAX_FAULTS])
    return instance, ()


def _no_object(value: Any) -> Fault:
    reason = f"an object is due, not {type(value).__name__}"
    return Fault(TYPE, reason, "Reply with one JSON object that has the fields asked for.")


def _flaw_fault(schema: type[BaseModel], flaw: Flaw) -> Fault:
    """Say what is wrong with a value that no JSON text can hold."""
    field = dotted(flaw.path)
    where = field or "the object"
    if flaw.kind == "number":
        bounds = limits_at(schema, flaw.path)
        rule = f"must be a finite number{bounds}"
        return Fault(
            RANGE,
            f"{where} is no finite number",
            f"{where}: {rule}; you sent {shown(flaw.value)}",
            field,
        )
    rule = {
        "surrogate": "holds half a character (a lone surrogate escape such as \\ud800)",
        "depth": "is nested too deeply",
    }.get(flaw.kind, f"holds a {type(flaw.value).__name__}, which is no JSON")
    return Fault(TYPE, f"{where} {rule}", f"{where}: {rule}; write plain text there", field)


def _echo_fault(schema: type[BaseModel]) -> Fault:
    reason = "the schema or its descriptions instead of an object that follows them"
    feedback = (
        f"You sent back the description of {schema.__name__}. Send an object that follows it: "
        "each field's own value, not its type or description."
    )
    return Fault(ECHOED, reason, feedback)


def _validation_faults(
    schema: type[BaseModel], value: dict[str, Any], error: ValidationError
) -> Iterator[Fault]:
    errors = error.errors(include_url=False)
    missing = [str(item["loc"][-1]) for item in errors if item["type"] == "missing" and item["loc"]]
    for item in errors[: 10 * _MAX_FAULTS]:
        yield _fault(schema, item, missing)


def _fault(schema: type[BaseModel], error: ErrorDetails, missing: list[str]) -> Fault:
    path: Path = error["loc"]
    code = code_of(error["type"])
    field = dotted(path)
    where = field or "the object"
    known = rule_at(schema, path)
    rule = known or error["msg"]
    if code == MISSING:
        due = f"; it {known}" if known else ""
        return Fault(code, f"{where} is missing", f"{where}: is missing{due}", field)
    if code == EXTRA:
        hint = extra_hint(schema, path, missing)
        return Fault(code, f"extra key: {where}", f"{where}: {hint}", field)
    if error["type"] in {"value_error", "assertion_error"} or "." in error["type"]:
        rule = error["msg"]
    sent = shown(error["input"])
    return Fault(code, f"{where}: {error['msg']}", f"{where}: {rule}; you sent {sent}", field)


_OF_TYPE: Final = (
    "_type",
    "_parsing",
    "_from_float",
    "_unicode",
    "is_instance_of",
    "none_required",
    "json_invalid",
    "_attributes_type",
)


def code_of(error_type: str) -> str:
    """Return the fault's code for a type of pydantic's errors.

    What the value is counts as type; how large, how long or which of a list, as range. See
    https://docs.pydantic.dev/latest/errors/validation_errors/ for the types.
    """
    if error_type in {"missing", "union_tag_not_found"}:
        return MISSING
    if error_type == "extra_forbidden":
        return EXTRA
    return TYPE if error_type.endswith(_OF_TYPE) else RANGE
