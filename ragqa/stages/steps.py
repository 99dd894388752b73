"""What tells together how something is done: the steps of a list, or a paragraph."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ragqa.grounding import Asked, Candidate
from ragqa.grounding.kinds import STEP_MARK, step_number
from ragqa.grounding.readable import cells, is_item, readable, unmarked_answer
from ragqa.language import is_question, sentences
from ragqa.language.late import late

# A step with what is wrapped or indented below it, up to the next one or to a blank line.
_STEP = late(
    rf"^[ \t]{{0,12}}({STEP_MARK})[ \t]*\S[^\n]*(?:\n(?![ \t]*{STEP_MARK})[ \t]*[^\s#][^\n]*)*",
    re.MULTILINE | re.IGNORECASE,
)

Span = tuple[int, int]

_FULL_STOPS = ".!。！"

_MARKED_UP = 2
"""With its marks a text is no longer than so many times what is read of it, or hardly ever."""

LEFT_OUT = " …"
"""Stands where steps were left out at the end."""


class Steps(NamedTuple):
    """The steps of a passage as they are read, and the slice that holds them."""

    text: str
    start: int
    end: int


def steps_told(candidate: Candidate, question: Asked, max_chars: int) -> Steps | None:
    """Return all of what says how something is done, where it fits.

    A single step does not say it, nor a sentence out of a paragraph. None where no such thing was
    asked for or chosen, or nothing of the kind fits.

    Args:
        candidate: The sentence that was chosen.
        question: What is asked.
        max_chars: How long the steps may be, as they are read.
    """
    if question.answer_type != "manner":
        return None
    if candidate.features["step"]:
        return _steps(candidate, max_chars)
    told = _paragraph(candidate, _MARKED_UP * max_chars)
    return told if told and len(told.text) <= max_chars else None


def _steps(candidate: Candidate, max_chars: int) -> Steps | None:
    """Return all steps, or as many from the first as fit, if the chosen one is among them."""
    passage = candidate.passage.text
    steps = _list_around(passage, candidate.start)
    told = None
    for at, (_, end) in enumerate(steps[1:], start=2):
        start = steps[0][0]
        text = readable(passage[start:end]) + (LEFT_OUT if at < len(steps) else "")
        if len(text) > max_chars:
            break
        told = Steps(text, start, end)
    return told if told and told.end >= candidate.end else None


def _paragraph(candidate: Candidate, most: int) -> Steps | None:
    """Return the running text around the chosen sentence; None where it stands alone or is long.

    Args:
        candidate: The sentence that was chosen.
        most: Characters that are looked at, with marks.
    """
    passage, spans, at = _placed(candidate)
    first = last = at
    while first and _beside(passage, spans[first - 1], spans[first]):
        first -= 1
    while last + 1 < len(spans) and _beside(passage, spans[last], spans[last + 1]):
        last += 1
    if last == first or spans[last][1] - spans[first][0] > most:
        return None
    return _read(passage, spans, first, last)


def following_told(candidate: Candidate, question: Asked, max_chars: int) -> Steps | None:
    """Return the chosen sentence with what follows it in its paragraph, as far as it fits."""
    if question.answer_type != "manner":
        return None
    passage, spans, at = _placed(candidate)
    told = None
    for last in range(at + 1, len(spans)):
        if not _beside(passage, spans[last - 1], spans[last]):
            break
        longer = _read(passage, spans, at, last)
        if len(longer.text) > max_chars:
            break
        told = longer
    return told


def _placed(candidate: Candidate) -> tuple[str, list[Span], int]:
    """Return a passage, its sentences and the number of the chosen one."""
    passage = candidate.passage.text
    spans = list(sentences(passage))
    return passage, spans, spans.index((candidate.start, candidate.end))


def _read(passage: str, spans: Sequence[Span], first: int, last: int) -> Steps:
    """Return sentences in a row as they are read."""
    start, end = spans[first][0], spans[last][1]
    text = readable(passage[start:end])
    if first and is_question(passage[slice(*spans[first - 1])]):
        text = unmarked_answer(text)
    return Steps(text, start, end)


def _beside(passage: str, one: Span, other: Span) -> bool:
    """Tell whether two sentences in a row are of one paragraph."""
    between = passage[one[1] : other[0]]
    wrapped = between.count("\n") == 1 and passage[one[1] - 1] in _FULL_STOPS
    return ("\n" not in between or wrapped) and _runs_on(passage, one) and _runs_on(passage, other)


def _runs_on(passage: str, span: Span) -> bool:
    """Tell whether a sentence is running text: no heading, item or row, no question."""
    text = passage[slice(*span)]
    return not (
        text.startswith(("#", "|")) or is_item(text) or is_question(text) or len(cells(text)) > 1
    )


def _list_around(text: str, at: int) -> Sequence[Span]:
    """Return the items of the list that holds a place; none if there is no list, from 1 on."""
    found: list[Span] = []
    for step in _STEP.finditer(text):
        number = step_number(step.group(1))
        beside = found and not text[found[-1][1] : step.start()].strip()
        if beside and number == len(found) + 1:
            found.append(step.span())
        elif found and found[0][0] <= at < found[-1][1]:
            break
        else:
            found = [step.span()] if number == 1 else []
    return found if found and found[0][0] <= at < found[-1][1] else []
