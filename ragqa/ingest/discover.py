"""Paths, folders and globs to files, each once and always in the same order."""

from __future__ import annotations

import os
import re
import stat
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from errno import ELOOP
from pathlib import Path, PurePath

from ragqa.ingest.report import SkippedFile
from ragqa.ingest.roots import Root, real, root_of

_LEFT_OUT = frozenset({"node_modules", "__pycache__", "Thumbs.db", "desktop.ini", "ragqa.toml"})
_LEFT_OUT_PREFIXES = (".", "~$")  # hidden, or the mark of a document that Word has open
_VENV_MARK = "pyvenv.cfg"
_NO_LINK = "Remove the link."
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_CHECK_PATH = "Check the path; it is looked up from the current folder."


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to be indexed.

    Attributes:
        location: Where it is, absolute, symbolic links resolved.
        path: Names it in the index: relative to the project's folder if below it, else absolute.
        relative_path: Its path below the folder or glob that was given; for a file, its name.
        size_bytes: How large it is.
    """

    location: Path
    path: str
    relative_path: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Discovery:
    """What paths led to.

    Attributes:
        files: In the order of their ``path``.
        roots: What each given path covers.
        missing: The roots that do not exist, or match nothing.
        skipped: What was met on the way and cannot be read.
    """

    files: tuple[FoundFile, ...]
    roots: tuple[Root, ...]
    missing: tuple[Root, ...] = ()
    skipped: tuple[SkippedFile, ...] = ()


def discover(paths: Iterable[str], *, project: Path, home: Path | None = None) -> Discovery:
    """Return the files that paths, folders and globs lead to.

    Hidden files and folders, ``node_modules``, virtual environments and ``home`` are left out,
    unless a hidden file or folder is given by its own name.

    Args:
        paths: As the user gave them.
        project: The folder that paths in the index are relative to.
        home: ragqa's own folder.
    """
    walk = _Walk(real(project), real(home) if home else None)
    roots = tuple(root_of(given) for given in map(os.fspath, paths) if given.strip())
    missing = tuple(root for root in roots if not walk.take(root))
    files = sorted(walk.files.values(), key=lambda file: file.path)
    return Discovery(tuple(files), roots, missing, tuple(walk.skipped))


def path_in_index(location: Path, project: Path) -> str:
    """Return how a file is named in the index."""
    below = location.is_relative_to(project)
    return (location.relative_to(project) if below else location).as_posix()


def missing_path(root: Root) -> SkippedFile:
    """Return the report about a path that leads to nothing."""
    if _ADDRESS.match(root.given):
        reason = "is an address; files and folders are read"
        return SkippedFile(path=root.given, reason=reason, hint="Download it and give the file.")
    if root.pattern is None:
        return SkippedFile(path=root.given, reason="does not exist", hint=_CHECK_PATH)
    return SkippedFile(path=root.given, reason="matches no file", hint=_CHECK_PATH)


@dataclass
class _Walk:
    """Collects files over several roots, so that none is taken twice."""

    project: Path
    home: Path | None
    files: dict[str, FoundFile] = field(default_factory=dict)
    skipped: list[SkippedFile] = field(default_factory=list)

    def take(self, root: Root) -> bool:
        """Collect what a root leads to; tell whether there was anything."""
        location = root.location
        if not location.is_dir():
            return self._take(location, PurePath(location.name), root)
        if root.pattern is None and location == self.home:
            self._skip(root.given, "is ragqa's own folder", "Give the folder of your documents.")
            return True
        found = root.pattern is None
        for entry, relative in self._below(location):
            found = self._take(entry, relative, root) or found
        return found

    def _below(self, top: Path) -> Iterator[tuple[Path, PurePath]]:
        """Yield what is in a folder, at any depth; linked folders last, and each folder once."""
        pending, linked = [(top, PurePath())], deque[tuple[Path, PurePath]]()
        seen: set[Path] = set()
        while pending or linked:
            folder, relative = pending.pop() if pending else linked.popleft()
            if (location := real(folder)) in seen or location == self.home:
                continue
            seen.add(location)
            inner = []
            for entry in self._entries(folder):
                place, below = Path(entry.path), relative / entry.name
                if not _is_folder(entry):
                    yield place, below
                elif entry.is_symlink():
                    linked.append((place, below))
                else:
                    inner.append((place, below))
            pending.extend(reversed(inner))

    def _entries(self, folder: Path) -> list[os.DirEntry[str]]:
        """Return what is in a folder and is not left out, in order."""
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as exc:
            self._unreadable(folder, exc)
            return []
        if any(entry.name == _VENV_MARK for entry in entries):
            return []
        return [entry for entry in entries if not _is_left_out(entry.name)]

    def _take(self, found: Path, relative: PurePath, root: Root) -> bool:
        """Collect a file if the root wants it; tell whether it did."""
        if not root.matches(relative):
            return False
        location = real(found)
        path = path_in_index(location, self.project)
        try:
            status = location.stat()
        except (FileNotFoundError, NotADirectoryError):
            if not found.is_symlink():
                return False
            link = path_in_index(found, self.project)
            self._skip(path, f"is what the link {link} points at, and does not exist", _NO_LINK)
            return True
        except OSError as exc:
            if exc.errno == ELOOP:
                self._skip(path, "is a link that leads back to itself", _NO_LINK)
            else:
                self._unreadable(location, exc)
            return True
        if not stat.S_ISREG(status.st_mode):
            self._skip(path, "is no regular file", "Leave it out.")
        elif not _is_unicode(path):
            self._skip(path, "has a name that is not valid Unicode", "Rename it.")
        else:
            self._add(FoundFile(location, path, relative.as_posix(), status.st_size))
        return True

    def _add(self, file: FoundFile) -> None:
        known = self.files.get(file.path)
        if known is None or file.relative_path.count("/") > known.relative_path.count("/"):
            self.files[file.path] = file

    def _unreadable(self, location: Path, exc: OSError) -> None:
        reason = f"cannot be read: {exc.strerror or type(exc).__name__}"
        self._skip(path_in_index(location, self.project), reason, "Check its permissions.")

    def _skip(self, path: str, reason: str, hint: str) -> None:
        shown = path.encode("utf-8", "backslashreplace").decode("utf-8")
        self.skipped.append(SkippedFile(path=shown, reason=reason, hint=hint))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself
        return False


def _is_left_out(name: str) -> bool:
    return name in _LEFT_OUT or name.startswith(_LEFT_OUT_PREFIXES)


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
