"""Rows of a table that answer alike: put in order, and told apart."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ragqa.grounding import Asked, Candidate
from ragqa.grounding.readable import cells, subject_of
from ragqa.language import content_terms
from ragqa.language.late import late
from ragqa.language.script import HAN_RUN

_AS_GOOD = 0.3  # less than any word of the question adds: only the search told them apart
_MOST = 3
_BEHIND = late(r"\s(?:for|of|with|from|to|in)\s|[,，(（]", re.IGNORECASE)
_UNIT_CHARS = 2  # of "hose 25 m"


def by_leading_column(question: Asked, ranked: list[Candidate]) -> list[Candidate]:
    """Put first the row that is about what was asked, of rows of a table that are as good.

    A price list names its products in front. A rain cover in a note behind is no product of its
    own, and the price in that row is another's. Nor is the filter of a kettle the kettle.
    """
    best = ranked[0]
    if not cells(best.text):
        return ranked
    near = [
        (*place, -other.score, other)
        for other in (best, *_of_document(best, ranked))
        if best.score - other.score <= _AS_GOOD and (place := _place(other, question))
    ]
    first = min(near, key=lambda row: row[:3])[3]
    return [first, *(other for other in ranked if other is not first)]


def _place(candidate: Candidate, question: Asked) -> tuple[int, bool] | None:
    """Return which column says what a row is about, and whether that is another thing's part."""
    pairs = cells(candidate.text)
    if not pairs:
        return None
    subject = subject_of(pairs, question)
    return pairs.index(subject), not _names_asked(subject[1], question)


def _names_asked(name: str, question: Asked) -> bool:
    """Tell whether a name is one of what was asked for: its last word says what it is.

    "Filter for kettle" names no kettle, nor does 水壶滤网.
    """
    head = _BEHIND.split(name, maxsplit=1)[0]
    if runs := HAN_RUN.findall(head):
        return any(runs[-1].endswith(term) for term in question.weights)
    words = [term for term in content_terms(head) if term.isalpha() and len(term) > _UNIT_CHARS]
    return bool(words) and words[-1] in question.weights


def rows_alike(question: Asked, ranked: list[Candidate]) -> tuple[list[Candidate], frozenset[str]]:
    """Return the best row with those on the same thing that are as good, and what parts them.

    A product in two colours has two rows, and the stock of one is not that of the other. Without
    a column of words in which they differ there is only the best row.
    """
    best = ranked[0]
    pairs = cells(best.text)
    if len(pairs) <= 2:
        return [best], frozenset()
    subject = subject_of(pairs, question)
    others = [other for other in _of_document(best, ranked) if subject in cells(other.text)]
    columns = frozenset(_telling_apart([dict(cells(row.text)) for row in (best, *others)]))
    near = [other for other in others if best.score - other.score <= _AS_GOOD]
    return ([best, *near][:_MOST] if columns else [best]), columns


def _of_document(best: Candidate, ranked: Iterable[Candidate]) -> Iterable[Candidate]:
    """Yield what else says something in the same document, best first."""
    return (
        other for other in ranked if other.passage.id == best.passage.id and other.text != best.text
    )


def _telling_apart(rows: list[dict[str, str]]) -> Iterable[str]:
    """Yield the columns of words, not of figures, in which rows differ."""
    for column in rows[0]:
        values = {row.get(column, "") for row in rows}
        if len(values) > 1 and all(any(map(str.isalpha, value)) for value in values):
            yield column
