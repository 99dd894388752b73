"""One question of a report: what is right, what was answered, quoted and found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from ragqa.evaluation.outcome import Outcome
from ragqa.evaluation.phrases import Language, phrase


def question_html(outcome: Outcome, language: Language) -> str:
    """Return what came of a question as HTML; everything of it is escaped."""
    kind, said = _verdict(outcome, language)
    return "\n".join(
        [
            f'<details class="question {kind}"{" open" if kind == "wrong" else ""}>',
            f'<summary><span class="verdict">{escape(said)}</span> '
            f"{escape(outcome.question.text)}</summary>",
            f"<dl>{''.join(_facts(outcome, language))}</dl>",
            *_quotes(outcome, language),
            *_passages(outcome, language),
            "</details>",
        ]
    )


def _verdict(outcome: Outcome, language: Language) -> tuple[str, str]:
    if outcome.status == "failed":
        reason = outcome.row["answer"].get("reason", "")
        return "wrong", phrase("failed", language, reason=reason)
    if outcome.right is None and not outcome.refused:
        return "compared", phrase("compared", language, f1=f"{outcome.f1 or 0.0:.2f}")
    if outcome.right:
        return "right", phrase("right", language)
    if outcome.refused:
        return "refused", phrase("false_refusal", language)
    return "wrong", phrase("wrong", language)


def _facts(outcome: Outcome, language: Language) -> Iterator[str]:
    question = outcome.question
    right = " · ".join([*question.answers, question.reference]).strip(" ·")
    if not question.answerable:
        right = phrase("nothing_right", language)
    yield _fact(phrase("expected", language), right or "–")
    if question.places:
        places = (_place(place.name, place.page, language) for place in question.places)
        yield _fact(phrase("places", language), ", ".join(places))
    state = f"{outcome.status}, {phrase('confidence', language)} {outcome.confidence:g}"
    yield _fact(phrase("answered", language), f"{outcome.text or '–'} ({state})")


def _fact(name: str, value: str) -> str:
    return f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>"


def _quotes(outcome: Outcome, language: Language) -> Iterator[str]:
    if not outcome.citations:
        return
    yield f"<h3>{phrase('quotes', language)}</h3>"
    told = zip(outcome.citations, outcome.cited_right, outcome.row["verbatim"], strict=True)
    for citation, right, verbatim in told:
        marks = [phrase("right_place", language)] if right else []
        if verbatim is not True:
            marks.append(phrase("unchecked" if verbatim is None else "not_verbatim", language))
        yield (
            f'<blockquote class="{"right" if right else ""}">{escape(citation["quote"])}'
            f"<footer>{escape(_origin(citation, language))}"
            f"{_marked(marks)}</footer></blockquote>"
        )


def _passages(outcome: Outcome, language: Language) -> Iterator[str]:
    passages = outcome.row["passages"]
    yield f"<h3>{phrase('passages', language)}</h3>"
    if not passages:
        yield f"<p>{phrase('no_passages', language)}</p>"
    for number, passage in enumerate(passages, start=1):
        right = outcome.is_right_place(passage)
        marks = [phrase("right_place", language)] if right else []
        score = f"{passage['score_kind']} {passage['score']:.3g}"
        yield (
            f"<details class=passage><summary>[{number}] {escape(_origin(passage, language))} · "
            f"{escape(score)}{_marked(marks)}</summary><pre>{escape(passage['text'])}</pre></details>"
        )


def _origin(found: Mapping[str, Any], language: Language) -> str:
    place = _place(found["title"], found["page"], language)
    return place if found["id"] in (found["title"], found["path"]) else f"{place} · {found['id']}"


def _place(name: str, page: int | None, language: Language) -> str:
    return f"{name}, {phrase('page', language, page=page)}" if page else name


def _marked(marks: list[str]) -> str:
    return "".join(f' <span class="mark">{escape(mark)}</span>' for mark in marks)
