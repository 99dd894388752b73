"""Whether a sentence tells that something was done, or only that it can be or is as a rule.

"Orders can be cancelled before dispatch" holds every word of "the order was cancelled", and does
not say it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragqa.language.late import late
from ragqa.language.script import has_han
from ragqa.validation.grounded.claims.claim import Claim
from ragqa.validation.grounded.claims.effects import PARTICIPLES

_WORD = late(r"[A-Z]?[a-z]+(?:-[a-z]+)?|[A-Z]+")  # deliveredAt, SHIPPED
_AUXILIARY = late(
    r"(?:(?P<past>\b(?:was|were|been|has|have|had)|['’](?:ve|d))"
    r"|(?P<now>\b(?:is|are|be|being|gets?)|['’](?:s|re)))\s+(?:\w+\s+){0,3}\Z",
    re.IGNORECASE,
)
_HAPPENS = late(r"\b(?:is|are|will|can|may|must|should|shall|gets?|ships?)\b")
_SETTLED = late(
    r"\bis\s+(?:\w+\s+){0,2}(?:booked|scheduled|confirmed|cancell?ed|reserved|set)\Z", re.I
)
_MONTH = late(r"(?<=\w )May\b")
_BASES = frozenset({"reset", "set", "put"})  # may be an order or an infinitive, too
_PART = late(r"[.!?;:。！？；：\n]\s*")
_MAX_PLACES = 5
# "shipped": false, "shipped_at": null, "shipped_at": ""
_FALSE = late(
    r"\w{0,12}(?:\W{1,4}(?:false|no|null|none|0)\b|[\"']\s?:\s?(?:\"\"|''))", re.IGNORECASE
)
_SAME_CHARS = 5
"""So many first letters do spellings of one verb share: canceled, cancelled."""


def stands(said: str, text: str) -> bool:
    """Tell whether a text holds these words, and not as a condition or a possibility.

    Args:
        said: The words, with single blanks and without case.
        text: The text, likewise.
    """
    at = -1
    for _ in range(_MAX_PLACES):
        at = text.find(said, at + 1)
        if at < 0:
            return False
        if not _is_conditional(_PART.split(text[:at])[-1], text[at + len(said) :]):
            return True
    return False


def _is_conditional(before: str, after: str) -> bool:
    if has_han(before + after[:1]):
        from ragqa.validation.grounded.claims.chinese import is_conditional

        return is_conditional(before, after)
    from ragqa.validation.grounded.claims import english_forms as forms

    return any(form.search(before) for form in (forms.NEGATED, forms.POSSIBLE, forms.CONDITION))


def tells(sentence: str, claim: Claim) -> bool:
    """Tell whether a sentence says outright that what a claim's verb names was done.

    What is so now ("the account is closed") bears out a claim in the same tense only. A sentence
    may mix languages: {"status": "shipped", "carrier": "顺丰"}.
    """
    if has_han(claim.verb):
        from ragqa.validation.grounded.claims.chinese import is_told

        return is_told(sentence, claim.verb)
    present = _is_present(claim)
    return any(_is_told(sentence, *span, present=present) for span in _places(sentence, claim))


def _places(sentence: str, claim: Claim) -> Iterator[tuple[int, int]]:
    """Yield where the claim's verb stands, in that form or as another spelling of it."""
    verb = claim.verb.lower()
    if verb not in PARTICIPLES:
        yield from (m.span() for m in re.finditer(re.escape(verb), sentence, re.IGNORECASE))
    for match in _WORD.finditer(sentence):
        word = match[0].lower()
        if word == verb or (
            word[:_SAME_CHARS] == verb[:_SAME_CHARS] and PARTICIPLES.get(word) == claim.effects
        ):
            yield match.span()


def _is_present(claim: Claim) -> bool:
    at = claim.text.lower().find(claim.verb.lower())
    found = _AUXILIARY.search(claim.text[:at]) if at > 0 else None
    return found is not None and found["now"] is not None


def _is_told(sentence: str, at: int, end: int, *, present: bool) -> bool:
    from ragqa.validation.grounded.claims import english_forms as forms
    from ragqa.validation.grounded.claims.english import clause_before

    before = _MONTH.sub("", clause_before(sentence, at))
    if any(form.search(before) for form in (forms.NEGATED, forms.POSSIBLE, forms.CONDITION)):
        return False
    after = sentence[end:]
    if _FALSE.match(after):
        return False
    auxiliary = _AUXILIARY.search(before)
    if auxiliary and auxiliary["past"]:
        return True
    if auxiliary:
        settled = present or _SETTLED.search(sentence[:end])
        return bool(settled) and not forms.RULE.match(after)
    if sentence[at:end].lower() in _BASES:
        return False
    return not forms.RULE.match(after) and not _HAPPENS.search(after)
