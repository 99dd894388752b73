"""Gate 1: take the one object out of a reply, whatever it is written in, and invent nothing."""

from __future__ import annotations

import json
from typing import Any, Final

from ragqa.validation.gate import CheckContext, Fault, Outcome, Passed, Rejected
from ragqa.validation.schema import object_faults
from ragqa.validation.search_output import is_search_output
from ragqa.validation.shape import Shape, flaw_in, shape_of
from ragqa.validation.syntax.choice import Ambiguous, Chosen, choose
from ragqa.validation.syntax.outcome import Broken, Budget, Found
from ragqa.validation.syntax.search import Finds, find_objects, plain_object, sole_object
from ragqa.validation.syntax.surroundings import are_notes, repairs_around
from ragqa.validation.syntax.wrappers import called_name

_ASK: Final = (
    "Reply with exactly one JSON object and nothing else: keys and texts in double quotes, "
    "quotes and line breaks inside texts escaped, no comments."
)


class SyntaxGate:
    """Find the object that a reply holds; pass it on as a plain dict.

    Takes the reply's text. What was mended is named in ``Passed.repairs``; the names stand in
    :data:`ragqa.validation.syntax.REPAIRS`. Faults: ``syntax.invalid``, ``syntax.ambiguous``,
    ``text.truncated`` for an object that is not closed, ``schema.range`` for numbers that are not
    finite, ``schema.type`` for JSON that is no object, ``schema.missing`` for raw search results.
    """

    name = "syntax"

    def check(self, value: Any, context: CheckContext) -> Outcome:
        """Return the object, or why there is none. Never raises."""
        if not isinstance(value, str):
            reason = f"a text is due here, not {type(value).__name__}"
            return Rejected((Fault("syntax.invalid", reason, _ASK),), value)
        shape = shape_of(context.schema)
        text = value.strip()
        plain = plain_object(text)
        if plain is not None and shape.known(plain) and shape.complete(plain):
            return _checked(plain, (), shape)
        return _searched(text, shape)


def _searched(text: str, shape: Shape) -> Outcome:
    budget = Budget.of(text)
    finds = sole_object(text, shape) or find_objects(text, shape, budget)
    choice = choose(finds, shape, budget)
    if isinstance(choice, Chosen):
        return _of_found(choice.found, text, shape)
    if isinstance(choice, Ambiguous):
        feedback = f"Your reply is ambiguous: {choice.reason}. {_ASK}"
        return Rejected((Fault("syntax.ambiguous", choice.reason, feedback),), text)
    if isinstance(choice, Broken) and (shape.known(choice.keys) or choice is finds.fatal):
        return Rejected((_broken_fault(choice),), text)
    return Rejected((_nothing_fault(text, finds, choice),), text)


def _of_found(found: Found, text: str, shape: Shape) -> Outcome:
    value = found.value
    is_encoded = not {"doubled_encoding", "html_entities"}.isdisjoint(found.repairs)
    around = repairs_around(text, found.start, found.end, encoded=is_encoded)
    repairs = tuple(dict.fromkeys((*around, *found.repairs)))
    fault = _fault_of(found, text, shape)
    if fault is not None:
        return Rejected((fault,), text, repairs)
    return _checked(value, repairs, shape)


def _fault_of(found: Found, text: str, shape: Shape) -> Fault | None:
    """Return why an object that was found cannot be meant, where the schema would not say it."""
    value = found.value
    if not isinstance(value, dict) or not shape.complete(value):
        fault = _other_kind(value, text)
        if fault is not None:
            return fault
    if found.duplicates:
        keys = ", ".join(found.duplicates)
        feedback = f"A key may stand once only, but {keys} stands there more than once. {_ASK}"
        return Fault("syntax.ambiguous", f"duplicate keys: {keys}", feedback)
    if found.flaw:
        feedback = f"Your reply is not valid JSON: {found.flaw}. {_ASK}"
        return Fault("syntax.invalid", found.flaw, feedback)
    return None


def _other_kind(value: Any, text: str) -> Fault | None:
    """Return what an incomplete object is instead, if that can be told."""
    if is_search_output(value):
        return _search_output_fault()
    if are_notes(text):
        return _notes_fault()
    if not isinstance(value, dict):
        return _not_an_object(value)
    if name := called_name(value):
        feedback = f"You called {name}; no tool can be called now. {_ASK}"
        return Fault("schema.missing", f"a call of {name}", feedback)
    return None


def _checked(value: dict[str, Any], repairs: tuple[str, ...], shape: Shape) -> Outcome:
    """Pass an object on unless it holds what no JSON can: that is named with all other faults."""
    if flaw_in(value) is None:
        return Passed(value, repairs)
    return Rejected(object_faults(shape.schema, value), value, repairs)


def _broken_fault(broken: Broken) -> Fault:
    if broken.kind == "unclosed":
        feedback = (
            "Your reply ends before its JSON object is closed. Send the whole object again, "
            "with shorter texts."
        )
        return Fault("text.truncated", broken.reason, feedback)
    feedback = f"Your reply is not valid JSON: {broken.reason}. {_ASK}"
    return Fault("syntax.invalid", broken.reason, feedback)


def _nothing_fault(text: str, finds: Finds, broken: Broken | None) -> Fault:
    if are_notes(text):
        return _notes_fault()
    if finds.disowned:
        reason = "the only object is another tool's, an agent's note or one of a list"
        return Fault(
            "syntax.invalid", reason, f"There is no answer in your reply: {reason}. {_ASK}"
        )
    if broken is not None:
        return _broken_fault(broken)
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        reason = "there is no JSON object in the reply"
        return Fault("syntax.invalid", reason, f"There is no JSON object in your reply. {_ASK}")
    return _search_output_fault() if is_search_output(value) else _not_an_object(value)


def _search_output_fault() -> Fault:
    reason = "raw search results instead of an answer"
    feedback = (
        "You sent raw search results. Write an answer to the question in your own words, as the "
        f"one JSON object that was asked for. {_ASK}"
    )
    return Fault("schema.missing", reason, feedback)


def _notes_fault() -> Fault:
    reason = "an agent's notes (thought, action) instead of an answer"
    feedback = (
        "You sent notes (thought, action), but no tool can be called now. Write the answer itself, "
        f"as the one JSON object that was asked for. {_ASK}"
    )
    return Fault("syntax.invalid", reason, feedback)


def _not_an_object(value: Any) -> Fault:
    kind = {list: "a list", str: "a text", bool: "true or false", type(None): "null"}.get(
        type(value), "a number"
    )
    reason = f"{kind} instead of an object"
    return Fault("schema.type", reason, f"You sent {reason}. {_ASK}")
