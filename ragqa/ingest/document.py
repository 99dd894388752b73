"""What parsing a file gives: documents, their texts, headings and rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading as a line of its text: ``text[start:end]`` holds it with its marks.

    ``level`` is 1 for the outermost; ``title`` is what a reader sees of it.
    """

    start: int
    end: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table that is a passage of its own: where it begins, and its columns."""

    start: int
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TextPage:
    """A text with character offsets of its own: a page of a PDF, else a document's whole text.

    Attributes:
        text: All of it; nothing that is quoted stands anywhere else.
        headings: In the order of the text.
        rows: Where passages begin, if the text is a table; empty otherwise.
        number: Of the page, counted from 1.
        above: Headings of earlier pages that still hold at the top of this one.
    """

    text: str
    headings: tuple[Heading, ...] = ()
    rows: tuple[Row, ...] = ()
    number: int | None = None
    above: tuple[Heading, ...] = ()


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """A document out of a file.

    Attributes:
        pages: Its texts, at least one of them not blank.
        id: The document's own id; empty where it has none.
        title: A record's own title; empty where the file's title counts.
        groups: Who may see it; ``None`` where the document does not say.
        metadata: Other keys of a record.
        line: Where a record stands in its file, counted from 1.
    """

    pages: Sequence[TextPage]
    id: str = ""
    title: str = ""
    groups: tuple[str, ...] | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """A part of a file that could not be used: a line of a jsonl file, a page of a PDF."""

    reason: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """All that a file holds, and what of it could not be used."""

    documents: Sequence[ParsedDocument]
    problems: tuple[Problem, ...] = ()


def single(text: str, headings: Sequence[Heading] = (), rows: Sequence[Row] = ()) -> ParsedFile:
    """Return a file that is one document with one text."""
    page = TextPage(text, headings=tuple(headings), rows=tuple(rows))
    return ParsedFile((ParsedDocument((page,)),))
