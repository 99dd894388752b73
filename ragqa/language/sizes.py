"""How many tokens a text takes, without a tokenizer."""

from __future__ import annotations

import math
import re

_ASCII_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")  # a hump of camelCase is a token of its own
_ASCII_DIGITS = re.compile(r"[0-9]+")
_ASCII_OTHER = re.compile(r"[^\sA-Za-z0-9\u0080-\U0010ffff]")
_LINE_BREAKS = re.compile(r"\s*\n\s*| {2,}|\t")
_HAN_OR_KANA = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_OTHER_SCRIPT = re.compile(r"[\u0080-\u303f\u3100-\u33ff\ua000-\uabff\ud7b0-\U0010ffff]")


def estimate_tokens(text: str) -> int:
    """Return about how many tokens of o200k a text takes, rather too many than too few.

    >>> estimate_tokens("The kettle holds 1.7 litres.")
    9
    """
    count = 0.0
    for word in _ASCII_WORD.findall(text):
        count += 1 if len(word) <= 5 else len(word) / 4.5
    count += sum(math.ceil(len(digits) / 3) for digits in _ASCII_DIGITS.findall(text))
    count += len(_ASCII_OTHER.findall(text)) + len(_LINE_BREAKS.findall(text))
    count += len(_HAN_OR_KANA.findall(text)) + 1.5 * len(_OTHER_SCRIPT.findall(text))
    return math.ceil(count)
