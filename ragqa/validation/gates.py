"""The gates in their order, put together by configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ragqa.contract import Citation
from ragqa.errors import UnknownNameError
from ragqa.validation.broken import broken
from ragqa.validation.gate import CheckContext, Fault, Gate, Outcome, Passed
from ragqa.validation.handling import handling_of
from ragqa.validation.verdict import GateLog, Verdict


@dataclass(frozen=True, slots=True)
class Gates:
    """Judge a raw reply: each gate gets what the one before it passed on.

    >>> from ragqa.validation import CheckContext, default_gates
    >>> gates = default_gates().without("context")
    >>> gates.judge('{"answer": "30 days"}', CheckContext()).code
    'schema.missing'

    Attributes:
        gates: In the order in which they check.
        handling: A caller's table from code to handling; the default table fills the rest.
    """

    gates: tuple[Gate, ...]
    handling: Mapping[str, str] = field(default_factory=dict)

    def without(self, *names: str) -> Gates:
        """Leave the named gates out."""
        for name in names:
            self._position(name)
        return replace(self, gates=tuple(gate for gate in self.gates if gate.name not in names))

    def replaced(self, gate: Gate) -> Gates:
        """Put a gate in the place of the one that bears its name."""
        at = self._position(gate.name)
        return replace(self, gates=(*self.gates[:at], gate, *self.gates[at + 1 :]))

    def inserted(self, gate: Gate, *, before: str | None = None) -> Gates:
        """Add a gate at the end, or before the named one."""
        at = len(self.gates) if before is None else self._position(before)
        return replace(self, gates=(*self.gates[:at], gate, *self.gates[at:]))

    def reordered(self, *names: str) -> Gates:
        """Keep the named gates only, in the order of their names."""
        return replace(self, gates=tuple(self.gates[self._position(name)] for name in names))

    def _position(self, name: str) -> int:
        names = [gate.name for gate in self.gates]
        if name not in names:
            raise UnknownNameError("gate", name, names)
        return names.index(name)

    def judge(self, raw: Any, context: CheckContext) -> Verdict:
        """Judge one raw reply (or a tool's arguments) in its context."""
        judging = _Judging(raw)
        for gate in self.gates:
            if not judging.take(gate.name, _checked(gate, judging.value, context), self.handling):
                break
        return judging.verdict(self.handling)


def _checked(gate: Gate, value: Any, context: CheckContext) -> Outcome:
    try:
        return gate.check(value, context)
    except Exception as exc:  # a caller's gate may hold any mistake
        return broken(f"{gate.name}.error", "gate", gate.name, exc, value)


@dataclass(slots=True)
class _Judging:
    """A judgement under way."""

    value: Any
    repairs: tuple[str, ...] = ()
    citations: tuple[Citation, ...] = ()
    logs: list[GateLog] = field(default_factory=list)
    faults: tuple[Fault, ...] = ()

    def take(self, gate: str, outcome: Outcome, handling: Mapping[str, str]) -> bool:
        """Take a gate's outcome in; tell whether the next gate is to check."""
        self.logs.append(GateLog.of(gate, outcome, self.value))
        self.value = outcome.value
        self.repairs += outcome.repairs
        if isinstance(outcome, Passed):
            self.citations += outcome.citations
            return True
        self.faults = tuple(f for f in outcome.faults if handling_of(f.code, handling) != "log")
        return not self.faults

    def verdict(self, handling: Mapping[str, str]) -> Verdict:
        if not self.faults:
            return Verdict(
                accepted=True,
                response=self.value,
                repairs=self.repairs,
                gates=tuple(self.logs),
                citations=self.citations,
            )
        code = self.faults[0].code
        told = dict.fromkeys(fault.feedback for fault in self.faults if fault.feedback)
        return Verdict(
            accepted=False,
            code=code,
            handling=handling_of(code, handling),
            repairs=self.repairs,
            feedback="\n".join(told),
            gates=tuple(self.logs),
            faults=self.faults,
        )
