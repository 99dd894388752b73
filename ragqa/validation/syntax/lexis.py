"""The characters and tokens that structure is made of. Every pattern is linear in the text."""

from __future__ import annotations

from typing import Final

from ragqa.language.late import late

PLAIN: Final = {
    "｛": "{",
    "｝": "}",
    "［": "[",
    "］": "]",
    "（": "(",
    "）": ")",
    "：": ":",
    "，": ",",
}
"""Full-width punctuation where structure is due, and what it stands for."""

CLOSER: Final = {"{": "}", "[": "]", "(": ")"}
CLOSERS: Final = "}])｝］）"
COMMAS: Final = ",，"
COLONS: Final = ":："

STRAIGHT: Final = "\"'＂＇"
"""Quotes that open and close alike."""

CURLED: Final = {"“": '“”„‟"', "”": '“”„‟"', "„": '“”„‟"', "‟": '“”„‟"', "‘": "‘’'", "’": "‘’'"}
"""Typographic quotes that open a string, and the quotes that may close it."""

QUOTES: Final = STRAIGHT + "".join(CURLED)

ODD_BLANKS: Final = (
    "\u000b\u000c\u0085\u00a0\u00ad\u1680\u180e\u2000-\u200f\u2028\u2029\u202f\u205f"
    "\u2060\u3000\ufeff"
)
"""Blanks and invisible marks that JSON lacks, as a character class."""

_BLANKS: Final = late(r"[ \t\r\n]*+")
SKIPPED: Final = late(
    rf"(?:[ \t\r\n{ODD_BLANKS}]++"
    r"|//[^\r\n\u2028\u2029]*+"
    r"|\#[^\r\n\u2028\u2029]*+"
    r"|/\*(?:[^*]++|\*(?!/))*+\*/"
    r")*+"
)
"""Everything that may stand between tokens: blanks, invisible marks, comments."""

COMMENT: Final = late(r"//|#|/\*")
ODD_BLANK: Final = late(f"[{ODD_BLANKS}]")

IDENTIFIER: Final = late(r"[^\W\d][\w$]*+")

KEY_AND_COLON: Final = late(
    r"(?:"
    r'"[^"\\\r\n]{1,80}+"'
    r"|'[^'\\\r\n]{1,80}+'"
    r"|＂[^＂\\\r\n]{1,80}+＂"
    r"|＇[^＇\\\r\n]{1,80}+＇"
    r'|[“”„‟][^“”„‟"\\\r\n]{1,80}+[“”„‟"]'
    r"|[‘’][^‘’'\\\r\n]{1,80}+[‘’']"
    r"|[^\W\d][\w$]*+"
    rf")[ \t\r\n{ODD_BLANKS}]*+[:：]"
)
"""A key with its colon: what follows the comma between two members."""

STRING_BEFORE: Final = late(r"\"\s{0,4}(?:\[\s{0,4})?\Z")
"""A quote, and a bracket perhaps, right before an object: it may be what a JSON string says."""

VALUE_START: Final = late(
    rf"[{QUOTES}{{\[(｛［（+\-.\d]|true|false|null|True|False|None|TRUE|FALSE|NULL|Null"
)
"""What follows the comma between two elements."""


def after_blanks(text: str, at: int) -> int:
    """Return the position after the blanks that JSON knows."""
    match = _BLANKS.match(text, at)
    assert match is not None, "the pattern matches the empty string"
    return match.end()
