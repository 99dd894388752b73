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
        why = "nothing was retrieved" if context.titles == () else "it cites no sources"
        return refused(
            f"rules.{self.name}",
            f"confidence is {confidence:g}, but {why}",
            f"confidence: {confidence:g} contradicts that {why}. Name in sources the documents"
            f" that the answer rests on; without any, confidence is at most"
            f" {MAX_WITHOUT_EVIDENCE}.",
            field="confidence",
            value=value,
        )
