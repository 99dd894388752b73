"""What the syntax gate finds wrong, in words that a model can act on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ragqa.validation.gate import Fault

if TYPE_CHECKING:
    from ragqa.validation.syntax.outcome import Broken

ASK: Final = (
    "Reply with exactly one JSON object and nothing else: keys and texts in double quotes, "
    "quotes and line breaks inside texts escaped, no comments."
)


def ambiguous(reason: str) -> Fault:
    """More than one object could be meant."""
    return Fault("syntax.ambiguous", reason, f"Your reply is ambiguous: {reason}. {ASK}")


def invalid(reason: str) -> Fault:
    """The object cannot be read with certainty."""
    return Fault("syntax.invalid", reason, f"Your reply is not valid JSON: {reason}. {ASK}")


def nothing(reason: str) -> Fault:
    """There is no object that could be meant."""
    return Fault("syntax.invalid", reason, f"Your reply cannot be used: {reason}. {ASK}")


def broken_off(broken: Broken) -> Fault:
    """The object cannot be read to its end."""
    if broken.kind == "unclosed":
        feedback = (
            "Your reply ends before its JSON object is closed. Send the whole object again, "
            "with shorter texts."
        )
        return Fault("text.truncated", broken.reason, feedback)
    return invalid(broken.reason)


def call(name: str) -> Fault:
    """The object is a call of another tool."""
    feedback = f"You sent a call of {name[:60]} instead of the object that was asked for. {ASK}"
    return Fault("schema.missing", f"a call of {name[:60]}", feedback)


def search_output() -> Fault:
    """The reply is what a search returned."""
    reason = "raw search results instead of an answer"
    feedback = (
        "You sent raw search results. Write an answer to the question in your own words, as the "
        f"one JSON object that was asked for. {ASK}"
    )
    return Fault("schema.missing", reason, feedback)


def notes() -> Fault:
    """The reply is an agent's notes."""
    reason = "an agent's notes (thought, action) instead of an answer"
    feedback = (
        "You sent notes (thought, action), but no tool can be called now. Write the answer itself, "
        f"as the one JSON object that was asked for. {ASK}"
    )
    return Fault("syntax.invalid", reason, feedback)


def no_object(value: Any) -> Fault:
    """The reply is JSON, but no object."""
    kind = {list: "a list", str: "a text", bool: "true or false", type(None): "null"}.get(
        type(value), "a number"
    )
    reason = f"{kind} instead of an object"
    return Fault("schema.type", reason, f"You sent {reason}. {ASK}")
