"""Ready-made rules for callers: normalise a field, refuse a value, fill in a default.

They fit responses and tool arguments alike, and each does nothing where its field is missing:

>>> rules = (
...     Normalise("city", str.title, "city_case"),
...     Default("country", "Netherlands"),
...     Refuse(lambda order: order.amount > 500, "Above 500 a person decides.", field="amount"),
... )
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from ragqa.validation.fields import passed_with, refused
from ragqa.validation.gate import CheckContext, Outcome, Passed


@dataclass(frozen=True, slots=True)
class Normalise:
    """Put a field into the form that the program expects; recorded as a repair if it changed.

    Attributes:
        field: The field; every text of a field that is a list of texts is normalised.
        function: Returns the normal form. A ValueError refuses the value with its message.
        name: Names the rule.
    """

    field: str
    function: Callable[[Any], Any]
    name: str

    def check(self, value: Any, context: CheckContext) -> Outcome:
        """Pass the value on with the field in its normal form."""
        if not isinstance(value, BaseModel) or self.field not in type(value).model_fields:
            return Passed(value)
        old = getattr(value, self.field)
        if old is None:
            return Passed(value)
        new = [self.function(each) for each in old] if _is_texts(old) else self.function(old)
        if new == old and type(new) is type(old):
            return Passed(value)
        return passed_with(value, {self.field: new}, self.name)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


@dataclass(frozen=True, slots=True)
class Refuse:
    """Refuse values of which a predicate is true.

    Attributes:
        predicate: Gets the value.
        message: Tells the model and the reader what is wrong.
        name: Names the rule.
        field: The field concerned; where one is named, only values that have it are judged.
    """

    predicate: Callable[[Any], bool]
    message: str
    name: str = "refuse"
    field: str = ""

    def check(self, value: Any, context: CheckContext) -> Outcome:
        """Pass the value on, or refuse it with the message."""
        lacks_it = self.field and self.field not in getattr(type(value), "model_fields", {})
        if lacks_it or not self.predicate(value):
            return Passed(value)
        code = f"rules.{self.name}"
        return refused(code, self.message, self.message, field=self.field, value=value)


@dataclass(frozen=True, slots=True)
class Default:
    """Fill in a field that was left empty; recorded as a repair.

    Attributes:
        field: The field: empty are None, a blank text and an empty list.
        value: What it gets; a function gets the context, for instance to look into its state.
        name: Names the rule.
    """

    field: str
    value: Any
    name: str = "default"

    def check(self, value: Any, context: CheckContext) -> Outcome:
        """Pass the value on with the field filled in."""
        if not isinstance(value, BaseModel) or self.field not in type(value).model_fields:
            return Passed(value)
        old = getattr(value, self.field)
        empty = old is None or old == [] or (isinstance(old, str) and not old.strip())
        if not empty:
            return Passed(value)
        new = self.value(context) if callable(self.value) else self.value
        return Passed(value) if new is None else passed_with(value, {self.field: new}, self.name)
