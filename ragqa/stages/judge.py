"""Judge a draft that no model wrote: the same gates, no repair call."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import Any

from ragqa.contract import QAResponse, Turn
from ragqa.flow import Effect, Effects, Show, Stage, answer_of
from ragqa.ports import Parts
from ragqa.stages.draft import Draft
from ragqa.stages.judging import check_context, gates_of
from ragqa.stages.seal import abstained, answered


def judge(parts: Parts) -> Stage:
    """Return the stage that seals the turn with its draft, once the gates accept it."""

    def step(turn: Turn) -> Effects:
        sealed = sealed_draft(turn, parts)
        yield from shown(sealed)
        return sealed

    return Stage("judge", step)


def sealed_draft(turn: Turn, parts: Parts) -> Turn:
    """Seal a turn with the draft in its notes; a draft that fails a gate abstains."""
    draft: Draft = turn.notes["draft"]
    if draft.abstained:
        return abstained(turn, parts.policy)
    verdict = gates_of(parts).judge(draft.response_json, check_context(turn, parts))
    turn = replace(turn, attempts=(*turn.attempts, verdict.attempt))
    if not isinstance(verdict.response, QAResponse):
        return abstained(turn, parts.policy)
    return answered(turn, verdict.response, citations=draft.citations or verdict.citations)


def shown(sealed: Turn) -> Generator[Effect, Any, None]:
    """Show the whole text of a sealed turn."""
    yield Show(answer_of(sealed).response.answer)
