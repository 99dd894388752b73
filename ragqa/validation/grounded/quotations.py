"""Words in quotation marks stand word for word in what is cited."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from operator import eq
from typing import Any

from ragqa.language.late import late
from ragqa.language.script import HAN, has_han
from ragqa.language.traditional import simplified
from ragqa.validation.fields import answer_of
from ragqa.validation.gate import CheckContext, Fault, Outcome, Passed, Rejected
from ragqa.validation.grounded.visible import cited_passages

CODE = "context.quotation"
_SIGN = late('["“„«「『＂]')
_QUOTED = late(
    r"(?<![\w\"])\"([^\"\n]{12,400})\"(?!\w)|[“„]([^“”„\n]{8,400})[”“]|«([^«»\n]{12,400})»"
    r"|「([^「」\n]{8,400})」|『([^『』\n]{8,400})』|＂([^＂\n]{8,400})＂"
)
_LEFT_OUT = late(r"…+|\.{3,}|[\[［(（][^\[\]［］()（）]{0,60}[\]］)）]")
_SPOKEN = late(r"[\W_]+")
_WORD = late(rf"[{HAN}]{{2}}|[^\W\d_]+|\d+")
_MIN_WORDS = 5
"""Fewer words may be a name, a label or an expression. Two Chinese characters are a word."""
_LEAST_ALIKE = 0.7
_MAX_SHOWN_CHARS = 60


class QuotationsHeld:
    """Refuse longer quotations that stand in no cited passage, tool's result or the question.

    Case, marks and what is left out behind an ellipsis or in brackets do not matter. Off where no
    texts are known, and for a quotation in another script than theirs, which is a translation.
    """

    name = "quotations"

    def check(self, value: Any, context: CheckContext) -> Outcome:
        """Pass an answer on that quotes only what stands there."""
        answer = answer_of(value)
        if not answer or not _SIGN.search(answer):
            return Passed(value)
        cited = cited_passages(value, context)
        quotations = list(_quotations(answer)) if cited else []
        if not cited or not quotations:
            return Passed(value)
        texts = [*(each.text for each in cited), *context.evidence]
        invented = [each for each in quotations if not _stands(each, texts, context.question)]
        return Rejected(tuple(map(_fault, invented)), value=value) if invented else Passed(value)


def _quotations(answer: str) -> Iterator[str]:
    for match in _QUOTED.finditer(answer):
        said = next(group for group in match.groups() if group is not None)
        if len(_WORD.findall(said)) >= _MIN_WORDS:
            yield said


def _stands(said: str, texts: Iterable[str], question: str) -> bool:
    alike = [text for text in texts if has_han(text) == has_han(said)]
    if not alike:
        return True
    held = [_spoken(text) for text in (*alike, question)]
    pieces = filter(None, map(_spoken, _LEFT_OUT.split(said)))
    return all(any(piece in text or _converted(piece, text) for text in held) for piece in pieces)


def _converted(said: str, text: str) -> bool:
    """Tell whether a text holds, in simplified characters, what is said in traditional ones.

    Not every character is known in both forms: where most of them are the same one by one, the
    others are taken for the same, too.
    """
    if not said or simplified(said) == said:
        return False
    said = simplified(said)
    pairs = {said[at : at + 2]: at for at in range(len(said) - 1)}
    starts = {text.find(pair) - at for pair, at in pairs.items() if pair in text}
    return any(
        sum(map(eq, said, text[start : start + len(said)])) >= _LEAST_ALIKE * len(said)
        for start in starts
        if start >= 0
    )


def _spoken(text: str) -> str:
    """Return the letters and digits of a text, without case."""
    return _SPOKEN.sub("", unicodedata.normalize("NFKC", text)).casefold()


def _fault(said: str) -> Fault:
    shown = repr(" ".join(said.split())[:_MAX_SHOWN_CHARS])
    return Fault(
        CODE,
        f"the answer quotes {shown}, which stands in no cited passage",
        f"answer: the words {shown} in quotation marks stand in none of the cited documents. Quote"
        " word for word, or say it without quotation marks.",
        "answer",
    )
