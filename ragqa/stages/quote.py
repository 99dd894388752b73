"""Quote the sentence of the passages that answers a question; abstain where none does."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import prompts
from ragqa.contract import Citation, Passage, QAResponse, Turn
from ragqa.flow import Stage
from ragqa.grounding import (
    GAP,
    Asked,
    Candidate,
    Evidence,
    answer_spans,
    asked,
    cite,
    excerpts,
    rank_sentences,
    weigh,
)
from ragqa.grounding.follow_ups import follow_ups
from ragqa.grounding.names import holds
from ragqa.grounding.readable import answers_row, cells, is_item, readable, row
from ragqa.intent import categorise
from ragqa.language import sentences, sub_questions
from ragqa.ports import Category, Parts
from ragqa.stages.draft import Draft

_WHOLE = 1.0
_WHOLE_WITH_ANSWER = 0.75
"""Up to these shares of the longest answer a sentence is quoted whole; the second one where the
part that answers is known (a date, a figure, a name)."""

_NEAR_TIE = 1.5
"""The scores are those of a softmax model: a sentence this far behind the best one is still a
fifth as likely to hold the answer."""

_WHOLE_QUESTION = 0.3
"""How much the whole question counts beside the part of it that a sentence is sought for."""

_UNSURE = 0.4
"""Below this confidence a person should look at the answer."""

_ENDS = tuple(".!?。！？；;,，")
_LOOSE = " ,;:，；：、"


def quote(parts: Parts) -> Stage:
    """Return the stage that leaves a draft of quoted sentences in ``notes["draft"]``."""

    def step(turn: Turn) -> Turn:
        draft = _draft(turn, parts.policy.schema)
        return replace(turn, notes={**turn.notes, "draft": draft})

    return Stage("quote", step)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of the answer, and the slice of the passage that it is quoted from."""

    text: str
    passage: Passage
    start: int
    end: int

    def citation(self) -> Citation:
        quoted = self.passage.text[self.start : self.end]
        return cite(self.passage, self.start, self.end, verified=holds(quoted, self.text))


def _draft(turn: Turn, schema: type[QAResponse]) -> Draft:
    question = asked(turn.search_text or turn.question.text)
    ranked = _statements(question, turn.passages)
    evidence = weigh(question, ranked)
    if evidence.thin or _wants_more(schema):
        return _abstention(turn, schema, evidence)
    pieces = _pieces(question, ranked, turn.passages, schema.max_answer_chars)
    citations = tuple(piece.citation() for piece in pieces)
    fields = {
        "answer": _joined(pieces),
        "confidence": round(evidence.confidence, 2),
        "category": _category(turn, schema),
        "sources": list(dict.fromkeys(citation.title for citation in citations)),
        "follow_up": follow_ups(question, ranked[0].passage, turn.passages, schema.max_follow_up),
        "needs_human": evidence.confidence < _UNSURE,
    }
    return Draft(_as_json(schema, fields), citations)


def answer_text(
    question: Asked, ranked: list[Candidate], passages: Sequence[Passage], max_chars: int
) -> str:
    """Return the answer that is quoted from ranked sentences."""
    return _joined(_pieces(question, ranked, passages, max_chars))


def _joined(pieces: Sequence[_Piece]) -> str:
    return " ".join(piece.text for piece in pieces)


def _abstention(turn: Turn, schema: type[QAResponse], evidence: Evidence) -> Draft:
    phrases = prompts.load("fields", asked(turn.question.text).language)
    fields = {
        "answer": phrases.part("abstained")[: schema.max_answer_chars],
        "confidence": round(min(evidence.confidence, 0.5), 2),
        "category": _category(turn, schema),
        "sources": [],
        "follow_up": [],
        "needs_human": True,
    }
    return Draft(_as_json(schema, fields), abstained=True)


_FILLED = frozenset({*QAResponse.model_fields, "entities"})


def _wants_more(schema: type[QAResponse]) -> bool:
    """Tell whether a schema has required fields that no quotation can fill."""
    required = {name for name, field in schema.model_fields.items() if field.is_required()}
    return not required <= _FILLED


def _as_json(schema: type[QAResponse], fields: dict[str, object]) -> str:
    if "entities" in schema.model_fields:
        fields = {**fields, "entities": []}
    return json.dumps(fields, ensure_ascii=False)


def _category(turn: Turn, schema: type[QAResponse]) -> str:
    if turn.category in schema.categories:
        return turn.category
    question = turn.search_text or turn.question.text
    return categorise(question, tuple(map(Category, schema.categories)))


def _statements(question: Asked, passages: Sequence[Passage]) -> list[Candidate]:
    """Return the sentences that say something, best first: no headings, no questions."""
    return [
        candidate
        for candidate in rank_sentences(question.text, passages)
        if quotable(candidate, question)
    ]


_RULE = re.compile(r"[\s|:+-]+")
_FEW_WORDS = 6
_SMALL_WORD = 3  # letters: of, and, the stay small in titles
_PROSE_CHARS = 60


def quotable(candidate: Candidate, question: Asked) -> bool:
    """Tell whether a sentence says something: it is no heading, no question, no empty row."""
    text = candidate.text
    if text.startswith("#") or text.endswith(("?", "？")) or not candidate.terms:
        return False
    if _heads(candidate):
        return False
    if text.endswith((":", "：")):  # it announces something
        return _with_items(candidate, len(text) + 200) > candidate.end
    if len(cells(text)) > 1:
        return answers_row(text, question)
    new = any(term not in question.weights for term in candidate.terms)
    return new or ":" in text or "：" in text


