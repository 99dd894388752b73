"""Ranks chunks: by words, by vectors, and both together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import tantivy

from ragqa.retrieval import queries
from ragqa.retrieval.analysis import QueryTerms
from ragqa.retrieval.queries import Scope
from ragqa.retrieval.text_index import View

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ragqa.retrieval.embedding import Matrix
    from ragqa.retrieval.vectors import Keys, Vectors

_CANDIDATES = 50
"""Chunks that are looked at more closely; 30, 50 and 100 ranked the tuning halves alike."""

_RRF_K = 60
"""As measured in https://plg.uwaterloo.ca/~gvcormac/cormacksigir09-rrf.pdf"""

_FIRST_STEP = 256
_STEP_GROWTH = 4


class Hit(NamedTuple):
    """A chunk that was found. Sorts best first, equal scores in the order of the index."""

    minus_score: float
    segment: int
    number: int

    @property
    def score(self) -> float:
        """How well it fits; more is better."""
        return -self.minus_score

    @property
    def address(self) -> tantivy.DocAddress:
        """Where the index holds it."""
        return tantivy.DocAddress(self.segment, self.number)


def _hit(score: float, address: tantivy.DocAddress) -> Hit:
    return Hit(-score, address.segment_ord, address.doc)


def by_words(view: View, terms: QueryTerms, scopes: Sequence[Scope], k: int) -> list[Hit]:
    """Rank chunks by BM25 of the words, then the best of them by neighbouring words, too."""
    if not terms.words:
        return []
    query = queries.words_query(terms.words)
    ranked = [
        hit
        for scope in scopes
        for hit in _scaled(_with_pairs(view, scope.limit(query), terms, k), scope.factor)
    ]
    return sorted(ranked)[: max(k, _CANDIDATES)]


def _with_pairs(view: View, query: tantivy.Query, terms: QueryTerms, k: int) -> list[Hit]:
    found = view.hits(query, max(k, _CANDIDATES))
    scores = {(a.segment_ord, a.doc): score for score, a in found}
    if terms.pairs and len(found) > 1:
        keys = view.keys([address for _, address in found])
        for score, a in view.hits(queries.pairs_query(terms.pairs, keys), len(found)):
            if (a.segment_ord, a.doc) in scores:  # a chunk of equal text may share the key
                scores[a.segment_ord, a.doc] += score
    return [Hit(-score, *place) for place, score in scores.items()]


def by_vector(
    view: View, vectors: Vectors, query: Matrix, scopes: Sequence[Scope], k: int
) -> list[Hit]:
    """Rank chunks by the cosine of their vectors, exactly."""
    scores = vectors.scores(query)
    ranked = [
        hit
        for scope in scopes
        for hit in _scaled(_nearest(view, vectors.keys, scores, scope, k), scope.factor)
    ]
    return sorted(ranked)[: max(k, _CANDIDATES)]


def _nearest(view: View, keys: Keys, scores: Matrix, scope: Scope, k: int) -> list[Hit]:
    """Ask the index, nearest first, which vectors are of chunks in scope."""
    wanted = max(k, _CANDIDATES)
    hits: list[Hit] = []
    for nearest in _nearest_first(scores):
        score_of = dict(zip(keys[nearest].tolist(), scores[nearest].tolist(), strict=True))
        found = view.all_hits(scope.limit(queries.with_keys(list(score_of))))
        found_keys = view.keys(found)
        hits += [_hit(score_of[key], at) for key, at in zip(found_keys, found, strict=True)]
        if len(hits) >= wanted:
            break
    return sorted(hits)[:wanted]


def _nearest_first(scores: Matrix) -> Iterator[NDArray[np.intp]]:
    """Yield the rows in the order of their scores: first a few, then ever more."""
    import numpy as np

    count, step = len(scores), _FIRST_STEP
    top = np.argpartition(-scores, step)[:step] if count > step else np.arange(count)
    yield top[np.argsort(-scores[top], kind="stable")]
    if count > step:
        order = np.argsort(-scores, kind="stable")
        rest = order[~np.isin(order, top)]
        while len(rest):
            step *= _STEP_GROWTH
            yield rest[:step]
            rest = rest[step:]


def fused(*rankings: Iterable[Hit]) -> list[Hit]:
    """Fuse rankings by reciprocal rank: what several of them place high comes first."""
    scores: dict[tuple[int, int], float] = {}
    for ranking in rankings:
        for rank, hit in enumerate(ranking, start=1):
            place = (hit.segment, hit.number)
            scores[place] = scores.get(place, 0.0) + 1 / (_RRF_K + rank)
    return sorted(Hit(-score, *place) for place, score in scores.items())


def _scaled(hits: Iterable[Hit], factor: float) -> Iterable[Hit]:
    for hit in hits:  # a cosine may be below 0: a boost must not push it further down
        by = factor if hit.minus_score <= 0 else 1 / factor
        yield hit._replace(minus_score=hit.minus_score * by)
