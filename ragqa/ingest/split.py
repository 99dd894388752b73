"""Cuts a text into chunks: without gaps, without overlap, at places where a reader would pause.

The chunks of a text put together are that text, so offsets into them are offsets into the
document. That is why langchain-text-splitters is not used: it strips and rejoins the pieces, finds
their offsets again by searching, and knows no Chinese sentence ends unless told by regular
expressions; its import also takes 0.3 s. Everything here is one pass over the text per kind of
boundary.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ragqa.ingest.document import Heading, Row
from ragqa.ingest.sections import sections
from ragqa.language import Language, clauses, language_of, sentences

HEADING_MARK = " > "

_PARAGRAPH_END = re.compile(r"\n[ \t\u3000\r]*\n\s*")
_PARAGRAPH_END_OF_OLD_MACS = re.compile(r"\r[ \t\u3000]*\r\s*")  # no "\n" at all
_LANGUAGE_SAMPLE_CHARS = 1000
_BLANKS = re.compile(r"\s+")
_NO_TITLE = re.compile(r"[.!?。！？；;,，|][\"'”’)）]*$|^(?:[-*+•|>]|\d+[.)、])|\n|^$")
_LONGEST_TITLE_CHARS = 60
_MOST_ANNOUNCING = 2  # in a row: more of them are a list


@dataclass(frozen=True, slots=True)
class ChunkSize:
    """How long chunks are, in characters.

    Attributes:
        target_chars: Paragraphs are put together up to this.
        max_chars: A paragraph up to this stays whole.
    """

    target_chars: int
    max_chars: int

    @property
    def small_chars(self) -> int:
        """Return what is too short to stand alone, where it has a neighbour in its section."""
        return self.target_chars // 5


CHUNK_SIZES: Mapping[Language, ChunkSize] = {
    "en": ChunkSize(target_chars=900, max_chars=1500),
    "zh": ChunkSize(target_chars=500, max_chars=900),
}
PAGE_SIZES: Mapping[Language, ChunkSize] = {
    "en": ChunkSize(target_chars=2500, max_chars=4000),
    "zh": ChunkSize(target_chars=1200, max_chars=2000),
}
"""Pages stay whole where they can: what is asked for is spread over a page of a brochure, and whole
ones were found more often (recall@5 over PDF pages 0.79 instead of 0.74)."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A slice of a text, and the headings above it, outermost first, joined by `` > ``."""

    start: int
    end: int
    heading: str = ""


def split(
    text: str,
    headings: Sequence[Heading] = (),
    *,
    above: Sequence[Heading] = (),
    sizes: Mapping[Language, ChunkSize] = CHUNK_SIZES,
) -> list[Piece]:
    """Return the pieces that make up a text; none for a text of blanks.

    A piece begins at a heading, a paragraph or a sentence; inside a sentence only where that alone
    is longer than ``max_chars``. Short sections that hold no sentence, as "Brand: Acme" under a
    heading of its own, stay together under the heading that they share.

    Args:
        text: The whole text.
        headings: Its headings, in order.
        above: Headings that hold before the first of them.
        sizes: By language, which is told for every section.
    """
    if not text.strip():
        return []
    if not headings and _fits(text, sizes):
        return [Piece(0, len(text), _joined(tuple(heading.title for heading in above)))]
    pieces: list[Piece] = []
    for section in sections(text, headings, above):
        body = text[section.start : section.end]
        heading, start = _joined(section.path), section.start
        for end in _ends(body, _size(body, sizes)):
            pieces.append(Piece(start, section.start + end, heading))
            start = section.start + end
    return pieces


def split_rows(
    text: str,
    rows: Sequence[Row],
    *,
    sizes: Mapping[Language, ChunkSize] = CHUNK_SIZES,
) -> Iterator[tuple[Piece, Row]]:
    """Yield the pieces of a table: one a row, more only where a row is longer than a chunk."""
    for at, row in enumerate(rows):
        start = row.start
        end = rows[at + 1].start if at + 1 < len(rows) else len(text)
        line = text[start:end]
        short = len(line) <= min(size.max_chars for size in sizes.values())
        for cut in [len(line)] if short else _ends(line, _size(line, sizes)):
            yield Piece(start, row.start + cut), row
            start = row.start + cut


