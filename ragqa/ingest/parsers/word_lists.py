"""The numbers that Word writes before the items of lists: they stand in no text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from ragqa.ingest.parsers.word_text import W

if TYPE_CHECKING:
    from docx.document import Document

_UNORDERED = frozenset({"bullet", "none", ""})
_DIGITS = 6
"""No list is so long that its numbers have so many digits."""


class Place(NamedTuple):
    """Which list an item belongs to, and how deep it stands in it."""

    list_id: str
    depth: int


def place_of(properties: Any, inherited: Place | None = None) -> Place | None:
    """Return the place in a list that a paragraph's or a style's properties give it.

    Args:
        properties: These.
        inherited: The place that its style gives it.
    """
    numbering = properties.find(f"{W}numPr")
    if numbering is None:
        return inherited
    depth = _value(numbering.find(f"{W}ilvl")) or "0"
    list_id = _value(numbering.find(f"{W}numId")) or (inherited.list_id if inherited else "")
    return Place(list_id, _number(depth))


def is_item(place: Place | None) -> bool:
    """Tell whether a place is one in a list: 0 takes an item out of the list of its style."""
    return place is not None and place.list_id != "0"


class ListNumbers:
    """Counts the items of lists that have an order.

    Args:
        document: As python-docx reads it.
    """

    def __init__(self, document: Document) -> None:
        self._first = dict(_ordered(document))
        self._counts: dict[Place, int] = {}

    def next(self, place: Place) -> int | None:
        """Return the number of the next item at a place; None where items have none."""
        for deeper in [each for each in self._counts if each.depth > place.depth]:
            if deeper.list_id == place.list_id:  # an item above begins the lists below it anew
                del self._counts[deeper]
        if place not in self._first:
            return None
        number = self._counts.get(place, self._first[place] - 1) + 1
        self._counts[place] = number
        return number


def _ordered(document: Document) -> Iterator[tuple[Place, int]]:
    """Yield the places at which items have numbers or letters, each with its first number."""
    numbering = _numbering(document)
    if numbering is None:
        return
    kinds: dict[str, list[tuple[int, int]]] = {}
    for kind in numbering.iter(f"{W}abstractNum"):
        kinds[str(kind.get(f"{W}abstractNumId"))] = [
            (_number(level.get(f"{W}ilvl")), _number(_value(level.find(f"{W}start")), 1))
            for level in kind.iter(f"{W}lvl")
            if _value(level.find(f"{W}numFmt")) not in _UNORDERED
        ]
    for one in numbering.iter(f"{W}num"):
        for depth, first in kinds.get(_value(one.find(f"{W}abstractNumId")), ()):
            yield Place(str(one.get(f"{W}numId")), depth), first


def _numbering(document: Document) -> Any:
    for relation in document.part.rels.values():
        if relation.reltype.endswith("/numbering") and not relation.is_external:
            from docx.oxml import parse_xml

            return parse_xml(relation.target_part.blob)
    return None


def _value(element: Any) -> str:
    return "" if element is None else str(element.get(f"{W}val") or "")


def _number(text: str | None, default: int = 0) -> int:
    return int(text) if text and text.isdecimal() and len(text) < _DIGITS else default
