"""Small real rankings: words by BM25, vectors by cosine, both by reciprocal rank, and captions.

Scores lie where the service's lie: words without an upper end, vectors from 0.33 to 1, both
together a few hundredths, the semantic ranker's from 0 to 4.
Source: https://learn.microsoft.com/azure/search/hybrid-search-ranking
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import rjieba
import Stemmer

from tests.wire.azure.search_refusals import JsonObject

_K1, _B = 1.2, 0.75
_RRF = 60
_HAN = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[^\W_]+(?:['’.][^\W_]+)*")
_STOP = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be but by for if in into is it no not of on or such that the their "
        "then there these they this to was will with",
    )
)


@cache
def _stem(word: str) -> str:
    return str(Stemmer.Stemmer("english").stemWord(word))


def tokens(text: str, analyzer: str) -> list[str]:
    """Return the terms that an analyzer makes of a text."""
    found: list[str] = []
    for word in _WORD.findall(text.lower()):
        if not _HAN.search(word):
            found.append(word)
        elif analyzer.startswith("zh"):
            found += [part for part in rjieba.cut_for_search(word) if part.strip()]
        else:
            found += list(word)  # the standard tokenizer makes a term of each character
    if analyzer.startswith("en"):
        return [_stem(word.removesuffix("'s")) for word in found if word not in _STOP]
    return found


class Words:
    """The inverted index of one field."""

    def __init__(self, analyzer: str) -> None:
        self.analyzer = analyzer
        self.terms: dict[str, dict[str, int]] = {}
        self.lengths: dict[str, int] = {}

    def put(self, key: str, text: Any) -> None:
        self.drop(key)
        joined = " ".join(text) if isinstance(text, list) else str(text or "")
        counts = Counter(tokens(joined, self.analyzer))
        if not counts:
            return
        self.lengths[key] = counts.total()
        for term, count in counts.items():
            self.terms.setdefault(term, {})[key] = count

    def drop(self, key: str) -> None:
        if self.lengths.pop(key, None) is not None:
            for found in self.terms.values():
                found.pop(key, None)

    def scores(self, words: Iterable[str]) -> dict[str, float]:
        scores: dict[str, float] = {}
        total = len(self.lengths)
        mean = sum(self.lengths.values()) / total if total else 1.0
        for word in words:
            for term in dict.fromkeys(tokens(word, self.analyzer)):
                found = self.terms.get(term, {})
                rarity = math.log(1 + (total - len(found) + 0.5) / (len(found) + 0.5))
                for key, count in found.items():
                    norm = _K1 * (1 - _B + _B * self.lengths[key] / mean)
                    scores[key] = scores.get(key, 0.0) + rarity * count * (_K1 + 1) / (count + norm)
        return scores


def by_words(text: str, weighed: Sequence[tuple[Words, float]], mode: str) -> dict[str, float]:
    """Return the keys that hold a word of a query in the simple syntax, with their scores.

    Args:
        text: The query.
        weighed: The fields, each with what it counts.
        mode: Whether a document needs ``all`` of the words or ``any``.
    """
    required, optional, banned = simple_query(text)
    fields = [words for words, _ in weighed]
    total: Counter[str] = Counter()
    for words, weight in weighed:
        scores = words.scores([*required, *optional])
        total.update({key: weight * score for key, score in scores.items()})
    held = {w: set().union(*(f.scores([w]).keys() for f in fields)) for w in (*required, *banned)}
    needed = [*required, *(optional if mode == "all" else [])]
    for word in needed:
        keep = set().union(*(f.scores([word]).keys() for f in fields))
        total = Counter({key: score for key, score in total.items() if key in keep})
    gone = set().union(*(held[word] for word in banned)) if banned else set()
    return {key: score for key, score in total.items() if key not in gone}


def simple_query(text: str) -> tuple[list[str], list[str], list[str]]:
    """Take a query of the simple syntax apart: required, optional and excluded words.

    A backslash takes an operator for what it is.
    """
    required: list[str] = []
    optional: list[str] = []
    banned: list[str] = []
    for part in re.findall(r"(?:\\.|\S)+", text):
        plain = re.sub(r"\\(.)", r"\1", part)
        if part.startswith("-") and len(part) > 1:
            banned.append(plain[1:])
        elif part.startswith("+") and len(part) > 1:
            required.append(plain[1:])
        else:
            optional.append(plain)
    return required, optional, banned


def by_vector(
    vector: Sequence[float], held: Mapping[str, Sequence[float]], k: int
) -> dict[str, float]:
    """Return the k nearest keys; the score of a cosine c is 1 / (2 - c)."""
    scores = {key: 1 / (2 - _cosine(vector, other)) for key, other in held.items()}
    return dict(sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:k])


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    dot = sum(a * b for a, b in zip(one, other, strict=True))
    length = math.hypot(*one) * math.hypot(*other)
    return dot / length if length else 0.0


def fused(rankings: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return rankings fused by reciprocal rank."""
    scores: dict[str, float] = {}
    for ranking in rankings:
        ordered = sorted(ranking.items(), key=lambda item: (-item[1], item[0]))
        for rank, (key, _) in enumerate(ordered):
            scores[key] = scores.get(key, 0.0) + 1 / (_RRF + rank + 1)
    return scores


def semantic(question: str, document: JsonObject, fields: Sequence[str]) -> tuple[float, str]:
    """Return the reranker's score, 0 to 4, and the sentence that serves as a caption."""
    wanted = set(tokens(question, "en")) or {""}
    text = " ".join(str(document.get(field) or "") for field in fields)
    sentences = [part.strip() for part in re.findall(r"[^.!?。！？]+[.!?。！？]*", text)]
    shares = [(len(wanted & set(tokens(part, "en"))) / len(wanted), part) for part in sentences]
    best = max(shares, key=lambda share: share[0], default=(0.0, ""))
    return round(4 * best[0], 6), best[1]
