"""Words that turn what a sentence says round: negations, exceptions and conditions."""

from __future__ import annotations

import re

from ragqa.language.late import late

_TURNING = late(
    r"\b(?:not|no|never|cannot|neither|nor|none|nobody|nothing|nowhere|hardly|without|unless|unable"
    r"|except(?:ing|ions?|ed)?|exclud(?:es?|ed|ing)|other than|rather than|instead of|only|if"
    r"|forbidden|prohibited)\b|n['’]t\b"
    r"|不(?!锈钢|同|仅|断|久|少)|[没沒勿否仅僅]|未(?!来)|[无無](?!线|锡)|非(?!常|洲)|禁止|拒绝|例外"
    r"|除(?:非|了|[^，。；]{0,40}?外)|(?<![一两几\d])只|如果|若(?!干)",
    re.IGNORECASE,
)


def turns(text: str, start: int = 0, end: int | None = None) -> bool:
    """Tell whether ``text[start:end]`` holds a word that turns its meaning round.

    What is quoted without it says something else, often the opposite.

    >>> turns("It cannot be returned."), turns("除电池外保修两年"), turns("不锈钢水壶")
    (True, True, False)
    """
    return _TURNING.search(text, start, len(text) if end is None else end) is not None
