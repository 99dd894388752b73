"""A gate, rule or check that failed itself: no fault of the model, and not told to it as one."""

from __future__ import annotations

import logging
import traceback
from typing import Any

from ragqa.masking import mask
from ragqa.validation.gate import Fault, Rejected

_log = logging.getLogger(__name__)

_ENDING = ".error"
"""What codes of such faults end with: ``rules.error``, ``context.error``, ``<gate>.error``."""

_TOLD = "This could not be checked: a fault of the program, none of yours."
"""For whoever has it told to a model by a handling of their own, and for calls of tools."""


def broken(code: str, kind: str, name: str, exc: Exception, value: Any) -> Rejected:
    """Refuse a value that nothing checked, and log why: to pass it would be to trust it.

    Args:
        code: The fault's code.
        kind: What failed: a gate, a rule or a check.
        name: How it is called.
        exc: What it raised.
        value: What it was given.
    """
    reason = f"the {kind} {name} failed with {type(exc).__name__}"
    _log.error("%s%s; nothing was checked.", reason[0].upper(), reason[1:])
    if _log.isEnabledFor(logging.DEBUG):
        _log.debug("%s", mask("".join(traceback.format_exception(exc))))
    return Rejected((Fault(code, reason, _TOLD),), value=value)


def is_broken(code: str) -> bool:
    """Tell whether a fault's code says that a gate, rule or check failed itself."""
    return code.endswith(_ENDING)