def _fits(text: str, sizes: Mapping[Language, ChunkSize]) -> bool:
    shortest = min(size.target_chars for size in sizes.values())
    return len(text) <= shortest or len(text) <= _size(text, sizes).target_chars


def _size(body: str, sizes: Mapping[Language, ChunkSize]) -> ChunkSize:
    head = body[:_LANGUAGE_SAMPLE_CHARS]
    return sizes["en" if head.isascii() else language_of(head)]


def _joined(path: tuple[str, ...]) -> str:
    return HEADING_MARK.join(path)


def _ends(body: str, size: ChunkSize) -> list[int]:
    """Return where the pieces of a section end."""
    if len(body) <= size.target_chars:
        return [len(body)]
    return _packed(body, _not_blank(body, _atoms(body, size)), size)


def _packed(body: str, atoms: Sequence[int], size: ChunkSize) -> list[int]:
    """Put atoms together up to the target; what announces the next atom goes with it."""
    ends: list[int] = []
    start = before = announcing = 0
    steady = 0  # where the last atom ends that announces nothing
    for end in atoms:
        if before > start and end - start > size.target_chars:
            too_long = end - start > size.max_chars + size.small_chars
            cut = before if too_long and steady <= start else steady
            if cut - start >= size.small_chars or too_long:
                ends.append(cut)
                start = cut
        announcing = announcing + 1 if _announces(body[before:end]) else 0
        if not 0 < announcing <= _MOST_ANNOUNCING:
            steady = end
        before = end
    last = ends[-2] if len(ends) > 1 else 0
    if ends and before - start < size.small_chars and before - last <= size.max_chars:
        ends.pop()
    return [*ends, before]


def _not_blank(body: str, atoms: Iterable[int]) -> list[int]:
    """Return the atoms with those of blanks put to the next one, at the end to the last."""
    ends: list[int] = []
    start = 0
    for end in atoms:
        if not body[start:end].isspace():
            ends.append(end)
        start = end
    return [*ends[:-1], len(body)]


def _announces(atom: str) -> bool:
    """Tell whether a paragraph is a title or an introduction of what follows."""
    line = atom.strip()
    if line.endswith((":", "：")):
        return True
    return len(line) <= _LONGEST_TITLE_CHARS and not _NO_TITLE.search(line)


def _atoms(body: str, size: ChunkSize) -> Iterator[int]:
    """Yield the ends of what is not cut any further: paragraphs, else sentences, else clauses."""
    start = 0
    pattern = _PARAGRAPH_END if "\n" in body else _PARAGRAPH_END_OF_OLD_MACS
    gaps = [match.span() for match in pattern.finditer(body)]
    for text_end, end in (*gaps, (len(body), len(body))):
        if text_end - start > size.max_chars:
            yield from _inside_paragraph(body, start, end, size)
        elif end > start:
            yield end
        start = end


def _inside_paragraph(body: str, start: int, end: int, size: ChunkSize) -> Iterator[int]:
    cuts = [start + begin for begin, _ in sentences(body[start:end])][1:]
    for cut in (*cuts, end):
        if cut - start > size.max_chars:
            yield from _inside_sentence(body, start, cut, size)
        else:
            yield cut
        start = cut


def _inside_sentence(body: str, start: int, end: int, size: ChunkSize) -> Iterator[int]:
    cuts = [begin for begin, _ in clauses(body, start, end)][1:]
    for cut in (*cuts, end):
        while cut - start > size.max_chars:  # no clause: between words, else anywhere
            start = _between_words(body, start, start + size.target_chars)
            yield start
        yield cut
        start = cut


def _between_words(body: str, start: int, end: int) -> int:
    """Return the last place between two words, in the second half of a stretch if there is one."""
    half = (start + end) // 2
    blanks = [match.end() for match in _BLANKS.finditer(body, half, end)]
    if blanks:
        return blanks[-1]
    while end > half and _continues(body[end]):
        end -= 1
    return end


def _continues(char: str) -> bool:
    """Tell whether a character belongs to the one before it: an accent, a joined emoji."""
    return unicodedata.combining(char) > 0 or char in "\u200d\ufe0e\ufe0f"
