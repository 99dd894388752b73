"""Gather evidence: retrieve, then let a model pick the sentences that answer the question.

What the model picks counts only where it stands word for word in a passage.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace

import prompts
from ragqa import context
from ragqa.contract import ContextBlock, Turn
from ragqa.flow import Effects, Stage
from ragqa.language import language_of
from ragqa.ports import Parts
from ragqa.stages.asking import ask_aside
from ragqa.stages.fit import fit
from ragqa.stages.retrieve import retrieve

_EVIDENCE_TOKENS = 600
_MIN_QUOTE_CHARS = 6  # shorter pieces stand everywhere and prove nothing


def gather(parts: Parts) -> Stage:
    """Return the stage that sets ``passages`` and a ``context`` condensed to picked quotes."""
    retrieval, fitting = retrieve(parts), fit(parts)

    def step(turn: Turn) -> Effects:
        if not turn.notes.get("needs_documents", True):
            return turn
        turn = yield from retrieval.effects(turn)
        turn = yield from fitting.effects(turn)
        if not turn.context:
            return turn
        text, turn = yield from ask_aside(turn, parts, _messages(turn), max_tokens=_EVIDENCE_TOKENS)
        condensed = tuple(_condensed(turn.context, quotes_in(text or "")))
        # A model that picks nothing, or nothing verbatim, must not hide the evidence.
        return replace(turn, context=condensed or turn.context)

    return Stage("gather", step)


def _messages(turn: Turn) -> tuple[tuple[str, str], ...]:
    prompt = prompts.load("gather", language_of(turn.question.text))
    question = turn.search_text or turn.question.text
    return prompt.render(passages=context.render(turn.context), question=question)


def quotes_in(text: str) -> tuple[str, ...]:
    """Return the texts of the first JSON list in a reply; none if there is no such list."""
    at = text.find("[")
    if at < 0:
        return ()
    try:
        picked, _ = json.JSONDecoder().raw_decode(text, at)
    except (ValueError, RecursionError):
        return ()
    return tuple(quote for quote in picked if isinstance(quote, str))


def _condensed(blocks: tuple[ContextBlock, ...], quotes: tuple[str, ...]) -> Iterator[ContextBlock]:
    """Yield the blocks cut down to the quotes that stand in their passages."""
    for block in blocks:
        spans = sorted({span for quote in quotes for span in _places(quote, block.passage.text)})
        if spans:
            text = " ".join(block.passage.text[start:end] for start, end in spans)
            yield replace(block, spans=tuple(spans), text=text)


def _places(quote: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield where a quote stands in a text; blanks may differ."""
    words = quote.split()
    if len("".join(words)) < _MIN_QUOTE_CHARS:
        return
    match = re.search(r"\s+".join(map(re.escape, words)), text)
    if match:
        yield match.span()
