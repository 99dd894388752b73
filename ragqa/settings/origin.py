"""Where the value of a setting came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["explicit", "environment", ".env", "ragqa.toml", "default"]


@dataclass(frozen=True, slots=True)
class Source:
    """Where the value of a setting came from.

    Attributes:
        kind: The sort of source.
        line: The line in the file, where it is one and the line is known.
    """

    kind: Kind
    line: int | None = None

    @property
    def is_file(self) -> bool:
        """Tell whether it is a file of the working directory, which anybody may have put there."""
        return self.kind in (".env", "ragqa.toml")

    def __str__(self) -> str:
        """Name it the way a message does."""
        return f"{self.kind} line {self.line}" if self.line else self.kind


DEFAULT = Source("default")
EXPLICIT = Source("explicit")
ENVIRONMENT = Source("environment")


@dataclass(frozen=True, slots=True)
class Found:
    """A value as its source holds it, tidied, before it is checked."""

    value: object
    source: Source
