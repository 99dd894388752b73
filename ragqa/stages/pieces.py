"""The pieces of an answer: the sentences that are quoted for it, cut to what fits.

A long sentence is cut to the parts where the answer likely stands; negations and exceptions are
kept before anything else, and the citation holds it whole. Two sentences of a passage that are
nearly as good are both quoted: the right one is the second of two close ones often enough, and that
is worth more than a single longer quote.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ragqa.contract import Citation, Passage
from ragqa.grounding import (
    GAP,
    Asked,
    Candidate,
    answer_spans,
    asked,
    cite,
    excerpts,
    rank_sentences,
)
from ragqa.grounding.names import holds
from ragqa.grounding.readable import cells, is_item, readable, row, unmarked_answer
from ragqa.language import has_han, is_question, refers_back, sub_questions, turns
from ragqa.stages.lists import list_told
from ragqa.stages.rows import rows_alike
from ragqa.stages.statements import end_with_items, statements
from ragqa.stages.steps import Steps, following_told, steps_told

_ENOUGH = 0.6
"""The share of the longest answer that is given to a sentence whose answering part is known (a
date, a figure, a name)."""

_NEAR_TIE = 0.8
_NEAR_TIE_BESIDE = 1.5
"""The scores are those of a softmax model: a sentence this far behind the best one is still
nearly half as likely to hold the answer; one beside it that fits whole, a fifth."""

_LEAST_SECOND = 60
"""Characters that must be left for a second sentence to be cut to them."""

_WHOLE_QUESTION = 0.3
"""How much the whole question counts beside the part of it that a sentence is sought for."""

_CUT = GAP.strip()
_ENDED = tuple(f".!?。！？；;:：{_CUT}")
_LOOSE = " ,;:，：；、"


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the answer, and the slice of the passage that it is quoted from."""

    text: str
    passage: Passage
    start: int
    end: int

    @classmethod
    def of(cls, candidate: Candidate, steps: Steps) -> Piece:
        """Return steps of the passage of a sentence."""
        return cls(steps.text, candidate.passage, steps.start, steps.end)

    def citation(self) -> Citation:
        """Return the whole slice as a citation."""
        quoted = self.passage.text[self.start : self.end]
        return cite(self.passage, self.start, self.end, verified=holds(quoted, self.text))


def joined(pieces: Sequence[Piece]) -> str:
    """Return the text of an answer; a gap marks what lies between two sentences of a passage.

    It is no longer than all pieces with a gap between each two.
    """
    text = pieces[0].text
    for before, piece in pairwise(pieces):
        apart = piece.passage is before.passage and not _beside(before, piece)
        following = piece.text
        if text.endswith(_CUT):  # one mark says it
            apart, following = False, following.removeprefix(_CUT).lstrip()
        text += (GAP if apart and not following.startswith(_CUT) else _between(text)) + following
    return text


def _between(text: str) -> str:
    """Return what stands before the next sentence: a row of a table has no mark at its end."""
    if text[-1:] in _ENDED:
        return " "
    return "；" if has_han(text) else "; "


def _beside(first: Piece | Candidate, second: Piece | Candidate) -> bool:
    """Tell whether two slices of a passage, in their order, have nothing between them."""
    return not first.passage.text[first.end : second.start].strip()


def quoted(
    question: Asked, ranked: list[Candidate], passages: Sequence[Passage], max_chars: int
) -> list[Piece]:
    """Return the best sentence, or one for each thing that was asked, within the limit."""
    parts = sub_questions(question.text)
    best: list[tuple[Asked, Candidate]] = []
    if len(parts) > 1:
        best = _best_each([asked(part) for part in parts[:2]], question, passages)
    elif together := _together(question, ranked, max_chars):
        return together
    best = best or [(question, ranked[0])]
    room = (max_chars - (len(best) - 1) * len(GAP)) // len(best)
    enough = int(max_chars * _ENOUGH)
    return [_piece(candidate, part, room, enough) for part, candidate in best]


def _together(question: Asked, ranked: list[Candidate], max_chars: int) -> list[Piece] | None:
    """Return the best sentence with what belongs to it; None where it is better told alone."""
    best = ranked[0]
    if len(cells(best.text)) > 1:
        return _rows(question, ranked, max_chars)
    if steps := steps_told(best, question, max_chars):
        return [Piece.of(best, steps)]
    if listed := list_told(ranked, max_chars):
        return [Piece.of(best, listed)]
    if two := _two(question, ranked, max_chars):
        return two
    following = following_told(best, question, max_chars)
    return [Piece.of(best, following)] if following else None


