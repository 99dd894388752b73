"""Ranks chunks: by words, by vectors, and both together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import tantivy

from ragqa.retrieval import queries, records
from ragqa.retrieval.analysis import QueryTerms
from ragqa.retrieval.faults import damaged
from ragqa.retrieval.queries import Scope
from ragqa.retrieval.text_index import View

if TYPE_CHECKING:
    from ragqa.retrieval.embedding import Matrix
    from ragqa.retrieval.vectors import Positions, Vectors

_CANDIDATES = 20
"""Chunks that are looked at more closely; 20, 30 and 50 ranked the tuning halves alike."""

FUSED = 50
"""Places of either ranking that are fused."""

_RRF_K = 5
"""https://plg.uwaterloo.ca/~gvcormac/cormacksigir09-rrf.pdf takes 60, where many rankings are
fused. Of two, what one puts first should not fall behind what both put tenth: on 3,000 questions
apart from those reported on, recall@5 was 0.979 instead of 0.977 in English, 0.994 instead of
0.988 in Chinese."""

_FEW = 5000  # chunks that are scored one by one
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


def by_words(view: View, terms: QueryTerms, scopes: Sequence[Scope], n: int) -> list[Hit]:
    """Return the ``n`` best chunks by BM25 of their words and of neighbouring words."""
    if not terms.words:
        return []
    query = queries.words_query(terms.words)
    ranked = [
        hit
        for scope in scopes
        for hit in _scaled(_with_pairs(view, scope.limit(query), terms, n), scope.factor)
    ]
    return sorted(ranked)[:n]


def _with_pairs(view: View, query: tantivy.Query, terms: QueryTerms, n: int) -> list[Hit]:
    found = view.hits(query, max(n, _CANDIDATES))
    scores = {(a.segment_ord, a.doc): score for score, a in found}
    if terms.pairs and len(found) > 1:
        keys = view.keys([address for _, address in found])
        for score, a in view.hits(queries.pairs_query(terms.pairs, keys), len(found)):
            if (a.segment_ord, a.doc) in scores:  # a chunk of equal text may share the key
                scores[a.segment_ord, a.doc] += score
    return [Hit(-score, *place) for place, score in scores.items()]


def by_vector(
    view: View, vectors: Vectors, query: Matrix, scopes: Sequence[Scope], n: int
) -> list[Hit]:
    """Return the ``n`` best chunks by the cosine of their vectors, exactly."""
    scores = vectors.scores(query)
    ranked = [
        hit
        for scope in scopes
        for hit in _scaled(_nearest(view, vectors, scores, scope, n), scope.factor)
    ]
    return sorted(ranked)[:n]


def _nearest(view: View, vectors: Vectors, scores: Matrix, scope: Scope, n: int) -> list[Hit]:
    """Score the chunks in scope where they are few, else look for the nearest that are in it."""
    chunks = scope.limit(queries.of_kind(records.CHUNK))
    if scope.inside and view.total(chunks) <= _FEW:
        return _hits(view, vectors, scores, chunks)
    hits: list[Hit] = []
    for nearest in _nearest_first(scores):
        keys = queries.with_keys(vectors.keys[nearest].tolist())
        hits += _hits(view, vectors, scores, scope.limit(keys))
        if len(hits) >= n:
            break
    return sorted(hits)[:n]


def _hits(view: View, vectors: Vectors, scores: Matrix, query: tantivy.Query) -> list[Hit]:
    import numpy as np

    found = view.all_hits(query)
    rows = vectors.positions(np.array(view.keys(found), dtype=np.uint64))
    if rows is None:
        raise damaged(view.folder)
    return [_hit(score, at) for score, at in zip(scores[rows].tolist(), found, strict=True)]


def _nearest_first(scores: Matrix) -> Iterator[Positions]:
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
