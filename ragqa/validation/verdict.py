"""What the gates say of one raw reply."""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, SerializeAsAny

from ragqa.contract import Attempt, Citation
from ragqa.masking import mask
from ragqa.validation.gate import Fault, Outcome, Rejected

Handling = Literal["accept", "retry", "fallback", "raise", "log"]


_LOG_CHARS = 300


class GateLog(BaseModel):
    """How one gate judged, for people who look into a run.

    ``input`` and ``output`` are shortened and masked when they are looked at: most never are.
    """

    model_config = ConfigDict(frozen=True)

    gate: str
    outcome: Literal["passed", "repaired", "rejected"]
    detail: str = ""

    _before: Any = PrivateAttr(default=None)
    _after: Any = PrivateAttr(default=None)

    @classmethod
    def of(cls, gate: str, outcome: Outcome, before: Any) -> GateLog:
        """Log what a gate made of a value."""
        if isinstance(outcome, Rejected):
            detail = "; ".join(f"{fault.code}: {fault.reason}" for fault in outcome.faults)
            log = cls(gate=gate, outcome="rejected", detail=mask(detail))
        else:
            detail = outcome.detail or ", ".join(outcome.repairs)
            kind: Literal["repaired", "passed"] = "repaired" if outcome.repairs else "passed"
            log = cls(gate=gate, outcome=kind, detail=mask(detail) if detail else "")
            log._after = outcome.value
        log._before = before
        return log

    @property
    def input(self) -> str:
        """What the gate was given, shortened and masked."""
        return _shown(self._before)

    @property
    def output(self) -> str:
        """What it passed on, shortened and masked; empty where it refused."""
        return "" if self.outcome == "rejected" else _shown(self._after)


def _shown(value: Any) -> str:
    if isinstance(value, BaseModel):
        text = value.model_dump_json()
    elif isinstance(value, str):
        text = value
    else:
        text = json.dumps(value, ensure_ascii=False, default=str)
    # A shortened key is no longer recognised as one: mask with room to spare, then cut.
    return mask(text[: 2 * _LOG_CHARS])[:_LOG_CHARS]


class Verdict(BaseModel):
    """The gates' judgement of one raw reply; its JSON is what ``ragqa check --json`` prints.

    Attributes:
        accepted: Whether the response may reach the caller.
        response: The validated response, or what the last gate passed on; None unless accepted.
        code: ``ok``, or the code of the first fault.
        handling: What follows: accept, retry, fallback or raise.
        repairs: What was mended without asking anybody.
        feedback: What the model would be told; empty when accepted.
        gates: Each gate's log.
        citations: Quotes that support the answer (Python only).
        faults: All that is wrong (Python only).
    """

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)

    accepted: bool
    response: SerializeAsAny[Any] = None
    code: str = "ok"
    handling: Handling = "accept"
    repairs: tuple[str, ...] = ()
    feedback: str = ""
    gates: tuple[GateLog, ...] = ()
    citations: tuple[Citation, ...] = Field(default=(), exclude=True)
    faults: tuple[Fault, ...] = Field(default=(), exclude=True)

    @property
    def attempt(self) -> Attempt:
        """Return the line that the Answer shows of it."""
        verdict: Literal["accepted", "rejected"] = "accepted" if self.accepted else "rejected"
        refused = (log.gate for log in self.gates if log.outcome == "rejected")
        gate = "" if self.accepted else next(refused, "")
        faults = tuple((fault.code, fault.field) for fault in self.faults)
        return Attempt(
            verdict=verdict, code=self.code, repairs=self.repairs, gate=gate, faults=faults
        )
