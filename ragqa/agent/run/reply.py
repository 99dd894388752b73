"""The reply of an agent: a model's reply that took tools."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from ragqa.agent.ledger.record import ToolRecord
from ragqa.contract import ContextBlock, Passage
from ragqa.errors import RagqaError
from ragqa.ports import ModelReply


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a reply on its way out; no text: what came so far is no answer."""

    text: str | None


@dataclass(frozen=True, slots=True)
class AgentReply(ModelReply):
    """What a run of the agent came to.

    Attributes:
        records: The records of its tool calls.
        passages: What its searches returned.
        blocks: The same, condensed and numbered as the model saw it.
        outcomes: Of calls of other tools, the provider's among them: the name, whether it failed,
            what the model was told.
        waiting: Records on which a person has to decide before the run goes on.
        stopped: ``limit`` or ``budget``, where a limit ended the run; and which one.
        error: What ended it otherwise.
        messages: The sequence of its messages, for its record: roles, kinds, ids, sizes.
        offered: The tools that were offered.
    """

    records: tuple[ToolRecord, ...] = ()
    passages: tuple[Passage, ...] = ()
    blocks: tuple[ContextBlock, ...] = ()
    outcomes: tuple[tuple[str, bool, str], ...] = ()
    waiting: tuple[ToolRecord, ...] = ()
    stopped: tuple[str, str] | None = None
    error: RagqaError | None = None
    messages: tuple[dict[str, Any], ...] = ()
    offered: tuple[str, ...] = ()

    @property
    def evidence(self) -> tuple[str, ...]:
        """Return what an answer may rest on beside passages: results, and how often what was done.

        That two tickets were made, no result says.
        """
        results = (text for _, failed, text in self.outcomes if not failed)
        done = Counter(
            record.name
            for record in self.records
            if record.is_done and not record.read_only and record.same_as is None
        )
        return (*results, *(f"{name}: {times}" for name, times in done.items() if times > 1))
