"""Read and mend the fields of a validated value, whatever its schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from ragqa.contract import QAResponse
from ragqa.validation.gate import Fault, Passed, Rejected


def field_of(value: Any, name: str, kind: type | tuple[type, ...]) -> Any:
    """Return a field of a model if it is there and of that kind, else None."""
    if not isinstance(value, BaseModel):
        return None
    found = getattr(value, name, None) if name in type(value).model_fields else None
    return found if isinstance(found, kind) else None


def answer_of(value: Any) -> str | None:
    """Return the answer's text where the value is a response; None for a tool's arguments.

    A response of any schema says on what its answer rests or how sure it is.
    """
    answer: str | None = field_of(value, "answer", str)
    if answer is None or isinstance(value, QAResponse):
        return answer
    return answer if {"sources", "confidence"} & type(value).model_fields.keys() else None


def sources_of(value: Any) -> list[str] | None:
    """Return the titles that a response cites; None where its schema knows no sources."""
    sources = field_of(value, "sources", list)
    if sources is None or not all(isinstance(source, str) for source in sources):
        return None
    return list(sources)


def texts_of(value: Any) -> Iterator[tuple[str, str]]:
    """Yield every text in a model with its dotted path, also inside lists and nested models."""
    stack: list[tuple[str, Any]] = [("", value)]
    while stack:
        path, found = stack.pop()
        for name, member in _members(found):
            if isinstance(member, str):
                yield f"{path}{name}", member
            elif not isinstance(member, _PLAIN):
                stack.append((f"{path}{name}.", member))


_PLAIN = (bool, int, float, type(None))


def _members(value: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(value, list | tuple | set | frozenset):
        return enumerate(value)
    if isinstance(value, dict):
        return value.items()
    if isinstance(value, BaseModel):
        return (vars(value) | (value.__pydantic_extra__ or {})).items()
    return ()


def mended(value: BaseModel, update: Mapping[str, Any]) -> BaseModel:
    """Return the model with other values in some fields, validated anew.

    Raises:
        ValidationError: If the new values do not fit the schema.
    """
    fresh = type(value).model_validate({**dict(value), **update}, by_name=True)
    return value.model_copy(update={name: getattr(fresh, name) for name in update})


def passed_with(value: BaseModel, update: Mapping[str, Any], repair: str) -> Passed | Rejected:
    """Pass the value on with mended fields, or refuse it where they do not fit its schema."""
    try:
        return Passed(mended(value, update), repairs=(repair,))
    except ValidationError as exc:
        names = ", ".join(update)
        detail = exc.errors(include_url=False, include_input=False)[0]["msg"]
        reason = f"{repair} gave {names} a value that does not fit: {detail}"
        return refused(f"rules.{repair}", reason, f"{names}: {detail}", field=names, value=value)


def refused(code: str, reason: str, feedback: str, *, field: str = "", value: Any) -> Rejected:
    """Refuse a value for one fault."""
    return Rejected((Fault(code, reason, feedback, field),), value=value)
