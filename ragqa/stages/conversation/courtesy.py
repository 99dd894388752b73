"""Thanks, greetings and a mere yes or no: turns of a conversation that are about nothing."""

from __future__ import annotations

import re

from ragqa.stages.conversation.words import COURTESIES

_WORD = re.compile(r"[^\W_]+")
_CHINESE = re.compile(
    "(?:谢|多谢|感谢|非常|十分|太|很|真|好|棒|行|可以|没问题|嗯|哦|噢|哈|是|对|不用|不|明白|知道|了解"
    "|懂|清楚|收到|你|您|我|们|早上|下午|晚上|再见|拜拜|辛苦|麻烦|有帮助|帮助|的|了|啦|吧|呀|啊|哇)+"
)


def is_courtesy(text: str) -> bool:
    """Tell whether a text asks nothing: "Thanks, got it!", "好的，谢谢。"."""
    if text.rstrip().endswith(("?", "？")):
        return False
    words = _WORD.findall(text.lower())
    return all(word in COURTESIES or _CHINESE.fullmatch(word) for word in words)
