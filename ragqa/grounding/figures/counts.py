"""Whether a text counts the same things differently."""

from __future__ import annotations

from collections.abc import Iterable

from ragqa.grounding.figures.figure import Figure
from ragqa.grounding.figures.scan import figures
from ragqa.language.late import late
from ragqa.language.script import HAN

_ENGLISH = late(r"[ -]([A-Za-z]{3,30})")
_CHINESE = late(rf"([{HAN}])([{HAN}]{{2}})")


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


_TELLS_NOTHING = _listed(
    """
    more other others different main kind kinds type types way ways thing things new old large
    small big great further additional separate and but for the with from per that which
    """
)


_TIMES = _listed("once twice thrice")


def counted(text: str, figure: Figure) -> str:
    """Return what a figure counts: the word behind it, or the two characters behind 个 or 种.

    >>> from ragqa.grounding.figures import figures
    >>> counted("It has two handles.", figures("It has two handles.")[0])
    'handle'
    """
    if figure.text.lower() in _TIMES:
        return "time"
    if match := _ENGLISH.match(text, figure.end):
        word = match[1].lower()
        return "" if word in _TELLS_NOTHING else word.removesuffix("s")
    chinese = _CHINESE.match(text, figure.end)
    return chinese.group() if chinese else ""


def contradicted(figure: Figure, text: str, others: Iterable[str]) -> bool:
    """Tell whether other texts count the same thing, and none as the figure of this text does."""
    thing = counted(text, figure) if figure.kind == "number" else ""
    is_article = figure.numbers == (1,) and figure.text.lower() not in _TIMES
    if not thing or is_article:  # one and 一 are articles, too
        return False
    numbers = [
        other.numbers
        for each in others
        for other in figures(each)
        if other.numbers and counted(each, other) == thing
    ]
    said = set(figure.numbers)
    return bool(numbers) and all(said.isdisjoint(other) for other in numbers)
