"""Reads back what the embedded index holds: its files, and figures."""

from __future__ import annotations

from dataclasses import dataclass

from ragqa.ports import StoredFile
from ragqa.retrieval import records
from ragqa.retrieval.queries import of_kind
from ragqa.retrieval.text_index import View


@dataclass(frozen=True, slots=True)
class IndexStats:
    """What an index holds, in figures.

    Attributes:
        files: How many files.
        documents: How many documents; a jsonl file holds many.
        chunks: How many passages can be found.
        size_bytes: What it takes on disk.
        embedding_model: The model whose vectors are searched; empty without one.
        version: Names the state.
    """

    files: int
    documents: int
    chunks: int
    size_bytes: int
    embedding_model: str
    version: str


def files_in(view: View) -> dict[str, StoredFile]:
    """Return every file by its path."""
    found = (
        records.stored_file(view.document(address))
        for address in view.all_hits(of_kind(records.FILE))
    )
    return {file.path: file for file in sorted(found, key=lambda file: file.path)}
