"""Turns and summaries as JSON, and what a session may be called."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from ragqa.errors import ConfigError, PermissionDenied, SessionError
from ragqa.ports import PastTurn, Summary, UsedSource

MAX_ID_CHARS = 200
MAX_TURNS = 200
"""So many turns of a session are kept; the oldest go first."""


def checked_id(session_id: str) -> str:
    """Return the id of a session.

    Raises:
        ConfigError: If no session can be called that.
    """
    if not session_id.strip() or len(session_id) > MAX_ID_CHARS or not session_id.isprintable():
        raise ConfigError(
            f"A session cannot be called {session_id[:MAX_ID_CHARS]!r}.",
            hint=f"Name it with 1 to {MAX_ID_CHARS} printable characters.",
        )
    return session_id


def not_yours(session_id: str) -> PermissionDenied:
    """Return the error for a session that somebody else began."""
    return PermissionDenied(
        f"The session {session_id!r} belongs to somebody else.", hint="Begin one of your own."
    )


def turn_json(turn: PastTurn) -> str:
    """Write a turn; ASCII only, so that every store can hold it."""
    return json.dumps(asdict(turn))


def turn_of(text: str) -> PastTurn:
    """Read a turn.

    Raises:
        SessionError: If it is damaged.
    """
    fields = _object(text)
    try:
        sources = tuple(UsedSource(s["id"], tuple(s["groups"])) for s in fields.pop("sources"))
        return PastTurn(**fields, sources=sources)
    except (KeyError, TypeError) as exc:
        raise _damaged() from exc


def summary_json(summary: Summary) -> str:
    """Write a summary."""
    return json.dumps({"text": summary.text, "run_ids": summary.run_ids})


def summary_of(text: str | None) -> Summary | None:
    """Read a summary; there may be none."""
    if not text:
        return None
    fields = _object(text)
    try:
        return Summary(str(fields["text"]), tuple(fields["run_ids"]))
    except (KeyError, TypeError) as exc:
        raise _damaged() from exc


def state_json(state: Mapping[str, Any]) -> str:
    """Write the state of a session.

    Raises:
        SessionError: If JSON cannot hold it.
    """
    try:
        return json.dumps(dict(state))
    except (TypeError, ValueError) as exc:
        raise SessionError(
            f"The state of a session cannot be kept: {exc}.", hint="Keep values that JSON takes."
        ) from exc


def state_of(text: str | None) -> dict[str, Any]:
    """Read the state of a session."""
    return _object(text) if text else {}


def exported(
    session_id: str,
    principal: str,
    turns: tuple[PastTurn, ...],
    summary: Summary | None,
    state: Mapping[str, Any],
) -> dict[str, Any]:
    """Return a session as JSON takes it."""
    return {
        "session_id": session_id,
        "principal": principal,
        "turns": [json.loads(turn_json(turn)) for turn in turns],
        "summary": json.loads(summary_json(summary)) if summary else None,
        "state": dict(state),
    }


def _object(text: str) -> dict[str, Any]:
    try:
        fields = json.loads(text)
    except ValueError as exc:
        raise _damaged() from exc
    if not isinstance(fields, dict):
        raise _damaged()
    return fields


def _damaged() -> SessionError:
    return SessionError("A session is damaged.", hint="Forget it and begin another one.")
