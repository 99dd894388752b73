"""Brings an index up to date with files: adds, replaces and removes what differs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ragqa.errors import RetrievalError
from ragqa.ingest.changes import Changes, IndexMoved, changing
from ragqa.ingest.discover import Discovery, FoundFile, discover, missing_path
from ragqa.ingest.entries import Entries, GroupsOf
from ragqa.ingest.parse import MAX_FILE_BYTES, SUPPORTED
from ragqa.ingest.report import IndexReport, SkippedFile
from ragqa.ingest.roots import real
from ragqa.ingest.titles import Named, titles
from ragqa.ports import DocumentStore, StoredFile

Progress = Callable[[int, int, str], None]
"""Called with the files done, the files in all and the path under way."""

_NAMED_REASONS = 5


def sync(
    paths: Iterable[str],
    store: DocumentStore,
    *,
    project: Path,
    home: Path | None = None,
    groups_of: GroupsOf | None = None,
    progress: Progress | None = None,
    max_file_bytes: int = MAX_FILE_BYTES,
    dry_run: bool = False,
) -> IndexReport:
    """Add what is new, replace what changed, remove what has gone.

    A file whose bytes, groups and way of splitting are the same costs a hash. What is in the index
    from below the given paths and exists no more is removed; nothing else is. A file that cannot
    be used is reported and taken out of the index; the others go on. What of a file cannot be used
    is reported every time, changed or not. All changes become visible together, or none does.

    Args:
        paths: Files, folders and globs, relative to the current folder or absolute.
        store: The index.
        project: The folder that paths in the index are relative to.
        home: ragqa's own folder, which is never indexed.
        groups_of: Who may see a file.
        progress: Told how far it is.
        max_file_bytes: A larger file is left out.
        dry_run: Report only, change nothing.

    Raises:
        RetrievalError: If nothing could be indexed, and nothing from these paths is in the index.
    """
    discovery = discover(paths, project=project, home=home)
    entries = Entries(real(project), groups_of)
    try:
        run = _Run(discovery, entries, max_file_bytes)
        with changing(store, dry_run=dry_run) as changes:
            run.all(changes, progress)
    except IndexMoved:  # once more with the lock held: nothing moves any more
        run = _Run(discovery, entries, max_file_bytes)
        with changing(store, dry_run=dry_run) as changes:
            changes.lock()
            run.all(changes, progress)
    run.refuse_nothing()
    return run.report(dry_run=dry_run)


Outcome = Literal["added", "updated", "unchanged", "removed"]


@dataclass
class _Run:
    """One pass over the files that were found."""

    discovery: Discovery
    entries: Entries
    max_file_bytes: int
    changes: Changes = field(init=False)
    found: Mapping[str, FoundFile] = field(init=False)
    skipped: list[SkippedFile] = field(default_factory=list)
    outcomes: dict[str, Outcome] = field(default_factory=dict)

    def all(self, changes: Changes, progress: Progress | None) -> None:
        """Do everything that there is to do."""
        self.changes = changes
        self.found = {file.path: file for file in self.discovery.files}
        self.skipped += self.discovery.skipped
        self._report_missing()
        gone = self._gone()
        expected = self._titles((changes.files.keys() | self.found.keys()) - set(gone))
        for at, file in enumerate(self.discovery.files):
            if progress:
                progress(at, len(self.found), file.path)
            self._take(file, expected[file.path])
        for path in gone:
            self._remove(path)
        self._retitle()
        if progress:
            progress(len(self.found), len(self.found), "")

    def _report_missing(self) -> None:
        for root in self.discovery.missing:
            if not any(root.covers(self.entries.location(path)) for path in self.changes.files):
                self.skipped.append(missing_path(root))

    def _gone(self) -> list[str]:
        """Return the files of the index that the paths cover and that are no more."""
        unreadable = {file.path for file in self.discovery.skipped}
        return [
            path
            for path in self.changes.files
            if path not in self.found
            and (path in unreadable or self._is_covered(path))
            and _is_gone(self.entries.location(path))
        ]

    def _is_covered(self, path: str) -> bool:
        location = self.entries.location(path)
        return any(root.covers(location) for root in self.discovery.roots)

    def _take(self, file: FoundFile, title: str) -> None:
        """Bring one file up to date."""
        if file.size_bytes > self.max_file_bytes:
            size, limit = _megabytes(file.size_bytes), _megabytes(self.max_file_bytes)
            reason = f"has {size}, more than the limit of {limit}"
            self._leave_out(file.path, reason, "Split it, or raise RAGQA_MAX_FILE_MB.")
            return
        try:
            data = file.location.read_bytes()
        except OSError as exc:  # not known to have changed: what the index holds of it stays
            reason = f"cannot be read: {exc.strerror or type(exc).__name__}"
            self._skip(file.path, reason, "Check its permissions.")
            return
        known = self.changes.files.get(file.path)
        if known is not None and known.content_hash == self.entries.digest(file.path, data):
            self.outcomes[file.path] = "unchanged"
            self._skip_parts(known)
        elif self._put(file.path, data, title):
            self.outcomes[file.path] = "updated" if known else "added"

    def _put(self, path: str, data: bytes, title: str) -> bool:
        """Put a file into the index; tell whether it could be used."""
        name = self._relative_path(path)
        try:
            entry = self.entries.make(path, data, title=title, relative_path=name)
        except RetrievalError as exc:
            self._leave_out(path, exc.message, exc.hint)
            return False
        self._skip_parts(entry.file)
        self.changes.replace(entry.file, entry.chunks)
        return True

    def _leave_out(self, path: str, reason: str, hint: str) -> None:
        self._skip(path, reason, hint)
        if path in self.changes.files:
            self._remove(path)

    def _skip_parts(self, file: StoredFile) -> None:
        for reason, hint in file.problems:
            self._skip(file.path, reason, hint)

    def _skip(self, path: str, reason: str, hint: str) -> None:
        self.skipped.append(SkippedFile(path=path, reason=reason, hint=hint))

    def _remove(self, path: str) -> None:
        self.changes.remove(path)
        self.outcomes[path] = "removed"

    def _titles(self, paths: Iterable[str]) -> Mapping[str, str]:
        """Return the titles of files that are in the index together."""
        return titles(
            Named(path, self.entries.posix(path), self._relative_path(path)) for path in paths
        )

    def _relative_path(self, path: str) -> str:
        """Return the longer of two names, so that a title does not hang on which path was given."""
        found, known = self.found.get(path), self.changes.files.get(path)
        names = [file.relative_path for file in (found, known) if file is not None]
        return max(names, key=lambda name: name.count("/"))

    def _retitle(self) -> None:
        """Give every file the title that fits what the index now holds.

        A title stands in each of a file's passages, so a file whose title changes is put in anew,
        even one that none of the given paths covers. One that cannot be read keeps its title.
        """
        unreadable: set[str] = set()
        while True:
            expected = self._titles(self.changes.files)
            wrong = [
                file
                for path, file in self.changes.files.items()
                if file.title != expected[path] and path not in unreadable
            ]
            if not wrong:
                return
            for file in wrong:
                if not self._rename(file, expected[file.path]):
                    unreadable.add(file.path)

    def _rename(self, file: StoredFile, title: str) -> bool:
        name = self._relative_path(file.path)
        try:
            data = self.entries.location(file.path).read_bytes()
            entry = self.entries.make(file.path, data, title=title, relative_path=name)
        except (OSError, RetrievalError):
            return False
        self.changes.replace(entry.file, entry.chunks)
        return True

    def refuse_nothing(self) -> None:
        """Raise if the paths gave nothing, and nothing of them is or was in the index.

        Raises:
            RetrievalError: With the reasons.
        """
        if {"added", "updated", "unchanged"} & set(self.outcomes.values()):
            return
        emptied = bool(self.outcomes) and not self.skipped
        if emptied or any(map(self._is_covered, self.changes.files)):
            return
        reasons = "; ".join(map(str, self.skipped[:_NAMED_REASONS])) or "there is no file"
        more = len(self.skipped) - _NAMED_REASONS
        raise RetrievalError(
            f"Nothing could be indexed: {reasons}{f'; and {more} more' if more > 0 else ''}.",
            hint=self.skipped[0].hint if self.skipped else f"Supported are {SUPPORTED}.",
        )

    def report(self, *, dry_run: bool) -> IndexReport:
        """Return what was done."""
        paths = {
            outcome: tuple(path for path, own in self.outcomes.items() if own == outcome)
            for outcome in ("added", "updated", "unchanged", "removed")
        }
        return IndexReport(
            added=len(paths["added"]),
            updated=len(paths["updated"]),
            unchanged=len(paths["unchanged"]),
            removed=len(paths["removed"]),
            skipped=tuple(self.skipped),
            documents=sum(file.documents for file in self.changes.files.values()),
            chunks=sum(file.chunks for file in self.changes.files.values()),
            dry_run=dry_run,
            added_paths=paths["added"],
            updated_paths=paths["updated"],
            removed_paths=paths["removed"],
        )


def _is_gone(location: Path) -> bool:
    """Tell whether a file exists no more; one that cannot be looked at may still be there."""
    try:
        location.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def _megabytes(size_bytes: int) -> str:
    return f"{size_bytes / 2**20:,.1f} MB"
