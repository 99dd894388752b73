"""Gate 4: a value in its context.

Its codes:

    context.unknown_source     a source is no retrieved document that the caller may see
    context.source_ambiguous   a source fits two documents
    context.figure             a figure stands in no cited passage, tool result or the question
    context.quotation          words in quotation marks stand in no cited passage
    context.unproven_claim     it says that something was done, and no record of the run says so
    context.suspicious         an argument holds SQL, a shell command, a path that climbs up
    context.state              the session or the run lacks what the action needs
    context.permission         the caller may not do that

and its repairs:

    source_mapped              a source in another form was put down as the title that it fits
    duplicate_sources          two sources turned out to be one document

A response passes with citations: for each of its sentences the quote that bears it out.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ragqa.validation.grounded.arguments import SuspiciousArguments
from ragqa.validation.grounded.citing import CitationsLocated
from ragqa.validation.grounded.claims import ClaimsProven
from ragqa.validation.grounded.figure_check import FiguresSupported
from ragqa.validation.grounded.gate import ContextCheck, ContextGate, default_context_checks
from ragqa.validation.grounded.quotations import QuotationsHeld
from ragqa.validation.grounded.sources import SourcesRetrieved

if TYPE_CHECKING:
    from ragqa.validation.grounded.requirements import Permitted, RequiredGroup, RequiredState

__all__ = [
    "CitationsLocated",
    "ClaimsProven",
    "ContextCheck",
    "ContextGate",
    "FiguresSupported",
    "Permitted",
    "QuotationsHeld",
    "RequiredGroup",
    "RequiredState",
    "SourcesRetrieved",
    "SuspiciousArguments",
    "default_context_checks",
]

_REQUIREMENTS = ("Permitted", "RequiredGroup", "RequiredState")


def __getattr__(name: str) -> Any:
    if name not in _REQUIREMENTS:  # what only callers with checks of their own need
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.requirements"), name)
