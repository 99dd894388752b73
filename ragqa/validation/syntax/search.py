"""Find every object in a text: in prose, fences, tags, lists, and texts that were encoded twice."""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ragqa.language.late import late
from ragqa.validation.shape import Shape
from ragqa.validation.syntax.brackets import end_of_broken, json_string
from ragqa.validation.syntax.lexis import ODD_BLANKS
from ragqa.validation.syntax.outcome import Broken, Budget, Found
from ragqa.validation.syntax.plain import plain_object
from ragqa.validation.syntax.reader import read
from ragqa.validation.syntax.surroundings import belongs_elsewhere
from ragqa.validation.syntax.wrappers import ARGUMENT_KEYS

MAX_ENCODINGS = 2
"""How many times a text may have been encoded once too often."""

_BLANKS: Final = rf"[\s{ODD_BLANKS}]*+"
_OBJECT: Final = late(
    rf"[{{｛](?=[\s\\&\"'“”„‟‘’＂＇}}｝/#\w{ODD_BLANKS}]){_BLANKS}(?:"
    r"(?P<escaped>(?:\s|\\++[nrt])*+\\++(?:[\"']|u[0-9a-fA-F]{4}))"
    r"|(?P<html>&(?:quot|#34|#x22|apos|#39|#x27);)"
    r"|[\"'“”„‟‘’＂＇}｝/#]"
    rf"|[^\W\d][\w$]*+{_BLANKS}[:：]"
    r")"
)
_LISTS_BEFORE: Final = late(rf"[\[［]{_BLANKS}(?:[\[［]{_BLANKS})?\Z")
_UNESCAPED: Final = late(r'(?:[^"\\]++|\\.)*+', re.DOTALL)
_ESCAPED: Final = late(r"\\([\\'])")
_OF_HTML: Final = late(r"[^<>\"]*+")
_TORN: Final = late(
    rf"{_BLANKS}(?:[,，]{_BLANKS}[\"'“][^{{}}｛｝]{{0,2000}}[}}｝]|[\"'”]{_BLANKS}[}}｝\]］,，])"
)
"""Members, or the end of a string, behind the closing brace: the object ended elsewhere."""
_WRAPPER_KEYS: Final = frozenset(ARGUMENT_KEYS)
_ATTEMPT_COST = 8  # to start, sort and judge takes about as long as to read eight members


@dataclass(slots=True)
class Finds:
    """What a text holds.

    Attributes:
        found: Complete objects and lists, in their order.
        broken: What could not be read.
        fatal: A broken attempt at the wanted object whose end is unknown: what follows it may be
            a part of it, so nothing else in the text can be trusted.
        disowned: Objects that belong to another tool, an agent's notes or a longer list.
    """

    found: list[Found] = field(default_factory=list)
    broken: list[Broken] = field(default_factory=list)
    fatal: Broken | None = None
    disowned: list[Found] = field(default_factory=list)


def find_objects(text: str, shape: Shape, budget: Budget, encodings: int = 0) -> Finds:
    """Find every object in a text.

    Args:
        text: A reply, or what a string in it says.
        shape: What is wanted: tells an attempt at it from braces in prose.
        budget: The work that is left.
        encodings: How many encodings have been taken off this text.
    """
    finds = Finds()
    if encodings < MAX_ENCODINGS and (inner := _whole_string(text)) is not None:
        deeper = find_objects(inner, shape, budget, encodings + 1)
        _take_over(finds, deeper, 0, len(text), "doubled_encoding")
        return finds
    if encodings < MAX_ENCODINGS and _is_python_string(text):
        deeper = find_objects(_ESCAPED.sub(r"\1", text[1:-1]), shape, budget, encodings + 1)
        _take_over(finds, deeper, 0, len(text), "doubled_encoding")
    position = 0
    while finds.fatal is None and (match := _OBJECT.search(text, position)):
        budget.tokens -= _ATTEMPT_COST
        budget.chars -= match.end() - position
        if budget.is_spent:
            finds.fatal = Broken("budget", position, position, "the reply is too tangled to read")
        elif (in_string := json_string(text, match.start())) and encodings < MAX_ENCODINGS:
            inner, position = in_string
            deeper = find_objects(inner, shape, budget, encodings + 1)
            _take_over(finds, deeper, match.start(), position, "doubled_encoding")
        elif match["escaped"] or match["html"]:
            position = _find_encoded(text, match, shape, budget, encodings, finds)
        else:
            position = _find_plain(text, match.start(), shape, budget, finds)
    return finds


