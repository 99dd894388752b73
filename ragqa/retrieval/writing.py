"""Changes the embedded index: all of a writer's changes become visible at once, or none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

import tantivy

from ragqa.ports import Chunk, StoredFile
from ragqa.retrieval import records
from ragqa.retrieval.analysis import well_formed
from ragqa.retrieval.dense import DenseIndex
from ragqa.retrieval.faults import translated
from ragqa.retrieval.text_index import TextIndex


class EmbeddedWriter:
    """Puts files into the embedded index and takes them out. Use ``EmbeddedIndex.writer()``."""

    def __init__(
        self, text: TextIndex, writer: tantivy.IndexWriter, dense: DenseIndex | None
    ) -> None:
        self._text = text
        self._writer = writer
        self._dense = dense
        self.is_changed = False

    def replace(self, file: StoredFile, chunks: Sequence[Chunk]) -> None:
        """Put a file's chunks in place of whatever the index holds of it."""
        self.remove(file.path)
        placed = [records.placed(chunk, file, number) for number, chunk in enumerate(chunks)]
        if self._dense is not None:
            for stored in placed:
                self._dense.add(stored)
        with translated(self._text.folder, "write"):
            for document in records.documents(file, placed):
                self._writer.add_document(document)

    def remove(self, path: str) -> None:
        """Take everything out that came from this file."""
        self.is_changed = True
        with translated(self._text.folder, "write"):
            self._writer.delete_documents_by_term(records.PATH, well_formed(path))

    def commit(self) -> None:
        """Make the changes visible, in one step; vectors are on disk before."""
        if self._dense is not None:
            self._dense.flush()
        if self.is_changed:
            with translated(self._text.folder, "write"):
                self._writer.commit()


@contextmanager
def writing(text: TextIndex, dense: DenseIndex | None) -> Iterator[EmbeddedWriter]:
    """Hold the only writer; leaving it commits, an exception discards."""
    tantivy_writer = text.open_writer()
    try:
        if dense is not None:
            dense.begin()
        writer = EmbeddedWriter(text, tantivy_writer, dense)
        yield writer
        writer.commit()
        if dense is not None:
            dense.settle(text.view())
    except BaseException:
        with suppress(Exception):  # what went wrong first is what counts
            tantivy_writer.rollback()
            tantivy_writer.garbage_collect_files()  # a full disk needs the room
        raise
    finally:
        with suppress(Exception):  # merges tidy up; the commit stands without them
            tantivy_writer.wait_merging_threads()  # lets go of the lock, too
    if writer.is_changed:
        text.sweep()
