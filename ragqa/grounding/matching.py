"""How nearly the passages that were retrieved hold the terms of a question."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from ragqa.contract import Passage
from ragqa.grounding.asked import Asked
from ragqa.grounding.reading import ReadSentence, beginnings, read_sentences
from ragqa.language import content_terms, likeness

_EXTENSION = re.compile(r"\.\w{1,5}$")

Shares = tuple[float, ...]
"""How nearly each term of the question was found, in the order of its terms."""


class MatchedSentence(NamedTuple):
    """A sentence, and how nearly it holds the terms of the question."""

    of: ReadSentence
    found: Shares


@dataclass(frozen=True, slots=True)
class MatchedPassage:
    """A passage that was read: its sentences, and what its title and heading hold."""

    passage: Passage
    rank: int
    sentences: list[MatchedSentence]
    above: Shares
    titled: bool
    whole: Shares


def match(what: Asked, passage: Passage, rank: int) -> MatchedPassage:
    """Return a passage, read for the terms of the question."""
    # Where the question has no Chinese, a document's need not be cut: no dictionary is loaded.
    segment = bool(what.characters)
    titled, named, begun = _above(passage.title, passage.heading, segment)
    above = _found(what, named, begun)
    read = [
        MatchedSentence(one, _found(what, one.known, one.beginnings))
        for one in read_sentences(passage.text, segment=segment)
    ]
    whole = union(above, *(found for _, found in read))
    return MatchedPassage(
        passage, rank, read, above, bool(titled) and what.weights.keys() >= titled, whole
    )


@lru_cache(maxsize=1024)  # the passages of a document share them
def _above(
    title: str, heading: str, segment: bool
) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Return the terms of a title, these with those of the heading, and how the latter begin."""
    titled = frozenset(content_terms(_EXTENSION.sub("", title), segment=segment))
    named = titled.union(content_terms(heading, segment=segment))
    return titled, named, beginnings(named)


def _found(what: Asked, terms: frozenset[str], begun: frozenset[str]) -> Shares:
    return tuple(
        [likeness(term, terms) if start in begun else 0.0 for term, start in what.beginnings]
    )


def union(*shares: Shares) -> Shares:
    """Return the best of several places for each term."""
    return tuple(map(max, *shares)) if len(shares) > 1 else shares[0]
