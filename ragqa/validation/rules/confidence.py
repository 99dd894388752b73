"""High confidence needs evidence."""

from __future__ import annotations

from typing import Any

from ragqa.validation.fields import field_of, passed_with, refused, sources_of
from ragqa.validation.gate import CheckContext, Outcome, Passed

MAX_WITHOUT_EVIDENCE = 0.5
"""The contract's cap on the confidence of an answer that rests on nothing."""


class UnsupportedConfidence:
    """Refuse high confidence without sources, or lower it where the context is not strict.

    Sources count as evidence unless nothing was retrieved; results of tools count, too.
    """

    name = "unsupported_confidence"

    def check(self, value: Any, context: CheckContext) -> Outcome:
        """Pass a confidence on that evidence supports or that is low."""
        confidence, sources = field_of(value, "confidence", (int, float)), sources_of(value)
        if confidence is None or sources is None or confidence <= MAX_WITHOUT_EVIDENCE:
            return Passed(value)
        if context.evidence or (sources and context.titles != ()):
            return Passed(value)
        if not context.strict_confidence:
            return passed_with(value, {"confidence": MAX_WITHOUT_EVIDENCE}, self.name)
        limit = f"confidence is at most {MAX_WITHOUT_EVIDENCE}"
        if context.titles == ():
            why, cure = "nothing was retrieved", f"So sources must be [] and {limit}."
        else:
            why = "it cites no sources"
            cure = f"Name in sources the documents that the answer rests on; without any, {limit}."
        return refused(
            f"rules.{self.name}",
            f"confidence is {confidence:g}, but {why}",
            f"confidence: {confidence:g} contradicts that {why}. {cure}",
            field="confidence",
            value=value,
        )
