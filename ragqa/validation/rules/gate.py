"""Gate 3: rules of the business, one small object each, put together by configuration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel

from ragqa.errors import UnknownNameError
from ragqa.validation.broken import broken, is_broken
from ragqa.validation.gate import CheckContext, Fault, Outcome, Passed, Rejected, Rule
from ragqa.validation.rules.defaults import default_rules


class RulesGate:
    """Run rules over a value: normalisations in their order, then all that is wrong.

    >>> gate = RulesGate().without("language")
    >>> gate = gate.added(Normalise("city", normalise_city, "city_name"))  # doctest: +SKIP

    Args:
        rules: The rules for every value, the gravest first; the built-in ones if None. A rule
            that does not fit a value's schema lets it pass.
        per_schema: More rules for values of a schema and of its subclasses.
    """

    name = "rules"

    def __init__(
        self,
        rules: Iterable[Rule] | None = None,
        *,
        per_schema: Mapping[type[BaseModel], Iterable[Rule]] | None = None,
    ) -> None:
        self.rules = default_rules() if rules is None else tuple(rules)
        self.per_schema = {schema: tuple(more) for schema, more in (per_schema or {}).items()}

    def added(self, *rules: Rule, first: bool = False) -> RulesGate:
        """Return a gate with more rules, behind the others or before them."""
        joined = (*rules, *self.rules) if first else (*self.rules, *rules)
        return RulesGate(joined, per_schema=self.per_schema)

    def without(self, *names: str) -> RulesGate:
        """Return a gate without the rules of these names.

        Raises:
            UnknownNameError: If no rule bears one of the names.
        """
        known = [rule.name for rule in self.rules]
        for name in names:
            if name not in known:
                raise UnknownNameError("rule", name, known)
        kept = tuple(rule for rule in self.rules if rule.name not in names)
        return RulesGate(kept, per_schema=self.per_schema)

    def check(self, value: Any, context: CheckContext) -> Outcome:
        """Pass the value on, normalised, or refuse it for all faults that the rules found."""
        repairs: tuple[str, ...] = ()
        faults: list[Fault] = []
        for rule in self._rules_for(value):
            outcome = checked(rule, value, context)
            repairs += outcome.repairs
            if isinstance(outcome, Rejected):
                faults.extend(outcome.faults)
            if outcome.value is not None:
                value = outcome.value
        if faults:
            faults.sort(key=lambda fault: not is_broken(fault.code))
            return Rejected(tuple(faults), value=value, repairs=repairs)
        return Passed(value, repairs=repairs)

    def _rules_for(self, value: Any) -> tuple[Rule, ...]:
        more = (
            rule
            for schema, rules in self.per_schema.items()
            if isinstance(value, schema)
            for rule in rules
        )
        return (*self.rules, *more)


def checked(rule: Rule, value: Any, context: CheckContext) -> Outcome:
    """Run one rule; a rule that fails refuses the value, since nothing was checked then."""
    try:
        return rule.check(value, context)
    except (ValueError, AssertionError) as exc:  # how pydantic's validators refuse, too
        reason = str(exc) or type(exc).__name__
    except Exception as exc:  # a caller's rule may hold any mistake; a gate never raises
        return broken("rules.error", "rule", rule.name, exc, value)
    return Rejected((Fault(f"rules.{rule.name}", reason, reason),), value=value)
