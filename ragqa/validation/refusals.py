"""Recognise texts that decline to answer. Only short texts without any object are looked at.

A text that says that the documents do not hold the answer is no refusal: the model may well put
that into the object that was asked for.
"""

from __future__ import annotations

import re
from typing import Final

from ragqa.language.late import late
from ragqa.language.traditional import simplified

_MAX_CHARS = 500

_SORRY = r"(?:(?:i(?:['’]m| am)|we(?:['’]re| are))\s+(?:very |so |really |truly )?(?:sorry|afraid))"
_CANNOT = (
    r"(?:i|we)\s+(?:can(?:no|['’])?t|can not|won['’]?t|will not|must decline to|have to decline to"
    r"|(?:am|are)\s+(?:not able|unable|not allowed|not permitted)\s+to|(?:do not|don['’]t) feel "
    r"comfortable|(?:am|are) (?:not )?(?:going|programmed) to)"
)
_DEED = (
    r"(?:help(?:ing)?|assist(?:ing)?|comply|fulfil+|do that|do this|engage|participate|discuss"
    r"|continue|support|accommodate|proceed|respond|answer that|answer this|answer your"
    r"|provid(?:e|ing) (?:that|this|assistance|help|advice|instructions|information (?:on|about))"
    r"|shar(?:e|ing) (?:that|this)|creat(?:e|ing) (?:that|this|content)"
    r"|generat(?:e|ing) (?:that|this|content)|talk about|give (?:medical|legal|financial) advice)"
)
_ENGLISH: Final = (
    late(
        rf"(?:^|[.!,;:\n]\s*|\bbut\s+|\bhowever,?\s+){_CANNOT}\s+(?:\w+\s+){{0,2}}{_DEED}\b", re.I
    ),
    late(
        rf"^(?:{_SORRY}|sorry|apologies|my apologies|unfortunately)\b[^.!?\n]{{0,60}}?\b"
        rf"(?:can(?:no|['’])?t|unable to|not able to|won['’]?t)\s+(?:\w+\s+){{0,2}}{_DEED}\b",
        re.I,
    ),
    late(
        r"\bi (?:must|have to|need to|respectfully|politely) (?:respectfully |politely )?"
        r"(?:decline|refuse)\b",
        re.I,
    ),
    late(
        r"^(?:this|that|your) (?:request|question|content) (?:violates|goes against|is against)"
        r"\b",
        re.I,
    ),
    late(rf"^as an ai\b[^\n]{{0,120}}?\b{_CANNOT}", re.I),
)
_CHINESE: Final = (
    late(
        r"^(?:很|非常|十分)?(?:抱歉|对不起|不好意思|遗憾)[^。！\n]{0,30}?"
        r"(?:不能|无法|不可以|不便|没办法|没法)(?:为您|为你|给您|给你|向您|向你|就此|对此|继续|再)*"
        r"(?:帮|协助|提供|回答|满足|继续|处理|讨论|完成|生成|响应|支持|参与)"
    ),
    late(
        r"^(?:作为|身为)(?:一[个名款位])?[^，。\n]{0,12}(?:AI|人工智能|语言模型|助手)[^。\n]{0,40}?"
        r"(?:不能|无法|不可以|不便|不应)"
    ),
    late(
        r"^我(?:不能|无法|不可以|不便|拒绝)(?:为您|为你|给您|给你|就此|对此|继续)*"
        r"(?:帮|协助|满足|继续|参与|讨论|回答(?:这|该|您|你|此)|提供(?:这|该|此类|相关))"
    ),
    late(r"^(?:您|你)的(?:请求|问题|提问)(?:违反|涉及(?:敏感|违规))"),
)
_OF_DOCUMENTS: Final = late(
    r"\b(?:documents?|context|sources?|passages?|knowledge base|provided|retrieved|excerpts?"
    r"|information (?:given|available)|find|found|enough (?:information|details))\b"
    r"|文档|资料|文件|上下文|检索|知识库|段落|信息中|找到|查到|提及|未提供|没有提供",
    re.I,
)
_FILTER_NOTICE: Final = late(
    r"content management policy|content[_ ]filter(?:ed)? (?:was )?triggered"
    r"|response was filtered|flagged by (?:our|the) (?:content|safety)|内容(?:安全)?(?:审核|过滤)",
    re.I,
)


def declines(text: str) -> bool:
    """Tell whether a text clearly declines to answer, English or Chinese."""
    text = simplified(text)
    if len(text) > _MAX_CHARS or _OF_DOCUMENTS.search(text):
        return False
    return any(pattern.search(text) for pattern in (*_ENGLISH, *_CHINESE))


def is_filter_notice(text: str) -> bool:
    """Tell whether a text is what a service puts in the place of a filtered reply."""
    return len(text) <= _MAX_CHARS and bool(_FILTER_NOTICE.search(simplified(text)))
