"""Nothing is listed twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ragqa.validation.fields import field_of, passed_with
from ragqa.validation.gate import CheckContext, Outcome, Passed


class _NoDuplicates:
    """Trim the blanks off a list's texts and keep the first of equal ones."""

    name: str
    field: str
    same: Callable[[str], str]

    def check(self, value: Any, context: CheckContext) -> Outcome:
        """Pass the value on with a list in which everything stands once."""
        listed = field_of(value, self.field, list)
        if not listed or not all(isinstance(each, str) for each in listed):
            return Passed(value)
        first: dict[str, str] = {}
        for each in listed:
            first.setdefault(type(self).same(each.strip()), each.strip())
        kept = [each for each in first.values() if each]
        return (
            Passed(value) if kept == listed else passed_with(value, {self.field: kept}, self.name)
        )


class DuplicateSources(_NoDuplicates):
    """List every source once, at the place of its first mention, without blanks around it."""

    name = "duplicate_sources"
    field = "sources"
    same = staticmethod(str)


class DuplicateFollowUps(_NoDuplicates):
    """List every follow-up question once, whatever its case and its last mark."""

    name = "duplicate_follow_ups"
    field = "follow_up"
    same = staticmethod(lambda question: question.casefold().rstrip(" ?？.。!！"))
