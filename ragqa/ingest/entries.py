"""What the index holds of a file: made of its bytes, its groups and its title."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ragqa.contract import EVERYONE
from ragqa.ingest.chunks import chunks_of
from ragqa.ingest.parse import parse
from ragqa.ingest.split import CHUNK_SIZES, PAGE_SIZES
from ragqa.ports import Chunk, StoredFile

GroupsOf = Callable[[Path], tuple[str, ...] | None]
"""Tells who may see a file that does not say it itself; ``None`` for everybody."""

PARSER_VERSION = 4
"""Raise it when parsing or splitting changes: every file is then indexed anew."""

_LONGEST_REASON = 200  # an index keeps them


@dataclass(frozen=True, slots=True)
class Entry:
    """A file as the index keeps it."""

    file: StoredFile
    chunks: Sequence[Chunk]


@dataclass(frozen=True, slots=True)
class Entries:
    """Makes entries of files.

    Attributes:
        project: The folder that paths in the index are relative to.
        groups_of: Who may see a file.
    """

    project: Path
    groups_of: GroupsOf | None = None

    def location(self, path: str) -> Path:
        """Return where a file of the index is."""
        return self.project / path

    def digest(self, path: str, data: bytes) -> str:
        """Return what changes whenever the entry would."""
        digest = hashlib.blake2b(data, digest_size=16)
        sizes = sorted(CHUNK_SIZES.items()), sorted(PAGE_SIZES.items())
        made_with = (PARSER_VERSION, self._groups(path), sizes)
        digest.update(repr(made_with).encode())
        return digest.hexdigest()

    def make(self, path: str, data: bytes, *, title: str, relative_path: str) -> Entry:
        """Parse and split a file.

        Raises:
            RetrievalError: If nothing in it can be indexed.
        """
        parsed = parse(Path(path), data)
        chunks = chunks_of(parsed, path=path, groups=self._groups(path))
        file = StoredFile(
            path=path,
            content_hash=self.digest(path, data),
            title=title,
            relative_path=relative_path,
            documents=len(parsed.documents),
            chunks=len(chunks),
            problems=tuple((one.reason[:_LONGEST_REASON], one.hint) for one in parsed.problems),
        )
        return Entry(file, chunks)

    def posix(self, path: str) -> PurePosixPath:
        """Return where a file of the index is, for comparing names."""
        return PurePosixPath(self.location(path).as_posix())

    def _groups(self, path: str) -> tuple[str, ...]:
        groups = self.groups_of(self.location(path)) if self.groups_of else None
        return (EVERYONE,) if groups is None else groups
