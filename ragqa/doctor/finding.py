"""What the doctor found about one thing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ragqa.errors import RagqaError

Status = Literal["ok", "warning", "broken", "not_configured"]
HOW_TO_INDEX = "Run: ragqa index PATH"


@dataclass(frozen=True, slots=True)
class Finding:
    """What the doctor found about one thing.

    Attributes:
        name: What was looked at.
        status: How it is.
        detail: What was seen; no secret.
        hint: What to do about it.
        exit_code: What the command exits with where this is the first thing broken.
        data: More of what was seen, for programs; no secret either.
    """

    name: str
    status: Status
    detail: str
    hint: str = ""
    exit_code: int = 0
    data: Mapping[str, Any] = field(default_factory=dict)


def broken(name: str, exc: RagqaError) -> Finding:
    """Return the finding that an error stands for."""
    return Finding(name, "broken", exc.message, exc.hint, exc.exit_code)
