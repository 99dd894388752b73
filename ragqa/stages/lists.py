"""The items of a list that answer together, since only what stands above it was asked for."""

from __future__ import annotations

from collections.abc import Sequence

from ragqa.grounding import Candidate
from ragqa.grounding.readable import is_item, readable
from ragqa.stages.steps import LEFT_OUT, Steps


def list_told(ranked: Sequence[Candidate], max_chars: int) -> Steps | None:
    """Return the list around the best sentence, or as many items from the first as fit.

    None where that is no item, or one that holds a word of the question, or looks more like an
    answer than another item does: then that one was asked for.
    """
    best = ranked[0]
    if any(best.shares) or not is_item(best.text):
        return None
    items = _items_around(best, ranked)
    if len(items) < 2 or any(item.features["typed"] < best.features["typed"] for item in items):
        return None
    told = None
    passage, start = best.passage.text, items[0].start
    for at, item in enumerate(items[1:], start=2):
        text = readable(passage[start : item.end]) + (LEFT_OUT if at < len(items) else "")
        if len(text) > max_chars:
            break
        told = Steps(text, start, item.end)
    return told if told and told.end >= best.end else None


def _items_around(best: Candidate, ranked: Sequence[Candidate]) -> list[Candidate]:
    """Return the items of the list that a sentence is one of, in their order."""
    passage = best.passage
    items = sorted(
        (each for each in ranked if each.passage is passage and is_item(each.text)),
        key=lambda each: each.start,
    )
    around: list[Candidate] = []
    for item in items:
        if around and passage.text[around[-1].end : item.start].strip():
            if best in around:
                break
            around = []
        around.append(item)
    return around if best in around else []
