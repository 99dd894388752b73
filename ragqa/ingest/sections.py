"""Which headings a stretch of text stands under."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ragqa.ingest.document import Heading

_SENTENCE_MARK = re.compile(r"[.!?](?:\s|$)|[。！？；]")
_LONGEST_LABEL_CHARS = 60


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch of text and the titles of the headings above it, outermost first.

    Attributes:
        is_label: Whether it holds a word or a figure and no sentence, and so means little alone.
        is_bare: Whether there is nothing below its heading.
    """

    start: int
    end: int
    path: tuple[str, ...]
    is_label: bool = False
    is_bare: bool = False


def sections(
    text: str, headings: Sequence[Heading], above: Sequence[Heading] = ()
) -> Iterator[Section]:
    """Yield the sections that make up a text.

    A heading with nothing below it goes with the section that follows. Labels in a row, as the
    sections "Brand" and "Category" of a data sheet, are one section under the headings they share.

    Args:
        text: The whole text.
        headings: Its headings, in order.
        above: Headings that hold before the first of them.
    """
    kept: Section | None = None
    waiting: int | None = None  # where bare headings begin
    for section in _under_headings(text, headings, above):
        start = section.start if waiting is None else waiting
        if section.is_bare and section.end < len(text):
            waiting = start
            continue
        waiting = None
        if kept is None:
            kept = replace(section, start=start)
        elif section.is_bare:
            kept = replace(kept, end=section.end)
        elif shared := _shared(kept, section):
            kept = replace(kept, end=section.end, path=shared)
        else:
            yield kept
            kept = replace(section, start=start)
    if kept is not None:
        yield kept


def _under_headings(
    text: str, headings: Sequence[Heading], above: Sequence[Heading]
) -> Iterator[Section]:
    path = list(above)
    first = headings[0].start if headings else len(text)
    if first:
        yield _section(text, 0, 0, first, path)
    for at, heading in enumerate(headings):
        while path and path[-1].level >= heading.level:
            path.pop()
        path.append(heading)
        end = headings[at + 1].start if at + 1 < len(headings) else len(text)
        yield _section(text, heading.start, heading.end, end, path)


def _section(text: str, start: int, below: int, end: int, path: Sequence[Heading]) -> Section:
    bare = text[below:end].isspace() or below >= end
    label = bool(path) and below > start and end - below <= 2 * _LONGEST_LABEL_CHARS
    return Section(
        start,
        end,
        tuple(heading.title for heading in path),
        is_label=label and not bare and _is_label(text[below:end].strip()),
        is_bare=bare,
    )


def _is_label(body: str) -> bool:
    return len(body) <= _LONGEST_LABEL_CHARS and _SENTENCE_MARK.search(body) is None


def _shared(left: Section, right: Section) -> tuple[str, ...]:
    """Return the headings that two labels share; nothing if they are to stay apart."""
    if not (left.is_label and right.is_label):
        return ()
    pairs = zip(left.path, right.path, strict=False)
    length = next((at for at, (one, other) in enumerate(pairs) if one != other), None)
    return left.path[: min(len(left.path), len(right.path)) if length is None else length]
