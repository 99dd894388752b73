"""One file to documents: the parser is chosen by the suffix, and every failure gets a reason."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Protocol, cast

from ragqa.errors import RetrievalError
from ragqa.ingest.document import ParsedFile

MAX_FILE_BYTES = 50 * 1024 * 1024

FORMATS = {
    ".txt": "text",
    ".text": "text",
    ".log": "text",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "webpage",
    ".htm": "webpage",
    ".xhtml": "webpage",
    ".pdf": "pdf",
    ".docx": "word",
    ".csv": "delimited",
    ".tsv": "delimited",
    ".tab": "delimited",
    ".json": "json_document",
    ".jsonl": "records",
    ".ndjson": "records",
}
"""Suffixes, and the module of ``ragqa.ingest.parsers`` that reads them."""

_SEEN = re.compile(r"[^\s\x00-\x1f\xad\u200b-\u200f\u2060-\u206f\ufeff]")
"""A character that a reader sees."""

SUPPORTED = "txt, md, html, pdf, docx, csv, tsv, json and jsonl"


class _Parser(Protocol):
    def parse(self, data: bytes) -> ParsedFile: ...


def parse(path: Path, data: bytes | None = None) -> ParsedFile:
    """Return the documents of a file, at least one of them with text.

    A file with an unknown suffix is read as plain text, if it is text.

    Args:
        path: The file; only its name counts if ``data`` is given.
        data: Its bytes; ``None`` reads them.

    Raises:
        RetrievalError: If nothing in it can be indexed; the message is the reason, and reads on
            from the file's name.
    """
    if data is None:
        data = path.read_bytes()
    if not data:
        raise RetrievalError("is empty", hint="Fill it, or leave it out.")
    suffix = path.suffix.lower()
    parser = _parser(FORMATS.get(suffix, "text"))
    try:
        parsed = parser.parse(data)
    except RetrievalError as exc:
        if suffix in FORMATS:
            raise
        raise RetrievalError(
            f"{exc.message}, and its format is not supported",
            hint=f"Supported are {SUPPORTED}, and other plain text.",
        ) from exc
    except Exception as exc:  # a parser's own fault must not end the indexing of other files
        raise RetrievalError(
            f"could not be parsed ({type(exc).__name__})",
            hint="Open it in its own program, save it again and index that.",
        ) from exc
    if not any(_SEEN.search(page.text) for document in parsed.documents for page in document.pages):
        raise RetrievalError("holds no text", hint="Fill it, or leave it out.")
    return parsed


def _parser(name: str) -> _Parser:
    """Import a parser when its first file comes: the libraries behind them are heavy."""
    return cast(_Parser, importlib.import_module(f"ragqa.ingest.parsers.{name}"))
