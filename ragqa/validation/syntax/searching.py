"""Find, choose and check the object of a reply that is not just an object."""

from __future__ import annotations

import json
from typing import Any

from ragqa.validation.gate import Fault, Outcome, Rejected
from ragqa.validation.search_output import is_search_output
from ragqa.validation.shape import Shape
from ragqa.validation.syntax import faults
from ragqa.validation.syntax.choice import Ambiguous, Chosen, choose
from ragqa.validation.syntax.outcome import Broken, Budget, Found
from ragqa.validation.syntax.plain import checked
from ragqa.validation.syntax.search import Finds, find_objects, sole_object
from ragqa.validation.syntax.surroundings import are_notes, repairs_around
from ragqa.validation.syntax.wrappers import called_name


def outcome_of_search(text: str, shape: Shape) -> Outcome:
    """Return the object that is meant, as a plain dict, or why there is none.

    Args:
        text: The reply, without blanks at its ends.
        shape: What is wanted.
    """
    budget = Budget.of(text)
    finds = sole_object(text, shape) or find_objects(text, shape, budget)
    choice = choose(finds, shape, budget)
    if isinstance(choice, Chosen):
        return _of_found(choice.found, text, shape)
    if isinstance(choice, Ambiguous):
        return Rejected((faults.ambiguous(choice.reason),), text)
    if isinstance(choice, Broken) and (shape.known(choice.keys) or choice is finds.fatal):
        return Rejected((faults.broken_off(choice),), text)
    return Rejected((_nothing_found(text, finds, choice),), text)


def _of_found(found: Found, text: str, shape: Shape) -> Outcome:
    value = found.value
    is_encoded = not {"doubled_encoding", "html_entities"}.isdisjoint(found.repairs)
    around = repairs_around(text, found.start, found.end, encoded=is_encoded)
    repairs = tuple(dict.fromkeys((*around, *found.repairs)))
    fault = _fault_of(found, text, shape)
    if fault is not None:
        return Rejected((fault,), text, repairs)
    return checked(value, repairs, shape)


def _fault_of(found: Found, text: str, shape: Shape) -> Fault | None:
    """Return why an object that was found cannot be meant, where the schema would not say it."""
    value = found.value
    if not isinstance(value, dict) or not shape.complete(value):
        fault = _other_kind(value, text)
        if fault is not None:
            return fault
    if found.duplicates:
        return faults.ambiguous(f"the key {', '.join(found.duplicates)[:100]} stands there twice")
    return faults.invalid(found.flaw) if found.flaw else None


def _other_kind(value: Any, text: str) -> Fault | None:
    """Return what an incomplete object is instead, if that can be told."""
    if is_search_output(value):
        return faults.search_output()
    if are_notes(text):
        return faults.notes()
    if not isinstance(value, dict):
        return faults.no_object(value)
    name = called_name(value)
    return faults.call(name) if name else None


def _nothing_found(text: str, finds: Finds, broken: Broken | None) -> Fault:
    if are_notes(text):
        return faults.notes()
    if finds.disowned:
        return faults.nothing("the only object is another tool's, an agent's note or one of a list")
    if broken is not None:
        return faults.broken_off(broken)
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return faults.nothing("there is no JSON object in the reply")
    return faults.search_output() if is_search_output(value) else faults.no_object(value)
