"""Gate 1: take the one object out of a reply, whatever it is written in, and invent nothing."""

from __future__ import annotations

from typing import Any

from ragqa.validation.gate import CheckContext, Fault, Outcome, Rejected
from ragqa.validation.shape import shape_of
from ragqa.validation.syntax.faults import ASK
from ragqa.validation.syntax.plain import checked, plain_object


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
            return Rejected((Fault("syntax.invalid", reason, ASK),), value)
        shape = shape_of(context.schema)
        text = value.strip()
        plain = plain_object(text)
        if plain is not None and shape.known(plain) and shape.complete(plain):
            return checked(plain, (), shape)
        # Most replies are plain objects: what reads the others is loaded for the first of them.
        from ragqa.validation.syntax.searching import outcome_of_search

        return outcome_of_search(text, shape)
