"""Where a long sentence may be cut, so that its pieces still say what they said."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate

from ragqa.language import clauses, turns
from ragqa.language.late import late

Span = tuple[int, int]

# A part may also begin here, where a clause is too long for a whole one.
_JOINT = late(
    r"\s(?=(?:and|or|but|which|who|whose|where|when|while|because|that|with|in|on|at|by|for|from"
    r"|as|to|into|after|before|during|until|including|such|approximately|about)\s)"
)

# But not inside of these: the half of a range or of a comparison says something else.
_TOGETHER = late(
    r"\b(?:from\s[^,;]{1,60}?\sto|between\s[^,;]{1,60}?\sand|as\s\w+\sas|such\sas"
    r"|(?:up|prior|due|next|according)\sto)\s"
)

# A figure, a word of Latin letters, an address: half of it says something else.
_SOLID = late(r"[!-~〇零一二三四五六七八九十百千万亿两半]")


@dataclass(frozen=True, slots=True)
class Spans:
    """Spans of a sentence, ready to be asked which slices lie in one of them.

    Attributes:
        starts: Where they begin, in order.
        reach: How far each or one that begins before it reaches.
    """

    starts: list[int]
    reach: list[int]

    @classmethod
    def of(cls, spans: Iterable[Span] | None) -> Spans:
        """Put spans in order."""
        ordered = sorted(spans or ())
        return cls([start for start, _ in ordered], list(accumulate((b for _, b in ordered), max)))

    def hold(self, start: int, end: int) -> bool:
        """Tell whether one of them holds a slice."""
        at = bisect_right(self.starts, start)
        return at > 0 and self.reach[at - 1] >= end


def parts_of(sentence: str, answers: Spans, max_chars: int) -> list[Span]:
    """Return the pieces that an excerpt may consist of, none longer than the limit."""
    return [
        short
        for clause in clauses(sentence)
        for joint in _at_joints(sentence, clause, answers)
        for short in _between_words(sentence, joint, max_chars)
    ]


def _at_joints(sentence: str, clause: Span, answers: Spans) -> Iterator[Span]:
    start, end = clause
    together = Spans.of(match.span() for match in _TOGETHER.finditer(sentence, start, end))
    for joint in _JOINT.finditer(sentence, start, end):
        around = joint.start() - 1, joint.start() + 1
        if joint.start() <= start or answers.hold(*around) or together.hold(*around):
            continue
        if not turns(sentence, start, joint.start()):  # it turns what follows it
            yield start, joint.start()
            start = joint.end()
    yield start, end


def _between_words(sentence: str, part: Span, max_chars: int) -> Iterator[Span]:
    start, end = part
    while end - start > max_chars:
        least, most = start + (max_chars + 1) // 2, start + max_chars
        blank = sentence.rfind(" ", least, most)
        at = blank if blank > 0 else _before_solid(sentence, least, most)
        yield start, at
        start = at + (blank > 0)
    yield start, end


def _before_solid(sentence: str, least: int, most: int) -> int:
    """Return the last place up to ``most`` where no figure and no word is cut, if there is one."""
    at = most
    while at > least and _SOLID.match(sentence[at - 1]) and _SOLID.match(sentence[at]):
        at -= 1
    return most if at == least else at
