"""Text clean-up, four gates and one repair: every answer consumable.

    text → 1 syntax → 2 schema → 3 rules → 4 context → accepted

>>> from ragqa.validation import check
>>> verdict = check('{"answer": "30 days", …', finish_reason="length")
>>> verdict.code, verdict.handling
('text.truncated', 'retry')
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ragqa.validation.fix_retry import Accept, AskModel, Degrade, FixAndRetry
from ragqa.validation.gate import (
    CheckContext,
    Fault,
    Gate,
    Outcome,
    Passed,
    Rejected,
    Rule,
)
from ragqa.validation.gates import Gates
from ragqa.validation.handling import DEFAULT_HANDLING
from ragqa.validation.verdict import GateLog, Handling, Verdict

if TYPE_CHECKING:
    from ragqa.validation.checking import check
    from ragqa.validation.defaults import default_gates
    from ragqa.validation.parser import QAOutputParser

__all__ = [
    "DEFAULT_HANDLING",
    "Accept",
    "AskModel",
    "CheckContext",
    "Degrade",
    "Fault",
    "FixAndRetry",
    "Gate",
    "GateLog",
    "Gates",
    "Handling",
    "Outcome",
    "Passed",
    "QAOutputParser",
    "Rejected",
    "Rule",
    "Verdict",
    "check",
    "default_gates",
]


_LATE = {  # the gates bring tables and the parser brings LangChain: only when they are asked for
    "QAOutputParser": "parser",
    "check": "checking",
    "default_gates": "defaults",
}


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_LATE[name]}"), name)
