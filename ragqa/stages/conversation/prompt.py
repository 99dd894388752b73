"""What a prompt shows of a conversation: its last turns, a summary of older ones, in a budget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import prompts
from ragqa.contract import Turn
from ragqa.instructions import answer_messages
from ragqa.language import Language, estimate_tokens, language_of, sentences
from ragqa.ports import PastTurn, Policy, Summary

QUESTION_CHARS = 300
ANSWER_CHARS = 240
_SUMMARY_SHARE = 0.4
"""The part of the budget that older turns get where all of them do not fit."""


def shortened(text: str, max_chars: int) -> str:
    """Return the first sentences of a text; a long first one is cut, which shows."""
    text = " ".join(text.split())
    if len(text) <= max_chars:
        return text
    end = max((end for _, end in sentences(text) if end <= max_chars), default=0)
    return text[:end].rstrip() if end > max_chars // 3 else f"{text[: max_chars - 2].rstrip()} …"


def compact(past: PastTurn, language: Language) -> str:
    """Return a turn as a compact record: question, answer, category, confidence."""
    phrase = prompts.load("history", language).part
    question = shortened(past.question, QUESTION_CHARS)
    if past.resolved and past.resolved != past.question:
        question += f" ({shortened(past.resolved, QUESTION_CHARS)})"
    answer = shortened(past.answer, ANSWER_CHARS) or phrase("unanswered")
    line = f"{phrase('question')} {question}\n{phrase('answer')} {answer}"
    return f"{line} [{past.category}, {past.confidence:.2f}]" if past.answer else line


def brief(past: PastTurn) -> str:
    """Return an older turn as one line."""
    question = shortened(past.resolved or past.question, 120)
    return f"- {question} → {shortened(past.answer, 120)}" if past.answer else f"- {question}"


def shown_history(
    turns: Sequence[PastTurn], summary: Summary | None, turn: Turn, policy: Policy
) -> tuple[str, ...]:
    """Return the lines that stand above the passages, within the budget of tokens.

    What the question means comes first, then the last turns, newest first, then what is older.

    Args:
        turns: The turns that the caller may see, oldest first.
        summary: What a model made of the older ones; they are listed without.
        turn: The ask; its question and chain decide how much room there is.
        policy: What is configured.
    """
    language = language_of(turn.question.text)
    phrase = prompts.load("history", language).part
    room = _Room(_room_tokens(turn, policy, language))
    meaning = f"{phrase('meaning')} {turn.search_text}" if turn.search_text else ""
    meaning = meaning if room.takes(meaning) else ""
    room.takes(phrase("intro"))
    whole, older = turns[-policy.session_turns :], turns[: -policy.session_turns]
    least = room.left * _SUMMARY_SHARE if older else 0.0
    recent = _newest((compact(past, language) for past in reversed(whole)), room, least)
    before = "\n".join(_older(older, summary, room, phrase("older"))) if older else ""
    told = [line for line in (before, *recent) if line]
    if not told:
        return (meaning,) if meaning else ()
    return ("\n".join([phrase("intro"), *told]), *((meaning,) if meaning else ()))


def _older(
    older: Sequence[PastTurn], summary: Summary | None, room: _Room, title: str
) -> Iterator[str]:
    covered = set(summary.run_ids) if summary else set()
    if not room.takes(title):
        return
    text = summary.text if summary and room.takes(summary.text) else ""
    rest = [past for past in older if not text or past.run_id not in covered]
    lines = _newest((brief(past) for past in reversed(rest)), room, 0.0)
    if text or lines:
        yield title
        yield from [text, *lines] if text else lines


def _newest(lines: Iterator[str], room: _Room, least: float) -> list[str]:
    """Return the lines that fit, the newest first in coming, the oldest first in standing."""
    kept: list[str] = []
    for line in lines:
        if not room.takes(line, least):
            break
        kept.insert(0, line)
    return kept


class _Room:
    """Tokens that are left."""

    def __init__(self, tokens: float) -> None:
        self.left = tokens

    def takes(self, text: str, least: float = 0.0) -> bool:
        """Take a text in, if enough is left behind it."""
        tokens = estimate_tokens(text) + 1  # and a line break
        if text and tokens > self.left - least:
            return False
        self.left -= tokens if text else 0
        return True


def _room_tokens(turn: Turn, policy: Policy, language: Language) -> float:
    """Return what the conversation may take beside the rules, the question and the passages."""
    own = answer_messages(
        question=turn.question.text, passages="", language=language, schema=policy.schema
    )
    free = policy.max_prompt_tokens - estimate_tokens("".join(m.content for m in own))
    passages = min(policy.max_context_chars, free // 2)  # a Chinese character is about a token
    return max(0, min(policy.session_tokens, free - passages))
