"""Every figure of an answer stands in what it cites."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from ragqa.grounding.figures import Figure, figures, missing, stands
from ragqa.grounding.figures.codes import stands_ungrouped
from ragqa.grounding.figures.counts import contradicted
from ragqa.grounding.figures.implied import covers_a_year
from ragqa.language import sentences
from ragqa.validation.fields import answer_of, sources_of
from ragqa.validation.gate import CheckContext, Fault, Outcome, Passed, Rejected
from ragqa.validation.grounded.visible import cited_passages, visible_passages

_MAX_FAULTS = 5
_MAX_SHOWN = 6
_MAX_CHARS = 60


class FiguresSupported:
    """Refuse figures that stand in no cited passage, no tool's result and not in the question.

    They are compared by what they say: 1,200 ml and 1.2 litres, thirty days and 30天 agree. A
    sentence that a passage holds word by word is right by that. Off where no texts are known.
    """

    name = "figures"

    def check(self, value: Any, context: CheckContext) -> Outcome:
        """Pass an answer on whose figures are borne out."""
        answer, cited = answer_of(value), cited_passages(value, context)
        if not answer or cited is None:
            return Passed(value)
        found = figures(answer)
        if not found:
            return Passed(value)
        texts = [
            *(text for each in cited for text in (each.text, each.title, each.heading) if text),
            *context.evidence,
            context.question,
        ]
        wrong = islice(_unsupported(answer, found, texts), _MAX_FAULTS)
        faults = tuple(_fault(figure, value, context, texts) for figure in wrong)
        return Rejected(faults, value=value) if faults else Passed(value)


def _unsupported(answer: str, found: Sequence[Figure], texts: Sequence[str]) -> Iterator[Figure]:
    """Yield the figures that none of the texts bears out."""
    return (
        each
        for each in missing(found, texts)
        if (not each.loose or contradicted(each, answer, texts))
        and not _is_quoted(each, answer, texts)
        and not stands_ungrouped(each, answer, texts)
        and not any(covers_a_year(each, answer, figures(text)) for text in texts)
    )


def _is_quoted(figure: Figure, answer: str, texts: Sequence[str]) -> bool:
    """Tell whether the figure's sentence stands word by word in one of the texts."""
    for start, end in sentences(answer):
        if start <= figure.start < end:
            said = " ".join(answer[start:end].split())
            return len(said) > len(figure.text) and any(
                stands(said, " ".join(text.split())) for text in texts
            )
    return False


def _fault(figure: Figure, value: Any, context: CheckContext, texts: Sequence[str]) -> Fault:
    shown = repr(_shown(figure.text))
    cure = "Use only figures that stand there."
    if elsewhere := _uncited(figure, value, context):
        cure = f"It stands in {_shown(elsewhere)!r}: cite that, if it is about the question."
    elif known := ", ".join(dict.fromkeys(_alike(figure, texts))):
        cure = f"They say: {known}."
    return Fault(
        "context.figure",
        f"the answer says {shown}, which stands in no cited passage",
        f"answer: {shown} stands in none of the cited documents. {cure}",
        "answer",
    )


def _uncited(figure: Figure, value: Any, context: CheckContext) -> str:
    """Return the title of a passage that bears the figure out and is not cited."""
    cited = frozenset(sources_of(value) or ())
    for passage in visible_passages(context) or ():
        if passage.title not in cited and not missing([figure], [passage.text]):
            return passage.title
    return ""


def _alike(figure: Figure, texts: Sequence[str]) -> Iterator[str]:
    """Yield figures of the same unit that do stand there, a few."""
    left = _MAX_SHOWN
    for text in texts:
        for other in figures(text):
            if left and other.kind == figure.kind and other.unit == figure.unit:
                left -= 1
                yield _shown(other.text)


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MAX_CHARS else line[: _MAX_CHARS - 1] + "…"
