"""Look figures up in texts, the cheap ways first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache

from ragqa.grounding.figures.figure import Figure, FigureSet
from ragqa.grounding.figures.implied import implied
from ragqa.grounding.figures.numerals import HAN_NUMERALS
from ragqa.grounding.figures.scan import figures
from ragqa.language.late import late

# What may not stand beside a figure that is found word by word: it would be part of a longer one.
_BEFORE = late(rf"(?:[0-9A-Za-z{HAN_NUMERALS}第几幾数數.−-]|[0-9][,/:])$")
# A scale, a power or "per" behind a figure makes another one of it: €5 million, 60 m², 5 km/h.
_AFTER = late(
    rf"[0-9A-Za-z%％‰²³{HAN_NUMERALS}半多余]|[.,/:-][0-9]|[-/][A-Za-z]|分之|折"
    r"|[ \u00a0-](?:hundred|thousand|million|billion|trillion|mn|bn|lakh|crore|dozen)\b"
)
_HALF = late(r"\bhalf\b|一半|半数|半價|半价", re.IGNORECASE)


@lru_cache(maxsize=512)
def figure_set(text: str) -> FigureSet:
    """Return what a text says in figures, or in words for figures, as a set.

    The same passages come up again and again.
    """
    return FigureSet.of((*figures(text), *implied(text)))


def stands(piece: str, text: str) -> bool:
    """Tell whether a piece stands in a text by itself, not as part of a longer figure or word.

    >>> stands("5 days", "within 15 days"), stands("5 days", "within 5 days.")
    (False, True)
    """
    at = text.find(piece)
    while at >= 0:
        end = at + len(piece)
        if not _BEFORE.search(text[max(0, at - 2) : at]) and not _AFTER.match(text, end):
            return True
        at = text.find(piece, at + 1)
    return False


def _says(text: str, figure: Figure) -> bool:
    """Tell whether a text holds a figure word by word; half of something is 50 % of it."""
    if stands(figure.text, text):
        return True
    halved = figure.unit == "percent" and ("percent", Fraction(1, 2)) in figure.keys
    return halved and _HALF.search(text) is not None


def missing(found: Iterable[Figure], texts: Sequence[str]) -> list[Figure]:
    """Return the figures that none of the texts bears out.

    The parts of a date or of "1 200" may stand in different texts.
    """
    left = [each for each in found if not any(_says(text, each) for text in texts)]
    for text in texts:
        if not left:
            return []
        standing = figure_set(text)
        left = [each for each in left if not standing.supports(each)]
    if not any(each.parts for each in left):
        return left
    joined = FigureSet.of(each for text in texts for each in (*figures(text), *implied(text)))
    return [each for each in left if not joined.supports(each)]
