"""What indexing did, and what it had to leave out."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class SkippedFile(BaseModel):
    """A file, a path or a part of a file that is not in the index, and what to do about it."""

    model_config = ConfigDict(frozen=True)

    path: str
    reason: str
    hint: str = ""

    def __str__(self) -> str:
        """Return it as one line for people."""
        return f"{self.path} {self.reason}"


class IndexReport(BaseModel):
    """What indexing changed; its JSON holds counts of files, and every file left out by name.

    ``added``, ``updated``, ``unchanged`` and ``removed`` count files. ``documents`` and ``chunks``
    count what the whole index holds afterwards. ``failed`` counts passages that a service did not
    take; each is named in ``skipped``. ``definition`` is what a dry run would make at a service.
    """

    model_config = ConfigDict(frozen=True)

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    skipped: tuple[SkippedFile, ...] = ()
    documents: int = 0
    chunks: int = 0
    dry_run: bool = False
    failed: int = 0
    definition: dict[str, Any] | None = None

    added_paths: tuple[str, ...] = Field(default=(), exclude=True)
    updated_paths: tuple[str, ...] = Field(default=(), exclude=True)
    removed_paths: tuple[str, ...] = Field(default=(), exclude=True)
