"""Bare words of an object: numbers and literals, and nothing that has to be guessed."""

from __future__ import annotations

from typing import Any

from ragqa.language.late import late

LITERALS: dict[str, Any] = {"true": True, "false": False, "null": None}
PYTHON_LITERALS: dict[str, Any] = {
    "True": True,
    "False": False,
    "None": None,
    "TRUE": True,
    "FALSE": False,
    "NULL": None,
    "Null": None,
}
NON_FINITE = {
    sign + name: float(sign + "nan" if name.lower() == "nan" else sign + "inf")
    for sign in ("", "+", "-")
    for name in ("NaN", "nan", "NAN", "Infinity", "infinity", "inf", "Inf")
}

BARE = late(r"""[^\s,:\[\]{}()"'“”„‟＂‘’＇，：｛｝［］（）/#`\u200b-\u200f\u2060\ufeff]++""")

_JSON_NUMBER = late(r"-?(?:0|[1-9][0-9]*+)(\.[0-9]++)?([eE][+-]?[0-9]++)?")
# What Python and JSON5 or newer JavaScript read alike: +1, .5, 5., 1_000, 0x1F. No leading zeros
# (octal to one, an error to the other), no thousands separators.
_LENIENT_NUMBER = late(
    r"[+-]?(?:"
    r"0[xX][0-9a-fA-F]++"
    r"|(?=\.?[0-9])(?:0|[1-9][0-9]*+(?:_[0-9]++)*+)?"
    r"(\.(?:[0-9]++(?:_[0-9]++)*+)?)?([eE][+-]?[0-9]++)?)"
)
_NARROW = str.maketrans("０１２３４５６７８９．－", "0123456789.-")
_MAX_DIGITS = 400  # more than any finite float has before its point


class NoValueError(ValueError):
    """Say that a bare word is no value."""


def bare_value(word: str) -> tuple[Any, str]:
    """Return the value of a bare word, and the repair that reading it took, if any.

    NaN, infinities and numbers that are too large come back as non-finite floats: they are
    written down well enough to say what is wrong with them.

    Raises:
        NoValueError: If the word is no value, or could be more than one.
    """
    if word in LITERALS:
        return LITERALS[word], ""
    if word in PYTHON_LITERALS:
        return PYTHON_LITERALS[word], "python_literals"
    if word in NON_FINITE:
        return NON_FINITE[word], ""
    if match := _JSON_NUMBER.fullmatch(word):
        return _number(word, is_float=bool(match[1] or match[2])), ""
    if match := _LENIENT_NUMBER.fullmatch(word):
        return _number(word, is_float=bool(match[1] or match[2])), "lenient_numbers"
    narrow = "" if word.isascii() else word.translate(_NARROW)
    if match := _JSON_NUMBER.fullmatch(narrow):
        return _number(narrow, is_float=bool(match[1] or match[2])), "full_width_punctuation"
    raise NoValueError(word)


def _number(word: str, *, is_float: bool) -> int | float:
    if is_float:
        return float(word)
    if len(word) > _MAX_DIGITS:
        return float("-inf" if word.startswith("-") else "inf")
    return int(word, 16) if "x" in word.lower() else int(word)
