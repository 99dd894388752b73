"""What people paste into settings around the value itself."""

from __future__ import annotations

import unicodedata

_QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "«": "»", "「": "」"}


def tidied(raw: str) -> str:
    r"""Strip blanks, line ends, invisible marks and paired quotes from both ends of a value.

    >>> tidied('\ufeff "https://x.example" \r\n')
    'https://x.example'
    """
    text = _bare(raw)
    while len(text) >= 2 and _QUOTES.get(text[0]) == text[-1]:
        text = _bare(text[1:-1])
    return "" if text in _QUOTES or text in _QUOTES.values() else text


def _bare(text: str) -> str:
    start, end = 0, len(text)
    while start < end and _is_blank(text[start]):
        start += 1
    while start < end and _is_blank(text[end - 1]):
        end -= 1
    return text[start:end]


def _is_blank(char: str) -> bool:
    return char.isspace() or unicodedata.category(char) in {"Cc", "Cf"}


def inner_marks(text: str) -> bool:
    """Tell whether blanks, control or invisible marks stand inside a text."""
    return any(_is_blank(char) for char in text)


def listed(text: str) -> tuple[str, ...]:
    """Split a list at commas, full-width ones too; blank items vanish.

    >>> listed("pricing, policy，other,")
    ('pricing', 'policy', 'other')
    """
    for mark in "，、\r\n":
        text = text.replace(mark, ",")
    return tuple(item for item in map(tidied, text.split(",")) if item)
