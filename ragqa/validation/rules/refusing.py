"""A refusal in the clothes of an answer is a refusal all the same."""

from __future__ import annotations

import re
from typing import Any

from ragqa.language.late import late
from ragqa.validation.fields import answer_of, field_of, refused, sources_of
from ragqa.validation.gate import CheckContext, Outcome, Passed
from ragqa.validation.refusals import declines

_CANNOT_TELL = late(r"\b(?:answer|respond|provide|providing)\b|回答|提供|响应", re.IGNORECASE)


class DecliningAnswer:
    """Refuse an answer that declines to help, cites nothing, and fits the schema otherwise.

    What follows is what follows any refusal: it is not asked for again. An honest abstention stays
    what it is: one that speaks of the documents, or that cannot tell and hands over to a person.
    """

    name = "declining_answer"

    def check(self, value: Any, context: CheckContext) -> Outcome:
        """Pass an answer on that answers, or that says that the documents do not."""
        answer = answer_of(value)
        if not answer or sources_of(value) or context.evidence or not declines(answer):
            return Passed(value)
        if field_of(value, "needs_human", bool) and _CANNOT_TELL.search(answer):
            return Passed(value)
        reason = "the answer declines to help"
        return refused(
            "text.refusal", reason, "You declined to answer.", field="answer", value=value
        )
