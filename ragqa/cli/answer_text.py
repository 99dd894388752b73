"""An Answer as text for a person on a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from ragqa.cli.phrases import Language, phrase
from ragqa.cli.terminal import plain, styled, width
from ragqa.cli.wrapping import wrapped
from ragqa.contract import Answer, Citation


def answer_text(
    answer: Answer, language: Language, *, with_answer: bool = True, no_model: bool = False
) -> str:
    """Return the answer with its numbered sources, the quoted sentences and what to know of it.

    Args:
        answer: What to show.
        language: Of what stands around the answer.
        with_answer: Whether the answer's own text is shown; streamed text already is.
        no_model: Whether quotations are all there can be, for want of a model.
    """
    said = [wrapped(plain(answer.response.answer), width())] if with_answer else []
    blocks = [
        *(styled(text, "bold") for text in said),
        _sources(answer, language),
        "\n".join(_notes(answer, language, no_model=no_model)),
        _follow_up(answer, language),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _sources(answer: Answer, language: Language) -> str:
    quoted: dict[str, list[Citation]] = {title: [] for title in answer.response.sources}
    for citation in answer.citations:
        quoted.setdefault(citation.title, []).append(citation)
    if not quoted:
        return ""
    lines = [phrase("sources", language)]
    for number, (title, citations) in enumerate(quoted.items(), start=1):
        lines.append(f"[{number}] {plain(_located(title, citations))}")
        for citation in citations:
            lines.extend(_quote(citation, language))
    return "\n".join(lines)


def _located(title: str, citations: list[Citation]) -> str:
    path = next((citation.path for citation in citations if citation.path), None)
    return title if path is None or path == title else f"{title} ({path})"


def _quote(citation: Citation, language: Language) -> Iterator[str]:
    quote = " ".join(plain(citation.quote).split())
    marks = "“”"
    page = f" {phrase('page', language, page=citation.page)}" if citation.page else ""
    yield styled(wrapped(f"{marks[0]}{quote}{marks[1]}{page}", width(), indent="    "), "dim")
    if not citation.verified:
        yield wrapped(phrase("unverified", language), width(), indent="    ")


def _notes(answer: Answer, language: Language, *, no_model: bool) -> Iterator[str]:
    status, reason = answer.status, answer.reason or ""
    if status in ("degraded", "waiting"):  # an abstained answer says so itself
        yield _line(phrase(status, language, reason=reason), "warn")
    elif status == "cached":
        yield _line(phrase(status, language), "dim")
    elif answer.chain == "extractive" and answer.citations:
        name = "quotation_no_model" if no_model else "quotation"
        yield _line(phrase(name, language), "dim")
    if answer.response.needs_human:
        yield _line(phrase("needs_human", language), "warn")
    if status == "degraded":
        yield _line(phrase("degraded_more", language), "dim")
    if answer.response.sources:
        confidence = phrase("confidence", language, confidence=f"{answer.response.confidence:.2f}")
        yield _line(f"{confidence} · {plain(answer.response.category)}", "dim")


def _line(text: str, style: str) -> str:
    return styled(wrapped(text, width()), style)


def _follow_up(answer: Answer, language: Language) -> str:
    if not answer.response.follow_up:
        return ""
    items = (wrapped(f"- {plain(question)}", width()) for question in answer.response.follow_up)
    return "\n".join((phrase("follow_up", language), *items))
