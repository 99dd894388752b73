"""Every source of an accepted answer is shown with the quote that bears the answer out."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ragqa.contract import Citation, Passage
from ragqa.grounding.quotes import citations_for, cite
from ragqa.language import sentences
from ragqa.validation.fields import answer_of, sources_of
from ragqa.validation.gate import CheckContext, Outcome, Passed
from ragqa.validation.grounded.visible import cited_passages


class CitationsLocated:
    """Locate a quote for each sentence of an answer in the passages that it cites.

    A source of which no passage bears out anything gets its first sentence, not verified, so that
    each source is the title of a citation. Nothing is refused here.
    """

    name = "citations"

    def check(self, value: Any, context: CheckContext) -> Outcome:
        """Pass the answer on with its citations."""
        answer, sources = answer_of(value), sources_of(value)
        if not answer or not sources:
            return Passed(value)
        cited = cited_passages(value, context) or ()
        if not cited:
            return Passed(value)
        found = citations_for(answer, cited)
        quoted = {each.title for each in found}
        unquoted = {each.title: each for each in reversed(cited) if each.title not in quoted}
        more = tuple(_unverified(unquoted[title]) for title in sources if title in unquoted)
        return Passed(value, citations=(*found, *more))


def _unverified(passage: Passage) -> Citation:
    """Cite the first sentence of a passage that bears nothing out."""
    start, end = _first_sentence(passage.text)
    return cite(passage, start, end, verified=False)


@lru_cache(maxsize=256)
def _first_sentence(text: str) -> tuple[int, int]:
    return next(sentences(text), (0, len(text)))
