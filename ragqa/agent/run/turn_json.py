"""What of a turn is kept beside the steps of its run, so that another process can go on."""

from __future__ import annotations

import json
from typing import Any

from ragqa.contract import Caller, Question, Turn


def turn_json(turn: Turn) -> str:
    """Return a turn as a checkpoint keeps it; the caller's own token is not kept."""
    return json.dumps(
        {
            "question": turn.question.text,
            "run_id": turn.run_id,
            "chain": turn.chain,
            "principal": turn.caller.principal,
            "groups": list(turn.caller.groups),
            "search_text": turn.search_text,
            "session_id": turn.session_id,
            "category": turn.category,
            "history": list(turn.history),
            "state": turn.notes.get("state", {}),
        },
        ensure_ascii=False,
        default=str,
    )


def turn_of(kept: str, deadline_s: float, notes: dict[str, Any]) -> Turn:
    """Return the turn of a run that goes on.

    Args:
        kept: What :func:`turn_json` has made.
        deadline_s: Until when it has to end.
        notes: For its stages.
    """
    fields = json.loads(kept)
    return Turn(
        question=Question(fields["question"]),
        run_id=fields["run_id"],
        chain=fields["chain"],
        caller=Caller(fields["principal"], tuple(fields["groups"])),
        search_text=fields["search_text"],
        session_id=fields["session_id"],
        deadline_s=deadline_s,
        history=tuple(fields["history"]),
        notes={"state": fields.get("state", {}), **notes},
    )
