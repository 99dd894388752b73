"""Plain text: the document is the decoded file."""

from __future__ import annotations

from ragqa.ingest.decode import decode
from ragqa.ingest.document import ParsedFile, single


def parse(data: bytes) -> ParsedFile:
    """Parse a text file."""
    return single(decode(data))
