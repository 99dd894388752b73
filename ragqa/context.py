"""Fit the best sentences of the retrieved passages into the budget of a prompt.

>>> passage = Passage(id="r", title="returns.md", text="Kettles can be returned. We like tea.")
>>> print(render(fit("Can I return a kettle?", [passage], max_chars=55)))
--- [1] returns.md
Kettles can be returned.
---
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from ragqa.contract import ContextBlock, Passage
from ragqa.grounding import GAP, Candidate, asked, excerpts, rank_sentences
from ragqa.language import estimate_tokens, refers_back, sentences

_ALIKE = 0.9
"""Two sentences are the same when they share nine tenths of their words."""

_FULL = 25  # sentences that did not fit: the budget is used up
_SHORTEST_CUT = 40  # characters; less than that of a sentence tells nothing
_LONGEST_HEADING = 80
_DASHES = re.compile("-{3,}")

Span = tuple[int, int]


def fit(
    question: str,
    passages: Sequence[Passage],
    *,
    max_chars: int = 1200,
    max_tokens: int | None = None,
) -> tuple[ContextBlock, ...]:
    """Return the best sentences over all passages, in document order within each.

    Args:
        question: What the sentences should answer.
        passages: Where they come from, best first.
        max_chars: The longest that ``render`` of the result may be, wrappers included.
        max_tokens: The most tokens that it may take, by a conservative estimate.

    Returns:
        Numbered blocks in the order of the passages; passages without a chosen sentence have none.
    """
    choice = _Choice(passages, max_chars, max_tokens)
    if choice.take_all():
        return choice.blocks()
    seen = _Seen()
    too_long = 0
    for candidate in rank_sentences(question, passages):
        if seen.has(candidate):
            continue
        if _add(choice, candidate) or (seen.is_empty and choice.add_cut(question, candidate)):
            seen.add(candidate)
        elif (too_long := too_long + 1) == _FULL:
            break
    return choice.blocks()


def _add(choice: _Choice, candidate: Candidate) -> bool:
    """Choose a sentence, together with the one before if it points to that and both fit."""
    span = candidate.start, candidate.end
    if candidate.lead and refers_back(candidate.text):
        lead = candidate.passage.text.rfind(candidate.lead, 0, candidate.start)
        if choice.add(candidate.rank, (lead, candidate.end)):
            return True
    return choice.add(candidate.rank, span)


def render(blocks: Iterable[ContextBlock]) -> str:
    """Write blocks for a prompt: each under a line with its number and title.

    The line begins with a row of dashes that is longer than any in the documents, so that no
    document can begin a block of its own. The texts stay as they are, byte for byte.
    """
    blocks = tuple(blocks)
    if not blocks:
        return ""
    fence = _fence(blocks)
    return "\n".join([*(_rendered(block, fence) for block in blocks), fence])


def _rendered(block: ContextBlock, fence: str) -> str:
    title = _one_line(block.passage.title)
    heading = _heading(block.passage.heading, block.passage.text) if block.passage.heading else ""
    above = f"{fence} [{block.number}] {title}\n"
    return f"{above}{heading}\n{block.text}" if heading else f"{above}{block.text}"


@lru_cache(maxsize=512)
def _heading(headings: str, text: str) -> str:
    """Return the innermost headings that fit; the title alone may not say what a row is about."""
    kept = ""
    for part in reversed(_one_line(headings).split(" > ")):
        longer = f"{part} > {kept}" if kept else part
        if len(longer) > _LONGEST_HEADING:
            break
        kept = longer
    return "" if kept in text else kept


def _fence(blocks: Iterable[ContextBlock]) -> str:
    texts = (
        text
        for block in blocks
        for text in (block.text, block.passage.title, block.passage.heading)
    )
    return "-" * (max(map(_longest_row, texts), default=2) + 1)


@lru_cache(maxsize=2048)  # of the blocks under choice, one changes at a time
def _longest_row(text: str) -> int:
    """Return the length of the longest row of dashes; 2 where none has three."""
    return max(map(len, _DASHES.findall(text)), default=2) if "---" in text else 2


@lru_cache(maxsize=512)  # a service retrieves the same passages again and again
def _sentences(text: str) -> tuple[Span, ...]:
    return tuple(sentences(text))


def _one_line(text: str) -> str:
    return " ".join(text.split())


class _Seen:
    """The sentences chosen so far, by the number of their words."""

    def __init__(self) -> None:
        self._by_size: dict[int, list[frozenset[str]]] = {}

    @property
    def is_empty(self) -> bool:
        return not self._by_size

    def add(self, candidate: Candidate) -> None:
        self._by_size.setdefault(len(candidate.terms), []).append(candidate.terms)

    def has(self, candidate: Candidate) -> bool:
        """Tell whether a sentence says nothing, or the same as one that was chosen."""
        terms = candidate.terms
        if not terms:
            return not any(map(str.isalnum, candidate.text))
        size = len(terms)
        # Sets of sizes that differ by more cannot share enough: they need not be compared.
        near = range(math.ceil(_ALIKE * size), math.floor(size / _ALIKE) + 2)
        for other_size in near:
            for other in self._by_size.get(other_size, ()):
                shared = len(terms & other)
                if shared >= _ALIKE * (size + other_size - shared):
                    return True
        return False


@dataclass(slots=True)
class _Choice:
    """The slices chosen so far, and what rendering them takes."""

    passages: Sequence[Passage]
    max_chars: int
    max_tokens: int | None
    spans: dict[int, list[Span]] = field(default_factory=dict)
    used: int = 0

    def take_all(self) -> bool:
        """Choose every sentence that no passage before holds, if all of them fit.

        Then nothing needs to be ranked, which takes longer than everything else of fitting.
        """
        if sum(len(passage.text) for passage in self.passages) > 2 * self.max_chars:
            return False
        seen: set[str] = set()
        for rank, passage in enumerate(self.passages):
            new = [
                (start, end)
                for start, end in _sentences(passage.text)
                if passage.text[start:end] not in seen
            ]
            seen.update(passage.text[start:end] for start, end in new)
            if new:
                self.spans[rank] = new
        if self._fits():
            return True
        self.spans = {}
        return False

    def add(self, rank: int, *spans: Span) -> bool:
        """Choose slices, if the whole then still fits."""
        before = self.spans.get(rank, [])
        # A slice that closes a gap spares the two marks of the gap.
        if self.used + _beyond(spans, before) - 2 * len(GAP) > self.max_chars:
            return False  # without rendering it, which takes a while
        self.spans[rank] = sorted([*before, *spans])
        if self._fits():
            return True
        self.spans[rank] = before
        if not before:
            del self.spans[rank]
        return False

    def add_cut(self, question: str, candidate: Candidate) -> bool:
        """Choose what fits of a sentence that is too long."""
        room = self.max_chars
        while room >= _SHORTEST_CUT:
            spans = excerpts(candidate.text, asked(question), room)
            moved = [(candidate.start + start, candidate.start + end) for start, end in spans]
            if self.add(candidate.rank, *moved):
                return True
            room = room * 9 // 10
        return False

    def blocks(self) -> tuple[ContextBlock, ...]:
        """Return the chosen slices, those of each passage in a numbered block."""
        return tuple(
            self._block(number, self.passages[rank], self.spans[rank])
            for number, rank in enumerate(sorted(self.spans), 1)
        )

    def _block(self, number: int, passage: Passage, spans: list[Span]) -> ContextBlock:
        joined = tuple(_joined(passage.text, spans))
        text = GAP.join(passage.text[start:end] for start, end in joined)
        return ContextBlock(number, passage, joined, text)

    def _fits(self) -> bool:
        rendered = render(self.blocks())
        if len(rendered) > self.max_chars:
            return False
        if self.max_tokens is not None and estimate_tokens(rendered) > self.max_tokens:
            return False
        self.used = len(rendered)
        return True


def _beyond(spans: Iterable[Span], chosen: Sequence[Span]) -> int:
    """Return at least how many characters slices add to those that overlap none of them."""
    chars = 0
    for start, end in spans:
        for other, other_end in chosen:
            if start < other_end and other < end:
                break
        else:
            chars += end - start
    return chars


def _joined(text: str, spans: list[Span]) -> Iterator[Span]:
    """Join slices that overlap or have nothing but blanks between them."""
    start, end = spans[0]
    for next_start, next_end in spans[1:]:
        if text[end:next_start].strip():
            yield start, end
            start = next_start
        end = max(end, next_end)
    yield start, end
