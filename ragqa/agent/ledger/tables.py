"""The tables of the ledger, and how a row becomes a record."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from ragqa.agent.ledger.record import Approval, Move, ToolRecord

SCHEMA: Final = (
    """
    CREATE TABLE tool_call (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        run_id TEXT NOT NULL,
        call_id TEXT NOT NULL,
        name TEXT NOT NULL,
        digest TEXT NOT NULL,
        state TEXT NOT NULL,
        principal TEXT NOT NULL,
        session_id TEXT,
        effect TEXT NOT NULL DEFAULT '',
        claims TEXT NOT NULL DEFAULT '[]',
        read_only INTEGER NOT NULL DEFAULT 0,
        completes TEXT NOT NULL DEFAULT 'succeeded',
        asynchronous INTEGER NOT NULL DEFAULT 0,
        attempt INTEGER NOT NULL DEFAULT 0,
        key TEXT,
        sent TEXT NOT NULL DEFAULT '',
        arguments TEXT,
        result TEXT NOT NULL DEFAULT '',
        error TEXT NOT NULL DEFAULT '',
        request_id TEXT,
        verification TEXT,
        approval TEXT,
        same_as TEXT,
        fallback_for TEXT,
        by_provider INTEGER NOT NULL DEFAULT 0,
        owner TEXT
    );
    CREATE INDEX tool_call_run ON tool_call (run_id, call_id);
    CREATE INDEX tool_call_key ON tool_call (name, key) WHERE key IS NOT NULL;
    CREATE INDEX tool_call_open ON tool_call (state)
        WHERE state IN ('waiting_for_approval', 'running', 'unknown', 'succeeded');
    CREATE UNIQUE INDEX tool_call_once ON tool_call (name, key)
        WHERE key IS NOT NULL AND state IN ('running', 'unknown', 'succeeded', 'verified');
    CREATE TABLE tool_move (
        number INTEGER PRIMARY KEY,
        record_id TEXT NOT NULL REFERENCES tool_call (id) ON DELETE CASCADE,
        state TEXT NOT NULL,
        at_s REAL NOT NULL,
        attempt INTEGER NOT NULL,
        reason TEXT NOT NULL DEFAULT ''
    );
    CREATE INDEX tool_move_record ON tool_move (record_id, number);
    """,
)

COLUMNS: Final = (
    "id, run_id, call_id, name, state, principal, session_id, effect, claims, read_only, "
    "completes, asynchronous, attempt, key, sent, arguments, result, error, request_id, "
    "verification, approval, same_as, fallback_for, by_provider, owner"
)
_NAMES: Final = tuple(COLUMNS.split(", "))
_CLEAR = (
    "(state IN ('verified', 'failed') OR (state = 'succeeded' AND completes = 'succeeded'))"
    " AND run_id IN ({})"
)
FORGET_TEXTS: Final = (
    "UPDATE tool_call SET sent = '', arguments = NULL, result = '', error = '', verification = "  # noqa: S608
    "CASE WHEN verification IS NOT NULL"
    " THEN json_object('finding', json_extract(verification, '$.finding')) END"
    f" WHERE {_CLEAR}"
)
FORGET_REASONS: Final = (
    "UPDATE tool_move SET reason = ''"  # noqa: S608
    f" WHERE record_id IN (SELECT id FROM tool_call WHERE {_CLEAR})"
)
JSON_COLUMNS: Final = frozenset({"claims", "arguments", "verification", "approval"})
CHANGEABLE: Final = frozenset(
    {
        *("key", "arguments", "result", "error", "request_id", "verification", "approval"),
        *("same_as", "owner"),
    }
)
"""What may change without a move."""

_FLAGS: Final = ("read_only", "asynchronous", "by_provider")


def record_of(row: Iterable[Any], moves: Iterable[tuple[Any, ...]]) -> ToolRecord:
    """Return the record of a row (the columns of ``COLUMNS``) and of its moves."""
    values = dict(zip(_NAMES, row, strict=True))
    for name in JSON_COLUMNS:
        values[name] = None if values[name] is None else json.loads(values[name])
    for name in _FLAGS:
        values[name] = bool(values[name])
    values["claims"] = tuple(values["claims"])
    if values["approval"] is not None:
        values["approval"] = Approval(**values["approval"])
    return ToolRecord(**values, moves=tuple(Move(*move) for move in moves))


def storable(value: Any) -> Any:
    """Return a value as a column takes it: half a character is none, and SQLite refuses it."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def as_text(value: Mapping[str, Any] | Iterable[Any] | None) -> str | None:
    """Return a value as a JSON column keeps it."""
    return None if value is None else json.dumps(value, ensure_ascii=True, default=str)
