"""How many things a claim says were done, and which: against the records that bear it out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ragqa.language.late import late
from ragqa.validation.grounded.claims.claim import Claim
from ragqa.validation.grounded.claims.effects import THINGS_EN, THINGS_ZH, either

Record = Mapping[str, Any]

_EN = dict(
    zip(
        ["both", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"],
        (2, *range(2, 11)),
        strict=True,
    )
)
_ZH = dict(zip("两二三四五六七八九十", (2, *range(2, 11)), strict=True))
_COUNTED_EN = late(
    rf"\b({'|'.join(_EN)}|\d{{1,2}})\s+(?:(?:of\s+)?(?:the|your|these|those)\s+)?"
    rf"(?:(?!(?:and|or|for|to|with|in|on|of)\b)[a-z-]+\s+){{0,2}}?({either(THINGS_EN)})e?s\b",
    re.IGNORECASE,
)
_COUNTED_ZH = late(rf"([{''.join(_ZH)}]|\d{{1,2}})\s?[个张份条封笔件项次]?({either(THINGS_ZH)})")


def too_many(claim: Claim, bearing: Sequence[Record], evidence: Sequence[str]) -> str:
    """Return the words that count more things than the records have made; empty if none do.

    Only things that a tool's own name speaks of are counted, one a record; a tool of several
    ("create_tickets"), and a number or a list of that length in what it was given, pass.
    """
    for count, noun, shown in _counts(claim.text):
        made = [record for record in bearing if _makes_one(record, noun)]
        if not made or len(made) < len(bearing):
            continue
        operations = {
            str(record.get("same_as") or record.get("id") or id(record)) for record in made
        }
        if count > len(operations) and not _is_given(count, noun, made, evidence):
            return shown
    return ""


def _counts(text: str) -> Iterator[tuple[int, str, str]]:
    for match in _COUNTED_EN.finditer(text):
        said = match[1].lower()
        yield _EN.get(said) or int(said), match[2].lower(), match[0]
    for match in _COUNTED_ZH.finditer(text):
        yield _ZH.get(match[1]) or int(match[1]), match[2], match[0]


def _makes_one(record: Record, noun: str) -> bool:
    told = " ".join(str(record.get(key) or "") for key in ("name", "effect")).lower()
    english = next((pair for pair in _GROUPS if noun in pair), (noun,))
    return any(re.search(rf"(?<![a-z]){re.escape(word)}(?![a-z])", told) for word in english)


_GROUPS = (
    ("ticket", "工单"),
    ("order", "订单"),
    ("email", "mail", "e-mail", "邮件"),
    ("file", "文件"),
)
"""The same thing in both languages."""


def _is_given(count: int, noun: str, made: Sequence[Record], evidence: Sequence[str]) -> bool:
    given = [value for record in made for value in _values(record.get("arguments"))]
    if any(value == count or (isinstance(value, list) and len(value) >= count) for value in given):
        return True
    told = [*(value for value in given if isinstance(value, str)), *evidence]
    return any(
        other >= count and named == noun for text in told for other, named, _ in _counts(text)
    )


def _values(value: Any) -> Iterator[Any]:
    yield value
    members: Any = value.values() if isinstance(value, Mapping) else value
    if isinstance(value, Mapping | list):
        for member in members:
            yield from _values(member)
