"""Wrap text for a terminal on which Chinese characters take two columns."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_WIDE = r"\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef"
_PIECE = re.compile(rf"\s+|[{_WIDE}]|[^\s{_WIDE}]+")
_NOT_FIRST = frozenset("，。、；：？！）》】」』”’…％,.;:?!)]}%")


def columns(text: str) -> int:
    """Return how many columns a text takes.

    >>> columns("30 天")
    5
    """
    return len(text) if text.isascii() else sum(map(_columns_of, text))


def _columns_of(char: str) -> int:
    if unicodedata.east_asian_width(char) in "WF":
        return 2
    return 0 if unicodedata.combining(char) or unicodedata.category(char) == "Cf" else 1


def wrapped(text: str, width: int, *, indent: str = "") -> str:
    """Break a text into lines that fit; its own line breaks stay.

    Args:
        text: What to show.
        width: Columns of a line, the indent included.
        indent: What every line begins with.
    """
    room = max(width - columns(indent), 10)
    lines = (line for paragraph in text.splitlines() for line in _lines(paragraph, room))
    return "\n".join((indent + line).rstrip() for line in lines)


def _lines(paragraph: str, room: int) -> Iterator[str]:
    line, used = "", 0
    for piece in _pieces(paragraph, room):
        takes = columns(piece)
        if used + takes > room and line.strip() and piece[0] not in _NOT_FIRST:
            yield line.rstrip()
            line, used = "", 0
        if line or not piece.isspace():
            line, used = line + piece, used + takes
    yield line.rstrip()


def _pieces(paragraph: str, room: int) -> Iterator[str]:
    """Yield blanks, single wide characters and words; a word too long for a line is cut."""
    for piece in _PIECE.findall(paragraph):
        if columns(piece) <= room:
            yield piece
        else:
            yield from (piece[at : at + room] for at in range(0, len(piece), room))
