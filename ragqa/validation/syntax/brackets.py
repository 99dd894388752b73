"""Where an object ends that cannot be read as it stands: by its brackets, or its string's end."""

from __future__ import annotations

import json
import re
from typing import Final

from ragqa.language.late import late
from ragqa.validation.syntax.lexis import STRING_BEFORE
from ragqa.validation.syntax.outcome import Broken, Budget

_SKIPPED: Final = late(r'"(?:[^"\\]++|\\.)*+"?|[{}\[\]]', re.DOTALL)
_ESCAPED_QUOTE: Final = late(r"[{｛](?:\s|\\++[nrt])*+(\\++)[\"']")
_OF_ESCAPED: Final = late(r"(\\++)[\"']|[{}]")


def end_of_broken(text: str, broken: Broken, budget: Budget) -> int | None:
    """Return where a broken object ends, by its brackets alone; None if it has no clear end."""
    if broken.kind != "structure":
        return None
    depth = broken.depth
    for match in _SKIPPED.finditer(text, broken.at):
        bracket = match[0]
        budget.tokens -= 1
        if bracket in "{[":
            depth += 1
        elif bracket in "}]":
            depth -= 1
            if depth == 0:
                budget.chars -= match.end() - broken.at
                return match.end()
        if budget.is_spent:
            break
    budget.chars -= len(text) - broken.at
    return None


def has_escaped_quotes(text: str, start: int) -> bool:
    r"""Tell whether an object's first quote is escaped, as ``\"``."""
    return bool(_ESCAPED_QUOTE.match(text, start))


def end_of_escaped(text: str, start: int) -> int:
    r"""Return where an object ends whose quotes are escaped, as ``\"``, by its brackets."""
    opening = _ESCAPED_QUOTE.match(text, start)
    assert opening is not None, "an escaped quote follows the brace"
    depth, in_string = 0, False
    for match in _OF_ESCAPED.finditer(text, start):
        if match[1]:
            in_string ^= match[1] == opening[1]
        elif not in_string:
            depth += 1 if match[0] == "{" else -1
            if depth == 0:
                return match.end()
    return len(text)


_STRINGS: Final = json.JSONDecoder(strict=False)


def json_string(text: str, start: int) -> tuple[str, int] | None:
    """Return what a JSON string says that is nothing but an object, and where it ends."""
    quote = STRING_BEFORE.search(text, max(0, start - 12), start)
    if quote is None:
        return None
    try:
        inner, end = _STRINGS.raw_decode(text, quote.start())
    except ValueError:
        return None
    is_object = inner.strip()[:1] in "{[" and inner.strip()[-1:] in "}]" and len(inner) > 2
    return (inner, end) if is_object and "\\" in text[start:end] else None
