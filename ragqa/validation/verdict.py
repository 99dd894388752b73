"""What the gates say of one raw reply."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, SerializeAsAny

from ragqa.contract import Attempt, Citation
from ragqa.validation.gate import Fault

Handling = Literal["accept", "retry", "fallback", "raise", "log"]


class GateLog(BaseModel):
    """How one gate judged: masked, bounded, for people who look into a run.

    ``input`` and ``output`` are shortened; ``detail`` says the rule and the reason.
    """

    model_config = ConfigDict(frozen=True)

    gate: str
    outcome: Literal["passed", "repaired", "rejected", "skipped"]
    detail: str = ""
    input: str = Field(default="", exclude=True)
    output: str = Field(default="", exclude=True)


class Verdict(BaseModel):
    """The gates' judgement of one raw reply; its JSON is what ``ragqa check --json`` prints.

    Attributes:
        accepted: Whether the response may reach the caller.
        response: The validated response; None unless accepted.
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
    response: SerializeAsAny[BaseModel] | None = None
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
        return Attempt(verdict=verdict, code=self.code, repairs=self.repairs)
