"""What an English question says before it asks: thanks, a mere yes, a correction."""

from __future__ import annotations

import re

from ragqa.stages.conversation.things import WORD
from ragqa.stages.conversation.words import DETERMINERS, VERBS

ASKS = re.compile(
    r"(?:who|whom|whose|when|where|what|why|how|which|is|are|was|were|do|does|did|can|could|will"
    r"|would|should|has|have|had|may|must|tell|show|give|explain|describe|list|please)\b",
    re.IGNORECASE,
)
PREPOSITION = re.compile(
    r"(?:to|for|in|with|without|from|on|at|by|after|before|outside|within|of|as|if)\b", re.I
)
AUXILIARIES = frozenset(("is", "are", "was", "were", "do", "does", "did", "can", "will", "has"))
LONG_FRAGMENT = 8
_FEW = 5

_THANKS = re.compile(
    r"(?:thanks|thank you|great|ok|okay|good|nice|cool|perfect|got it|i see|yes|no|hi|hello|hm+)\b"
    r"[^.!,?]{0,20}[.!,]\s+",
    re.IGNORECASE,
)
_REPENTED = r"(?:no|nope|sorry|oops|wait|wrong|actually)"
_MEANT = r"i(?:'m| am| was)? (?:really |actually )?(?:mean|meant|asking about|talking about)"
_AMENDED = re.compile(
    rf"(?:(?:{_REPENTED}\b[,.!: ]+)*{_MEANT}[,: ]+|(?:{_REPENTED}[,.!:]+\s+)+(?P<only>))"
    r"(?!(?:i|we|you|he|she|they|it|this|that|these|those|there)\b)"
    r"(?P<thing>[^?!.,]{1,80}?)(?:,? not [^?!.,]{1,80})?[?!. ]{0,9}",
    re.IGNORECASE,
)


def without_preamble(text: str) -> str:
    """Return a question without what is said before it: "Thanks. And the white one?".

    What corrects the question before asks the same of another thing.

    >>> without_preamble("No, I meant the tent.")
    'What about the tent?'
    """
    amended = _AMENDED.fullmatch(text)
    if amended and _is_thing(amended["thing"], is_bare=amended["only"] is not None):
        return f"What about {amended['thing']}?"
    thanks = _THANKS.match(text)
    return text[thanks.end() :] if thanks else text


def _is_thing(text: str, *, is_bare: bool) -> bool:
    """Tell whether a text names a thing; behind a mere "no," few words do."""
    words = [match.group().lower() for match in WORD.finditer(text)]
    if (
        not words
        or ASKS.match(text)
        or set(words) & (VERBS | AUXILIARIES)
        or len(words) > LONG_FRAGMENT
    ):
        return False
    return (
        not is_bare
        or len(words) <= 2
        or (len(words) <= _FEW and (words[0] in DETERMINERS or PREPOSITION.match(text) is not None))
    )
