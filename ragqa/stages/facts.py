"""The record of an ask, as JSON takes it."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from ragqa.contract import Answer, Attempt, Passage, QAResponse, Turn
from ragqa.errors import RagqaError
from ragqa.ports import Parts
from ragqa.stages.breaking import BreakingStage

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


@dataclass(frozen=True, slots=True)
class Facts:
    """What an ask came to.

    Attributes:
        turn: As far as it is known.
        passages: What was retrieved and may be seen by the caller.
        source_groups: Who may see the sources of earlier answers that it may repeat.
        answer: The answer, where there is one.
        stage: The stage at which it broke, where it did.
    """

    turn: Turn
    passages: Sequence[Passage]
    source_groups: Sequence[tuple[str, ...]] = ()
    answer: Answer | None = None
    stage: BreakingStage | None = None


def record_of(
    facts: Facts, parts: Parts, calls: Sequence[Mapping[str, Any]], events: Mapping[str, int]
) -> dict[str, Any]:
    """Return all that is kept of an ask beside its question and state."""
    turn, answer = facts.turn, facts.answer
    record = {
        "category": turn.category,
        "strategy": _strategy(turn),
        "search_text": turn.search_text,
        "stage": facts.stage,
        "passages": [_passage(passage) for passage in facts.passages],
        "source_groups": [list(groups) for groups in facts.source_groups],
        "attempts": [_attempt(attempt) for attempt in turn.attempts],
        "calls": calls,
        "transport": dict(events),
        "timings_ms": turn.timings_ms,
        "versions": _versions(parts, calls),
    }
    if answer is not None:
        shown = answer.model_dump(mode="json", exclude={"passages", "attempts", "usage"})
        record["answer"] = shown
        record["timings_ms"] = shown.pop("timings_ms")
        record["category"] = turn.category or answer.response.category
        if answer.run_id != turn.run_id:
            record["answered_by"] = answer.run_id
    return record


def _strategy(turn: Turn) -> dict[str, Any]:
    strategy = turn.strategy
    return {
        "filter": strategy.filter,
        "k": strategy.k,
        "search_type": strategy.search_type,
        "boost": strategy.boost,
    }


def _passage(passage: Passage) -> dict[str, Any]:
    return {
        "id": passage.id,
        "title": passage.title,
        "score": passage.score,
        "score_kind": passage.score_kind,
        "start": passage.start,
        "groups": passage.groups,
    }


def _attempt(attempt: Attempt) -> dict[str, Any]:
    return {
        "verdict": attempt.verdict,
        "code": attempt.code,
        "repairs": attempt.repairs,
        "gate": attempt.gate,
        "faults": attempt.faults,
    }


def _versions(parts: Parts, calls: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    index = ""
    with suppress(RagqaError, OSError):  # an index that is gone has no version
        index = parts.retriever.version()
    return {
        "ragqa": ragqa_version(),
        "model": "" if parts.model is None else parts.model.name,
        "index": index,
        "prompt": next((call["prompt"] for call in calls if call.get("prompt")), ""),
        "schema": schema_digest(parts.policy.schema),
    }


def ragqa_version() -> str:
    """Return the version of the package that this module belongs to, which is loaded already."""
    return str(getattr(sys.modules["ragqa"], "__version__", ""))


def digest(text: str) -> str:
    """Return a short digest of a text; empty for none."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest() if text else ""


@lru_cache(maxsize=64)
def schema_digest(schema: type[QAResponse]) -> str:
    """Return a digest that changes with the fields of a response, their limits and meanings."""
    fields = "\n".join(f"{name}: {field!r}" for name, field in schema.model_fields.items())
    return digest(_ADDRESS.sub("", f"{schema.__qualname__}\n{schema.categories}\n{fields}"))
