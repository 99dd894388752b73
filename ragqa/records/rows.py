"""A run as a row of the table, and back."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ragqa.contract import Usage
from ragqa.errors import StorageError
from ragqa.ports import Run

COLUMNS = (
    "id",
    "state",
    "started_s",
    "ended_s",
    "holder",
    "chain",
    "principal",
    "session_id",
    "last_error",
    "rest",
    "notes",
)
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str)
LOST = {"code": "process_lost", "message": "The process that worked on it has ended."}
"""The last error of a run whose process was killed."""


def encoded(value: Any) -> str:
    """Return JSON that SQLite takes: lone surrogates, which a reply may hold, are replaced."""
    return _JSON.encode(value).encode("utf-8", "replace").decode("utf-8")


def to_row(run: Run, holder: str | None) -> tuple[Any, ...]:
    """Return the values of all columns but ``notes``."""
    rest = {
        "groups": run.groups,
        "question": run.question,
        "usage": run.usage.model_dump(),
        "record": run.record,
    }
    return (
        _plain(run.id),
        run.state,
        run.started_s,
        run.ended_s,
        holder,
        run.chain,
        _plain(run.principal),
        None if run.session_id is None else _plain(run.session_id),
        encoded(run.last_error) if run.last_error else None,
        encoded(rest),
    )


def _plain(name: str) -> str:
    return name.encode("utf-8", "replace").decode("utf-8")


def from_row(row: Sequence[Any], is_alive: Callable[[str], bool]) -> Run:
    """Return the run of a row; one under way whose process is gone is incomplete.

    Raises:
        StorageError: If the row is damaged.
    """
    try:
        return _from_row(row, is_alive)
    except (ValueError, TypeError, KeyError, AttributeError) as exc:
        raise StorageError(
            f"The record of the run {row[0]} is damaged.",
            hint=f"ragqa runs forget {row[0]} deletes it.",
        ) from exc


def _from_row(row: Sequence[Any], is_alive: Callable[[str], bool]) -> Run:
    id_, state, started_s, ended_s, holder, chain, principal, session_id, error, rest, notes = row
    kept: Mapping[str, Any] = json.loads(rest)
    last_error = json.loads(error) if error else None
    if state in ("queued", "in_progress") and (holder is None or not is_alive(holder)):
        state, last_error = "incomplete", LOST
    return Run(
        id=id_,
        state=state,
        chain=chain,
        principal=principal,
        groups=tuple(kept["groups"]),
        session_id=session_id,
        question=kept["question"],
        started_s=started_s,
        ended_s=ended_s,
        last_error=last_error,
        usage=Usage(**kept["usage"]),
        record={**kept["record"], **json.loads(notes)},
    )
