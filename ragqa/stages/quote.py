"""Quote the sentence of the passages that answers a question; abstain where none does."""

from __future__ import annotations

import json
from dataclasses import replace

import prompts
from ragqa.contract import QAResponse, Turn
from ragqa.flow import Stage
from ragqa.grounding import Evidence, asked, weigh
from ragqa.grounding.follow_ups import follow_ups
from ragqa.intent import categorise
from ragqa.ports import Category, Parts
from ragqa.stages.draft import Draft
from ragqa.stages.pieces import joined, quoted
from ragqa.stages.statements import statements

_UNSURE = 0.4
"""Below this confidence a person should look at the answer."""


def quote(parts: Parts) -> Stage:
    """Return the stage that leaves a draft of quoted sentences in ``notes["draft"]``."""

    def step(turn: Turn) -> Turn:
        draft = _draft(turn, parts.policy.schema)
        return replace(turn, notes={**turn.notes, "draft": draft})

    return Stage("quote", step)


def _draft(turn: Turn, schema: type[QAResponse]) -> Draft:
    question = asked(turn.search_text or turn.question.text)
    ranked = statements(question, turn.passages)
    evidence = weigh(question, ranked)
    if evidence.thin or unfilled(schema):
        return _abstention(turn, schema, evidence)
    pieces = quoted(question, ranked, turn.passages, schema.max_answer_chars)
    citations = tuple(piece.citation() for piece in pieces)
    fields = {
        "answer": joined(pieces),
        "confidence": round(evidence.confidence, 2),
        "category": _category(turn, schema),
        "sources": list(dict.fromkeys(citation.title for citation in citations)),
        "follow_up": follow_ups(question, ranked[0].passage, turn.passages, schema.max_follow_up),
        "needs_human": evidence.confidence < _UNSURE,
    }
    return Draft(_as_json(schema, fields), citations)


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


def unfilled(schema: type[QAResponse]) -> list[str]:
    """Return the required fields of a schema that no quotation can fill: then there is none."""
    required = (name for name, field in schema.model_fields.items() if field.is_required())
    return [name for name in required if name not in _FILLED]


def _as_json(schema: type[QAResponse], fields: dict[str, object]) -> str:
    if "entities" in schema.model_fields:
        fields = {**fields, "entities": []}
    return json.dumps(fields, ensure_ascii=False)


def _category(turn: Turn, schema: type[QAResponse]) -> str:
    if turn.category in schema.categories:
        return turn.category
    question = turn.search_text or turn.question.text
    return categorise(question, tuple(map(Category, schema.categories)))
