"""Gate 4: what only the request's context tells."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from ragqa.contract import Citation
from ragqa.errors import UnknownNameError
from ragqa.validation.broken import broken
from ragqa.validation.gate import CheckContext, Fault, Outcome, Passed, Rejected
from ragqa.validation.grounded.arguments import SuspiciousArguments
from ragqa.validation.grounded.citing import CitationsLocated
from ragqa.validation.grounded.claims import ClaimsProven
from ragqa.validation.grounded.figure_check import FiguresSupported
from ragqa.validation.grounded.quotations import QuotationsHeld
from ragqa.validation.grounded.sources import SourcesRetrieved


class ContextCheck(Protocol):
    """One check of a value in its context."""

    @property
    def name(self) -> str:
        """Name the check in configuration."""

    def check(self, value: Any, context: CheckContext) -> Outcome:
        """Pass the value on, mended or with citations, or refuse it."""


def default_context_checks() -> tuple[ContextCheck, ...]:
    """Return the built-in checks in their order: each sees what the one before it mended."""
    return (
        SuspiciousArguments(),
        SourcesRetrieved(),
        FiguresSupported(),
        QuotationsHeld(),
        ClaimsProven(),
        CitationsLocated(),
    )


class ContextGate:
    """Run context checks over a value: a response, or a tool's arguments before the tool runs.

    >>> from ragqa.validation.grounded import RequiredGroup
    >>> gate = ContextGate().added(RequiredGroup("staff"), first=True)
    >>> gate.checks[0].name
    'permission'

    Args:
        checks: The checks; the built-in ones if None. One that does not fit a value passes it.
    """

    name = "context"

    def __init__(self, checks: Iterable[ContextCheck] | None = None) -> None:
        self.checks = default_context_checks() if checks is None else tuple(checks)

    def added(self, *checks: ContextCheck, first: bool = False) -> ContextGate:
        """Return a gate with more checks, behind the others or before them."""
        return ContextGate((*checks, *self.checks) if first else (*self.checks, *checks))

    def without(self, *names: str) -> ContextGate:
        """Return a gate without the checks of these names.

        Raises:
            UnknownNameError: If no check bears one of the names.
        """
        known = [check.name for check in self.checks]
        for name in names:
            if name not in known:
                raise UnknownNameError("context check", name, known)
        return ContextGate(check for check in self.checks if check.name not in names)

    def check(self, value: Any, context: CheckContext) -> Outcome:
        """Pass the value on with citations and mended sources, or refuse it for all faults."""
        repairs: tuple[str, ...] = ()
        citations: tuple[Citation, ...] = ()
        faults: list[Fault] = []
        for check in self.checks:
            outcome = _checked(check, value, context)
            repairs += outcome.repairs
            if isinstance(outcome, Rejected):
                faults.extend(outcome.faults)
            else:
                citations += outcome.citations
            value = value if outcome.value is None else outcome.value
        if faults:
            return Rejected(tuple(sorted(faults, key=_gravity)), value=value, repairs=repairs)
        return Passed(value, repairs=repairs, citations=citations)


_BY_DEFAULT_RAISED = ("context.permission", "context.state")
"""A check of these that fails itself permits nothing, and is not told to the model either way."""

_GRAVE = (*_BY_DEFAULT_RAISED, "context.error", "context.suspicious")


def _gravity(fault: Fault) -> int:
    """Put first what no other words of the model can mend."""
    return _GRAVE.index(fault.code) if fault.code in _GRAVE else len(_GRAVE)


def _checked(check: ContextCheck, value: Any, context: CheckContext) -> Outcome:
    """Run one check; one that fails refuses the value, since nothing was checked then."""
    try:
        return check.check(value, context)
    except Exception as exc:  # a caller's check may hold any mistake; a gate never raises
        code = f"context.{check.name}"
        kept = code if code in _BY_DEFAULT_RAISED else "context.error"
        return broken(kept, "check", check.name, exc, value)
