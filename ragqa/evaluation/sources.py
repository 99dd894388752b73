"""The documents themselves, read again from their files: what a quote is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from ragqa.contract import Citation
from ragqa.errors import RagqaError

Texts = Mapping[tuple[str, int | None], str]
"""The texts of a file by the document's id and the page's number."""


def is_verbatim(citation: Citation, project: Path) -> bool | None:
    """Tell whether a quote is the slice of its document that it claims to be.

    Neither the index nor the passages are asked: the file is read and decoded anew.

    Args:
        citation: The quote, and where it should stand.
        project: The folder that relative paths start from.

    Returns:
        None where the file is not on this machine, or cannot be read any more.
    """
    if citation.path is None:
        return None
    path = project / citation.path
    try:
        state = path.stat()
    except (OSError, ValueError):
        return None
    texts = _texts(path, citation.path, state.st_mtime_ns, state.st_size)
    if texts is None:
        return None
    text = texts.get((citation.id, citation.page))
    return text is not None and text[citation.start : citation.end] == citation.quote


@lru_cache(maxsize=64)
def _texts(path: Path, name: str, changed_ns: int, size_bytes: int) -> Texts | None:
    """Return the texts of a file in the state that time and size name."""
    from ragqa.ingest.parse import parse

    try:
        parsed = parse(path)
    except (OSError, RagqaError):
        return None
    return {
        (
            document.id or (name if document.line is None else f"{name}#{document.line}"),
            page.number,
        ): (page.text)
        for document in parsed.documents
        for page in document.pages
    }
