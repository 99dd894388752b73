"""Custom analyzers of an index definition: checked as the service checks them, and carried out.

Of the published parts those are here that ragqa's definitions use; others are refused, though the
service would take them. They do what Lucene's do, as far as this goes: classes of characters are
those of the Unicode version of ``regex``, not of the service's Java; the Snowball stemmer is that
of PyStemmer, perhaps another release of the same algorithm; of the table of asciifolding there are
accents, ligatures and full-width forms.
Sources: https://learn.microsoft.com/azure/search/index-add-custom-analyzers,
https://learn.microsoft.com/rest/api/searchservice/indexes/create
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import regex
import Stemmer

from tests.wire.azure.search_refusals import JsonObject, invalid, unknown_key

Analyze = Callable[[str], list[str]]

PARTS = ("analyzers", "charFilters", "tokenizers", "tokenFilters")
_PREFIX = "#Microsoft.Azure.Search."
_KEYS = {
    "CustomAnalyzer": {"charFilters", "tokenizer", "tokenFilters"},
    "PatternReplaceCharFilter": {"pattern", "replacement"},
    "PatternTokenizer": {"pattern", "flags", "group"},
    "LengthTokenFilter": {"min", "max"},
    "SnowballTokenFilter": {"language"},
}
_REQUIRED = {
    "CustomAnalyzer": {"tokenizer"},
    "PatternReplaceCharFilter": {"pattern", "replacement"},
    "SnowballTokenFilter": {"language"},
}
_OF_PART = {
    "analyzers": {"CustomAnalyzer"},
    "charFilters": {"PatternReplaceCharFilter"},
    "tokenizers": {"PatternTokenizer"},
    "tokenFilters": {"LengthTokenFilter", "SnowballTokenFilter"},
}
_BUILT_IN = {
    "charFilters": {"html_strip"},
    "tokenizers": {"standard_v2", "keyword_v2", "whitespace"},
    "tokenFilters": {"lowercase", "asciifolding", "snowball", "length"},
}
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9 _-]{0,126}[A-Za-z0-9])?")
_LONGEST = 300
_LETTERS = dict(zip("ßæœøđðþłı", ("ss", "ae", "oe", "o", "d", "d", "th", "l", "i"), strict=True))


def check(definition: JsonObject, built_in_analyzers: set[str]) -> None:
    """Refuse parts that the service would not take.

    Raises:
        Refused: Says which part, and why.
    """
    for part in PARTS:
        seen = set(built_in_analyzers if part == "analyzers" else _BUILT_IN[part])
        for one in definition.get(part) or []:
            _check_one(one, part)
            if one["name"] in seen:
                raise invalid(f"The name '{one['name']}' in '{part}' is taken.")
            seen.add(one["name"])
    for analyzer in definition.get("analyzers") or []:
        for part, names in _used(analyzer).items():
            known = _BUILT_IN[part] | {one["name"] for one in definition.get(part) or []}
            for name in names:
                if name not in known:
                    raise invalid(
                        f"The analyzer '{analyzer['name']}' names '{name}', which is not in "
                        f"'{part}' and not built in."
                    )


def check_update(before: JsonObject, after: JsonObject) -> None:
    """Refuse changed parts; the service takes new ones with ``allowIndexDowntime``, which nobody
    sends here."""
    for part in PARTS:
        if (after.get(part) or []) != (before.get(part) or []):
            raise invalid(
                f"'{part}' cannot be changed while the index is online. Set allowIndexDowntime.",
                detail="CannotChangeExisting",
            )


def _check_one(one: JsonObject, part: str) -> None:
    kind = str(one.get("@odata.type", "")).removeprefix(_PREFIX)
    if kind not in _OF_PART[part] or not str(one["@odata.type"]).startswith(_PREFIX):
        raise invalid(f"The '@odata.type' '{one.get('@odata.type')}' does not fit into '{part}'.")
    if not _NAME.fullmatch(str(one.get("name", ""))):
        raise invalid(f"'{one.get('name')}' is no valid name in '{part}'.")
    for key in one:
        if key not in _KEYS[kind] | {"@odata.type", "name"}:
            raise unknown_key(key, part)
    if missing := _REQUIRED.get(kind, set()) - one.keys():
        raise invalid(f"'{one['name']}' in '{part}' lacks '{min(missing)}'.")
    lowest, highest = one.get("min", 0), one.get("max", _LONGEST)
    if not 0 <= lowest < highest <= _LONGEST:
        raise invalid(f"'{one['name']}' must have 0 <= min < max <= {_LONGEST}.")
    try:
        regex.compile(one.get("pattern", ""))
    except regex.error as error:
        raise invalid(f"The pattern of '{one['name']}' is no regular expression.") from error


def _used(analyzer: JsonObject) -> dict[str, list[str]]:
    return {
        "charFilters": analyzer.get("charFilters") or [],
        "tokenizers": [analyzer["tokenizer"]],
        "tokenFilters": analyzer.get("tokenFilters") or [],
    }


def custom(definition: JsonObject, name: str) -> Analyze | None:
    """Return what a definition's own analyzer does; None where it has none of that name."""
    named = {part: {o["name"]: o for o in definition.get(part) or []} for part in PARTS}
    found = named["analyzers"].get(name)
    if found is None:
        return None
    steps = {
        part: [_step(named[part].get(used) or {"name": used}) for used in names]
        for part, names in _used(found).items()
    }

    def analyze(text: str) -> list[str]:
        for change in steps["charFilters"]:
            text = change(text)
        tokens = steps["tokenizers"][0](text)
        for change in steps["tokenFilters"]:
            tokens = change(tokens)
        return tokens

    return analyze


def _step(part: JsonObject) -> Callable[[Any], Any]:
    """Return what a part does: from text to text, from text to tokens, from tokens to tokens."""
    kind = str(part.get("@odata.type", part["name"])).removeprefix(_PREFIX)
    steps: dict[str, Callable[[], Callable[[Any], Any]]] = {
        "PatternReplaceCharFilter": lambda: partial(
            regex.compile(part["pattern"]).sub, re.sub(r"\$(\d)", r"\\\1", part["replacement"])
        ),
        "PatternTokenizer": lambda: partial(_split, part.get("pattern", r"\W+")),
        "whitespace": lambda: str.split,
        "keyword_v2": lambda: lambda text: [text],
        "LengthTokenFilter": lambda: partial(_of_length, part.get("min", 0), part.get("max", 300)),
        "SnowballTokenFilter": lambda: _stemmer(part["language"]).stemWords,
        "lowercase": lambda: lambda tokens: [token.lower() for token in tokens],
        "asciifolding": lambda: lambda tokens: [folded(token) for token in tokens],
    }
    if kind not in steps:
        raise invalid(f"This stand-in has no '{kind}'.")
    return steps[kind]()


def _split(pattern: str, text: str) -> list[str]:
    return [token for token in regex.split(pattern, text) if token]


def _of_length(least: int, most: int, tokens: list[str]) -> list[str]:
    return [token for token in tokens if least <= len(token) <= most]


@cache
def _stemmer(language: str) -> Any:
    return Stemmer.Stemmer(language)


@cache
def folded(token: str) -> str:
    """Return a token with letters that have a counterpart in ASCII as that."""
    if token.isascii():
        return token
    return "".join(map(_folded_letter, token))


def _folded_letter(char: str) -> str:
    if char in _LETTERS:
        return _LETTERS[char]
    plain = "".join(c for c in unicodedata.normalize("NFKD", char) if c.isascii())
    return plain if plain.isalnum() else char
