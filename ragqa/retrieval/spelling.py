"""Words of a question that the index does not know, read as the nearest ones that it does."""

from __future__ import annotations

from ragqa.retrieval import records
from ragqa.retrieval.analysis import QueryTerms
from ragqa.retrieval.text_index import View

_SHORTEST = 4  # letters; shorter words are too many other words' neighbours
_LONG = 8  # letters from which two slips are forgiven
_BEGINNING = 2  # letters that are taken to be right
_MOST_COMPARED = 5000
_FIELDS = (records.TEXT, records.TITLE, records.HEADING)


def corrected(view: View, terms: QueryTerms) -> QueryTerms:
    """Return the terms with those that no document holds replaced by what was probably meant.

    >>> distance("recieve", "receive", 2), distance("helth", "health", 2), distance("tea", "oak", 2)
    (1, 1, None)

    Args:
        view: The state of the index: its words are those that count as right.
        terms: What a question is searched by.
    """
    meant = {word: near for word in terms.words if (near := _meant(view, word))}
    if not meant:
        return terms
    words = dict.fromkeys(meant.get(word, word) for word in terms.words)
    pairs = dict.fromkeys(
        (meant.get(first, first), meant.get(second, second)) for first, second in terms.pairs
    )
    return QueryTerms(list(words), list(pairs))


def _meant(view: View, word: str) -> str | None:
    if len(word) < _SHORTEST or not (word.isascii() and word.isalpha()):
        return None
    if any(view.count(field, word) for field in _FIELDS):
        return None
    return _nearest(view, word)


def _nearest(view: View, word: str) -> str | None:
    most = 2 if len(word) >= _LONG else 1
    letters, shortest, longest = set(word), len(word) - most, len(word) + most
    near = [
        (apart, -count, known)
        for known, count in view.words(records.TEXT, word[:_BEGINNING], _MOST_COMPARED)
        if shortest <= len(known) <= longest
        and len(letters.symmetric_difference(known)) <= 2 * most
        and known.isalpha()
        and (apart := distance(word, known, most)) is not None
    ]
    return min(near)[2] if near else None


def distance(one: str, other: str, most: int) -> int | None:
    """Return how many letters are added, lost, changed or swapped; None if more than ``most``.

    Optimal string alignment, https://doi.org/10.1145/363958.363994.
    """
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, char in enumerate(one, start=1):
        row = [i]
        for j, known in enumerate(other, start=1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (char != known))
            if i > 1 and j > 1 and char == other[j - 2] and one[i - 2] == known:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return None
        before, last = last, row
    return last[-1] if last[-1] <= most else None
