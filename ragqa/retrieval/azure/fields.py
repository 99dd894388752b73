"""What the fields of an index are called, and what a chunk's key says."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass

MAX_KEY_CHARS = 1024
"""Source: https://learn.microsoft.com/azure/search/search-limits-quotas-capacity (document key)"""

_OURS = re.compile(r"r1=(?P<path>[\w-]*)=(?P<own>[\w-]*)=(?P<page>\d+)=(?P<start>\d+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class FieldNames:
    """The fields that a search reads. ``groups`` is None where nothing is trimmed."""

    id: str = "id"
    title: str = "title"
    content: str = "content"
    vector: str = "content_vector"
    path: str = "path"
    page: str = "page"
    groups: str | None = None

    @property
    def selected(self) -> tuple[str, ...]:
        """Return what a search asks for: never vectors, etags or what nobody reads."""
        own = (self.id, self.title, self.content, self.path, self.page)
        return own if self.groups is None else (*own, self.groups)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a chunk stands, as its key says.

    Attributes:
        path: The file's path.
        doc_id: The document's own id.
        page: The page, 0 where there are none.
        start: The first character.
    """

    path: str
    doc_id: str
    page: int
    start: int

    @property
    def key(self) -> str:
        """Return the place as a document key: letters, digits, dash, underscore and equals.

        A path or an id that is too long stands in it as a digest.
        """
        own = "" if self.doc_id == self.path else _encoded(self.doc_id)
        key = f"r1={_encoded(self.path)}={own}={self.page}={self.start}"
        if len(key) <= MAX_KEY_CHARS:
            return key
        digest = hashlib.blake2b(f"{self.path}\n{self.doc_id}".encode(), digest_size=24)
        return f"r0={digest.hexdigest()}={self.page}={self.start}"


def place_of(key: str) -> Place | None:
    """Return what a key of ours says; None for every other key."""
    match = _OURS.fullmatch(key)
    if match is None:
        return None
    try:
        path, own = _decoded(match["path"]), _decoded(match["own"])
    except (binascii.Error, UnicodeDecodeError):
        return None
    return Place(path, own or path, int(match["page"]), int(match["start"]))


def _encoded(text: str) -> str:
    data = text.encode("utf-8", "surrogateescape")
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _decoded(text: str) -> str:
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return data.decode("utf-8", "surrogateescape")
