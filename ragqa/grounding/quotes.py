"""Find the quotes that stand behind an answer: verbatim slices of the passages, by construction."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from ragqa.contract import Citation, Passage
from ragqa.grounding.figures import figures
from ragqa.grounding.names import holds, names
from ragqa.grounding.reading import begins, read_sentences
from ragqa.language import content_terms, language_of, likeness, rarity, sentences

_LEAST_SHARE = 0.25
"""A quote that holds less of a sentence than a quarter does not support it."""

_FEW = 6
"""So many slices are looked at for figures and names."""

_MANY = 300
"""So many where no word tells which: in passages of usual length, all of them."""

_CLAUSES = re.compile(r",?\s+(?:and|but|while|whereas)\s+|[;；]\s*|，(?:而|且|并且|但)?")
_MAX_CLAUSES = 4

_MARK = re.compile(r"\s?[\[【]\d{1,2}[\]】]")  # how writers refer to numbered passages


@dataclass(frozen=True, slots=True)
class Quote:
    """A slice of a passage that supports a sentence.

    ``text`` is exactly ``passage.text[start:end]``; ``verified`` says that it holds the figures
    and names of the sentence.
    """

    passage: Passage
    start: int
    end: int
    text: str
    verified: bool

    def citation(self) -> Citation:
        """Return the quote with its offsets in the document."""
        return cite(self.passage, self.start, self.end, verified=self.verified)


def cite(passage: Passage, start: int, end: int, *, verified: bool) -> Citation:
    """Return a citation of ``passage.text[start:end]``."""
    return Citation(
        title=passage.title,
        id=passage.id,
        path=passage.path,
        page=passage.page,
        quote=passage.text[start:end],
        start=passage.start + start,
        end=passage.start + end,
        verified=verified,
    )


def locate(sentence: str, passages: Sequence[Passage]) -> Quote | None:
    """Return the quote that supports a sentence best; None where none does.

    That is the sentence of the passages, or two neighbouring ones, that holds most of it, and
    its figures and names where any does.
    """
    plain = _MARK.sub("", sentence)
    weighed = _weighed(plain)
    if not weighed:
        return _verbatim(plain.strip(), passages)
    nearest = _nearest(weighed, passages)
    for near in nearest:
        if holds(near.text, plain):
            return near.quote(verified=True)
    measured = _by_measures(plain, weighed, passages)
    if measured is not None:
        return measured.quote(verified=True)
    return nearest[0].quote(verified=False) if nearest else None


_Weighed = tuple[str, str, float]
"""A term, how it begins, and how much it tells."""


@dataclass(frozen=True, slots=True)
class _Near:
    """A slice of a passage and the share of a sentence that it holds."""

    passage: Passage
    start: int
    end: int
    share: float
    size: int

    @property
    def text(self) -> str:
        return self.passage.text[self.start : self.end]

    def quote(self, *, verified: bool) -> Quote:
        return Quote(self.passage, self.start, self.end, self.text, verified)


def _nearest(weighed: list[_Weighed], passages: Sequence[Passage]) -> list[_Near]:
    """Return the few slices that hold most of a sentence, the best first.

    Of equal ones the shorter comes first, then the one of the better passage.
    """
    total = sum(weight for _, _, weight in weighed)
    if not total:  # only words that tell nothing, like the 有 of "有，12欧元"
        return []
    near = [
        _Near(passage, start, end, round(share, 2), len(terms))
        for passage in passages
        for start, end, terms, beginnings in _slices(passage.text)
        if (share := _held(weighed, terms, beginnings) / total) >= _LEAST_SHARE
    ]
    near.sort(key=lambda slice_: (-slice_.share, slice_.size))
    return near[:_FEW]


def _by_measures(
    sentence: str, weighed: list[_Weighed], passages: Sequence[Passage]
) -> _Near | None:
    """Find what holds the measures of a sentence whose words stand nowhere: 两年 for "two years".

    In the sentence's own language one of its words has to stand there, too.
    """
    said = (figure.kind for figure in figures(sentence) if not figure.loose)
    if not set(said) - {"name", "number"}:
        return None
    language = language_of(sentence)
    found = [
        _Near(passage, start, end, round(share, 2), len(terms))
        for passage in passages
        for start, end, terms, beginnings in _slices(passage.text)
        if (share := _held(weighed, terms, beginnings))
        or language_of(passage.text[start:end]) != language
    ]
    found.sort(key=lambda slice_: (-slice_.share, slice_.size))
    return next((near for near in found[:_MANY] if holds(near.text, sentence)), None)


def citations_for(answer: str, passages: Sequence[Passage]) -> tuple[Citation, ...]:
    """Return a citation for each sentence of an answer, in its order, none twice.

    A sentence that nothing in the passages supports gets none. A quote that stands for several
    sentences is verified only if it holds the figures and names of all of them.
    """
    found: dict[tuple[str, int | None, int, int], Citation] = {}
    for start, end in sentences(answer):
        for quote in located(answer[start:end], passages):
            citation = quote.citation()
            key = (citation.id, citation.page, citation.start, citation.end)
            known = found.get(key)
            if known is None or known.verified:
                found[key] = citation
    return tuple(found.values())


def located(sentence: str, passages: Sequence[Passage]) -> tuple[Quote, ...]:
    """Return the quote that supports a sentence, or one for each of its clauses.

    A sentence may draw on two places: "The K2 holds 1.7 litres and the L4 costs 199 euros". If no
    quote holds it whole, and each clause has one that holds it, those stand for the sentence.
    """
    whole = locate(sentence, passages)
    if whole is None or whole.verified:
        return () if whole is None else (whole,)
    plain = " ".join(_MARK.sub("", sentence).split())  # a search for clauses backs up in long runs
    return _by_clauses(plain, passages) or (whole,)


def _by_clauses(sentence: str, passages: Sequence[Passage]) -> tuple[Quote, ...]:
    """Return the quote nearest to each clause; none where one does not hold its clause.

    A clause without a name goes on about one of the sentence's: so its quote has to name one.
    """
    clauses = _CLAUSES.split(sentence)
    if not 1 < len(clauses) <= _MAX_CLAUSES:
        return ()
    named = names(sentence)
    quotes: list[Quote] = []
    for clause in clauses:
        nearest = next(iter(_nearest(_weighed(clause), passages)), None)
        if nearest is None or not holds(nearest.text, clause):
            return ()
        if named and not any(holds(nearest.text, name) for name in named):
            return ()
        quotes.append(nearest.quote(verified=True))
    return tuple(quotes)


def _weighed(text: str) -> list[_Weighed]:
    terms = dict.fromkeys(content_terms(text))
    return [(term, begins(term), rarity(term)) for term in terms]


def _held(weighed: list[_Weighed], terms: frozenset[str], beginnings: frozenset[str]) -> float:
    """Return how much of a sentence's words a slice holds, one or the like of it."""
    held = 0.0
    for term, beginning, weight in weighed:
        if beginning in beginnings:  # else nothing there is like it
            held += weight if term in terms else weight * likeness(term, terms)
    return held


def _verbatim(text: str, passages: Sequence[Passage]) -> Quote | None:
    """Find a text without telling words, such as 是, word for word."""
    for passage in passages if text else ():
        at = passage.text.find(text)
        if at >= 0:
            return Quote(passage, at, at + len(text), text, verified=True)
    return None


Slice = tuple[int, int, frozenset[str], frozenset[str]]
"""Start, end, terms, and the beginnings of the terms."""


@lru_cache(maxsize=512)  # a service retrieves the same passages again and again
def _slices(text: str) -> tuple[Slice, ...]:
    """Return the sentences of a passage and each two neighbouring ones, with their terms."""
    single = [(one.start, one.end, one.known, one.beginnings) for one in read_sentences(text)]
    return (*single, *_doubles(single))


def _doubles(single: list[Slice]) -> Iterator[Slice]:
    for (start, _, first, begun), (_, end, second, begun_too) in pairwise(single):
        yield start, end, first | second, begun | begun_too
