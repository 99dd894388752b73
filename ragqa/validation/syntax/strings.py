r"""Where a string ends, and what it says.

A string in straight double quotes ends at the first quote that is not escaped. Only where that
leads nowhere, and for the other quotes (an apostrophe is no end), every quote is looked at: it may
end the string if what follows is structure (a closing brace, or a comma and the next key), and is
data otherwise. A reading with a quote that could be both is refused.

    {'answer': 'it's off', 'next': 1}       ends before the comma: a key follows
    {"answer": "the "K2" kettle", "x": 1}   likewise, with a pair of quotes inside
    {"answer": "say "a", "b": c", "x": 1}   refused: two readings
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from typing import Final

from ragqa.language.late import late
from ragqa.validation.syntax.lexis import (
    CLOSERS,
    COLONS,
    COMMAS,
    COMMENT,
    CURLED,
    KEY_AND_COLON,
    SKIPPED,
    STRAIGHT,
    VALUE_START,
)

_UP_TO_QUOTE: Final = {
    quote: late(rf"(?:[^{others}\\]++|\\.)*+(?=[{others}])", re.DOTALL)
    for quote, others in {**dict(zip(STRAIGHT, STRAIGHT, strict=True)), **CURLED}.items()
}
_MAX_INNER_QUOTES = 200
_MAX_COMMENT_CHARS = 300
_MAX_IRREGULAR_CHARS = 50_000

UNCLOSED: Final = -1
UNCLEAR: Final = -2


def simple_end(text: str, start: int) -> int:
    """Return where the quote stands that closes a straight string at the first chance.

    Args:
        text: The whole text.
        start: Where the opening quote stands.

    Returns:
        The position of the closing quote, or UNCLOSED.
    """
    body = _UP_TO_QUOTE[text[start]].match(text, start + 1)
    return body.end() if body else UNCLOSED


def careful_end(text: str, start: int, *, in_object: bool) -> int:
    """Return where the quote stands that can only be the string's end.

    Args:
        text: The whole text.
        start: Where the opening quote stands.
        in_object: Whether the string is a member's value, not an element of a list.

    Returns:
        The position of the closing quote, UNCLOSED, or UNCLEAR where two readings are possible.
    """
    opening = text[start]
    fits = _pairs_up_curled if opening in CURLED else _pairs_up_straight
    inner: list[int] = []
    is_open = False
    at = start
    while body := _UP_TO_QUOTE[opening].match(text, at + 1):
        at = body.end()
        if _is_followed_by_structure(text, at + 1, in_object=in_object):
            return UNCLEAR if is_open or _is_unclear(text, start, at, inner) else at
        if _is_followed_by_colon(text, at + 1):
            return UNCLEAR
        fitting = fits(text, start, at, is_open)
        if fitting is None or len(inner) == _MAX_INNER_QUOTES:
            return UNCLEAR
        is_open = fitting
        inner.append(at)
    return UNCLOSED


def _is_unclear(text: str, start: int, at: int, inner: list[int]) -> bool:
    """Tell whether a quote that could end the string may as well stand inside of it."""
    if text[start] in CURLED:
        return text[at] in "\"'" and any(text[other] == text[at] for other in inner)
    # Lines with quotes of their own look like members; ""text"" may be meant with its quotes.
    pairs = [other for other in inner if not _is_medial(text, other)]
    has_lines = "\n" in text[start:at] or "\r" in text[start:at]
    return bool(pairs) and (has_lines or (pairs[0] == start + 1 and pairs[-1] == at - 1))


def _is_medial(text: str, at: int) -> bool:
    return text[at] in "'＇" and _in_word(text[at - 1]) and _in_word(text[at + 1 : at + 2])


def _is_followed_by_structure(text: str, at: int, *, in_object: bool) -> bool:
    end = at + _MAX_COMMENT_CHARS  # a bound: a comment could be gone over for every quote in it
    next_at = skip(text, at, end)
    follower = text[next_at : next_at + 1]
    if not follower:
        return True  # the text ends here: cut off, whatever the quote is
    if follower in CLOSERS:
        return (follower in "}｝") == in_object and next_at < end
    if follower in COMMAS:
        return next_at < end and _is_followed_by_next(text, next_at + 1, end, in_object=in_object)
    return in_object and is_missing_comma(text, at, next_at)


def _is_followed_by_next(text: str, at: int, end: int, *, in_object: bool) -> bool:
    """Tell whether the next member or element stands there, or a closing brace, or nothing."""
    after = skip(text, at, end)
    if after == len(text) or text[after] in CLOSERS:
        return True
    next_one = KEY_AND_COLON if in_object else VALUE_START
    return after < end and bool(next_one.match(text, after))


def is_missing_comma(text: str, end: int, at: int) -> bool:
    """Tell whether the next member's key stands where a comma is due, on a line of its own.

    Args:
        text: The whole text.
        end: Where the value ends.
        at: Where the key may stand, behind blanks.
    """
    between = text[end:at]
    is_on_new_line = ("\n" in between or "\r" in between) and not COMMENT.search(between)
    return is_on_new_line and text[at : at + 1] == '"' and bool(KEY_AND_COLON.match(text, at))


def _is_followed_by_colon(text: str, at: int) -> bool:
    next_at = skip(text, at, at + _MAX_COMMENT_CHARS)
    return next_at < len(text) and text[next_at] in COLONS


def skip(text: str, at: int, end: int = sys.maxsize) -> int:
    """Return the position after blanks and comments, at most ``end``."""
    match = SKIPPED.match(text, at, end)
    assert match is not None, "the pattern matches the empty string"
    return match.end()


def _pairs_up_straight(text: str, start: int, at: int, is_open: bool) -> bool | None:
    """Return whether a pair of quotes is open after this one; None if it fits no pair."""
    before, after = text[at - 1] if at - 1 > start else "", text[at + 1 : at + 2]
    is_apostrophe = text[at] in "'＇"
    if is_apostrophe and _in_word(before) and _in_word(after):
        return is_open
    if is_open:
        return None if before.isspace() or _in_word(after) else False
    if is_apostrophe and _in_word(before):  # the dogs' bowl
        return False if after == " " and text[at + 2 : at + 3].isalpha() else None
    if not after.isalnum() and after != text[at] and _MEASURE.search(text, max(start, at - 12), at):
        return False  # a 5" screen
    # A doubled quote may be one quote, as in tables; one inside a word is a slip of some kind.
    return None if after.isspace() or after == text[at] or _in_word(before) else True


def _pairs_up_curled(text: str, start: int, at: int, is_open: bool) -> bool | None:
    """Return the same for typographic quotes, whose form says whether they open."""
    quote = text[at]
    if quote in "\"'":
        return is_open  # straight quotes inside curled ones are data
    before, after = text[at - 1] if at - 1 > start else "", text[at + 1 : at + 2]
    if quote == "’" and _in_word(before) and (_in_word(after) or not is_open):
        return is_open
    if quote in "“„‘":
        return None if is_open else True
    return False if is_open else None


_MEASURE: Final = late(r"(?:[\s\"'(/x×-])\d{1,5}(?:[.,/]\d{1,3})?\Z")


def _in_word(char: str) -> bool:
    """Tell whether a letter is of a script that writes apostrophes."""
    return char.isalpha() and char < "\u2e80"


_ESCAPE: Final = late(
    r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})"
    r"|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}"
    r"|x(?!(?:[c-eC-E][0-9a-fA-F]|[fF][0-4])\\x[89abAB])([0-9a-fA-F]{2})|(.)|$)",
    re.DOTALL,
)
_JSON_ESCAPES: Final = {
    '"': '"',
    "\\": "\\",
    "/": "/",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
}
_SHARED_ESCAPES: Final = {"'": "'", "v": "\v"}
_CONTROL: Final = late(r"[\x00-\x1f]")


class EscapeError(ValueError):
    """Name an escape that has no reading, or more than one."""


def decoded(body: str, note: Callable[[str], None]) -> str:
    r"""Return what a string says; report the repairs that reading it took.

    Escapes that JSON lacks count only where JSON5 and Python agree: ``\'`` does, ``\d`` does not
    (a letter to one, two characters to the other). ``\xC3\xA9`` may be two letters, or the two
    bytes of one in UTF-8: it is refused.

    Raises:
        EscapeError: If an escape has no reading, or stands for half a character.
    """
    if _CONTROL.search(body):
        if "\n" in body or "\r" in body:
            note("raw_line_breaks")
        if _CONTROL.search(body.replace("\n", "").replace("\r", "")):
            note("raw_control_characters")
    if "\\" not in body:
        return body
    if '"' not in body.replace('\\"', ""):
        try:
            text: str = json.loads(f'"{body}"', strict=False)
        except ValueError:
            pass  # an escape that JSON lacks, or a quote behind two backslashes
        else:
            if text.isascii() or not _LONE.search(text):
                return text
    if len(body) > _MAX_IRREGULAR_CHARS:
        raise EscapeError("a long text holds escapes that JSON lacks")
    return _ESCAPE.sub(lambda match: _unescaped(match, note), body)


_LONE: Final = late(r"[\ud800-\udfff]")


def _unescaped(match: re.Match[str], note: Callable[[str], None]) -> str:
    high, low, code, code_in_braces, code_of_two, char = match.groups()
    if high:
        pair = ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00
        return chr(0x10000 + pair)
    if char in _JSON_ESCAPES:
        return _JSON_ESCAPES[char]
    if code or code_in_braces or code_of_two:
        number = int(code or code_in_braces or code_of_two, 16)
        if 0xD800 <= number <= 0xDFFF or number > 0x10FFFF:
            raise EscapeError(f"{match[0]} stands for half a character or none")
        if not code:
            note("lenient_escapes")
        return chr(number)
    if char in _SHARED_ESCAPES:
        note("lenient_escapes")
        return _SHARED_ESCAPES[char]
    raise EscapeError(
        f"{match[0]!r} is no escape in JSON" if char else "the text ends in an escape"
    )