def sole_object(text: str, shape: Shape) -> Finds | None:
    """Find the object of a text that is plain JSON with prose or a fence around it.

    Before its first and behind its last brace no other object begins, so there is nothing to
    search for. None if the text has to be searched.
    """
    start, end = text.find("{"), text.rfind("}") + 1
    if not 0 <= start < end or text.find("{", end) >= 0 or "｛" in text:
        return None
    if _LISTS_BEFORE.search(text, max(0, start - 40), start) or _is_python_string(text):
        return None
    value = plain_object(text[start:end])
    if value is None or not shape.names.issuperset(value) or not shape.complete(value):
        return None
    finds = Finds()
    _sort_in(text, Found(value, start, end), shape, finds)
    return finds


def _whole_string(text: str) -> str | None:
    """Return what a text says that is one JSON string."""
    if len(text) < 2 or text[0] != '"' or text[-1] != '"':
        return None
    try:
        inner: Any = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    return inner if isinstance(inner, str) else None


def _is_python_string(text: str) -> bool:
    """Tell whether a text may be what Python prints of JSON: then it is read in both ways."""
    return text[:1] == text[-1:] == "'" and "\\\\" in text


def _find_plain(text: str, start: int, shape: Shape, budget: Budget, finds: Finds) -> int:
    """Read an object, or the list that it begins; return where to go on searching."""
    if lists := _LISTS_BEFORE.search(text, max(0, start - 40), start):
        outcome = read(text, lists.start(), budget)
        if isinstance(outcome, Found):
            _sort_in(text, outcome, shape, finds)
            return outcome.end
    outcome = read(text, start, budget)
    if isinstance(outcome, Found):
        _sort_in(text, outcome, shape, finds)
        return outcome.end
    finds.broken.append(outcome)
    return _after_broken(text, outcome, shape, budget, finds)


def _sort_in(text: str, found: Found, shape: Shape, finds: Finds) -> None:
    if _may_be_ours(found.value, shape) and belongs_elsewhere(text, found.start, found.end, shape):
        finds.disowned.append(found)
        return
    if _TORN.match(text, found.end):
        found = replace(
            found, flaw=found.flaw or "members or quotes stand behind the closing brace"
        )
    finds.found.append(found)


def _may_be_ours(value: Any, shape: Shape) -> bool:
    if not isinstance(value, dict):
        return True
    return shape.known(value) > 0 or not _WRAPPER_KEYS.isdisjoint(value) or not shape.required


def _after_broken(text: str, broken: Broken, shape: Shape, budget: Budget, finds: Finds) -> int:
    """Return where to go on after something that could not be read.

    Braces in prose have no members: the search goes on right after them. What has members is an
    object; what stands inside it belongs to it, and is no object of its own.
    """
    if broken.kind == "budget":
        finds.fatal = broken
        return broken.at
    if not broken.keys:
        return broken.start + 1
    end = end_of_broken(text, broken, budget)
    if end is not None:
        return end
    if shape.known(broken.keys) or _WRAPPER_KEYS.intersection(broken.keys):
        finds.fatal = broken
    return max(broken.at, broken.start + 1)


def _find_encoded(
    text: str, match: re.Match[str], shape: Shape, budget: Budget, encodings: int, finds: Finds
) -> int:
    r"""Read an object whose quotes are escaped, as ``\"`` or ``&quot;``."""
    start = match.start()
    repair = "doubled_encoding" if match["escaped"] else "html_entities"
    body = (_UNESCAPED if match["escaped"] else _OF_HTML).match(text, start)
    assert body is not None, "the pattern matches the empty string"
    end = max(text.rfind("}", start, body.end()), text.rfind("｝", start, body.end())) + 1
    budget.chars -= body.end() - start
    if not end:
        reason = "the reply ends before the object is closed"
        finds.broken.append(Broken("unclosed", start, body.end(), reason))
        return body.end()
    inner = _unescaped(text[start:end]) if match["escaped"] else html.unescape(text[start:end])
    if inner is None or encodings == MAX_ENCODINGS:
        finds.broken.append(Broken("structure", start, end, "its escapes cannot be read"))
        return body.end()
    deeper = find_objects(inner, shape, budget, encodings + 1)
    _take_over(finds, deeper, start, end, repair)
    return body.end()


def _unescaped(body: str) -> str | None:
    try:
        text: str = json.loads(f'"{body}"', strict=False)
    except (ValueError, RecursionError):
        return None
    return text


def _take_over(finds: Finds, inner: Finds, start: int, end: int, repair: str) -> None:
    """Take over what an encoded text holds, at the place where the text stands."""
    for found in inner.found:
        repairs = tuple(dict.fromkeys((repair, *found.repairs)))
        finds.found.append(replace(found, start=start, end=end, repairs=repairs))
    finds.disowned += inner.disowned
    finds.broken += [replace(broken, start=start, at=end) for broken in inner.broken]
    if inner.fatal is not None:
        finds.fatal = replace(inner.fatal, start=start, at=end)
