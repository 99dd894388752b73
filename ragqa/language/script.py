"""Which script a text is written in."""

from __future__ import annotations

import re
from typing import Literal

Language = Literal["en", "zh"]

HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
"""The inside of a character class: every Chinese character."""

HAN_RUN = re.compile(f"[{HAN}]+")
_LATIN_WORD = re.compile(r"[A-Za-z]{2,}")


def has_han(text: str) -> bool:
    """Tell whether any Chinese character stands in the text."""
    return HAN_RUN.search(text) is not None


def language_of(text: str) -> Language:
    """Tell which prompts and phrases fit the text: Chinese where Han characters carry it."""
    han = sum(map(len, HAN_RUN.findall(text)))
    latin_words = len(_LATIN_WORD.findall(text))
    return "zh" if han and han >= latin_words else "en"
