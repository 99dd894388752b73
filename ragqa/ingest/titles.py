"""What files are called: by name, and by as much of their path as tells two apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath


@dataclass(frozen=True, slots=True)
class Named:
    """A file to find a title for.

    Attributes:
        path: Names it in the index.
        location: Its absolute path.
        relative_path: Its path below the folder that was indexed.
    """

    path: str
    location: PurePosixPath
    relative_path: str


def titles(files: Iterable[Named]) -> Mapping[str, str]:
    """Return the title of every file by its path in the index.

    A file is called by its name; where several in the index share one, each is called by its
    relative path, and where that is shared too, by one folder above it more, until all differ.
    """
    by_name: dict[str, list[Named]] = defaultdict(list)
    for file in files:
        by_name[file.location.name].append(file)
    result: dict[str, str] = {}
    for name, group in by_name.items():
        result.update({group[0].path: name} if len(group) == 1 else _told_apart(group))
    return result


def _told_apart(group: Sequence[Named]) -> dict[str, str]:
    lengths = {file.path: len(PurePosixPath(file.relative_path).parts) for file in group}
    while True:
        sharing: dict[str, list[Named]] = defaultdict(list)
        for file in group:
            sharing[_tail(file.location, lengths[file.path])].append(file)
        if all(len(files) == 1 for files in sharing.values()):
            return {files[0].path: title for title, files in sharing.items()}
        for files in sharing.values():
            if len(files) > 1:
                for file in files:
                    lengths[file.path] += 1


def _tail(location: PurePosixPath, length: int) -> str:
    """Return the last parts of a path."""
    return PurePosixPath(*location.parts[-length:]).as_posix()