def _heads(candidate: Candidate) -> bool:
    """Tell whether a line only stands above what it is about: a heading, the top of a table."""
    text, passage = candidate.text, candidate.passage
    if readable(text) in passage.heading.split(" > "):
        return True
    below = passage.text[candidate.end : candidate.end + 300].strip().partition("\n")[0].strip()
    if text.startswith("|"):
        return "-" in below and _RULE.fullmatch(below) is not None
    if text[-1:] in _ENDS or is_item(below) or below.startswith("#"):
        return False
    prose = below[-1:] in _ENDS or len(below) > _PROSE_CHARS
    return prose and _is_titled(text)


def _is_titled(text: str) -> bool:
    """Tell whether a line looks like a title: short, or in capitals, and without figures."""
    words = [word for word in text.split() if word[:1].isalpha()]
    long = [word for word in words if len(word) > _SMALL_WORD]
    capital = sum(word[0].isupper() for word in long)
    if any(map(str.isdigit, text.lstrip("0123456789.) "))):
        return False
    if ":" in text or "：" in text or len(words) > _FEW_WORDS:
        return len(words) <= 2 * _FEW_WORDS and bool(long) and capital >= 0.8 * len(long)
    return len(text) <= _PROSE_CHARS


def _pieces(
    question: Asked, ranked: list[Candidate], passages: Sequence[Passage], max_chars: int
) -> list[_Piece]:
    """Return the best sentence, or one for each thing that was asked, within the limit."""
    best = [ranked[0]]
    parts = sub_questions(question.text)
    if len(parts) > 1:
        best = _best_each([asked(part) for part in parts[:2]], question, passages) or best
    elif both := _with_neighbour(ranked, max_chars):
        return [both]
    room = (max_chars - (len(best) - 1)) // len(best)
    return [_piece(candidate, question, room) for candidate in best]


def _with_neighbour(ranked: list[Candidate], max_chars: int) -> _Piece | None:
    """Return the best sentence with the one beside it that is nearly as good, if both fit."""
    best = ranked[0]
    near = (other for other in ranked[1:] if best.score - other.score <= _NEAR_TIE)
    for other in near:
        if other.passage is not best.passage:
            continue
        first, second = sorted((best, other), key=lambda candidate: candidate.start)
        between = best.passage.text[first.end : second.start]
        if between.strip() or "\n" in between:  # not side by side, or an item, a row, a paragraph
            continue
        text = readable(best.passage.text[first.start : second.end])
        if 0 < len(text) <= max_chars:
            return _Piece(text, best.passage, first.start, second.end)
    return None


def _best_each(parts: list[Asked], question: Asked, passages: Sequence[Passage]) -> list[Candidate]:
    """Return the best sentence for each part of a question, none twice.

    A part that does not say what it is about ("and how long is the warranty?") is helped by the
    whole question.
    """
    whole = {_place(c): c.score for c in rank_sentences(question.text, passages)}
    chosen: dict[tuple[int, int], Candidate] = {}
    for part in parts:
        ranked = _statements(part, passages)
        if ranked:
            best = max(ranked, key=lambda c: c.score + _WHOLE_QUESTION * whole[_place(c)])
            chosen.setdefault(_place(best), best)
    return list(chosen.values())


def _place(candidate: Candidate) -> tuple[int, int]:
    return candidate.rank, candidate.start


def _piece(candidate: Candidate, question: Asked, max_chars: int) -> _Piece:
    passage, start = candidate.passage, candidate.start
    end = _with_items(candidate, max_chars)
    quoted = passage.text[start:end]
    text = row(quoted, question) or readable(quoted) or quoted.strip()
    return _Piece(_shortened(text, question, max_chars), passage, start, end)


def _with_items(candidate: Candidate, max_chars: int) -> int:
    """Return where a sentence ends, together with the list that it announces."""
    text, end = candidate.passage.text, candidate.end
    if not candidate.text.endswith((":", "：")):
        return end
    for start, item_end in sentences(text[candidate.end : candidate.end + 3 * max_chars]):
        item = text[candidate.end + start : candidate.end + item_end]
        longer = candidate.end + item_end
        if longer - candidate.start > 1.5 * max_chars or not is_item(item):
            break
        end = longer
    return end


def _shortened(text: str, question: Asked, max_chars: int) -> str:
    """Return the part that answers; cut ends are marked."""
    known = bool(answer_spans(text, question))
    if len(text) <= max_chars * (_WHOLE_WITH_ANSWER if known else _WHOLE):
        return text
    limit = int(max_chars * (_WHOLE_WITH_ANSWER if known else _WHOLE))
    spans = excerpts(text, question, max(limit - len(GAP.strip()) * 2 - 2, 1))
    cut = GAP.join(text[start:end].strip(_LOOSE) for start, end in spans)
    begun = "… " if spans[0][0] else ""
    ended = " …" if spans[-1][1] < len(text) else text[len(text.rstrip(_LOOSE)) :]
    return f"{begun}{cut}{ended}"[:max_chars]
