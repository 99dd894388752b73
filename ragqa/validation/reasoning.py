"""Take reasoning out of a reply: what a model thinks to itself is a draft, never the answer.

Blocks stand in tags of many spellings. A tag inside a JSON string is data, so objects are read
first and gone past. What is left of a block that was opened and not closed is a draft: there is
no answer in it, even if an object is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ragqa.validation.syntax.brackets import (
    end_of_broken,
    end_of_escaped,
    has_escaped_quotes,
    json_string,
)
from ragqa.validation.syntax.outcome import Budget, Found
from ragqa.validation.syntax.reader import read

_WORDS: Final = (
    "think(?:ing)?|thoughts?|reason(?:ing)?|reflection|scratchpad|analysis"
    "|antthinking|inner_monologue|seed:think|chain_of_thought|cot|thinking_process|thought_process"
    "|(?:inner|internal)_thoughts?|reasoning_content|scratch_pad|思考(?:过程)?"
)
OPENED: Final = (
    rf"(?:<(?=[\w:]{{2,20}}+[\s>])(?P<opened>{_WORDS})(?:\s[^<>]{{0,200}})?>|◁think▷|\[THINK\]"
    r"|<\|(?:begin_of_thought|START_THINKING|begin_of_thinking|think(?:ing)?|inner_prefix)\|>"
    r"|<\|channel>thought\b)"
)
"""The tag that opens a block; its word is the group ``opened``, where it has one."""
_OTHERS_CLOSED: Final = (
    r"◁/think▷|\[/THINK\]|<\|(?:end_of_thought|END_THINKING|end_of_thinking|/think(?:ing)?"
    r"|inner_suffix|content)\|>|<channel\|>"
)
_BRACE: Final = re.compile(r"[{｛](?=\s*+[\"'“”„‟‘’＂＇\\]|\s*+[^\W\d]\w*+\s*+[:：])")
_TAGS: Final = re.compile(
    rf"(?P<open>{OPENED})|(?P<close></(?P<closed>{_WORDS})\s{{0,5}}>|{_OTHERS_CLOSED})",
    re.IGNORECASE,
)
_MARKS: Final = re.compile(rf"{_TAGS.pattern}|(?P<brace>{_BRACE.pattern})", re.IGNORECASE)
_MAX_BLOCKS = 500
_MAX_MARKS = 5_000

CHANNEL_START: Final = (
    r"<\|(?:start\|>assistant(?P<recipient>[^<]{0,100})<\|)?channel\|>\s{0,5}(?P<channel>\w{1,40})(?P<header>[^<]{0,200})"
    r"(?:<\|constrain\|>[^<]{0,40})?<\|message\|>"
)
"""The header of a message in one of the channels of gpt-oss, up to the message itself."""
_CHANNEL: Final = re.compile(CHANNEL_START)
_CHANNEL_END: Final = re.compile(r"<\|(?:end|return|start|call|channel)\|>")
_BARE_CHANNELS: Final = re.compile(r"\A(?:analysis|commentary).*?assistantfinal", re.DOTALL)
"""Channels where the endpoint dropped the special tokens and kept their words."""


def closed_by(word: str | None) -> str:
    """Return the pattern of the tag that closes a block."""
    return rf"</{word}\s{{0,5}}>" if word else _OTHERS_CLOSED


def called_function(header: re.Match[str]) -> str | None:
    """Return the function that a message in a channel calls, if it calls one."""
    words = f"{header['recipient'] or ''} {header['header']}".partition("to=functions.")[2].split()
    return words[0] if words else None


@dataclass(frozen=True, slots=True)
class Spoken:
    """A reply without its reasoning.

    Attributes:
        text: What was said.
        had_reasoning: Whether something was taken out.
        is_cut: Whether the reply ended while the model was still thinking.
        is_tangled: Whether reasoning cannot be told from the strings of an unreadable object.
    """

    text: str
    had_reasoning: bool = False
    is_cut: bool = False
    is_tangled: bool = False


def without_reasoning(text: str) -> Spoken:
    """Take closed reasoning blocks out of a reply, and tell of unclosed ones."""
    channels = _in_channels(text)
    return _in_tags(text) if channels is None else channels


def _in_channels(text: str) -> Spoken | None:
    """Return the final message of a reply in channels; None if it has none."""
    if bare := _BARE_CHANNELS.match(text):
        return Spoken(text[bare.end() :], had_reasoning=True)
    first = _outside_objects(text, "<|channel|>")
    if first is None:
        return None
    final: str | None = None
    messages = list(_CHANNEL.finditer(text, first))
    for message in messages:
        end = _CHANNEL_END.search(text, message.end())
        called = called_function(message)
        if message["channel"] == "final" or called:
            call = f"<function={called}>" if called else ""
            final = call + text[message.end() : end.start() if end else len(text)]
    if final is None:
        return Spoken("", had_reasoning=True, is_cut=True)
    return Spoken(final, had_reasoning=len(messages) > 1 or first > 0)


def _outside_objects(text: str, mark: str) -> int | None:
    """Return where a mark stands first outside objects."""
    position, marked = 0, text.find(mark)
    budget = Budget.of(text)
    while marked >= 0 and (brace := _BRACE.search(text, position, marked)):
        end = _end_of_object(text, brace.start(), budget, trusted=True)
        if end is None:
            break
        position = end
        if end > marked:
            marked = text.find(mark, end)
    return marked if marked >= 0 else None


def _in_tags(text: str) -> Spoken:
    """Take blocks in tags out; objects outside of them are gone past untouched."""
    kept: list[str] = []
    budget = Budget.of(text)
    position = start = blocks = 0
    is_tangled = False
    last_alone = _last_closing_alone(text)
    while mark := _MARKS.search(text, position):
        if mark["brace"]:
            end = _end_of_object(text, mark.start(), budget, trusted=mark.end() < last_alone)
            if end is None:
                is_tangled = bool(_TAGS.search(text, mark.end()))
                break  # a tag behind a broken object may stand in one of its strings
            position = end
            continue
        blocks += 1
        if blocks > _MAX_BLOCKS:
            return Spoken("", had_reasoning=True, is_cut=True)
        if mark["close"]:  # without an opening tag: everything before it was thought
            kept.clear()
        else:
            kept.append(text[start : mark.start()])
            closing = _closing(text, mark, budget)
            if closing is None:
                return Spoken("", had_reasoning=True, is_cut=True)
            mark = closing
        position = start = mark.end()
    kept.append(text[start:])
    return Spoken("".join(kept).strip(), had_reasoning=blocks > 0, is_tangled=is_tangled)


def _end_of_object(text: str, start: int, budget: Budget, *, trusted: bool) -> int | None:
    """Return where to go on after a brace; None behind a broken object, unless it is trusted."""
    if in_string := json_string(text, start):
        return in_string[1]
    if has_escaped_quotes(text, start):
        return end_of_escaped(text, start)
    if budget.is_spent:
        return None
    outcome = read(text, start, budget)
    if isinstance(outcome, Found):
        return outcome.end
    if trusted or not outcome.keys:
        return start + 1
    return end_of_broken(text, outcome, budget)


def _closing(text: str, opening: re.Match[str], budget: Budget) -> re.Match[str] | None:
    """Return the closing tag of a block; blocks of its kind and objects inside are gone past."""
    depth, position = 1, opening.end()
    for _ in range(_MAX_MARKS):
        mark = _MARKS.search(text, position)
        if mark is None:
            return None
        position = mark.end()
        if mark["brace"]:
            position = _end_of_object(text, mark.start(), budget, trusted=True) or position
        elif _kind(mark) == _kind(opening):
            depth += 1 if mark["open"] else -1
            if depth == 0:
                return mark
    return None


def _kind(mark: re.Match[str]) -> str:
    """Return the word of a tag; tags of special tokens and brackets are one kind."""
    return (mark["opened"] or mark["closed"] or "").casefold()


def _last_closing_alone(text: str) -> int:
    """Return where a closing tag stands last on a line of its own: no string of JSON holds that."""
    return max((match.start() for match in _ALONE.finditer(text)), default=-1)


_ALONE: Final = re.compile(
    rf"(?:^|\n)[ \t]*(?:</(?:{_WORDS})>|◁/think▷|\[/THINK\])[ \t]*(?:\r?\n|$|(?=[{{`]))",
    re.IGNORECASE,
)
