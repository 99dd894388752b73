"""The gates and their context, as every writing stage uses them."""

from __future__ import annotations

from ragqa.contract import Turn
from ragqa.ports import Parts
from ragqa.validation.defaults import default_gates
from ragqa.validation.gate import CheckContext
from ragqa.validation.gates import Gates


def gates_of(parts: Parts) -> Gates:
    """Return the gates that are configured, with the policy's handling."""
    gates: Gates | None = parts.gates
    return gates if gates is not None else default_gates(handling=parts.policy.handling)


def check_context(turn: Turn, parts: Parts) -> CheckContext:
    """Return what the gates may know of a turn: only passages that its caller may see."""
    policy = parts.policy
    passages = tuple(passage for passage in turn.passages if turn.caller.may_see(passage.groups))
    return CheckContext(
        schema=policy.schema,
        question=turn.search_text or turn.question.text,
        titles=tuple(dict.fromkeys(passage.title for passage in passages)),
        passages=passages,
        evidence=turn.evidence,
        records=turn.tools,
        numbered=tuple(block.passage.title for block in turn.context),
        caller=turn.caller,
        state=turn.notes.get("state", {}),
        categories=policy.categories,
        strict_confidence=policy.strict_confidence,
        price_unit=policy.price_unit,
    )
