"""Questions that a reader may ask next, made from the headings around an answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ragqa.contract import Passage
from ragqa.grounding.asked import Asked
from ragqa.language import content_words, has_han, language_of
from ragqa.language.late import late

_TEMPLATES = {"en": "What do the documents say about “{}”?", "zh": "关于“{}”，文档里怎么说？"}
_HEADING = late(r"^#{2,6}\s+(\S[^\n]{0,80})$", re.M)
_NUMBER = late(r"^(?:\d{1,3}(?:\.\d{1,3}){0,4}[.)]?|[一二三四五六七八九十]{1,3}、|Step \d+:)\s*")
_GENERAL = late(
    r"(?:introduction|overview|contents?|table of contents|faqs?|general|notes?|appendix|summary"
    r"|about|welcome|conclusion|references?|features?|user guide|page \d+"
    r"|简介|概述|目录|前言|常见问题|附录|总结|引言|说明|介绍)",
    re.I,
)


def follow_ups(
    question: Asked, best: Passage, passages: Sequence[Passage], limit: int
) -> list[str]:
    """Return at most ``limit`` questions on the sections beside the one that answered.

    Only sections of the answer's own document count: elsewhere a heading may mean something else.
    A heading that is a question stays as it is.
    """
    beside = [passage for passage in passages if passage.id == best.id]
    answered = _last(best.heading)
    topics: dict[str, str] = {}
    for passage in beside:
        for heading in _headings(passage):
            if heading != answered and _fits(heading, question):
                topics.setdefault(heading.lower(), heading)
    return [_asked(heading, question) for heading in list(topics.values())[:limit]]


def _headings(passage: Passage) -> Iterator[str]:
    if " > " in passage.heading:  # the outermost heading is the document's title
        yield _last(passage.heading)
    for match in _HEADING.finditer(passage.text):
        yield _plain(match.group(1))


def _last(path: str) -> str:
    return _plain(path.rsplit(" > ", 1)[-1])


def _plain(heading: str) -> str:
    return _NUMBER.sub("", heading.strip().strip("#*_ ")).strip().rstrip(":：")


def _fits(heading: str, question: Asked) -> bool:
    """Tell whether a heading is worth asking about: short, in the language, not yet asked for."""
    if not 2 <= len(heading) <= 50 or _GENERAL.fullmatch(heading):
        return False
    if has_han(heading) != has_han(question.text) or language_of(heading) != question.language:
        return False
    terms = {word.term for word in content_words(heading)}
    return bool(terms) and not terms <= question.weights.keys()


def _asked(heading: str, question: Asked) -> str:
    if heading.endswith(("?", "？")):
        return heading
    return _TEMPLATES[question.language].format(heading)
