"""The states of a tool call, and which moves between them are legal.

requested ──▶ waiting_for_approval ──▶ running ──▶ succeeded ──▶ verified
    │                  │                 │  ▲          │
    └──────────────────┴────▶ failed ◀───┤  │          ▼
                                 ▲       ▼  │        failed (the look-up says otherwise)
                                 └──── unknown ──▶ succeeded, verified

A tool that asks a person itself, in the middle of its work, goes back from running to waiting.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

ToolState = Literal[
    "requested", "waiting_for_approval", "running", "succeeded", "verified", "failed", "unknown"
]

MOVES: Final[Mapping[ToolState, frozenset[ToolState]]] = {
    "requested": frozenset({"waiting_for_approval", "running", "failed"}),
    "waiting_for_approval": frozenset({"running", "failed"}),
    "running": frozenset({"succeeded", "verified", "failed", "unknown", "waiting_for_approval"}),
    "unknown": frozenset({"running", "succeeded", "verified", "failed"}),
    "succeeded": frozenset({"verified", "failed"}),
    "verified": frozenset(),
    "failed": frozenset(),
}
"""What a state may become. Only the executor and verifiers move a record."""

ENDED: Final[frozenset[ToolState]] = frozenset({"succeeded", "verified", "failed"})
"""States of calls on which nothing more is to be done by the executor."""


def may_become(old: ToolState, new: ToolState) -> bool:
    """Tell whether a record may move from one state to another."""
    return new in MOVES[old]
