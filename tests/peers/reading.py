"""Read malformed replies and print what comes out: the same in every environment."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel


class Answer(BaseModel):
    """The response model of the malformed replies."""

    answer: str
    confidence: float
    category: str
    sources: list[str]
    follow_up: list[str]
    needs_human: bool


Parse = Callable[[str], Answer | dict[str, Any]]


def read(parse: Parse) -> None:
    """Print for each reply on standard input what it was read as, or null."""
    print(json.dumps([_read(parse, raw) for raw in json.load(sys.stdin)]))


def _read(parse: Parse, raw: str) -> Any:
    try:
        value = parse(raw)
    except Exception:  # whatever it raises, it has refused the reply
        return None
    return value.model_dump() if isinstance(value, BaseModel) else value
