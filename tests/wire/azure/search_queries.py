"""The two query syntaxes, as far as ragqa uses them: words, phrases, boosts, operators.

What else the full syntax has (fields, wildcards, ranges, groups, AND and OR) is refused here.
Sources: https://learn.microsoft.com/azure/search/query-simple-syntax,
https://learn.microsoft.com/azure/search/query-lucene-syntax
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tests.wire.azure.search_refusals import invalid

_PIECE = re.compile(r"[+-]?\"(?:\\.|[^\"\\])*\"[^\s]*|(?:\\.|\S)+")
_PHRASE = re.compile(r"\"(?P<text>(?:\\.|[^\"\\])*)\"(?:\^(?P<boost>\d+(?:\.\d+)?))?")
_SPECIAL = re.compile(r"(?<!\\)(?:\\\\)*[+\-&|!(){}\[\]^\"~*?:/]")


@dataclass
class WordQuery:
    """What a query looks for.

    Attributes:
        required, optional, banned: Its words.
        phrases: What has to stand together, each with what it counts.
    """

    required: list[str] = field(default_factory=list)
    optional: list[str] = field(default_factory=list)
    banned: list[str] = field(default_factory=list)
    phrases: list[tuple[str, float]] = field(default_factory=list)


def simple(text: str) -> WordQuery:
    """Take a query of the simple syntax apart. A backslash takes an operator for what it is."""
    query = WordQuery()
    for part in re.findall(r"(?:\\.|\S)+", text):
        plain = _unescaped(part)
        if part.startswith("-") and len(part) > 1:
            query.banned.append(plain[1:])
        elif part.startswith("+") and len(part) > 1:
            query.required.append(plain[1:])
        else:
            query.optional.append(plain)
    return query


def full(text: str) -> WordQuery:
    """Take a query of the full syntax apart.

    Raises:
        Refused: If it cannot be parsed, or uses what this stand-in does not have.
    """
    query = WordQuery()
    for part in _PIECE.findall(text):
        operator, rest = (part[0], part[1:]) if part[0] in "+-" else ("", part)
        if phrase := _PHRASE.fullmatch(rest):
            query.phrases.append((_unescaped(phrase["text"]), float(phrase["boost"] or 1)))
        elif not rest or rest in ("AND", "OR", "NOT") or _SPECIAL.search(rest):
            raise invalid(
                f"Failed to parse query string at '{part}'. See https://aka.ms/azure-search-full-"
                "query for supported syntax.\r\nParameter name: search"
            )
        else:
            words = {"+": query.required, "-": query.banned}.get(operator, query.optional)
            words.append(_unescaped(rest))
    return query


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)
