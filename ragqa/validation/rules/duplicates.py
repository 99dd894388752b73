"""Nothing is listed twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ragqa.validation.fields import field_of, passed_with
from ragqa.validation.gate import CheckContext, Outcome, Passed, Rejected


class _NoDuplicates:
    """Trim the blanks off a list's texts and keep the first of equal ones."""

    name: str
    trimmed: str
    field: str
    same: Callable[[str], str]

    def check(self, value: Any, context: CheckContext) -> Outcome:
        """Pass the value on with a list in which everything stands once."""
        listed = field_of(value, self.field, list)
        if not listed or not all(isinstance(each, str) for each in listed):
            return Passed(value)
        texts = [text for each in listed if (text := each.strip())]
        first: dict[str, str] = {}
        for text in texts:
            first.setdefault(type(self).same(text), text)
        kept = list(first.values())
        if kept == listed:
            return Passed(value)
        outcome = passed_with(value, {self.field: kept}, self.name)
        if isinstance(outcome, Rejected):
            return outcome
        repairs = [self.trimmed] * (texts != listed) + [self.name] * (kept != texts)
        return Passed(outcome.value, repairs=tuple(repairs))


class DuplicateSources(_NoDuplicates):
    """List every source once, at the place of its first mention, without blanks around it."""

    name = "duplicate_sources"
    trimmed = "trimmed_sources"
    field = "sources"
    same = staticmethod(str)


class DuplicateFollowUps(_NoDuplicates):
    """List every follow-up question once, whatever its case and its last mark."""

    name = "duplicate_follow_ups"
    trimmed = "trimmed_follow_ups"
    field = "follow_up"
    same = staticmethod(lambda question: question.casefold().rstrip(" ?？.。!！"))
