"""What stands around an object: fences, tags and prose, and signs that it is not meant for us."""

from __future__ import annotations

import re
from typing import Final

from ragqa.language.late import late
from ragqa.validation.shape import Shape

_NAME = r"([\w.:/-]{1,80}?)"
_CALLED_BEFORE: Final = tuple(
    late(pattern + r"\Z")
    for pattern in (
        rf"<function={_NAME}>\s*",
        rf"<(?:invoke|function|tool_call|tool)\s+name=[\"']?{_NAME}[\"']?\s*>\s*",
        rf"\[TOOL_CALLS\]\s*{_NAME}\s*(?:\[CALL_ID\]\s*\w{{0,80}})?(?:\[ARGS\])?\s*",
        rf"<｜tool▁sep｜>\s*{_NAME}\s*(?:```(?:json)?)?\s*",
        rf"\bto=functions\.{_NAME}(?::\d+)?\s*(?:<\|channel\|>\w+\s*)?"
        r"(?:<\|constrain\|>\s*\w+\s*)?(?:<\|message\|>)?\s*",
        rf"<\|tool_call_begin\|>\s*(?:functions\.)?{_NAME}(?::\d+)?\s*"
        r"(?:<\|tool_call_argument_begin\|>)?\s*",
    )
)
"""How models of several makers write a call: the tool's name, then its arguments."""

_NOTE_BEFORE: Final = late(
    r"(?:^|\n)[ \t>*_#-]*"
    r"(?:Action(?: Input)?|Observation|动作(?:输入)?|行动(?:输入)?|观察(?:结果)?)"
    r"[*_ \t]*[:：]\s*(?:```\w{0,20}\s*|`)?\Z",
    re.IGNORECASE,
)
_NOTES: Final = late(
    r"^[ \t>*_#-]*(Thought|Action|Action Input|Observation|思考|行动|动作|观察)[*_ \t]*[:：]",
    re.IGNORECASE | re.MULTILINE,
)
_BYTES_BEFORE: Final = late(r"(?<!\w)[bB]['\"]\Z")
_NOTES_WINDOW = 8_000
_AROUND = 2_000
WINDOW = 300  # characters before an object that can say whose it is

_CALL_TAG: Final = late(
    r"</?(?:tool_calls?|function_calls?|function|invoke|tool_use|tool)(?:[ =][^<>\n]{0,100})?>"
    r"|\[/?TOOL_CALLS\][^\s\[\]{}]{0,80}|\[ARGS\]|\[CALL_ID\]\w{0,80}"
    r"|<\|(?:python_tag|plugin|call|action_start|action_end|tool_[a-z_]{1,40})\|>"
    r"|<｜tool▁sep｜>\s*[\w.-]{1,80}|<｜tool[^<>｜]{1,60}｜>(?:function(?=<))?"
)
_FENCE: Final = late(r"`{3,}|~{3,}|`")
_FENCE_BEFORE: Final = late(r"(?:(?:`{3,}|~{3,})[^\n`~{]*\s*){1,3}\Z")
"""Fences with their info strings, right before the object."""


def belongs_elsewhere(text: str, start: int, end: int, shape: Shape) -> bool:
    """Tell whether an object is another tool's, an agent's notes, or one of a longer list.

    Args:
        text: The whole text.
        start: Where the object begins.
        end: Where it ends.
        shape: What is wanted; a call that bears its name is meant for us.
    """
    before = text[max(0, start - WINDOW) : start]
    if is_announced_elsewhere(before, shape):
        return True
    previous, following = before.rstrip()[-1:], text[end : end + WINDOW].lstrip()[:1]
    return (previous == "[" and following == ",") or (previous == "," and following == "]")


def is_announced_elsewhere(before: str, shape: Shape) -> bool:
    """Tell whether the text before an object says that it is another tool's, or a note."""
    if _NOTE_BEFORE.search(before) or _BYTES_BEFORE.search(before):
        return True
    for pattern in _CALLED_BEFORE:
        if called := pattern.search(before):
            return not shape.bears(called[1])
    return False


def are_notes(text: str) -> bool:
    """Tell whether a text is an agent's notes (thought, planned action), not an answer."""
    return len({match[1].casefold() for match in _NOTES.finditer(text, 0, _NOTES_WINDOW)}) > 1


def repairs_around(text: str, start: int, end: int, *, encoded: bool) -> tuple[str, ...]:
    """Name what stands around an object and was left out.

    Args:
        text: The whole text.
        start: Where the object begins.
        end: Where it ends.
        encoded: Whether the object is a string's content, so that quotes around it belong to it.
    """
    repairs = []
    before = text[max(0, start - _AROUND) : start].rstrip("\"'" if encoded else None)
    unfenced = _FENCE_BEFORE.sub("", before)
    around = f"{unfenced}\n{text[end : end + _AROUND]}"
    bare = _CALL_TAG.sub("", around)
    if bare != around:
        repairs.append("tool_call_wrapper")
    without_fences = _FENCE.sub("", bare)
    if without_fences != bare or unfenced != before:
        repairs.append("code_fence")
    blanks = " \t\r\n\"'" if encoded else " \t\r\n"
    if without_fences.strip(blanks) or start > _AROUND or len(text) - end > _AROUND:
        repairs.append("surrounding_text")
    return tuple(repairs)
