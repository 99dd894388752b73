"""How many tokens a text takes, without a tokenizer."""

from __future__ import annotations

import math
import re

# Patterns are kept as text: only those who count tokens need to compile them.
_WORD = r"[A-Z]?[a-z]+|[A-Z]+"  # a hump of camelCase is a token of its own
_DIGITS = r"[0-9]+"
_OTHER_ASCII = r"[!-/:-@\[-`{-~\x00-\x08\x0b-\x1f\x7f]"
_BLANKS = r"(?<!\s)[^\S\n]*+\n\s*| {2,}|\t"  # a run is looked through once
_HAN_OR_KANA = r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_OTHER_SCRIPT = r"[\u0080-\u303f\u3100-\u33ff\ua000-\uabff\ud7b0-\U0010ffff]"


def estimate_tokens(text: str) -> int:
    """Return about how many tokens of o200k a text takes, rather too many than too few.

    >>> estimate_tokens("The kettle holds 1.7 litres.")
    9
    """

    def found(pattern: str) -> list[str]:
        return re.findall(pattern, text)

    count = sum(1 if len(word) <= 5 else len(word) / 4.5 for word in found(_WORD))
    count += sum(math.ceil(len(digits) / 3) for digits in found(_DIGITS))
    count += len(found(_OTHER_ASCII)) + len(found(_BLANKS))
    if not text.isascii():
        count += len(found(_HAN_OR_KANA)) + 1.5 * len(found(_OTHER_SCRIPT))
    return math.ceil(count)
