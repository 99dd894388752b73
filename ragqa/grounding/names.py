"""Proper names of a sentence, and whether a quote holds what a sentence says of figures and names.

>>> holds("The K17 kettle holds 1,700 ml.", "It is 1.7 litres for the K17.")
True
"""

from __future__ import annotations

import calendar
from collections.abc import Iterator, Sequence
from functools import lru_cache

from ragqa.grounding.figures import Figure, figures, missing, plain_digits
from ragqa.grounding.figures.codes import stands_ungrouped
from ragqa.grounding.figures.moments import MONTH_WORDS
from ragqa.language import is_function_word
from ragqa.language.late import late

# A name in quotes is short; a longer run is a sentence that somebody says.
_QUOTED = late(
    r"《([^《》\n]{1,40})》|「([^「」\n]{1,30})」|『([^『』\n]{1,30})』|“([^“”\n]{1,40})”"
    r"|(?<![A-Za-z0-9])\"([^\"\n]{1,40})\""
)
_CAPITALISED = r"[A-ZÀ-ÖØ-Þ][A-Za-zÀ-ɏ]*(?:['’-][A-Za-zÀ-ɏ]+)*"
_RUN = late(rf"{_CAPITALISED}(?: (?:(?:of|the|de|von|van|da|di|&) )?{_CAPITALISED})*")
_OPENERS = frozenset(".!?:;。！？：；\n\"“'‘(（")
_INSIDE = late(r"[a-z,] ([A-ZÀ-ÖØ-Þ][a-zà-ɏ]+)")
_WORDS = late(r"[^\W_]+")
_DAYS = frozenset(name.lower() for name in (*calendar.day_name, *calendar.day_abbr))
_NOT_NAMES = MONTH_WORDS | _DAYS | {"i", "ok", "yes", "no", "am", "pm"}


def names(text: str) -> tuple[str, ...]:
    """Return the names in a text: capitalised words, quoted titles, model numbers.

    A capitalised word that opens a sentence only counts where more speaks for a name.
    """
    found = dict.fromkeys(_quoted(text))
    said = figures(text)
    measures = [figure.span for figure in said if figure.kind not in ("name", "number")]
    found |= dict.fromkeys(
        name
        for at, name in _capitalised(text)
        if not any(
            start <= at and at + len(name) <= end for start, end in measures
        )  # degrees Celsius, 5 Mbit
    )
    found |= dict.fromkeys(figure.text for figure in said if figure.kind == "name")
    return tuple(found)


def _quoted(text: str) -> Iterator[str]:
    for match in _QUOTED.finditer(text):
        yield next(group for group in match.groups() if group is not None).strip()


def _capitalised(text: str) -> Iterator[tuple[int, str]]:
    """Yield names and where their run of words begins."""
    inside = frozenset(_INSIDE.findall(text))
    for match in _RUN.finditer(text):
        words = match.group().split(" ")
        opening = _opens(text, match.start()) and words[0][1:].islower()
        first = int(opening and words[0] not in inside)
        while first < len(words) and _is_no_name(words[first].lower()):
            first += 1
        name = " ".join(words[first:])
        if len(name) > 1:
            yield match.start(), name


def _is_no_name(word: str) -> bool:
    return word in _NOT_NAMES or is_function_word(word)


def _opens(text: str, at: int) -> bool:
    """Tell whether a sentence begins here, so that its capital says nothing."""
    before = text[max(0, at - 3) : at].rstrip(" \t")
    return not before or before[-1] in _OPENERS


def holds(quotes: str | Sequence[str], sentence: str) -> bool:
    """Tell whether quotes hold all figures and names of a sentence.

    A word that only counts ("two handles") is the writer's own and need not stand in them.
    """
    texts = (quotes,) if isinstance(quotes, str) else tuple(quotes)
    needed, named = _claims(sentence)
    lacking = missing(needed, texts) if needed else []
    if not all(stands_ungrouped(figure, sentence, texts) for figure in lacking):
        return False
    if not named:
        return True
    standing = frozenset().union(*map(_compared, texts))
    return all(_compared(name) <= standing for name in named) or all(
        _squeezed(name) in _squeezed(" ".join(texts)) for name in named
    )


@lru_cache(maxsize=128)
def _claims(sentence: str) -> tuple[tuple[Figure, ...], tuple[str, ...]]:
    """Return the figures and names of a sentence, which many quotes are held against."""
    return tuple(each for each in figures(sentence) if not each.loose), names(sentence)


@lru_cache(maxsize=512)
def _compared(text: str) -> frozenset[str]:
    """Return the words of a name or a quote without case, plural and possessive."""
    return frozenset(map(_singular, _WORDS.findall(plain_digits(text).casefold())))


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _squeezed(text: str) -> str:
    return "".join(_WORDS.findall(plain_digits(text).casefold()))