def _rows(question: Asked, ranked: list[Candidate], max_chars: int) -> list[Piece]:
    """Return the best row of a table, with those on the same thing that are as good and fit."""
    rows, columns = rows_alike(question, ranked)
    pieces: list[Piece] = []
    for each in rows:
        told = _shortened(row(each.text, question, columns) or each.text, question, max_chars)
        piece = Piece(told, each.passage, each.start, each.end)
        if not pieces or len(joined([*pieces, piece])) <= max_chars:
            pieces.append(piece)
    return pieces


def _two(question: Asked, ranked: list[Candidate], max_chars: int) -> list[Piece] | None:
    """Return the best sentence with the next best, where that one is nearly as good.

    Both stand in one passage, so that they are about the same thing.
    """
    best = ranked[0]
    near = [
        other
        for other in ranked[1:]
        if other.passage is best.passage
        and best.score - other.score <= _NEAR_TIE_BESIDE
        and _is_prose(best)
        and _is_prose(other)
        and _says_alone(best, other)
    ]
    if together := next(
        filter(None, (_side_by_side(best, other, max_chars) for other in near)), None
    ):
        return [together]
    if near and best.score - near[0].score <= _NEAR_TIE:
        return _both(question, best, near[0], max_chars)
    return None


def _is_prose(candidate: Candidate) -> bool:
    """Tell whether a sentence is part of running text: no item of a list, no row of a table."""
    text = candidate.text
    return len(cells(text)) < 2 and not is_item(text) and not text.startswith("|")


def _says_alone(best: Candidate, other: Candidate) -> bool:
    """Tell whether a sentence does not point back to one that would be left out."""
    follows = best.end <= other.start and _beside(best, other)
    return follows or not refers_back(other.text)


def _side_by_side(best: Candidate, other: Candidate, max_chars: int) -> Piece | None:
    """Return two neighbours of one paragraph as one piece, if they fit whole."""
    first, last = sorted((best, other), key=lambda candidate: candidate.start)
    if not _beside(first, last) or "\n" in best.passage.text[first.end : last.start]:
        return None
    text = _read(first, last.end)
    return Piece(text, first.passage, first.start, last.end) if len(text) <= max_chars else None


def _both(
    question: Asked, best: Candidate, second: Candidate, max_chars: int
) -> list[Piece] | None:
    """Return both, the second cut to the room that the best one leaves."""
    first = _piece(best, question, max_chars, int(max_chars * _ENOUGH))
    room = max_chars - len(first.text) - len(GAP)
    if len(second.text) > room and (room < _LEAST_SECOND or turns(second.text)):
        return None
    both = (first, _piece(second, question, room, room))
    return sorted(both, key=lambda piece: piece.start)


def _best_each(
    parts: list[Asked], question: Asked, passages: Sequence[Passage]
) -> list[tuple[Asked, Candidate]]:
    """Return each part of a question with the best sentence for it, no sentence twice.

    A part that does not say what it is about ("and how long is the warranty?") is helped by the
    whole question.
    """
    whole = {_place(c): c.score for c in rank_sentences(question.text, passages)}
    chosen: dict[tuple[int, int], tuple[Asked, Candidate]] = {}
    for part in parts:
        ranked = statements(part, passages)
        if ranked:
            best = max(ranked, key=lambda c: c.score + _WHOLE_QUESTION * whole[_place(c)])
            chosen.setdefault(_place(best), (part, best))
    return list(chosen.values())


def _place(candidate: Candidate) -> tuple[int, int]:
    return candidate.rank, candidate.start


def _piece(candidate: Candidate, question: Asked, max_chars: int, enough: int) -> Piece:
    passage, start = candidate.passage, candidate.start
    if steps := steps_told(candidate, question, max_chars):
        return Piece.of(candidate, steps)
    end = end_with_items(candidate, max_chars)
    slice_ = passage.text[start:end]
    text = row(slice_, question) or _read(candidate, end) or slice_.strip()
    known = answer_spans(text, question) and not turns(text)
    limit = min(enough, max_chars) if known else max_chars
    return Piece(_shortened(text, question, limit), passage, start, end)


def _read(candidate: Candidate, end: int) -> str:
    """Return what stands from a sentence on, without marks, and without the A of "Q: … A: …"."""
    text = readable(candidate.passage.text[candidate.start : end])
    return unmarked_answer(text) if is_question(candidate.lead) else text


def _shortened(text: str, question: Asked, max_chars: int) -> str:
    """Return the part that answers; cut ends are marked."""
    if len(text) <= max_chars:
        return text
    spans = excerpts(text, question, max(max_chars - len(GAP.strip()) * 2 - 2, 1))
    cut = GAP.join(text[start:end].strip(_LOOSE) for start, end in spans)
    begun = "… " if spans[0][0] else ""
    ended = " …" if spans[-1][1] < len(text) else text[len(text.rstrip(_LOOSE)) :]
    return f"{begun}{cut}{ended}"[:max_chars]
