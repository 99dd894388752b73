"""What a run changes in an index: written at once, visible together at the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from ragqa.ports import Chunk, DocumentStore, IndexWriter, StoredFile


class IndexMoved(Exception):
    """Another process has changed the index since its files were listed."""


class Changes:
    """The files of an index as they are with the changes made so far.

    The writer is opened with the first change: a run that finds nothing new waits for nobody.

    Args:
        store: The index.
        stack: Closes the writer.
        dry_run: Only keep account, write nothing.
    """

    def __init__(self, store: DocumentStore, stack: ExitStack, *, dry_run: bool) -> None:
        self._store = store
        self._stack = stack
        self._dry_run = dry_run
        self._writer: IndexWriter | None = None
        self._before = dict(store.files())
        self.files = dict(self._before)

    def replace(self, file: StoredFile, chunks: Sequence[Chunk]) -> None:
        """Put a file's chunks in place of whatever the index holds of it."""
        if writer := self._open():
            writer.replace(file, chunks)
        self.files[file.path] = file

    def remove(self, path: str) -> None:
        """Take a file out."""
        if writer := self._open():
            writer.remove(path)
        del self.files[path]

    def lock(self) -> None:
        """Keep other writers out from now on.

        Raises:
            IndexMoved: If one of them was there before.
        """
        if self._writer is None:
            self._writer = self._stack.enter_context(self._store.writer())
            if dict(self._store.files()) != self._before:
                raise IndexMoved

    def _open(self) -> IndexWriter | None:
        if not self._dry_run:
            self.lock()
        return self._writer


@contextmanager
def changing(store: DocumentStore, *, dry_run: bool) -> Iterator[Changes]:
    """Open an index for changes; leaving commits them, an exception discards them."""
    with ExitStack() as stack:
        yield Changes(store, stack, dry_run=dry_run)
