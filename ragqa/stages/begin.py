"""The first Turn of an ask, made from what a user or a program passes in."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from typing import Any

from ragqa.contract import Caller, Question, Turn
from ragqa.errors import ConfigError
from ragqa.ports import Parts

QUESTION_KEYS = ("question", "query", "input")


def begin(parts: Parts, chain: str) -> Callable[[Any], Turn]:
    """Return a function that makes the first Turn of a string, a dict or a Turn.

    A dict holds the question under ``question``, ``query`` or ``input``, and may hold ``groups``,
    ``principal``, ``caller``, ``session``, ``run_id`` and ``state``.
    """

    def first_turn(given: Any) -> Turn:
        if isinstance(given, Turn):
            return given
        fields: Mapping[str, Any] = given if isinstance(given, Mapping) else {"question": given}
        return Turn(
            question=question_of(fields),
            run_id=fields.get("run_id") or new_run_id(),
            chain=chain,
            caller=_caller_of(fields),
            session_id=_session_of(fields),
            deadline_s=parts.clock() + parts.policy.timeout_s,
            notes=_notes_of(fields),
        )

    return first_turn


def _notes_of(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return what gates and tools may require: a pending order, for instance."""
    state = fields.get("state")
    return {"state": dict(state)} if isinstance(state, Mapping) else {}


def question_of(fields: Mapping[str, Any]) -> Question:
    """Return the tidied question.

    Raises:
        ConfigError: If there is none, it is empty or too long.
    """
    raw = next((fields[key] for key in QUESTION_KEYS if fields.get(key) is not None), None)
    if not isinstance(raw, str):
        raise ConfigError(
            f"A question must be text, not {type(raw).__name__}.",
            hint="Pass a string, or a dict with the key 'question'.",
        )
    try:
        return Question.of(raw)
    except ValueError as exc:
        raise ConfigError(str(exc), hint="Ask one question in plain words.") from exc


def _caller_of(fields: Mapping[str, Any]) -> Caller:
    caller = fields.get("caller")
    if isinstance(caller, Caller):
        return caller
    groups = fields.get("groups") or ()
    return Caller(
        principal=str(fields.get("principal") or Caller().principal),
        groups=(groups,) if isinstance(groups, str) else tuple(map(str, groups)),
    )


def _session_of(fields: Mapping[str, Any]) -> str | None:
    named = (fields[key] for key in ("session", "session_id") if fields.get(key) is not None)
    session: Any = next(named, None)
    if session is None:
        return None
    if not isinstance(session, str) or not session.strip():
        raise ConfigError(
            f"A session cannot be called {session!r}.", hint="Name it with a few characters."
        )
    return session


def new_run_id() -> str:
    """Return a new id; ids sort by the time at which they were made."""
    return f"run_{time.time_ns() // 1_000_000:011x}{os.urandom(8).hex()}"
