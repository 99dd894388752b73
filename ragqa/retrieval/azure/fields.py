"""What the fields of an index are called, and what a chunk's key says."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass

MAX_KEY_CHARS = 1024
"""Source: https://learn.microsoft.com/azure/search/search-limits-quotas-capacity (document key)"""

USUAL_FIELDS = ("title", "path", "page")
"""What an index without a field of metadata most likely has instead."""

_OURS = re.compile(
    r"r1=(?P<path>[\w-]*)=(?P<own>[\w-]*)=(?P<page>\d+)=(?P<start>\d+)(?:-(?P<copy>\d+))?"
    r"=(?P<heading>[\w-]*)",
    re.ASCII,
)
_ERRORS = "surrogatepass"  # a file name may hold bytes that are no UTF-8


@dataclass(frozen=True, slots=True)
class FieldNames:
    """The fields that a search reads; None for what an index does not have.

    Attributes:
        groups: Who may see a document; None where nothing is trimmed.
        metadata: Other keys as one JSON text, as LangChain's AzureSearch keeps them.
    """

    id: str = "id"
    title: str | None = "title"
    content: str = "content"
    vector: str = "content_vector"
    path: str | None = "path"
    page: str | None = "page"
    groups: str | None = None
    metadata: str | None = None

    @property
    def selected(self) -> tuple[str, ...]:
        """Return what a search asks for: never vectors, etags or what nobody reads."""
        own = (self.id, self.title, self.content, self.path, self.page, self.groups, self.metadata)
        return tuple(dict.fromkeys(name for name in own if name is not None))

    @property
    def optional(self) -> frozenset[str]:
        """Return the fields that an index may lack: those that nobody has named on purpose."""
        usual = {*USUAL_FIELDS, "metadata"}
        named = (self.title, self.path, self.page, self.metadata)
        return frozenset(name for name in named if name is not None and name in usual)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a chunk stands, as its key says.

    Attributes:
        path: The file's path.
        doc_id: The document's own id.
        page: The page, 0 where there are none.
        start: The first character.
        heading: The headings above it.
        copy: Tells chunks apart that share all the rest (records of one id in a file).
    """

    path: str
    doc_id: str
    page: int = 0
    start: int = 0
    heading: str = ""
    copy: int = 0

    @property
    def key(self) -> str:
        """Return the place as a document key: letters, digits, dash, underscore and equals.

        Headings that do not fit are left out; a path or an id that is too long stands in it as a
        digest.
        """
        own = "" if self.doc_id == self.path else _encoded(self.doc_id)
        at = f"{self.page}={self.start}" + (f"-{self.copy}" if self.copy else "")
        short = f"r1={_encoded(self.path)}={own}={at}="
        for key in (short + _encoded(self.heading), short):
            if len(key) <= MAX_KEY_CHARS:
                return key
        named = f"{self.path}\n{self.doc_id}".encode("utf-8", _ERRORS)
        return f"r0={hashlib.blake2b(named, digest_size=24).hexdigest()}={at}"


def place_of(key: str) -> Place | None:
    """Return what a key of ours says; None for every other key."""
    match = _OURS.fullmatch(key)
    if match is None:
        return None
    try:
        path, own, heading = (_decoded(match[part]) for part in ("path", "own", "heading"))
    except (binascii.Error, UnicodeDecodeError):
        return None
    page, start, copy = (int(match[part] or 0) for part in ("page", "start", "copy"))
    return Place(path, own or path, page, start, heading, copy)


def _encoded(text: str) -> str:
    data = text.encode("utf-8", _ERRORS)
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _decoded(text: str) -> str:
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return data.decode("utf-8", _ERRORS)
