"""What a look-up returned, told in other words or in the other language than its fields have."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from ragqa.language.late import late
from ragqa.language.script import has_han
from ragqa.language.traditional import simplified
from ragqa.validation.grounded.claims.claim import Claim
from ragqa.validation.grounded.claims.effects import things_named
from ragqa.validation.grounded.claims.telling import tells
from ragqa.validation.grounded.claims.wording import worded

_FEWEST = 2  # a verb that has no other words, too, is told as it stands
_ID = late(r"[A-Za-z]{0,8}-?\d[A-Za-z0-9-]*")
_QUOTES = late(r"[\"'“”]")
_FOR_YOU = late(r"[为帮给替][您你]")


def is_reported(claim: Claim, returned: Iterable[str], tools: Iterable[str]) -> bool:
    """Tell whether what was looked up says what a claim does, in whatever words.

    "已为您取消" tells of an act for the user, which no look-up bears out.

    Args:
        claim: The claim.
        returned: What tools returned.
        tools: The names of the tools that looked things up.
    """
    told = worded(claim)
    if len(told) < _FEWEST or _FOR_YOU.search(claim.text):
        return False
    returned = [simplified(text) for text in returned]
    known, claimed = things_named(" ".join((*tools, *returned))), things_named(claim.text)
    if known and claimed and known.isdisjoint(claimed):
        return False
    return any(_tells(text, each) for text in returned for each in told)


def _tells(record: str, claim: Claim) -> bool:
    """Tell whether a record's values say it: what stands in its quotation marks is not quoted."""
    return tells(_QUOTES.sub(" ", record) if has_han(claim.verb) else record, claim)


def about(claim: Claim, text: str) -> list[str]:
    """Return the rows of a result that a claim may be about: those with its number, if any."""
    rows = _rows(text)
    ids = [match[0] for match in _ID.finditer(claim.text) if _holds(text, match[0])]
    if not ids:
        return rows
    return [row for row in rows if any(_holds(row, each) for each in ids)]


def _rows(text: str) -> list[str]:
    """Return the rows of a JSON list, alone or in an object that only counts them; else the text.

    {"id": "A2", "status": "shipped", "items": [...]} is one row itself.
    """
    if not text.lstrip().startswith(("[", "{")):
        return [text]
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return [text]
    if isinstance(found, dict):
        lists = [each for each in found.values() if isinstance(each, list)]
        says_more = any(isinstance(each, str | dict) for each in found.values())
        found = lists[0] if len(lists) == 1 and not says_more else None
    if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
        return [text]
    return [json.dumps(row, ensure_ascii=False) for row in found]


def _holds(record: str, number: str) -> bool:
    return re.search(rf"(?<![A-Za-z0-9-]){re.escape(number)}(?![A-Za-z0-9-])", record) is not None
